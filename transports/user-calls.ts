/** Calls of methods on one user's account, for endpoints that answer in formats of their own. */
import type { Credentials } from '../core/call/credentials.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { isLargeJson, readJson, unlimited } from '../core/json/reader.js'
import { runInTurns } from '../storage/steps.js'

/** Makes calls with the access of a request. */
export class UserCalls {
  constructor(
    private readonly dispatcher: Pick<Dispatcher, 'call'>,
    private readonly user: string,
    private readonly credentials: Credentials,
    private readonly signal?: AbortSignal
  ) {}

  /**
   * Makes a call and returns its result. `maxLength`: the maximum length of the result, in characters. Throws the `ApiError`
   * of a refusal: `too-many-results` for longer results. Once the signal has aborted, makes none, and throws its reason.
   */
  async call<T>(method: string, params: object, maxLength = Infinity): Promise<T> {
    this.signal?.throwIfAborted()
    const { credentials, user } = this
    const request = { user, method, params, credentials, isWhole: true, maxLength } as const
    const outcome = await this.dispatcher.call(request)
    if (!outcome.ok) throw outcome.error
    const text = `{${outcome.members}}`
    return (isLargeJson(text) ? await runInTurns(readJson(text, unlimited)) : JSON.parse(text)) as T
  }
}
