/**
 * Reads the pages of a file that may be in use, as they are after one commit, in chunks, whatever is committed
 * in the meantime. SQLite offers them only all at once, or as a file with a different header; here they come from the main
 * file and from the frames of its write-ahead log. A read transaction keeps both unchanged: checkpoints write only
 * pages that have a frame, which is read instead, and a log is restarted only when all of it is in the main file.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { lastFrame, getLogPath, openUnchecked } from '../sqlite/open.js'
import { readPosition, type Position } from './position.js'

const headerBytes = 32
const headBytes = 24
/** Number of frame headers read at once. */
const chunkFrames = 256
/** Maximum number of consecutive pages read from the log only. */
const maxPagesPerRead = 64
/** Maximum number of attempts to begin a transaction between two commits. */
const maxAttempts = 10_000

/** The state of the log within a transaction. */
interface LogSnapshot {
  readonly position: Position | undefined
  readonly pageSize: number
  readonly pages: number
  /** Number of the last frame that belongs to the transaction. */
  readonly frames: number
  /** Identifies this generation of the log. */
  readonly salts: string
}

export class OpenPages {
  readonly #reader: Database
  readonly #snapshot: LogSnapshot
  readonly #log: number
  /** The latest frame of each page. */
  readonly #latest: Map<number, number>

  /** Begins a read transaction. Throws what SQLite and the file system throw. */
  constructor(private readonly file: string) {
    this.#reader = openUnchecked(file, true)
    try {
      this.#snapshot = this.#beginRead()
      this.#log = this.#snapshot.frames > 0 ? openSync(getLogPath(file), 'r') : -1
      this.#latest = this.#scanFrames()
    } catch (error) {
      this.#reader.close()
      throw error
    }
  }

  /** The file's position in the log of its account's changes. */
  get position(): Position | undefined {
    return this.#snapshot.position
  }

  /** Total size of all pages, in bytes. */
  get bytes(): number {
    return this.#snapshot.pages * this.#snapshot.pageSize
  }

  /** Yields all pages in order. Rejects if the file is shorter than its header says. */
  async *readChunks(): AsyncGenerator<Buffer, void, undefined> {
    const { pageSize, pages } = this.#snapshot
    // Another process reads the file: closing a descriptor of it in this process would drop SQLite's locks on it (POSIX).
    const reading = spawn('cat', ['--', this.file], { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = once(reading, 'close') as Promise<[code: number | null]>
    // If it cannot be started, the loop below throws.
    ended.catch(() => undefined)
    let page = 1
    try {
      let rest: Buffer = Buffer.alloc(0)
      for await (const chunk of reading.stdout) {
        rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
        const count = Math.min(Math.floor(rest.length / pageSize), pages - page + 1)
        if (count > 0) yield this.#applyFrames(rest.subarray(0, count * pageSize), page, false)
        page += count
        rest = rest.subarray(count * pageSize)
        if (page > pages) rest = Buffer.alloc(0)
      }
      const [code] = await ended
      if (code !== 0) throw new Error(`${this.file} cannot be read`)
    } finally {
      reading.kill()
    }
    while (page <= pages) {
      const count = Math.min(maxPagesPerRead, pages - page + 1)
      yield this.#applyFrames(Buffer.alloc(count * pageSize), page, true)
      page += count
    }
  }

  /** Ends the transaction. */
  close(): void {
    if (this.#log >= 0) closeSync(this.#log)
    this.#reader.close()
  }

  /** Begins the transaction, and determines which frames belong to it. */
  #beginRead(): LogSnapshot {
    const [file, reader] = [this.file, this.#reader]
    // Writes nothing. Only a connection that could write, and is in no transaction, reports the length of the log.
    const writer = openUnchecked(file, false)
    try {
      for (const db of [reader, writer]) readPosition(db)
      for (let attempts = maxAttempts; attempts > 0; attempts--) {
        const before = readLogState(writer, file)
        reader.exec('BEGIN')
        const position = readPosition(reader)
        const [pageSize, pages] = [readPragma(reader, 'page_size'), readPragma(reader, 'page_count')]
        const after = readLogState(writer, file)
        // Without a commit in between, the transaction reads the state that was measured.
        if (before.frames === after.frames && before.salts === after.salts)
          return { position, pageSize, pages, ...after }
        reader.exec('COMMIT')
      }
    } finally {
      // The writer is closed before the read-only connection: SQLite checkpoints when the last writable connection closes.
      writer.close()
    }
    throw new Error(`${file} is never at rest`)
  }

  #scanFrames(): Map<number, number> {
    const { frames, pageSize, salts } = this.#snapshot
    const latest = new Map<number, number>()
    const size = headBytes + pageSize
    for (let start = 0; start < frames; start += chunkFrames) {
      const count = Math.min(chunkFrames, frames - start)
      const chunk = this.#read(headerBytes + start * size, count * size)
      for (let index = 0; index < count; index++) latest.set(chunk.readUInt32BE(index * size), start + index)
    }
    // If the log was restarted in the meantime, none of these frames are valid.
    return frames > 0 && readSalts(this.#read(0, headerBytes)) !== salts ? new Map() : latest
  }

  /** Returns pages as they are after the commit. `isBeyond`: whether the main file does not contain them. */
  #applyFrames(main: Buffer, first: number, isBeyond: boolean): Buffer {
    const { pageSize, salts } = this.#snapshot
    const count = main.length / pageSize
    const found: [at: number, bytes: Buffer][] = []
    for (let index = 0; index < count; index++) {
      const frame = this.#latest.get(first + index)
      if (frame === undefined && isBeyond) throw new Error(`${this.file}: page ${first + index} is missing`)
      if (frame === undefined) continue
      const at = headerBytes + frame * (headBytes + pageSize) + headBytes
      found.push([index * pageSize, this.#read(at, pageSize)])
    }
    if (found.length === 0) return main
    // The log was restarted, so all of it is in the main file.
    if (readSalts(this.#read(0, headerBytes)) !== salts) {
      this.#latest.clear()
      return this.#applyFrames(main, first, isBeyond)
    }
    for (const [at, bytes] of found) bytes.copy(main, at)
    return main
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    if (readSync(this.#log, bytes, 0, length, position) !== length)
      throw new Error(`${this.file}: its log is shorter than SQLite says`)
    return bytes
  }
}

/**
 * Returns the number of frames in the log and the salts of its generation, read at the same moment; 0 frames if it is
 * empty.
 */
function readLogState(db: Database, file: string): Pick<LogSnapshot, 'frames' | 'salts'> {
  const header = Buffer.alloc(headerBytes)
  for (let frames = lastFrame(db); frames > 0;) {
    const log = openSync(getLogPath(file), 'r')
    try {
      readSync(log, header, 0, headerBytes, 0)
    } finally {
      closeSync(log)
    }
    // The log may have been restarted in between: the salts would then belong to the next generation.
    const again = lastFrame(db)
    if (again === frames) return { frames, salts: readSalts(header) }
    frames = again
  }
  return { frames: 0, salts: '' }
}

/** Returns the salts that identify a generation of a log. */
function readSalts(header: Buffer): string {
  return header.toString('latin1', 16, 24)
}

function readPragma(db: Database, pragma: string): number {
  return db.pragma(pragma, { simple: true }) as number
}
