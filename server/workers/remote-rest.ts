/** The rest of a long result that another thread makes: pulled text by text, given back when nobody wants more of it. */
import type { Thread } from './thread.js'

type Step = IteratorResult<string, void>

/** Not a generator function: one that was never begun would not notice that it is given back. */
export class RemoteRest implements AsyncGenerator<string, void, undefined> {
  #isDone = false

  constructor(
    private readonly thread: Thread,
    private readonly number: number
  ) {}

  async next(): Promise<Step> {
    while (!this.#isDone) {
      const [text, isDone] = await this.#pull()
      // It may have been given back meanwhile.
      this.#isDone ||= isDone
      if (text !== '') return { done: false, value: text }
    }
    return { done: true, value: undefined }
  }

  async #pull(): Promise<readonly [text: string, isDone: boolean]> {
    try {
      return await this.thread.ask('pull', this.number)
    } catch (error) {
      // The thread has given it up.
      this.#isDone = true
      throw error
    }
  }

  return(): Promise<Step> {
    if (!this.#isDone) this.thread.tell('drop', this.number)
    this.#isDone = true
    return Promise.resolve({ done: true, value: undefined })
  }

  async throw(error: unknown): Promise<Step> {
    await this.return()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }
}
