/** Where the log of an account ends that an operator has go on from another file, as far as the log can be read. */
import type { Position } from '../storage/wal/position.js'
import type { Entry, Log } from './engine.js'
import { decode, noBase, RecordTooNew, type Base, type LogRecord } from './records.js'

export interface ScannedEnd extends Position {
  readonly sequence: number
  /** Records that cannot be read. */
  readonly damaged: number
}

/** What a log that was read to its end says; zeros if there is none. */
export interface LogScan {
  readonly end: ScannedEnd
  /** What its last record that can be read builds on. */
  readonly base: Base
  /** Whether it says that its account has been deleted. */
  readonly isDeleted: boolean
}

/** Records that are read at once. */
const pageRecords = 64
/**
 * Commits that records which cannot be read may have held, and that another node may make meanwhile, at most: the snapshot must
 * not take the place of one of theirs.
 */
const maxUnknownCommits = 1_000_000

/**
 * The records of an account from a sequence on. No more are kept than are read at once: a log may be long. Rejects with
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

/** Reads a log to its end. Rejects with `EngineUnavailable`, and with `RecordTooNew`: what that holds is not damaged. */
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

/** A position that no commit ever had, behind the end of a log and behind that of a copy. */
export function createPositionAfter(end: ScannedEnd, copy: Position = { lsn: 0, epoch: 0 }): Position {
  return {
    lsn: Math.max(copy.lsn, end.lsn) + 1 + maxUnknownCommits,
    epoch: Math.max(copy.epoch, end.epoch) + 1 + end.damaged
  }
}

/** A record that can be read. Throws `RecordTooNew`. */
function tryDecode({ bytes }: Entry): LogRecord | undefined {
  try {
    return decode(bytes)
  } catch (error) {
    if (error instanceof RecordTooNew) throw error
    return undefined
  }
}
