/** Runs several reads on one state of the file; its lock is taken once, not for each statement. */
import type { Database } from 'better-sqlite3'
import { statement } from './statements.js'

/** Runs reads in a transaction, or in the running one. */
export function readInTransaction<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read()
  statement(db, 'BEGIN').run()
  try {
    return read()
  } finally {
    // An error may have ended it.
    if (db.inTransaction) statement(db, 'COMMIT').run()
  }
}
