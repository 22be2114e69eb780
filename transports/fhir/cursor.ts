/** Positions in lists of events, as opaque texts in links to pages. */
import { refuse } from './outcome.js'

/** Where a page continues. */
export interface Cursor {
  /** Time of the last event, in seconds, in descending order; `undefined` in ascending order. */
  readonly time: number | undefined
  /** Number of events to skip: in ascending order all events that have been read, otherwise the ones of that time. */
  readonly skip: number
  /** Among data points, the last item that has been read. */
  readonly last?: Place | undefined
}

/** The place of an item among events and data points. */
export interface Place {
  /** Seconds. */
  readonly time: number
  /** The id of a point; empty for an event, which comes before the points of its time. */
  readonly pointId: string
}

/** Greatest number of events to skip. */
const maxSkip = 1_000_000

/** Returns a cursor as a text. */
export function formatCursor({ last, skip, time }: Cursor): string {
  const place = last ? [last.time, last.pointId] : []
  const own = time === undefined && !last ? [] : [time ?? null]
  return Buffer.from(JSON.stringify([skip, ...own, ...place])).toString('base64url')
}

/**
 * Parses a cursor. Throws for any text that is not one of ours. Refuses a position that is too far in the
 * list.
 */
export function parseCursor(text: string): Cursor {
  const [skip, time = null, lastTime, pointId] = parseList(text)
  const isPlace = lastTime === undefined || (isTime(lastTime) && typeof pointId === 'string')
  const isValid =
    Number.isInteger(skip) && (skip as number) >= 0 && (time === null || isTime(time)) && isPlace
  if (!isValid) return refuse('invalid', 'The parameter "page" is not from a link of this service')
  if ((skip as number) > maxSkip)
    return refuse('too-costly', 'The list is too long. Limit the search by "date"')
  return {
    skip: skip as number,
    time: time === null ? undefined : (time as number),
    last: lastTime === undefined ? undefined : { time: lastTime as number, pointId: pointId as string }
  }
}

function isTime(value: unknown): boolean {
  return Number.isFinite(value)
}

function parseList(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parsed) && parsed.length <= 4 ? (parsed as unknown[]) : []
  } catch {
    return []
  }
}
