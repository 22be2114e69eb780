/** Compares points that are to be written with those that are there. */
import type { PointsDraft } from '../../imports/protocol.js'
import type { Row } from '../../storage/series/rows.js'
import type { Column, ColumnPlan } from '../series/column-plan.js'

/** Points that differ although they are of one time go this far apart, in seconds: the finest that is told apart everywhere. */
const apart = 1e-6
/** Points of one time, at most. */
const mostOfOneTime = 1000

/** A new point, with its cells in the order of the draft. */
export interface Compared {
  /** To be written, ascending. */
  readonly fresh: Row[]
  /** DeltaTimes of those that are there already. */
  readonly known: number[]
  /** How many are there twice among the new ones, do not conform to their type, or lie before the beginning. */
  readonly twice: number
  readonly unfit: number
  readonly early: number
}

/** The cells of rows that were drafted, with deltaTimes in place of times. */
export interface Rows {
  readonly columns: readonly string[]
  /** Row after row; the first cell of each is a time in seconds. */
  readonly cells: Float64Array
  /** When the series begins. */
  readonly origin: number
}

/** The range of deltaTimes of drafted rows, with room for those that are moved apart. */
export function spanOf({ cells, columns, origin }: Rows): { from: number; to: number } {
  const width = columns.length + 1
  return {
    from: micro(cells[0]! - origin),
    to: micro(cells[cells.length - width]! - origin) + mostOfOneTime * apart
  }
}

/** Tells new points from known ones. `stored`: those of {@link spanOf}, with cells in the order of `layout`. */
export function compared(
  rows: Rows,
  plan: ColumnPlan,
  stored: readonly Row[],
  layout: readonly string[]
): Compared {
  const { cells, columns, origin } = rows
  const width = columns.length + 1
  const places = columns.map(name => layout.indexOf(name) + 1)
  const checks = columns.map(name => plan.get(name))
  const required = [...plan.values()]
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => columns.indexOf(name))
  // Made once they are needed: most points are all new, or all known and in the order of those that are there.
  let there: Map<number, Row> | undefined
  let added: Map<number, Row> | undefined
  const result = { fresh: [] as Row[], known: [] as number[], twice: 0, unfit: 0, early: 0 }
  for (let at = 0, next = 0; at < cells.length; at += width) {
    const deltaTime = micro(cells[at]! - origin)
    while (next < stored.length && stored[next]![0] < deltaTime) next++
    if (stored[next]?.[0] === deltaTime && isSame(stored[next]!, cells, at, places)) {
      result.known.push(deltaTime)
      continue
    }
    const own = cellsOf(cells, at, checks)
    if (!own || required.some(index => index < 0 || own[index] === null)) result.unfit++
    else if (deltaTime < 0) result.early++
    else place(deltaTime, own)
  }
  result.fresh.sort((a, b) => a[0] - b[0])
  return result

  /** Puts a point where there is none of its time yet, unless it is there. */
  function place(from: number, own: readonly (number | null)[]): void {
    const last = result.fresh.at(-1)
    if (!added && stored.length === 0 && (!last || from > last[0])) {
      result.fresh.push([from, ...own])
      return
    }
    added ??= new Map(result.fresh.map(row => [row[0], row]))
    there ??= new Map(stored.map(row => [row[0], row]))
    for (let step = 0; step < mostOfOneTime; step++) {
      const time = step === 0 ? from : micro(from + step * apart)
      const known = there.get(time)
      if (known) {
        if (
          own.every((cell, index) => cell === (places[index] === 0 ? null : (known[places[index]!] ?? null)))
        ) {
          result.known.push(time)
          return
        }
        continue
      }
      const other = added.get(time)
      if (other) {
        if (own.every((cell, index) => cell === other[index + 1])) {
          result.twice++
          return
        }
        continue
      }
      const row: Row = [time, ...own]
      added.set(time, row)
      result.fresh.push(row)
      return
    }
    result.unfit++
  }
}

/** Whether a stored row has the cells of a drafted one. */
function isSame(row: Row, cells: Float64Array, at: number, places: readonly number[]): boolean {
  for (let index = 0; index < places.length; index++) {
    const cell = cells[at + 1 + index]!
    const place = places[index]!
    const own = place === 0 ? null : (row[place] ?? null)
    if (own === null ? !Number.isNaN(cell) : own !== cell) return false
  }
  return true
}

/** The cells of a row after its time; `undefined` if one does not fit its column. */
function cellsOf(
  cells: Float64Array,
  at: number,
  checks: readonly (Column | undefined)[]
): (number | null)[] | undefined {
  const own: (number | null)[] = []
  for (let index = 0; index < checks.length; index++) {
    const cell = cells[at + 1 + index]!
    const column = checks[index]
    if (Number.isNaN(cell)) own.push(null)
    else if (column && (column.isAnyNumber || column.value(cell) === cell)) own.push(cell)
    else return undefined
  }
  return own
}

function micro(time: number): number {
  return Math.round(time * 1e6) / 1e6
}

/** Half of the rows each. */
export function halves(draft: PointsDraft): PointsDraft[] {
  const width = draft.columns.length + 1
  const middle = Math.floor(draft.cells.length / width / 2) * width
  return [
    { ...draft, cells: draft.cells.subarray(0, middle) },
    { ...draft, cells: draft.cells.subarray(middle) }
  ]
}
