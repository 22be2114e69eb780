/** The platform's index of unique values. The values themselves are in users' files. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import type { Account } from './account.js'

/** A value in doubt. */
export interface Reservation extends UniqueValue {
  /** Distinguishes it from other reservations of the same value; never 0. */
  readonly ticket: number
}

/** The index. Changed by commands only. (storage/platform/commands.ts) */
export class UniqueFieldRepository {
  constructor(private readonly db: Database) {}

  /** Adds values of an account, or marks existing ones, as in doubt. Returns those that other accounts have. */
  reserve(account: string, values: readonly UniqueValue[], ticket: number): UniqueValue[] {
    const sql = `INSERT INTO unique_field (name, value, account, inDoubt) VALUES (?, ?, ?, ?)
      ON CONFLICT (name, value) DO UPDATE SET inDoubt = excluded.inDoubt WHERE account = excluded.account`
    return values.filter(
      ({ field, key }) => statement(this.db, sql).run(field, key, account, ticket).changes === 0
    )
  }

  /**
   * Settles values of an account that are in doubt: keeps some, and removes others. Values that have been reserved
   * again meanwhile are unchanged.
   */
  resolveReservations(account: string, kept: readonly Reservation[], released: readonly Reservation[]): void {
    const where = 'WHERE account = ? AND name = ? AND value = ? AND inDoubt = ?'
    const keep = `UPDATE unique_field SET inDoubt = 0 ${where}`
    for (const { field, key, ticket } of kept) statement(this.db, keep).run(account, field, key, ticket)
    const drop = `DELETE FROM unique_field ${where}`
    for (const { field, key, ticket } of released) statement(this.db, drop).run(account, field, key, ticket)
  }

  /** Replaces all values of an account. Returns those that other accounts have. */
  replace(account: string, held: readonly UniqueValue[]): UniqueValue[] {
    statement(this.db, 'DELETE FROM unique_field WHERE account = ?').run(account)
    const sql = `INSERT INTO unique_field (name, value, account) VALUES (?, ?, ?)
      ON CONFLICT (name, value) DO UPDATE SET inDoubt = 0 WHERE account = excluded.account`
    return held.filter(({ field, key }) => statement(this.db, sql).run(field, key, account).changes === 0)
  }

  /** Finds the id of the account that has a value, or has reserved it. */
  findHolder(field: string, key: string): string | undefined {
    const sql = 'SELECT account FROM unique_field WHERE name = ? AND value = ?'
    return column(this.db, sql).get(field, key) as string | undefined
  }

  /** Lists active accounts with values in doubt. */
  listInDoubt(): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active'
      AND id IN (SELECT account FROM unique_field WHERE inDoubt <> 0)`
    return statement(this.db, sql).all() as Account[]
  }

  /** Lists the values of an account that are in doubt. */
  listReservations(account: string): Reservation[] {
    const sql =
      'SELECT name AS field, value AS key, inDoubt AS ticket FROM unique_field WHERE account = ? AND inDoubt <> 0'
    return statement(this.db, sql).all(account) as Reservation[]
  }

  /** Lists the values of an account. */
  list(account: string): UniqueValue[] {
    const sql = 'SELECT name AS field, value AS key FROM unique_field WHERE account = ? ORDER BY name, value'
    return statement(this.db, sql).all(account) as UniqueValue[]
  }
}
