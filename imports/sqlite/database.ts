/**
 * An SQLite database of somebody else, read row by row without SQLite itself: what the file holds is never run, no page is
 * read twice, and reading can be ended at any time. (docs/decisions/0019-imports.md)
 */
import type { Message } from '../messages.js'
import type { Context, Format, Sink } from '../record.js'
import { Damaged, Pages } from './pages.js'
import { Wanted, type Cell } from './payload.js'
import { columnsIn, type Columns } from './schema.js'
import { cellsIn, type Losses, type TreeCell } from './tree.js'

/** Tables that are looked at, columns of all of them, and characters of the names of tables. */
const mostTables = 5000
const mostColumns = 100_000
const longestName = 200

/** Columns of the list of tables: type, name, first page and definition. */
const ofSchema = new Wanted([0, 1, 3, 4])

interface Table extends Columns {
  readonly name: string
  readonly root: number
}

export class Database {
  readonly #pages: Pages
  /** By their names in small letters. */
  readonly #tables = new Map<string, Table>()
  /** Of the list of tables. */
  readonly #losses: Losses = { pages: 0, rows: 0 }

  /** Opens a file. `progress` is called with the bytes that are read. Throws `Unreadable` if it is no database. */
  constructor(path: string, progress: (bytes: number) => void) {
    this.#pages = new Pages(path, progress)
    try {
      this.#readTables()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Names of tables, as the database has them. Views, indexes and what is made by modules are none. */
  get tables(): string[] {
    return [...this.#tables.values()].map(({ name }) => name)
  }

  /** What is known to be missing, for the person. */
  get gaps(): Message[] {
    const { gap } = this.#pages
    const { pages, rows } = this.#losses
    const list: Message = 'The list of tables is damaged: some of them may be missing'
    return [...(gap === undefined ? [] : [gap]), ...(pages + rows > 0 ? [list] : [])]
  }

  /** Names of the columns of a table that are not computed, in small letters. */
  columns(table: string): string[] {
    return this.#tables.get(table.toLowerCase())?.stored.map(({ name }) => name) ?? []
  }

  /** Whether there is a table with these columns. */
  has(table: string, ...columns: readonly string[]): boolean {
    const names = new Set(this.columns(table))
    return names.size > 0 && columns.every(name => names.has(name.toLowerCase()))
  }

  /**
   * Gives out the cells of these columns, row by row; `undefined` for columns that are not there. A table can be read once. What
   * is damaged is passed over, and counted in `losses`.
   */
  *rows(table: string, columns: readonly string[], losses: Losses): Generator<Cell[], void, undefined> {
    const found = this.#tables.get(table.toLowerCase())
    if (!found) return
    const { hasRowIds, root, rowId, stored } = found
    const names = columns.map(name => name.toLowerCase())
    const indexes = new Map(stored.map(({ name }, index) => [name, index]))
    const wanted = new Wanted(names.map(name => indexes.get(name) ?? -1))
    const initial = (index: number): Cell => stored[index]?.initial
    for (const cell of cellsIn(this.#pages, root, hasRowIds, losses)) {
      const cells = read(cell, wanted, initial, losses)
      if (!cells) continue
      if (rowId !== undefined)
        for (const [at, name] of names.entries()) if (name === rowId) cells[at] = cell.rowId
      yield cells
    }
  }

  close(): void {
    this.#pages.close()
  }

  #readTables(): void {
    let columns = 0
    for (const cell of cellsIn(this.#pages, 1, true, this.#losses)) {
      const [type, name, root, sql] = read(cell, ofSchema, () => null, this.#losses) ?? []
      // A table without a page is one that a module makes.
      if (type !== 'table' || typeof name !== 'string' || root === 0) continue
      const key = name.toLowerCase()
      if (key.startsWith('sqlite_')) continue
      const found = typeof sql === 'string' ? columnsIn(sql) : undefined
      const isKnown = this.#tables.has(key) || this.#tables.size >= mostTables || name.length > longestName
      if (!found || isKnown || typeof root !== 'number' || columns + found.stored.length > mostColumns)
        this.#losses.rows++
      else {
        columns += found.stored.length
        this.#tables.set(key, { ...found, name, root })
      }
    }
  }
}

/** A format whose files are SQLite databases. */
export interface DatabaseFormat extends Omit<Format, 'recognises' | 'read'> {
  /** Whether a database is of this format, by its tables. */
  recognises(database: Database): boolean
  read(database: Database, sink: Sink, context: Context): Promise<void>
}

/** The cells of a row; `undefined` if it is damaged, which is counted. */
function read(
  { payload }: TreeCell,
  wanted: Wanted,
  initial: (index: number) => Cell,
  losses: Losses
): Cell[] | undefined {
  try {
    return payload.read(wanted, initial)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    losses.rows++
    return undefined
  }
}
