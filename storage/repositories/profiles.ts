/** Profile sets: keys and values, by the name of the set. */
import type { Database } from 'better-sqlite3'
import type { KeyValue } from '../../schemas/scalars.js'
import { column, statement } from '../sqlite/statements.js'

/** `public`, `private`, or the set shared by apps of one name. */
export type ProfileSet = 'public' | 'private' | `app:${string}`

export class ProfileRepository {
  constructor(private readonly db: Database) {}

  /**
   * Returns a set; an empty object if the set was never written. Clients choose the keys: read them as own properties
   * only.
   */
  find(set: ProfileSet): KeyValue {
    const body = column(this.db, 'SELECT body FROM profile WHERE name = ?').get(set) as string | undefined
    return body === undefined ? {} : (JSON.parse(body) as KeyValue)
  }

  /** Sets keys, removes those that are `null`, and leaves the others. Returns the set as stored. */
  update(set: ProfileSet, change: KeyValue): KeyValue {
    // `Object.fromEntries` instead of assignments: a key may be `__proto__`.
    const entries = Object.entries({ ...this.find(set), ...change }).filter(([, value]) => value !== null)
    const profile: KeyValue = Object.fromEntries(entries)
    // Not `OR REPLACE`, which does not fire the delete triggers that count storage.
    const sql = `INSERT INTO profile (name, body) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body`
    statement(this.db, sql).run(set, JSON.stringify(profile))
    return profile
  }
}
