/** Compares imported points with stored ones. */
import type { PointsDraft } from '../../imports/protocol.js'
import type { Row } from '../../storage/series/rows.js'
import type { Column, ColumnPlan } from '../series/column-plan.js'
import { roundToMicroseconds } from '../time.js'

/** Distance between different points of the same time, in seconds: the finest resolution that is preserved everywhere. */
const timeStep = 1e-6
/** Maximum number of points of the same time. */
const maxPointsPerTime = 1000

/** The result of a comparison; cells are in the order of the draft. */
export interface PointComparison {
  /** Rows to write, ascending. */
  readonly fresh: Row[]
  /** DeltaTimes of points that are stored already. */
  readonly known: number[]
  /** Numbers of points that are duplicates within the draft, do not conform to their type, or are before the start of the series. */
  readonly twice: number
  readonly unfit: number
  readonly early: number
}

/** The rows of a draft. */
export interface DraftRows {
  readonly columns: readonly string[]
  /** All cells, row after row. The first cell of each row is a time in seconds. */
  readonly cells: Float64Array
  /** The start of the series, in seconds. */
  readonly origin: number
}

/**
 * Returns the range of deltaTimes of a draft, including those of points that may be moved. The draft must have
 * rows, in ascending order.
 */
export function getTimeRange({ cells, columns, origin }: DraftRows): { from: number; to: number } {
  const width = columns.length + 1
  return {
    from: roundToMicroseconds(cells[0]! - origin),
    to: roundToMicroseconds(cells[cells.length - width]! - origin) + maxPointsPerTime * timeStep
  }
}

/**
 * Separates new points from stored ones. `stored`: the points within {@link getTimeRange}, with cells in the
 * order of `layout`. A point whose time has another value is moved to the next free microsecond, of 1000 at
 * most; beyond, it counts as unfit.
 */
export function comparePoints(
  rows: DraftRows,
  plan: ColumnPlan,
  stored: readonly Row[],
  layout: readonly string[]
): PointComparison {
  const { cells, columns, origin } = rows
  const width = columns.length + 1
  const places = columns.map(name => layout.indexOf(name) + 1)
  const checks = columns.map(name => plan.get(name))
  const required = [...plan.values()]
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => columns.indexOf(name))
  // Apps that send data live often omit durations, which the file of the same data has.
  const duration = columns.indexOf('duration')
  // The maps are created on demand: most drafts are entirely new, or entirely stored in the same order.
  let storedByTime: Map<number, Row> | undefined
  let added: Map<number, Row> | undefined
  const result = { fresh: [] as Row[], known: [] as number[], twice: 0, unfit: 0, early: 0 }
  for (let at = 0, next = 0; at < cells.length; at += width) {
    const deltaTime = roundToMicroseconds(cells[at]! - origin)
    while (next < stored.length && stored[next]![0] < deltaTime) next++
    if (stored[next]?.[0] === deltaTime && isSame(stored[next]!, cells, at, places, duration)) {
      result.known.push(deltaTime)
      continue
    }
    const values = readCells(cells, at, checks)
    if (!values || required.some(index => index < 0 || values[index] === null)) result.unfit++
    else if (deltaTime < 0) result.early++
    else addPoint(deltaTime, values)
  }
  result.fresh.sort((a, b) => a[0] - b[0])
  return result

  /** Adds a point at the first free time, unless it exists. */
  function addPoint(from: number, values: readonly (number | null)[]): void {
    const last = result.fresh.at(-1)
    if (!added && stored.length === 0 && (!last || from > last[0])) {
      result.fresh.push([from, ...values])
      return
    }
    added ??= new Map(result.fresh.map(row => [row[0], row]))
    storedByTime ??= new Map(stored.map(row => [row[0], row]))
    for (let step = 0; step < maxPointsPerTime; step++) {
      const time = step === 0 ? from : roundToMicroseconds(from + step * timeStep)
      const known = storedByTime.get(time)
      if (known) {
        if (
          values.every(
            (cell, index) =>
              cell === getCell(known, places[index]!) ||
              (index === duration && getCell(known, places[index]!) === null)
          )
        ) {
          result.known.push(time)
          return
        }
        continue
      }
      const other = added.get(time)
      if (other) {
        if (values.every((cell, index) => cell === other[index + 1])) {
          result.twice++
          return
        }
        continue
      }
      const row: Row = [time, ...values]
      added.set(time, row)
      result.fresh.push(row)
      return
    }
    result.unfit++
  }
}

/** Returns true if a stored row has the cells of a row of the draft. A stored row without a duration has any. */
function isSame(
  row: Row,
  cells: Float64Array,
  at: number,
  places: readonly number[],
  duration: number
): boolean {
  for (let index = 0; index < places.length; index++) {
    const cell = cells[at + 1 + index]!
    const value = getCell(row, places[index]!)
    if (value === null ? index !== duration && !Number.isNaN(cell) : value !== cell) return false
  }
  return true
}

/** Returns a cell of a stored row; `null` if it is empty, or its column does not exist. */
function getCell(row: Row, place: number): unknown {
  return place === 0 ? null : (row[place] ?? null)
}

/** Returns the cells of a row after its time; `undefined` if a cell does not conform to its column. */
function readCells(
  cells: Float64Array,
  at: number,
  checks: readonly (Column | undefined)[]
): (number | null)[] | undefined {
  const values: (number | null)[] = []
  for (let index = 0; index < checks.length; index++) {
    const cell = cells[at + 1 + index]!
    const column = checks[index]
    if (Number.isNaN(cell)) values.push(null)
    else if (column && (column.isAnyNumber || column.value(cell) === cell)) values.push(cell)
    else return undefined
  }
  return values
}

/** Splits a draft into two with half of the rows each. */
export function splitDraft(draft: PointsDraft): PointsDraft[] {
  const width = draft.columns.length + 1
  const middle = Math.floor(draft.cells.length / width / 2) * width
  return [
    { ...draft, cells: draft.cells.subarray(0, middle) },
    { ...draft, cells: draft.cells.subarray(middle) }
  ]
}

/** Returns rows to write without the columns of a draft in which none has a value. */
export function omitEmptyColumns(
  columns: readonly string[],
  rows: readonly Row[]
): { columns: string[]; rows: Row[] } {
  const used = columns.flatMap((_name, index) => (rows.some(row => row[index + 1] !== null) ? [index] : []))
  return {
    columns: used.map(index => columns[index]!),
    rows: rows.map(row => [row[0], ...used.map(index => row[index + 1])] as Row)
  }
}
