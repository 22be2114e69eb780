/**
 * Makes commits durable by appending them to a log that other machines keep, instead of syncing the file: whoever appends
 * behind the last record he knows owns the account, and from then on nobody else can.
 *
 * Whoever takes an account over appends a record of his own first, and brings the file to where the log ended then. The other
 * order would do, too, but this way nobody writes, trims or removes a snapshot while the file is being made of them.
 */
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../storage/errors.js'
import type { Drop, Durability, DurabilityProvider, FoundLog } from '../storage/wal/durability.js'
import type { OpenedFile } from '../storage/wal/opened-file.js'
import { claim, LogEnded, type Claiming } from './claim.js'
import { Conflict, EngineUnavailable } from './engine.js'
import { beginLog, isLong } from './files/beginning.js'
import { FileThread } from './files/file-thread.js'
import { Outbox, type LogEnd } from './outbox.js'
import { Placement } from './files/placement.js'
import { decode } from './records.js'
import { removeShared } from './removal.js'
import { ShippedFile } from './shipped-file.js'
import type { ShippedLogsOptions } from './shipped-log-options.js'
import { Snapshots } from './snapshots.js'

/** An account that this process writes. */
interface Held {
  readonly outbox: Outbox
  /** Where the log ended when it was taken over. */
  readonly end: LogEnd
  /** Whether its file has been brought there. */
  isPlaced: boolean
}

/** Time after a failure within which nothing is tried again, in milliseconds: records and snapshots may be large. */
const restMs = 1000
/** Accounts that could not be had, and are tried again at a time. */
const mostAgain = 10
/** Accounts that are remembered as taken over although their files are closed. */
const maxHeld = 10_000

export class ShippedLogs implements DurabilityProvider {
  /** In order of being opened, those that were opened longest ago first. */
  readonly #held = new Map<string, Held>()
  readonly #opening = new Map<string, Promise<void>>()
  /** Accounts that are being dropped: their files are closed, and nothing works on them any more, when these settle. */
  readonly #dropping = new Map<string, Promise<void>>()
  /** Accounts whose files could not be made of their logs when that was tried last, and why, the earliest first. */
  readonly #unplaced = new Map<string, Error>()
  readonly #files = new FileThread()
  readonly #placement: Placement
  readonly #snapshots: Snapshots
  #drop: Drop = () => Promise.resolve()

  constructor(protected readonly options: ShippedLogsOptions) {
    this.#placement = new Placement({ ...options, files: this.#files })
    this.#snapshots = new Snapshots({ ...options, files: this.#files }, () => this.#outboxes())
  }

  whenLost(drop: Drop): void {
    this.#drop = drop
  }

