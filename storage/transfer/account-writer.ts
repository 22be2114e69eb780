/** Creates an account's file from the rows of an export. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import { StoreTooNew } from '../errors.js'
import { userMigrations } from '../migrations/user/index.js'
import { createFile, openFile } from '../sqlite/open.js'
import { statement } from '../sqlite/statements.js'
import { listColumns, toValue, type Column, type ExportedTable } from './tables.js'

/** A row that cannot be part of an export. */
class RowRefused extends Error {
  constructor(table: string, reason: string) {
    super(`${table}: ${reason}`)
    this.name = 'RowRefused'
  }
}

/** Writes the rows of an export to a new file, in one transaction. */
export class AccountWriter {
  readonly #db: Database
  readonly #inserts = new Map<ExportedTable, { columns: readonly Column[]; insert: Statement }>()

  /** Creates a file with the schema version of the rows. Throws `StoreTooNew`. */
  constructor(file: string, schema: number) {
    if (schema > userMigrations.length) throw new StoreTooNew(file, schema, userMigrations.length)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const migrations = userMigrations.slice(0, schema)
    createFile(file, migrations)
    this.#db = openFile(file, { migrations, synchronous: 'FULL' })
    statement(this.#db, 'BEGIN IMMEDIATE').run()
    // The only row of a new file.
    statement(this.#db, 'DELETE FROM audit_state').run()
  }

  /** Adds a row. Throws {@link RowRefused}. */
  insert(table: ExportedTable, row: unknown): void {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new RowRefused(table, 'not a row')
    const { columns, insert } = this.#getInsert(table)
    const given = new Map<string, unknown>(Object.entries(row))
    if (given.size !== columns.length || !columns.every(({ name }) => given.has(name)))
      throw new RowRefused(table, 'the columns are not those of the table')
    try {
      insert.run(columns.map(column => toValue(column, given.get(column.name))))
    } catch (error) {
      throw new RowRefused(table, error instanceof Error ? error.message : String(error))
    }
  }

  /**
   * Commits the rows. Throws {@link RowRefused} if some refer to missing rows, or the state of the audit is
   * missing.
   */
  finish(): void {
    if (statement(this.#db, 'SELECT 1 FROM audit_state').get() === undefined)
      throw new RowRefused('audit_state', 'is missing')
    if (statement(this.#db, 'PRAGMA foreign_key_check').all().length > 0)
      throw new RowRefused('rows', 'some refer to rows that do not exist')
    statement(this.#db, 'COMMIT').run()
  }

  /** Closes the file. Rows are lost unless {@link finish} has committed them. */
  close(): void {
    this.#db.close()
  }

  #getInsert(table: ExportedTable): { columns: readonly Column[]; insert: Statement } {
    let prepared = this.#inserts.get(table)
    if (!prepared) {
      const columns = listColumns(this.#db, table)
      const names = columns.map(({ name }) => `"${name}"`).join(', ')
      const sql = `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`
      prepared = { columns, insert: this.#db.prepare(sql) }
      this.#inserts.set(table, prepared)
    }
    return prepared
  }
}
