/** The definition of a method, the call that it receives, and method names that have no definition of their own. */
import type { Static, TSchema } from 'typebox'
import type { Attachment } from '../../schemas/event.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import { Changes } from '../changes.js'
import type { Credentials } from './credentials.js'
import type { Config } from '../settings/config.js'
import type { Services } from './services.js'
import type { Facts } from './outcome.js'
import type { Reader } from './reader.js'
import type { Account } from '../../storage/platform/account.js'

/** The call that a method of the service receives: without a user and a store. */
export interface ServiceCall {
  readonly services: Services
  readonly credentials: Credentials
  /** Time in seconds, the same for the whole call. */
  readonly now: number
  /** See `Request`. */
  readonly signal?: AbortSignal | undefined
}

/** The call that a user's method receives. Created for every call, including those in a batch. Valid until `run` returns. */
export interface Call extends ServiceCall {
  readonly account: Account
  readonly caller: Caller
  readonly store: UserStore
  /** Changes made by the call, published once they are durable. */
  readonly changes: Changes
  /** The data that the call has read, for the audit. Set by methods that read stored data. */
  auditScope: AuditScope | undefined
  /** The identity provider that has authenticated the user, for the audit. Set by methods that sign in. */
  provider: string | undefined
  /** The authenticated caller, for the audit. Set by methods whose callers authenticate without a token. */
  actor: Caller | undefined
  /** True if the call is allowed although the quota is used up. Set by hooks. */
  mayExceedQuota: boolean
  /** Uploaded files, already stored. The event that `run` writes must refer to them. */
  readonly files: readonly Attachment[]
}

/** The result of a method: an object whose values may be `JsonText`, listings or plain values. */
export type Result = object

/** Describes a method, without who may call it. */
interface Description<P extends TSchema> {
  /** `resource.action`. */
  readonly id: string
  /** Describes the method in one phrase without a full stop, for the API description. */
  readonly summary: string
  readonly params: P
  /** Set if the schema limits the depth of the params, so that the general check is skipped. */
  readonly limitsDepth?: true
  /** Schema of the result; checked in tests. */
  readonly result: TSchema
  /** Set if only transports of the service call it: it is not part of the API, and not listed. */
  readonly isInternal?: true
  /** Returns true if the settings remove it from the API: calls fail with `removed-method`. */
  isRemoved?(config: Config): boolean
  /** Returns what transports need to know of a result besides its text. */
  facts?(result: object): Facts
}

interface Definition<P extends TSchema> extends Description<P> {
  readonly allow: AccessRule
  /**
   * Recorded in the audit in place of an access, for calls that are authenticated in another way. Of the service's own methods,
   * only those with this member are sent to the syslog.
   */
  readonly auditActor?: AuditActor
}

/** Names in the audit for calls without an access. (docs/spec/audit.md#words-for-accesses) */
export type AuditActor =
  | 'valid-password'
  | 'valid-identity'
  | 'valid-passkey'
  | 'password-reset-request'
  | 'password-reset-token'
  | 'admin'
  | 'public'
  | 'invalid'

/** Implements a method that runs without interruption. */
interface SynchronousRun<P extends TSchema, Prepared> {
  /** Synchronous; for a write, one transaction. */
  run(call: Call, params: Static<P>, prepared: Prepared): Result
  readonly isLong?: undefined
}

/** Implements a method in steps, on a draft of the store. A long call yields to the event loop between them. */
interface SteppedRun<P extends TSchema, Prepared> {
  /** One transaction. If the call is short, all steps run without interruption. */
  run(call: Call, params: Static<P>, prepared: Prepared): Steps<Result>
  /**
   * Estimates whether a call takes long; one that is found to take long while it runs throws `NeedsSteps`. In a batch, the
   * params have not been validated yet.
   */
  isLong(store: UserStore, params: Static<P>): boolean
}

/** A method on one user's data. */
export type UserMethod<P extends TSchema = TSchema, Prepared = unknown> = UserRules<P, Prepared> &
  (SynchronousRun<P, Prepared> | SteppedRun<P, Prepared>)

/** The rules for calls of a method on one user's data. */
interface UserRules<P extends TSchema, Prepared> extends Definition<P> {
  /** `read` sees one snapshot of the data; `write` is one transaction, on disk before its response is sent. */
  readonly mode: 'read' | 'write'
  /**
   * Returns true if a read has the same result for the same params until data changes, regardless of the time. Only such reads
   * have a validator.
   */
  isCacheable?(params: Static<P>): boolean
  /** Returns the part of a cacheable response that can change without a notification to the caller; included in the validator. */
  hiddenState?(call: Call, params: Static<P>): unknown
  /** Set if the call accepts files: see `Call.files`. */
  readonly takesFiles?: true
  /**
   * Set if the method is allowed when the quota is used up, such as deletions and signing in. See
   * core/dispatch/quota.ts.
   */
  readonly mayExceedQuota?: true
  /**
   * Set if the method also works on an account scheduled for deletion: signing in, keeping the account, revoking a
   * token.
   */
  readonly isAllowedWhileClosing?: true
  /**
   * Set for a method that requires no token, but finds an access in another way, and works by the alias of that access
   * only.
   */
  readonly worksByAlias?: true
  /** Does asynchronous work (hashing, network) before the transaction. Its result is the third argument of `run`. */
  prepare?(call: Call, params: Static<P>): Promise<Prepared>
  /** Removes what {@link prepare} has created, because the call has failed since: its token may have been revoked. */
  discard?(call: Call, prepared: Prepared): Promise<void>
  /** Returns whether a call needs {@link prepare}; by default every call does. In a batch, the params have not been validated yet. */
  needsPreparation?(caller: Caller, params: Static<P>): boolean
  /** Delays the response to a write that is durable and published. Not for calls of a batch. Must not reject. */
  settle?(account: Account, params: Static<P>, result: Result): Promise<void> | undefined
  /**
   * Throws if the caller is no longer allowed to read a response that the transport is streaming. Called repeatedly while it
   * streams. By default, only the access itself is checked.
   */
  recheckAccess?(reader: Reader, params: Static<P>): void
  /**
   * Returns the username in the params, which have not been validated yet. For calls at the root of the service, before the caller
   * is known.
   */
  findUsername?(services: Services, params: unknown): string | undefined
  /** Handles a call for an unknown user; by default the error is `unknown-resource`. */
  handleUnknownUser?(call: ServiceCall, username: string, params: Static<P>): Promise<Result>
}

