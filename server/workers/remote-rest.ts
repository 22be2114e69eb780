/** The remainder of a long result in another thread: requested text by text, and released if the reader stops early. */
import { Texts, type Step } from '../../core/call/texts.js'
import type { Thread } from './thread.js'

export class RemoteRest extends Texts {
  #isDone = false

  constructor(
    private readonly thread: Thread,
    private readonly number: number
  ) {
    super()
  }

  async next(): Promise<Step> {
    while (!this.#isDone) {
      const [text, isDone] = await this.#pull()
      // It may have been released in the meantime.
      this.#isDone ||= isDone
      if (text !== '') return { done: false, value: text }
    }
    return { done: true, value: undefined }
  }

  async #pull(): Promise<readonly [text: string, isDone: boolean]> {
    try {
      return await this.thread.ask('pull', this.number)
    } catch (error) {
      // The thread has dropped it.
      this.#isDone = true
      throw error
    }
  }

  return(): Promise<Step> {
    if (!this.#isDone) this.thread.tell('drop', this.number)
    this.#isDone = true
    return Promise.resolve({ done: true, value: undefined })
  }
}
