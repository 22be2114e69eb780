/** Searches lanes step by step, with one or a few statements each. */
import type { Database } from 'better-sqlite3'
import type { EventFile } from './event-file.js'
import { countRows, readKeys, readMatchingKeys } from './lanes.js'
import { LaneMerge, type LaneRemainder } from './merge.js'
import type { Key, Order } from './position.js'
import { findPassingNumbers, type RowFilter } from './row-filter.js'

/** The result of one step. */
export interface SearchResult {
  readonly keys: readonly Key[]
  /** Scan position; absent when the scan is complete. */
  readonly position: Key | undefined
  /** Number of examined rows, if some of the rows did not pass. */
  readonly examined: number
}

/** Maximum number of rows that one step examines. */
const maxStepRows = 1000

/** Returns the next rows of all these lanes. */
export function collectKeys(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  limit: number
): SearchResult {
  const merge = new LaneMerge(file, order, lanes, limit)
  const taken = merge.take(limit)
  const position = merge.isDone ? undefined : taken.at(-1)
  return { keys: taken, position, examined: merge.examined }
}

/** Returns which of the next rows pass a filter, among about `maxRows` rows. */
export function searchLanes(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  filter: RowFilter,
  limit: number,
  maxRows = maxStepRows
): SearchResult {
  return lanes.length === 1
    ? searchLane(file, lanes[0]!, order, filter, limit, maxRows)
    : searchMergedLanes(file, lanes, order, filter, limit)
}

/** Returns the key `offset` rows ahead in a lane; `undefined` beyond its end. */
export function findKeyAt(
  db: Database,
  { lane, ranges }: LaneRemainder,
  order: Order,
  offset: number
): Key | undefined {
  let skipped = 0
  for (const range of ranges) {
    const [key] = readKeys(db, lane, order, range, 1, offset - skipped)
    if (key) return key
    if (range !== ranges.at(-1)) skipped += countRows(db, lane, order, range, offset)
  }
  return undefined
}

/**
 * Searches one lane for up to `limit` matching events, examining at most `maxRows` rows and no more than the budget
 * allows. `position`: where to continue; `undefined` at the end.
 */
function searchLane(
  { db }: EventFile,
  { lane, ranges }: LaneRemainder,
  order: Order,
  filter: RowFilter,
  limit: number,
  maxRows: number
): SearchResult {
  const found: Key[] = []
  for (const range of ranges) {
    const wanted = limit - found.length
    const { found: more, rows } = filter.budget.runWithinBudget(maxRows, allowed =>
      readMatchingKeys(db, lane, order, range, filter, allowed, wanted)
    )
    found.push(...more)
    if (more.length === wanted) return { keys: found, position: more.at(-1), examined: 0 }
    const edge = findKeyAt(db, { lane, ranges: [range] }, order, rows - 1)
    if (edge) return { keys: found, position: edge, examined: rows }
  }
  return { keys: found, position: undefined, examined: maxRows }
}

/**
 * Searches several lanes in the order of their merged events, in growing steps, until `limit` events match or the
 * budget is used up. `position`: where to continue; `undefined` at the end.
 */
function searchMergedLanes(
  file: EventFile,
  lanes: readonly LaneRemainder[],
  order: Order,
  filter: RowFilter,
  limit: number
): SearchResult {
  const { budget } = filter
  const merge = new LaneMerge(file, order, lanes, Math.min(2 * limit, budget.rows))
  const found: Key[] = []
  let examined = 0
  for (let size = Math.min(2 * limit, maxStepRows); ; size = Math.min(2 * size, maxStepRows)) {
    const wanted = Math.min(size, budget.rows)
    const candidates = merge.take(wanted)
    const numbers = candidates.map(({ number }) => number)
    const { tested, pass } = findPassingNumbers(file.db, filter, numbers)
    examined += tested
    const position = candidates[tested - 1]
    for (const key of candidates.slice(0, tested)) {
      if (!pass.has(key.number)) continue
      found.push(key)
      if (found.length === limit) return { keys: found, position: key, examined: merge.examined }
    }
    const isAll = tested === candidates.length
    if (isAll && merge.isDone) return { keys: found, position: undefined, examined }
    const isEnough = !isAll || examined >= maxStepRows || budget.isExhausted || merge.isExhausted
    if (isEnough) return { keys: found, position, examined: examined + merge.examined }
  }
}
