/** The repositories of one user's file. */
import type { Database } from 'better-sqlite3'
import { AccessRepository } from '../repositories/accesses.js'
import { ConsentRepository } from '../repositories/consents.js'
import { AccountFields, ConfirmedValues } from '../repositories/account-fields.js'
import { AccountRepository } from '../repositories/account.js'
import { AttachmentRepository } from '../repositories/attachments.js'
import { AuditRepository } from '../repositories/audit.js'
import { LetterRepository, SignInRepository } from '../repositories/sign-in.js'
import { ChannelRepository } from '../channels/channel-repository.js'
import { DeliveryPause } from '../channels/delivery-pause.js'
import { MessageRepository } from '../channels/message-repository.js'
import { ConnectionRepository } from '../connections/connection-repository.js'
import { ReceivedRepository } from '../connections/received-repository.js'
import { OccurrenceRepository } from '../reminders/occurrence-repository.js'
import { ReminderRepository } from '../reminders/reminder-repository.js'
import { FormRepository } from '../forms/form-repository.js'
import { DeletionRecords } from '../repositories/deletion-records.js'
import { EventHistory } from '../repositories/event-history.js'
import { EventRepository } from '../repositories/events.js'
import { IdentityRepository } from '../identities/identity-repository.js'
import { FollowedSliceRepository } from '../repositories/followed-slices.js'
import { ImportRepository } from '../imports/import-repository.js'
import { MirrorRepository } from '../mirrors/mirror-repository.js'
import { MeasureRepository } from '../measures/measure-repository.js'
import { OAuthGrantRepository } from '../oauth/oauth-grants.js'
import { UsedProofRepository } from '../oauth/used-proofs.js'
import { PasskeyRepository } from '../sign-in/passkeys.js'
import type { Policies } from '../repositories/policies.js'
import { ProfileRepository } from '../repositories/profiles.js'
import { RuleRepository } from '../rules/rule-repository.js'
import { SeriesRepository } from '../repositories/series.js'
import { SharedSecretRepository } from '../shared-secrets/shared-secret-repository.js'
import { SessionRepository } from '../repositories/sessions.js'
import { EmailAddressRepository } from '../sign-in/email-addresses.js'
import { StorageUsedRepository, type StorageUsed } from '../repositories/storage-used.js'
import { StreamRepository } from '../repositories/streams.js'
import { getSystemTree } from '../streams/system-streams.js'
import { UsageRepository } from '../repositories/usage.js'
import { Waits } from './waits.js'
import { CmcRepository } from '../cmc/cmc-repository.js'
import { WebhookRepository } from '../repositories/webhooks.js'

export class Repositories {
  readonly streams: StreamRepository
  readonly events: EventRepository
  readonly history: EventHistory
  readonly deletions: DeletionRecords
  readonly attachments: AttachmentRepository
  readonly series: SeriesRepository
  readonly measures: MeasureRepository
  readonly accesses: AccessRepository
  readonly consents: ConsentRepository
  readonly oauthGrants: OAuthGrantRepository
  readonly usedProofs: UsedProofRepository
  readonly sessions: SessionRepository
  readonly sharedSecrets: SharedSecretRepository
  readonly usage: UsageRepository
  readonly account: AccountRepository
  readonly followedSlices: FollowedSliceRepository
  readonly identities: IdentityRepository
  readonly imports: ImportRepository
  readonly fields: AccountFields
  readonly emails: EmailAddressRepository
  readonly confirmed: ConfirmedValues
  readonly profile: ProfileRepository
  readonly signIn: SignInRepository
  readonly passkeys: PasskeyRepository
  readonly webhooks: WebhookRepository
  readonly connections: ConnectionRepository
  readonly channels: ChannelRepository
  readonly letter: LetterRepository
  readonly messages: MessageRepository
  readonly forms: FormRepository
  readonly reminders: ReminderRepository
  readonly occurrences: OccurrenceRepository
  readonly rules: RuleRepository
  readonly mirrors: MirrorRepository
  readonly deliveryPause: DeliveryPause
  readonly cmc: CmcRepository
  readonly received: ReceivedRepository
  readonly waits: Waits
  readonly audit: AuditRepository
  protected readonly storageTotals: StorageUsedRepository
  protected stamps = new Stamps()

