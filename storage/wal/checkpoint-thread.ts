/** Runs checkpoints in a worker thread, one file at a time. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CheckpointTask } from './checkpoint-worker.js'
import type { ClosedLog } from './closed-file.js'

export class CheckpointThread {
  readonly #worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 }
  })
  readonly #ended: Promise<never>
  #hasEnded = false

  constructor() {
    this.#ended = new Promise((_resolve, reject) => {
      const end = (cause?: unknown): void => {
        this.#hasEnded = true
        reject(new Error('The checkpoint thread has ended unexpectedly', { cause }))
      }
      this.#worker.once('error', end)
      this.#worker.once('exit', () => end())
    })
    // Handled in `#run`; this only avoids an unhandled rejection while no task runs.
    this.#ended.catch(() => undefined)
  }

  /** Whether the thread has failed: another one is needed. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Checkpoints the log of a file; one at a time. Rejects if that fails. */
  async checkpoint({ file, isNamed }: ClosedLog): Promise<void> {
    await this.#run({ file, isNamed, mustRestart: false })
  }

  /** Checkpoints the rest of an open file's log, and restarts the log. There must be no writes in the meantime. */
  async checkpointAndRestart({ file }: ClosedLog): Promise<void> {
    await this.#run({ file, isNamed: true, mustRestart: true })
  }

  /** Runs a task in the thread. Rejects with its error, or if the thread ends. */
  async #run(task: CheckpointTask): Promise<void> {
    // Keeps the process alive until the task is done.
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

  /** Ends the thread, even if a checkpoint runs. */
  end(): void {
    void this.#worker.terminate()
  }
}
