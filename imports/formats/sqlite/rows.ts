/** What formats of SQLite databases have in common: rows, numbers and times of their columns. */
import type { Reason } from '../../reasons.js'
import type { Sink } from '../../record.js'
import type { Database } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'

/** Milliseconds since the epoch begin here, in March 1973, and seconds end, in the year 5138. */
const leastMilliseconds = 1e11

/** Reads the rows of a table; what is damaged of it is told under its name. Returns how many rows were read. */
export async function eachRow(
  database: Database,
  table: string,
  columns: readonly string[],
  sink: Sink,
  onRow: (cells: readonly Cell[]) => void
): Promise<number> {
  const losses = { pages: 0, rows: 0 }
  let count = 0
  for (const cells of database.rows(table, columns, losses)) {
    onRow(cells)
    count++
  }
  if (losses.rows > 0) sink.leftOut(table, 'damaged', losses.rows)
  if (losses.pages > 0)
    sink.warn('{table} is damaged: the rows of {count} of its pages are missing', {
      table: JSON.stringify(table),
      count: losses.pages
    })
  return count
}

/** Counts the rows of a table as left out. */
export async function leaveOut(database: Database, table: string, sink: Sink, reason: Reason): Promise<void> {
  const count = await eachRow(database, table, [], sink, () => undefined)
  if (count > 0) sink.leftOut(table, reason, count)
}

/** What a column of numbers measures. */
export interface Measure {
  readonly type: string
  readonly stream: string
  /** By which its numbers are multiplied. */
  readonly factor?: number
  /** The least and the greatest number that there can be. */
  readonly range?: readonly [number, number]
  /** Numbers that stand for none. */
  readonly absent?: readonly number[]
  /** What a zero stands for, where it is not a value as others are. */
  readonly zero?: Reason
}

/** Why a cell is no value of a column; `undefined` if it is one, which is a number then. */
export function faultOf(
  cell: Cell,
  { absent, range, zero }: Omit<Measure, 'stream' | 'type'>
): Reason | undefined {
  if (typeof cell === 'bigint') return 'of a number that is too large'
  if (typeof cell !== 'number') return 'of a value that is no number'
  if (absent?.includes(cell)) return 'not measured, as the file itself says'
  if (cell === 0 && zero) return zero
  const [least, most] = range ?? [-Infinity, Infinity]
  return cell < least || cell > most ? 'of a value that is impossible for what it measures' : undefined
}

/** Seconds since the epoch, of seconds or milliseconds; `NaN` where there are none. */
export function timeIn(cell: Cell): number {
  if (typeof cell !== 'number' || cell <= 0) return NaN
  return cell < leastMilliseconds ? cell : cell / 1000
}

export function textIn(cell: Cell): string | undefined {
  return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined
}
