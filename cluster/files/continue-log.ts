/**
 * Continues the log of an account from a file that an operator has restored, even if the account was deleted. Other
 * writers are refused from then on.
 */
import { randomInt } from 'node:crypto'
import type { Position } from '../../storage/wal/position.js'
import { appendUntilConfirmed, Refused } from '../append-until-confirmed.js'
import { Conflict, type Log } from '../engine.js'
import { createPositionAfter, scanLog, type LogScan } from '../scan-log.js'
import type { Objects } from '../objects.js'
import { parseLsn, snapshotKey, snapshotPrefix } from '../objects/snapshot-key.js'
import { encode } from '../records.js'
import { createSnapshotRecord, storeSnapshot, type StoreSnapshotOptions } from './store-snapshot.js'

export interface RestoreOptions extends StoreSnapshotOptions {
  readonly objects: Objects
  readonly log: Log
  readonly subject: string
  /** Time after which an engine that does not answer is considered unavailable, in milliseconds. */
  readonly timeoutMs: number
}

/** Range of random positions, so that concurrent restores do not use the same position for their snapshots. */
const positionSpread = 1_000_000

/**
 * Stores a snapshot of the closed file, and appends a record that names it. Nothing changes before that; `beforeAppend`
 * is called just before. Earlier records and snapshots are then removed. Rejects with what `beforeAppend` rejects with;
 * with `Conflict` if another restore was first, or the account has been deleted in the meantime; with `EngineUnavailable`,
 * which means that the outcome is unknown.
 */
export async function continueLogFrom(
  account: string,
  file: string,
  options: RestoreOptions,
  beforeAppend: () => Promise<void>
): Promise<void> {
  const { log, objects, subject } = options
  const found = await scanLog(log, subject)
  // Also after the snapshots of other restores, which may be about to append their records.
  const latest = Math.max(0, ...(await objects.list(snapshotPrefix(account))).map(parseLsn))
  const after = createPositionAfter(found.end, { lsn: latest, epoch: 0 })
  const position = { ...after, lsn: after.lsn + randomInt(positionSpread) }
  await storeSnapshot(account, file, position, options)
  await beforeAppend()
  const sequence = await appendSnapshot(position, found, options)
  await log.trim(subject, sequence)
  const keys = await objects.list(snapshotPrefix(account))
  // A failed restore removes snapshots that no record names by then.
  if (!keys.includes(snapshotKey(account, position.lsn)))
    await storeSnapshot(account, file, position, options)
  for (const key of keys) if (parseLsn(key) < position.lsn) await objects.remove(key)
}

/** Appends the record after whatever the current writer appends in the meantime. Returns its sequence. */
async function appendSnapshot(
  position: Position,
  former: LogScan,
  { timeoutMs, log, subject }: RestoreOptions
): Promise<number> {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    const { end, isDeleted } = await scanLog(log, subject)
    if (end.lsn >= position.lsn || (isDeleted && !former.isDeleted))
      throw new Conflict('the log of the account')
    const record = createSnapshotRecord(position, end.sequence)
    const bytes = await encode({ ...record, epoch: Math.max(position.epoch, end.epoch + 1) })
    const isCancelled = (): boolean => performance.now() > endMs
    try {
      return await appendUntilConfirmed({ log, subject, expected: end.sequence, bytes, isCancelled })
    } catch (error) {
      // The current writer was first: with a commit, or by taking over.
      if (!(error instanceof Refused) || isCancelled()) throw error
    }
  }
}
