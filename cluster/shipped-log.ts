/**
 * Makes commits durable by appending them to a log that other machines store, instead of syncing the file: a process
 * that appends after the last record that it knows owns the account, and from then on no other process can. A process
 * that takes over an account first appends its own record, and then brings the file to the end of the log before that
 * record. The other order would work, too, but this way no other process writes, trims or removes a snapshot while the
 * file is being restored.
 */
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../storage/errors.js'
import type { DropAccount, Durability, DurabilityProvider, FoundLog } from '../storage/wal/durability.js'
import type { OpenedFile } from '../storage/wal/position.js'
import { claimLog, LogEnded, type ClaimOptions } from './claim.js'
import { Conflict, EngineUnavailable } from './engine.js'
import { beginLog, isLargeFile } from './files/begin-log.js'
import { FileThread } from './files/file-thread.js'
import { Outbox, type LogEnd } from './outbox.js'
import { Placement } from './files/placement.js'
import { decode } from './records.js'
import { removeShared } from './remove-shared.js'
import { ShippedFile } from './shipped-file.js'
import type { ShippedLogsOptions } from './shipped-log-options.js'
import { Snapshots } from './snapshots.js'

/** An account that this process writes. */
interface OwnedAccount {
  readonly outbox: Outbox
  /** The end of the log when it was taken over. */
  readonly end: LogEnd
  /** True once its file has been brought to that end. */
  isPlaced: boolean
}

/** Time after a failure before a retry, in milliseconds: records and snapshots may be large. */
const retryDelayMs = 1000
/** Maximum number of accounts that are retried at a time. */
const maxRetried = 10
/** Maximum number of owned accounts whose files are closed. */
const maxOwned = 10_000

export class ShippedLogs implements DurabilityProvider {
  /** In the order of their last opening, the oldest first. */
  readonly #owned = new Map<string, OwnedAccount>()
  readonly #opening = new Map<string, Promise<void>>()
  /** Accounts that are being dropped: their files are closed, and no operation uses them, when these settle. */
  readonly #dropping = new Map<string, Promise<void>>()
  /** Accounts whose files could not be restored from their logs at the last attempt, and why, the earliest first. */
  readonly #unplaced = new Map<string, Error>()
  readonly #files = new FileThread()
  readonly #placement: Placement
  readonly #snapshots: Snapshots
  #dropAccount: DropAccount = () => Promise.resolve()

  constructor(protected readonly options: ShippedLogsOptions) {
    this.#placement = new Placement({ ...options, files: this.#files })
    this.#snapshots = new Snapshots({ ...options, files: this.#files }, () => this.#outboxes())
  }

  onLost(drop: DropAccount): void {
    this.#dropAccount = drop
  }

  waitUntilReady(account: string): Promise<void> | undefined {
    const owned = this.#owned.get(account)
    if (owned?.isPlaced) {
      this.#owned.delete(account)
      this.#owned.set(account, owned)
      return undefined
    }
    let opening = this.#opening.get(account)
    if (!opening) {
      opening = this.#takeOver(account).finally(() => this.#opening.delete(account))
      this.#opening.set(account, opening)
    }
    return opening
  }

  open(opened: OpenedFile, found: FoundLog): Durability {
    const owned = this.#owned.get(opened.account)
    if (!owned?.isPlaced) throw new StoreUnavailable('The account has not been taken over')
    return this.createFile(opened, found, owned.outbox)
  }

  /** Creates the durability of an opened file. Tests override it. */
  protected createFile(opened: OpenedFile, found: FoundLog, outbox: Outbox): ShippedFile {
    return new ShippedFile(opened, found, outbox)
  }

