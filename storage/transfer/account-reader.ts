/** Reads the copy of an account's file for an export. The copy is the reader's own: nobody writes to it. */
import type { Database } from 'better-sqlite3'
import { userMigrations } from '../migrations/user/index.js'
import { versionOf } from '../migrations/migrate.js'
import { openReadOnly } from '../sqlite/open.js'
import { column } from '../sqlite/statements.js'
import { isSecret, withoutSecrets } from './secrets.js'
import { columnsOf, exportedTables, toLine, type ExportedTable, type Row } from './tables.js'

/** Characters of a piece of text, about. */
const pieceSize = 64 * 1024

export class AccountReader {
  readonly #db: Database
  /** Rows that are being read. */
  #rows: IterableIterator<Row> | undefined

  constructor(
    file: string,
    private readonly hasSecrets: boolean
  ) {
    this.#db = openReadOnly(file, userMigrations.length)
  }

  /** Version of the schema that the rows are of. */
  get schema(): number {
    return versionOf(this.#db)
  }

  /** The tables that are part of the export. */
  get tables(): ExportedTable[] {
    return exportedTables.filter(table => this.hasSecrets || !isSecret(table))
  }

  /** The rows of a table as lines, several at a time. */
  *lines(table: ExportedTable): Generator<Buffer, void, undefined> {
    const names = columnsOf(this.#db, table)
    const sql = `SELECT ${names.map(name => `"${name}"`).join(', ')} FROM ${table}`
    let text = ''
    const rows = this.#db.prepare(sql).iterate() as IterableIterator<Row>
    this.#rows = rows
    for (const row of rows) {
      text += `${toLine(this.hasSecrets ? row : withoutSecrets(table, row))}\n`
      if (text.length < pieceSize) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }

  /** Ids of the attachments. */
  attachments(): string[] {
    return column(this.#db, 'SELECT id FROM attachment ORDER BY id').all() as string[]
  }

  close(): void {
    // Whoever wanted the rest may have left in the middle.
    this.#rows?.return?.()
    this.#db.close()
  }
}
