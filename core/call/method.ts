/** The definition of a method, and what it receives when it runs. */
import type { Static, TSchema } from 'typebox'
import type { Attachment } from '../../schemas/event.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import type { Credentials } from './credentials.js'
import type { Services } from './services.js'
import type { Facts } from './outcome.js'
import type { Reader } from './reader.js'
import type { Account } from '../../storage/platform/account.js'

/** What a method of the service receives: no user, no store. */
export interface ServiceCall {
  readonly services: Services
  readonly credentials: Credentials
  /** Time in seconds, the same for the whole call. */
  readonly now: number
}

/** What a user's method receives. Created for every call, including those in a batch. Valid until `run` returns. */
export interface Call extends ServiceCall {
  readonly account: Account
  readonly caller: Caller
  readonly store: UserStore
  /** Changes made by the call, published once they are durable. */
  readonly changes: Changes
  /** The data that the call has read, for the audit. Set by methods that read stored data. */
  reach: AuditScope | undefined
  /** The provider that has vouched for the user, for the audit. Set by methods that sign in. */
  provider: string | undefined
  /** Who the method has found to be calling, for the audit: set by methods whose callers prove it by something else than a token. */
  actor: Caller | undefined
  /** Uploaded files, already moved to their place. The event that `run` writes has to refer to them. */
  readonly files: readonly Attachment[]
}

/** The result of a method: an object whose values may be `JsonText`, listings or plain values. */
export type Result = object

interface Definition<P extends TSchema> {
  /** `resource.action`. */
  readonly id: string
  /** What it does, in one phrase without a full stop: for the description of the API. */
  readonly summary: string
  readonly params: P
  /** Set if the schema limits the depth of its params, so that the general check is skipped. */
  readonly boundsDepth?: true
  /** Schema of the result; checked in tests. */
  readonly result: TSchema
  readonly allow: Allow
  /** What transports need to know of the result besides its text. */
  facts?(result: object): Facts
  /**
   * What the audit records in place of an access, for calls that are authenticated in another way. Of the service's
   * own methods, only those with this member are sent to the syslog.
   */
  readonly auditAs?: StandIn
}

/** Names in the audit for calls without an access. (docs/spec/audit.md#words-for-accesses) */
export type StandIn =
  | 'valid-password'
  | 'valid-identity'
  | 'valid-passkey'
  | 'password-reset-request'
  | 'password-reset-token'
  | 'admin'
  | 'public'
  | 'invalid'

/** What a method does at once. */
interface AtOnce<P extends TSchema, Prepared> {
  /** Synchronous; for a write, one transaction. */
  run(call: Call, params: Static<P>, prepared: Prepared): Result
  readonly isLong?: undefined
}

/** What a method does in steps, between which it yields to the event loop if the call is long: on the draft of a store. */
interface InSteps<P extends TSchema> {
  /** One transaction. If the call is not long, all steps are made at once. */
  run(call: Call, params: Static<P>): Steps<Result>
  /** Estimates whether a call takes long. In a batch, the params have not been checked yet. */
  isLong(store: UserStore, params: Static<P>): boolean
}

/** A method on one user's data. */
export type UserMethod<P extends TSchema = TSchema, Prepared = unknown> = UserRules<P, Prepared> &
  (AtOnce<P, Prepared> | InSteps<P>)

/** How calls of a method on one user's data are made. */
interface UserRules<P extends TSchema, Prepared> extends Definition<P> {
  /** `read` sees one snapshot of the data; `write` is one transaction, on disk before its response is sent. */
  readonly mode: 'read' | 'write'
  /**
   * Whether a read returns the same result for the same params until something changes, regardless of the time. Only
   * then does it have a validator.
   */
  isRepeatable?(params: Static<P>): boolean
  /** The part of a repeatable response that may change without the caller being notified: included in the validator. */
  untold?(call: Call, params: Static<P>): unknown
  /** Whether the call may have files: see `Call.files`. */
  readonly takesFiles?: true
  /** Whether it is allowed when the quota is used up, such as deletions and signing in. See core/dispatch/quota.ts. */
  readonly mayExceedQuota?: true
  /** Set if it works on an account that is scheduled for deletion, too: signing in, keeping the account, giving back a token. */
  readonly whileClosing?: true
  /** Asynchronous work (hashing, network) before the transaction. Its result is the third argument of `run`. */
  prepare?(call: Call, params: Static<P>): Promise<Prepared>
  /**
   * Throws if the caller may not have the rest of a response whose content the transport streams. Called repeatedly
   * while it does. By default, only the access itself is checked.
   */
  mayGoOn?(reader: Reader, params: Static<P>): void
  /**
   * Returns the name of the user whom the params name, which have not been checked yet: for calls at the root of the service,
   * before it is known who calls.
   */
  userIn?(services: Services, params: unknown): string | undefined
  /** Called if the user is unknown; by default the error is `unknown-resource`. */
  unknownUser?(call: ServiceCall, username: string, params: Static<P>): Promise<Result>
}

/** A method of the service, independent of any user's data. */
export interface ServiceMethod<P extends TSchema = TSchema> extends Definition<P> {
  readonly mode: 'service'
  /** Whether the result depends on the settings only. Then it has a validator. */
  readonly isConstant?: true
  /**
   * Set if it changes something as an operator. Returns what of its params is recorded among the deeds of operators;
   * `undefined` for a call that changes nothing.
   */
  deed?(params: Static<P>): Readonly<Record<string, unknown>> | undefined
  run(call: ServiceCall, params: Static<P>): Promise<Result> | Result
}

/** `callBatch`, the only method that calls others. */
export interface BatchMethod<P extends TSchema = TSchema> extends Definition<P> {
  readonly mode: 'batch'
  /** The calls to make, in order. */
  calls(params: Static<P>): readonly unknown[]
}

/** Any method, with its types erased for the registry. */
// oxlint-disable-next-line no-explicit-any -- the only place where generics are erased
export type AnyMethod = UserMethod<any, any> | ServiceMethod<any> | BatchMethod<any>

/** Defines a method on a user's data. */
export function method<P extends TSchema, Prepared = undefined>(
  definition: UserRules<P, Prepared> & AtOnce<P, Prepared>
): UserRules<P, Prepared> & AtOnce<P, Prepared> {
  return definition
}

/** Defines a method on a user's data whose calls may take long. */
export function methodInSteps<P extends TSchema>(
  definition: UserRules<P, undefined> & InSteps<P>
): UserRules<P, undefined> & InSteps<P> {
  return definition
}

/** Defines a method of the service. */
export function serviceMethod<P extends TSchema>(definition: ServiceMethod<P>): ServiceMethod<P> {
  return definition
}

/** The input of the decision. `params` are as sent, not validated yet. */
export interface Asking {
  readonly services: Services
  readonly caller: Caller
  readonly credentials: Credentials
  readonly params: unknown
}

export interface Allow {
  /** Whether a token is required. Without one, the caller has no access and no permissions. */
  readonly needsAccess: boolean
  /** Whether the credentials alone decide, so that the body need not be read first. */
  readonly isByCredentials?: true
  /** Whether operators who are signed in on the service's own pages may call it: `credentials.operator` is set then. */
  readonly isForOperators?: true
  /** Throws `forbidden` if the call is not allowed. */
  check?(asking: Asking): void
}
