/** Works on accounts' closed files in a worker thread, one task after the other: reading, applying and syncing take time. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Position } from '../../storage/wal/position.js'
import { RecordMismatch, type CopyPosition } from '../file-copy.js'
import type { Entry } from '../engine.js'
import { RecordTooNew } from '../records.js'
import type { FileAnswer, FileTask } from './file-worker.js'

export class FileThread {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** Number of copies that the thread has open. */
  #openCopies = 0
  #idle: NodeJS.Timeout | undefined

  /** `idleMs`: time without work after which the thread ends, in milliseconds, since it takes memory. */
  constructor(private readonly idleMs = 10_000) {}

  /** Reads a file's position, including its log; `undefined` if the file is missing, cannot be read, or has no position. */
  async readPosition(file: string): Promise<Position | undefined> {
    return (await this.#enqueue({ kind: 'look', file })) as Position | undefined
  }

  /** Merges the log of a closed file into it. Rejects if that fails. */
  async mergeLog(file: string): Promise<void> {
    await this.#enqueue({ kind: 'fold', file })
  }

  /** Sets the position of a closed file. Rejects if that fails. */
  async setPosition(file: string, position: Position): Promise<void> {
    await this.#enqueue({ kind: 'number', file, position })
  }

  /**
   * Returns the position of a closed file after an integrity check; `undefined` if it is damaged, or has no position.
   * Reads the whole file.
   */
  async verify(file: string): Promise<Position | undefined> {
    return (await this.#enqueue({ kind: 'prove', file })) as Position | undefined
  }

  /**
   * Begins applying records to a file, which is at `place` or is created. Must be followed by {@link end} or
   * {@link discard}.
   */
  async begin(file: string, place: CopyPosition): Promise<void> {
    this.#openCopies++
    try {
      await this.#enqueue({ kind: 'begin', file, place })
    } catch (error) {
      this.#openCopies--
      this.#scheduleEnd()
      throw error
    }
  }

  /**
   * Applies records. Resolves with the file's position after them. Rejects with `RecordMismatch` if they do not follow,
   * with `RecordTooNew` if only newer software can read one of them: the records before that one have been applied
   * then.
   */
  async apply(file: string, entries: readonly Pick<Entry, 'bytes' | 'sequence'>[]): Promise<CopyPosition> {
    return (await this.#enqueue({ kind: 'apply', file, entries })) as CopyPosition
  }

  /** Ends applying records to a file: syncs and closes it. */
  async end(file: string): Promise<void> {
    await this.#endCopy({ kind: 'end', file })
  }

  /** Ends applying records to a file that is no longer used: closes it without syncing. */
  async discard(file: string): Promise<void> {
    await this.#endCopy({ kind: 'abandon', file })
  }

  /**
   * Compresses the pages of a file, which may be in use, as they are after one commit. Resolves with the
   * position of that commit, `undefined` if it is not numbered yet, and with the size of the pages in bytes.
   */
  async pack(file: string, to: string): Promise<{ position: Position | undefined; bytes: number }> {
    return (await this.#enqueue({ kind: 'pack', file, to })) as {
      position: Position | undefined
      bytes: number
    }
  }

  /** Writes a compressed file, synced. Rejects with `RecordMismatch` if it is damaged. */
  async unpack(file: string, to: string): Promise<void> {
    await this.#enqueue({ kind: 'unpack', file, to })
  }

  /** Ends the thread, once pending tasks are done. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined)
    this.#endWorker()
  }

  async #endCopy(task: FileTask): Promise<void> {
    this.#openCopies--
    try {
      await this.#enqueue(task)
    } finally {
      this.#scheduleEnd()
    }
  }

  #enqueue(task: FileTask): Promise<unknown> {
    clearTimeout(this.#idle)
    this.#waiting++
    const done = this.#last.catch(() => undefined).then(() => this.#run(task))
    this.#last = done
    return done
  }

  /**
   * Runs a task in the thread, which is started if needed. Rejects with `RecordTooNew`, `RecordMismatch`, or what the
   * task throws.
   */
  async #run(task: FileTask): Promise<unknown> {
    const worker = (this.#worker ??= new Worker(new URL('./file-worker.js', import.meta.url)))
    try {
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
      worker.postMessage(task)
      const { failure, value } = await this.#waitForAnswer(worker)
      if (!failure) return value
      if (failure.newerFormat !== undefined) throw new RecordTooNew(failure.newerFormat)
      throw failure.isMismatch ? new RecordMismatch(failure.message) : new Error(failure.message)
    } finally {
      worker.unref()
      this.#waiting--
      this.#scheduleEnd()
    }
  }

  #scheduleEnd(): void {
    if (this.#waiting > 0 || this.#openCopies > 0) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#endWorker(), this.idleMs).unref()
  }

  async #waitForAnswer(worker: Worker): Promise<FileAnswer> {
    try {
      // Rejects on an `error` event, after which the thread has ended.
      const [answer] = (await once(worker, 'message')) as [FileAnswer]
      return answer
    } catch (error) {
      this.#worker = undefined
      throw error
    }
  }

  #endWorker(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}
