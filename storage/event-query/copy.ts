/** The texts of the next events of a lane, copied as they are: the quickest way through a list. */
import type { EventFile } from './file.js'
import { bodies } from './lanes.js'
import type { LaneRest } from './merge.js'
import type { Order } from './position.js'

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
