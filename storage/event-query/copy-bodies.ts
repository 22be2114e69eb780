/** Copies the texts of the next events of a lane as they are stored: the fastest way through a list. */
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
  /** How many bytes the text has beyond its number of characters. */
  readonly excess: number
  /** Maximum number of events to copy; if `rows` is less, the end was reached. */
  readonly limit: number
}

/** Copies at most `limit` events, fewer if they do not fit a page; `undefined` if one of the events is large. */
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

/** Maximum number of events searched for among the first rows of a lane. */
const maxMatchesCopied = 100

/**
 * Copies `limit` matching events if the next `examined` rows of a lane hold that many and none of the events
 * is large. Otherwise returns `undefined`, which says nothing about the rows. If they hold fewer, the stream
 * map is not used for the next queries.
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
