/** One user's open file: its repositories, and the one way to write to it. */
import type { Database } from 'better-sqlite3'
import { copyInThread } from '../sqlite/copy-thread.js'
import { StorageFull, translated } from '../errors.js'
import type { Keeping } from '../repositories/policies.js'
import type { LeftLog } from '../wal/checkpointer.js'
import { closeCarryingOver, closeLeavingLog, openAgain } from '../sqlite/open.js'
import { OwnLog, type Carry } from '../wal/checkpoint-open.js'
import { statement } from '../sqlite/statements.js'
import { inTurns, type Steps } from '../steps.js'
import type { AuditEntry } from '../audit/record.js'
import { AccessRepository } from '../repositories/accesses.js'
import { AccountFields, olderValues } from '../repositories/account-fields.js'
import { AccountRepository } from '../repositories/account.js'
import { AttachmentRepository } from '../repositories/attachments.js'
import { AuditRepository, type AuditMark } from '../repositories/audit.js'
import { ConfirmedValues } from '../repositories/confirmed-values.js'
import { ConsentRepository } from '../repositories/consents.js'
import { DeletionRecords } from '../repositories/deletion-records.js'
import { EventHistory } from '../repositories/event-history.js'
import { EventRepository } from '../repositories/events.js'
import { FollowedSliceRepository } from '../repositories/followed-slices.js'
import { ProfileRepository } from '../repositories/profiles.js'
import { SeriesRepository } from '../repositories/series.js'
import { SessionRepository } from '../repositories/sessions.js'
import { SignInRepository } from '../repositories/sign-in.js'
import { StorageUsedRepository, type StorageUsed } from '../repositories/storage-used.js'
import { StreamRepository } from '../repositories/streams.js'
import { UsageRepository } from '../repositories/usage.js'
import { WebhookRepository } from '../repositories/webhooks.js'
import { systemTree, type SystemStreams } from '../repositories/system-streams.js'
import type { UniqueValues } from '../platform/unique-index.js'
import type { WalSync } from '../wal/sync.js'
import { WriteQueue, type PendingSteps, type PendingWrite } from './write-queue.js'

/** Page cache of a write in steps, KiB. */
const draftCacheKiB = 8192

/** Time after which no other write joins a commit, milliseconds: those of a few hundred kilobytes take some each. */
const groupMs = 15

/** Smallest step between two times of modification: what a double still tells apart, and JSON keeps. */
const tick = 1e-6

export class UserStore {
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
  readonly #storageUsed: StorageUsedRepository

