/** The accounts in the platform file: names, states, relocations, and which may have webhooks. */
import type { Database } from 'better-sqlite3'
import { toUniqueKey, type UniqueValue } from '../repositories/account-fields.js'
import { column, statement } from '../sqlite/statements.js'
import type { Account, Claim } from './account.js'
import type { InvitationRepository } from './invitations.js'
import type { TimedAccountRepository } from './timed-accounts.js'
import type { UniqueFieldRepository } from './unique-fields.js'
import type { UsernameRepository } from './usernames.js'

/** Row counts of the file. */
export interface PlatformCounts {
  readonly accounts: number
  /** Accounts whose creation or removal is incomplete: the next start recovers them. */
  readonly unfinished: number
  readonly relocated: number
  readonly uniqueFields: number
  /** Accounts that may have webhooks. */
  readonly webhookAccounts: number
  readonly invitations: number
}

/** The accounts. Changed by commands only. (storage/platform/commands.ts) */
export class PlatformAccounts {
  constructor(
    private readonly db: Database,
    private readonly invitations: InvitationRepository,
    private readonly unique: UniqueFieldRepository,
    private readonly usernames: UsernameRepository,
    private readonly timedAccounts: TimedAccountRepository
  ) {}

  /** Finds an account in any state. */
  findById(id: string): Account | undefined {
    return statement(this.db, 'SELECT * FROM account WHERE id = ?').get(id) as Account | undefined
  }

  /** Finds the account that holds a value of a unique field, or has reserved it. */
  findByUnique(name: string, value: string | number): Account | undefined {
    const sql = 'SELECT account.* FROM unique_field JOIN account ON account = id WHERE name = ? AND value = ?'
    return statement(this.db, sql).get(name, toUniqueKey(name, value)) as Account | undefined
  }

