/** Calls of methods on behalf of an assistant, whose results are texts that it can take in. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ApiError } from '../../core/errors.js'
import type { Message } from '../user-endpoint.js'

/** Longest result, in characters. A model can take in no more. */
const longest = 200_000

/** A result, or why there is none. */
export type Told =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly error: Pick<ApiError, 'id' | 'message'> }

/** The data of one user, as whoever sent the message may see it. */
export class Data {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly message: Pick<Message, 'user' | 'credentials'>
  ) {}

  /** Makes a call. Its own token stays out of what an assistant is told. */
  async call(method: string, params: unknown): Promise<Told> {
    const { credentials, user } = this.message
    const request = { user, method, params, credentials, isWhole: true, maxLength: longest } as const
    const outcome = await this.dispatcher.call(request)
    if (!outcome.ok) {
      const isTooLong = outcome.error.id === tooLong.id && this.#isRead(method)
      return { ok: false, error: isTooLong ? tooLong : outcome.error }
    }
    const { token: _token, apiEndpoint: _endpoint, ...value } = JSON.parse(`{${outcome.members}}`)
    return { ok: true, value }
  }

  #isRead(method: string): boolean {
    return this.dispatcher.definitions.some(({ id, mode }) => id === method && mode === 'read')
  }

  /** Whether there is anything that the access may change. */
  async mayWrite(): Promise<boolean> {
    const info = await this.call('getAccessInfo', {})
    if (!info.ok) return false
    const { type, permissions } = info.value as {
      type: string
      permissions?: readonly { level?: string }[]
    }
    return type === 'personal' || (permissions ?? []).some(({ level = 'read' }) => !readOnly.has(level))
  }
}

/** Levels that allow no change. */
const readOnly = new Set(['read', 'none'])

const tooLong: Pick<ApiError, 'id' | 'message'> = {
  id: 'too-many-results',
  message: `The result has more than ${longest} characters. Request fewer items`
}
