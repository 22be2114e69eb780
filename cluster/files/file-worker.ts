/** The worker thread that processes accounts' closed files: it reads, applies, syncs and compresses them. */
import { closeSync, createReadStream, createWriteStream, fsyncSync, openSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { createGunzip, createGzip } from 'node:zlib'
import {
  mergeLog,
  setPosition,
  readFilePosition,
  readVerifiedPosition
} from '../../storage/wal/closed-file.js'
import { OpenPages } from '../../storage/wal/open-pages.js'
import type { Position } from '../../storage/wal/position.js'
import { FileCopy, RecordMismatch, type CopyPosition } from '../file-copy.js'
import type { Entry } from '../engine.js'
import { RecordDamaged, RecordTooNew } from '../records.js'

/** Applies records to a file. */
type CopyTask =
  | { readonly kind: 'begin'; readonly file: string; readonly place: CopyPosition }
  | {
      readonly kind: 'apply'
      readonly file: string
      readonly entries: readonly Pick<Entry, 'bytes' | 'sequence'>[]
    }
  | { readonly kind: 'end' | 'abandon'; readonly file: string }

/** A task of the thread: see the methods of `FileThread`. */
export type FileTask =
  | CopyTask
  | { readonly kind: 'look'; readonly file: string }
  | { readonly kind: 'fold'; readonly file: string }
  | { readonly kind: 'number'; readonly file: string; readonly position: Position }
  | { readonly kind: 'prove'; readonly file: string }
  | { readonly kind: 'pack'; readonly file: string; readonly to: string }
  | { readonly kind: 'unpack'; readonly file: string; readonly to: string }

/** The answer to a task. */
export interface FileAnswer {
  readonly value?: unknown
  readonly failure?: {
    readonly message: string
    /** True if the records, or the compressed file, do not lead to a valid file. */
    readonly isMismatch: boolean
    /** The format of a record that only a newer version of the software can read. */
    readonly newerFormat?: number
  }
}

const port = parentPort as MessagePort

/** Copies to which records are being applied, by their path. */
const copies = new Map<string, FileCopy>()

port.on('message', (task: FileTask) => void answerTask(task))

/** Runs a task, and posts its result or failure. Never rejects. */
async function answerTask(task: FileTask): Promise<void> {
  let result: FileAnswer
  try {
    result = { value: await runTask(task) }
  } catch (error) {
    const { message } = error as Error
    const isMismatch =
      error instanceof RecordMismatch ||
      error instanceof RecordDamaged ||
      (error as { code?: string }).code?.startsWith('Z_') === true
    const newer = error instanceof RecordTooNew && { newerFormat: error.found }
    result = { failure: { message, isMismatch, ...newer } }
  }
  port.postMessage(result)
}

function runTask(task: FileTask): unknown {
  const { file } = task
  if (task.kind === 'look') return readFilePosition(file)
  if (task.kind === 'fold') return mergeLog(file)
  if (task.kind === 'number') return setPosition(file, task.position)
  if (task.kind === 'prove') return readVerifiedPosition(file)
  if (task.kind === 'pack') return pack(file, task.to)
  if (task.kind === 'unpack') return unpack(file, task.to)
  return runCopyTask(task)
}

/**
 * Runs a task on a copy. Returns the copy's position; `undefined` if a copy that is to be closed is not open.
 * Throws if records are to be applied to such a copy.
 */
function runCopyTask(task: CopyTask): CopyPosition | undefined {
  if (task.kind === 'begin') copies.set(task.file, new FileCopy(task.file, task.place))
  const copy = copies.get(task.file)
  // The thread that had it open may have failed in the meantime.
  if (task.kind === 'apply' && !copy) throw new Error(`${task.file}: nothing has been begun`)
  if (task.kind === 'apply') for (const entry of task.entries) copy?.apply(entry)
  if (task.kind === 'end') copy?.close()
  if (task.kind === 'abandon') copy?.discard()
  if (task.kind === 'end' || task.kind === 'abandon') copies.delete(task.file)
  return copy?.position
}

/**
 * Compresses all pages of a file, which may be in use, to another one. Resolves with their position, if they have one, and
 * with their total size.
 */
async function pack(file: string, to: string): Promise<{ position: Position | undefined; bytes: number }> {
  const open = new OpenPages(file)
  try {
    await pipeline(
      Readable.from(open.readChunks()),
      createGzip({ level: 1 }),
      createWriteStream(to, { mode: 0o600, flush: true })
    )
    return { position: open.position, bytes: open.bytes }
  } finally {
    open.close()
  }
}

/** Writes a compressed file. Leaves nothing if it is damaged. */
async function unpack(file: string, to: string): Promise<void> {
  try {
    await pipeline(createReadStream(file), createGunzip(), createWriteStream(to, { mode: 0o600 }))
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
  const descriptor = openSync(to, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
