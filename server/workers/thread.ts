/** A worker thread as the main thread sees it: requests, responses and events. */
import { Worker } from 'node:worker_threads'
import {
  receivedError,
  type Operation,
  type Operations,
  type WorkerRequest,
  type WorkerMessage,
  type WorkerEvents,
  type WorkerStart
} from './protocol.js'

interface Pending {
  // Each request knows the type of its response.
  // oxlint-disable-next-line no-explicit-any
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

/** Handlers for the events of a worker, except `ready`, which the thread handles itself. */
export type WorkerEventHandlers = Omit<WorkerEvents, 'ready'>

export class Thread {
  /** Resolves when the worker accepts requests; rejects if it could not start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #waiting = new Map<number, Pending>()
  readonly #ended: Promise<void>
  #last = 0
  /** Why it has exited. */
  #end: Error | undefined
  #isReady = false
  #isEnding = false

  constructor(start: WorkerStart, handlers: WorkerEventHandlers) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: start })
    this.#ended = new Promise(resolve => this.#worker.once('exit', () => resolve()))
    this.ready = new Promise((resolve, reject) => {
      const ready = (): void => {
        this.#isReady = true
        resolve()
      }
      const events: WorkerEvents = { ...handlers, ready }
      this.#worker.on('message', (message: WorkerMessage) => this.#receive(events, message))
      let cause: unknown
      this.#worker.once('error', error => (cause = error))
      this.#worker.once('exit', () => {
        const error = cause instanceof Error ? cause : new Error('A worker thread has exited', { cause })
        this.#end = error
        for (const waiting of this.#waiting.values()) waiting.reject(error)
        this.#waiting.clear()
        reject(error)
        if (this.#isReady && !this.#isEnding) handlers.fatal(error)
      })
    })
    // Whoever starts the thread awaits this; later failures are reported by `fatal`.
    this.ready.catch(() => undefined)
  }

  /** Number of requests without a response yet. */
  get load(): number {
    return this.#waiting.size
  }

  /** Sends a request; rejects with the error of the operation. */
  ask<N extends Operation>(
    operation: N,
    ...args: Parameters<Operations[N]>
  ): Promise<Awaited<ReturnType<Operations[N]>>> {
    // There is no worker left to respond.
    if (this.#end) return Promise.reject(this.#end)
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#post([id, operation, args])
      this.#waiting.set(id, { resolve, reject })
    })
  }

  /** Sends a request without waiting for a response. */
  tell<N extends Operation>(operation: N, ...args: Parameters<Operations[N]>): void {
    this.#post([0, operation, args])
  }

  /** Closes the worker, and waits for it to exit. */
  async close(): Promise<void> {
    this.#isEnding = true
    await this.ask('close').catch(() => undefined)
    await this.#ended
  }

  /** Terminates the worker without closing anything, after a failed start. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
  }

  #post(request: WorkerRequest): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
    this.#worker.postMessage(request)
  }

  #receive(events: WorkerEvents, message: WorkerMessage): void {
    const [idOrEvent] = message
    if (typeof idOrEvent === 'string') {
      const [, args] = message as [keyof WorkerEvents, readonly unknown[]]
      ;(events[idOrEvent] as (...args: readonly unknown[]) => void)(...args)
      return
    }
    const waiting = this.#waiting.get(idOrEvent)
    this.#waiting.delete(idOrEvent)
    const [, value, error] = message as [number, unknown, Parameters<typeof receivedError>[0] | undefined]
    if (error) waiting?.reject(receivedError(error))
    else waiting?.resolve(value)
  }
}
