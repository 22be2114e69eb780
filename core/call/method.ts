/** What a method is, and what it receives when it runs. */
import type { Static, TSchema } from 'typebox'
import type { Attachment } from '../../schemas/event.js'
import type { Accounts } from '../../storage/accounts.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { Account, PlatformStore } from '../../storage/platform/platform-store.js'
import type { Spools } from '../../storage/files/spool.js'
import type { ExportDrafts } from '../../storage/transfer/export-drafts.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Allow } from '../auth/allow.js'
import type { Endpoints } from './endpoints.js'
import type { Syslog } from '../outgoing/syslog.js'
import type { AuthorizationStep } from '../auth/authenticate.js'
import type { CallLimit } from '../security/call-limit.js'
import type { Caller } from '../permissions/caller.js'
import type { ChangeBus, Changes } from '../changes.js'
import type { Config } from '../settings/config.js'
import type { EventTypes } from '../event-types/directory.js'
import type { Intakes } from '../security/intake.js'
import type { Log } from '../log.js'
import type { LongAnswers } from '../security/long-answers.js'
import type { Mailer } from '../outgoing/mail/mailer.js'
import type { Messaging } from '../outgoing/messaging.js'
import type { Passwords } from '../security/passwords.js'
import type { Previews } from '../previews/previews.js'
import type { Reader } from '../dispatch/reader.js'
import type { Share } from './shard.js'
import type { Throttle } from '../security/throttle.js'
import type { Clock } from '../time.js'
import type { WebhookSender } from '../outgoing/webhook-sender.js'

/** A query string, read: one text by name, or several where the name came several times or stands for a list. */
export type QueryValues = ReadonlyMap<string, string | readonly string[]>

/** What comes with a call beside its params, as the transport received it. */
export interface Credentials {
  /** The `Authorization` header's value, whatever its scheme. */
  readonly authorization?: string
  /** The `auth` query parameter. */
  readonly auth?: string
  readonly origin?: string
  readonly referer?: string
  /** Stands for an access when one file is read. */
  readonly readToken?: ReadTokenUse
  /** All headers, for the operator's authorization step. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The validators of answers that the client has already. */
  readonly ifNoneMatch?: string
  /** What the query string says, for the audit. */
  readonly query?: QueryValues
  /** Whether the call is one of a batch. */
  readonly isMember?: true
  /** The client's address. */
  readonly ip: string
  readonly via: 'http' | 'socket.io' | 'hf'
}

/** A read token, and what it is used for: it is good for that file alone. */
export interface ReadTokenUse {
  readonly token: string
  readonly eventId: string
  readonly fileId: string
}

/** What the whole service shares. */
export interface Core {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly accounts: Accounts
  readonly platform: PlatformStore
  readonly attachments: AttachmentStore
  readonly exports: ExportDrafts
  /** Where what is long waits to be taken. */
  readonly spools: Spools
  readonly eventTypes: EventTypes
  readonly passwords: Passwords
  /** Room for bodies. */
  readonly intakes: Intakes
  /** Places for answers that their clients take a while for. */
  readonly longAnswers: LongAnswers
  readonly throttle: Throttle
  /** Only where the settings limit the calls of tokens. */
  readonly callLimit?: CallLimit | undefined
  readonly mailer: Mailer
  readonly messaging: Messaging
  readonly bus: ChangeBus
  readonly previews: Previews
  readonly webhookSender: WebhookSender
  readonly endpoints: Endpoints
  /** Only where the settings name one. */
  readonly syslog?: Syslog | undefined
  readonly authorizationStep?: AuthorizationStep
  /** The users whose files are open here. */
  readonly share: Share
  /** Ids of all methods. */
  readonly methodIds: readonly string[]
}

/** What a method of the service itself receives: no user, no store. */
export interface ServiceCall {
  readonly core: Core
  readonly credentials: Credentials
  /** Seconds; the same for the whole call. */
  readonly now: number
}

/** What a user's method receives. Made anew for every call, batch members included. Good until `run` returns. */
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
  readonly params: P
  /** Its params have a form of their own whose depth it bounds itself: the walk that does so for others is spared. */
  readonly boundsDepth?: true
  /** What it answers; tests hold results against it. */
  readonly result: TSchema
  readonly allow: Allow
  /**
   * What the audit has in place of an access, where a call without one proves otherwise who makes it. Of the service's own
   * methods those that have it are told to the syslog.
   */
  readonly auditAs?: StandIn
}

/** Words of the audit for calls without an access. (supplement 19.2) */
export type StandIn =
  'valid-password' | 'password-reset-request' | 'password-reset-token' | 'admin' | 'public' | 'invalid'

/** A method on one user's data. */
export interface UserMethod<P extends TSchema = TSchema, Prepared = unknown> extends Definition<P> {
  /** `read` sees one state of the data; `write` is one transaction, on disk before its answer leaves. */
  readonly mode: 'read' | 'write'
  /** Whether a read answers the same to the same params until something changes, whatever the time: then it has a validator. */
  isRepeatable?(params: Static<P>): boolean
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
