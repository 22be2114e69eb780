/** Reads the platform file without changing it. */
import type { Layout } from '../files/layout.js'
import { platformMigrations } from '../migrations/platform/index.js'
import type { Account } from '../platform/account.js'
import { SecretRepository } from '../platform/secrets.js'
import { UniqueFieldRepository } from '../platform/unique-fields.js'
import { UsernameRepository } from '../platform/usernames.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import { column, hasTable, statement } from '../sqlite/statements.js'
import { Inspection } from './inspection.js'

/** The file that all accounts share. */
export class PlatformInspection extends Inspection {
  constructor(layout: Layout) {
    super(layout.platformFile, platformMigrations.length)
  }

  accounts(): Generator<Account> {
    const sql = 'SELECT username AS key, * FROM account WHERE username > ? ORDER BY username LIMIT 1'
    return this.readRows(sql, '')
  }

  /** Finds an account by its name or a former name, in any state. The file may be of an earlier version. */
  find(username: string): Account | undefined {
    if (!hasTable(this.db, 'former_username'))
      return statement(this.db, 'SELECT * FROM account WHERE username = ?').get(username) as
        | Account
        | undefined
    const usernames = new UsernameRepository(this.db)
    const account = usernames.find(username)
    return account && { ...account, formerUsernames: usernames.listFormer(account.id) }
  }

  findSecret(name: string): string | undefined {
    return new SecretRepository(this.db).find(name)
  }

  countAccounts(): number {
    return column(this.db, 'SELECT count(*) FROM account').get() as number
  }

  /** Lists the unique values of an account in the platform's index. */
  uniqueValues(account: string): UniqueValue[] {
    return new UniqueFieldRepository(this.db).list(account)
  }

  /** Lists the ids of accounts that may have webhooks. */
  webhookAccounts(): string[] {
    return column(this.db, 'SELECT account FROM webhook_account').all() as string[]
  }

  /** Returns whether an account exists and is active. */
  isActive(id: string): boolean {
    return column(this.db, "SELECT 1 FROM account WHERE id = ? AND state = 'active'").get(id) !== undefined
  }

  /** Returns whether an account exists, in any state. */
  hasAccount(id: string): boolean {
    return column(this.db, 'SELECT 1 FROM account WHERE id = ?').get(id) !== undefined
  }
}
