/** The requests that transports make, and their outcomes. */
import {
  AccountClosing,
  AccountElsewhere,
  AccountGone,
  AccountMoved,
  AccountSuspended,
  SpoolsFull,
  StoreBusy,
  StorageFull,
  StoreDamaged,
  StoreTooNew,
  StoreUnavailable,
  Unconfirmed
} from '../../storage/errors.js'
import type { Attachment } from '../../schemas/event.js'
import type { Preview } from '../previews/previews.js'
import type { Caller } from '../permissions/caller.js'
import { ApiError } from '../errors.js'
import type { Log } from '../log.js'
import { createClosingError, createRelocatedError, createSuspendedError } from '../unknown-user.js'
import type { Credentials } from './credentials.js'
import type { TextSource } from './text-source.js'
import type { ReceivedFile } from '../../storage/files/attachments.js'

/** One call of a transport. */
export interface Request {
  /** The user name in lower case; `undefined` for methods of the service. */
  readonly user?: string | undefined
  readonly method: string
  readonly params: unknown
  readonly credentials: Credentials
  /** Aborts once the response is not expected any more. Not passed on to other threads and nodes. */
  readonly signal?: AbortSignal | undefined
  /** Set if a document should be returned as plain text instead of JSON. */
  readonly isDocument?: true
  /** Set if the result must be complete, without a `remainder`. Further error: `too-many-results`. (docs/spec/batch.md#limits) */
  readonly isWhole?: true
  /** Maximum length of a complete result in characters; a longer result is refused while it is assembled. */
  readonly maxLength?: number
  /** Uploaded files. After the call, the transport discards those that have not been stored. */
  readonly files?: readonly UploadedFile[]
}

/** What a transport needs to know of a result besides its text. */
export interface Facts {
  /** The status of the response. */
  readonly code?: number
  /** Whether a sign-in still needs the second factor. */
  readonly isPending?: boolean
  /**
   * The token of a sign-in, and the result without it, for pages, which do not receive the token. `username` is set if the call did
   * not name the user.
   */
  readonly signedIn?: {
    readonly token: string
    readonly publicResult: object
    readonly username?: string
  }
  /** The whole response, as plain text. */
  readonly text?: string
  /** The server to redirect to. */
  readonly server?: string
  /** The items to show as a table. */
  readonly rows?: readonly object[]
  /** The type and name of a document. `isBinary`: its text is in Latin-1, a character for each byte. */
  readonly document?: { readonly mediaType: string; readonly fileName: string; readonly isBinary: boolean }
  /** The file to send. */
  readonly attachment?: Attachment
  /** The preview to send; `null` if there is none. */
  readonly preview?: Preview | null
  /** The copy of the account to export. */
  readonly draft?: string
  /** How to export the account as a folder. */
  readonly folder?: { readonly zone: string; readonly language: 'en' | 'de' | 'fr' }
}

export interface Success {
  readonly ok: true
  /** The members of the result as JSON text, without braces; complete unless there is a `remainder`. */
  readonly members: string
  /** Identifies this version of the response; changes if the same call could have another response. */
  readonly validator?: string | undefined
  /** Set if the client already has this version. Then `members` is empty. */
  readonly isUnchanged?: boolean | undefined
  /** Index at which to split `members` into two chunks that are sent separately. */
  readonly cut?: number | undefined
  /** Number of UTF-8 bytes in `members` minus the number of characters, if known. Saves the transport from counting. */
  readonly extraBytes?: number | undefined
  /** The rest of `members`, page by page. Read it to the end, or call `return`. */
  readonly remainder?:
    | (AsyncGenerator<string, void, undefined> & Pick<Partial<TextSource>, 'isAscii' | 'nextChunk'>)
    | undefined
  /** Set if the result is a list. */
  readonly isList?: boolean | undefined
  /** Returns the number of list items returned so far. */
  readonly items?: () => number
  readonly accessId?: string | undefined
  readonly facts?: Facts | undefined
}

export interface Failure {
  readonly ok: false
  readonly error: ApiError
  /** Set once the token has been found, even if the call then fails. */
  readonly accessId?: string
}

export type Outcome = Success | Failure

