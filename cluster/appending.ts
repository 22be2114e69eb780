/** Appends a record whatever the engine answers: until it is there, or certain never to be. */
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable, type Log } from './engine.js'

/** A record on its way. */
export interface Appending {
  readonly log: Pick<Log, 'append' | 'last'>
  readonly subject: string
  /** Sequence of the record before it. */
  readonly expected: number
  /** No other record has the same bytes. */
  readonly bytes: Buffer
  /** Whether nobody wants it any more. */
  readonly isOver: () => boolean
}

/** First and longest time between two questions, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [20, 500]

/**
 * Appends a record, as often as it takes. Returns its sequence. Rejects with `Conflict` if another process writes, with
 * `EngineUnavailable` if it is over.
 */
export async function appendSurely(appending: Appending): Promise<number> {
  const { bytes, expected, log, subject } = appending
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await log.append(subject, expected, bytes)
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
    }
    const sequence = await fate(appending)
    if (sequence !== undefined) return sequence
    await pause(appending, pauseMs)
  }
}

/** The sequence of a record that may have arrived; `undefined` if it has not. */
async function fate(appending: Appending): Promise<number | undefined> {
  const { bytes, expected, log, subject } = appending
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const last = await log.last(subject)
      if (last && bytes.equals(last.bytes)) return last.sequence
      if ((last?.sequence ?? 0) === expected) return undefined
      throw new Conflict(subject)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
    await pause(appending, pauseMs)
  }
}

async function pause({ isOver }: Appending, milliseconds: number): Promise<void> {
  await wait(milliseconds, undefined, { ref: false })
  if (isOver()) throw new EngineUnavailable()
}