  ready(account: string): Promise<void> | undefined {
    const held = this.#held.get(account)
    if (held?.isPlaced) {
      this.#held.delete(account)
      this.#held.set(account, held)
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
    const held = this.#held.get(opened.account)
    if (!held?.isPlaced) throw new StoreUnavailable('The account has not been taken over')
    return this.make(opened, found, held.outbox)
  }

  protected make(opened: OpenedFile, found: FoundLog, outbox: Outbox): ShippedFile {
    return new ShippedFile(opened, found, outbox)
  }

  /**
   * Rejects with `StoreUnavailable` unless this process is, at this moment, the one who writes an account: to be asked before
   * something goes that no log brings back.
   */
  async assertWriter(account: string): Promise<void> {
    const held = this.#held.get(account)
    // A server that is cut off together with this process may not know what comes last. By the lease, nobody came behind it.
    const isOurs = held !== undefined && (await this.#isOurs(account, held))
    if (!isOurs || this.options.isCertain?.() === false)
      throw new StoreUnavailable('The account is served by another process')
  }

  /** The accounts that this process writes, or could, or is taking over. */
  held(): string[] {
    return Array.from(new Set([...this.#held.keys(), ...this.#opening.keys()]))
  }

  /** The accounts that cannot be served, since their files could not be made of their logs when that was tried last. */
  get unplaced(): ReadonlyMap<string, Error> {
    return this.#unplaced
  }

  /**
   * Tries again to have the files of some accounts that are {@link unplaced}, those first that were tried longest ago, until
   * `isOver`. Never rejects.
   */
  async tryAgain(isOver: () => boolean): Promise<void> {
    for (const account of Array.from(this.#unplaced.keys()).slice(0, mostAgain))
      if (this.options.serves?.(account) === false) this.#unplaced.delete(account)
      else if (!isOver()) await this.ready(account)?.catch(() => undefined)
  }

  /** Whether the file of an account is open here, or can be at any time. */
  isServed(account: string): boolean {
    return this.#held.get(account)?.isPlaced === true
  }

  /** What is not in the logs yet: commits, and the accounts that have some. */
  unconfirmed(): { commits: number; accounts: number } {
    let [commits, accounts] = [0, 0]
    for (const { outbox } of this.#held.values()) {
      commits += outbox.pending
      if (outbox.pending > 0) accounts++
    }
    return { commits, accounts }
  }

  /** Resolves when all that was committed is in the log, and what was known of it is forgotten. Rejects if it cannot be confirmed. */
  async letGo(account: string): Promise<void> {
    await this.#opening.get(account)?.catch(() => undefined)
    const held = this.#held.get(account)
    if (!held) return await this.#dropping.get(account)
    try {
      await held.outbox.confirmed()
    } finally {
      this.#forget(account, held)
    }
  }

  /** Removes the log of an account that is deleted, and its objects. Rejects with `StoreUnavailable` if that is not certain. */
  async remove(account: string): Promise<void> {
    await this.letGo(account).catch(() => undefined)
    const subject = this.options.subjectOf(account)
    try {
      await removeShared(account, { ...this.options, subject })
    } catch (error) {
      throw new StoreUnavailable('The log of the account cannot be reached', error)
    }
  }

  /** Resolves when nothing is under way, or cannot be confirmed in time. */
  async close(): Promise<void> {
    const ended = this.#snapshots.close()
    await Promise.allSettled(Array.from(this.#held.keys(), async account => await this.letGo(account)))
    await Promise.allSettled(this.#opening.values())
    // A snapshot whose record does not arrive ends with its outbox.
    await ended
    await this.#files.close()
  }

  async #takeOver(account: string): Promise<void> {
    await this.#dropping.get(account)
    this.#assertServing(account)
    const beganMs = performance.now()
    const held = await this.#placed(account)
    try {
      this.#assertServing(account)
    } catch (error) {
      this.#forget(account, held)
      throw error
    }
    this.options.tally?.takeovers.add(performance.now() - beganMs)
    held.isPlaced = true
    this.#bound()
  }

  /** Claims an account, and brings its file to where its log ends. */
  async #placed(account: string): Promise<Held> {
    try {
      const former = this.#held.get(account)
      // It could not be placed: somebody may have changed what there is to be placed.
      if (former && !(await this.#isOurs(account, former))) this.#forget(account, former)
      const held = this.#held.get(account) ?? (await this.#claim(account))
      const { base, position, sequence } = held.end
      if (position.lsn > 0) {
        const subject = this.options.subjectOf(account)
        await this.#placement.place(account, { base, position, sequence, subject })
      } else if (!existsSync(this.options.layout.userFile(account)))
        throw new StoreUnavailable('The file of the account is on another machine, and has no log yet')
      this.#unplaced.delete(account)
      return held
    } catch (error) {
      if (isLasting(error)) this.#noteUnplaced(account, error as Error)
      await wait(restMs, undefined, { ref: false })
      throw error instanceof StoreUnavailable
        ? error
        : new StoreUnavailable('The file of the account cannot be had at present', error)
    }
  }

  /** Tells of each reason once. */
  #noteUnplaced(account: string, error: Error): void {
    if (this.#unplaced.get(account)?.message !== error.message) this.options.onTrouble(account, error)
    this.#unplaced.delete(account)
    this.#unplaced.set(account, error)
  }

  /** Whether nobody has written to the log of an account since. */
  async #isOurs(account: string, { end }: Held): Promise<boolean> {
    const last = await this.options.log.last(this.options.subjectOf(account))
    return last !== undefined && decode(last.bytes).writer === end.writer
  }

  /**
   * What is held of an account that another process serves would still count as the end of its log when this one serves it
   * again. While it is held this process serves it, or is letting it go.
   */
  #assertServing(account: string): void {
    if (this.options.serves?.(account) === false)
      throw new StoreUnavailable('The account is served by another process')
  }

  /** Appends a record of this process behind the last one, so that nobody before it can append any more. */
  async #claim(account: string): Promise<Held> {
    const { giveUpMs, isBeginning = false, layout, log } = this.options
    const subject = this.options.subjectOf(account)
    const claiming: Claiming = {
      log,
      subject,
      found: isBeginning ? undefined : await this.#files.look(layout.userFile(account)),
      isSound: async () => (await this.options.isSound?.(account)) ?? true,
      ...(isLong(layout, account) && {
        begin: () => beginLog(account, { ...this.options, files: this.#files, subject })
      })
    }
    const end = await claim(claiming, giveUpMs)
    const held = { end, outbox: this.#outboxOf(account, end), isPlaced: false }
    this.#held.set(account, held)
    return held
  }

  #outboxOf(account: string, end: LogEnd): Outbox {
    const { giveUpMs, log } = this.options
    const subject = this.options.subjectOf(account)
    const onEnd = (error: Error): void => this.#lose(account, outbox, error)
    const onGrown = (): void => this.#snapshots.grown(account, outbox)
    const outbox = new Outbox(end, { log, subject, giveUpMs, onEnd, onGrown })
    return outbox
  }

  *#outboxes(): Generator<[string, Outbox]> {
    for (const [account, { outbox }] of this.#held) yield [account, outbox]
  }

  /** Somebody else writes the account, or what was written cannot be taken from its file: that is of no use any more. */
  #lose(account: string, outbox: Outbox, error: Error): void {
    if (this.options.tally && error instanceof Conflict) this.options.tally.fenced++
    this.options.onTrouble(account, error)
    const held = this.#held.get(account)
    if (held?.outbox !== outbox) return
    this.#held.delete(account)
    // Not within the commit that may have shown it.
    const dropping = Promise.resolve()
      .then(async () => await this.#drop(account))
      .catch((problem: unknown) => this.options.onTrouble(account, problem as Error))
      .finally(() => this.#dropping.delete(account))
    this.#dropping.set(account, dropping)
  }

  #forget(account: string, held: Held): void {
    held.outbox.stop(new Error('The account is served by another process'))
    if (this.#held.get(account) === held) this.#held.delete(account)
  }

  /** Forgets accounts whose files are closed, if there are too many: they are taken over once more. */
  #bound(): void {
    for (const [account, held] of this.#held) {
      if (this.#held.size <= maxHeld) return
      if (held.isPlaced && !held.outbox.isInUse) this.#forget(account, held)
    }
  }
}

/** Whether what went wrong goes wrong again until somebody does something. */
function isLasting(error: unknown): boolean {
  const { cause } = error as Error
  return ![error, cause].some(each =>
    [Conflict, EngineUnavailable, LogEnded].some(kind => each instanceof kind)
  )
}
