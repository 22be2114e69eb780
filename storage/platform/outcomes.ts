/** The outcome of a command: its result, or the error that it threw. */
import SQLite, { type Database } from 'better-sqlite3'
import { translateError } from '../errors.js'

/** The outcome of a command. */
export type CommandOutcome =
  | { readonly isDone: true; readonly result: unknown }
  | { readonly isDone: false; readonly error: unknown }

/**
 * Runs a command within a transaction, which is rolled back if it throws. Throws errors that depend on this machine,
 * such as a full disk: on other nodes the same command succeeds.
 */
export function tryCommand(db: Database, command: () => unknown): CommandOutcome {
  try {
    return { isDone: true, result: db.transaction(command)() }
  } catch (error) {
    if (error instanceof SQLite.SqliteError && !error.code.startsWith('SQLITE_CONSTRAINT')) throw error
    return { isDone: false, error: translateError(error, db.name) }
  }
}
