/** Takes what a query has found, as far as it is wanted and fits the page. */
import { joinBodies } from './bodies.js'
import type { EventFile } from './event-file.js'
import type { Key } from './position.js'
import type { EventQuery } from './query.js'

/** What a query still has to do, and the page that it fills. */
export interface TakeOptions {
  /** Events to skip, and events to take after that. */
  readonly skip: number
  readonly remaining: number
  /** Bytes that the page holds already. */
  readonly heldBytes: number
  readonly present: EventQuery['present']
}

export interface TakenEvents {
  readonly text: string
  readonly count: number
  /** How many events of those found have been skipped. */
  readonly skipped: number
  /** Whether the page has no room for the rest; `stoppedAt`: the last event that it took then. */
  readonly isFull: boolean
  readonly stoppedAt: Key | undefined
}

/** Skips, reads the texts, and stops at the limit or when the page is full. */
export function takeEvents(
  { db, sizeEstimate: fit, large }: EventFile,
  found: readonly Key[],
  { heldBytes, remaining, present, skip }: TakeOptions
): TakenEvents {
  const skipped = Math.min(skip, found.length)
  const wanted = found.slice(skipped, skipped + remaining)
  const numbers = wanted.map(({ number }) => number)
  const { text, taken } = joinBodies(db, fit, numbers, large.mayExist, present, heldBytes)
  const isFull = taken < wanted.length
  const stoppedAt = isFull ? found[skipped + taken - 1] : undefined
  return { text, count: taken, skipped, isFull, stoppedAt }
}
