/** Stores a snapshot from which the log of an account continues, and creates the record that names it. */
import { randomInt, randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../../storage/files/layout.js'
import type { Position } from '../../storage/wal/position.js'
import { snapshotKey } from '../objects/snapshot-key.js'
import type { Objects } from '../objects.js'
import type { LogRecord } from '../records.js'
import type { FileThread } from './file-thread.js'

export interface StoreSnapshotOptions {
  readonly layout: Layout
  readonly objects: Pick<Objects, 'put'>
  readonly files: FileThread
}

/**
 * Sets the position of a closed file, and stores a snapshot of it for an account. Rejects with `EngineUnavailable`, and
 * with what SQLite and the file system throw.
 */
export async function storeSnapshot(
  account: string,
  file: string,
  position: Position,
  { files, layout, objects }: StoreSnapshotOptions
): Promise<void> {
  const packed = join(layout.draftsDirectory, `snapshot-${randomUUID()}`)
  await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  try {
    await files.setPosition(file, position)
    await files.pack(file, packed)
    await objects.put(snapshotKey(account, position.lsn), packed)
  } finally {
    await rm(packed, { force: true })
  }
}

/**
 * Creates the record that names a snapshot stored by {@link storeSnapshot}. `previous`: the sequence of the last
 * record; 0 for an empty log.
 */
export function createSnapshotRecord(position: Position, previous: number): LogRecord {
  return {
    kind: 'snapshot',
    epoch: position.epoch,
    position,
    previous,
    base: { ...position, sequence: previous, bytes: 0 },
    writer: randomInt(2 ** 32),
    commits: [],
    isContinued: false
  }
}
