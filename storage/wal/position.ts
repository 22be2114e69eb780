/**
 * A file's position in the log of its account's changes: a row that is written in the same transaction as the changes.
 * Only files whose durability requires it have one. (storage/wal/durability.ts)
 */
import type { Database } from 'better-sqlite3'
import { raw, statement } from '../sqlite/statements.js'

/** A position in the log of an account's changes. */
export interface Position {
  /** Number of the commit: each is one more than the one before. */
  readonly lsn: number
  /** Increases whenever another process takes over the account. */
  readonly epoch: number
}

/** The table, which is not part of the migrations: most files do not need it. */
export const positionTable =
  'CREATE TABLE log_position (id INTEGER PRIMARY KEY CHECK (id = 1), lsn INTEGER NOT NULL, epoch INTEGER NOT NULL)'

/** Connections to files that have one: checked once, not at each commit. */
const filesWithPosition = new WeakSet<Database>()

/** The position of a file; `undefined` if it has none. */
export function readPosition(db: Database): Position | undefined {
  if (!hasTable(db)) return undefined
  return statement(db, 'SELECT lsn, epoch FROM log_position').get() as Position | undefined
}

/** Writes the position of a file. Must run within a transaction. */
export function writePosition(db: Database, { epoch, lsn }: Position): void {
  statement(db, 'UPDATE log_position SET lsn = ?, epoch = ?').run(lsn, epoch)
}

/** Sets a file's first position, in a separate transaction. */
export function addPosition(db: Database, { epoch, lsn }: Position): void {
  const add = (): void => {
    if (!hasTable(db)) db.exec(positionTable)
    db.prepare('INSERT OR REPLACE INTO log_position (id, lsn, epoch) VALUES (1, ?, ?)').run(lsn, epoch)
  }
  db.transaction(add).immediate()
}

/** Removes the position of a file, if it has one. */
export function dropPosition(db: Database): void {
  filesWithPosition.delete(db)
  db.exec('DROP TABLE IF EXISTS log_position')
}

function hasTable(db: Database): boolean {
  if (filesWithPosition.has(db)) return true
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'log_position'"
  const isThere = raw(db, sql).get() !== undefined
  if (isThere) filesWithPosition.add(db)
  return isThere
}