  /**
   * Rejects with `StoreUnavailable` unless this process is the writer of an account now. Must be called before
   * something is removed that no log restores.
   */
  async assertWriter(account: string): Promise<void> {
    const owned = this.#owned.get(account)
    // A server that is disconnected together with this process may not know the last record. The lease guarantees that
    // there is none.
    const isOurs = owned !== undefined && (await this.#isWriter(account, owned))
    if (!isOurs || this.options.isCertain?.() === false)
      throw new StoreUnavailable('The account is served by another process')
  }

  /** Lists the accounts that this process writes, could write, or is taking over. */
  listHeld(): string[] {
    return Array.from(new Set([...this.#owned.keys(), ...this.#opening.keys()]))
  }

  /** The accounts that cannot be served, since their files could not be restored from their logs at the last attempt. */
  get unplaced(): ReadonlyMap<string, Error> {
    return this.#unplaced
  }

  /**
   * Retries the accounts that are {@link unplaced}, those with the oldest attempts first, until `isCancelled`. Never
   * rejects.
   */
  async retryUnplaced(isCancelled: () => boolean): Promise<void> {
    for (const account of Array.from(this.#unplaced.keys()).slice(0, maxRetried))
      if (this.options.isServedHere?.(account) === false) this.#unplaced.delete(account)
      else if (!isCancelled()) await this.waitUntilReady(account)?.catch(() => undefined)
  }

  /** Returns whether the file of an account is open here, or can be at any time. */
  isServed(account: string): boolean {
    return this.#owned.get(account)?.isPlaced === true
  }

  /** Counts the commits that are not in the logs yet, and their accounts. */
  countUnconfirmed(): { commits: number; accounts: number } {
    let [commits, accounts] = [0, 0]
    for (const { outbox } of this.#owned.values()) {
      commits += outbox.pending
      if (outbox.pending > 0) accounts++
    }
    return { commits, accounts }
  }

  /** Releases an account in any case. Resolves when all commits are in its log. Rejects if that cannot be confirmed. */
  async release(account: string): Promise<void> {
    await this.#opening.get(account)?.catch(() => undefined)
    const owned = this.#owned.get(account)
    if (!owned) return await this.#dropping.get(account)
    try {
      await owned.outbox.waitUntilConfirmed()
    } finally {
      this.#release(account, owned)
    }
  }

  /** Removes the log of a deleted account, and its objects. Rejects with `StoreUnavailable` if the outcome is unknown. */
  async remove(account: string): Promise<void> {
    await this.release(account).catch(() => undefined)
    const subject = this.options.getSubject(account)
    try {
      await removeShared(account, { ...this.options, subject })
    } catch (error) {
      throw new StoreUnavailable('The log of the account is unreachable', error)
    }
  }

  /** Resolves when no operation is pending, or its outcome cannot be confirmed in time. */
  async close(): Promise<void> {
    const ended = this.#snapshots.close()
    await Promise.allSettled(Array.from(this.#owned.keys(), async account => await this.release(account)))
    await Promise.allSettled(this.#opening.values())
    // A snapshot whose record does not arrive ends with its outbox.
    await ended
    await this.#files.close()
  }

  /** Takes over an account and places its file. Rejects with `StoreUnavailable` if another process serves it by then. */
  async #takeOver(account: string): Promise<void> {
    await this.#dropping.get(account)
    this.#assertServing(account)
    const startMs = performance.now()
    const owned = await this.#claimAndPlace(account)
    try {
      this.#assertServing(account)
    } catch (error) {
      this.#release(account, owned)
      throw error
    }
    this.options.tally?.takeovers.add(performance.now() - startMs)
    owned.isPlaced = true
    this.#trimOwned()
  }

  /** Claims an account, and brings its file to the end of its log. */
  async #claimAndPlace(account: string): Promise<OwnedAccount> {
    try {
      const former = this.#owned.get(account)
      // The file could not be placed: the log may have been changed in the meantime.
      if (former && !(await this.#isWriter(account, former))) this.#release(account, former)
      const owned = this.#owned.get(account) ?? (await this.#claim(account))
      const { base, position, sequence } = owned.end
      if (position.lsn > 0) {
        const subject = this.options.getSubject(account)
        await this.#placement.place(account, { base, position, sequence, subject })
      } else if (!existsSync(this.options.layout.userFile(account)))
        throw new StoreUnavailable('The database of the account is on another machine and has no log yet')
      this.#unplaced.delete(account)
      return owned
    } catch (error) {
      if (isPersistentError(error)) this.#recordUnplaced(account, error as Error)
      await wait(retryDelayMs, undefined, { ref: false })
      throw error instanceof StoreUnavailable
        ? error
        : new StoreUnavailable('The database of the account is unavailable at the moment', error)
    }
  }

  /** Reports each reason once. */
  #recordUnplaced(account: string, error: Error): void {
    if (this.#unplaced.get(account)?.message !== error.message) this.options.onError(account, error)
    this.#unplaced.delete(account)
    this.#unplaced.set(account, error)
  }

  /** Returns whether no other process has written to the log of an account since this process took it over. */
  async #isWriter(account: string, { end }: OwnedAccount): Promise<boolean> {
    const last = await this.options.log.last(this.options.getSubject(account))
    return last !== undefined && decode(last.bytes).writer === end.writer
  }

  /**
   * Throws if another process serves the account. An outbox of such an account would be outdated when this process
   * serves it again.
   */
  #assertServing(account: string): void {
    if (this.options.isServedHere?.(account) === false)
      throw new StoreUnavailable('The account is served by another process')
  }

  /** Appends a record of this process after the last one, so that no previous writer can append any more. */
  async #claim(account: string): Promise<OwnedAccount> {
    const { timeoutMs, isFirstStart = false, layout, log } = this.options
    const subject = this.options.getSubject(account)
    const claiming: ClaimOptions = {
      log,
      subject,
      found: isFirstStart ? undefined : await this.#files.readPosition(layout.userFile(account)),
      isLogComplete: async () => (await this.options.isLogComplete?.(account)) ?? true,
      ...(isLargeFile(layout, account) && {
        begin: () => beginLog(account, { ...this.options, files: this.#files, subject })
      })
    }
    const end = await claimLog(claiming, timeoutMs)
    const owned = { end, outbox: this.#createOutbox(account, end), isPlaced: false }
    this.#owned.set(account, owned)
    return owned
  }

  #createOutbox(account: string, end: LogEnd): Outbox {
    const { timeoutMs, log } = this.options
    const subject = this.options.getSubject(account)
    const onEnd = (error: Error): void => this.#lose(account, outbox, error)
    const onGrown = (): void => this.#snapshots.onGrown(account, outbox)
    const outbox = new Outbox(end, { log, subject, timeoutMs, onEnd, onGrown })
    return outbox
  }

  *#outboxes(): Generator<[string, Outbox]> {
    for (const [account, { outbox }] of this.#owned) yield [account, outbox]
  }

  /** Another process writes the account, or its changes cannot be read from its file, which must no longer be used. */
  #lose(account: string, outbox: Outbox, error: Error): void {
    if (this.options.tally && error instanceof Conflict) this.options.tally.fenced++
    this.options.onError(account, error)
    const owned = this.#owned.get(account)
    if (owned?.outbox !== outbox) return
    this.#owned.delete(account)
    // Dropping the account must not happen within the commit that may have detected the conflict.
    const dropping = Promise.resolve()
      .then(async () => await this.#dropAccount(account))
      .catch((problem: unknown) => this.options.onError(account, problem as Error))
      .finally(() => this.#dropping.delete(account))
    this.#dropping.set(account, dropping)
  }

  #release(account: string, owned: OwnedAccount): void {
    owned.outbox.stop(new Error('The account is served by another process'))
    if (this.#owned.get(account) === owned) this.#owned.delete(account)
  }

  /** Releases accounts whose files are closed, if there are too many: they are taken over again on use. */
  #trimOwned(): void {
    for (const [account, owned] of this.#owned) {
      if (this.#owned.size <= maxOwned) return
      if (owned.isPlaced && !owned.outbox.isInUse) this.#release(account, owned)
    }
  }
}

/** Returns whether an error will recur until an operator intervenes. */
function isPersistentError(error: unknown): boolean {
  const { cause } = error as Error
  return ![error, cause].some(each =>
    [Conflict, EngineUnavailable, LogEnded].some(kind => each instanceof kind)
  )
}
