/** A copy of an account's file, to which the records of its log are applied in place. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync
} from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Position } from '../storage/wal/position.js'
import { applyRuns, type Changes, type Commit, type PageChange } from './commit.js'
import type { Entry } from './engine.js'
import { decode, type LogRecord } from './records.js'

/** A record does not match the copy: it follows another record, or changes a page that differs here. */
export class RecordMismatch extends Error {
  constructor(reason: string) {
    super(`A record of the log does not fit to the copy: ${reason}`)
    this.name = 'RecordMismatch'
  }
}

/** The position of a copy in its log. */
export interface CopyPosition extends Position {
  /**
   * Sequence of the last record that was applied. A new copy may already contain commits of later records, up to its
   * position.
   */
  readonly sequence: number
}

/** Before the first record. */
const initialPosition: CopyPosition = { lsn: 0, epoch: 0, sequence: 0 }

export class FileCopy {
  readonly #descriptor: number
  #position: CopyPosition
  /** The initial position. */
  readonly #initial: Position
  /** The part of a long commit received so far. */
  #part: Commit | undefined

  /** Opens a copy that is at `place`, or creates a copy. */
  constructor(file: string, place = initialPosition) {
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
    this.#position = place
    this.#initial = place
  }

  /** The position after the last record that was applied. */
  get position(): CopyPosition {
    return this.#position
  }

  /**
   * Applies a record, or keeps it if its last commit continues in the next one. Applying it again after an interruption
   * is safe. Throws `RecordMismatch` or what `decode` throws, with nothing changed.
   */
  apply({ bytes, sequence }: Pick<Entry, 'bytes' | 'sequence'>): void {
    const record = decode(bytes)
    if (record.previous !== this.#position.sequence)
      throw new RecordMismatch(`it follows record ${record.previous}, not ${this.#position.sequence}`)
    const { commits, part } = this.#complete(record)
    this.#write(commits)
    this.#part = part
    const { epoch, lsn } = record.position.lsn < this.#initial.lsn ? this.#initial : record.position
    this.#position = { lsn, epoch, sequence }
  }

  /** Syncs the copy, and closes it. */
  close(): void {
    fsyncSync(this.#descriptor)
    closeSync(this.#descriptor)
  }

  /** Closes a copy that is no longer used, without syncing it. */
  discard(): void {
    closeSync(this.#descriptor)
  }

  /** Returns the commits that a record completes, and the part of a commit that the next record continues. */
  #complete({ commits, isContinued, kind, position }: LogRecord): {
    commits: Commit[]
    part: Commit | undefined
  } {
    // A process that took over never receives the rest of what the previous process was writing.
    const whole: Commit[] = []
    let part = kind === 'takeover' ? undefined : this.#part
    let { epoch, lsn }: Position = this.#position
    for (const [index, commit] of commits.entries()) {
      const isPart = isContinued && index === commits.length - 1
      if (commit.lsn <= this.#initial.lsn) {
        if (commit.lsn === this.#initial.lsn && commit.epoch !== this.#initial.epoch && !isPart)
          throw new RecordMismatch(`commit ${commit.lsn} is another`)
        continue
      }
      if (part && part.lsn !== commit.lsn) throw new RecordMismatch('the rest of a commit is missing')
      if (commit.lsn !== lsn + 1 || commit.epoch < epoch)
        throw new RecordMismatch(`it holds commit ${commit.lsn}, not ${lsn + 1}`)
      const merged: Commit = part ? { ...commit, changes: [...part.changes, ...commit.changes] } : commit
      part = undefined
      if (isPart) part = merged
      else {
        whole.push(merged)
        ;({ epoch, lsn } = commit)
      }
    }
    if (position.lsn >= this.#initial.lsn && (lsn !== position.lsn || epoch !== position.epoch))
      throw new RecordMismatch(`it says that commit ${position.lsn} is the last one, not ${lsn}`)
    return { commits: whole, part }
  }

  /** Writes the pages as they are after the last of the commits, once all of them have been verified. */
  #write(commits: readonly Commit[]): void {
    const last = commits.at(-1)
    if (!last) return
    const pages = new Map<number, Buffer>()
    const done = this.#findApplied(commits)
    for (const { changes, pageSize } of commits)
      for (const change of changes)
        if (!done.has(change.page))
          pages.set(change.page, this.#applyChange(change, pageSize, pages.get(change.page)))
    for (const [page, bytes] of pages)
      if (page <= last.pages) writeSync(this.#descriptor, bytes, 0, last.pageSize, (page - 1) * last.pageSize)
    ftruncateSync(this.#descriptor, last.pages * last.pageSize)
  }

  /** Returns the pages that already have their final content: applying the same record was interrupted. */
  #findApplied(commits: readonly Commit[]): Set<number> {
    const sums = new Map<number, number>()
    for (const { changes } of commits) for (const { page, sum } of changes) sums.set(page, sum)
    const { pageSize } = commits[0] as Changes
    const isApplied = ([page, sum]: [number, number]): boolean => {
      const bytes = this.#read(page, pageSize)
      return bytes !== undefined && crc32(bytes) === sum
    }
    return new Set(
      Array.from(sums)
        .filter(isApplied)
        .map(([page]) => page)
    )
  }

  #applyChange({ bytes, isWhole, page, sum }: PageChange, pageSize: number, before?: Buffer): Buffer {
    const after = isWhole ? bytes : (before ?? this.#read(page, pageSize))
    if (!after) throw new RecordMismatch(`there is no page ${page}`)
    if (!isWhole) applyRuns(after, bytes)
    if (crc32(after) !== sum) throw new RecordMismatch(`page ${page} is another`)
    return isWhole ? Buffer.from(after) : after
  }

  /** Reads a page of the file; `undefined` beyond its end. */
  #read(page: number, pageSize: number): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(pageSize)
    const end = page * pageSize
    if (end > fstatSync(this.#descriptor).size) return undefined
    return readSync(this.#descriptor, bytes, 0, pageSize, end - pageSize) === pageSize ? bytes : undefined
  }
}
