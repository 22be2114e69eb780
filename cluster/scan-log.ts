/** Scans the log of an account, as far as it can be read, to continue it from another file. */
import type { Position } from '../storage/wal/position.js'
import type { Entry, Log } from './engine.js'
import { decode, noBase, RecordTooNew, type Base, type LogRecord } from './records.js'

export interface ScannedEnd extends Position {
  readonly sequence: number
  /** Number of records that cannot be read. */
  readonly damaged: number
}

/** The result of scanning a log to its end; all numbers are 0 if there is no log. */
export interface LogScan {
  readonly end: ScannedEnd
  /** The base of its last readable record. */
  readonly base: Base
  /** True if the account has been deleted. */
  readonly isDeleted: boolean
}

/** Number of records read at once. */
const pageRecords = 64
/**
 * Maximum number of commits that unreadable records may have held, plus commits that another node may make in the meantime:
 * the snapshot must not take the position of any of these commits.
 */
const maxUnknownCommits = 1_000_000

/**
 * Reads the records of an account from a sequence on, one page at a time: a log may be long. Rejects with
 * `EngineUnavailable`.
 */
export async function* readEntries(
  log: Pick<Log, 'read'>,
  subject: string,
  first = 0
): AsyncGenerator<Entry, void> {
  for (let from = first; ;) {
    const entries = await log.read(subject, from, pageRecords)
    const last = entries.at(-1)
    if (!last) return
    yield* entries
    from = last.sequence + 1
  }
}

/** Scans a log to its end. Rejects with `EngineUnavailable`, and with `RecordTooNew`, which is not treated as damaged. */
export async function scanLog(log: Pick<Log, 'read'>, subject: string): Promise<LogScan> {
  let [base, sequence, lsn, epoch, damaged] = [noBase, 0, 0, 0, 0]
  let isDeleted = false
  for await (const entry of readEntries(log, subject)) {
    sequence = entry.sequence
    const record = tryDecode(entry)
    if (record) {
      base = record.base
      lsn = Math.max(lsn, record.position.lsn)
      epoch = Math.max(epoch, record.epoch)
      isDeleted = record.kind === 'deleted'
    } else damaged++
  }
  return { end: { sequence, lsn, epoch, damaged }, base, isDeleted }
}

/** Returns a position that no commit ever had, after the end of a log and after that of a copy. */
export function createPositionAfter(end: ScannedEnd, copy: Position = { lsn: 0, epoch: 0 }): Position {
  return {
    lsn: Math.max(copy.lsn, end.lsn) + 1 + maxUnknownCommits,
    epoch: Math.max(copy.epoch, end.epoch) + 1 + end.damaged
  }
}

/** Decodes a record; `undefined` if it cannot be read. Throws `RecordTooNew`. */
function tryDecode({ bytes }: Entry): LogRecord | undefined {
  try {
    return decode(bytes)
  } catch (error) {
    if (error instanceof RecordTooNew) throw error
    return undefined
  }
}
