/**
 * The platform file of a node as a state machine: all nodes append commands to one log, and each applies all of them,
 * in order, to its own file. A caller receives the result when its command has been applied locally.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../../storage/errors.js'
import type { ChangeHandler, PlatformStore } from '../../storage/platform/platform-store.js'
import { Conflict, EngineUnavailable, type Engine, type Entry } from '../engine.js'
import { ChangeQueue, type Batch } from './change-queue.js'
import { decodePlatform, encodePlatform, platformSubject } from './record.js'
import { PlatformSnapshots, type SnapshotOptions } from './snapshots.js'

export interface PlatformLogOptions extends SnapshotOptions {
  readonly engine: Engine
  /** Time after which waiting callers get the error that the log is unavailable, in milliseconds. */
  readonly timeoutMs: number
  /** Time between two reads of the log without announcements, in milliseconds. */
  readonly pollMs?: number
  /** Number of records after which a snapshot is created. */
  readonly snapshotRecords?: number
  /** Called when this node does not follow the log, once per reason. */
  onError(error: Error): void
}

/** The topic on which nodes announce new records. */
const topic = 'platform'
/** Time between two attempts, in milliseconds. */
const pauseMs = 50
/** Maximum number of records read at once. */
const pageSize = 100

/** This node cannot follow the log: its file or its software does not match. */
export class PlatformRefused extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`This node cannot follow the platform of the cluster: ${reason}`, { cause })
    this.name = 'PlatformRefused'
  }
}

export class PlatformLog {
  readonly #snapshots: PlatformSnapshots
  readonly #changes: ChangeQueue
  #stopListening = (): void => {}
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #mustRun = false
  #isClosed = false
  #refusal: PlatformRefused | undefined
  #snapshotting: Promise<void> | undefined
  /** Pending queries for the end of the log: the current query and the next. */
  #pendingEnd: Promise<number> | undefined
  #nextEnd: Promise<number> | undefined
  /** Sequence from which a snapshot may be due. */
  #nextSnapshot = 0
  #reported = ''

  private constructor(
    private readonly platform: PlatformStore,
    private readonly options: PlatformLogOptions
  ) {
    this.#snapshots = new PlatformSnapshots(options)
    this.#changes = new ChangeQueue(options.timeoutMs, Math.floor(options.engine.maxBytes / 2))
  }

  /**
   * Brings a platform file to the end of the log, and makes it follow from then on; changes of the file go through the
   * log. Rejects with {@link PlatformRefused} if the file does not belong to the log, and with `EngineUnavailable`.
   */
  static async open(platform: PlatformStore, options: PlatformLogOptions): Promise<PlatformLog> {
    const log = new PlatformLog(platform, options)
    try {
      await log.#join()
      log.#startFollowing()
      return log
    } catch (error) {
      await log.close()
      throw error
    }
  }

  /** Why this node does not follow the log; `undefined` while it does. */
  get refusal(): PlatformRefused | undefined {
    return this.#refusal
  }

  /** Resolves when everything that was in the log at the time of the call has been applied. Rejects with `StoreUnavailable` if that takes too long. */
  async catchUp(): Promise<void> {
    const endMs = performance.now() + this.options.timeoutMs
    for (let goal: number | undefined; ;) {
      this.#assertFollowing()
      try {
        goal ??= await this.#findEnd()
        if (this.#sequence >= goal) return
        this.#wake()
        // The running work may take longer than the caller waits.
        await Promise.race([this.#running, wait(pauseMs)])
        if (this.#sequence >= goal) return
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error
      }
      if (performance.now() > endMs) throw new StoreUnavailable('The log of the platform is unreachable')
      await wait(pauseMs)
    }
  }

  /** Creates a snapshot now. Rejects with `EngineUnavailable`. */
  async snapshot(): Promise<void> {
    await this.#snapshots.create(this.platform)
  }

  /** Stops following. Waiting changes are rejected; the changes being appended may still arrive. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#stopListening()
    this.#changes.rejectAll(new StoreUnavailable('The service is stopping'))
    await this.#running
    await this.#snapshotting
  }

  /** Returns the sequence of the last record in the log. Concurrent callers share a query that began after their calls. */
  #findEnd(): Promise<number> {
    this.#nextEnd ??= this.#askAfter(this.#pendingEnd)
    return this.#nextEnd
  }

  async #askAfter(former: Promise<number> | undefined): Promise<number> {
    await former?.catch(() => undefined)
    this.#pendingEnd = this.#nextEnd
    this.#nextEnd = undefined
    return (await this.options.engine.last(platformSubject))?.sequence ?? 0
  }

  get #sequence(): number {
    return this.platform.position()?.lsn ?? 0
  }

  /** Checks that the file belongs to the log, and brings it to the end of the log. */
  async #join(): Promise<void> {
    const last = await this.options.engine.last(platformSubject)
    if (!last) throw new PlatformRefused('the cluster has no platform yet. Run "coffer cluster init" first')
    const { history } = decodeEntry(last)
    const position = this.platform.position()
    if (!position) {
      const { accounts, unfinished } = this.platform.counts()
      if (accounts + unfinished > 0)
        throw new PlatformRefused('its data directory contains accounts that do not belong to the cluster')
      await this.#restore()
    } else if (position.epoch !== history)
      throw new PlatformRefused('its platform database belongs to another cluster')
    else if (position.lsn > last.sequence)
      throw new PlatformRefused('its platform database is ahead of the log')
    await this.catchUp()
  }

