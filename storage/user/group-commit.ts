/** Commits several writes in one transaction. A write that throws is rolled back alone; the others resolve once on disk. */
import type { Database } from 'better-sqlite3'
import { toDurabilityError, translateError, Unreserved } from '../errors.js'
import type { UniqueValues } from '../platform/unique-index.js'
import type { AuditMark } from '../repositories/audit.js'
import { statement } from '../sqlite/statements.js'
import { commit, type Durability } from '../wal/durability.js'
import type { Repositories } from './repositories.js'
import type { PendingWrite } from './write-queue.js'

/** Time after which no further write joins a commit, in milliseconds. Large writes take some each. */
const groupMs = 15

/** The part of the store that committing uses. */
interface CommitStore {
  readonly unique: UniqueValues
  /** Begins a transaction. Throws `StorageFull` or `StoreUnavailable` if nothing may be written. */
  begin(): void
  /** Runs a part of the transaction, which is rolled back alone if it throws. */
  savepoint<T>(work: () => T): T
  /** Retries a write, before those that wait, once the values that it needs are reserved. */
  retry(write: PendingWrite, needed: Unreserved): void
  /** Called right after a commit, before its writes are acknowledged. */
  onCommit(): void
  /** Called after the writes were acknowledged: starts syncs and checkpoints. */
  committed(): void
  /** Drops caches, which may hold what was rolled back. */
  forget(): void
}

interface Success {
  readonly write: PendingWrite
  readonly value: unknown
}

export class GroupCommit {
  constructor(
    private readonly db: Database,
    private readonly durability: Durability,
    private readonly parts: Pick<Repositories, 'audit' | 'fields'>,
    private readonly store: CommitStore
  ) {}

  /** Runs writes and commits them, until time is up. `isSingle`: whether the group has one write only. */
  commit(group: Iterable<PendingWrite>, isSingle: boolean): void {
    const { audit } = this.parts
    const { mark } = audit
    const attempted: PendingWrite[] = []
    const done: Success[] = []
    const end = performance.now() + groupMs
    let retry: (() => void) | undefined
    try {
      this.store.begin()
      for (const write of group) {
        attempted.push(write)
        try {
          const run = (): unknown => this.#run(write)
          const value = isSingle ? run() : this.store.savepoint(run)
          done.push({ write, value })
        } catch (error) {
          if (!this.db.inTransaction) throw error
          // Later writes wait, so that the order is kept.
          if (error instanceof Unreserved) retry = () => this.store.retry(write, error)
          else write.reject(translateError(error, this.db.name))
        }
        if (retry || performance.now() > end) break
      }
      if (done.length === 0) {
        this.#rollback(mark)
        retry?.()
        return
      }
      audit.flush()
      commit(this.db, this.durability)
    } catch (error) {
      this.#rollback(mark)
      // If no write was attempted, the transaction could not even begin. Some writes may have been rejected above;
      // rejecting them again has no effect.
      for (const write of attempted.length === 0 ? group : attempted)
        write.reject(translateError(error, this.db.name))
      return
    }
    this.store.onCommit()
    audit.discardWritten()
    this.settleUnique()
    this.#acknowledge(done)
    // Before anything else can hold up writes.
    retry?.()
    this.store.committed()
  }

  /** Settles unique values in doubt by the file's content, once that is on disk. Must be called after each commit. */
  settleUnique(): void {
    const { unique } = this.store
    if (!unique.isInDoubt) return
    // Values reserved or written from now on are settled once they are on disk.
    const due = unique.listDue()
    const held = this.parts.fields.listUnique()
    this.durability.afterSync(failure => {
      if (!failure) unique.settle(due, held)
    })
  }

  #run(write: PendingWrite): unknown {
    const { unique } = this.store
    unique.begin()
    const value = write.run()
    unique.assertReserved()
    return value
  }

  /** Resolves the writes of a commit: durable writes after the next sync, all others at once. */
  #acknowledge(done: readonly Success[]): void {
    const durable = done.filter(({ write }) => write.isDurable)
    for (const { write, value } of done) if (!write.isDurable) write.resolve(value)
    if (durable.length > 0)
      this.durability.afterSync(failure =>
        durable.forEach(({ write, value }) =>
          failure ? write.reject(toDurabilityError(failure)) : write.resolve(value)
        )
      )
  }

  #rollback(mark: AuditMark): void {
    if (this.db.inTransaction) statement(this.db, 'ROLLBACK').run()
    this.parts.audit.rollbackTo(mark)
    this.store.forget()
    this.settleUnique()
  }
}
