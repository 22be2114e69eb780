/** Commits of several writes together: each is undone by itself when it throws, and told when all of it is on disk. */
import type { Database } from 'better-sqlite3'
import { translated } from '../errors.js'
import type { UniqueValues } from '../platform/unique-index.js'
import type { AuditMark } from '../repositories/audit.js'
import { statement } from '../sqlite/statements.js'
import type { WalSync } from '../wal/sync.js'
import type { Repositories } from './repositories.js'
import type { PendingWrite } from './write-queue.js'

/** Time after which no other write joins a commit, milliseconds: those of a few hundred kilobytes take some each. */
const groupMs = 15

/** The store that is written to. */
export interface Committing {
  readonly unique: UniqueValues
  begin(): void
  savepoint<T>(work: () => T): T
  /** Told of a commit, before those are told whose writes it holds. */
  counted(): void
  committed(): void
  forget(): void
}

interface Done {
  readonly write: PendingWrite
  readonly value: unknown
}

export class GroupCommit {
  /** Counts the times that unique values were left to the file. */
  #settling = 0

  constructor(
    private readonly db: Database,
    private readonly wal: WalSync,
    private readonly parts: Pick<Repositories, 'audit' | 'fields'>,
    private readonly store: Committing
  ) {}

  /** Does the writes, and answers how many it got through: others are to have their turn before the rest. */
  commit(group: readonly PendingWrite[]): number {
    const { audit } = this.parts
    const { mark } = audit
    const done: Done[] = []
    const end = performance.now() + groupMs
    let count = 0
    try {
      this.store.begin()
      for (const write of group) {
        count++
        try {
          const value = group.length === 1 ? write.run() : this.store.savepoint(write.run)
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
      audit.flush()
      statement(this.db, 'COMMIT').run()
    } catch (error) {
      this.#rollback(mark)
      // Rejecting a write that was rejected by itself before has no effect.
      for (const write of group.slice(0, count)) write.reject(translated(error, this.db.name))
      return count
    }
    this.store.counted()
    audit.settle()
    this.#settleUnique()
    this.#acknowledge(done)
    this.store.committed()
    return count
  }

  /** Lets the file decide about unique values that were in doubt, as soon as all that is in it is on disk. */
  #settleUnique(): void {
    const { unique } = this.store
    if (!unique.isInDoubt) return
    const turn = ++this.#settling
    this.wal.afterSync(() => {
      // What others have committed meanwhile is not on disk yet: the last one speaks for all.
      if (turn === this.#settling) unique.settle(this.parts.fields.listUnique())
    })
  }

  #acknowledge(done: readonly Done[]): void {
    const durable = done.filter(({ write }) => write.isDurable)
    for (const { write, value } of done) if (!write.isDurable) write.resolve(value)
    if (durable.length > 0)
      this.wal.afterSync(() => durable.forEach(({ write, value }) => write.resolve(value)))
  }

  #rollback(mark: AuditMark): void {
    if (this.db.inTransaction) statement(this.db, 'ROLLBACK').run()
    this.parts.audit.undo(mark)
    this.store.forget()
    this.#settleUnique()
  }
}
