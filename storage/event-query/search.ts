/** Reads lanes step by step: what one statement, or a few, find of them. */
import type { Database } from 'better-sqlite3'
import type { EventFile } from './file.js'
import { countRows, readKeys, readMatchingKeys } from './lanes.js'
import { LaneMerge, type LaneRemainder } from './merge.js'
import type { Key, Order } from './position.js'
import { passing, type RowFilter } from './row-filter.js'

/** What one step has found. */
export interface Found {
  readonly keys: readonly Key[]
  /** Up to where all has been looked at; absent at the end. */
  readonly position: Key | undefined
  /** Rows looked at, where some of them did not pass. */
  readonly examined: number
}

/** Rows that one step looks at. */
export const stepRows = 1000

/** The next rows of all these lanes. */
export function collect(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  limit: number
): Found {
  const merge = new LaneMerge(file, order, lanes, limit)
  const taken = merge.take(limit)
  const position = merge.isDone ? undefined : taken.at(-1)
  return { keys: taken, position, examined: merge.examined }
}

/** Those of the next rows that pass a filter; of about `rows` rows at most. */
export function search(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  filter: RowFilter,
  limit: number,
  rows = stepRows
): Found {
  return lanes.length === 1
    ? searchOne(file, lanes[0]!, order, filter, limit, rows)
    : searchMany(file, lanes, order, filter, limit)
}

/** The key so many rows on in a lane; `undefined` beyond its end. */
export function keyAt(
  db: Database,
  { lane, ranges }: LaneRemainder,
  order: Order,
  offset: number
): Key | undefined {
  let passed = 0
  for (const range of ranges) {
    const [key] = readKeys(db, lane, order, range, 1, offset - passed)
    if (key) return key
    if (range !== ranges.at(-1)) passed += countRows(db, lane, order, range, offset)
  }
  return undefined
}

function searchOne(
  { db }: EventFile,
  { lane, ranges }: LaneRemainder,
  order: Order,
  filter: RowFilter,
  limit: number,
  rows: number
): Found {
  const found: Key[] = []
  for (const range of ranges) {
    const wanted = limit - found.length
    const { found: more, rows: looked } = filter.effort.runWithinBudget(rows, most =>
      readMatchingKeys(db, lane, order, range, filter, most, wanted)
    )
    found.push(...more)
    if (more.length === wanted) return { keys: found, position: more.at(-1), examined: 0 }
    const edge = keyAt(db, { lane, ranges: [range] }, order, looked - 1)
    if (edge) return { keys: found, position: edge, examined: looked }
  }
  return { keys: found, position: undefined, examined: rows }
}

function searchMany(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  filter: RowFilter,
  limit: number
): Found {
  const { effort } = filter
  const merge = new LaneMerge(file, order, lanes, Math.min(2 * limit, effort.rows))
  const found: Key[] = []
  let examined = 0
  for (let size = Math.min(2 * limit, stepRows); ; size = Math.min(2 * size, stepRows)) {
    const wanted = Math.min(size, effort.rows)
    const candidates = merge.take(wanted)
    const numbers = candidates.map(({ number }) => number)
    const { looked, pass } = passing(file.db, filter, numbers)
    examined += looked
    const position = candidates[looked - 1]
    for (const key of candidates.slice(0, looked)) {
      if (!pass.has(key.number)) continue
      found.push(key)
      if (found.length === limit) return { keys: found, position: key, examined: merge.examined }
    }
    const isAll = looked === candidates.length
    if (isAll && merge.isDone) return { keys: found, position: undefined, examined }
    const isEnough = !isAll || examined >= stepRows || effort.isExhausted || merge.isExhausted
    if (isEnough) return { keys: found, position, examined: examined + merge.examined }
  }
}
