/** Profile sets: keys and values, by the name of the set. */
import type { Database } from 'better-sqlite3'
import type { KeyValue } from '../../schemas/scalars.js'
import { column, statement } from '../sqlite/statements.js'

/** `public`, `private`, or that of the apps of a name. */
export type ProfileSet = 'public' | 'private' | `app:${string}`

export class ProfileRepository {
  constructor(private readonly db: Database) {}

  /** A set; empty if nothing was ever written to it. Keys are whatever clients like: look them up as own ones only. */
  find(set: ProfileSet): KeyValue {
    const body = column(this.db, 'SELECT body FROM profile WHERE name = ?').get(set) as string | undefined
    return body === undefined ? {} : (JSON.parse(body) as KeyValue)
  }

  /** Sets keys, removes those that are `null`, and leaves the others. Answers the set as kept. */
  update(set: ProfileSet, change: KeyValue): KeyValue {
    // Keys are never assigned one by one: `__proto__` is a key like any other.
    const entries = Object.entries({ ...this.find(set), ...change }).filter(([, value]) => value !== null)
    const profile: KeyValue = Object.fromEntries(entries)
    // Not `OR REPLACE`: that removes rows without the triggers that count them.
    const sql = `INSERT INTO profile (name, body) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body`
    statement(this.db, sql).run(set, JSON.stringify(profile))
    return profile
  }
}
