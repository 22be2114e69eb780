/** One worker thread, as the main thread sees it: questions and their answers, and what it says unasked. */
import { Worker } from 'node:worker_threads'
import {
  receivedError,
  type Operation,
  type Operations,
  type Question,
  type Saying,
  type Tidings,
  type WorkerStart
} from './protocol.js'

interface Waiting {
  // Each question knows the type of its own answer.
  // oxlint-disable-next-line no-explicit-any
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

/** What is done with tidings; `ready` is the thread's own affair. */
export type Hearer = Omit<Tidings, 'ready'>

export class Thread {
  /** Resolves when questions are answered; rejects if the thread could not start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #last = 0
  #isReady = false
  #isEnding = false

  constructor(start: WorkerStart, hearer: Hearer) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: start })
    this.#ended = new Promise(resolve => this.#worker.once('exit', () => resolve()))
    this.ready = new Promise((resolve, reject) => {
      const ready = (): void => {
        this.#isReady = true
        resolve()
      }
      const tidings: Tidings = { ...hearer, ready }
      this.#worker.on('message', (saying: Saying) => this.#hear(tidings, saying))
      let cause: unknown
      this.#worker.once('error', error => (cause = error))
      this.#worker.once('exit', () => {
        const error = cause instanceof Error ? cause : new Error('A thread has ended', { cause })
        for (const waiting of this.#waiting.values()) waiting.reject(error)
        this.#waiting.clear()
        reject(error)
        if (this.#isReady && !this.#isEnding) hearer.fatal(error)
      })
    })
    // Whoever starts it waits for that; a failure later is told by `fatal`.
    this.ready.catch(() => undefined)
  }

  /** Questions that wait for their answers. */
  get load(): number {
    return this.#waiting.size
  }

  /** Asks; rejects with what the operation raised. */
  ask<N extends Operation>(
    operation: N,
    ...args: Parameters<Operations[N]>
  ): Promise<Awaited<ReturnType<Operations[N]>>> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#say([id, operation, args])
      this.#waiting.set(id, { resolve, reject })
    })
  }

  /** Tells, without waiting for anything. */
  tell<N extends Operation>(operation: N, ...args: Parameters<Operations[N]>): void {
    this.#say([0, operation, args])
  }

  /** Has everything closed, and waits for the end. */
  async close(): Promise<void> {
    this.#isEnding = true
    await this.ask('close').catch(() => undefined)
    await this.#ended
  }

  /** Ends it as it is: when starting has failed. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
  }

  #say(question: Question): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
    this.#worker.postMessage(question)
  }

  #hear(tidings: Tidings, saying: Saying): void {
    const [subject] = saying
    if (typeof subject === 'string') {
      const [, args] = saying as [keyof Tidings, readonly unknown[]]
      ;(tidings[subject] as (...args: readonly unknown[]) => void)(...args)
      return
    }
    const waiting = this.#waiting.get(subject)
    this.#waiting.delete(subject)
    const [, value, error] = saying as [number, unknown, Parameters<typeof receivedError>[0] | undefined]
    if (error) waiting?.reject(receivedError(error))
    else waiting?.resolve(value)
  }
}
