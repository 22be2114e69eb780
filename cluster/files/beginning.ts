/**
 * Begins the log of an account with a snapshot of its file, which is closed and the only one that counts: in the place of a
 * record that holds all of a long file, or behind a log that led to another state.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../../storage/files/layout.js'
import type { Log } from '../engine.js'
import { snapshotKey } from '../objects/snapshot-key.js'
import type { Objects } from '../objects.js'
import type { LogEnd } from '../outbox.js'
import { encode, type LogRecord } from '../records.js'
import type { FileThread } from './file-thread.js'

export interface BeginningOptions {
  readonly layout: Layout
  readonly log: Pick<Log, 'append'>
  readonly objects: Pick<Objects, 'put'>
  readonly files: FileThread
  readonly subject: string
}

/** What is there already. */
export type Former = Pick<LogRecord, 'epoch' | 'position'> & { readonly sequence: number }

/** Files of more bytes begin their logs with a snapshot. */
const longBytes = 4 * 1024 * 1024

/** There is no log yet. */
const nothing: Former = { epoch: 0, position: { lsn: 0, epoch: 0 }, sequence: 0 }

/** Whether an account's file is longer than what is taken into memory at once, and into records. */
export function isLong(layout: Layout, account: string): boolean {
  const file = statSync(layout.userFile(account), { throwIfNoEntry: false })
  return file !== undefined && file.size > longBytes
}

/**
 * Returns where the log ends then, which the file is at. Rejects with `Conflict` if another process writes to it, with
 * `EngineUnavailable`, and with what SQLite and the file system throw.
 */
export async function beginLog(
  account: string,
  { files, layout, log, objects, subject }: BeginningOptions,
  former = nothing
): Promise<LogEnd> {
  const epoch = former.epoch + 1
  const position = { lsn: former.position.lsn + 1, epoch }
  const writer = randomInt(2 ** 32)
  const packed = join(layout.draftsDirectory, `snapshot-${randomUUID()}`)
  await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  try {
    await files.number(layout.userFile(account), position)
    await files.pack(layout.userFile(account), packed)
    await objects.put(snapshotKey(account, position.lsn), packed)
  } finally {
    await rm(packed, { force: true })
  }
  const base = { ...position, sequence: former.sequence, bytes: 0 }
  const head = { kind: 'snapshot', epoch, position, previous: former.sequence, base, writer } as const
  const bytes = await encode({ ...head, commits: [], goesOn: false })
  const sequence = await log.append(subject, former.sequence, bytes)
  return { sequence, position, epoch, base: { ...base, bytes: bytes.length }, writer }
}
