/** The events of one user. */
import type { Database } from 'better-sqlite3'
import { column } from '../statements.js'

export class EventRepository {
  constructor(private readonly db: Database) {}

  /** The greatest time of modification (seconds). */
  lastModified(): number | undefined {
    return (column(this.db, 'SELECT max(modified) FROM event').get() as number | null) ?? undefined
  }

  forget(): void {}
}
