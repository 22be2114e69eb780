/** Reads SQLite databases by the formats of their tables. */
import { databaseFormats } from './formats/index.js'
import { databaseKind, type Description } from './kinds.js'
import type { Context, FormatSink } from './record.js'
import { Database } from './sqlite/database.js'

/**
 * Reads a database at a path; returns what it is if no format reads it. `progress` is called with the bytes that are read. Throws
 * `Unreadable` if it is damaged at its beginning.
 */
export async function readDatabase(
  path: string,
  sink: FormatSink,
  context: Context,
  progress: (bytes: number) => void
): Promise<Description | undefined> {
  const database = new Database(path, progress)
  try {
    const format = databaseFormats.find(one => one.recognises(database))
    if (!format) return databaseKind(database.tables)
    sink.begin(format)
    for (const gap of database.gaps) sink.warn(gap)
    await format.read(database, sink, context)
    return undefined
  } finally {
    database.close()
  }
}
