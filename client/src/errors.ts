/** What a call is refused with, or why it got no answer. */

/** What an error may have besides its id and message. */
export interface ErrorDetails {
  /** The status of the answer; missing for calls in a batch or over a socket. */
  readonly status?: number | undefined
  /** Seconds to wait before another attempt. */
  readonly retryAfter?: number | undefined
  /** Further errors, as the service told them. */
  readonly subErrors?: readonly unknown[] | undefined
}

/**
 * An error of the service, or of the way to it. `id` is one of the ids of the API, such as `forbidden` or `unknown-resource`, or
 * one of the client: `offline` if there was no answer, `timeout` if it took too long. (docs/spec/errors.md#error-ids)
 */
export class CofferError extends Error {
  override readonly name: string = 'CofferError'
  readonly status: number | undefined
  readonly retryAfter: number | undefined
  readonly subErrors: readonly unknown[]

  /** `data`: what programs need to know of it, by its id. */
  constructor(
    readonly id: string,
    message: string,
    readonly data?: unknown,
    { retryAfter, status, subErrors = [] }: ErrorDetails = {}
  ) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
    this.subErrors = subErrors
  }
}

/** The `error` of an answer, as far as it is well-formed. */
export type ErrorBody = Readonly<Record<string, unknown>>

/** Returns what the `error` of an answer says. */
export function errorOf(
  { id, message, data, subErrors }: ErrorBody = {},
  details: Omit<ErrorDetails, 'subErrors'> = {}
): CofferError {
  return new CofferError(
    typeof id === 'string' ? id : 'unexpected-error',
    typeof message === 'string' ? message : '',
    data,
    { ...details, ...(Array.isArray(subErrors) ? { subErrors } : {}) }
  )
}

/** Members of results that may have an `error` beside them: a thing with an id, and what `accesses.checkApp` answers. */
const ofResults = ['id', 'checkedPermissions']

/** Returns the error in place of a result, if there is one. */
export function errorIn(result: object): CofferError | undefined {
  const { error } = result as { error?: ErrorBody }
  return error === undefined || ofResults.some(name => name in result) ? undefined : errorOf(error)
}

/** Returns the seconds that an answer asks to wait: a number of seconds or a date. */
export function retryAfterIn(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? (Date.parse(value) - Date.now()) / 1000 : seconds
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
