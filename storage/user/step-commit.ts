/** Runs work in steps as one transaction, on a connection of its own. */
import type { Database } from 'better-sqlite3'
import type { AuditRepository } from '../repositories/audit.js'
import { statement } from '../sqlite/statements.js'
import { inTurns, type Steps } from '../steps.js'

/** Runs the steps, returning to the event loop every few milliseconds, and commits. `commit` ends the transaction synchronously. */
export async function inOneTransaction<T>(
  db: Database,
  audit: AuditRepository,
  steps: Steps<T>,
  commit: () => void
): Promise<T> {
  statement(db, 'BEGIN IMMEDIATE').run()
  try {
    const value = await inTurns(steps)
    audit.flush()
    commit()
    return value
  } catch (error) {
    if (db.inTransaction) statement(db, 'ROLLBACK').run()
    throw error
  }
}
