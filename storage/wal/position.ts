/**
 * How far a file is in the log of its account's changes: a row that is written in the same transaction as the changes
 * themselves. Only files whose durability asks for it have one. (storage/wal/durability.ts)
 */
import type { Database } from 'better-sqlite3'
import { raw, statement } from '../sqlite/statements.js'

/** A place in the log of an account's changes. */
export interface Position {
  /** Number of the commit: each is one more than the one before. */
  readonly lsn: number
  /** Grows whenever another process takes the account over. */
  readonly epoch: number
}

/** The table, which is not among the migrations: most files do without. */
export const positionTable =
  'CREATE TABLE log_position (id INTEGER PRIMARY KEY CHECK (id = 1), lsn INTEGER NOT NULL, epoch INTEGER NOT NULL)'

/** Connections to files that have one: it is looked for once, not at each commit. */
const filesWithPosition = new WeakSet<Database>()

/** The position of a file; `undefined` if it has none. */
export function readPosition(db: Database): Position | undefined {
  if (!hasTable(db)) return undefined
  return statement(db, 'SELECT lsn, epoch FROM log_position').get() as Position | undefined
}

/** Writes the position of a file. Within a transaction. */
export function writePosition(db: Database, { epoch, lsn }: Position): void {
  statement(db, 'UPDATE log_position SET lsn = ?, epoch = ?').run(lsn, epoch)
}

/** Gives a file its first position, in a transaction of its own. */
export function addPosition(db: Database, { epoch, lsn }: Position): void {
  const add = (): void => {
    if (!hasTable(db)) db.exec(positionTable)
    db.prepare('INSERT OR REPLACE INTO log_position (id, lsn, epoch) VALUES (1, ?, ?)').run(lsn, epoch)
  }
  db.transaction(add).immediate()
}

/** Takes the position of a file away, if it has one. */
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
