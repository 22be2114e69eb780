/** What becomes of a command among others: what it answers, or what it throws. */
import SQLite, { type Database } from 'better-sqlite3'
import { translateError } from '../errors.js'

/** What a command has answered, or thrown. */
export type CommandOutcome =
  | { readonly isDone: true; readonly result: unknown }
  | { readonly isDone: false; readonly error: unknown }

/**
 * Runs a command within a transaction; what it throws undoes it alone. Throws what says nothing of the command but of this
 * machine, such as a full disk: elsewhere the same command succeeds.
 */
export function tryCommand(db: Database, command: () => unknown): CommandOutcome {
  try {
    return { isDone: true, result: db.transaction(command)() }
  } catch (error) {
    if (error instanceof SQLite.SqliteError && !error.code.startsWith('SQLITE_CONSTRAINT')) throw error
    return { isDone: false, error: translateError(error, db.name) }
  }
}
