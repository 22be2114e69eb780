/** A worker thread as the main thread sees it: a peer that is started, and ends. */
import { Worker } from 'node:worker_threads'
import { Peer } from './peer.js'
import type { WorkerEvents, WorkerMessage, WorkerStart } from './protocol.js'

/** Handlers for the events of a worker, except `ready`, which the thread handles itself. */
export type WorkerEventHandlers = Omit<WorkerEvents, 'ready'>

export class Thread {
  /** What it is asked and told by. */
  readonly peer: Peer
  /** Resolves when the worker accepts requests; rejects if it could not start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #ended: Promise<void>
  #isReady = false
  #isEnding = false

  constructor(start: WorkerStart, handlers: WorkerEventHandlers) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: start })
    this.#worker = worker
    this.#ended = new Promise(resolve => worker.once('exit', () => resolve()))
    const { promise, reject, resolve } = withResolvers()
    const ready = (): void => {
      this.#isReady = true
      resolve()
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
    this.peer = new Peer(request => worker.postMessage(request), { ...handlers, ready })
    worker.on('message', (message: WorkerMessage) => this.peer.receive(message))
    let cause: unknown
    worker.once('error', error => (cause = error))
    worker.once('exit', () => {
      const error = cause instanceof Error ? cause : new Error('A worker thread exited', { cause })
      this.peer.gone(error)
      reject(error)
      if (this.#isReady && !this.#isEnding) handlers.fatal(error)
    })
    this.ready = promise
    // Whoever starts the thread awaits this; later failures are reported by `fatal`.
    this.ready.catch(() => undefined)
  }

  /** Closes the worker, and waits for it to exit. */
  async close(): Promise<void> {
    this.#isEnding = true
    await this.peer.ask('close').catch(() => undefined)
    await this.#ended
  }

  /** Terminates the worker without closing anything, after a failed start. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
  }
}

/** A promise, and the functions that settle it. */
function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve!: () => void
  let reject!: (error: Error) => void
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
