/** Errors of calls: those returned by the service, and failed requests. */

/** Optional members of an error. */
export interface ErrorDetails {
  /** HTTP status; missing for calls in a batch or over a socket. */
  readonly status?: number | undefined
  /** Seconds to wait before another attempt. */
  readonly retryAfter?: number | undefined
  /** Further errors, as returned by the service. */
  readonly subErrors?: readonly unknown[] | undefined
}

/**
 * An error of the service or of the connection. `id` is an error id of the API, such as `forbidden` or
 * `unknown-resource`, or an id of the client itself: `offline` if there was no response, `timeout` if the response took
 * too long. (docs/spec/errors.md#error-ids)
 */
export class CofferError extends Error {
  override readonly name: string = 'CofferError'
  readonly status: number | undefined
  readonly retryAfter: number | undefined
  readonly subErrors: readonly unknown[]

  /** `data`: machine-readable details, depending on the id. */
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

/** The `error` of a response; its members are not validated. */
export type ErrorBody = Readonly<Record<string, unknown>>

/** Converts the `error` of a response. Malformed members get defaults. */
export function toCofferError(
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

/** Members of successful results that may also have an `error`: items with an id, and the result of `accesses.checkApp`. */
const resultMembers = ['id', 'checkedPermissions']

/** Returns the error that a batch returned in place of a result; undefined for a result. */
export function findError(result: object): CofferError | undefined {
  const { error } = result as { error?: ErrorBody }
  return error === undefined || resultMembers.some(name => name in result) ? undefined : toCofferError(error)
}

/** Parses a `Retry-After` header, a number of seconds or a date. Returns seconds; undefined if it is missing or malformed. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  const retryAfter = Number.isNaN(seconds) ? (Date.parse(value) - Date.now()) / 1000 : seconds
  return Number.isNaN(retryAfter) ? undefined : Math.max(0, retryAfter)
}
