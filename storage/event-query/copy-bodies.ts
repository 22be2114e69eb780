/** The texts of the next events of a lane, copied as they are: the quickest way through a list. */
import type { EventFile } from './event-file.js'
import { readBodies, readMatchingBodies } from './lanes.js'
import type { LaneRemainder } from './merge.js'
import type { Order } from './position.js'
import type { EventQuery } from './query.js'
import type { RowFilter } from './row-filter.js'
import { getStreamMap, pauseStreamMap } from './stream-map.js'

export interface CopiedPage {
  readonly text: string
  /** Number of events. */
  readonly rows: number
  /** By how much the text's bytes outnumber its characters. */
  readonly excess: number
  /** Events that were to be copied at most; fewer than that are all that there are. */
  readonly limit: number
}

/** Copies `limit` events at most, fewer if that many do not fit a page; `undefined` if one of them is large. */
export function copyBodies(
  file: EventFile,
  { lane, ranges }: LaneRemainder,
  order: Order,
  limit: number
): CopiedPage | undefined {
  const { db, sizeEstimate } = file
  let [text, rows, bytes, excess] = ['', 0, 0, 0]
  for (const range of ranges) {
    const part = readBodies(db, lane, order, range, limit - rows)
    if (!part) return undefined
    rows += part.count
    bytes += part.bytes
    if (part.text === undefined) {
      sizeEstimate.record(rows, bytes)
      return copyBodies(file, { lane, ranges }, order, Math.min(limit, sizeEstimate.rows))
    }
    if (part.count > 0) text += text === '' ? part.text : `,${part.text}`
    excess += part.bytes - part.text.length
    if (rows === limit) break
  }
  if (rows === limit) sizeEstimate.record(rows, bytes)
  return { text, rows, excess, limit }
}

/** Events that are looked for among the first rows of a lane at most. */
const maxMatchesCopied = 100

/**
 * Copies `limit` events that match, if so many are among the next `examined` rows of a lane and none of them is large;
 * `undefined` if not: nothing is known then.
 */
export function copyMatchingBodies(
  { db }: EventFile,
  query: EventQuery,
  { lane, ranges: [range, ...others] }: LaneRemainder,
  filter: RowFilter,
  limit: number,
  examined: number
): CopiedPage | undefined {
  if (!range || others.length > 0 || limit > maxMatchesCopied) return undefined
  if (filter.modifiedAfter !== -Infinity || filter.endFrom !== -Infinity) return undefined
  const map = getStreamMap(query)
  if (!map) return undefined
  const found = readMatchingBodies(db, lane, query.order, range, { filter, map }, examined, limit)
  if (found && found.count < limit) pauseStreamMap(query)
  if (!found || found.count < limit || found.text === undefined) return undefined
  return { text: found.text, rows: limit, excess: found.bytes - found.text.length, limit }
}
