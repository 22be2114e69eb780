/** One user's open file: its repositories, and the one way to write to it. */
import type { Database } from 'better-sqlite3'
import { copyInThread } from '../sqlite/copies.js'
import { translateError, type Unreserved } from '../errors.js'
import type { Policies } from '../repositories/policies.js'
import type { StorageUsed } from '../repositories/storage-used.js'
import type { SystemStreams } from '../streams/system-streams.js'
import { closeWithCheckpoint, closeLeavingLog, openAgain } from '../sqlite/open.js'
import { OpenLog, type Checkpoint } from '../wal/open-log.js'
import { statement } from '../sqlite/statements.js'
import { serviceParty } from '../scheduler.js'
import type { Steps } from '../steps.js'
import type { AuditEntry } from '../audit/record.js'
import type { UniqueValues } from '../platform/unique-index.js'
import { commit, waitUntilDurable, type Durability } from '../wal/durability.js'
import { migrateAccountFields } from './migrate-account-fields.js'
import { Bookkeeping } from './bookkeeping.js'
import { GroupCommit } from './group-commit.js'
import { Repositories } from './repositories.js'
import { runInTransaction, retryWithReservations } from './step-commit.js'
import { WriteQueue, type PendingSteps } from './write-queue.js'
import type { ClosedLog } from '../wal/closed-file.js'

/** Page cache of a write in steps, in KiB. */
const draftCacheKiB = 8192

export class UserStore extends Repositories {
  readonly #queue: WriteQueue<UserStore>
  readonly #groups: GroupCommit
  readonly #bookkeeping: Bookkeeping
  readonly #log: OpenLog
  #isOpen = true
  #isInSteps = false
  /** Whether this is the connection of a write in steps, whose work may pause. */
  isDraft = false
  /** Storage used, cached until the next write. */
  #used: StorageUsed | undefined
  #version = 0

