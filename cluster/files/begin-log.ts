/** Begins the log of an account with a large file by a snapshot, instead of records that hold the whole file. */
import { statSync } from 'node:fs'
import { StoreUnavailable } from '../../storage/errors.js'
import type { Layout } from '../../storage/files/layout.js'
import { EngineUnavailable, type Log } from '../engine.js'
import type { LogEnd } from '../outbox.js'
import { encode } from '../records.js'
import { createSnapshotRecord, storeSnapshot, type StoreSnapshotOptions } from './store-snapshot.js'

export interface BeginLogOptions extends StoreSnapshotOptions {
  readonly log: Pick<Log, 'append'>
  readonly subject: string
}

/** Size, in bytes, above which a file begins its log with a snapshot. */
const largeFileBytes = 4 * 1024 * 1024
/** The first commit, in the first epoch. */
const position = { lsn: 1, epoch: 1 }

/**
 * Returns whether an account's file is too large to be read into memory, and into records. Returns false if
 * there is none.
 */
export function isLargeFile(layout: Layout, account: string): boolean {
  const file = statSync(layout.userFile(account), { throwIfNoEntry: false })
  return file !== undefined && file.size > largeFileBytes
}

/**
 * Begins an empty log: sets the position of the closed file, stores a snapshot of it, and appends a record
 * that names the snapshot. Returns the end of the log. Rejects with `Conflict` if another process writes to
 * it, with `EngineUnavailable`, and with `StoreUnavailable` if the file cannot be read.
 */
export async function beginLog(account: string, options: BeginLogOptions): Promise<LogEnd> {
  const { layout, log, subject } = options
  try {
    await storeSnapshot(account, layout.userFile(account), position, options)
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    throw new StoreUnavailable('The log of the account cannot be begun', error)
  }
  const record = createSnapshotRecord(position, 0)
  const { base, epoch, writer } = record
  const bytes = await encode(record)
  const sequence = await log.append(subject, 0, bytes)
  return { sequence, position, epoch, base: { ...base, bytes: bytes.length }, writer }
}
