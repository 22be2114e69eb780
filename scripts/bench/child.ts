/** A child process of the bench that answers one question at a time. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export class Child<Question extends object, Answer> {
  readonly #process: ChildProcess

  /** Starts a module that lies beside the asking one. */
  constructor(module: URL, args: readonly string[] = []) {
    // Syncs and hashes run on this pool; Coffer's own is as wide.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
    this.#process = fork(fileURLToPath(module), args, { env })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** The next message of the child: what it says once it is ready, or its answer. */
  async hear(): Promise<Answer> {
    const ended = new AbortController()
    try {
      const exit = once(this.#process, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`A process of the bench ended with ${code}`)
      })
      const message = once(this.#process, 'message', { signal: ended.signal }).then(([answer]) => answer)
      exit.catch(() => {})
      message.catch(() => {})
      return (await Promise.race([message, exit])) as Answer
    } finally {
      ended.abort()
    }
  }

  async ask(question: Question): Promise<Answer> {
    this.#process.send(question)
    return await this.hear()
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exit = once(this.#process, 'exit')
    this.#process.kill()
    await exit
  }
}
