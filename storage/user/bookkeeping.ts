/** Uses, sessions, the audit, and how far rules were evaluated: collected in memory, and written with other writes or periodically. */
import type { Database } from 'better-sqlite3'
import type { AuditEntry } from '../audit/record.js'
import { StorageFull, translateError } from '../errors.js'
import type { Repositories } from './repositories.js'

/** The part of the store that bookkeeping uses. */
interface BookkeepingStore {
  /** Returns whether writes have to wait, for a write in steps or a checkpoint. */
  isWriteHeld(): boolean
  /** Returns whether a write in steps is running. */
  isInSteps(): boolean
  /** Begins a transaction. */
  begin(): void
  /** Commits the transaction. */
  commit(): void
  /** Must be called after each commit: starts syncs and checkpoints. */
  committed(): void
}

export class Bookkeeping {
  constructor(
    private readonly db: Database,
    private readonly parts: Pick<Repositories, 'audit' | 'rules' | 'sessions' | 'usage'>,
    private readonly store: BookkeepingStore
  ) {}

  /** Whether uses, sessions or audit entries wait to be written. */
  get isDirty(): boolean {
    const { audit, sessions, usage } = this.parts
    return usage.isDirty || sessions.isDirty || audit.isDirty
  }

  /**
   * Adds a call to the audit. If many wait, writes everything pending at once, unless a write is running or
   * waiting; ignores a failure.
   */
  record(entry: AuditEntry, isAnonymous: boolean): void {
    const { audit } = this.parts
    audit.add(entry, isAnonymous)
    if (!audit.isFull || this.db.inTransaction || this.store.isWriteHeld()) return
    try {
      this.flush()
    } catch {
      // The next flush, within a second, retries and reports its failure.
    }
  }

  /** Makes every finished call readable in the audit. If the disk is full, the audit remains readable without the latest. */
  completeAudit(): void {
    const { audit } = this.parts
    if (!this.db.inTransaction) audit.addSummaries(true)
    if (!audit.isDirty) return
    try {
      if (this.db.inTransaction) audit.flush()
      else if (!this.store.isInSteps()) this.flush()
    } catch (error) {
      const failure = translateError(error, this.db.name)
      if (!(failure instanceof StorageFull)) throw failure
    }
  }

  /** Writes everything pending, and has it synced like any other write. Returns whether there was something to write. */
  flush(): boolean {
    if (!this.isDirty) return false
    this.write()
    this.store.committed()
    return true
  }

  /** Writes everything pending in its own transaction. */
  write(): void {
    const { audit, rules, sessions, usage } = this.parts
    audit.addSummaries()
    const { mark } = audit
    try {
      this.store.begin()
      usage.flush()
      sessions.flush()
      audit.flush()
      rules.flush()
      this.store.commit()
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      audit.rollbackTo(mark)
      throw translateError(error, this.db.name)
    }
    usage.markFlushed()
    sessions.markFlushed()
    rules.markFlushed()
    audit.discardWritten()
  }
}
