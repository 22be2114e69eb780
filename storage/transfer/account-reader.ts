/** Reads a private copy of an account's file for an export. */
import SQLite, { type Database } from 'better-sqlite3'
import { nameOriginal, StoreDamaged, translateError } from '../errors.js'
import { userMigrations } from '../migrations/user/index.js'
import { readSchemaVersion } from '../migrations/migrate.js'
import { maxRows, openReadOnly } from '../sqlite/open.js'
import { statement } from '../sqlite/statements.js'
import { isSecret, removeSecrets } from './secrets.js'
import {
  listColumns,
  exportedRows,
  exportedTables,
  toExportedRow,
  toLine,
  type ExportedTable,
  type Row
} from './tables.js'

/** Approximate size of a chunk, in characters. */
const chunkSize = 64 * 1024

/** An attachment as its row describes it; the size is in bytes. */
interface Attachment {
  readonly id: string
  readonly size: number
}

/** Reads the rows of one account's file. The constructor throws `StoreDamaged`, `StoreTooNew`. */
export class AccountReader {
  readonly #db: Database
  /** The cursor of the running query. */
  #rows: IterableIterator<Row> | undefined

  /** The file that errors name. */
  readonly #name: string

  /** `original`: the file of which this one is a copy. */
  constructor(
    file: string,
    private readonly options: { readonly includesSecrets: boolean; readonly original: string }
  ) {
    this.#name = options.original
    try {
      this.#db = openReadOnly(file, userMigrations.length)
    } catch (error) {
      throw nameOriginal(error, file, this.#name)
    }
  }

  /** Schema version of the rows. */
  get schema(): number {
    return readSchemaVersion(this.#db)
  }

  /** The tables to export. */
  get tables(): ExportedTable[] {
    return exportedTables.filter(table => this.options.includesSecrets || !isSecret(table))
  }

  /** The rows of a table as JSON lines, several per chunk. Throws `StoreDamaged`. */
  *lines(table: ExportedTable): Generator<Buffer, void, undefined> {
    try {
      yield* this.#lines(table)
    } catch (error) {
      const translated = translateError(error, this.#name)
      // The statement consists of names in the file's own schema: what SQLite does not understand is damaged there.
      throw translated instanceof SQLite.SqliteError
        ? new StoreDamaged(this.#name, translated.message, error)
        : translated
    }
  }

  /** Yields the rows of a table as JSON lines, in pieces. */
  *#lines(table: ExportedTable): Generator<Buffer, void, undefined> {
    let remaining = maxRows(this.#db)
    const names = listColumns(this.#db, table).map(({ name }) => `"${name}"`)
    const sql = `SELECT ${names.join(', ')} FROM ${table} WHERE ${exportedRows[table] ?? 'true'}`
    let text = ''
    const rows = this.#db.prepare(sql).iterate() as IterableIterator<Row>
    this.#rows = rows
    for (const row of rows) {
      if (remaining-- < 0) throw new StoreDamaged(this.#name, 'has more rows than it can hold')
      text += `${this.#toLine(table, row)}\n`
      if (text.length < chunkSize) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }

  #toLine(table: ExportedTable, row: Row): string {
    try {
      const exported = toExportedRow(table, row)
      return toLine(this.options.includesSecrets ? exported : removeSecrets(table, exported))
    } catch (error) {
      throw new StoreDamaged(this.#name, `has a row of ${table} that cannot be read`, error)
    }
  }

  /** The attachments and their sizes in bytes. Throws `StoreDamaged`. */
  attachments(): Attachment[] {
    try {
      return statement(this.#db, 'SELECT id, size FROM attachment ORDER BY id').all() as Attachment[]
    } catch (error) {
      throw translateError(error, this.#name)
    }
  }

  /** Closes the file, also while its rows are being read. */
  close(): void {
    // The consumer may have stopped halfway; an open cursor would keep the file from closing.
    this.#rows?.return?.()
    this.#db.close()
  }
}
