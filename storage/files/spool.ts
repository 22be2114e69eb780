/**
 * Buffers a long response for a client: the first and last part in memory, the rest in an unlinked file, which the system
 * frees with its descriptor. However slowly the client reads, the response holds a few hundred kilobytes of memory.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SpoolsFull, translateError } from '../errors.js'
import type { Layout } from './layout.js'

/** Characters kept in memory, and per chunk of the file. */
const chunkSize = 256 * 1024

const readFrom = promisify(read)

/** All spools, with a bound on their total size. */
export class Spools {
  #bytes = 0

  /** `maxBytes`: the total size that all files together may have. */
  constructor(
    private readonly layout: Layout,
    private readonly maxBytes: number
  ) {}

  /** Opens an empty spool, which the caller has to close. */
  open(): Spool {
    return new Spool(this)
  }

  /** Opens an unlinked file, which no other process can open. */
  openFile(): number {
    const { draftsDirectory } = this.layout
    mkdirSync(draftsDirectory, { recursive: true })
    const path = join(draftsDirectory, `spool-${randomUUID()}`)
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  }

  /** Adds bytes to the total; negative to release them. Throws `SpoolsFull`. */
  count(bytes: number): void {
    if (bytes > 0 && this.#bytes + bytes > this.maxBytes) throw new SpoolsFull()
    this.#bytes += bytes
  }
}

interface Chunk {
  readonly characters: number
  readonly bytes: number
}

/** One text that is written, then read once; on disk if it is long. */
export class Spool {
  /** The chunks in the file. */
  readonly #chunks: Chunk[] = []
  #file: number | undefined
  #bytes = 0
  #characters = 0
  /** The text after the last chunk. */
  #tail = ''
  /** Size in characters that {@link undo} goes back to. */
  #mark = 0
  #next = { chunk: 0, byte: 0 }
  #reading: Promise<unknown> | undefined

  constructor(private readonly spools: Spools) {}

  /** Characters added. */
  get size(): number {
    return this.#characters + this.#tail.length
  }

  /** Whether the whole content is one text in memory. */
  get isShort(): boolean {
    return this.#chunks.length === 0
  }

  /** Appends a text. Throws `StorageFull`, `SpoolsFull`. */
  add(text: string): void {
    this.#tail += text
    if (this.#tail.length > chunkSize) this.#spill()
  }

  /** Marks the current end as the point to undo to. Returns the size. */
  mark(): number {
    return (this.#mark = this.size)
  }

  /** Removes what was added since the last {@link mark}. Must not be called once reading has begun. */
  undo(): void {
    const before = this.#bytes
    while (this.#characters > this.#mark) {
      const { bytes, characters } = this.#chunks.pop()!
      this.#bytes -= bytes
      this.#characters -= characters
      this.#tail = ''
    }
    this.#tail = this.#tail.slice(0, this.#mark - this.#characters)
    this.spools.count(this.#bytes - before)
    if (this.#file !== undefined) ftruncateSync(this.#file, this.#bytes)
  }

  /** Reads the next part; empty at the end. */
  async next(): Promise<string> {
    const chunk = this.#chunks[this.#next.chunk]
    if (chunk && this.#file !== undefined) {
      const reading = readFrom(
        this.#file,
        Buffer.allocUnsafeSlow(chunk.bytes),
        0,
        chunk.bytes,
        this.#next.byte
      )
      this.#reading = reading
      const { buffer } = await reading
      this.#next = { chunk: this.#next.chunk + 1, byte: this.#next.byte + chunk.bytes }
      return buffer.toString()
    }
    const text = this.#tail
    this.#tail = ''
    return text
  }

  /** Discards what is left, and closes the file. */
  close(): void {
    const file = this.#file
    this.#file = undefined
    this.#tail = ''
    this.#chunks.length = 0
    this.spools.count(-this.#bytes)
    this.#bytes = 0
    if (file === undefined) return
    // The file is not closed during a read: the system may reuse the descriptor for another file as soon as it is closed.
    if (this.#reading) void this.#reading.catch(() => undefined).then(() => closeSync(file))
    else closeSync(file)
  }

  /** Writes the text that is still in memory to the file. */
  #spill(): void {
    const held = this.#mark - this.#characters
    const parts =
      held > 0 && held < this.#tail.length
        ? [this.#tail.slice(0, held), this.#tail.slice(held)]
        : [this.#tail]
    for (const text of parts.flatMap(splitIntoPieces)) this.#write(text)
    this.#tail = ''
  }

  /** Appends a text to the spool's file, which is created first if need be. Throws if the disk or the spools are full. */
  #write(text: string): void {
    const bytes = Buffer.from(text)
    this.spools.count(bytes.length)
    try {
      this.#file ??= this.spools.openFile()
      for (let at = 0; at < bytes.length;)
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#bytes + at)
    } catch (error) {
      this.spools.count(-bytes.length)
      throw translateError(error)
    }
    this.#chunks.push({ characters: text.length, bytes: bytes.length })
    this.#bytes += bytes.length
    this.#characters += text.length
  }
}

/** Splits a text into chunks without splitting a surrogate pair. */
function splitIntoPieces(text: string): string[] {
  const chunks: string[] = []
  for (let start = 0; start < text.length;) {
    let end = start + chunkSize
    // A high surrogate is the first half of a pair.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
    chunks.push(text.slice(start, end))
    start = end
  }
  return chunks
}
