/** Calls made by another thread or node. */
import type { AnyMethod } from '../../core/call/method.js'
import type { Outcome, Request } from '../../core/call/outcome.js'
import { TextSource, type TextResult } from '../../core/call/text-source.js'
import { ApiError } from '../../core/errors.js'
import { assertDepth } from '../../core/json/depth.js'
import type { Config } from '../../core/settings/config.js'
import type { Peer } from './peer.js'
import { fromSentOutcome, toSentRequest, type SentFailure, type SentSuccess } from './protocol.js'

/**
 * Returns a function that throws `invalid-parameters-format` for params of too many objects and arrays: a call is sent in one piece,
 * before the other side checks that.
 */
export function createSizeCheck(
  { limits }: Config,
  definitions: readonly AnyMethod[]
): (request: Pick<Request, 'method' | 'params'>) => void {
  const measured = new Set(definitions.filter(each => !each.limitsDepth).map(({ id }) => id))
  return ({ method, params }) => {
    if (measured.has(method)) assertDepth(params, Infinity, limits.jsonContainers)
  }
}

/**
 * Makes a call at a peer. Rejects if it is unreachable. `Elsewhere` is the type of the response of a peer that does not serve
 * the user.
 */
export async function callPeer<Elsewhere extends string = never>(
  peer: Peer,
  config: Config,
  request: Request
): Promise<Outcome | Elsewhere> {
  try {
    const result = await peer.request('call', toSentRequest(config, request))
    const outcome = result as SentSuccess | SentFailure | Elsewhere
    return typeof outcome === 'string'
      ? outcome
      : fromSentOutcome(outcome, number => new RemoteRemainder(peer, number))
  } catch (error) {
    // Values that are nested too deeply cannot be cloned; the other side would refuse them, too.
    if (!(error instanceof ApiError)) assertDepth(request.params, config.limits.jsonDepth)
    throw error
  }
}

/** The remainder of a long result: requested text by text, and released if the reader stops early. */
export class RemoteRemainder extends TextSource {
  #isDone = false

  constructor(
    private readonly peer: Peer,
    private readonly number: number
  ) {
    super()
  }

  /** Requests the next text that is not empty. Rejects if the other side is gone, or with its error. */
  async next(): Promise<TextResult> {
    while (!this.#isDone) {
      const [text, isDone] = await this.#pull()
      // The result may have been released in the meantime.
      this.#isDone ||= isDone
      if (text !== '') return { done: false, value: text }
    }
    return { done: true, value: undefined }
  }

  async #pull(): Promise<readonly [text: string, isDone: boolean]> {
    try {
      return await this.peer.request('pull', this.number)
    } catch (error) {
      // The other side has dropped it.
      this.#isDone = true
      throw error
    }
  }

  /** Releases the rest at the other side, unless all has been read. Idempotent. */
  return(): Promise<TextResult> {
    if (!this.#isDone) this.peer.send('drop', this.number)
    this.#isDone = true
    return Promise.resolve({ done: true, value: undefined })
  }
}
