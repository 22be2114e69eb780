/** The one file that all accounts share: names, unique fields, account states. Every commit is synced. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import type { DiskReserve } from '../files/disk-reserve.js'
import type { Layout } from '../files/layout.js'
import { platformMigrations } from '../migrations/platform/index.js'
import type { OAuthClientReader } from '../oauth/oauth-clients.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import { copyInThread } from '../sqlite/copies.js'
import { createFile, openFile } from '../sqlite/open.js'
import { addPosition, readPosition, writePosition, type Position } from '../wal/position.js'
import type { Account, Claim } from './account.js'
import { findPlatformProblems } from './check-thread.js'
import { applyCommand, type Arguments, type Command, type CommandName, type Result } from './commands.js'
import { tryCommand, type CommandOutcome } from './outcomes.js'
import type { PlatformCounts } from './platform-accounts.js'
import type { RecoveredPlatform } from './recover-platform-file.js'
import { createTables, restoreTables, type Tables } from './tables.js'
import type { Reservation } from './unique-fields.js'

/** Makes changes that other machines must receive: in a cluster they go through a log that every node follows. */
export type ChangeHandler = <N extends CommandName>(name: N, args: Arguments<N>) => Promise<Result<N>>

/** Called with each command once it has been applied; with `undefined` if the whole file has been replaced. */
type ChangeListener = (command: Command | undefined) => void

/** The platform file. Reads are local and synchronous, by read-only repositories. Changes are commands, see {@link change}. */
export class PlatformStore {
  #db: Database
  #tables: Tables
  #changeHandler: ChangeHandler | undefined
  #catchUp: (() => Promise<void>) | undefined
  readonly #listeners = new Set<ChangeListener>()

  /** Opens the file, or creates it if there are no accounts yet. Throws `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
  constructor(
    { platformFile, usersDirectory }: Pick<Layout, 'platformFile' | 'usersDirectory'>,
    /** While the reserve is released, changes are refused, except for changes from the log of a cluster. */
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

  get timedAccounts(): Omit<Tables['timedAccounts'], 'mark' | 'setDue' | 'unmark'> {
    return this.#tables.timedAccounts
  }

  get farewells(): Pick<Tables['farewells'], 'listAfter'> {
    return this.#tables.farewells
  }

  get growth(): Pick<Tables['growth'], 'getCounted' | 'isMeasured' | 'list'> {
    return this.#tables.growth
  }

  get identityProofs(): Pick<Tables['identityProofs'], 'find'> {
    return this.#tables.identityProofs
  }

  get oauthClients(): OAuthClientReader {
    return this.#tables.oauthClients
  }

  get invitations(): Pick<Tables['invitations'], 'isUnused' | 'list'> {
    return this.#tables.invitations
  }

  get secrets(): Pick<Tables['secrets'], 'find' | 'list'> {
    return this.#tables.secrets
  }

  get accountStatuses(): Pick<Tables['accountStatuses'], 'counts' | 'find' | 'search' | 'sqliteVersion'> {
    return this.#tables.accountStatuses
  }

  get usernames(): Omit<Tables['usernames'], 'adoptFormer' | 'change'> {
    return this.#tables.usernames
  }

  /**
   * Makes a change. Resolves with the command's result once it is on disk; without a cluster the change is on disk before this returns.
   * Rejects with what the command throws, with `StorageFull`, and in a cluster with `StoreUnavailable`.
   */
  async change<N extends CommandName>(name: N, ...args: Arguments<N>): Promise<Result<N>> {
    return this.#changeHandler ? await this.#changeHandler(name, args) : this.changeNow(name, ...args)
  }

