/** Creates SQLite databases like those of apps. */
import Sqlite from 'better-sqlite3'
import type { Random } from '../support/random.js'

const pageSize = 4096

/** Returns the bytes of a database that `make` has filled. */
export function databaseOf(make: (database: Sqlite.Database) => void): Buffer {
  const database = new Sqlite(':memory:')
  try {
    make(database)
    return database.serialize()
  } finally {
    database.close()
  }
}

/** Inserts rows into a table, each with the same columns. */
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

/** Returns a database with up to twenty damages: page headers, pointers, bytes, swapped pages, the end. */
export function damaged(whole: Buffer, random: Random): Buffer {
  let content = Buffer.from(whole)
  for (let time = random.below(20); time >= 0 && content.length >= 2 * pageSize; time--) {
    const page = random.below(Math.floor(content.length / pageSize)) * pageSize
    const kind = random.below(6)
    if (kind === 0) content[page + (page === 0 ? 100 : 0) + random.below(12)] = random.below(256)
    else if (kind === 1) content.writeUInt16BE(random.below(65_536), page + 12 + random.below(200) * 2)
    else if (kind === 2)
      content[page === 0 ? 16 + random.below(4080) : page + random.below(pageSize)] = random.below(256)
    else if (kind === 3) content.fill(random.below(256), page, page + pageSize)
    else if (kind === 4)
      whole.copy(content, page, random.below(Math.floor(whole.length / pageSize)) * pageSize)
    else content = content.subarray(0, pageSize + random.below(content.length - pageSize))
  }
  return content
}
