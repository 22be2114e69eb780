/** Calls made by another thread or node. */
import type { Outcome, Request } from '../../core/call/outcome.js'
import { TextSource, type TextResult } from '../../core/call/text-source.js'
import { ApiError } from '../../core/errors.js'
import { assertDepth } from '../../core/json/depth.js'
import { exactForm, isLong, writeJson } from '../../core/json/writer.js'
import type { Config } from '../../core/settings/config.js'
import { runInTurns } from '../../storage/steps.js'
import { getCalledUser, toAccountParty } from './called-user.js'
import type { Peer } from './peer.js'
import {
  fromSentOutcome,
  toSentRequest,
  type Operations,
  type SentFailure,
  type SentSuccess
} from './protocol.js'

/**
 * Makes a call at a peer. Rejects if it is unreachable. `Elsewhere` is the type of the response of a peer that does not serve
 * the user.
 */
export async function callPeer<Elsewhere extends string = never>(
  peer: Peer,
  config: Config,
  request: Request
): Promise<Outcome | Elsewhere> {
  const result = await sendCall(peer, config, toSentRequest(config, request))
  const outcome = result as SentSuccess | SentFailure | Elsewhere
  return typeof outcome === 'string'
    ? outcome
    : fromSentOutcome(outcome, number => new RemoteRemainder(peer, number))
}

/** Sends a call, long params as text. Throws `invalid-parameters-format` for params that are nested too deep. */
async function sendCall(peer: Peer, config: Config, request: Request): ReturnType<Operations['call']> {
  // Only long bodies have been checked yet. What is nested too deep can be neither written nor cloned.
  assertDepth(request.params, config.limits.jsonDepth)
  if (!isLong(request.params)) return await peer.request('call', request)
  let text = ''
  const write = writeJson(request.params, exactForm, chunk => (text += chunk))
  await runInTurns(write, toAccountParty(request))
  try {
    return await peer.request(
      'callWithText',
      { ...request, params: { username: getCalledUser(request) } },
      text
    )
  } catch (error) {
    // A node of version 0.1.0 does not know this operation. (docs/cluster.md#daily-operation)
    if (error instanceof ApiError && error.id === 'invalid-method') return await peer.request('call', request)
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