  /** Makes a change synchronously, at startup or without a cluster: throws in one. Throws `StorageFull`, and what the command throws. */
  changeNow<N extends CommandName>(name: N, ...args: Arguments<N>): Result<N> {
    this.reserve?.check()
    const result = this.#write(() => {
      this.assertNotFollowing()
      return applyCommand(this.#tables, name, args)
    })
    this.#notifyListeners([[name, ...args] as unknown as Command])
    return result
  }

  /** Delegates changes to a handler, which applies them by {@link applyAll}. `catchUp` resolves when all changes made before the call have been applied. */
  delegateChanges(handler: ChangeHandler, catchUp?: () => Promise<void>): void {
    this.#changeHandler = handler
    this.#catchUp = catchUp
  }

  /**
   * Resolves when the file holds every change made by any process before this call: in a cluster a client may know of it from another
   * node. Rejects with `StoreUnavailable` if that cannot be determined.
   */
  async catchUp(): Promise<void> {
    await this.#catchUp?.()
  }

  /** Calls a listener after each change made by this object. Returns a function that removes it. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the file's position in the log that it follows; `undefined` if it follows none. */
  position(): Position | undefined {
    return readPosition(this.#db)
  }

  /** Throws if the file follows a log. */
  assertNotFollowing(): void {
    if (this.position())
      throw new Error(`${this.#db.name} follows the log of a cluster: only its nodes may use it`)
  }

  /** Makes the file follow a log from a position on. */
  follow(position: Position): void {
    addPosition(this.#db, position)
  }

  /**
   * Applies commands of the log that the file follows, and moves it to the position after them, in one transaction. An error thrown by
   * a command is its outcome; throws `StorageFull` and the like, with nothing applied.
   */
  applyAll(commands: readonly Command[], position: Position): CommandOutcome[] {
    const outcomes = this.#write(() => {
      const all = commands.map(([name, ...args]) =>
        tryCommand(this.#db, () => applyCommand(this.#tables, name, args))
      )
      writePosition(this.#db, position)
      return all
    })
    this.#notifyListeners(commands)
    return outcomes
  }

  /** Closes the file, lets `replace` put another one in its place, and opens that. Listeners are called with `undefined`. */
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

  /** Finds an account in any state by its name or one of its former names. */
  find(username: string): Account | undefined {
    return this.#tables.usernames.find(username)
  }

  /** Finds an account in any state. */
  findById(id: string): Account | undefined {
    return this.#tables.accounts.findById(id)
  }

  /** Lists the next active accounts by name, after the name `after`. */
  listActive(after: string, limit: number): Account[] {
    return this.#tables.accounts.listActive(after, limit)
  }

  /** Like {@link listActive}, including accounts that are suspended, closed or have moved. */
  listKnown(after: string, limit: number): Account[] {
    return this.#tables.accounts.listKnown(after, limit)
  }

  /** Lists accounts that are due for deletion, and those whose removal has failed. */
  listDue(now: number): Account[] {
    return this.#tables.accounts.listDue(now)
  }

  /** Counts rows: see {@link PlatformCounts}. */
  counts(): PlatformCounts {
    return this.#tables.accounts.counts()
  }

  /** Runs SQLite's checks in a worker thread. Returns the problems found; empty if there are none. */
  async problems(): Promise<string[]> {
    return await findPlatformProblems(this.#db.name)
  }

  /** Lists accounts in a state other than `active`: operations to complete or undo. */
  listUnfinished(): Account[] {
    return this.#tables.accounts.listUnfinished()
  }

  /** Finds the account that holds a value of a unique field, or has reserved it. */
  findByUnique(name: string, value: string | number): Account | undefined {
    return this.#tables.accounts.findByUnique(name, value)
  }

  /** Finds the id of the account that holds a unique value, or has reserved it. */
  findHolder({ field, key }: UniqueValue): string | undefined {
    return this.#tables.unique.findHolder(field, key)
  }

  /** Returns the names of the parts of a claim that are already taken: `username`, unique fields, `invitationToken`. */
  listTaken(claim: Pick<Claim, 'username' | 'unique' | 'invitationToken'>): string[] {
    return this.#tables.accounts.listTaken(claim)
  }

  /** Lists active accounts with unique values in doubt. */
  listInDoubt(): Account[] {
    return this.#tables.unique.listInDoubt()
  }

  /** Lists the unique values of an account that are in doubt. */
  listReservations(account: string): Reservation[] {
    return this.#tables.unique.listReservations(account)
  }

  /** Returns whether an account is marked as possibly having webhooks, or deliveries to peers. */
  isWebhookAccount(id: string): boolean {
    return this.#tables.accounts.mayHaveWebhooks(id)
  }

  /** Lists these accounts. */
  listWebhookAccounts(): Account[] {
    return this.#tables.accounts.listWithWebhooks()
  }

  /** Checkpoints and truncates the write-ahead log, which still holds earlier states of pages with removed rows. */
  truncateLog(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)')
  }

  /**
   * Registers an account whose files are in place, as active, while no service runs. Returns which of `username` and its unique values
   * other accounts have; if that is not empty, nothing was changed.
   */
  adopt(account: Omit<Account, 'state'>, held: readonly UniqueValue[]): string[] {
    return this.#write(() => this.#tables.accounts.adopt(account, held))
  }

  /** Restores recovered invitations, secrets, actions and decisions of operators, and growth, while no service runs. */
  restore(recovered: Omit<RecoveredPlatform, 'accounts'>): void {
    this.#write(() => restoreTables(this.#tables, recovered))
  }

  /** Closes the file. Its repositories must no longer be used. */
  close(): void {
    this.#db.close()
  }

  /** Calls the listeners with commands that have been applied. Truncates the log after a removal. */
  #notifyListeners(commands: readonly Command[]): void {
    // Removes the last copies of a removed row from the files.
    if (commands.some(([name]) => name === 'remove' || name === 'removeFarewell')) this.truncateLog()
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
