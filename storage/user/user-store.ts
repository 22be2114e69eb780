/** One user's open file: its repositories, and the one way to write to it. */
import type { Database } from 'better-sqlite3'
import { copyInThread } from '../sqlite/copy-thread.js'
import { translated } from '../errors.js'
import type { Policies } from '../repositories/policies.js'
import type { StorageUsed } from '../repositories/storage-used.js'
import type { SystemStreams } from '../streams/system-streams.js'
import { closeCarryingOver, closeLeavingLog, openAgain } from '../sqlite/open.js'
import { OpenLog, type Checkpoint } from '../wal/open-log.js'
import { statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'
import type { AuditEntry } from '../audit/record.js'
import type { UniqueValues } from '../platform/unique-index.js'
import type { WalSync } from '../wal/sync.js'
import { adoptOlderValues } from './adopt-values.js'
import { Bookkeeping } from './bookkeeping.js'
import { GroupCommit } from './group-commit.js'
import { Repositories } from './repositories.js'
import { Stamps } from './stamps.js'
import { inOneTransaction } from './step-commit.js'
import { WriteQueue, type PendingSteps } from './write-queue.js'
import type { LeftLog } from '../wal/left-log.js'

/** Page cache of a write in steps, KiB. */
const draftCacheKiB = 8192

export class UserStore extends Repositories {
  readonly #queue = new WriteQueue<UserStore>({
    commitGroup: group => this.#groups.commit(group),
    commitSteps: write => this.#commitSteps(write)
  })
  readonly #groups: GroupCommit
  readonly #bookkeeping: Bookkeeping
  readonly #log: OpenLog
  #isOpen = true
  #isInSteps = false
  #stamps = new Stamps()
  /** As it was after the last write. */
  #used: StorageUsed | undefined
  #version = 0

  constructor(
    private readonly db: Database,
    private readonly wal: WalSync,
    private readonly keeping: Policies,
    /** Where unique values are kept track of across accounts. */
    readonly unique: UniqueValues
  ) {
    super(db, keeping)
    this.#log = new OpenLog(db, wal, async work => await this.#queue.pauseFor(work))
    // Nobody else is to begin or end transactions.
    const store = {
      unique,
      begin: () => this.#begin(),
      savepoint: <T>(work: () => T) => this.savepoint(work),
      counted: () => void this.#version++,
      committed: () => this.#committed(),
      forget: () => this.#forget(),
      holds: () => this.isHeld,
      runsSteps: () => this.#isInSteps
    }
    this.#groups = new GroupCommit(db, wal, this, store)
    this.#bookkeeping = new Bookkeeping(db, this, store)
  }

  /** Has the log carried over by somebody else from time to time, not within commits. */
  checkpointBy(carry: Checkpoint): void {
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
    adoptOlderValues(this.db, this, system, now)
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
    return this.#stamps.next(now, this.events)
  }

  /** What the account stores, in bytes: kept with every write, so that asking costs nothing. */
  storageUsed(): StorageUsed {
    // A write counts what it has changed so far.
    if (this.db.inTransaction) return this.storageTotals.get()
    return (this.#used ??= this.storageTotals.get())
  }

  /**
   * Notes a call for the audit: it is written with the write that runs, or the next one, or within a second. `isStranger`:
   * whether it came without a valid token, or too often.
   */
  record(entry: AuditEntry, isStranger = false): void {
    this.#bookkeeping.record(entry, isStranger)
  }

  /** Lets the audit be read with every call that has been answered. A full disk keeps nobody from reading the rest. */
  completeAudit(): void {
    this.#bookkeeping.completeAudit()
  }

  /** Writes what was only noted in memory. Loses nothing that was acknowledged, so it waits for no sync. */
  flushUsage(): void {
    if (!this.isHeld) this.#bookkeeping.flush()
  }

  /** Gives back the memory that pages of the file take: they are read again when they are needed. */
  releaseMemory(): void {
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
      if (this.#bookkeeping.isDirty) this.#bookkeeping.write()
    } finally {
      this.#isOpen = false
      this.#log.close()
      this.wal.close()
      close()
    }
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

  async #commitSteps({ stepsIn, resolve, reject }: PendingSteps<UserStore>): Promise<void> {
    let draft: UserStore | undefined
    this.#isInSteps = true
    try {
      if (this.#bookkeeping.isDirty) this.#bookkeeping.write()
      this.wal.begin()
      const own = (draft = this.#draft())
      // What is remembered here is of before: nobody may read by it once the commit has returned.
      const value = await inOneTransaction(own.db, own.audit, stepsIn(own), () => {
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
      this.audit.undo(this.audit.mark)
    }
  }

  /** This store over another connection. */
  #draft(): UserStore {
    const draft = new UserStore(openAgain(this.db.name, draftCacheKiB), this.wal, this.keeping, this.unique)
    draft.#stamps = this.#stamps
    draft.streams.copy(this.streams)
    return draft
  }

  /** Drops what the repositories remember: it may hold what was undone. */
  #forget(): void {
    this.#used = undefined
    this.forgetAll()
  }
}
