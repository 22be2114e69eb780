/** All errors that callers can get: one table, one class, one function to throw them. (docs/spec/errors.md#error-ids) */
import { truncateText } from './truncate-text.js'

const table = {
  'invalid-request-structure': [400, 'The request is malformed'],
  'invalid-parameters-format': [400, "The parameters' format is invalid"],
  'unknown-referenced-resource': [400, 'A referenced resource does not exist'],
  'invalid-operation': [400, 'This operation is not allowed in the current state'],
  'invalid-item-id': [400, 'This ID is reserved or invalid'],
  'invalid-event-type': [400, 'This event type cannot be used here'],
  'missing-header': [400, 'A required header is missing'],
  'missing-parameter': [400, 'A required parameter is missing'],
  'invalid-parameter': [400, 'A parameter is invalid'],
  'invalid-code': [400, 'The code is incorrect, already used or expired'],
  'messaging-server-error': [400, 'The messaging service rejected the request'],
  'invalid-access-token': [401, 'Cannot find access from token.'],
  'invalid-credentials': [401, 'The given username/password pair is invalid.'],
  'user-intervention-required': [402, 'The account has reached its limits'],
  forbidden: [403, 'The access token does not permit this operation'],
  'unknown-resource': [404, 'The resource does not exist'],
  'invalid-method': [404, 'Unknown method'],
  'item-already-exists': [409, 'An item with these properties already exists'],
  'stale-resource': [409, 'This item has changed since it was read'],
  'removed-method': [410, 'This method has been removed from the API'],
  'too-many-results': [413, 'The result is too large for one response. Request fewer items'],
  'unsupported-content-type': [415, 'This content type is not supported'],
  'unavailable-method': [451, 'This method is turned off on this service'],
  'too-many-requests': [429, 'Too many attempts. Try again later'],
  'user-account-relocated': [301, 'This account has moved'],
  'unexpected-error': [500, 'An unexpected error occurred'],
  'corrupted-data': [
    500,
    'The data of this account is damaged or missing. Contact the operator of this service'
  ],
  'api-unavailable': [503, 'The service is temporarily unavailable'],
  'insufficient-storage': [507, 'The server has run out of storage']
} as const satisfies Record<string, readonly [status: number, message: string]>

/** Maximum length of a message in characters: what is named in it may be megabytes of names that a caller has sent. */
const maxMessageLength = 2000

/** The id by which clients distinguish errors. */
export type ErrorId = keyof typeof table

/** All ids of errors, with their statuses and messages. */
export const errorTable: Readonly<Record<ErrorId, readonly [status: number, message: string]>> = table

/** What an error may have besides its id and message. */
export interface ErrorDetails {
  /** Machine-readable details, shown as `error.data`. */
  data?: unknown
  /** Further errors, shown as `error.subErrors`. */
  subErrors?: readonly ApiError[]
  /** Members next to `error` in the response, e.g. `reserved: true`. */
  beside?: Readonly<Record<string, unknown>>
  /** Seconds after which another attempt makes sense (HTTP `Retry-After`). */
  retryAfter?: number
  /**
   * The HTTP status where it differs from the usual status of the error id: `corrupted-data` of a picture is 422.
   * (docs/spec/errors.md#error-ids)
   */
  status?: number
  /** Where the resource lives now (HTTP `Location`). */
  location?: string
  /** Set if the call needs a valid proof of a key (HTTP `WWW-Authenticate: DPoP …`). */
  needsProof?: true
  /** The access that the credentials named, where the call failed for another reason (e.g. it has expired). */
  accessId?: string
  /** The underlying error: for the log, never for the response. */
  cause?: unknown
}

/** An error that callers may see. Anything else that is thrown becomes an `unexpected-error`. */
export class ApiError extends Error {
  readonly status: number

  constructor(
    readonly id: ErrorId,
    message?: string,
    readonly details: ErrorDetails = {}
  ) {
    super(cutMessage(message ?? table[id][1]), { cause: details.cause })
    this.name = 'ApiError'
    this.status = details.status ?? table[id][0]
  }

  /** Errors about params always have a list as `data`. */
  private get publicData(): unknown {
    const { data } = this.details
    if (data !== undefined || this.id !== 'invalid-parameters-format') return data
    return [{ code: 'INVALID', message: this.message, path: '#' }]
  }

  /** Returns the public error object of docs/spec/errors.md#error-object. */
  toJSON(): Record<string, unknown> {
    const { subErrors } = this.details
    const data = this.publicData
    return {
      id: this.id,
      message: this.message,
      ...(data === undefined ? {} : { data }),
      ...(subErrors === undefined ? {} : { subErrors: subErrors.map(error => error.toJSON()) })
    }
  }
}

function cutMessage(message: string): string {
  return message.length > maxMessageLength ? `${truncateText(message, maxMessageLength)}…` : message
}

/** Ends the call with this error. `data` becomes `error.data`; see {@link ErrorDetails} for more. */
export function fail(id: ErrorId, message?: string, data?: unknown): never {
  throw new ApiError(id, message, data === undefined ? {} : { data })
}

/** Maximum number of characters of a caller's text that a message quotes. */
const maxQuotedLength = 100

/** Returns the beginning of a caller's text in quotation marks, for messages. */
export function quoteText(text: string): string {
  return `"${text.slice(0, maxQuotedLength)}"`
}
