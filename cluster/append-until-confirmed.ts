/**
 * Appends a record, with retries, until the append is confirmed or it is certain that the record will never be written.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import { decode } from './records.js'

/** A record to append. */
export interface AppendOptions {
  readonly log: Pick<Log, 'append' | 'last' | 'read'>
  readonly subject: string
  /** Sequence of the record after which the new record is appended. */
  readonly expected: number
  /** No other record has the same bytes. */
  readonly bytes: Buffer
  /** Returns true once the caller has cancelled. */
  readonly isCancelled: () => boolean
}

/** Another process has written in its place: the record will never be in the log. */
export class Refused extends Conflict {
  constructor(what: string) {
    super(what)
    this.name = 'Refused'
  }
}

/** First and longest time between two attempts, in milliseconds. */
const [firstPauseMs, maxPauseMs] = [20, 500]

/**
 * Appends a record, retrying as often as needed. Returns its sequence. Rejects with {@link Refused} if another process
 * writes, with `Conflict` if another process writes and it is unknown whether this record was first, with
 * `EngineUnavailable` if cancelled.
 */
export async function appendUntilConfirmed(options: AppendOptions): Promise<number> {
  const { bytes, expected, log, subject } = options
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      return await log.append(subject, expected, bytes)
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
    }
    const sequence = await findAppended(options)
    if (sequence !== undefined) return sequence
    await waitBeforeRetry(options, pauseMs)
  }
}

/** Returns the sequence of a record that may have been appended; `undefined` if the log does not contain it. */
async function findAppended(options: AppendOptions): Promise<number | undefined> {
  const { bytes, expected, log, subject } = options
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      const last = await log.last(subject)
      if (last && bytes.equals(last.bytes)) return last.sequence
      // A server that is disconnected, or whose copy is damaged, returns an older end: the next append is refused
      // there.
      if ((last?.sequence ?? 0) <= expected) return undefined
      return await readNext(options)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
    await waitBeforeRetry(options, pauseMs)
  }
}

/**
 * Returns the sequence of the record, even if another process has written after it. Throws if another process's record
 * was written in its place.
 */
async function readNext({ bytes, expected, log, subject }: AppendOptions): Promise<number> {
  const [next] = await log.read(subject, expected + 1, 1)
  if (next && bytes.equals(next.bytes)) return next.sequence
  throw next && isBehind(next.bytes, expected) ? new Refused(subject) : new Conflict(subject)
}

/**
 * Returns whether a record directly follows the record with the sequence `expected`: records in between may have been
 * replaced by a snapshot.
 */
function isBehind(bytes: Uint8Array, expected: number): boolean {
  try {
    return decode(bytes).previous === expected
  } catch {
    return false
  }
}

async function waitBeforeRetry({ isCancelled }: AppendOptions, milliseconds: number): Promise<void> {
  await wait(milliseconds, undefined, { ref: false })
  if (isCancelled()) throw new EngineUnavailable()
}