  readonly #queue = new WriteQueue({
    commitGroup: group => this.#commitGroup(group),
    commitSteps: write => this.#commitSteps(write)
  })
  readonly #log: OwnLog
  #isOpen = true
  #isInSteps = false
  #lastStamp: number | undefined
  /** As it was after the last write. */
  #used: StorageUsed | undefined
  /** Counts the times that unique values were left to the file. */
  #settling = 0
  #version = 0

  constructor(
    private readonly db: Database,
    private readonly wal: WalSync,
    private readonly keeping: Keeping,
    /** Where unique values are kept track of across accounts. */
    readonly unique: UniqueValues
  ) {
    this.#log = new OwnLog(db, wal, async work => await this.#queue.pauseFor(work))
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
      keeping.seals,
      this.audit.lastWritten
    )
    this.series = new SeriesRepository(db)
    this.accesses = new AccessRepository(db, keeping.seals, this.audit.lastWritten)
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
    this.#storageUsed = new StorageUsedRepository(db)
  }

  /** Has the log carried over by somebody else from time to time, not within commits. */
  carryLogBy(carry: Carry): void {
    this.#log.carryBy(carry)
  }

  /** Whether nothing waits: only then may the file be closed. */
  get isIdle(): boolean {
    return this.#queue.isEmpty && !this.wal.isBusy
  }

  /** Whether writes have to wait for one in steps. */
  get isHeld(): boolean {
    return this.#queue.isHeld
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Counts the commits since the file was opened, but for those of bookkeeping: uses, sessions, the audit. */
  get version(): number {
    return this.#version
  }

  /** Whether a write is running. */
  get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  /**
   * Runs `work` in a transaction and answers its value once that is on disk. Writes that come in the same turn of the
   * loop share a commit; each is undone by itself when it throws. `work` is synchronous.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#enqueue(work, true)
  }

  /** As {@link write}, but answers at the commit already: a {@link durable} has to follow before anybody is told. */
  commit<T>(work: () => T): Promise<T> {
    return this.#enqueue(work, false)
  }

  /**
   * As {@link write}, for work that takes long: others get their turn whenever it yields. It is one transaction, on a
   * connection of its own, and sees `draft`. Reads of this store see the state before it until it is committed; writes
   * wait for it, so that they come in the order in which they were asked for.
   */
  writeInSteps<T>(stepsIn: (draft: UserStore) => Steps<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({ stepsIn, resolve: value => resolve(value as T), reject })
    })
  }

  /** Resolves when it is worth asking again whether nothing waits. */
  async settled(): Promise<void> {
    await this.#queue.long
    await this.durable()
  }

  /** Resolves when all that has been committed by now is on disk. */
  durable(): Promise<void> {
    return new Promise(resolve => this.wal.afterSync(resolve))
  }

  /** Brings account fields to what they are today: events, and hidden or not as the settings say. */
  bringFieldsUpToDate(system: SystemStreams, now: number): void {
    this.#used = undefined
    this.fields.fit()
    const older = olderValues(this.db)
    if (older.size > 0) this.#adopt(older, system, now)
  }

  /** Turns values of account fields that are kept as earlier versions did into events. */
  #adopt(older: ReadonlyMap<string, unknown>, { eventOf }: SystemStreams, now: number): void {
    const time = this.account.passwords(1)[0]?.created ?? now
    const adopt = (): void => {
      for (const [field, content] of older) {
        const event = eventOf(field, content, { time, at: this.stamp(now), by: 'system' })
        if (!event) continue
        if (content !== null) this.events.insert(event)
        if (field === 'email') this.confirmed.set(field, content)
        statement(this.db, 'DELETE FROM account_field WHERE name = ?').run(field)
      }
    }
    this.db.transaction(adopt).immediate()
  }

  /** Runs a part of a transaction that is undone by itself when it throws. Only within a write. */
  savepoint<T>(work: () => T): T {
    const { mark } = this.audit
    statement(this.db, 'SAVEPOINT part').run()
    try {
      const value = work()
      statement(this.db, 'RELEASE part').run()
      return value
    } catch (error) {
      // A full disk may have ended the whole transaction already.
      if (this.db.inTransaction) this.db.exec('ROLLBACK TO part; RELEASE part')
      this.audit.undo(mark)
      this.#forget()
      throw translated(error, this.db.name)
    }
  }

  /** Runs a read, translating what SQLite throws. */
  read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translated(error, this.db.name)
    }
  }

  /**
   * The time of a modification: `now`, or a microsecond after the last one. Strictly increasing within an account, so
   * that whoever asks for what changed since the last change seen misses nothing, even when the clock steps back.
   */
  stamp(now: number): number {
    this.#lastStamp ??= this.events.lastModified() ?? 0
    this.#lastStamp = now > this.#lastStamp ? now : Math.round((this.#lastStamp + tick) * 1e6) / 1e6
    return this.#lastStamp
  }

  /** What the account stores, in bytes: kept with every write, so that asking costs nothing. */
  storageUsed(): StorageUsed {
    // A write counts what it has changed so far.
    if (this.db.inTransaction) return this.#storageUsed.get()
    return (this.#used ??= this.#storageUsed.get())
  }

  /** As {@link storageUsed}, counted anew from all rows: to check the other. */
  recountStorageUsed(): StorageUsed {
    return this.#storageUsed.recount()
  }

  /**
   * Notes a call for the audit: it is written with the write that runs, or the next one, or within a second. `isStranger`:
   * whether it came without a valid token, or too often.
   */
  record(entry: AuditEntry, isStranger = false): void {
    this.audit.add(entry, isStranger)
    if (!this.audit.isFull || this.db.inTransaction) return
    try {
      this.flushUsage()
    } catch {
      // It is tried again within a second, and that failure is told of.
    }
  }

  /** Lets the audit be read with every call that has been answered. A full disk keeps nobody from reading the rest. */
  completeAudit(): void {
    if (!this.db.inTransaction) this.audit.gather(true)
    if (!this.audit.isDirty) return
    try {
      if (this.db.inTransaction) this.audit.flush()
      else if (!this.#isInSteps) this.#flushNow()
    } catch (error) {
      const trouble = translated(error, this.db.name)
      if (!(trouble instanceof StorageFull)) throw trouble
    }
  }

  /** Writes what was only noted in memory. Loses nothing that was acknowledged, so it waits for no sync. */
  flushUsage(): void {
    if (!this.isHeld) this.#flushNow()
  }

  #flushNow(): void {
    if (!this.#isDirty) return
    this.#flushUsage()
    this.#committed()
  }

  #flushUsage(): void {
    this.audit.gather()
    const { mark } = this.audit
    try {
      this.#begin()
      this.usage.flush()
      this.sessions.flush()
      this.audit.flush()
      statement(this.db, 'COMMIT').run()
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      this.audit.undo(mark)
      throw translated(error, this.db.name)
    }
    this.usage.settle()
    this.sessions.settle()
    this.audit.settle()
  }

  /** Gives back the memory that pages of the file take: they are read again when they are needed. */
  rest(): void {
    this.db.pragma('shrink_memory')
  }

  /** Closes the file. SQLite then carries the log over into the main file, synced, while everybody waits. */
  close(): void {
    this.#end(() => closeCarryingOver(this.db, this.wal.isNamed))
  }

  /**
   * Closes the file at once: nothing is synced, so its log is left if anything is in it. Raises what kept the bookkeeping
   * from being written, after `onLeft` was told.
   */
  leave(onLeft: (log: LeftLog) => void): void {
    this.#end(() => {
      const size = closeLeavingLog(this.db)
      if (size > 0) onLeft({ file: this.db.name, size, isNamed: this.wal.isNamed })
    })
  }

  /** Closes the file without writing what was only counted: it is to be removed, whatever its state. */
  abandon(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#log.close()
    this.wal.close()
    closeLeavingLog(this.db)
  }

  /** A consistent copy of the file, made while it serves. */
  async copyTo(file: string): Promise<void> {
    await copyInThread(this.db.name, file)
  }

  /** Writes the bookkeeping, and closes the file whether that went well or not. */
  #end(close: () => void): void {
    if (!this.#isOpen) return
    try {
      if (this.#isDirty) this.#flushUsage()
    } finally {
      this.#isOpen = false
      this.#log.close()
      this.wal.close()
      close()
    }
  }

  get #isDirty(): boolean {
    return this.usage.isDirty || this.sessions.isDirty || this.audit.isDirty
  }

  #begin(): void {
    this.#used = undefined
    this.wal.begin()
    statement(this.db, 'BEGIN IMMEDIATE').run()
  }

  #committed(): void {
    this.wal.committed()
    this.#log.committed()
  }

  #enqueue<T>(run: () => T, isDurable: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({ run, resolve: value => resolve(value as T), reject, isDurable })
    })
  }

  async #commitSteps({ stepsIn, resolve, reject }: PendingSteps): Promise<void> {
    let draft: UserStore | undefined
    this.#isInSteps = true
    try {
      if (this.#isDirty) this.#flushUsage()
      this.wal.begin()
      const own = (draft = this.#draft())
      // What is remembered here is of before: nobody may read by it once the commit has returned.
      const value = await own.#transaction(stepsIn, () => {
        this.#forget()
        this.#version++
        this.streams.takeOver(own.streams)
      })
      this.wal.afterSync(() => resolve(value))
      this.#log.committed()
    } catch (error) {
      reject(translated(error, this.db.name))
    } finally {
      this.#isInSteps = false
      draft?.db.close()
      if (draft) this.#lastStamp = draft.#lastStamp
      this.audit.undo(this.audit.mark)
    }
  }

  /** This store over another connection. */
  #draft(): UserStore {
    const draft = new UserStore(openAgain(this.db.name, draftCacheKiB), this.wal, this.keeping, this.unique)
    draft.#lastStamp = this.#lastStamp
    draft.streams.copy(this.streams)
    return draft
  }

  /** Does work in steps as one transaction; `committed` is called as soon as that is done. Nobody else has this store. */
  async #transaction<T>(stepsIn: (draft: UserStore) => Steps<T>, committed: () => void): Promise<T> {
    statement(this.db, 'BEGIN IMMEDIATE').run()
    try {
      const value = await inTurns(stepsIn(this))
      this.audit.flush()
      statement(this.db, 'COMMIT').run()
      committed()
      return value
    } catch (error) {
      if (this.db.inTransaction) statement(this.db, 'ROLLBACK').run()
      throw error
    }
  }

  #commitGroup(group: readonly PendingWrite[]): number {
    const done: { write: PendingWrite; value: unknown }[] = []
    const { mark } = this.audit
    const end = performance.now() + groupMs
    let count = 0
    try {
      this.#begin()
      for (const write of group) {
        count++
        try {
          const value = group.length === 1 ? write.run() : this.savepoint(write.run)
          done.push({ write, value })
        } catch (error) {
          if (!this.db.inTransaction) throw error
          write.reject(translated(error, this.db.name))
        }
        if (performance.now() > end) break
      }
      if (done.length === 0) {
        this.#rollback(mark)
        return count
      }
      this.audit.flush()
      statement(this.db, 'COMMIT').run()
    } catch (error) {
      this.#rollback(mark)
      // Rejecting a write that was rejected by itself before has no effect.
      for (const write of group.slice(0, count)) write.reject(translated(error, this.db.name))
      return count
    }
    this.#version++
    this.audit.settle()
    this.#settleUnique()
    this.#acknowledge(done)
    this.#committed()
    return count
  }

  /** Lets the file decide about unique values that were in doubt, as soon as all that is in it is on disk. */
  #settleUnique(): void {
    if (!this.unique.isInDoubt) return
    const turn = ++this.#settling
    this.wal.afterSync(() => {
      // What others have committed meanwhile is not on disk yet: the last one speaks for all.
      if (turn === this.#settling) this.unique.settle(this.fields.listUnique())
    })
  }

  #acknowledge(done: readonly { write: PendingWrite; value: unknown }[]): void {
    const durable = done.filter(({ write }) => write.isDurable)
    for (const { write, value } of done) if (!write.isDurable) write.resolve(value)
    if (durable.length > 0)
      this.wal.afterSync(() => durable.forEach(({ write, value }) => write.resolve(value)))
  }

  #rollback(mark: AuditMark): void {
    if (this.db.inTransaction) statement(this.db, 'ROLLBACK').run()
    this.audit.undo(mark)
    this.#forget()
    this.#settleUnique()
  }

  /** Drops what the repositories remember: it may hold what was undone. */
  #forget(): void {
    this.#used = undefined
    this.streams.forget()
    this.accesses.forget()
    this.sessions.forget()
    this.events.forget()
    this.attachments.forget()
    this.series.forget()
    this.webhooks.forget()
  }
}
