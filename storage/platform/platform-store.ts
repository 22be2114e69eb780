/** The one file that all accounts share: names, unique fields, account states. Every commit is synced. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import type { DiskReserve } from '../files/disk-reserve.js'
import type { Layout } from '../files/layout.js'
import { platformMigrations } from '../migrations/platform/index.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import { copyInThread } from '../sqlite/copy-thread.js'
import { createFile, openFile } from '../sqlite/open.js'
import { addPosition, readPosition, writePosition, type Position } from '../wal/position.js'
import type { Account, Claim } from './account.js'
import { findPlatformProblems } from './check-thread.js'
import { applyCommand, type Arguments, type Command, type CommandName, type Result } from './commands.js'
import type { StoredInvitation } from './invitations.js'
import { tryCommand, type CommandOutcome } from './outcomes.js'
import type { PlatformCounts } from './platform-accounts.js'
import type { RecoveredPlatform } from './recover-platform-file.js'
import { createTables, type Tables } from './tables.js'
import type { Reservation } from './unique-fields.js'

/** Makes changes that other machines have to hear of, too: in a cluster they go through a log that every node follows. */
export type ChangeHandler = <N extends CommandName>(name: N, args: Arguments<N>) => Promise<Result<N>>

/** Hears of each command once it has been applied; of `undefined` if the whole file has been replaced. */
export type ChangeListener = (command: Command | undefined) => void

/** Reads are local and synchronous; the repositories are here for reading alone. Changes are commands, see {@link change}. */
export class PlatformStore {
  #db: Database
  #tables: Tables
  #changeHandler: ChangeHandler | undefined
  #catchUp: (() => Promise<void>) | undefined
  readonly #listeners = new Set<ChangeListener>()

