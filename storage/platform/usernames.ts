/**
 * One name space for user names, former user names and the aliases of accesses: which account a name leads to, and how
 * accounts change their names. (docs/spec/usernames.md)
 */
import type { Database } from 'better-sqlite3'
import { aliasField } from '../../schemas/access.js'
import { column, statement } from '../sqlite/statements.js'
import type { Account } from './account.js'

/** How often users may change their names. */
export interface UsernameRules {
  readonly limit: number
  /** Minimum time between two changes, in seconds. */
  readonly interval: number
}

/** How often an account has changed its name, and when last, in seconds. */
interface UsernameChanges {
  readonly used: number
  readonly last: number | undefined
}

/** Why a user name was not changed. */
export type UsernameRefusal = 'same' | 'taken' | 'exhausted' | 'tooSoon'

/** The names. Changed by commands only. (storage/platform/commands.ts) */
export class UsernameRepository {
  constructor(private readonly db: Database) {}

  /** Finds an account by its name or one of its former names. */
  find(name: string): Account | undefined {
    const current = statement(this.db, 'SELECT * FROM account WHERE username = ?').get(name)
    const former = 'SELECT account.* FROM former_username JOIN account ON account = id WHERE name = ?'
    return (current ?? statement(this.db, former).get(name)) as Account | undefined
  }

  /** Finds an account by the alias of one of its accesses. */
  findByAlias(alias: string): Account | undefined {
    const sql = 'SELECT account.* FROM unique_field JOIN account ON account = id WHERE name = ? AND value = ?'
    return statement(this.db, sql).get(aliasField, alias) as Account | undefined
  }

  /** Returns whether a name is a user name, a former user name or an alias. */
  isTaken(name: string): boolean {
    return this.find(name) !== undefined || this.findByAlias(name) !== undefined
  }

  /**
   * Returns the name that decides to which shard an account belongs: its first name, even if it has changed its name since.
   * Takes any of its names and aliases. An unknown name stands for itself.
   */
  getShardName(name: string): string {
    const account = this.find(name) ?? this.findByAlias(name)
    return account ? (this.listFormer(account.id)[0] ?? account.username) : name
  }

  /** Lists the former names of an account, the first one first. */
  listFormer(id: string): string[] {
    const sql = 'SELECT name FROM former_username WHERE account = ? ORDER BY number'
    return column(this.db, sql).all(id) as string[]
  }

  /** Lists the accounts that have changed their names. */
  listRenamed(): Account[] {
    const sql = 'SELECT * FROM account WHERE id IN (SELECT account FROM former_username)'
    return statement(this.db, sql).all() as Account[]
  }

  /** Returns how often an account has changed its name, and when it last did (seconds). */
  getChanges(id: string): UsernameChanges {
    const sql = 'SELECT max(number) AS used, max(changed) AS last FROM former_username WHERE account = ?'
    const { last, used } = statement(this.db, sql).get(id) as Record<'last' | 'used', number | null>
    return { used: used ?? 0, last: last ?? undefined }
  }

  /**
   * Changes the name of an active account at `now` (seconds); it keeps the former one, too. Returns why it
   * was not changed, or `undefined`: `same` also for an account that is not active.
   */
  change(id: string, name: string, now: number, rules: UsernameRules): UsernameRefusal | undefined {
    const sql = "SELECT username FROM account WHERE id = ? AND state = 'active'"
    const current = column(this.db, sql).get(id) as string | undefined
    if (current === undefined || current === name) return 'same'
    const { last, used } = this.getChanges(id)
    if (used >= rules.limit) return 'exhausted'
    if (this.isTaken(name)) return 'taken'
    if (last !== undefined && now < last + rules.interval) return 'tooSoon'
    this.#addFormer(id, current, used + 1, now)
    statement(this.db, 'UPDATE account SET username = ? WHERE id = ?').run(name, id)
    return undefined
  }

  /** Gives a copy of an account the former names of the original, except those that are taken. */
  adoptFormer(id: string, names: readonly string[]): void {
    for (const [index, name] of names.filter(each => !this.isTaken(each)).entries())
      this.#addFormer(id, name, index + 1, 0)
  }

  #addFormer(id: string, name: string, number: number, now: number): void {
    const sql = 'INSERT INTO former_username (name, account, number, changed) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(name, id, number, now)
  }
}
