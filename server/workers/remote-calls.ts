/** Calls that another thread or machine makes. */
import type { Outcome, Request } from '../../core/call/outcome.js'
import { Texts, type Step } from '../../core/call/texts.js'
import { ApiError } from '../../core/errors.js'
import { assertDepth } from '../../core/json/depth.js'
import type { Config } from '../../core/settings/config.js'
import type { Peer } from './peer.js'
import { receivedOutcome, sentRequest, type SentFailure, type SentSuccess } from './protocol.js'

/**
 * Has a call made by the other side. Rejects if it cannot be reached. `Elsewhere`: what it says instead if it does not serve the
 * user.
 */
export async function callOver<Elsewhere extends string = never>(
  peer: Peer,
  config: Config,
  request: Request
): Promise<Outcome | Elsewhere> {
  try {
    const sent = await peer.ask('call', sentRequest(config, request))
    const outcome = sent as SentSuccess | SentFailure | Elsewhere
    return typeof outcome === 'string'
      ? outcome
      : receivedOutcome(outcome, rest => new RemoteRest(peer, rest))
  } catch (error) {
    // Values that are nested too deeply cannot be cloned; the other side would refuse them, too.
    if (!(error instanceof ApiError)) assertDepth(request.params, config.limits.jsonDepth)
    throw error
  }
}

/** The rest of a long result: requested text by text, and released if the reader stops early. */
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
