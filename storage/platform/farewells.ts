/** Messages to the peers of removed accounts that could not be delivered before the removal. (docs/spec/consent.md#ends) */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** A message that is still to be delivered. Times in seconds. */
export interface Farewell {
  /** Of the event at the peer: the same for each attempt. */
  readonly id: string
  /** By which the shard of the removed account is found. */
  readonly username: string
  /** Of the peer, with the token that it has given. */
  readonly endpoint: string
  /** The event, as JSON. */
  readonly event: string
  readonly created: number
  readonly attempts: number
  readonly next: number
}

/** Maximum number of messages that are kept; further ones are dropped. */
const maxFarewells = 50_000

/** The messages. Changed by commands only. (storage/platform/commands.ts) */
export class FarewellRepository {
  constructor(private readonly db: Database) {}

  /**
   * Adds messages that are not there yet. Returns how many there was no room for: an account gets half of what the others leave, so
   * that one alone cannot fill it.
   */
  add(farewells: readonly Farewell[]): number {
    const ofAccount = column(this.db, 'SELECT count(*) FROM farewell WHERE username = ?')
    let total = column(this.db, 'SELECT count(*) FROM farewell').get() as number
    const own = new Map<string, number>()
    const added = farewells.filter(({ username }) => {
      const kept = own.get(username) ?? (ofAccount.get(username) as number)
      const isRoom = kept < (maxFarewells - (total - kept)) / 2
      own.set(username, isRoom ? kept + 1 : kept)
      if (isRoom) total++
      return isRoom
    })
    const sql = `INSERT OR IGNORE INTO farewell (id, username, endpoint, event, created, attempts, next)
      VALUES (?, ?, ?, ?, ?, ?, ?)`
    for (const { attempts, created, endpoint, event, id, next, username } of added)
      statement(this.db, sql).run(id, username, endpoint, event, created, attempts, next)
    return farewells.length - added.length
  }

  /** Lists the next messages by id, after the id `after`. */
  listAfter(after: string, limit: number): Farewell[] {
    return statement(this.db, 'SELECT * FROM farewell WHERE id > ? ORDER BY id LIMIT +?').all(
      after,
      limit
    ) as Farewell[]
  }

  /** Stores the number of attempts, and when the next one is due, in seconds. */
  postpone(id: string, attempts: number, next: number): void {
    statement(this.db, 'UPDATE farewell SET attempts = ?, next = ? WHERE id = ?').run(attempts, next, id)
  }

  /** Removes a message that is delivered, or is given up. */
  remove(id: string): void {
    statement(this.db, 'DELETE FROM farewell WHERE id = ?').run(id)
  }
}
