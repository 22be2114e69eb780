/** Positions in lists of events, as opaque texts in links to pages. */
import type { Position } from '../event-positions.js'
import { refuse } from './outcome.js'

/** Where a page continues. */
export interface Cursor extends Position {
  /** Among data points, the last item that has been read. */
  readonly place?: Place | undefined
}

/** The place of an item among events and data points. */
export interface Place {
  /** Seconds. */
  readonly time: number
  /** The id of a point; empty for an event, which comes before the points of its time. */
  readonly pointId: string
}

/** Where a page of several lists continues: in which of them, and where in that; `undefined`: at its beginning. */
export interface PartCursor {
  readonly part: number
  readonly cursor?: string | undefined
}

/** Greatest number of events to skip. */
const maxSkip = 1_000_000

/** Returns a cursor as a text. */
export function formatCursor({ last, place, skip }: Cursor): string {
  const parts = [skip, place?.time, place?.pointId, last?.time, last?.id]
  return Buffer.from(JSON.stringify(parts.map(part => part ?? null))).toString('base64url')
}

/**
 * Parses a cursor. Throws for any text that is not one of ours. Refuses a position that is too far in the
 * list.
 */
export function parseCursor(text: string): Cursor {
  const [skip, ...others] = parseList(text)
  const [place, last] = [others.slice(0, 2), others.slice(2)]
  const isValid =
    Number.isInteger(skip) &&
    (skip as number) >= 0 &&
    [place, last].every(([at, id]) =>
      at === undefined ? id === undefined : isTime(at) && typeof id === 'string'
    )
  if (!isValid) return refuseCursor()
  if ((skip as number) > maxSkip)
    return refuse('too-costly', 'The list is too long. Limit the search by "date"')
  return {
    skip: skip as number,
    place: place[0] === undefined ? undefined : { time: place[0] as number, pointId: place[1] as string },
    last: last[0] === undefined ? undefined : { time: last[0] as number, id: last[1] as string }
  }
}

/** Returns a position in several lists as a text. */
export function formatPartCursor({ cursor = '', part }: PartCursor): string {
  return `${part}.${cursor}`
}

/** Parses a position in so many lists. Throws for any text that is not one of ours. */
export function parsePartCursor(text: string, parts: number): PartCursor {
  const [, part, cursor] = /^(\d)\.(.*)$/s.exec(text) ?? []
  if (part === undefined || Number(part) >= parts) return refuseCursor()
  return { part: Number(part), cursor: cursor === '' ? undefined : cursor }
}

function refuseCursor(): never {
  return refuse('invalid', 'The parameter "page" is not from a link of this service')
}

function isTime(value: unknown): boolean {
  return Number.isFinite(value)
}

function parseList(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parsed) && parsed.length <= 5
      ? parsed.map(part => (part as unknown) ?? undefined)
      : []
  } catch {
    return []
  }
}
