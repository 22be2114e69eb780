/** Starts and ends a worker thread from the main thread, and provides the `Peer` that sends requests to it. */
import { Worker } from 'node:worker_threads'
import { Peer } from './peer.js'
import type { WorkerEvents, WorkerMessage, WorkerStart } from './protocol.js'

/** Handlers for the events of a worker, except `ready`, which the thread handles itself. */
export type WorkerEventHandlers = Omit<WorkerEvents, 'ready'>

export class WorkerThread {
  /** Sends requests to the thread. */
  readonly peer: Peer
  /** Resolves when the worker accepts requests; rejects if the worker could not start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #ended: Promise<void>
  #isReady = false
  #isEnding = false

  constructor(start: WorkerStart, handlers: WorkerEventHandlers) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: start })
    this.#worker = worker
    this.#ended = new Promise(resolve => worker.once('exit', () => resolve()))
    let resolve!: () => void
    let reject!: (error: Error) => void
    this.ready = new Promise((onReady, onFailure) => {
      resolve = onReady
      reject = onFailure
    })
    // `Workers.start` awaits this; later failures are reported by `fatal`.
    this.ready.catch(() => undefined)
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
      this.peer.disconnect(error)
      reject(error)
      if (this.#isReady && !this.#isEnding) handlers.fatal(error)
    })
  }

  /** Closes the worker, and waits for it to exit. */
  async close(): Promise<void> {
    this.#isEnding = true
    await this.peer.request('close').catch(() => undefined)
    await this.#ended
  }

  /** Terminates the worker without closing anything, after a failed start. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
  }
}
