/** The remainder of a long result that another thread or machine has: requested text by text, and released if the reader stops early. */
import { Texts, type Step } from '../../core/call/texts.js'
import type { Peer } from './peer.js'

export class RemoteRest extends Texts {
  #isDone = false

  constructor(
    private readonly peer: Peer,
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
      return await this.peer.ask('pull', this.number)
    } catch (error) {
      // The other side has dropped it.
      this.#isDone = true
      throw error
    }
  }

  return(): Promise<Step> {
    if (!this.#isDone) this.peer.tell('drop', this.number)
    this.#isDone = true
    return Promise.resolve({ done: true, value: undefined })
  }
}
