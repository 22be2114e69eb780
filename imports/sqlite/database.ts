/**
 * Reads an untrusted SQLite database row by row without SQLite itself: nothing in the file is executed, no page is read twice, and
 * reading can stop at any time. (docs/decisions/0019-imports.md)
 */
import type { MessageText } from '../messages.js'
import type { ReadContext, Format, Sink } from '../record.js'
import { DamagedDatabase, DatabasePages } from './database-pages.js'
import { ColumnSelection, type Cell } from './payload.js'
import { parseColumns, type TableColumns } from './schema.js'
import { readCells, type ReadLosses, type TreeCell } from './tree.js'

/** Limits of tables, of the columns of all tables, and of table names in characters. */
const maxTables = 5000
const maxColumns = 100_000
const maxNameLength = 200

/** Columns of the schema table: type, name, root page and definition. */
const schemaColumns = new ColumnSelection([0, 1, 3, 4])

interface StoredTable extends TableColumns {
  readonly name: string
  readonly root: number
}

export class Database {
  readonly #pages: DatabasePages
  /** Tables by name in lower case. */
  readonly #tables = new Map<string, StoredTable>()
  /** Losses of the schema table. */
  readonly #losses: ReadLosses = { pages: 0, rows: 0 }

  /**
   * Opens a file. `progress` is called with the number of bytes read. Throws `Unreadable` if the file is not a
   * database.
   */
  constructor(path: string, progress: (bytes: number) => void) {
    this.#pages = new DatabasePages(path, progress)
    try {
      this.#readTables()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Names of tables as written in the database, without views, indexes and virtual tables. */
  get tables(): string[] {
    return [...this.#tables.values()].map(({ name }) => name)
  }

  /** Messages about data that is known to be missing, for the user. */
  get missingData(): MessageText[] {
    const { missingData } = this.#pages
    const { pages, rows } = this.#losses
    const list: MessageText = 'The list of tables is damaged: some of them may be missing'
    return [...(missingData === undefined ? [] : [missingData]), ...(pages + rows > 0 ? [list] : [])]
  }

  /**
   * Returns the names of a table's columns in lower case, without computed ones. Returns an empty list if
   * there is no such table.
   */
  getColumns(table: string): string[] {
    return this.#tables.get(table.toLowerCase())?.stored.map(({ name }) => name) ?? []
  }

  /** Returns true if there is a table with these columns. */
  hasColumns(table: string, ...columns: readonly string[]): boolean {
    const names = new Set(this.getColumns(table))
    return names.size > 0 && columns.every(name => names.has(name.toLowerCase()))
  }

  /**
   * Yields the cells of these columns row by row; `undefined` for missing columns. A table can be read once.
   * Damaged parts are skipped and counted in `losses`. Yields nothing if there is no such table.
   */
  *readRows(
    table: string,
    columns: readonly string[],
    losses: ReadLosses
  ): Generator<Cell[], void, undefined> {
    const definition = this.#tables.get(table.toLowerCase())
    if (!definition) return
    const { hasRowIds, root, rowId, stored } = definition
    const names = columns.map(name => name.toLowerCase())
    const indexes = new Map(stored.map(({ name }, index) => [name, index]))
    const wanted = new ColumnSelection(names.map(name => indexes.get(name) ?? -1))
    const initial = (index: number): Cell => stored[index]?.defaultValue
    for (const cell of readCells(this.#pages, root, hasRowIds, losses)) {
      const cells = decodeRow(cell, wanted, initial, losses)
      if (!cells) continue
      if (rowId !== undefined)
        for (const [index, name] of names.entries()) if (name === rowId) cells[index] = cell.rowId
      yield cells
    }
  }

  /** Closes the file. */
  close(): void {
    this.#pages.close()
  }

  /** Reads the schema table, up to the limits; counts tables that cannot be read as losses. */
  #readTables(): void {
    let columns = 0
    for (const cell of readCells(this.#pages, 1, true, this.#losses)) {
      const [type, name, root, sql] = decodeRow(cell, schemaColumns, () => null, this.#losses) ?? []
      // A table without a root page is a virtual one.
      if (type !== 'table' || typeof name !== 'string' || root === 0) continue
      const key = name.toLowerCase()
      if (key.startsWith('sqlite_')) continue
      const tableColumns = typeof sql === 'string' ? parseColumns(sql) : undefined
      const isSkipped = this.#tables.has(key) || this.#tables.size >= maxTables || name.length > maxNameLength
      if (
        !tableColumns ||
        isSkipped ||
        typeof root !== 'number' ||
        columns + tableColumns.stored.length > maxColumns
      )
        this.#losses.rows++
      else {
        columns += tableColumns.stored.length
        this.#tables.set(key, { ...tableColumns, name, root })
      }
    }
  }
}

/** A format whose files are SQLite databases. */
export interface DatabaseFormat extends Omit<Format, 'recognises' | 'read'> {
  /** Returns true if a database has this format, by its tables. */
  recognises(database: Database): boolean
  /** Reads a database and passes its records to the sink. */
  read(database: Database, sink: Sink, context: ReadContext): Promise<void>
}

/** Returns the cells of a row; `undefined` if the row is damaged, which is counted as a loss. */
function decodeRow(
  { payload }: TreeCell,
  wanted: ColumnSelection,
  initial: (index: number) => Cell,
  losses: ReadLosses
): Cell[] | undefined {
  try {
    return payload.read(wanted, initial)
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error
    losses.rows++
    return undefined
  }
}