  #startFollowing(): void {
    this.#stopListening = this.options.engine.subscribe(topic, () => this.#wake())
    this.#timer = setInterval(() => this.#wake(), this.options.pollMs ?? 1000)
    this.#timer.unref()
    const change: ChangeHandler = async (name, args) => {
      this.#assertFollowing()
      const result = this.#changes.add(name, args)
      this.#wake()
      return await result
    }
    this.platform.delegateChanges(change, () => this.catchUp())
  }

  /** Starts appending and reading, unless already running. */
  #wake(): void {
    this.#mustRun = true
    if (this.#isClosed || this.#refusal) return
    this.#running ??= this.#appendAndRead().finally(() => {
      this.#running = undefined
      if (this.#mustRun) this.#wake()
    })
  }

  /** Appends waiting changes and reads new entries, until nothing is left. Failures are reported and tried again. */
  async #appendAndRead(): Promise<void> {
    while (!this.#isClosed && !this.#refusal && (this.#mustRun || !this.#changes.isEmpty)) {
      this.#mustRun = false
      try {
        const batch = this.#changes.getNextBatch()
        if (batch) await this.#append(batch)
        else await this.#readNew()
        this.#reported = ''
      } catch (error) {
        this.#report(error as Error)
        await wait(pauseMs)
      }
    }
  }

  /** Appends waiting changes after the last applied record. */
  async #append(batch: Batch): Promise<void> {
    const { engine } = this.options
    const previous = this.#sequence
    const history = this.platform.position()!.epoch
    const record = encodePlatform({ id: batch.id, history, previous, commands: batch.commands })
    // Retried forever, it would block all others.
    if (record.length > engine.maxBytes) return this.#changes.rejectBatch(batch.id)
    try {
      const sequence = await engine.append(platformSubject, previous, record)
      this.#apply({ subject: platformSubject, sequence, bytes: record })
      engine.announce(topic, Buffer.of())
      this.#snapshotLater()
    } catch (error) {
      // If the outcome is unknown, appending the same record again, or reading what was written instead, tells.
      if (!(error instanceof Conflict)) throw error
      await this.#readNew()
      // The replica asked next may not have it yet.
      if (this.#sequence === previous) await wait(pauseMs)
    }
  }

  /** Applies the entries after the last one read. Restores the snapshot that replaces missing ones. */
  async #readNew(): Promise<void> {
    for (;;) {
      const from = this.#sequence
      const entries = await this.options.engine.read(platformSubject, from + 1, pageSize)
      for (const entry of entries) {
        const { previous } = decodeEntry(entry)
        if (previous !== this.#sequence) {
          await this.#restoreBehind(previous)
          break
        }
        this.#apply(entry)
      }
      if (entries.length < pageSize || this.#isClosed) return
    }
  }

  #apply(entry: Entry): void {
    const { commands, history, id, previous } = decodeEntry(entry)
    const position = this.platform.position()!
    if (history !== position.epoch) throw new PlatformRefused('the log has become that of another cluster')
    if (previous !== position.lsn) throw new Error('A record of the log of the platform is missing')
    const outcomes = this.platform.applyAll(commands, { lsn: entry.sequence, epoch: history })
    this.#changes.resolveBatch(id, outcomes)
  }

  /** Restores the snapshot, if the log does not reach back to the last applied record. */
  async #restoreBehind(previous: number): Promise<void> {
    const snapshot = await this.#snapshots.getCurrent()
    if (!snapshot || snapshot.sequence <= this.#sequence)
      throw new Error(`Records of the log of the platform before ${previous} are missing`)
    await this.#restore()
  }

  async #restore(): Promise<void> {
    for (;;) {
      const snapshot = await this.#snapshots.getCurrent()
      if (!snapshot) throw new PlatformRefused('the cluster has no snapshot of it')
      if (await this.#snapshots.restore(this.platform, snapshot)) return
      await wait(pauseMs)
    }
  }

  /** Creates a snapshot if the log has become long. Only the node that has just appended does so. */
  #snapshotLater(): void {
    this.#snapshotting ??= this.#snapshotIfLong()
      .catch(error => this.#report(error as Error))
      .finally(() => (this.#snapshotting = undefined))
  }

  async #snapshotIfLong(): Promise<void> {
    if (this.#sequence < this.#nextSnapshot) return
    const every = this.options.snapshotRecords ?? 10_000
    let current = await this.#snapshots.getCurrent()
    if (!current || current.sequence + every <= this.#sequence)
      current = await this.#snapshots.create(this.platform)
    this.#nextSnapshot = current.sequence + every
  }

  /** Reports an error once, until the log has been followed again. */
  #report(error: Error): void {
    if (error instanceof PlatformRefused) {
      this.#refusal = error
      this.#changes.rejectAll(new StoreUnavailable(error.message, error))
    }
    if (this.#reported === error.message || this.#isClosed) return
    this.#reported = error.message
    this.options.onError(error)
  }

  #assertFollowing(): void {
    if (this.#isClosed) throw new StoreUnavailable('The service is stopping')
    if (this.#refusal) throw new StoreUnavailable(this.#refusal.message, this.#refusal)
  }
}

function decodeEntry({ bytes, sequence }: Entry): ReturnType<typeof decodePlatform> {
  try {
    return decodePlatform(bytes)
  } catch (error) {
    throw new PlatformRefused(`its record ${sequence} cannot be read. ${(error as Error).message}`, error)
  }
}
