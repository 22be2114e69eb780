/** Claims an account by appending a record after the last one, so that no previous writer can append any more. */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../storage/errors.js'
import type { Position } from '../storage/wal/position.js'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import type { LogEnd } from './outbox.js'
import { decode, encode, noBase, type LogRecord } from './records.js'

export interface ClaimOptions {
  readonly log: Pick<Log, 'append' | 'last'>
  readonly subject: string
  /** Position of the local file; `undefined` without a local file. */
  readonly found: Position | undefined
  /** Returns whether the log is known to be complete where it is read from. Called if the local file suggests otherwise. */
  readonly isLogComplete: () => Promise<boolean>
  /** Begins an empty log. By default, the first record of a commit begins it. */
  readonly begin?: () => Promise<LogEnd>
}

/** The account has been deleted. */
export class LogEnded extends StoreUnavailable {
  constructor() {
    super('The account has been deleted')
    this.name = 'LogEnded'
  }
}

/** Time between two attempts, in milliseconds. */
const pauseMs = 20

/**
 * Appends a record of this process, retrying as often as needed. Resolves with the end of the log before that
 * record. Rejects with {@link LogEnded}; with `StoreUnavailable` if the log lacks records that are known to
 * have been in it, or cannot be reached within `timeoutMs` milliseconds (by default on the first attempt);
 * with `RecordDamaged` or `RecordTooNew` if the last record cannot be read. To an empty log it appends
 * nothing unless `begin` is given, which begins it.
 */
export async function claimLog(options: ClaimOptions, timeoutMs = 0): Promise<LogEnd> {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    try {
      return await claimOnce(options)
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
      if (performance.now() > endMs)
        throw new StoreUnavailable('The log of the account is unreachable', error)
    }
    await wait(pauseMs, undefined, { ref: false })
  }
}

/** Makes one attempt of {@link claimLog}. */
async function claimOnce({ begin, found, isLogComplete, log, subject }: ClaimOptions): Promise<LogEnd> {
  const writer = randomInt(2 ** 32)
  const last = await log.last(subject)
  if (!last) {
    // Beginning a new log with an old file would lose acknowledged commits. A first commit alone may never have reached
    // the log.
    if (found && (found.lsn > 1 || !(await isLogComplete())))
      throw new StoreUnavailable('The log of the account is missing')
    if (begin) return await begin()
    // The first record claims it.
    return { sequence: 0, position: { lsn: 0, epoch: 0 }, epoch: 1, base: noBase, writer }
  }
  const { epoch: former, kind, position, base: before } = decode(last.bytes)
  if (kind === 'deleted') throw new LogEnded()
  // Either the file holds commits that never reached the log, or the log was read from a copy without its last records.
  if (found && found.lsn > position.lsn && !(await isLogComplete()))
    throw new StoreUnavailable('The log of the account may lack its last records where it is read from')
  const epoch = former + 1
  const base = { ...before, bytes: before.bytes + last.bytes.length }
  const record: LogRecord = {
    kind: 'takeover',
    epoch,
    position,
    previous: last.sequence,
    base,
    writer,
    commits: [],
    isContinued: false
  }
  const bytes = await encode(record)
  const sequence = await log.append(subject, last.sequence, bytes)
  return { sequence, position, epoch, base: { ...base, bytes: base.bytes + bytes.length }, writer }
}
