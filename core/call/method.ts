/** What a method is, and what it receives when it runs. */
import type { Static, TSchema } from 'typebox'
import type { Attachment } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import type { Changes } from '../changes.js'
import type { Credentials } from './credentials.js'
import type { Services } from './services.js'
import type { Facts } from './outcome.js'
import type { Reader } from './reader.js'
import type { Account } from '../../storage/platform/account.js'

/** What a method of the service itself receives: no user, no store. */
export interface ServiceCall {
  readonly core: Services
  readonly credentials: Credentials
  /** Seconds; the same for the whole call. */
  readonly now: number
}

/** What a user's method receives. Made again for every call, batch members included. Good until `run` returns. */
export interface Call extends ServiceCall {
  readonly account: Account
  readonly caller: Caller
  readonly store: UserStore
  /** What the call changes, to be published when it is durable. */
  readonly changes: Changes
  /** Files that came with the call, in their place already: the event that `run` writes has to name them. */
  readonly files: readonly Attachment[]
}

/** A method's result: an object whose values may be `JsonText` or listings as well as plain values. */
export type Result = object

interface Definition<P extends TSchema> {
  /** `resource.action`. */
  readonly id: string
  /** What it does, in a sentence without a full stop: for the description of the API. */
  readonly summary: string
  readonly params: P
  /** Its params have a form of their own whose depth it bounds itself: the walk that does so for others is spared. */
  readonly boundsDepth?: true
  /** What it answers; tests hold results against it. */
  readonly result: TSchema
  readonly allow: Allow
  /** What transports have to know of its result, where that is more than its text. */
  facts?(result: object): Facts
  /**
   * What the audit has in place of an access, where a call without one proves otherwise who makes it. Of the service's own
   * methods those that have it are told to the syslog.
   */
  readonly auditAs?: StandIn
}

/** Words of the audit for calls without an access. (docs/spec/audit.md#words-for-accesses) */
export type StandIn =
  'valid-password' | 'password-reset-request' | 'password-reset-token' | 'admin' | 'public' | 'invalid'

/** A method on one user's data. */
export interface UserMethod<P extends TSchema = TSchema, Prepared = unknown> extends Definition<P> {
  /** `read` sees one state of the data; `write` is one transaction, on disk before its answer leaves. */
  readonly mode: 'read' | 'write'
  /** Whether a read answers the same to the same params until something changes, whatever the time: then it has a validator. */
  isRepeatable?(params: Static<P>): boolean
  /** What a repeatable answer shows that may become another without a change that its caller hears of: for the validator. */
  untold?(call: Call, params: Static<P>): unknown
  /** Whether files may come with the call: `Call.files`. */
  readonly takesFiles?: true
  /** Whether it goes on in an account that is full: deletions, signing in. See core/dispatch/quota.ts. */
  readonly mayExceedQuota?: true
  /** What has to wait (hashing, network), before the transaction. Its value reaches `run` third. */
  prepare?(call: Call, params: Static<P>): Promise<Prepared>
  /** Synchronous: one transaction. */
  run(call: Call, params: Static<P>, prepared: Prepared): Result
  /** The same in steps, for calls that have much to do: others get their turn wherever it yields. One transaction all the same. */
  readonly steps?: {
    /** Whether a call has much to do: a guess. Of a call in a batch the params are not checked before. */
    areMany(store: UserStore, params: Static<P>): boolean
    run(call: Call, params: Static<P>): Steps<Result>
  }
  /**
   * Raises what by now keeps the caller from an answer whose bytes the transport sends: asked from time to time while it does.
   * Without it all that counts is that the access has not ended.
   */
  mayGoOn?(reader: Reader, params: Static<P>): void
  /** Answers, or fails, where the user is unknown; without it that is `unknown-resource`. */
  unknownUser?(call: ServiceCall, username: string, params: Static<P>): Promise<Result>
}

/** A method of the service, outside any user's data. */
export interface ServiceMethod<P extends TSchema = TSchema> extends Definition<P> {
  readonly mode: 'service'
  /** Whether its answer follows from the settings alone: then it has a validator. */
  readonly isConstant?: true
  run(call: ServiceCall, params: Static<P>): Promise<Result> | Result
}

/** `callBatch`, the one method that calls others. */
export interface BatchMethod<P extends TSchema = TSchema> extends Definition<P> {
  readonly mode: 'batch'
  /** The calls to make, in order. */
  calls(params: Static<P>): readonly unknown[]
}

/** Any method, its types erased: what the registry holds. */
// oxlint-disable-next-line no-explicit-any -- the one place where generics end
export type AnyMethod = UserMethod<any, any> | ServiceMethod<any> | BatchMethod<any>

/** Defines a method on a user's data. */
export function method<P extends TSchema, Prepared = undefined>(
  definition: UserMethod<P, Prepared>
): UserMethod<P, Prepared> {
  return definition
}

/** Defines a method of the service. */
export function serviceMethod<P extends TSchema>(definition: ServiceMethod<P>): ServiceMethod<P> {
  return definition
}

/** What the decision is made on: `params` are as sent, not validated yet. */
export interface Asking {
  readonly core: Services
  readonly caller: Caller
  readonly credentials: Credentials
  readonly params: unknown
}

export interface Allow {
  /** Whether a token is needed. Without one the caller has no access and may touch nothing. */
  readonly needsAccess: boolean
  /** Whether the credentials alone decide: then the params need not be taken in first. */
  readonly isByCredentials?: true
  /** Raises `forbidden` to those who may not. */
  check?(asking: Asking): void
}