/** Returns a request with params. */
export function createRequest(
  { user, method, credentials }: Omit<Request, 'params'>,
  params: unknown
): Request {
  // Spreading would create objects of varying shapes, which slow down all code that reads them.
  return { user, method, params, credentials }
}

/** Creates a success; `text` contains the members of its result. */
export function createSuccess(
  text: string,
  accessId?: string,
  validator?: string,
  facts?: Facts,
  extraBytes?: number
): Success {
  return { ok: true, members: text, extraBytes, accessId, validator, facts }
}

/** Creates a success for a client that already has the current version. */
export function createUnchanged(validator: string, accessId?: string): Success {
  return { ok: true, members: '', validator, isUnchanged: true, accessId }
}

/** Returns true if the client has the response with this validator. */
export function isCachedByClient(
  { ifNoneMatch }: Pick<Credentials, 'ifNoneMatch'>,
  validator: string
): boolean {
  return ifNoneMatch?.includes(`"${validator}"`) ?? false
}

/** Returns a thrown value as an error of the API, with the id of the caller's access. */
export function addAccessId(error: unknown, caller: Caller): ApiError {
  const known = toApiError(error)
  if (caller.access && known.details.accessId === undefined) known.details.accessId = caller.access.id
  return known
}

/** Converts a thrown value to a failure. Internal errors are logged and replaced by `unexpected-error`. */
export function toFailure(log: Log, thrown: unknown, method: string): Failure {
  const error = toApiError(thrown)
  if (error.status >= 500)
    log.error('call failed', { method, errorId: error.id, cause: error.details.cause ?? error })
  const { accessId } = error.details
  return { ok: false, error, ...(accessId === undefined ? {} : { accessId }) }
}

/** Converts a thrown value to an error of the API. Internal errors become `unexpected-error`, with the original as their cause. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof AccountGone)
    return new ApiError('unknown-resource', `Unknown user "${thrown.username}"`)
  if (thrown instanceof AccountMoved) return createRelocatedError(thrown.url)
  if (thrown instanceof AccountSuspended) return createSuspendedError()
  if (thrown instanceof AccountClosing) return createClosingError(thrown.deletion)
  if (thrown instanceof StorageFull) return new ApiError('insufficient-storage', undefined, { cause: thrown })
  if (thrown instanceof StoreBusy)
    return new ApiError('api-unavailable', 'Too many changes to this account are pending. Try again later', {
      retryAfter: 5
    })
  if (thrown instanceof Unconfirmed)
    return createUnknownResultError(
      'The result of this call is unknown. Check whether it took effect',
      thrown
    )
  if (thrown instanceof StoreUnavailable || thrown instanceof AccountElsewhere)
    return new ApiError('api-unavailable', 'This account is temporarily unreachable. Try again', {
      retryAfter: 1,
      cause: thrown
    })
  if (thrown instanceof SpoolsFull)
    return new ApiError('api-unavailable', 'Too many responses are waiting to be read. Try again later', {
      retryAfter: 10
    })
  if (thrown instanceof StoreTooNew)
    return new ApiError(
      'api-unavailable',
      'This account was last used with a newer version of this service. Install that version to make it available again',
      { retryAfter: 600, cause: thrown }
    )
  if (thrown instanceof StoreDamaged) return new ApiError('corrupted-data', undefined, { cause: thrown })
  return new ApiError('unexpected-error', undefined, { cause: thrown })
}

/**
 * Converts a value thrown after a call has written. The error neither asks the client to retry nor causes a retry here: that would
 * write twice. (docs/spec/errors.md#retrying)
 */
export function toErrorAfterWrite(thrown: unknown): ApiError {
  const error = toApiError(thrown)
  return error.details.retryAfter === undefined ? error : createUnknownResultError(resultUnavailable, thrown)
}

const resultUnavailable = 'The call took effect, but its result is unavailable at the moment'

/** Creates an error without `retryAfter`: that detail would say that nothing has been written. */
function createUnknownResultError(message: string, cause: unknown): ApiError {
  return new ApiError('api-unavailable', message, { cause })
}

/** An uploaded file, received by the attachment store. */
export interface UploadedFile {
  readonly fileName: string
  /** MIME type given by the sender. */
  readonly type: string
  readonly received: ReceivedFile
}
