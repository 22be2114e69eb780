/**
 * Reads what commits have changed from the end of an open file's write-ahead log, without a query and without opening
 * the main file: closing a descriptor of that would drop SQLite's locks on it (POSIX). The log is a header of 32 bytes,
 * then frames: a header of 24 bytes and a page each. After everything in it has been checkpointed, the next commit
 * restarts it: with other salts in its header, from the first frame on.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { getLogPath } from '../storage/sqlite/open.js'
import { encodeRuns, type Changes, type PageChange } from './commit.js'

/** How far a log has been read. */
export interface LogProgress {
  /** Identifies this generation of the log. */
  readonly salts: string
  /** Number of frames read. */
  readonly frames: number
}

const headerBytes = 32
const headBytes = 24
/** Frames read at once. */
const chunkFrames = 256
/** A scratch buffer, large enough for every page size. */
const scratch = Buffer.allocUnsafeSlow(65_536)

export class FrameReader {
  #descriptor = -1
  #pageSize = 0
  #salts = ''
  #frames = 0
  #pages = 0
  /** The number of the latest frame of each page, among the frames of this generation that have been read. */
  readonly #latest = new Map<number, number>()
  /** The frames being processed, if they were read from disk together. */
  #chunk: { readonly first: number; readonly bytes: Buffer } | undefined

  /**
   * `lastFrame`: returns the number of the last valid frame. `progress`: how far an earlier reader has read the same
   * log; the caller has processed all of that.
   */
  constructor(
    private readonly file: string,
    private readonly lastFrame: () => number,
    progress?: LogProgress
  ) {
    if (progress) this.#resume(progress)
  }

  /** How far the log has been read. */
  get progress(): LogProgress {
    return { salts: this.#salts, frames: this.#frames }
  }

  /**
   * Returns the changes of the commits since the last call; `undefined` if there were none. Must be called before the
   * log can be restarted. Throws what the file system throws, and if the log does not match what SQLite reports.
   */
  readChanges(): Changes | undefined {
    const last = this.lastFrame()
    if (last <= 0) return undefined
    this.#detectRestart()
    if (last === this.#frames) return undefined
    if (last < this.#frames) throw new Error(`${this.file}: its log has become shorter`)
    const { latest, pages } = this.#scan(this.#frames, last)
    if (pages < this.#pages) this.#shrink(pages)
    const changes: PageChange[] = []
    for (const [page, frame] of latest) {
      // The file was truncated by a later one of these commits.
      if (page > pages) continue
      changes.push(this.#toChange(page, frame))
      this.#latest.set(page, frame)
    }
    this.#frames = last
    this.#pages = pages
    this.#chunk = undefined
    return { pageSize: this.#pageSize, pages, changes }
  }

  /** Closes the descriptor of the log. Idempotent. */
  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
  }

  /** Continues where an earlier reader of the same log stopped, unless the log has been restarted since. */
  #resume({ frames, salts }: LogProgress): void {
    // The log may have been removed, and another one created.
    if (frames === 0 || this.lastFrame() < frames) return
    this.#detectRestart()
    if (this.#salts !== salts) return
    const { latest, pages } = this.#scan(0, frames)
    for (const [page, frame] of latest) if (page <= pages) this.#latest.set(page, frame)
    this.#frames = frames
    this.#pages = pages
    this.#chunk = undefined
  }

  /** Detects that the log was restarted. */
  #detectRestart(): void {
    const header = this.#read(0, scratch.subarray(0, headerBytes))
    const salts = header.toString('latin1', 16, 24)
    if (!this.isRestarted(salts)) return
    this.#pageSize = header.readUInt32BE(8)
    this.#salts = salts
    this.#frames = 0
    this.#latest.clear()
  }

  /** Returns whether the log was restarted since frames were last read. */
  protected isRestarted(salts: string): boolean {
    return salts !== this.#salts
  }

  /** Returns the latest frame of each page in a range of frames, and the number of pages of the file at its end. */
  #scan(from: number, to: number): { latest: Map<number, number>; pages: number } {
    const latest = new Map<number, number>()
    const size = headBytes + this.#pageSize
    let pages = 0
    for (let start = from; start < to; start += chunkFrames) {
      const count = Math.min(chunkFrames, to - start)
      const chunk = this.#read(headerBytes + start * size, Buffer.allocUnsafeSlow(count * size))
      this.#chunk = count === to - from ? { first: start, bytes: chunk } : undefined
      for (let index = 0; index < count; index++) {
        const at = index * size
        if (chunk.toString('latin1', at + 8, at + 16) !== this.#salts)
          throw new Error(`${this.file}: a frame of another log`)
        latest.set(chunk.readUInt32BE(at), start + index)
        pages = chunk.readUInt32BE(at + 4)
      }
    }
    if (pages === 0) throw new Error(`${this.file}: its log does not end with a commit`)
    return { latest, pages }
  }

  #toChange(page: number, frame: number): PageChange {
    const after = this.#findPage(frame) ?? this.#readPage(frame, Buffer.allocUnsafeSlow(this.#pageSize))
    const sum = crc32(after)
    const former = this.#latest.get(page)
    if (former === undefined) return { page, sum, isWhole: true, bytes: after }
    const runs = encodeRuns(this.#readPage(former, scratch.subarray(0, this.#pageSize)), after)
    return runs.length < after.length
      ? { page, sum, isWhole: false, bytes: runs }
      : { page, sum, isWhole: true, bytes: after }
  }

  /** Returns the page of a frame that has just been read. */
  #findPage(frame: number): Buffer | undefined {
    if (!this.#chunk) return undefined
    const { bytes, first } = this.#chunk
    const end = (frame - first + 1) * (headBytes + this.#pageSize)
    return bytes.subarray(end - this.#pageSize, end)
  }

  /** Reads the page of a frame. */
  #readPage(frame: number, into: Buffer): Buffer {
    return this.#read(headerBytes + frame * (headBytes + this.#pageSize) + headBytes, into)
  }

  /** Forgets truncated pages: they will have other content when they are added again. */
  #shrink(pages: number): void {
    for (const page of this.#latest.keys()) if (page > pages) this.#latest.delete(page)
  }

  #read(position: number, into: Buffer): Buffer {
    // The log is opened late: it may not exist yet when its file is opened.
    if (this.#descriptor < 0) this.#descriptor = openSync(getLogPath(this.file), 'r')
    if (readSync(this.#descriptor, into, 0, into.length, position) !== into.length)
      throw new Error(`${this.file}: its log is shorter than SQLite says`)
    return into
  }
}
