/** Reads SQLite databases by the formats of their tables. */
import { databaseFormats } from './formats/index.js'
import { databaseKind, type Description } from './kinds.js'
import type { Context, FormatSink } from './record.js'
import { Database } from './sqlite/database.js'

/**
 * Reads the database at a path; returns a description of it if no format reads it. `progress` is called with the number of bytes
 * read. Throws `Unreadable` if the beginning of the file is damaged.
 */
export async function readDatabase(
  path: string,
  sink: FormatSink,
  context: Context,
  progress: (bytes: number) => void
): Promise<Description | undefined> {
  const database = new Database(path, progress)
  try {
    const format = databaseFormats.find(candidate => candidate.recognises(database))
    if (!format) return databaseKind(database.tables)
    sink.begin(format)
    for (const gap of database.gaps) sink.warn(gap)
    await format.read(database, sink, context)
    return undefined
  } finally {
    database.close()
  }
}
