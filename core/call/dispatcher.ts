/** The interface between transports and the core, which runs in the same thread or in the thread that owns the user's file. */
import type { Access } from '../../schemas/access.js'
import type { Scopes } from '../../schemas/scope.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { AuthRequestRepository } from '../../storage/platform/auth-requests.js'
import type { ExportDrafts } from '../../storage/transfer/export-drafts.js'
import type { Config } from '../settings/config.js'
import type { EventTypes } from '../event-types/directory.js'
import type { UploadBuffers } from '../security/upload-buffer.js'
import type { Log } from '../log.js'
import type { LongResponses } from '../security/long-responses.js'
import type { AnyMethod } from './method.js'
import type { Failure, Outcome, Request } from './outcome.js'
import type { Previews } from '../previews/previews.js'
import type { Clock } from '../time.js'
import type { Credentials } from './credentials.js'
import type { Account } from '../../storage/platform/account.js'

/** Services that transports use directly. None needs a user's file. */
export interface SharedServices {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** File contents do not pass through the core: transports read and write them. */
  readonly attachments: AttachmentStore
  /** Previews, which do not pass through the core either. */
  readonly previews: Pick<Previews, 'bytes'>
  /** Exports, which are built from copies of users' files. */
  readonly exports: Pick<ExportDrafts, 'open' | 'discard'>
  readonly eventTypes: EventTypes
  /** Requests of apps. An OAuth code belongs to a request, which names the account. */
  readonly authRequests: Pick<AuthRequestRepository, 'find'>
  /** Resolves once accounts and requests that other nodes have just changed are known here. */
  readonly catchUp: () => Promise<void>
  /** Limits the memory for request bodies. */
  readonly uploadBuffers: UploadBuffers
  /** Limits the number of long responses that are being sent. */
  readonly longResponses: LongResponses
  readonly accounts: {
    /** Returns an active account. Names are compared exactly, so they must be in lower case. */
    find(username: string): Account | undefined
    /** Like `find`, but includes accounts that are closed because their deletion is scheduled. */
    findServed(username: string): Account | undefined
    /** Returns the new URL of an account that has moved. */
    getRelocationUrl(username: string): string | undefined
    /** True if an operator has suspended the account. */
    isSuspended(username: string): boolean
    /** Returns the time at which an account closed by its owner will be deleted, in seconds. */
    getDeletionTime(username: string): number | undefined
  }
}

/** The result of a precheck that allows the call. */
export interface PrecheckResult {
  readonly ok: true
  /** Bytes left in the account; `Infinity` without a quota. */
  readonly room: number
  /** Id of the caller's access; `undefined` if the method needs none. */
  readonly accessId?: string | undefined
}

export interface Dispatcher {
  readonly services: SharedServices
  readonly definitions: readonly AnyMethod[]
  /** Makes one call. Never rejects, never throws. Returns synchronously if nothing had to wait. */
  call(request: Request): Promise<Outcome> | Outcome
  /**
   * Checks, before the body is read, whether the caller may make a call. Returns how much may be uploaded, or
   * the error. A refusal is recorded in the audit; success does not count as a call.
   */
  precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | Failure> | PrecheckResult | Failure
  /** Returns an error if the caller is no longer allowed to read the rest of a response. Not counted as a call. */
  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined
}

/** Receives notifications. Neither function may throw or block. */
export interface Subscriber {
  /** Called with each message that the socket is to send. */
  notify(message: string, payload?: object): void
  /** Called when the access has ended; nothing is sent afterwards. */
  close(): void
}

/** An account, and credentials that are valid for this account. */
export interface AuthenticatedUser {
  readonly account: Account
  readonly credentials: Credentials
}

/** A subscription to changes. */
export interface Subscription {
  /** Runs `subscribe`, `unsubscribe` or `getSubscriptions` and returns its result. Throws like any method. */
  runMethod(method: string, params: unknown): Promise<object> | object
  /** Ends the subscription. */
  unsubscribe(): void
}

/** Notifies connected clients of changes. */
export interface Notifier {
  /**
   * Authenticates a client. Errors as for any call: unknown user, invalid token, refusal by the operator's
   * authorization step.
   */
  admit(username: string, credentials: Credentials): Promise<AuthenticatedUser>
  /** Subscribes to changes. Returns `undefined` if the access has ended since it was admitted. */
  join(
    admitted: AuthenticatedUser,
    subscriber: Subscriber
  ): Promise<Subscription | undefined> | Subscription | undefined
}

/** An access whose token is valid. */
export interface AdmittedAccess extends AuthenticatedUser {
  readonly access: Access
}

/** An access that gets notifications. */
export interface SubscribedAccess extends AdmittedAccess, Subscription {
  /**
   * With scopes, the subscriber is notified of matching changes only; without scopes, it gets the API's own messages.
   */
  scopes: Scopes | undefined
  /** Characters of the scopes as JSON, before any were cut. */
  scopesLength: number
}
