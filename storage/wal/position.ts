/**
 * A file's position in the log of its account's changes: a row that is written in the same transaction as the changes.
 * Only files whose durability requires it have one. (storage/wal/durability.ts)
 */
import type { Database } from 'better-sqlite3'
import { lastFrame } from '../sqlite/open.js'
import { hasTable, statement } from '../sqlite/statements.js'

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
  if (!hasPosition(db)) return undefined
  return statement(db, 'SELECT lsn, epoch FROM log_position').get() as Position | undefined
}

/** Writes the position of a file. Must run within a transaction. */
export function writePosition(db: Database, { epoch, lsn }: Position): void {
  statement(db, 'UPDATE log_position SET lsn = ?, epoch = ?').run(lsn, epoch)
}

/** Sets a file's first position, in a separate transaction. */
export function addPosition(db: Database, { epoch, lsn }: Position): void {
  const add = (): void => {
    if (!hasPosition(db)) db.exec(positionTable)
    db.prepare('INSERT OR REPLACE INTO log_position (id, lsn, epoch) VALUES (1, ?, ?)').run(lsn, epoch)
  }
  db.transaction(add).immediate()
}

/** Removes the position of a file, if it has one. */
export function dropPosition(db: Database): void {
  filesWithPosition.delete(db)
  db.exec('DROP TABLE IF EXISTS log_position')
}

/** A file that has just been opened, as its durability sees it. */
export class OpenedFile {
  constructor(
    /** The account that it belongs to. */
    readonly account: string,
    private readonly db: Database
  ) {}

  /** The path of the main file. */
  get file(): string {
    return this.db.name
  }

  /** Number of the last valid frame in the log since it was last restarted. */
  lastFrame(): number {
    return lastFrame(this.db)
  }

  /** Reads the file's position; `undefined` if it never had one. */
  position(): Position | undefined {
    return readPosition(this.db)
  }

  /** Sets the file's first position, in a separate transaction. */
  addPosition(position: Position): void {
    addPosition(this.db, position)
  }

  /** Commits a position and nothing else. */
  commitPosition(position: Position): void {
    this.db.transaction(() => writePosition(this.db, position)).immediate()
  }

  /** All pages, as they are after the last commit, whether or not they are still in the log. */
  pages(): Buffer {
    return this.db.serialize()
  }
}

function hasPosition(db: Database): boolean {
  if (filesWithPosition.has(db)) return true
  const isThere = hasTable(db, 'log_position')
  if (isThere) filesWithPosition.add(db)
  return isThere
}
