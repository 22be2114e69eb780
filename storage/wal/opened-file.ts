/** A file that has just been opened, as its durability sees it. */
import type { Database } from 'better-sqlite3'
import { lastFrame } from '../sqlite/open.js'
import { addPosition, readPosition, writePosition, type Position } from './position.js'

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
