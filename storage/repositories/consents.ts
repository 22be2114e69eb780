/** Where the person has agreed that the access of an app is handed to. They go with the access. */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** Where an access goes: who asked for it, from where, and where the person is sent back to. */
export interface Destination {
  /** Origin of the address, or its scheme where it is an app's own; empty for nowhere. */
  readonly returnTo: string
  /** Origin of the page that asked; empty for a program. */
  readonly origin: string
  /** The network that it asked from: an address, or the front half of one. */
  readonly network: string
}

/** Kept for each access; the oldest make room. */
const most = 20

export class ConsentRepository {
  constructor(private readonly db: Database) {}

  /** The places agreed to, the latest first. */
  list(access: string): Destination[] {
    const sql = `SELECT returnTo, origin, network FROM access_consent WHERE access = ?
      ORDER BY agreed DESC, returnTo, origin, network`
    return statement(this.db, sql).all(access) as Destination[]
  }

  /** Notes that a place was agreed to. */
  add(access: string, { network, origin, returnTo }: Destination, now: number): void {
    const sql = `INSERT INTO access_consent (access, returnTo, origin, network, agreed) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET agreed = excluded.agreed`
    statement(this.db, sql).run(access, returnTo, origin, network, now)
    const oldest = `DELETE FROM access_consent WHERE access = ? AND (returnTo, origin, network) NOT IN
      (SELECT returnTo, origin, network FROM access_consent WHERE access = ? ORDER BY agreed DESC LIMIT +?)`
    statement(this.db, oldest).run(access, access, most)
  }
}
