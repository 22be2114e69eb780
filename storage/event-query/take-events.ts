/** Takes the events that a query has found, up to its limit and the size of the page. */
import { joinBodies } from './bodies.js'
import type { EventFile } from './event-file.js'
import type { Key } from './position.js'
import type { EventQuery } from './query.js'

/** What a query still has to do, and the page that it fills. */
interface TakeOptions {
  /** Number of events to skip, and number of events to take after that. */
  readonly skip: number
  readonly remaining: number
  /** Number of bytes that the page already holds. */
  readonly heldBytes: number
  readonly present: EventQuery['present']
}

export interface TakenEvents {
  readonly text: string
  readonly count: number
  /** Number of events skipped. */
  readonly skipped: number
  /** True if the page has no room for the next event; `stoppedAt` is then the last event that it took. */
  readonly isFull: boolean
  readonly stoppedAt: Key | undefined
}

/** Skips events, reads the texts of the next events, and stops at the limit or when the page is full. */
export function takeEvents(
  { db, sizeEstimate, large }: EventFile,
  found: readonly Key[],
  { heldBytes, remaining, present, skip }: TakeOptions
): TakenEvents {
  const skipped = Math.min(skip, found.length)
  const wanted = found.slice(skipped, skipped + remaining)
  const numbers = wanted.map(({ number }) => number)
  const { text, taken } = joinBodies(db, sizeEstimate, numbers, large.mayExist, present, heldBytes)
  const isFull = taken < wanted.length
  const stoppedAt = isFull ? found[skipped + taken - 1] : undefined
  return { text, count: taken, skipped, isFull, stoppedAt }
}
