/** The repositories of one user's file: each table family has one. */
import type { Database } from 'better-sqlite3'
import { AccessRepository } from '../repositories/accesses.js'
import { AccountFields } from '../repositories/account-fields.js'
import { AccountRepository } from '../repositories/account.js'
import { AttachmentRepository } from '../repositories/attachments.js'
import { AuditRepository } from '../repositories/audit.js'
import { ConfirmedValues } from '../repositories/confirmed-values.js'
import { ConsentRepository } from '../repositories/consents.js'
import { DeletionRecords } from '../repositories/deletion-records.js'
import { EventHistory } from '../repositories/event-history.js'
import { EventRepository } from '../repositories/events.js'
import { FollowedSliceRepository } from '../repositories/followed-slices.js'
import type { Policies } from '../repositories/policies.js'
import { ProfileRepository } from '../repositories/profiles.js'
import { SeriesRepository } from '../repositories/series.js'
import { SessionRepository } from '../repositories/sessions.js'
import { SignInRepository } from '../repositories/sign-in.js'
import { StorageUsedRepository, type StorageUsed } from '../repositories/storage-used.js'
import { StreamRepository } from '../repositories/streams.js'
import { systemTree } from '../streams/system-streams.js'
import { UsageRepository } from '../repositories/usage.js'
import { WebhookRepository } from '../repositories/webhooks.js'

export class Repositories {
  readonly streams: StreamRepository
  readonly events: EventRepository
  readonly history: EventHistory
  readonly deletions: DeletionRecords
  readonly attachments: AttachmentRepository
  readonly series: SeriesRepository
  readonly accesses: AccessRepository
  readonly consents: ConsentRepository
  readonly sessions: SessionRepository
  readonly usage: UsageRepository
  readonly account: AccountRepository
  readonly followedSlices: FollowedSliceRepository
  readonly fields: AccountFields
  readonly confirmed: ConfirmedValues
  readonly profile: ProfileRepository
  readonly signIn: SignInRepository
  readonly webhooks: WebhookRepository
  readonly audit: AuditRepository
  protected readonly storageTotals: StorageUsedRepository

  constructor(db: Database, keeping: Policies) {
    this.audit = new AuditRepository(db, keeping.strangersPerHour)
    const system = systemTree(keeping.system)
    this.streams = new StreamRepository(db, system)
    this.deletions = new DeletionRecords(db)
    this.attachments = new AttachmentRepository(db)
    this.history = new EventHistory(db, keeping)
    this.events = new EventRepository(
      db,
      this.streams,
      this.attachments,
      this.history,
      keeping.digests,
      this.audit.lastWritten
    )
    this.series = new SeriesRepository(db)
    this.accesses = new AccessRepository(db, keeping.digests, this.audit.lastWritten)
    this.consents = new ConsentRepository(db)
    this.sessions = new SessionRepository(db)
    this.usage = new UsageRepository(db)
    this.fields = new AccountFields(db, system)
    this.account = new AccountRepository(db, this.fields)
    this.confirmed = new ConfirmedValues(db)
    this.followedSlices = new FollowedSliceRepository(db)
    this.profile = new ProfileRepository(db)
    this.signIn = new SignInRepository(db)
    this.webhooks = new WebhookRepository(db)
    this.storageTotals = new StorageUsedRepository(db)
  }

  /** What the account stores, in bytes, counted again from all rows: to check what is kept with every write. */
  recountStorageUsed(): StorageUsed {
    return this.storageTotals.recount()
  }

  /** Drops what the repositories remember: it may hold what was undone. */
  protected forgetAll(): void {
    this.streams.forget()
    this.accesses.forget()
    this.sessions.forget()
    this.events.forget()
    this.attachments.forget()
    this.series.forget()
    this.webhooks.forget()
  }
}
