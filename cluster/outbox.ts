/**
 * The commits of one account that wait to be appended to its log. Survives closing the file. One record is appended at
 * a time; what is committed meanwhile goes into the next record.
 */
import { Discarded, StoreUnavailable } from '../storage/errors.js'
import type { OnDurable } from '../storage/wal/durability.js'
import type { Position } from '../storage/wal/position.js'
import { appendUntilConfirmed, Refused } from './append-until-confirmed.js'
import type { Commit } from './commit.js'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import type { LogProgress } from './frames.js'
import { takeCommits } from './take-commits.js'
import { encode, type Base, type LogRecord } from './records.js'

/** The end of a log, and the process that writes after it. */
export interface LogEnd {
  /** Sequence of the last record; 0 if there is none. */
  readonly sequence: number
  /** The last complete commit in the log; lsn 0 if the log is empty. */
  readonly position: Position
  /** Epoch of this process. */
  readonly epoch: number
  /** The base of the log, with the size of all its records in bytes. */
  readonly base: Base
  /** Distinguishes this process from others. */
  readonly writer: number
}

export interface OutboxOptions {
  readonly log: Log
  readonly subject: string
  /** Time after which waiting callers get the error that a record cannot be confirmed, in milliseconds. */
  readonly timeoutMs: number
  /** Called when a record has been appended. */
  onGrown(): void
  /** Called when another process writes to the log, or its engine fails unexpectedly. */
  onEnd(error: Error): void
}

/** A position in a log at which no commit is incomplete. */
export interface LogMark {
  /** Sequence of the record before the next one. */
  readonly sequence: number
  /** Size of the log up to that record, in bytes. */
  readonly bytes: number
}

interface PendingRebase {
  /** The snapshot, and the size of the records that it replaces. */
  readonly base: Base
  done(): void
  failed(error: Error): void
}

interface Waiting {
  readonly lsn: number
  readonly done: OnDurable
}

export class Outbox {
  /** How far the file's write-ahead log was read when the file was last closed. */
  progress: LogProgress | undefined
  /** Number of open handles of the file, and how often the file was opened. */
  #handles = 0
  #openings = 0
  #safeMark: LogMark
  #isPartial = false
  #pendingRebase: PendingRebase | undefined
  #fileBytes = 0
  #grewAtMs = performance.now()
  #sequence: number
  #base: Base
  /** The last commit that was added. */
  #position: Position
  /** The last commit that is in the log. */
  #confirmed: Position
  readonly #queue: Commit[] = []
  #waiting: Waiting[] = []
  #isRunning = false
  /** Why durability cannot be confirmed at present. Writes are refused in the meantime. */
  #failure: StoreUnavailable | undefined
  #isStopped = false

  constructor(
    private readonly end: LogEnd,
    private readonly options: OutboxOptions
  ) {
    this.#sequence = end.sequence
    this.#base = end.base
    this.#safeMark = { sequence: end.sequence, bytes: end.base.bytes }
    this.#position = end.position
    this.#confirmed = end.position
  }

  /** The last commit that was added. */
  get position(): Position {
    return this.#position
  }

