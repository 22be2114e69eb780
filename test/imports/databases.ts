/** Makes SQLite databases as apps have them. */
import Sqlite from 'better-sqlite3'

/** The bytes of a database that `make` has filled. */
export function databaseOf(make: (database: Sqlite.Database) => void): Buffer {
  const database = new Sqlite(':memory:')
  try {
    make(database)
    return database.serialize()
  } finally {
    database.close()
  }
}

/** Adds rows to a table, each with the same columns. */
export function insert(
  database: Sqlite.Database,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[]
): void {
  const names = Object.keys(rows[0]!)
  const statement = database.prepare(
    `insert into "${table}" (${names.map(name => `"${name}"`).join()}) values (${names.map(() => '?').join()})`
  )
  for (const row of rows) statement.run(...names.map(name => row[name]))
}
