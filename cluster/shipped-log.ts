/**
 * Makes commits durable by appending them to a log that other machines keep, instead of syncing the file: whoever appends
 * behind the last record he knows owns the account, and from then on nobody else can.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../storage/errors.js'
import { initializeLog } from '../storage/sqlite/open.js'
import type { Durability, DurabilityProvider, FoundLog, OnDurable } from '../storage/wal/durability.js'
import type { OpenedFile } from '../storage/wal/opened-file.js'
import type { Position } from '../storage/wal/position.js'
import { changesOfAll, type Changes } from './commit.js'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import { FrameReader, type Taken } from './frames.js'
import { Outbox } from './outbox.js'
import { decode, encode } from './records.js'

export interface ShippedLogsOptions {
  readonly log: Log
  /** The subject of an account's log. */
  subjectOf(account: string): string
  /** Time after which whoever waits for a record is told that it cannot be confirmed, in milliseconds. */
  readonly giveUpMs: number
  /** Called when another process has taken an account over, or its changes cannot be taken from its file. */
  onTrouble(account: string, error: Error): void
}

/** Time between two attempts to take an account over, in milliseconds. */
const pauseMs = 20

export class ShippedLogs implements DurabilityProvider {
  readonly #outboxes = new Map<string, Outbox>()
  readonly #opening = new Map<string, Promise<void>>()

  constructor(private readonly options: ShippedLogsOptions) {}

  ready(account: string): Promise<void> | undefined {
    const outbox = this.#outboxes.get(account)
    if (outbox && !outbox.isOver) return undefined
    let opening = this.#opening.get(account)
    if (!opening) {
      opening = this.#takeOver(account).finally(() => this.#opening.delete(account))
      this.#opening.set(account, opening)
    }
    return opening
  }

  open(opened: OpenedFile, found: FoundLog): Durability {
    const outbox = this.#outboxes.get(opened.account)
    if (!outbox) throw new StoreUnavailable('The account has not been taken over')
    return this.make(opened, found, outbox)
  }

  protected make(opened: OpenedFile, found: FoundLog, outbox: Outbox): ShippedLog {
    return new ShippedLog(opened, found, outbox)
  }

  /** Resolves when nothing is under way, or cannot be confirmed in time. */
  async close(): Promise<void> {
    const all = Array.from(this.#outboxes.values())
    await Promise.allSettled(all.map(async outbox => await outbox.confirmed()))
    for (const outbox of all) outbox.stop(new Error('The service is stopping'))
    this.#outboxes.clear()
  }

  /** Appends a record of this process behind the last one, so that nobody before it can append any more. */
  async #takeOver(account: string): Promise<void> {
    const subject = this.options.subjectOf(account)
    const endMs = performance.now() + this.options.giveUpMs
    for (;;) {
      try {
        this.#outboxes.set(account, await this.#outboxAt(account, subject))
        return
      } catch (error) {
        if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
        if (performance.now() > endMs)
          throw new StoreUnavailable('The log of the account cannot be reached', error)
      }
      await wait(pauseMs, undefined, { ref: false })
    }
  }

  async #outboxAt(account: string, subject: string): Promise<Outbox> {
    const { giveUpMs, log } = this.options
    const onEnd = (error: Error): void => this.options.onTrouble(account, error)
    const options = { log, subject, giveUpMs, onEnd }
    const last = await log.last(subject)
    // The first record claims it.
    if (!last) return new Outbox({ sequence: 0, position: { lsn: 0, epoch: 0 }, epoch: 1 }, options)
    const { epoch: former, position } = decode(last.bytes)
    const epoch = former + 1
    const claim = {
      kind: 'takeover',
      epoch,
      position,
      previous: last.sequence,
      commits: [],
      goesOn: false
    } as const
    const sequence = await log.append(subject, last.sequence, await encode(claim))
    return new Outbox({ sequence, position, epoch }, options)
  }
}

/** What is committed to one open file. */
export class ShippedLog implements Durability {
  /** Whoever checkpoints syncs the folder: nothing else here needs the log's directory entry. */
  readonly isNamed = false
  readonly #frames: FrameReader
  #isNew: boolean

  /** Throws `StoreUnavailable` if the file is not where its log ends. */
  constructor(
    private readonly opened: OpenedFile,
    found: FoundLog,
    private readonly outbox: Outbox
  ) {
    this.#isNew = found.isNew
    this.#frames = this.reader(opened, outbox.taken)
    if (outbox.position.lsn === 0) this.#takeAll()
    else mustBeAt(opened.position(), outbox.position)
  }

  get isBusy(): boolean {
    return this.outbox.isBusy
  }

  get next(): Position {
    return this.outbox.next
  }

  begin(): void {
    this.outbox.mustBeOpen()
    this.#initialize()
  }

  capture(): void {
    try {
      const changes = this.take()
      if (changes) this.#add(changes)
    } catch (error) {
      this.outbox.stop(error as Error)
    }
  }

  /** Nothing to do: what was captured is on its way, whether or not anybody waits for it. */
  committed(): void {}

  afterSync(done: OnDurable): void {
    this.outbox.whenConfirmed(done)
  }

  confirmed(): Promise<void> | undefined {
    return this.outbox.confirmed()
  }

  async restartable(): Promise<void> {
    await this.outbox.confirmed()
  }

  close(): void {
    this.capture()
    this.#frames.close()
    this.outbox.taken = this.#frames.taken
  }

  protected reader(opened: OpenedFile, taken: Taken | undefined): FrameReader {
    return new FrameReader(opened.file, () => opened.lastFrame(), taken)
  }

  /** What has been committed since the last call. */
  protected take(): Changes | undefined {
    return this.#frames.take()
  }

  /** Hands changes over. Those whose transaction has not written a position get one now. */
  #add(changes: Changes): void {
    const { next, position } = this.outbox
    const written = this.opened.position()
    if (written?.lsn === next.lsn && written.epoch === next.epoch)
      return this.outbox.add({ ...next, ...changes })
    mustBeAt(written, position)
    this.opened.commitPosition(next)
    const more = this.take()
    if (!more) throw new Error(`${this.opened.file}: a commit has left nothing in the log`)
    this.outbox.add({ ...next, ...more, changes: [...changes.changes, ...more.changes] })
  }

  /** The first record of an account: all of its file. */
  #takeAll(): void {
    const { next } = this.outbox
    this.#initialize()
    this.opened.addPosition(next)
    // All of it is among the pages.
    this.take()
    this.outbox.add({ ...next, ...changesOfAll(this.opened.pages()) })
  }

  #initialize(): void {
    if (!this.#isNew) return
    this.#isNew = false
    initializeLog(this.opened.file)
  }
}

function mustBeAt(found: Position | undefined, expected: Position): void {
  if (found?.lsn !== expected.lsn || found.epoch !== expected.epoch)
    throw new StoreUnavailable(`The file is at ${found?.lsn ?? 'no'} commit, its log at ${expected.lsn}`)
}
