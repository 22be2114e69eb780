/** What transports hand over, and what they get back. */
import {
  AccountGone,
  AccountMoved,
  SpoolsFull,
  StorageFull,
  StoreDamaged,
  StoreTooNew
} from '../../storage/errors.js'
import type { Attachment } from '../../schemas/event.js'
import type { Preview } from '../previews/previews.js'
import type { Caller } from '../permissions/caller.js'
import { ApiError } from '../errors.js'
import type { Log } from '../log.js'
import { relocated } from '../unknown-user.js'
import type { Credentials } from './credentials.js'
import type { ReceivedFile } from '../../storage/files/attachments.js'

/** One call, as a transport hands it over. */
export interface Request {
  /** The user's name, lower case; none for methods of the service itself. */
  readonly user?: string | undefined
  readonly method: string
  readonly params: unknown
  readonly credentials: Credentials
  /** Files that came with the call. The transport discards what has not been put in place afterwards. */
  readonly files?: readonly UploadedFile[]
}

/** What a transport has to know of a result beside its text: not what to answer, but how. */
export interface Facts {
  /** The status of the answer. */
  readonly code?: number
  /** Whether a sign-in still waits for its second factor. */
  readonly isPending?: boolean
  /** All that the answer is to say, as plain text. */
  readonly text?: string
  /** The server that clients are sent to. */
  readonly server?: string
  /** The items that can be shown as a table. */
  readonly rows?: readonly object[]
  /** The file whose bytes are answered. */
  readonly attachment?: Attachment
  /** The preview whose bytes are answered; `null`: there is none. */
  readonly preview?: Preview | null
  /** The copy of an account that an export is made from. */
  readonly draft?: string
}

export interface Success {
  readonly ok: true
  /** The result's members as JSON text, without braces; complete unless there is a `rest`. */
  readonly members: string
  /** Tells this answer from those that the same call had before and may have later. */
  readonly validator?: string | undefined
  /** Whether the client has this answer already: then there are no `members`. */
  readonly isUnchanged?: boolean | undefined
  /** Where in `members` another piece of the answer begins: two pieces are sent apart. */
  readonly cut?: number | undefined
  /** By how much the bytes of `members` outnumber its characters, where that is known: counting them takes a while. */
  readonly extraBytes?: number | undefined
  /** Continues `members`, page by page, to their end. Pull it, or `return` it. */
  readonly remainder?: AsyncGenerator<string, void, undefined> | undefined
  /** Number of list items in what was handed over so far. */
  readonly items?: () => number
  readonly accessId?: string | undefined
  readonly facts?: Facts | undefined
}

export interface Failure {
  readonly ok: false
  readonly error: ApiError
  /** Known as soon as the token is, also when the call then fails. */
  readonly accessId?: string
}

export type Outcome = Success | Failure

/** The request with these params. */
export function withParams({ user, method, credentials }: Omit<Request, 'params'>, params: unknown): Request {
  // Named one by one: what is spread has a shape of its own each time, which all that reads it pays for.
  return { user, method, params, credentials }
}

/** A success; `text` holds the members of its result. */
export function success(text: string, accessId?: string, validator?: string, facts?: Facts): Success {
  return { ok: true, members: text, accessId, validator, facts }
}

/** A success that the client has the answer of. */
export function unchanged(validator: string, accessId?: string): Success {
  return { ok: true, members: '', validator, isUnchanged: true, accessId }
}

/** Whether a client says that it has the answer of this validator. */
export function isKnown({ ifNoneMatch }: Pick<Credentials, 'ifNoneMatch'>, validator: string): boolean {
  return ifNoneMatch?.includes(`"${validator}"`) ?? false
}

/** The same error, telling whose call it was. */
export function withAccess(error: unknown, caller: Caller): ApiError {
  const known = toApiError(error)
  if (caller.access && known.details.accessId === undefined) known.details.accessId = caller.access.id
  return known
}

/** What a thrown thing is to the caller. What is not meant for callers is logged and becomes a general error. */
export function failureOf(log: Log, thrown: unknown, method: string): Failure {
  const error = toApiError(thrown)
  if (error.status >= 500)
    log.error('call failed', { method, errorId: error.id, cause: error.details.cause ?? error })
  const { accessId } = error.details
  return { ok: false, error, ...(accessId === undefined ? {} : { accessId }) }
}

/** What a thrown thing is in the terms of the API. What nobody was to see becomes a general error that keeps its cause. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof AccountGone)
    return new ApiError('unknown-resource', `Unknown user "${thrown.username}"`)
  if (thrown instanceof AccountMoved) return relocated(thrown.url)
  if (thrown instanceof StorageFull) return new ApiError('insufficient-storage', undefined, { cause: thrown })
  if (thrown instanceof SpoolsFull)
    return new ApiError('api-unavailable', 'Too many answers wait to be taken. Please try again later', {
      retryAfter: 10
    })
  if (thrown instanceof StoreDamaged || thrown instanceof StoreTooNew)
    return new ApiError('corrupted-data', undefined, { cause: thrown })
  return new ApiError('unexpected-error', undefined, { cause: thrown })
}

/** A file that came with a call: its bytes wait in the attachment store. */
export interface UploadedFile {
  readonly fileName: string
  /** MIME type, as the sender names it. */
  readonly type: string
  readonly received: ReceivedFile
}
