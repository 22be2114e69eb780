/** The one file that all accounts share: names, unique fields, the state of each account. Every commit of it is synced. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { translated } from '../errors.js'
import type { Layout } from '../files/layout.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { createFile, openFile } from '../sqlite/open.js'
import { platformProblems } from './check-thread.js'
import { AuthRequestRepository } from './auth-requests.js'
import { InvitationRepository, type Invitation, type KnownInvitation } from './invitations.js'
import { uniqueKey, type UniqueValue } from '../repositories/account-fields.js'
import { UniqueFieldRepository } from './unique-fields.js'
import type { Salvaged } from './salvage.js'
import { column, statement } from '../sqlite/statements.js'
import type { Account, AccountState, Claim } from './account.js'

/** Numbers of what the file holds. */
export interface PlatformCounts {
  readonly accounts: number
  /** Neither made nor removed to the end: the next start sees to them. */
  readonly unfinished: number
  readonly relocated: number
  readonly uniqueFields: number
  /** Accounts that may have webhooks. */
  readonly webhookAccounts: number
  readonly invitations: number
}

export class PlatformStore {
  readonly #db: Database
  readonly #secrets = new Map<string, string>()
  readonly #invitations: InvitationRepository
  readonly authRequests: AuthRequestRepository
  readonly #unique: UniqueFieldRepository

