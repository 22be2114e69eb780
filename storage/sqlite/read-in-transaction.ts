/** Many reads as one: they see one state of the file, and its lock is taken once, not with each statement. */
import type { Database } from 'better-sqlite3'
import { statement } from './statements.js'

/** Runs reads, within the transaction that runs already if one does. */
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
