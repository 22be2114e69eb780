/** Runs work in steps as one transaction, on a connection of its own. */
import type { Database } from 'better-sqlite3'
import { Unreserved } from '../errors.js'
import type { UniqueValues } from '../platform/unique-index.js'
import type { AuditRepository } from '../repositories/audit.js'
import { statement } from '../sqlite/statements.js'
import type { Party } from '../scheduler.js'
import { runInTurns, type Steps } from '../steps.js'

/** Runs a write, and makes it again whenever it turns out to need unique values that have to be reserved first. */
export async function retryWithReservations<T>(unique: UniqueValues, write: () => Promise<T>): Promise<T> {
  for (;;) {
    unique.begin()
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof Unreserved)) throw error
      await unique.reserve(error.values)
    }
  }
}

/** Runs the steps when it is the party's turn, and commits. `commit` ends the transaction synchronously. */
export async function runInTransaction<T>(
  db: Database,
  audit: AuditRepository,
  steps: Steps<T>,
  party: Party,
  commit: () => void
): Promise<T> {
  statement(db, 'BEGIN IMMEDIATE').run()
  try {
    const value = await runInTurns(steps, party)
    audit.flush()
    commit()
    return value
  } catch (error) {
    if (db.inTransaction) statement(db, 'ROLLBACK').run()
    throw error
  }
}
