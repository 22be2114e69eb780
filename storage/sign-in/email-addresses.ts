/**
 * The email addresses of one account, and how each was verified. The primary address is an account field and needs no row
 * here: see core/account/email/addresses.ts.
 */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { statement } from '../sqlite/statements.js'
import { toUniqueKey } from '../repositories/account-fields.js'

export type VerificationMethod = 'email-link' | 'operator' | 'registration' | 'legacy'

/** An address. Times in seconds. */
export interface StoredAddress {
  readonly address: string
  readonly added: number
  /** `null` while the address is pending. */
  readonly verified: number | null
  readonly method: VerificationMethod | null
  /** When a link was last requested. */
  readonly sent: number | null
}

const columns = 'address, added, verified, method, sent'

export class EmailAddressRepository {
  constructor(private readonly db: Database) {}

  /** Lists the addresses in the order in which they were added. */
  list(): StoredAddress[] {
    return statement(
      this.db,
      `SELECT ${columns} FROM email_address ORDER BY added, key`
    ).all() as StoredAddress[]
  }

  /** Finds an address, compared as {@link toUniqueKey} says. */
  find(address: string): StoredAddress | undefined {
    const sql = `SELECT ${columns} FROM email_address WHERE key = ?`
    return statement(this.db, sql).get(toKey(address)) as StoredAddress | undefined
  }

  /** Finds the address for which a link with this token was sent, unless the link has expired at `now`. */
  findByToken(token: string, now: number): StoredAddress | undefined {
    const sql = `SELECT ${columns} FROM email_address WHERE tokenHash = ? AND tokenExpires > ?`
    return statement(this.db, sql).get(digestSecret(token), now) as StoredAddress | undefined
  }

  /** Adds an address, or replaces what is known of it; links to it become invalid. */
  set({ added, address, method, sent, verified }: StoredAddress): void {
    const sql = `INSERT OR REPLACE INTO email_address (key, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`
    statement(this.db, sql).run(toKey(address), address, added, verified, method, sent)
  }

  /** Removes an address, if it is in the list. Does not release it for other accounts: `store.unique` does. */
  remove(address: string): void {
    statement(this.db, 'DELETE FROM email_address WHERE key = ?').run(toKey(address))
  }

  /** Requests a link for an address. */
  request(address: string, now: number): void {
    statement(this.db, 'UPDATE email_address SET sent = ?, isDue = 1 WHERE key = ?').run(now, toKey(address))
  }

  /** Returns an address for which a link has been requested and not sent, and withdraws the request. */
  takeDue(): string | undefined {
    const sql = 'SELECT key, address FROM email_address WHERE isDue = 1 ORDER BY sent, key LIMIT 1'
    const due = statement(this.db, sql).get() as { key: string; address: string } | undefined
    if (due) statement(this.db, 'UPDATE email_address SET isDue = 0 WHERE key = ?').run(due.key)
    return due?.address
  }

  /**
   * Stores the token of a link, which replaces the token of the previous link. `expires` in seconds. Returns `false` if the
   * address is no longer in the list.
   */
  setToken(address: string, token: string, expires: number): boolean {
    const sql = 'UPDATE email_address SET tokenHash = ?, tokenExpires = ? WHERE key = ?'
    return statement(this.db, sql).run(digestSecret(token), expires, toKey(address)).changes === 1
  }
}

function toKey(address: string): string {
  return toUniqueKey('email', address)
}