  constructor(db: Database, policies: Policies) {
    this.audit = new AuditRepository(db, policies.anonymousCallsPerHour)
    const system = getSystemTree(policies.system)
    this.streams = new StreamRepository(db, system)
    this.deletions = new DeletionRecords(db)
    this.attachments = new AttachmentRepository(db)
    this.history = new EventHistory(db, policies)
    this.events = new EventRepository(db, this, policies.digests, this.audit.lastWritten)
    this.series = new SeriesRepository(db)
    this.measures = new MeasureRepository(db, this.events, this.series)
    this.accesses = new AccessRepository(db, policies.digests, this.audit.lastWritten)
    this.consents = new ConsentRepository(db)
    this.oauthGrants = new OAuthGrantRepository(db)
    this.usedProofs = new UsedProofRepository(db)
    this.sessions = new SessionRepository(db)
    this.sharedSecrets = new SharedSecretRepository(db)
    this.usage = new UsageRepository(db)
    this.fields = new AccountFields(db, system)
    this.account = new AccountRepository(db, this.fields)
    this.emails = new EmailAddressRepository(db)
    this.confirmed = new ConfirmedValues(db)
    this.followedSlices = new FollowedSliceRepository(db)
    this.identities = new IdentityRepository(db)
    this.imports = new ImportRepository(db)
    this.profile = new ProfileRepository(db)
    this.signIn = new SignInRepository(db)
    this.passkeys = new PasskeyRepository(db)
    this.webhooks = new WebhookRepository(db)
    this.connections = new ConnectionRepository(db)
    this.channels = new ChannelRepository(db)
    this.letter = new LetterRepository(this.signIn)
    this.messages = new MessageRepository(db)
    this.forms = new FormRepository(db)
    this.reminders = new ReminderRepository(db)
    this.occurrences = new OccurrenceRepository(db)
    this.rules = new RuleRepository(db)
    this.mirrors = new MirrorRepository(db)
    this.deliveryPause = new DeliveryPause(db)
    this.cmc = new CmcRepository(db)
    this.received = new ReceivedRepository(db)
    this.waits = new Waits(db)
    this.storageTotals = new StorageUsedRepository(db)
  }

  /**
   * The time of a modification, in seconds: `now`, or a microsecond after the last one. Strictly increasing, so that clients
   * who ask for changes since the last one they saw miss nothing, even when the clock steps back.
   */
  stamp(now: number): number {
    return this.stamps.next(now, this.events)
  }

  /** Recounts the storage used from all rows, in bytes, to check the maintained sums. */
  recountStorageUsed(): StorageUsed {
    return this.storageTotals.recount()
  }

  /** Clears the caches of the repositories: they may hold what was rolled back. */
  protected forgetAll(): void {
    this.streams.invalidate()
    this.accesses.invalidate()
    this.sessions.invalidate()
    this.events.invalidate()
    this.attachments.invalidate()
    this.series.invalidate()
    this.webhooks.invalidate()
    this.channels.invalidate()
    this.letter.invalidate()
    this.messages.invalidate()
    this.reminders.invalidate()
    this.rules.invalidate()
    this.mirrors.invalidate()
    this.deliveryPause.invalidate()
    this.cmc.invalidate()
    this.received.invalidate()
  }
}

/** Smallest step between two modification times, in seconds: a double and its JSON text can represent it. */
const tick = 1e-6

/** Creates modification times, which strictly increase within an account. */
class Stamps {
  #last: number | undefined

  /** Returns `now`, or a microsecond after the last one if that is later. `events` gives the last one when the file is opened. */
  next(now: number, events: Pick<EventRepository, 'getLastModified'>): number {
    this.#last ??= events.getLastModified() ?? 0
    this.#last = now > this.#last ? now : Math.round((this.#last + tick) * 1e6) / 1e6
    return this.#last
  }
}
