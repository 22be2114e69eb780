/** Reads imported files, each in a thread of its own with limits on memory and time. */
import { Worker } from 'node:worker_threads'
import type { ImportReader, ImportReaders } from '../../core/imports/jobs.js'
import type { MessageText } from '../../imports/messages.js'
import type { ReadAssignment, ReaderMessage, ReaderThreadData } from '../../imports/protocol.js'
import { translateError } from '../../storage/errors.js'

/** Heap of a reader thread, in MB: it holds windows of data points, and one record of a file at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Milliseconds after which a silent thread is terminated. It reports progress every few seconds for any file. */
const defaultTimeoutMs = 120_000

const memoryExceeded: MessageText = 'Something in the file takes more memory than a record may'
const timeExceeded: MessageText = 'Something in the file takes longer to read than a record may'

export class ReaderThreads implements ImportReaders {
  constructor(private readonly timeoutMs = defaultTimeoutMs) {}

  /**
   * Starts a thread, which is terminated if it is silent for longer than the timeout although nothing that it
   * sent is pending.
   */
  start(
    assignment: ReadAssignment,
    onMessage: (message: ReaderMessage) => void,
    onEnd: (error?: Error) => void
  ): ImportReader {
    const processedCount = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = new Worker(new URL('../../imports/worker.js', import.meta.url), {
      workerData: { assignment, processedCount } satisfies ReaderThreadData,
      resourceLimits
    })
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
      void worker.terminate()
    }, this.timeoutMs).unref()
    worker.on('message', (fromReader: ReaderMessage) => {
      timer.refresh()
      if (fromReader.is === 'batch' || fromReader.is === 'file' || fromReader.is === 'bytes') waiting++
      onMessage(fromReader)
    })
    worker.on('error', error => {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') message = memoryExceeded
      else failure = translateError(error) as Error
    })
    worker.on('exit', code => {
      clearTimeout(timer)
      if (message !== undefined) onMessage({ is: 'unreadable', message, notice: { message } })
      onEnd(
        failure ??
          (code === 0 || message !== undefined
            ? undefined
            : new Error(`The reader thread exited with code ${code}`))
      )
    })
    return {
      send: answer => {
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
        await worker.terminate()
      }
    }
  }
}
