/** Reads imported files in threads, one at a time in each, with limits on memory and time. */
import { Worker } from 'node:worker_threads'
import type { ImportReader, ImportReaders } from '../../core/imports/import-reading.js'
import type { MessageText } from '../../imports/messages.js'
import type { ReadAssignment, ReaderIdle, ReaderMessage, ReaderThreadData } from '../../imports/protocol.js'
import { translateError } from '../../storage/errors.js'

/** Heap of a reader thread, in MB: it holds windows of data points, and one record of a file at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Milliseconds after which a silent thread is terminated. It reports progress every few seconds for any file. */
const defaultTimeoutMs = 120_000
/** Milliseconds for which a thread waits for another file: starting one takes longer than reading most files. */
const defaultIdleMs = 2000
/** Maximum number of threads that wait: as many as files are read at a time. Each has a heap of its own. */
const maxIdle = 2

const memoryExceeded: MessageText = 'Something in the file takes more memory than a record may'
const timeExceeded: MessageText = 'Something in the file takes longer to read than a record may'

export class ReaderThreads implements ImportReaders {
  /** Threads that wait for a file, with the key of those that they have read, and the timers that end them. */
  readonly #idle = new Map<Worker, { readonly key: string; readonly timer: NodeJS.Timeout }>()

  constructor(
    private readonly timeoutMs = defaultTimeoutMs,
    private readonly idleMs = defaultIdleMs
  ) {}

  /**
   * Gives a file to a thread, which is terminated if it is silent for longer than the timeout although nothing that it
   * sent is pending.
   */
  start(
    assignment: ReadAssignment,
    onMessage: (message: ReaderMessage) => void,
    onEnd: (error?: Error) => void
  ): ImportReader {
    const processedCount = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = this.#getThread({ assignment, processedCount })
    let isOver = false
    let isTerminated = false
    let failure: Error | undefined
    let message: MessageText | undefined
    /** Number of batches and files that the thread has sent and that are not processed yet; in the meantime, it may be silent. */
    let waiting = 0
    const timer = setTimeout(() => {
      if (waiting > 0) {
        timer.refresh()
        return
      }
      message = timeExceeded
      void terminate()
    }, this.timeoutMs).unref()
    const onThreadMessage = (fromReader: ReaderMessage | ReaderIdle): void => {
      if (fromReader.is === 'idle') {
        if (isTerminated) return
        end()
        this.#keep(worker, assignment.key)
        onEnd()
        return
      }
      timer.refresh()
      if (fromReader.is === 'batch' || fromReader.is === 'file' || fromReader.is === 'bytes') waiting++
      onMessage(fromReader)
    }
    const onError = (error: unknown): void => {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') message = memoryExceeded
      else failure = translateError(error) as Error
    }
    const onExit = (code: number): void => {
      end()
      if (message !== undefined) onMessage({ is: 'unreadable', message, notice: { message } })
      onEnd(
        failure ??
          (code === 0 || message !== undefined
            ? undefined
            : new Error(`The reader thread exited with code ${code}`))
      )
    }
    const terminate = (): Promise<number> => {
      isTerminated = true
      return worker.terminate()
    }
    const end = (): void => {
      isOver = true
      clearTimeout(timer)
      worker.off('message', onThreadMessage).off('error', onError).off('exit', onExit)
    }
    worker.on('message', onThreadMessage).on('error', onError).on('exit', onExit)
    return {
      send: answer => {
        if (isOver) return
        if (answer.is !== 'recalled') waiting--
        timer.refresh()
        if (answer.is === 'taken') {
          Atomics.add(processedCount, 0, 1)
          Atomics.notify(processedCount, 0)
          return
        }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(answer)
      },
      async stop() {
        if (!isOver) await terminate()
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map(worker => this.#takeIdle(worker).terminate()))
  }

  /**
   * Returns a thread that reads a file: one that has waited for it, or a new one. What a thread remembers of a file, such as names that are no
   * zones, must not change how files of another account or app are read: their keys differ.
   */
  #getThread(data: ReaderThreadData): Worker {
    const [waiting] = [...this.#idle].find(([, { key }]) => key === data.assignment.key) ?? []
    if (!waiting) {
      const url = new URL('../../imports/worker.js', import.meta.url)
      const started = new Worker(url, { workerData: data, resourceLimits })
      // A thread may also fail while it waits.
      return started.on('error', () => undefined).on('exit', () => this.#takeIdle(started))
    }
    const worker = this.#takeIdle(waiting)
    worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(data)
    return worker
  }

  /** Keeps a thread for another file of the same key for a while, in place of one that has waited longer. */
  #keep(worker: Worker, key: string): void {
    const [oldest] = this.#idle.keys()
    if (oldest && this.#idle.size >= maxIdle) void this.#takeIdle(oldest).terminate()
    worker.unref()
    const timer = setTimeout(() => void this.#takeIdle(worker).terminate(), this.idleMs).unref()
    this.#idle.set(worker, { key, timer })
  }

  #takeIdle(worker: Worker): Worker {
    clearTimeout(this.#idle.get(worker)?.timer)
    this.#idle.delete(worker)
    return worker
  }
}
