/**
 * The commits of one account on their way into its log. It outlives the handles of the file. One record is under way at a time;
 * what is committed meanwhile goes with the next.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../storage/errors.js'
import type { OnDurable } from '../storage/wal/durability.js'
import type { Position } from '../storage/wal/position.js'
import type { Commit, PageChange } from './commit.js'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import type { Taken } from './frames.js'
import { bytesOf, encode, maxBodyBytes, type Base, type LogRecord } from './records.js'

/** Where a log ends, and who writes it from there on. */
export interface LogEnd {
  /** Sequence of the last record; 0 if there is none. */
  readonly sequence: number
  /** The last complete commit in the log; lsn 0 if there is none. */
  readonly position: Position
  /** Epoch of this process. */
  readonly epoch: number
  /** What the log builds on, with the bytes of all its records. */
  readonly base: Base
  /** Tells this process from others. */
  readonly writer: number
}

export interface OutboxOptions {
  readonly log: Log
  readonly subject: string
  /** Time after which whoever waits for a record is told that it cannot be confirmed, in milliseconds. */
  readonly giveUpMs: number
  /** Called when another process writes to the log, or its engine fails in a way that is not foreseen. */
  onEnd(error: Error): void
}

interface Waiting {
  readonly lsn: number
  readonly done: OnDurable
}

/** First and longest time between two questions, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [20, 500]
/** What a head and a commit take besides their changes, in bytes: more than enough. */
const overheadBytes = 4096

export class Outbox {
  /** How far the log of the file has been taken, by the handle that was closed last. */
  taken: Taken | undefined
  /** Number of handles of the file that are open. */
  #handles = 0
  #sequence: number
  #base: Base
  /** The last commit that has been taken from the file. */
  #position: Position
  /** The last one that is in the log. */
  #confirmed: Position
  readonly #queue: Commit[] = []
  #waiting: Waiting[] = []
  #isRunning = false
  /** Why nothing is said to be durable at present. Writes are refused meanwhile. */
  #trouble: StoreUnavailable | undefined
  #isOver = false

  constructor(
    private readonly end: LogEnd,
    private readonly options: OutboxOptions
  ) {
    this.#sequence = end.sequence
    this.#base = end.base
    this.#position = end.position
    this.#confirmed = end.position
  }

  /** The last commit that has been taken from the file. */
  get position(): Position {
    return this.#position
  }

