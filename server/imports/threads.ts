/** Reads files that are brought in, each in a thread of its own, which may take neither much memory nor for ever. */
import { Worker } from 'node:worker_threads'
import type { Reader, Readers } from '../../core/imports/jobs.js'
import type { Message } from '../../imports/messages.js'
import type { Assignment, FromReader, ReaderData } from '../../imports/protocol.js'
import { translateError } from '../../storage/errors.js'

/** MB of the heap of such a thread: it holds windows of points, and one record of a file at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Milliseconds that a thread may be silent: it tells how far it is every few seconds, whatever the file is like. */
const longestSilenceMs = 120_000

const tooMuch: Message = 'Something in the file takes more memory than a record may'
const tooLong: Message = 'Something in the file takes longer to read than a record may'

export class ReaderThreads implements Readers {
  constructor(private readonly silenceMs = longestSilenceMs) {}

  start(
    assignment: Assignment,
    onMessage: (message: FromReader) => void,
    onEnd: (error?: Error) => void
  ): Reader {
    const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = new Worker(new URL('../../imports/worker.js', import.meta.url), {
      workerData: { assignment, taken } satisfies ReaderData,
      resourceLimits
    })
    let failure: Error | undefined
    let message: Message | undefined
    /** Batches and files that wait for us: meanwhile it may be silent. */
    let waiting = 0
    const silence = setTimeout(() => {
      if (waiting > 0) {
        silence.refresh()
        return
      }
      message = tooLong
      void worker.terminate()
    }, this.silenceMs).unref()
    worker.on('message', (told: FromReader) => {
      silence.refresh()
      if (told.is === 'batch' || told.is === 'file' || told.is === 'bytes') waiting++
      onMessage(told)
    })
    worker.on('error', error => {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') message = tooMuch
      else failure = translateError(error) as Error
    })
    worker.on('exit', code => {
      clearTimeout(silence)
      if (message !== undefined) onMessage({ is: 'unreadable', message, notice: { message } })
      onEnd(
        failure ?? (code === 0 || message !== undefined ? undefined : new Error(`It exited with ${code}`))
      )
    })
    return {
      tell: answer => {
        if (answer.is !== 'recalled') waiting--
        silence.refresh()
        if (answer.is === 'taken') {
          Atomics.add(taken, 0, 1)
          Atomics.notify(taken, 0)
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
