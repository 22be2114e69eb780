/** Reads rows, numbers and times of SQLite databases. */
import type { SkipReason } from '../../skip-reasons.js'
import type { Sink } from '../../record.js'
import type { Database } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'

/** Larger numbers are milliseconds since the epoch (from March 1973), smaller ones are seconds (until the year 5138). */
const minMilliseconds = 1e11

/**
 * Calls `onRow` with each row of a table and reports damage; returns the number of rows that were read.
 * Damage is counted as skipped rows, or as a warning.
 */
export async function readRows(
  database: Database,
  table: string,
  columns: readonly string[],
  sink: Sink,
  onRow: (cells: readonly Cell[]) => void
): Promise<number> {
  const losses = { pages: 0, rows: 0 }
  let count = 0
  for (const cells of database.readRows(table, columns, losses)) {
    onRow(cells)
    count++
  }
  if (losses.rows > 0) sink.skip(table, 'damaged', losses.rows)
  if (losses.pages > 0)
    sink.warn('{table} is damaged: the rows of {count} of its pages are missing', {
      table: JSON.stringify(table),
      count: losses.pages
    })
  return count
}

/** Counts the rows of a table as skipped. */
export async function skipTable(
  database: Database,
  table: string,
  sink: Sink,
  reason: SkipReason
): Promise<void> {
  const count = await readRows(database, table, [], sink, () => undefined)
  if (count > 0) sink.skip(table, reason, count)
}

/** What a numeric column measures. */
export interface ColumnMeasure {
  readonly type: string
  readonly stream: string
  /** Factor by which its numbers are multiplied. */
  readonly factor?: number
  /** Smallest and largest valid number. */
  readonly range?: readonly [number, number]
  /** Numbers that mean "no value". */
  readonly absent?: readonly number[]
  /** Reason to skip zeros, if they are not values. */
  readonly zero?: SkipReason
}

/** Returns the reason to skip a cell; `undefined` if it is a valid value, in which case it is a number. */
export function findSkipReason(
  cell: Cell,
  { absent, range, zero }: Omit<ColumnMeasure, 'stream' | 'type'>
): SkipReason | undefined {
  if (typeof cell === 'bigint') return 'of a number that is too large'
  if (typeof cell !== 'number') return 'of a value that is no number'
  if (absent?.includes(cell)) return 'not measured, as the file itself says'
  if (cell === 0 && zero) return zero
  const [min, max] = range ?? [-Infinity, Infinity]
  return cell < min || cell > max ? 'of a value that is impossible for what it measures' : undefined
}

/**
 * Converts seconds or milliseconds to seconds since the epoch; returns `NaN` if there is no time. Numbers
 * that are too large for seconds are milliseconds.
 */
export function toTime(cell: Cell): number {
  if (typeof cell !== 'number' || cell <= 0) return NaN
  return cell < minMilliseconds ? cell : cell / 1000
}

/** Returns the trimmed text of a cell; `undefined` if it is empty or not a text. */
export function toText(cell: Cell): string | undefined {
  return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined
}
