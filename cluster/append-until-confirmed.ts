/** Appends a record whatever the engine answers: until it is there, or certain never to be. */
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import { decode } from './records.js'

/** A record on its way. */
export interface AppendOptions {
  readonly log: Pick<Log, 'append' | 'last' | 'read'>
  readonly subject: string
  /** Sequence of the record before it. */
  readonly expected: number
  /** No other record has the same bytes. */
  readonly bytes: Buffer
  /** Whether nobody wants it any more. */
  readonly isCancelled: () => boolean
}

/** Another process has written in its place: the record is certain never to be there. */
export class Refused extends Conflict {
  constructor(what: string) {
    super(what)
    this.name = 'Refused'
  }
}

/** First and longest time between two questions, in milliseconds. */
const [firstPauseMs, maxPauseMs] = [20, 500]

/**
 * Appends a record, as often as it takes. Returns its sequence. Rejects with {@link Refused} if another process writes, with
 * `Conflict` if one does and nobody can say whether this record came first, with `EngineUnavailable` if it is over.
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

/** The sequence of a record that may have arrived; `undefined` if it has not. */
async function findAppended(options: AppendOptions): Promise<number | undefined> {
  const { bytes, expected, log, subject } = options
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      const last = await log.last(subject)
      if (last && bytes.equals(last.bytes)) return last.sequence
      // An older end is told by a server that is cut off, or whose copy is damaged: the next append is refused there.
      if ((last?.sequence ?? 0) <= expected) return undefined
      return await readNext(options)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
    await waitBeforeRetry(options, pauseMs)
  }
}

/** The sequence of a record that another process has written behind, or instead of. */
async function readNext({ bytes, expected, log, subject }: AppendOptions): Promise<number> {
  const [next] = await log.read(subject, expected + 1, 1)
  if (next && bytes.equals(next.bytes)) return next.sequence
  throw next && isBehind(next.bytes, expected) ? new Refused(subject) : new Conflict(subject)
}

/** Whether a record comes directly behind another one: records in between may have been replaced by a snapshot. */
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