/** What a method of the service does. */
interface ServiceRun<P extends TSchema> {
  /** Set if the result depends on the settings only. Then the response has a validator. */
  readonly isConstant?: true
  /**
   * Set if the method makes changes as an operator. Returns the params to record in the operators' activity log;
   * `undefined` for a call that changes nothing.
   */
  describeAction?(params: Static<P>): Readonly<Record<string, unknown>> | undefined
  /** Carries out the call. Throws `ApiError` to refuse it. */
  run(call: ServiceCall, params: Static<P>): Promise<Result> | Result
}

/** A method of the service, without who may call it. */
export type ServiceDescription<P extends TSchema> = Description<P> & ServiceRun<P>

/** A method of the service, independent of any user's data. */
export interface ServiceMethod<P extends TSchema = TSchema> extends Definition<P>, ServiceRun<P> {
  readonly mode: 'service'
}

/** `callBatch`, the only method that calls others. */
export interface BatchMethod<P extends TSchema = TSchema> extends Definition<P> {
  readonly mode: 'batch'
  /** Returns the calls to make, in order. */
  calls(params: Static<P>): readonly unknown[]
}

/** The user and the caller of a call, with the store that it works on. */
interface CallSubject extends Pick<Call, 'account' | 'caller' | 'store'> {
  readonly files?: readonly Attachment[]
}

/** Creates a call of a user's method. */
export function createCall(
  { services, credentials, now, signal }: ServiceCall,
  { account, caller, store, files = [] }: CallSubject
): Call {
  // Spreading would cost as much as a query, in every call.
  return {
    services,
    credentials,
    now,
    signal,
    account,
    caller,
    store,
    changes: new Changes(store.streams),
    auditScope: undefined,
    provider: undefined,
    actor: undefined,
    mayExceedQuota: false,
    files
  }
}

/** Any method, with its generic types erased for the registry. */
// oxlint-disable-next-line no-explicit-any -- the only place where generics are erased
export type AnyMethod = UserMethod<any, any> | ServiceMethod<any> | BatchMethod<any>

/** Defines a method on a user's data. */
export function method<P extends TSchema, Prepared = undefined>(
  definition: UserRules<P, Prepared> & SynchronousRun<P, Prepared>
): UserRules<P, Prepared> & SynchronousRun<P, Prepared> {
  return definition
}

/** Defines a method on a user's data whose calls may take long. */
export function methodInSteps<P extends TSchema, Prepared = undefined>(
  definition: UserRules<P, Prepared> & SteppedRun<P, Prepared>
): UserRules<P, Prepared> & SteppedRun<P, Prepared> {
  return definition
}

/** Defines a method of the service. */
export function serviceMethod<P extends TSchema>(
  definition: Definition<P> & ServiceRun<P>
): ServiceMethod<P> {
  return { mode: 'service', ...definition }
}

/** The input of an access rule. `params` have not been validated yet. */
interface AllowContext {
  readonly services: Services
  readonly caller: Caller
  readonly credentials: Credentials
  readonly params: unknown
}

/** Decides who may call a method. */
export interface AccessRule {
  /** Whether a token is required. Without one, the caller has no access and no permissions. */
  readonly needsAccess: boolean
  /** Set if the credentials alone decide, so that the check can run before the body is read. */
  readonly needsOnlyCredentials?: true
  /** Set if operators signed in on the service's own pages may call it. Then `credentials.operator` is set. */
  readonly isForOperators?: true
  /** Throws `forbidden` if the call is not allowed. */
  check?(asking: AllowContext): void
}

/** Methods that have been removed from the API. (docs/spec/compatibility.md#removed-methods) */
export const removedMethods: ReadonlySet<string> = new Set(['events.start', 'events.stop', 'whoAmI'])

/** Method ids by alias: for methods that serve several kinds of events, and for renamed methods. */
export const methodAliases: ReadonlyMap<string, string> = new Map([
  ['hfs.create', 'events.create'],
  ['hfs.update', 'events.update'],
  ['hfs.delete', 'events.delete'],
  ['series.get', 'hfs.get'],
  ['series.add', 'hfs.add'],
  ['series.addBatch', 'hfs.addBatch'],
  ['series.deletePoints', 'hfs.deletePoints'],
  ['audit.getLogs', 'audit.get']
])
