/** The services that methods use. */
import type { Accounts } from '../../storage/accounts.js'
import type { Account } from '../../storage/platform/account.js'
import type { AuthRequestRepository } from '../../storage/platform/auth-requests.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Spools } from '../../storage/files/spool.js'
import type { ExportDrafts } from '../../storage/transfer/export-drafts.js'
import type { CallLimit } from '../security/call-limit.js'
import type { ChangeBus, Changes } from '../changes.js'
import type { Config } from '../settings/config.js'
import type { EventTypes } from '../event-types/directory.js'
import type { Dialects } from './dialects.js'
import type { Imports } from './imports.js'
import type { UploadBuffers } from '../security/upload-buffer.js'
import type { Log, Syslog } from '../log.js'
import type { LongResponses } from '../security/long-responses.js'
import type { Mailer } from '../outgoing/mail/mailer.js'
import type { Messaging } from '../outgoing/messaging.js'
import type { Person } from '../permissions/peer-access.js'
import type { Passwords } from '../security/passwords.js'
import type { Previews } from '../previews/previews.js'
import type { Shard } from './shard.js'
import type { Throttle } from '../security/throttle.js'
import type { Clock } from '../time.js'
import type { WebhookSender } from '../outgoing/webhook-sender.js'
import type { AuthorizationStep } from './authorization-step.js'
import type { Credentials } from './credentials.js'
import type { Reader } from './reader.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Steps } from '../../storage/steps.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { Caller } from '../permissions/caller.js'

/** The HTTP endpoint of a method, for the audit. Transports pass them to the core. */
interface Endpoint {
  readonly verb: string
  /** The path below the user's root, without parameters: `/events`. */
  readonly resource: string
  /** Status of success. */
  readonly status: number
}

/** By method id. */
export type Endpoints = ReadonlyMap<string, Endpoint>

/**
 * Returns the function that adds to an event's text what only some callers see, and returns `undefined` if there is nothing
 * to add; `undefined` for callers to whom nothing is added.
 */
type EventSecrets = (
  reader: Reader & { readonly credentials: Credentials }
) => ((body: string) => string | undefined) | undefined

/** Work that accounts have to do at certain times. (`core/timers/account-timers.ts`) */
export interface Timers {
  /** Plans the work of an account again. Changes of an account do so by themselves, such as one of kind `timers`. */
  wake(account: Pick<Account, 'id' | 'username'>): void
  /** Notes that a call has read data of an account, for work that depends on it. */
  noteRead(account: Pick<Account, 'id' | 'username'>): void
  /** Notes that an account may have work that is due at certain times. To be called before its first work is stored. */
  mark(account: Pick<Account, 'id'>): Promise<void>
  /** Evaluates rules now that are waiting for the end of a pause. */
  catchUp(): void
}

/** Counts reads of copies, for the owners of what is copied. */
export interface CopyReads {
  /** Notes a read; `scope` may still be counting its items. */
  note(account: Account, caller: Caller, scope: AuditScope): void
}

/** An offer of another account. */
export interface PeerOffer {
  readonly offerId: string
  readonly content: Readonly<Record<string, unknown>>
  readonly requester: Person
}

/** What another account has granted to this one, as its server says. */
export interface PeerAccess {
  /** Whether the access has been revoked, or has expired. */
  readonly hasEnded: boolean
  readonly permissions: readonly {
    readonly streamId: string
    readonly level: string
    readonly name: string
  }[]
  /** Seconds. */
  readonly expires?: number
}

/** The services shared by all methods. */
export interface Services {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly accounts: Accounts
  readonly platform: PlatformStore
  /** The auth requests of the platform. */
  readonly authRequests: Pick<AuthRequestRepository, 'find'>
  /** Resolves once accounts and requests that other nodes have just changed are known here. */
  readonly catchUp: () => Promise<void>
  readonly attachments: AttachmentStore
  readonly exports: ExportDrafts
  readonly imports: Imports
  /** Buffers on disk for long responses until they are read. */
  readonly spools: Spools
  readonly eventTypes: EventTypes
  readonly dialects: Dialects
  readonly passwords: Passwords
  /** Limits the memory for request bodies. */
  readonly uploadBuffers: UploadBuffers
  /** Limits the number of long responses that are being sent. */
  readonly longResponses: LongResponses
  readonly throttle: Throttle
  /** Set if the settings limit the calls per token. */
  readonly callLimit?: CallLimit | undefined
  readonly mailer: Mailer
  readonly messaging: Messaging
  readonly timers: Timers
  readonly bus: ChangeBus
  readonly previews: Previews
  readonly webhookSender: WebhookSender
  /** Queues the messages of changes for webhooks, within their transaction. (`core/notifications/webhook-queue.ts`) */
  readonly enqueueMessages: (write: {
    readonly changes: Changes
    readonly now: number
    readonly store: UserStore
  }) => Steps<void>
  readonly endpoints: Endpoints
  /** Set if events may have members that only some callers see. */
  readonly eventSecrets?: EventSecrets | undefined
  /** Tells the peers of an account that is about to be removed. Resolves after a few seconds at most; never rejects. */
  readonly tellPeersOfEnd?: (account: Account) => Promise<void>
  /**
   * Reads an offer of another account for an account, and checks who makes it. Rejects with `TriggerFailed` or `PeerUnavailable`.
   * (`core/cmc/acceptance.ts`)
   */
  readonly readOffer: (account: Account, capabilityUrl: string) => Promise<PeerOffer>
  /**
   * Reads what the peer that holds an access has granted in turn; `undefined` if there is no such peer. Rejects with `PeerUnavailable`.
   */
  readonly readPeerAccess: (
    call: { readonly account: Account; readonly store: UserStore },
    accessId: string
  ) => Promise<PeerAccess | undefined>
  /** Counts what is read of copies of other accounts' data. (`core/mirrors/copy-reads.ts`) */
  readonly copyReads: CopyReads
  /** Resolves once the acceptance of an offer, by its event, has been carried out, or after some milliseconds. */
  readonly waitForAccepted: (account: Account, event: string, maxMs: number) => Promise<void>
  /** Set if the settings name a syslog. */
  readonly syslog?: Syslog | undefined
  readonly authorizationStep?: AuthorizationStep
  /** The users whose files are opened here. */
  readonly shard: Shard
  /** Ids of all methods. */
  readonly methodIds: readonly string[]
}
