/** Begins the log of an account whose file is long with a snapshot of that, in the place of records that hold all of it. */
import { randomInt, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnavailable } from '../../storage/errors.js'
import type { Layout } from '../../storage/files/layout.js'
import { EngineUnavailable, type Log } from '../engine.js'
import { snapshotKey } from '../objects/snapshot-key.js'
import type { Objects } from '../objects.js'
import type { LogEnd } from '../outbox.js'
import { encode } from '../records.js'
import type { FileThread } from './file-thread.js'

export interface BeginningOptions {
  readonly layout: Layout
  readonly log: Pick<Log, 'append'>
  readonly objects: Pick<Objects, 'put'>
  readonly files: FileThread
  readonly subject: string
}

/** Files of more bytes begin their logs with a snapshot. */
const longBytes = 4 * 1024 * 1024
/** The first commit, in the first epoch. */
const position = { lsn: 1, epoch: 1 }

/** Whether an account's file is longer than what is taken into memory at once, and into records. */
export function isLong(layout: Layout, account: string): boolean {
  const file = statSync(layout.userFile(account), { throwIfNoEntry: false })
  return file !== undefined && file.size > longBytes
}

/**
 * Begins a log that is empty. Returns where it ends then, which is where the closed file is. Rejects with `Conflict` if another
 * process writes to it, with `EngineUnavailable`, and with `StoreUnavailable` if the file cannot be taken.
 */
export async function beginLog(
  account: string,
  { files, layout, log, objects, subject }: BeginningOptions
): Promise<LogEnd> {
  const packed = join(layout.draftsDirectory, `snapshot-${randomUUID()}`)
  await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  try {
    await files.number(layout.userFile(account), position)
    await files.pack(layout.userFile(account), packed)
    await objects.put(snapshotKey(account, position.lsn), packed)
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    throw new StoreUnavailable('The log of the account cannot be begun', error)
  } finally {
    await rm(packed, { force: true })
  }
  const { epoch } = position
  const base = { ...position, sequence: 0, bytes: 0 }
  const writer = randomInt(2 ** 32)
  const head = { kind: 'snapshot', epoch, position, previous: 0, base, writer } as const
  const bytes = await encode({ ...head, commits: [], goesOn: false })
  const sequence = await log.append(subject, 0, bytes)
  return { sequence, position, epoch, base: { ...base, bytes: bytes.length }, writer }
}
