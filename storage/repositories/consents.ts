/** The destinations to which a user has agreed to hand accesses. */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** Who requested an access, from where, and where the person is sent back to. */
export interface Destination {
  /** Origin of the return URL, or its scheme if that is app-specific; empty if there is none. */
  readonly returnTo: string
  /** Origin of the requesting page; empty for a program. */
  readonly origin: string
  /** The network of the requester: an IP address, or the prefix of one. */
  readonly network: string
}

/** Maximum number of destinations for each access. The oldest are removed. */
const maxKept = 20

/** The destinations to which the user has agreed to hand an app's access. They are removed with the access. */
export class ConsentRepository {
  constructor(private readonly db: Database) {}

  /** Lists the destinations agreed to, latest first. */
  list(access: string): Destination[] {
    const sql = `SELECT returnTo, origin, network FROM access_consent WHERE access = ?
      ORDER BY agreed DESC, returnTo, origin, network`
    return statement(this.db, sql).all(access) as Destination[]
  }

  /**
   * Adds a destination that was agreed to at `now` (seconds), and removes the oldest beyond 20 of the access.
   */
  add(access: string, { network, origin, returnTo }: Destination, now: number): void {
    const sql = `INSERT INTO access_consent (access, returnTo, origin, network, agreed) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET agreed = excluded.agreed`
    statement(this.db, sql).run(access, returnTo, origin, network, now)
    const oldest = `DELETE FROM access_consent WHERE access = ? AND (returnTo, origin, network) NOT IN
      (SELECT returnTo, origin, network FROM access_consent WHERE access = ? ORDER BY agreed DESC LIMIT +?)`
    statement(this.db, oldest).run(access, access, maxKept)
  }

  /** Removes all destinations of an access: the user is asked again. */
  clear(access: string): void {
    statement(this.db, 'DELETE FROM access_consent WHERE access = ?').run(access)
  }
}