  /** The position of the next commit. */
  get nextPosition(): Position {
    return { lsn: this.#position.lsn + 1, epoch: this.end.epoch }
  }

  /** True once this process no longer writes to the log. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** How often the file has been opened: changes made on opening, such as a migration, are numbered later. */
  get openings(): number {
    return this.#openings
  }

  /** The last position at which no commit is incomplete. */
  get safeMark(): LogMark {
    return this.#safeMark
  }

  /** Size of the records after the last snapshot, in bytes. */
  get logBytes(): number {
    return this.#base.bytes
  }

  /** Size of the file as of the last commit, in bytes; 0 if there was no commit yet. */
  get fileBytes(): number {
    return this.#fileBytes
  }

  /** When the last commit was added, in the time of `performance.now()`. */
  get grewAtMs(): number {
    return this.#grewAtMs
  }

  /** True while the file is open, or an operation is pending. */
  get isInUse(): boolean {
    return this.#handles > 0 || this.#isRunning || this.#failure !== undefined
  }

  /** Must be called when the file has been opened. */
  onOpened(): void {
    this.#handles++
    this.#openings++
  }

  /** Must be called when the file has been closed. `progress`: how far its write-ahead log was read. */
  onClosed(progress: LogProgress): void {
    this.#handles--
    this.progress = progress
  }

  /** Number of commits that are not known to be in the log yet. */
  get pending(): number {
    return this.#position.lsn - this.#confirmed.lsn
  }

  /** True while an operation is pending whose outcome is still awaited. */
  get isBusy(): boolean {
    return !this.#failure && this.#confirmed.lsn < this.#position.lsn
  }

  /** Throws `StoreUnavailable` while the outcome of earlier commits is unknown. */
  assertSettled(): void {
    if (this.#failure) throw this.#failure
  }

  /** Adds a commit at the position {@link nextPosition}. Once the outbox is stopped, it is counted and not appended. */
  add(commit: Commit): void {
    this.#position = { lsn: commit.lsn, epoch: commit.epoch }
    this.#fileBytes = commit.pages * commit.pageSize
    this.#grewAtMs = performance.now()
    if (this.#isStopped) return
    this.#queue.push(commit)
    if (!this.#isRunning) void this.#shipAll()
  }

  /**
   * Appends a record that names a stored snapshot: `base.bytes` is the size of the records that it replaces. Rejects
   * with `Conflict` if another process writes to the log. Waits while a commit is incomplete.
   */
  async rebase(base: Base): Promise<void> {
    if (this.#isStopped) throw new Conflict(this.options.subject)
    await new Promise<void>((done, failed) => {
      this.#pendingRebase = { base, done, failed }
      if (!this.#isRunning) void this.#shipAll()
    })
  }

  /** Calls back, asynchronously, when all commits so far are in the log, or with the error if that is unknown. */
  onConfirmed(done: OnDurable): void {
    const { lsn } = this.#position
    if (this.#failure || this.#confirmed.lsn >= lsn) queueMicrotask(() => done(this.#failure))
    else this.#waiting.push({ lsn, done })
  }

  /** Resolves when all commits so far are in the log; `undefined` if they are. Rejects with `StoreUnavailable`. */
  waitUntilConfirmed(): Promise<void> | undefined {
    if (!this.#failure && this.#confirmed.lsn >= this.#position.lsn) return undefined
    return new Promise((resolve, reject) =>
      this.onConfirmed(failure => (failure ? reject(failure) : resolve()))
    )
  }

  /** Stops the outbox, if it is not stopped, because its file must no longer be used, and reports the error. */
  fail(error: Error): void {
    if (this.#isStopped) return
    this.stop(error)
    this.options.onEnd(error)
  }

  /** Stops the outbox: nothing more is appended. Callers that wait are rejected with the error, a {@link rebase} with `Conflict`. */
  stop(error: Error): void {
    this.#isStopped = true
    this.#queue.length = 0
    this.#pendingRebase?.failed(new Conflict(this.options.subject))
    this.#pendingRebase = undefined
    this.#rejectWaiting(error)
  }

  /** Appends records until no commit is left. */
  async #shipAll(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#queue.length > 0 || this.#pendingRebase) {
        const record = this.#takeRecord()
        await this.#ship(record)
        // The outbox was stopped in the meantime, and callers were notified.
        if (this.#isStopped) break
        this.#onShipped(record)
      }
    } catch (error) {
      this.fail(error as Error)
    }
    this.#isRunning = false
  }

  #onShipped({ isContinued, kind, position }: LogRecord): void {
    this.#confirmed = position
    this.#isPartial = isContinued
    if (!isContinued) this.#safeMark = { sequence: this.#sequence, bytes: this.#base.bytes }
    if (kind === 'snapshot') {
      this.#pendingRebase?.done()
      this.#pendingRebase = undefined
    }
    this.#failure = undefined
    this.#notifyConfirmed()
    this.options.onGrown()
  }

  /** Appends a record to the log until that is confirmed. Those that wait are refused after `timeoutMs`, but the attempts go on. */
  async #ship(record: LogRecord): Promise<void> {
    const { timeoutMs, log, subject } = this.options
    const timer = setTimeout(() => this.#rejectWaiting(new EngineUnavailable()), timeoutMs)
    try {
      const bytes = await encode(record)
      const expected = this.#sequence
      const isCancelled = (): boolean => this.#isStopped
      this.#sequence = await appendUntilConfirmed({ log, subject, expected, bytes, isCancelled })
      this.#base = { ...record.base, bytes: record.base.bytes + bytes.length }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Creates the next record: a new base, unless a commit is incomplete, or commits. */
  #takeRecord(): LogRecord {
    const { epoch, writer } = this.end
    const [base, previous] = [this.#base, this.#sequence]
    const head = { epoch, writer, previous }
    if (this.#pendingRebase && !this.#isPartial) {
      const { bytes, ...place } = this.#pendingRebase.base
      const rest = { ...place, bytes: base.bytes - bytes }
      const position = this.#confirmed
      return { ...head, kind: 'snapshot', base: rest, position, commits: [], isContinued: false }
    }
    const taken = takeCommits(this.#queue, this.options.log.maxBytes, this.#confirmed)
    return { ...head, kind: 'changes', base, ...taken }
  }

  /** Notifies callers whose commits are in the log. */
  #notifyConfirmed(): void {
    const { lsn } = this.#confirmed
    const done = this.#waiting.filter(waiting => waiting.lsn <= lsn)
    if (done.length === 0) return
    this.#waiting = this.#waiting.filter(waiting => waiting.lsn > lsn)
    for (const waiting of done) waiting.done()
  }

  /** Notifies callers that the outcome of their commits is unknown, or that their commits are undone. */
  #rejectWaiting(cause: Error): void {
    const failure =
      cause instanceof Refused
        ? new Discarded(cause)
        : new StoreUnavailable('The latest changes cannot be confirmed', cause)
    this.#failure = failure
    const waiting = this.#waiting
    this.#waiting = []
    for (const { done } of waiting) done(failure)
  }
}
