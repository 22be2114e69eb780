/** A child process of the bench. The child handles one message at a time. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export class Child<Message extends object | string, Answer> {
  readonly #process: ChildProcess

  constructor(module: URL, args: readonly string[] = []) {
    // The same size as in the service, whose thread pool runs syncs and hashes.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
    this.#process = fork(fileURLToPath(module), args, { env })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Resolves with the next message of the child. Rejects if it exits first. */
  nextMessage(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`A process of the bench exited with code ${code}`))
      this.#process.once('exit', ended).once('message', answer => {
        this.#process.off('exit', ended)
        resolve(answer as Answer)
      })
    })
  }

  send(message: Message): void {
    this.#process.send(message)
  }

  /** Sends a message. Resolves with the reply. */
  async request(message: Message): Promise<Answer> {
    this.send(message)
    return await this.nextMessage()
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exit = once(this.#process, 'exit')
    this.#process.kill()
    await exit
  }
}
