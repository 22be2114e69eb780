/** Calls methods on behalf of an assistant, with results short enough for a model. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ApiError } from '../../core/errors.js'
import { isObject } from '../../core/validation/is-object.js'
import type { EndpointMessage } from '../endpoints.js'

/** Longest result, in characters. A model could not process more. */
const maxLength = 200_000

/** The result of a call, or its error. */
export type AssistantResult =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly error: Pick<ApiError, 'id' | 'message'> }

/** Makes calls on the account of one user, with the access whose token came with the message. */
export class AssistantCalls {
  #isReadOnly = true

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly message: Pick<EndpointMessage, 'user' | 'credentials'>
  ) {}

  /** Whether all calls so far were reads. */
  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  /**
   * Makes a call. The result is without the token of an access. A refusal is returned; that of a read whose
   * result is too long says what to do.
   */
  async call(method: string, params: unknown): Promise<AssistantResult> {
    const { user } = this.message
    if (!this.#isRead(method)) this.#isReadOnly = false
    const credentials = { ...this.message.credentials, isAssistant: true } as const
    const request = { user, method, params, credentials, isWhole: true, maxLength } as const
    const outcome = await this.dispatcher.call(request)
    if (!outcome.ok) {
      const isTooLong = outcome.error.id === tooLongError.id && this.#isRead(method)
      return { ok: false, error: isTooLong ? tooLongError : outcome.error }
    }
    const { access, ...value } = omitToken(JSON.parse(`{${outcome.members}}`) as Record<string, unknown>)
    return { ok: true, value: isObject(access) ? { access: omitToken(access), ...value } : value }
  }

  #isRead(method: string): boolean {
    return this.dispatcher.definitions.some(({ id, mode }) => id === method && mode === 'read')
  }

  /** Returns whether the access may change anything. Returns false if that cannot be read. */
  async mayWrite(): Promise<boolean> {
    const info = await this.call('getAccessInfo', {})
    if (!info.ok) return false
    const { type, permissions } = info.value as {
      type: string
      permissions?: readonly { level?: string }[]
    }
    return type === 'personal' || (permissions ?? []).some(({ level = 'read' }) => !readOnlyLevels.has(level))
  }
}

function omitToken(item: Record<string, unknown>): Record<string, unknown> {
  const { apiEndpoint: _endpoint, token: _token, ...rest } = item
  return rest
}

/** Levels that allow no change. */
const readOnlyLevels = new Set(['read', 'none'])

const tooLongError: Pick<ApiError, 'id' | 'message'> = {
  id: 'too-many-results',
  message: `The result has more than ${maxLength} characters. Request fewer items`
}
