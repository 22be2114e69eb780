/** The identities with which a user signs in besides the password. (docs/spec/identities.md) */
import type { Database } from 'better-sqlite3'
import { toIdentityKey } from '../../schemas/identity.js'
import { hasTable, statement } from '../sqlite/statements.js'

/** A user as identified by a provider, by issuer and subject only. */
export interface Identity {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  /** Name of the provider in the settings when the identity was linked. */
  readonly provider: string
  /** As reported by the provider. */
  readonly email: string | null
  /** Seconds. */
  readonly created: number
  /** The last sign-in in seconds; `null` if the identity has not been used. */
  readonly used: number | null
}

export class IdentityRepository {
  constructor(private readonly db: Database) {}

  /** All identities, oldest first. */
  list(): Identity[] {
    return statement(this.db, 'SELECT * FROM identity ORDER BY created, id').all() as Identity[]
  }

  /** Finds the identity with an issuer and a subject, both compared exactly. */
  find(issuer: string, subject: string): Identity | undefined {
    const sql = 'SELECT * FROM identity WHERE issuer = ? AND subject = ?'
    return statement(this.db, sql).get(issuer, subject) as Identity | undefined
  }

  /** Adds an identity. Does not claim it for the account: `store.unique` does. */
  insert({ created, email, id, issuer, provider, subject, used }: Identity): void {
    const sql =
      'INSERT INTO identity (id, issuer, subject, provider, email, created, used) VALUES (?, ?, ?, ?, ?, ?, ?)'
    statement(this.db, sql).run(id, issuer, subject, provider, email, created, used)
  }

  /** Records the time of a sign-in, in seconds. */
  touch(id: string, used: number): void {
    statement(this.db, 'UPDATE identity SET used = ? WHERE id = ?').run(used, id)
  }

  /** Removes an identity, if it exists. Does not release it for other accounts: `store.unique` does. */
  remove(id: string): void {
    statement(this.db, 'DELETE FROM identity WHERE id = ?').run(id)
  }
}

/** Lists the unique keys of all identities in a user's file. */
export function listIdentityKeys(db: Database): string[] {
  return hasTable(db, 'identity') ? new IdentityRepository(db).list().map(toIdentityKey) : []
}
