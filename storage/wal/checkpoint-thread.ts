/** The thread that carries logs over, as it is seen from outside: asked for one file after the other. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CarrierTask } from './checkpoint-worker.js'
import type { LeftLog } from './left-log.js'

export class CarrierThread {
  readonly #worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), {
    // It has little to remember.
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 }
  })
  readonly #ended: Promise<never>
  #hasEnded = false

  constructor() {
    this.#ended = new Promise((_resolve, reject) => {
      const end = (cause?: unknown): void => {
        this.#hasEnded = true
        reject(new Error('The thread that carries logs over has ended', { cause }))
      }
      this.#worker.once('error', end)
      this.#worker.once('exit', () => end())
    })
    // Whoever asks for something gets to know.
    this.#ended.catch(() => undefined)
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Carries one log over; one at a time. Rejects with what went wrong. */
  async carryOver({ file, isNamed }: LeftLog): Promise<void> {
    await this.#ask({ file, isNamed, isRest: false })
  }

  /** Carries over what is left in the log of an open file, and begins it again. Nobody may write to it meanwhile. */
  async carryRestOver({ file }: LeftLog): Promise<void> {
    await this.#ask({ file, isNamed: true, isRest: true })
  }

  async #ask(task: CarrierTask): Promise<void> {
    // While there is something to do, the process stays for it.
    this.#worker.ref()
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
      this.#worker.postMessage(task)
      const [problem] = (await Promise.race([once(this.#worker, 'message'), this.#ended])) as [
        Error | undefined
      ]
      if (problem) throw problem
    } finally {
      this.#worker.unref()
    }
  }

  end(): void {
    void this.#worker.terminate()
  }
}