  /** Opens the file, and creates it if there are no accounts yet. Throws `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
  constructor(
    { platformFile, usersDirectory }: Pick<Layout, 'platformFile' | 'usersDirectory'>,
    /** While it is given up, changes are refused, but for those that the log of a cluster brings. */
    private readonly reserve?: DiskReserve
  ) {
    // Creating an empty file while accounts exist would let others register their names.
    const mayCreate = !existsSync(usersDirectory) || readdirSync(usersDirectory).length === 0
    if (mayCreate && !statSync(platformFile, { throwIfNoEntry: false })?.size)
      createFile(platformFile, platformMigrations)
    this.#db = openPlatformFile(platformFile)
    this.#tables = createTables(this.#db)
  }

  get authRequests(): Pick<Tables['authRequests'], 'find'> {
    return this.#tables.authRequests
  }

  get adminActions(): Pick<Tables['adminActions'], 'list'> {
    return this.#tables.adminActions
  }

  get growth(): Pick<Tables['growth'], 'getCounted' | 'isMeasured' | 'list'> {
    return this.#tables.growth
  }

  get identityProofs(): Pick<Tables['identityProofs'], 'find'> {
    return this.#tables.identityProofs
  }

  get oauthClients(): Pick<Tables['oauthClients'], 'find' | 'hasUnused' | 'getUseToRecord'> {
    return this.#tables.oauthClients
  }

  get secrets(): Pick<Tables['secrets'], 'find' | 'list'> {
    return this.#tables.secrets
  }

  get accountStatuses(): Pick<Tables['accountStatuses'], 'counts' | 'find' | 'search' | 'sqliteVersion'> {
    return this.#tables.accountStatuses
  }

  /**
   * Makes a change, and resolves with what it answers once it is on disk: without a cluster that is done before this returns.
   * Rejects with what the command throws, with `StorageFull`, and in a cluster with `StoreUnavailable`.
   */
  async change<N extends CommandName>(name: N, ...args: Arguments<N>): Promise<Result<N>> {
    return this.#changeHandler ? await this.#changeHandler(name, args) : this.changeNow(name, ...args)
  }

  /**
   * Makes a change at once: for the start, and for commands in the folder of a service that no cluster is about. Throws if the
   * file follows the log of one.
   */
  changeNow<N extends CommandName>(name: N, ...args: Arguments<N>): Result<N> {
    this.reserve?.check()
    const result = this.#write(() => {
      this.assertNotFollowing()
      return applyCommand(this.#tables, name, args)
    })
    this.#notify([[name, ...args] as unknown as Command])
    return result
  }

  /**
   * Has changes made by something else from now on, which applies them by {@link applyAll}. `caughtUp` resolves when all that were
   * made before it was called have been applied.
   */
  delegateChanges(handler: ChangeHandler, catchUp?: () => Promise<void>): void {
    this.#changeHandler = handler
    this.#catchUp = catchUp
  }

  /**
   * Resolves when the file holds what any process had changed when this was called: in a cluster a caller may know of it from
   * another node. Rejects with `StoreUnavailable` if that cannot be said.
   */
  async catchUp(): Promise<void> {
    await this.#catchUp?.()
  }

  /** Calls back after each change that is made by this object. Returns what ends that. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How far the file is in the log that it follows; `undefined` if it follows none. */
  position(): Position | undefined {
    return readPosition(this.#db)
  }

  /** Throws if the file follows a log. */
  assertNotFollowing(): void {
    if (this.position())
      throw new Error(`${this.#db.name} follows the log of a cluster: only its nodes may use it`)
  }

  /** Lets the file follow a log, from a position on. */
  follow(position: Position): void {
    addPosition(this.#db, position)
  }

  /**
   * Applies commands of the log that the file follows, and moves it to the position behind them, in one transaction. What a
   * command throws is its outcome; throws `StorageFull` and the like, with nothing applied.
   */
  applyAll(commands: readonly Command[], position: Position): CommandOutcome[] {
    const outcomes = this.#write(() => {
      const all = commands.map(([name, ...args]) =>
        tryCommand(this.#db, () => applyCommand(this.#tables, name, args))
      )
      writePosition(this.#db, position)
      return all
    })
    this.#notify(commands)
    return outcomes
  }

  /** Closes the file, lets `replace` put another one in its place, and goes on with that. */
  replaceFile(replace: (file: string) => void): void {
    const { name } = this.#db
    this.#db.close()
    try {
      replace(name)
    } finally {
      this.#db = openPlatformFile(name)
      this.#tables = createTables(this.#db)
    }
    for (const listener of this.#listeners) listener(undefined)
  }

  /** Makes a consistent copy of the file while it is in use. */
  async copyTo(file: string): Promise<void> {
    await copyInThread(this.#db.name, file, platformMigrations)
  }

  find(username: string): Account | undefined {
    return this.#tables.accounts.find(username)
  }

  findById(id: string): Account | undefined {
    return this.#tables.accounts.findById(id)
  }

  /** The next accounts that are served here, by name, after the name `after`. */
  listActive(after: string, limit: number): Account[] {
    return this.#tables.accounts.listActive(after, limit)
  }

  /** As {@link listActive}, including accounts that are suspended, closed or have moved. */
  listKnown(after: string, limit: number): Account[] {
    return this.#tables.accounts.listKnown(after, limit)
  }

  /** Lists accounts whose time of deletion has come, and those whose removal has failed on the way. */
  listDue(now: number): Account[] {
    return this.#tables.accounts.listDue(now)
  }

  counts(): PlatformCounts {
    return this.#tables.accounts.counts()
  }

  /** Runs SQLite's checks in a worker thread. Returns the problems found; empty if there are none. */
  async problems(): Promise<string[]> {
    return await findPlatformProblems(this.#db.name)
  }

  /** All invitations, latest first. */
  listInvitations(): StoredInvitation[] {
    return this.#tables.invitations.list()
  }

  /** Whether an invitation exists and may still be used. */
  isInvited(token: string): boolean {
    return this.#tables.invitations.isUnused(token)
  }

  /** Accounts in a state other than `active`: operations to complete or undo. */
  listUnfinished(): Account[] {
    return this.#tables.accounts.listUnfinished()
  }

  /** The account that holds a value of a unique field, or has reserved it. */
  findByUnique(name: string, value: string | number): Account | undefined {
    return this.#tables.accounts.findByUnique(name, value)
  }

  /** The id of the account that holds a unique value, or has reserved it. */
  findHolder({ field, key }: UniqueValue): string | undefined {
    return this.#tables.unique.findHolder(field, key)
  }

  /** The names of the parts of a claim that are already taken: `username`, unique fields, `invitationToken`. */
  listTaken(claim: Pick<Claim, 'username' | 'unique' | 'invitationToken'>): string[] {
    return this.#tables.accounts.listTaken(claim)
  }

  /** Active accounts with unique values in doubt. */
  listInDoubt(): Account[] {
    return this.#tables.unique.listInDoubt()
  }

  /** The unique values of an account that are in doubt. */
  listReservations(account: string): Reservation[] {
    return this.#tables.unique.listReservations(account)
  }

  /** Whether an account is noted as one that may have webhooks. */
  isWebhookAccount(id: string): boolean {
    return this.#tables.accounts.mayHaveWebhooks(id)
  }

  /** Accounts that may have webhooks. */
  listWebhookAccounts(): Account[] {
    return this.#tables.accounts.listWithWebhooks()
  }

  /** Checkpoints and truncates the write-ahead log, which still holds earlier states of pages with removed rows. */
  truncateLog(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)')
  }

  /**
   * Registers an account whose files are in place, as active, while no service runs. Returns which of `username` and its
   * unique values other accounts have; if any, nothing was changed.
   */
  adopt(account: Omit<Account, 'state'>, held: readonly UniqueValue[]): string[] {
    return this.#write(() => this.#tables.accounts.adopt(account, held))
  }

  /**
   * Restores salvaged invitations, secrets, deeds of operators, and how the service has grown, while no service runs.
   */
  restore({ adminActions, growth, invitations, secrets }: Omit<RecoveredPlatform, 'accounts'>): void {
    this.#write(() => {
      this.#tables.adminActions.restore(adminActions)
      this.#tables.growth.restore(growth)
      this.#tables.secrets.add(secrets)
      this.#tables.invitations.restore(invitations)
    })
  }

  close(): void {
    this.#db.close()
  }

  #notify(commands: readonly Command[]): void {
    // Nothing of a removed row remains in the files.
    if (commands.some(([name]) => name === 'remove')) this.truncateLog()
    for (const command of commands) for (const listener of this.#listeners) listener(command)
  }

  #write<T>(work: () => T): T {
    try {
      return this.#db.transaction(work).immediate()
    } catch (error) {
      throw translateError(error, this.#db.name)
    }
  }
}

function openPlatformFile(file: string): Database {
  return openFile(file, { migrations: platformMigrations, synchronous: 'FULL', secureDelete: true })
}
