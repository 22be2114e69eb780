/** Reads SQLite databases by the formats of their tables. */
import { databaseFormats } from './formats/index.js'
import { describeDatabase, type FileDescription } from './unsupported-kinds.js'
import type { ReadContext, FormatSink } from './record.js'
import { Database } from './sqlite/database.js'

/**
 * Reads the database at a path; returns a description of the database if no format reads it. `progress` is
 * called with the number of bytes read. Throws `Unreadable` if the beginning of the file is damaged. Also
 * warns of data that is known to be missing.
 */
export async function readDatabase(
  path: string,
  sink: FormatSink,
  context: ReadContext,
  progress: (bytes: number) => void
): Promise<FileDescription | undefined> {
  const database = new Database(path, progress)
  try {
    const format = databaseFormats.find(candidate => candidate.recognises(database))
    if (!format) return describeDatabase(database.tables)
    sink.beginFormat(format)
    for (const gap of database.missingData) sink.warn(gap)
    await format.read(database, sink, context)
    return undefined
  } finally {
    database.close()
  }
}
