/** What is noted in memory first: uses, sessions, the audit. It is written with other things, or by itself from time to time. */
import type { Database } from 'better-sqlite3'
import type { AuditEntry } from '../audit/record.js'
import { StorageFull, translated } from '../errors.js'
import { statement } from '../sqlite/statements.js'
import type { Repositories } from './repositories.js'

/** The store whose bookkeeping it is. */
export interface Bookkept {
  /** Whether writes have to wait for one in steps, and whether that one runs already. */
  holds(): boolean
  runsSteps(): boolean
  begin(): void
  committed(): void
}

export class Bookkeeping {
  constructor(
    private readonly db: Database,
    private readonly parts: Pick<Repositories, 'audit' | 'sessions' | 'usage'>,
    private readonly store: Bookkept
  ) {}

  get isDirty(): boolean {
    const { audit, sessions, usage } = this.parts
    return usage.isDirty || sessions.isDirty || audit.isDirty
  }

  /** Notes a call for the audit. */
  record(entry: AuditEntry, isStranger: boolean): void {
    const { audit } = this.parts
    audit.add(entry, isStranger)
    if (!audit.isFull || this.db.inTransaction || this.store.holds()) return
    try {
      this.flush()
    } catch {
      // It is tried again within a second, and that failure is told of.
    }
  }

  /** Lets the audit be read with every call that has been answered. A full disk keeps nobody from reading the rest. */
  completeAudit(): void {
    const { audit } = this.parts
    if (!this.db.inTransaction) audit.gather(true)
    if (!audit.isDirty) return
    try {
      if (this.db.inTransaction) audit.flush()
      else if (!this.store.runsSteps()) this.flush()
    } catch (error) {
      const trouble = translated(error, this.db.name)
      if (!(trouble instanceof StorageFull)) throw trouble
    }
  }

  /** Writes what there is, and has it synced as any other write. */
  flush(): void {
    if (!this.isDirty) return
    this.write()
    this.store.committed()
  }

  /** Writes what there is, in a transaction of its own. */
  write(): void {
    const { audit, sessions, usage } = this.parts
    audit.gather()
    const { mark } = audit
    try {
      this.store.begin()
      usage.flush()
      sessions.flush()
      audit.flush()
      statement(this.db, 'COMMIT').run()
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      audit.undo(mark)
      throw translated(error, this.db.name)
    }
    usage.settle()
    sessions.settle()
    audit.settle()
  }
}
