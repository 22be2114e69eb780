/** The one file that all accounts share: names, unique fields, account states. Every commit is synced. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { translated } from '../errors.js'
import type { Layout } from '../files/layout.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { createFile, openFile } from '../sqlite/open.js'
import { platformProblems } from './check-thread.js'
import { AuthRequestRepository } from './auth-requests.js'
import { IdentityProofRepository } from '../identities/identity-proofs.js'
import { InvitationRepository, type Invitation, type KnownInvitation } from './invitations.js'
import { uniqueKey, type UniqueValue } from '../repositories/account-fields.js'
import { UniqueFieldRepository } from './unique-fields.js'
import type { Salvaged } from './salvage.js'
import { OAuthClientRepository } from '../oauth/oauth-clients.js'
import { column, statement } from '../sqlite/statements.js'
import { DeedRepository } from './operator-deeds.js'
import { GrowthRepository } from './growth.js'
import { SecretRepository } from './secrets.js'
import { StandingRepository } from './standings.js'
import type { Account, AccountState, Claim } from './account.js'

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

export class PlatformStore {
  readonly #db: Database
  readonly #invitations: InvitationRepository
  readonly authRequests: AuthRequestRepository
  readonly deeds: DeedRepository
  readonly identityProofs: IdentityProofRepository
  readonly growth: GrowthRepository
  readonly oauthClients: OAuthClientRepository
  readonly secrets: SecretRepository
  readonly standings: StandingRepository
  readonly #unique: UniqueFieldRepository

  /** Opens the file, and creates it if there are no accounts yet. Throws `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
  constructor({ platformFile, usersDirectory }: Pick<Layout, 'platformFile' | 'usersDirectory'>) {
    // Creating an empty file while accounts exist would let others register their names.
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
    this.deeds = new DeedRepository(this.#db, work => this.#write(work))
    this.identityProofs = new IdentityProofRepository(this.#db, work => this.#write(work))
    this.growth = new GrowthRepository(this.#db, work => this.#write(work))
    this.standings = new StandingRepository(this.#db, work => this.#write(work))
    this.oauthClients = new OAuthClientRepository(this.#db, work => this.#write(work))
    this.secrets = new SecretRepository(this.#db, work => this.#write(work))
    this.#unique = new UniqueFieldRepository(this.#db)
  }

  find(username: string): Account | undefined {
    return statement(this.#db, 'SELECT * FROM account WHERE username = ?').get(username) as
      Account | undefined
  }

  /** The next accounts that are served here, by name, after the name `after`. */
  listActive(after: string, limit: number): Account[] {
    const sql = `SELECT * FROM account WHERE state = 'active' AND relocatedTo IS NULL AND suspended IS NULL AND username > ?
      ORDER BY username LIMIT +?`
    return statement(this.#db, sql).all(after, limit) as Account[]
  }

  /** As {@link listActive}, including accounts that are suspended or have moved. */
  listKnown(after: string, limit: number): Account[] {
    const sql = "SELECT * FROM account WHERE state = 'active' AND username > ? ORDER BY username LIMIT +?"
    return statement(this.#db, sql).all(after, limit) as Account[]
  }

  /** Records the URL that an account has moved to; `null` when it is back. */
  relocate(id: string, url: string | null): void {
    this.#write(() => statement(this.#db, 'UPDATE account SET relocatedTo = ? WHERE id = ?').run(url, id))
  }

  counts(): PlatformCounts {
    const sql = `SELECT
      (SELECT count(*) FROM account WHERE state = 'active') AS accounts,
      (SELECT count(*) FROM account WHERE state <> 'active') AS unfinished,
      (SELECT count(*) FROM account WHERE relocatedTo IS NOT NULL) AS relocated,
      (SELECT count(*) FROM unique_field) AS uniqueFields,
      (SELECT count(*) FROM webhook_account) AS webhookAccounts, (SELECT count(*) FROM invitation) AS invitations`
    return statement(this.#db, sql).get() as PlatformCounts
  }

  /** Runs SQLite's checks in a worker thread. Returns the problems found; empty if there are none. */
  async problems(): Promise<string[]> {
    return await platformProblems(this.#db.name)
  }

  /** All invitations, latest first. */
  listInvitations(): KnownInvitation[] {
    return this.#invitations.list()
  }

  /** Accounts in a state other than `active`: operations to complete or undo. */
  listUnfinished(): Account[] {
    return statement(this.#db, "SELECT * FROM account WHERE state <> 'active'").all() as Account[]
  }

  /** The account that holds a value of a unique field, or has reserved it. */
  findByUnique(name: string, value: string | number): Account | undefined {
    const sql = 'SELECT account.* FROM unique_field JOIN account ON account = id WHERE name = ? AND value = ?'
    return statement(this.#db, sql).get(name, uniqueKey(name, value)) as Account | undefined
  }

  /** The names of the parts of a claim that are already taken: `username`, unique fields, `invitationToken`. */
  taken(claim: Pick<Claim, 'username' | 'unique' | 'invitationToken'>): string[] {
    const { invitationToken, unique, username } = claim
    const taken = this.find(username) ? ['username'] : []
    for (const [name, value] of Object.entries(unique))
      if (this.findByUnique(name, value) !== undefined) taken.push(name)
    if (invitationToken !== undefined && !this.#invitations.isUnused(invitationToken))
      taken.push('invitationToken')
    return taken
  }

  /**
   * Claims a name, unique fields and an invitation for an account in state `creating`: all or none. Returns what was
   * already taken; empty on success.
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

  /** Reserves a value of a unique field for an account, in doubt until settled. Returns `false` if another account has it. */
  reserveUnique(account: string, name: string, value: string): boolean {
    return this.#write(() => this.#unique.reserve(account, name, value))
  }

  /** Settles an account's values in doubt: those in `held` stay, the others are released. */
  settleUnique(account: string, held: readonly UniqueValue[]): void {
    this.#write(() => this.#unique.settle(account, held))
  }

  /** Replaces all of an account's values by `held`. Returns those that another account has. */
  replaceUnique(account: string, held: readonly UniqueValue[]): UniqueValue[] {
    return this.#write(() => this.#unique.replace(account, held))
  }

  /** Active accounts with unique values in doubt. */
  listInDoubt(): Account[] {
    return this.#unique.listInDoubt()
  }

  /**
   * Registers an account whose files are already in place, as active. Returns which of `username` and its unique values
   * other accounts have; if any, nothing was changed.
   */
  adopt(account: Omit<Account, 'state'>, held: readonly UniqueValue[]): string[] {
    const { created, id, quota, relocatedTo, suspended, username } = account
    return this.#write(() => {
      const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
      const taken = this.taken({ username, unique })
      if (taken.length > 0) return taken
      const sql =
        "INSERT INTO account (id, username, state, created, relocatedTo, suspended, quota) VALUES (?, ?, 'active', ?, ?, ?, ?)"
      statement(this.#db, sql).run(id, username, created, relocatedTo, suspended, quota)
      this.#unique.replace(id, held)
      // It may have webhooks: the next start finds out.
      statement(this.#db, 'INSERT INTO webhook_account (account) VALUES (?)').run(id)
      return []
    })
  }

  /** Serves an account that was claimed, its files being in their place by now; `false` where the claim was given up. */
  complete({ id, relocatedTo }: Pick<Account, 'id' | 'relocatedTo'>): boolean {
    return this.#write(() => {
      const sql = "UPDATE account SET state = 'active', relocatedTo = ? WHERE id = ? AND state = 'creating'"
      if (statement(this.#db, sql).run(relocatedTo, id).changes === 0) return false
      // Whether it has webhooks shows at the next start.
      statement(this.#db, 'INSERT INTO webhook_account (account) VALUES (?)').run(id)
      return true
    })
  }

  /** Begins to undo a claim: nobody can complete it any more. */
  giveUp(id: string): void {
    this.#write(() => {
      const sql = "UPDATE account SET state = 'deleting' WHERE id = ? AND state = 'creating' RETURNING *"
      const account = statement(this.#db, sql).get(id) as Account | undefined
      if (account) this.#invitations.release(account)
    })
  }

  setState(id: string, state: AccountState): void {
    this.#write(() => statement(this.#db, 'UPDATE account SET state = ? WHERE id = ?').run(state, id))
  }

  /**
   * Removes an account's row and all that refers to it. Frees the name, and the invitation if the account was never
   * active. Nothing of the row remains in the files.
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

  /** Checkpoints and truncates the write-ahead log, which still holds earlier states of pages with removed rows. */
  emptyLog(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)')
  }

  /** Restores salvaged invitations, secrets, deeds of operators, and how the service has grown. */
  restore({ deeds, growth, invitations, secrets }: Omit<Salvaged, 'accounts'>): void {
    this.deeds.restore(deeds)
    this.growth.restore(growth)
    this.#write(() => {
      for (const { name, value } of secrets) this.secrets.add(name, value)
      for (const invitation of invitations) {
        if (this.#invitations.isKnown(invitation.token)) continue
        this.#invitations.insert(invitation)
        const { consumed, consumedBy, token } = invitation
        if (consumed !== null) this.#invitations.consume(token, { username: consumedBy, created: consumed })
      }
    })
  }

  /** Adds an invitation. Throws `UniqueViolation` if the token already exists. */
  invite(invitation: Invitation): void {
    this.#write(() => this.#invitations.insert(invitation))
  }

  /** Whether an invitation exists and may still be used. */
  isInvited(token: string): boolean {
    return this.#invitations.isUnused(token)
  }

  /** Whether an account is noted as one that may have webhooks. */
  isWebhookAccount(id: string): boolean {
    return column(this.#db, 'SELECT account FROM webhook_account WHERE account = ?').get(id) !== undefined
  }

  /** Notes that an account may have webhooks. */
  addWebhookAccount(id: string): void {
    if (this.isWebhookAccount(id)) return
    this.#write(() =>
      statement(this.#db, 'INSERT OR IGNORE INTO webhook_account (account) VALUES (?)').run(id)
    )
  }

  /** Removes the notes of accounts that turned out to have no webhooks. */
  removeWebhookAccounts(ids: readonly string[]): void {
    this.#write(() => {
      for (const id of ids) statement(this.#db, 'DELETE FROM webhook_account WHERE account = ?').run(id)
    })
  }

  /** Accounts that may have webhooks. */
  listWebhookAccounts(): Account[] {
    const sql =
      "SELECT account.* FROM webhook_account JOIN account ON account = id WHERE state = 'active' AND relocatedTo IS NULL AND suspended IS NULL ORDER BY id"
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
}
