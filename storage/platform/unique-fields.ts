/** The platform's index of unique values; the values themselves are in users' files. */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import type { Account } from './account.js'

export class UniqueFieldRepository {
  constructor(private readonly db: Database) {}

  /** Adds a value of an account, or marks its existing one, as in doubt. Returns `false` if another account has it. */
  reserve(account: string, name: string, value: string): boolean {
    const sql = `INSERT INTO unique_field (name, value, account, inDoubt) VALUES (?, ?, ?, 1)
      ON CONFLICT (name, value) DO UPDATE SET inDoubt = 1 WHERE account = excluded.account`
    return statement(this.db, sql).run(name, value, account).changes > 0
  }

  /** Confirms the values that the account holds, and removes its others in doubt. */
  settle(account: string, held: readonly UniqueValue[]): void {
    const keep = 'UPDATE unique_field SET inDoubt = 0 WHERE account = ? AND name = ? AND value = ?'
    for (const { field, key } of held) statement(this.db, keep).run(account, field, key)
    statement(this.db, 'DELETE FROM unique_field WHERE account = ? AND inDoubt = 1').run(account)
  }

  /** Replaces all values of an account. Returns those that other accounts have. */
  replace(account: string, held: readonly UniqueValue[]): UniqueValue[] {
    statement(this.db, 'UPDATE unique_field SET inDoubt = 1 WHERE account = ?').run(account)
    const taken = held.filter(({ field, key }) => !this.reserve(account, field, key))
    this.settle(account, held)
    return taken
  }

  listInDoubt(): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active'
      AND id IN (SELECT account FROM unique_field WHERE inDoubt = 1)`
    return statement(this.db, sql).all() as Account[]
  }

  /** The values of an account. */
  list(account: string): UniqueValue[] {
    const sql = 'SELECT name AS field, value AS key FROM unique_field WHERE account = ? ORDER BY name, value'
    return statement(this.db, sql).all(account) as UniqueValue[]
  }
}
