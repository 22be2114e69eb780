/** Positions in lists of events, as opaque texts in links to pages. */
import { refuse } from './outcome.js'

/** Where a page continues. */
export interface Cursor {
  /** Time of the last event, in seconds, in descending order; `undefined` in ascending order. */
  readonly time: number | undefined
  /** Number of events to skip: in ascending order all events that have been read, otherwise the ones of that time. */
  readonly skip: number
}

/** Greatest number of events to skip. */
const maxSkip = 1_000_000

/** Returns a cursor as a text. */
export function formatCursor({ skip, time }: Cursor): string {
  return Buffer.from(JSON.stringify([skip, ...(time === undefined ? [] : [time])])).toString('base64url')
}

/**
 * Parses a cursor. Throws for any text that is not one of ours. Refuses a position that is too far in the
 * list.
 */
export function parseCursor(text: string): Cursor {
  const [skip, time] = parseList(text)
  const isValid =
    Number.isInteger(skip) && (skip as number) >= 0 && (time === undefined || Number.isFinite(time))
  if (!isValid) return refuse('invalid', 'The parameter "page" is not from a link of this service')
  if ((skip as number) > maxSkip)
    return refuse('too-costly', 'The list is too long. Limit the search by "date"')
  return { skip: skip as number, time: time as number | undefined }
}

function parseList(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parsed) && parsed.length <= 2 ? (parsed as unknown[]) : []
  } catch {
    return []
  }
}