  /** Opens the file; makes it where there are no accounts yet. Errors: `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
  constructor({ platformFile, usersDirectory }: Pick<Layout, 'platformFile' | 'usersDirectory'>) {
    // A new file beside accounts would give their names to others.
    const mayCreate = !existsSync(usersDirectory) || readdirSync(usersDirectory).length === 0
    if (mayCreate && !statSync(platformFile, { throwIfNoEntry: false })?.size)
      createFile(platformFile, platformMigrations)
    this.#db = openFile(platformFile, {
      migrations: platformMigrations,
      synchronous: 'FULL',
      secureDelete: true
    })
    this.#invitations = new InvitationRepository(this.#db)
    this.authRequests = new AuthRequestRepository(this.#db, work => this.#write(work))
    this.#unique = new UniqueFieldRepository(this.#db)
  }

  find(username: string): Account | undefined {
    return statement(this.#db, 'SELECT * FROM account WHERE username = ?').get(username) as
      Account | undefined
  }

  /** Accounts that may be used, by name, after the one of that name. */
  listActive(after: string, limit: number): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active' AND relocatedTo IS NULL AND username > ?
      ORDER BY username LIMIT +?`
    return statement(this.#db, sql).all(after, limit) as Account[]
  }

  /** As {@link listActive}, with those that have moved. */
  listKnown(after: string, limit: number): Account[] {
    const sql = "SELECT * FROM account WHERE state = 'active' AND username > ? ORDER BY username LIMIT +?"
    return statement(this.#db, sql).all(after, limit) as Account[]
  }

  /** Notes that an account has moved, or with `null` that it is back. */
  relocate(id: string, url: string | null): void {
    this.#write(() => statement(this.#db, 'UPDATE account SET relocatedTo = ? WHERE id = ?').run(url, id))
  }

  /** What is in the file, by kind. */
  counts(): PlatformCounts {
    const sql = `SELECT
      (SELECT count(*) FROM account WHERE state = 'active') AS accounts,
      (SELECT count(*) FROM account WHERE state <> 'active') AS unfinished,
      (SELECT count(*) FROM account WHERE relocatedTo IS NOT NULL) AS relocated,
      (SELECT count(*) FROM unique_field) AS uniqueFields,
      (SELECT count(*) FROM webhook_account) AS webhookAccounts,
      (SELECT count(*) FROM invitation) AS invitations`
    return statement(this.#db, sql).get() as PlatformCounts
  }

  /** What SQLite finds wrong with the file; empty if nothing is. */
  async problems(): Promise<string[]> {
    return await platformProblems(this.#db.name)
  }

  /** All invitations, the latest first. */
  listInvitations(): KnownInvitation[] {
    return this.#invitations.list()
  }

  /** Accounts in a state other than `active`: what was begun and has to be finished or undone. */
  listUnfinished(): Account[] {
    return statement(this.#db, "SELECT * FROM account WHERE state <> 'active'").all() as Account[]
  }

  /** The account that holds this value of a unique field, or is about to. */
  findByUnique(name: string, value: string | number): Account | undefined {
    const sql = 'SELECT account.* FROM unique_field JOIN account ON account = id WHERE name = ? AND value = ?'
    return statement(this.#db, sql).get(name, uniqueKey(name, value)) as Account | undefined
  }

  /** Which of `username`, the unique fields and `invitationToken` a claim could not have. */
  taken({
    username,
    unique,
    invitationToken
  }: Pick<Claim, 'username' | 'unique' | 'invitationToken'>): string[] {
    const taken = this.find(username) ? ['username'] : []
    for (const [name, value] of Object.entries(unique))
      if (this.findByUnique(name, value) !== undefined) taken.push(name)
    if (invitationToken !== undefined && !this.#invitations.isUnused(invitationToken))
      taken.push('invitationToken')
    return taken
  }

  /**
   * Claims a name, unique fields and an invitation for an account in state `creating`: all or none. Answers what was
   * taken already; empty when claimed.
   */
  claim(claim: Claim): string[] {
    return this.#write(() => {
      const taken = this.taken(claim)
      if (taken.length > 0) return taken
      const { id, username, created, unique, invitationToken } = claim
      const account = "INSERT INTO account (id, username, state, created) VALUES (?, ?, 'creating', ?)"
      statement(this.#db, account).run(id, username, created)
      const field = statement(this.#db, 'INSERT INTO unique_field (name, value, account) VALUES (?, ?, ?)')
      for (const [name, value] of Object.entries(unique)) field.run(name, uniqueKey(name, value), id)
      if (invitationToken !== undefined) this.#invitations.consume(invitationToken, claim)
      return []
    })
  }

  /** Has a value of a unique field for an account, in doubt for now; `false` if another account has it. */
  reserveUnique(account: string, name: string, value: string): boolean {
    return this.#write(() => this.#unique.reserve(account, name, value))
  }

  /** Ends the doubt about an account's values: those that it holds stay, the others are free. */
  settleUnique(account: string, held: readonly UniqueValue[]): void {
    this.#write(() => this.#unique.settle(account, held))
  }

  /** Makes an account's values those that it holds, whatever the index said; answers those that another account has. */
  replaceUnique(account: string, held: readonly UniqueValue[]): UniqueValue[] {
    return this.#write(() => this.#unique.replace(account, held))
  }

  /** Accounts in use some of whose unique values are in doubt. */
  listInDoubt(): Account[] {
    return this.#unique.listInDoubt()
  }

  /**
   * Takes in an account whose files are in their place already: from now on it is served. Answers which of `username` and
   * its unique values others have; then nothing has happened.
   */
  adopt(account: Omit<Account, 'state'>, held: readonly UniqueValue[]): string[] {
    const { created, id, relocatedTo, username } = account
    return this.#write(() => {
      const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
      const taken = this.taken({ username, unique })
      if (taken.length > 0) return taken
      const sql =
        "INSERT INTO account (id, username, state, created, relocatedTo) VALUES (?, ?, 'active', ?, ?)"
      statement(this.#db, sql).run(id, username, created, relocatedTo)
      this.#unique.replace(id, held)
      // Whether it has webhooks shows at the next start.
      statement(this.#db, 'INSERT INTO webhook_account (account) VALUES (?)').run(id)
      return []
    })
  }

  setState(id: string, state: AccountState): void {
    this.#write(() => statement(this.#db, 'UPDATE account SET state = ? WHERE id = ?').run(state, id))
  }

  /**
   * Removes an account's row with all that refers to it: the name is free again, and an invitation that led to nothing.
   * Nothing of what was removed stays in the files.
   */
  remove(id: string): void {
    this.#write(() => {
      const sql = 'DELETE FROM account WHERE id = ? RETURNING *'
      const account = statement(this.#db, sql).get(id) as Account | undefined
      if (account?.state === 'creating') this.#invitations.release(account)
      else if (account) this.#invitations.forget(account)
    })
    this.emptyLog()
  }

  /** Carries the log over: until then it holds earlier states of its pages, with what has been removed since. */
  emptyLog(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)')
  }

  /** Brings back what was known beside the accounts. */
  restore({ invitations, secrets }: Pick<Salvaged, 'invitations' | 'secrets'>): void {
    this.#write(() => {
      for (const { name, value } of secrets)
        statement(this.#db, 'INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)').run(name, value)
      for (const invitation of invitations) {
        if (this.#invitations.isKnown(invitation.token)) continue
        this.#invitations.insert(invitation)
        const { consumed, consumedBy, token } = invitation
        if (consumed !== null) this.#invitations.consume(token, { username: consumedBy, created: consumed })
      }
    })
  }

  /** Adds an invitation. Raises `UniqueViolation` for a token that exists already. */
  invite(invitation: Invitation): void {
    this.#write(() => this.#invitations.insert(invitation))
  }

  /** Whether an invitation exists and may still be used. */
  isInvited(token: string): boolean {
    return this.#invitations.isUnused(token)
  }

  /** A random secret of this platform, made when it is first asked for. */
  secret(name: string): string {
    let value = this.#secrets.get(name)
    if (value === undefined) this.#secrets.set(name, (value = this.#write(() => this.#storedSecret(name))))
    return value
  }

  /** Whether an account is remembered as one that may have webhooks. */
  isWebhookAccount(id: string): boolean {
    return column(this.#db, 'SELECT account FROM webhook_account WHERE account = ?').get(id) !== undefined
  }

  /** Remembers that an account may have webhooks. */
  addWebhookAccount(id: string): void {
    if (this.isWebhookAccount(id)) return
    this.#write(() =>
      statement(this.#db, 'INSERT OR IGNORE INTO webhook_account (account) VALUES (?)').run(id)
    )
  }

  /** Forgets accounts that turned out to have none. */
  removeWebhookAccounts(ids: readonly string[]): void {
    this.#write(() => {
      for (const id of ids) statement(this.#db, 'DELETE FROM webhook_account WHERE account = ?').run(id)
    })
  }

  /** Accounts that may have webhooks. */
  listWebhookAccounts(): Account[] {
    const sql =
      "SELECT account.* FROM webhook_account JOIN account ON account = id WHERE state = 'active' AND relocatedTo IS NULL ORDER BY id"
    return statement(this.#db, sql).all() as Account[]
  }

  close(): void {
    this.#db.close()
  }

  #write<T>(work: () => T): T {
    try {
      return this.#db.transaction(work).immediate()
    } catch (error) {
      throw translated(error, this.#db.name)
    }
  }

  #storedSecret(name: string): string {
    const fresh = randomBytes(32).toString('base64url')
    statement(this.#db, 'INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)').run(name, fresh)
    return column(this.#db, 'SELECT value FROM secret WHERE name = ?').get(name) as string
  }
}
