/** The texts of the next events of a lane, copied as they are: the quickest way through a list. */
import type { EventFile } from './file.js'
import { bodies, matchingBodies } from './lanes.js'
import type { LaneRest } from './merge.js'
import type { Order } from './position.js'
import type { EventQuery } from './query.js'
import type { RowFilter } from './row-filter.js'
import { streamMap, tooFew } from './stream-map.js'

export interface Copied {
  readonly text: string
  /** Number of events. */
  readonly rows: number
  /** By how much the text's bytes outnumber its characters. */
  readonly excess: number
  /** Events that were to be copied at most; fewer than that are all that there are. */
  readonly limit: number
}

/** Copies `limit` events at most, fewer if that many do not fit a page; `undefined` if one of them is large. */
export function copy(
  file: EventFile,
  { lane, stretches }: LaneRest,
  order: Order,
  limit: number
): Copied | undefined {
  const { db, fit } = file
  let [text, rows, bytes, excess] = ['', 0, 0, 0]
  for (const stretch of stretches) {
    const part = bodies(db, lane, order, stretch, limit - rows)
    if (!part) return undefined
    rows += part.count
    bytes += part.bytes
    if (part.text === undefined) {
      fit.note(rows, bytes)
      return copy(file, { lane, stretches }, order, Math.min(limit, fit.rows))
    }
    if (part.count > 0) text += text === '' ? part.text : `,${part.text}`
    excess += part.bytes - part.text.length
    if (rows === limit) break
  }
  if (rows === limit) fit.note(rows, bytes)
  return { text, rows, excess, limit }
}

/** Events that are looked for among the first rows of a lane at most. */
const fewEvents = 100

/**
 * Copies `limit` events that match, if so many are among the next `examined` rows of a lane and none of them is large;
 * `undefined` if not: nothing is known then.
 */
export function copyMatching(
  { db }: EventFile,
  query: EventQuery,
  { lane, stretches: [stretch, ...others] }: LaneRest,
  filter: RowFilter,
  limit: number,
  examined: number
): Copied | undefined {
  if (!stretch || others.length > 0 || limit > fewEvents) return undefined
  if (filter.modifiedAfter !== -Infinity || filter.endFrom !== -Infinity) return undefined
  const map = streamMap(query)
  if (!map) return undefined
  const found = matchingBodies(db, lane, query.order, stretch, { filter, map }, examined, limit)
  if (found && found.count < limit) tooFew(query)
  if (!found || found.count < limit || found.text === undefined) return undefined
  return { text: found.text, rows: limit, excess: found.bytes - found.text.length, limit }
}