  constructor(
    private readonly db: Database,
    private readonly durability: Durability,
    private readonly policies: Policies,
    /** The index of unique values across accounts. */
    readonly unique: UniqueValues,
    /** The party whose turns its writes take. */
    private readonly party = serviceParty
  ) {
    super(db, policies)
    this.#queue = new WriteQueue(party, {
      commitGroup: (group, isSingle) => this.#groups.commit(group, isSingle),
      commitSteps: write => this.#commitSteps(write)
    })
    this.#log = new OpenLog(db, durability, this.holdWrites)
    // Private to these helpers: nothing else may begin or end transactions.
    const store = {
      unique,
      begin: () => this.#beginTransaction(),
      commit: () => commit(db, durability),
      savepoint: <T>(work: () => T) => this.savepoint(work),
      retry: this.#queue.createRetry(({ values }: Unreserved) => unique.reserve(values)),
      onCommit: () => void this.#version++,
      committed: () => {
        durability.committed()
        this.#log.committed()
      },
      forget: () => this.#forget(),
      isWriteHeld: () => this.isHeld,
      isInSteps: () => this.#isInSteps
    }
    this.#groups = new GroupCommit(db, durability, this, store)
    this.#bookkeeping = new Bookkeeping(db, this, store)
  }

  /** Delegates checkpoints of the log to `checkpoint`, which runs in another thread, instead of checkpointing within commits. */
  delegateCheckpoints(checkpoint: Checkpoint): void {
    this.#log.delegateCheckpoints(checkpoint)
  }

  /** Whether no write or sync is pending. Only then may the file be closed. */
  get isIdle(): boolean {
    return this.#queue.isEmpty && !this.durability.isBusy
  }

  /** Whether writes have to wait, for a write in steps or a checkpoint. */
  get isHeld(): boolean {
    return this.#queue.isHeld
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Number of commits since the file was opened, without those of bookkeeping alone (uses, sessions, audit). */
  get version(): number {
    return this.#version
  }

  /** Whether a write is running. */
  get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  /**
   * Runs `work` in a transaction, and resolves with its value once that is on disk. Writes of one turn of the
   * event loop share a commit; one that throws is rolled back alone. `work` is synchronous. `access`: id of
   * the access whose turns it takes. Rejects with what `work` throws, and `StoreBusy` if too many writes wait.
   */
  write<T>(work: () => T, access = ''): Promise<T> {
    return this.#enqueue(work, access, true)
  }

  /** Like {@link write}, but resolves at the commit: wait for {@link durable} before acknowledging it to a client. */
  commit<T>(work: () => T, access = ''): Promise<T> {
    return this.#enqueue(work, access, false)
  }

  /** Like {@link write}, for long work, which yields to the event loop. It is one transaction on a connection of its own, and works on `draft`. Reads of this store see the state before it; later writes wait for it. */
  writeInSteps<T>(stepsIn: (draft: UserStore) => Steps<T>, access = ''): Promise<T> {
    return new Promise<T>((resolve, reject) =>
      this.#queue.add({ access, stepsIn, resolve: value => resolve(value as T), reject })
    )
  }

  /** Runs `work` while writes wait, unless they already do. */
  readonly holdWrites = (work: () => Promise<void>): Promise<void> => this.#queue.pauseFor(work)

  /** Resolves when {@link isIdle} is worth checking again. */
  async waitUntilSettled(): Promise<void> {
    await this.#queue.blocker
    // The callers were notified of failures.
    await this.durable().catch(() => undefined)
  }

  /** Resolves when everything committed so far is on disk. */
  durable(): Promise<void> {
    return waitUntilDurable(this.durability)
  }

  /** Resolves when reads may be returned to clients; `undefined` if at once. Rejects with `StoreUnavailable`. */
  waitUntilReadable(): Promise<void> | undefined {
    return this.durability.waitUntilConfirmed()
  }

  /** Migrates account fields to events, and hides or shows them as the settings say. `now` in seconds. */
  migrateFields(system: SystemStreams, now: number): void {
    this.#used = undefined
    migrateAccountFields(this.db, this, system, now, () => this.durability.capture())
  }

  /** Runs part of a transaction, which is rolled back alone if it throws. Within a transaction. */
  savepoint<T>(work: () => T): T {
    const [mark, needed] = [this.audit.mark, this.unique.mark]
    statement(this.db, 'SAVEPOINT part').run()
    try {
      const value = work()
      statement(this.db, 'RELEASE part').run()
      return value
    } catch (error) {
      // On a full disk SQLite may have rolled back the whole transaction.
      if (this.db.inTransaction) this.db.exec('ROLLBACK TO part; RELEASE part')
      this.audit.rollbackTo(mark)
      this.unique.rollbackTo(needed)
      this.#forget()
      throw translateError(error, this.db.name)
    }
  }

  /** Runs a read, and translates errors of SQLite. */
  read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  /** The storage used by the account, in bytes. */
  storageUsed(): StorageUsed {
    // Within a transaction, its changes so far count.
    return this.db.inTransaction ? this.storageTotals.get() : (this.#used ??= this.storageTotals.get())
  }

  /** Adds a call to the audit, written within a second. `isAnonymous`: without a valid token, or beyond the rate limit. */
  record(entry: AuditEntry, isAnonymous = false): void {
    this.#bookkeeping.record(entry, isAnonymous)
  }

  /** Makes every finished call readable in the audit. If the disk is full, the audit remains readable without the latest. */
  completeAudit(): void {
    this.#bookkeeping.completeAudit()
  }

  /** Writes the bookkeeping unless writes have to wait, without the sync: none of it was acknowledged. Returns whether it did. */
  flushUsage(): boolean {
    return !this.isHeld && this.#bookkeeping.flush()
  }

  /** Releases the memory of the page cache. */
  releaseMemory(): void {
    this.db.pragma('shrink_memory')
  }

  /** Closes the file with a synced checkpoint, which blocks the event loop. */
  close(): void {
    this.#closeWith(() => closeWithCheckpoint(this.db, this.durability.isNamed))
  }

  /** Closes the file without syncing; `onLeft` gets a log that is not empty. Throws, after that, if bookkeeping failed. */
  closeWithoutSync(onLeft: (log: ClosedLog) => void): void {
    this.#closeWith(() => {
      const size = closeLeavingLog(this.db)
      if (size > 0) onLeft({ file: this.db.name, size, isNamed: this.durability.isNamed })
    })
  }

  /** Closes a file that is to be removed, without writing its bookkeeping. */
  closeForRemoval(): void {
    this.#closeWith(() => closeLeavingLog(this.db), false)
  }

  /** Makes a consistent copy of the file while it is in use. */
  copyTo = (file: string): Promise<void> => copyInThread(this.db.name, file)

  /** Closes the file, even if its bookkeeping cannot be written. */
  #closeWith(close: () => void, isFlushed = true): void {
    if (!this.#isOpen) return
    try {
      if (isFlushed && this.#bookkeeping.isDirty) this.#bookkeeping.write()
    } finally {
      this.#isOpen = false
      this.#log.close()
      this.durability.close()
      close()
    }
  }

  #beginTransaction(): void {
    this.#used = undefined
    this.streams.begin()
    this.durability.begin()
    statement(this.db, 'BEGIN IMMEDIATE').run()
  }

  #enqueue<T>(run: () => T, access: string, isDurable: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) =>
      this.#queue.add({ access, run, resolve: value => resolve(value as T), reject, isDurable })
    )
  }

  /** Commits a write that runs in steps, and resolves it once it is durable. */
  async #commitSteps({ stepsIn, resolve, reject }: PendingSteps<UserStore>): Promise<void> {
    this.#isInSteps = true
    try {
      if (this.#bookkeeping.isDirty) this.#bookkeeping.write()
      const value = await retryWithReservations(this.unique, () => this.#inDraft(stepsIn))
      void this.durable().then(() => resolve(value), reject)
      this.#log.committed()
    } catch (error) {
      reject(translateError(error, this.db.name))
    }
    this.#isInSteps = false
    this.audit.rollbackTo(this.audit.mark)
    this.#groups.settleUnique()
  }

  /** Runs steps in a transaction on a connection of its own, so that reads meanwhile see the former state. */
  async #inDraft(stepsIn: (draft: UserStore) => Steps<unknown>): Promise<unknown> {
    this.durability.begin()
    const draft = this.#draft()
    try {
      // The caches of this store are outdated: they must be dropped in the same turn as the commit.
      return await runInTransaction(draft.db, draft.audit, stepsIn(draft), this.party, () => {
        this.unique.assertReserved()
        commit(draft.db, this.durability)
        this.#forget()
        this.#version++
        this.streams.takeCache(draft.streams)
      })
    } finally {
      draft.db.close()
    }
  }

  /** A store over another connection to the same file. */
  #draft(): UserStore {
    const { db, durability, policies, unique } = this
    const draft = new UserStore(openAgain(db.name, draftCacheKiB), durability, policies, unique)
    draft.isDraft = true
    draft.stamps = this.stamps
    draft.streams.copyCache(this.streams)
    return draft
  }

  /** Clears all caches: they may hold what was rolled back. */
  #forget(): void {
    this.#used = undefined
    this.forgetAll()
  }
}