  /** The position of the next commit. */
  get next(): Position {
    return { lsn: this.#position.lsn + 1, epoch: this.end.epoch }
  }

  /** Whether this process no longer writes to the log. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the file is open, or something is under way. */
  get isInUse(): boolean {
    return this.#handles > 0 || this.#isRunning || this.#trouble !== undefined
  }

  /** To be called when the file has been opened. */
  opened(): void {
    this.#handles++
  }

  /** To be called when the file has been closed. `taken`: how far its log has been taken. */
  closed(taken: Taken): void {
    this.#handles--
    this.taken = taken
  }

  /** Whether something is under way whose end is still waited for. */
  get isBusy(): boolean {
    return !this.#trouble && this.#confirmed.lsn < this.#position.lsn
  }

  /** Throws `StoreUnavailable` while it is not known what has become of earlier commits. */
  mustBeOpen(): void {
    if (this.#trouble) throw this.#trouble
  }

  /** Takes a commit, at the position {@link next}. */
  add(commit: Commit): void {
    this.#position = { lsn: commit.lsn, epoch: commit.epoch }
    if (this.#isOver) return
    this.#queue.push(commit)
    if (!this.#isRunning) void this.#run()
  }

  /** Calls back, later, when all commits so far are in the log. */
  whenConfirmed(done: OnDurable): void {
    const { lsn } = this.#position
    if (this.#trouble || this.#confirmed.lsn >= lsn) queueMicrotask(() => done(this.#trouble))
    else this.#waiting.push({ lsn, done })
  }

  /** Resolves when all commits so far are in the log; `undefined` if they are. Rejects with `StoreUnavailable`. */
  confirmed(): Promise<void> | undefined {
    if (!this.#trouble && this.#confirmed.lsn >= this.#position.lsn) return undefined
    return new Promise((resolve, reject) =>
      this.whenConfirmed(failure => (failure ? reject(failure) : resolve()))
    )
  }

  /** Ends it because its file is of no use any more, and says so. */
  fail(error: Error): void {
    if (this.#isOver) return
    this.stop(error)
    this.options.onEnd(error)
  }

  /** Ends it: nothing is appended any more. */
  stop(error: Error): void {
    this.#isOver = true
    this.#queue.length = 0
    this.#fail(error)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#queue.length > 0) {
        const record = this.#takeRecord()
        await this.#ship(record)
        // It was ended meanwhile, and everybody told.
        if (this.#isOver) break
        this.#confirmed = record.position
        this.#trouble = undefined
        this.#tell()
      }
    } catch (error) {
      this.fail(error as Error)
    }
    this.#isRunning = false
  }

  async #ship(record: LogRecord): Promise<void> {
    const { giveUpMs } = this.options
    const timer = setTimeout(() => this.#fail(new EngineUnavailable()), giveUpMs)
    try {
      const bytes = await encode(record)
      this.#sequence = await this.#append(bytes)
      this.#base = { ...record.base, bytes: record.base.bytes + bytes.length }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Appends a record, as often as it takes. Returns its sequence. Rejects with `Conflict` if another process writes. */
  async #append(bytes: Buffer): Promise<number> {
    const { log, subject } = this.options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await log.append(subject, this.#sequence, bytes)
      } catch (error) {
        if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
      }
      const sequence = await this.#fate(bytes)
      if (sequence !== undefined) return sequence
      await this.#pause(pauseMs)
    }
  }

  /** The sequence of a record that may have arrived; `undefined` if it has not. */
  async #fate(bytes: Buffer): Promise<number | undefined> {
    const { log, subject } = this.options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        const last = await log.last(subject)
        if (last && bytes.equals(last.bytes)) return last.sequence
        if ((last?.sequence ?? 0) === this.#sequence) return undefined
        throw new Conflict(subject)
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error
      }
      await this.#pause(pauseMs)
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { ref: false })
    if (this.#isOver) throw new EngineUnavailable()
  }

  /** The next record: as many commits as fit, or part of one that is longer. */
  #takeRecord(): LogRecord {
    const room = Math.min(maxBodyBytes, this.options.log.maxBytes) - overheadBytes
    const commits: Commit[] = []
    let position = this.#confirmed
    let size = 0
    for (;;) {
      const commit = this.#queue[0]
      if (!commit) break
      const { fitting, length } = fit(commit.changes, room - size)
      if (fitting < commit.changes.length) {
        // Only a commit that stands alone is divided.
        if (commits.length > 0) break
        this.#queue[0] = { ...commit, changes: commit.changes.slice(fitting) }
        commits.push({ ...commit, changes: commit.changes.slice(0, fitting) })
        return this.#record(commits, position, true)
      }
      this.#queue.shift()
      commits.push(commit)
      position = { lsn: commit.lsn, epoch: commit.epoch }
      size += length + overheadBytes / 64
    }
    return this.#record(commits, position, false)
  }

  #record(commits: readonly Commit[], position: Position, goesOn: boolean): LogRecord {
    const { epoch, writer } = this.end
    const [base, previous] = [this.#base, this.#sequence]
    return { kind: 'changes', epoch, position, previous, base, writer, commits, goesOn }
  }

  /** Tells those whose commits are in the log. */
  #tell(): void {
    const { lsn } = this.#confirmed
    const done = this.#waiting.filter(waiting => waiting.lsn <= lsn)
    if (done.length === 0) return
    this.#waiting = this.#waiting.filter(waiting => waiting.lsn > lsn)
    for (const waiting of done) waiting.done()
  }

  /** Tells everybody that nobody knows what has become of their commits. */
  #fail(cause: Error): void {
    const trouble = new StoreUnavailable('What was written last cannot be confirmed', cause)
    this.#trouble = trouble
    const waiting = this.#waiting
    this.#waiting = []
    for (const { done } of waiting) done(trouble)
  }
}

/** How many changes fit, one at least, and their length. */
function fit(changes: readonly PageChange[], room: number): { fitting: number; length: number } {
  let length = 0
  let fitting = 0
  for (const change of changes) {
    if (fitting > 0 && length + bytesOf(change) > room) break
    length += bytesOf(change)
    fitting++
  }
  return { fitting, length }
}