  /** Lists the next active accounts by name, after the name `after`. */
  listActive(after: string, limit: number): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active' AND relocatedTo IS NULL AND suspended IS NULL AND deletion IS NULL
      AND username > ?
      ORDER BY username LIMIT +?`
    return statement(this.db, sql).all(after, limit) as Account[]
  }

  /** Like {@link listActive}, including accounts that are suspended, closed or have moved. */
  listKnown(after: string, limit: number): Account[] {
    const sql = "SELECT * FROM account WHERE state = 'active' AND username > ? ORDER BY username LIMIT +?"
    return statement(this.db, sql).all(after, limit) as Account[]
  }

  /**
   * Counts accounts (active, unfinished and moved), unique values, accounts with webhooks, and invitations.
   */
  counts(): PlatformCounts {
    const sql = `SELECT
      (SELECT count(*) FROM account WHERE state = 'active') AS accounts,
      (SELECT count(*) FROM account WHERE state <> 'active') AS unfinished,
      (SELECT count(*) FROM account WHERE relocatedTo IS NOT NULL) AS relocated,
      (SELECT count(*) FROM unique_field) AS uniqueFields,
      (SELECT count(*) FROM webhook_account) AS webhookAccounts, (SELECT count(*) FROM invitation) AS invitations`
    return statement(this.db, sql).get() as PlatformCounts
  }

  /** Lists accounts in a state other than `active`: operations to complete or undo. */
  listUnfinished(): Account[] {
    return statement(this.db, "SELECT * FROM account WHERE state <> 'active'").all() as Account[]
  }

  /** Returns the names of the parts of a claim that are already taken: `username`, unique fields, `invitationToken`. */
  listTaken(claim: Pick<Claim, 'username' | 'unique' | 'invitationToken'>): string[] {
    const { invitationToken, unique, username } = claim
    const taken = this.usernames.isTaken(username) ? ['username'] : []
    for (const [name, value] of Object.entries(unique))
      if (this.findByUnique(name, value) !== undefined) taken.push(name)
    if (invitationToken !== undefined && !this.invitations.isUnused(invitationToken))
      taken.push('invitationToken')
    return taken
  }

  /**
   * Claims a name, unique fields and an invitation for an account in state `creating`: either all of these or, if
   * something is taken, none. Returns what is taken already; empty on success.
   */
  claim(claim: Claim): string[] {
    const taken = this.listTaken(claim)
    if (taken.length > 0) return taken
    const { created, formerUsernames = [], id, invitationToken, unique, username } = claim
    const account = "INSERT INTO account (id, username, state, created) VALUES (?, ?, 'creating', ?)"
    statement(this.db, account).run(id, username, created)
    this.usernames.adoptFormer(id, formerUsernames)
    const field = statement(this.db, 'INSERT INTO unique_field (name, value, account) VALUES (?, ?, ?)')
    for (const [name, value] of Object.entries(unique)) field.run(name, toUniqueKey(name, value), id)
    if (invitationToken !== undefined) this.invitations.consume(invitationToken, claim)
    return []
  }

  /**
   * Registers an account whose files are already in place, as active, and marks it as possibly having
   * webhooks. Returns which of `username` and its unique values other accounts have; if that is not empty,
   * nothing was changed.
   */
  adopt(account: Omit<Account, 'state'>, held: readonly UniqueValue[]): string[] {
    const { created, deletion, formerUsernames = [], id, quota, relocatedTo, suspended, username } = account
    const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
    const taken = this.listTaken({ username, unique })
    if (taken.length > 0) return taken
    const sql =
      "INSERT INTO account (id, username, state, created, relocatedTo, suspended, quota, deletion) VALUES (?, ?, 'active', ?, ?, ?, ?, ?)"
    statement(this.db, sql).run(id, username, created, relocatedTo, suspended, quota, deletion)
    this.usernames.adoptFormer(id, formerUsernames)
    this.unique.replace(id, held)
    // The account may have webhooks, or work at certain times: the next start checks that.
    this.addWebhooks(id)
    return []
  }

  /**
   * Activates a claimed account whose files are in place, with the URL that it has moved to, if any, and
   * marks it as possibly having webhooks. Returns `false` if the claim was abandoned.
   */
  activateImported({ id, relocatedTo }: Pick<Account, 'id' | 'relocatedTo'>): boolean {
    const sql = "UPDATE account SET state = 'active', relocatedTo = ? WHERE id = ? AND state = 'creating'"
    if (statement(this.db, sql).run(relocatedTo, id).changes === 0) return false
    // The next start checks whether it has webhooks, or work at certain times.
    this.addWebhooks(id)
    return true
  }

  /** Activates a claimed account whose file is being created; returns `false` if the claim was abandoned. */
  activate(id: string): boolean {
    const sql = "UPDATE account SET state = 'active' WHERE id = ? AND state = 'creating'"
    return statement(this.db, sql).run(id).changes > 0
  }

  /**
   * Begins to undo a claim, which then cannot be completed, and frees its invitation. Does nothing for an
   * account in another state.
   */
  abandonClaim(id: string): void {
    const sql = "UPDATE account SET state = 'deleting' WHERE id = ? AND state = 'creating' RETURNING *"
    const account = statement(this.db, sql).get(id) as Account | undefined
    if (account) this.invitations.release(account)
  }

  /** Begins to remove an account, which is then no longer found. */
  beginRemoval(id: string): void {
    statement(this.db, "UPDATE account SET state = 'deleting' WHERE id = ?").run(id)
  }

  /**
   * Closes an account until it is deleted at `time` (seconds), or reopens it with `null`. Returns the time of deletion:
   * a scheduled time stays until the account has been reopened. `undefined` if the account no longer exists.
   */
  scheduleDeletion(id: string, time: number | null): number | null | undefined {
    const sql = `UPDATE account SET deletion = CASE WHEN @time IS NULL THEN NULL ELSE coalesce(deletion, @time) END
      WHERE id = @id AND state = 'active' RETURNING deletion`
    const row = statement(this.db, sql).get({ id, time }) as Pick<Account, 'deletion'> | undefined
    return row?.deletion
  }

  /**
   * Lists accounts that are due for deletion, and those whose removal has failed. Suspended accounts are not listed.
   */
  listDue(now: number): Account[] {
    // Together in one condition, they would use no index.
    const sql = `SELECT * FROM account WHERE state = 'deleting'
      UNION ALL SELECT * FROM account WHERE deletion <= ? AND state = 'active' AND relocatedTo IS NULL AND suspended IS NULL`
    return statement(this.db, sql).all(now) as Account[]
  }

  /**
   * Begins to remove an account that is due for deletion; returns `false` if the deletion was cancelled or the account
   * suspended in the meantime.
   */
  beginDueRemoval(id: string, now: number): boolean {
    const sql = `UPDATE account SET state = 'deleting'
      WHERE id = ? AND deletion <= ? AND state = 'active' AND relocatedTo IS NULL AND suspended IS NULL`
    return statement(this.db, sql).run(id, now).changes > 0
  }

  /** Records the URL that an account has moved to; `null` when the account is served here again. */
  relocate(id: string, url: string | null): void {
    statement(this.db, 'UPDATE account SET relocatedTo = ? WHERE id = ?').run(url, id)
  }

  /**
   * Removes an account's row and all that refers to it. Frees the name, and the invitation if the account was
   * never active; otherwise erases the name of the account from the invitation that it used.
   */
  remove(id: string): void {
    const sql = 'DELETE FROM account WHERE id = ? RETURNING *'
    const names = this.usernames.listFormer(id)
    const account = statement(this.db, sql).get(id) as Account | undefined
    if (account?.state === 'creating') this.invitations.release(account)
    else if (account)
      for (const username of [account.username, ...names])
        this.invitations.eraseUser({ ...account, username })
  }

  /** Returns whether an account is marked as possibly having webhooks. */
  mayHaveWebhooks(id: string): boolean {
    return column(this.db, 'SELECT account FROM webhook_account WHERE account = ?').get(id) !== undefined
  }

  /** Marks an account as possibly having webhooks or timed work, if it exists. */
  addWebhooks(id: string): void {
    const sql = 'INSERT OR IGNORE INTO webhook_account (account) SELECT id FROM account WHERE id = ?'
    statement(this.db, sql).run(id)
    this.timedAccounts.mark(id)
  }

  /** Removes the marks of accounts that have no webhooks. */
  removeWebhooks(ids: readonly string[]): void {
    for (const id of ids) statement(this.db, 'DELETE FROM webhook_account WHERE account = ?').run(id)
  }

  /** Lists accounts that may have webhooks. */
  listWithWebhooks(): Account[] {
    const sql =
      "SELECT account.* FROM webhook_account JOIN account ON account = id WHERE state = 'active' AND relocatedTo IS NULL AND suspended IS NULL AND deletion IS NULL ORDER BY id"
    return statement(this.db, sql).all() as Account[]
  }
}
