/** Calls made by another thread or node. */
import type { Outcome, Request } from '../../core/call/outcome.js'
import { Texts, type Step } from '../../core/call/texts.js'
import { ApiError } from '../../core/errors.js'
import { assertDepth } from '../../core/json/depth.js'
import type { Config } from '../../core/settings/config.js'
import type { Peer } from './peer.js'
import { receivedOutcome, sentRequest, type SentFailure, type SentSuccess } from './protocol.js'

/**
 * Makes a call at a peer. Rejects if it is unreachable. `Elsewhere` is the type of the response of a peer that does not serve
 * the user.
 */
export async function callOver<Elsewhere extends string = never>(
  peer: Peer,
  config: Config,
  request: Request
): Promise<Outcome | Elsewhere> {
  try {
    const result = await peer.ask('call', sentRequest(config, request))
    const outcome = result as SentSuccess | SentFailure | Elsewhere
    return typeof outcome === 'string'
      ? outcome
      : receivedOutcome(outcome, number => new RemoteRest(peer, number))
  } catch (error) {
    // Values that are nested too deeply cannot be cloned; the other side would refuse them, too.
    if (!(error instanceof ApiError)) assertDepth(request.params, config.limits.jsonDepth)
    throw error
  }
}

/** The remainder of a long result: requested text by text, and released if the reader stops early. */
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
