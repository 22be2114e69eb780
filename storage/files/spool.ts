/**
 * Texts that wait to be taken by a client: a few of them in memory, most in a file without a name, which goes with its
 * descriptor. However slowly a client reads what is long, it costs memory of some hundred kilobytes.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SpoolsFull, translated } from '../errors.js'
import type { Layout } from './layout.js'

/** Characters that stay in memory, and those that are read back at once. */
const pieceSize = 256 * 1024

const readFrom = promisify(read)

/** All that waits, bounded together. */
export class Spools {
  #bytes = 0

  /** `most`: bytes that files may hold, all together. */
  constructor(
    private readonly layout: Layout,
    private readonly most: number
  ) {}

  /** A spool with nothing in it. Whoever has it closes it. */
  open(): Spool {
    return new Spool(this)
  }

  /** Opens a file that nobody else can open. */
  openFile(): number {
    const { draftsDirectory } = this.layout
    mkdirSync(draftsDirectory, { recursive: true })
    const path = join(draftsDirectory, `spool-${randomUUID()}`)
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  }

  /** Counts bytes, taken or given back. Raises `SpoolsFull`. */
  count(bytes: number): void {
    if (bytes > 0 && this.#bytes + bytes > this.most) throw new SpoolsFull()
    this.#bytes += bytes
  }
}

interface Piece {
  readonly characters: number
  readonly bytes: number
}

export class Spool {
  /** What the file holds. */
  readonly #pieces: Piece[] = []
  #file: number | undefined
  #bytes = 0
  #characters = 0
  /** What comes after that. */
  #tail = ''
  /** Where the last text began that may be taken back. */
  #mark = 0
  #next = { piece: 0, byte: 0 }
  #reading: Promise<unknown> | undefined

  constructor(private readonly spools: Spools) {}

  /** Characters added. */
  get size(): number {
    return this.#characters + this.#tail.length
  }

  /** Whether all of it is one text in memory. */
  get isShort(): boolean {
    return this.#pieces.length === 0
  }

  /** Adds a text. Raises `StorageFull`, `SpoolsFull`. */
  add(text: string): void {
    this.#tail += text
    if (this.#tail.length > pieceSize) this.#putAside()
  }

  /** Notes that all up to here stays; answers its size. */
  mark(): number {
    return (this.#mark = this.size)
  }

  /** Takes back what has been added since the last {@link mark}, as long as nothing has been taken out. */
  undo(): void {
    const before = this.#bytes
    while (this.#characters > this.#mark) {
      const { bytes, characters } = this.#pieces.pop()!
      this.#bytes -= bytes
      this.#characters -= characters
      this.#tail = ''
    }
    this.#tail = this.#tail.slice(0, this.#mark - this.#characters)
    this.spools.count(this.#bytes - before)
    if (this.#file !== undefined) ftruncateSync(this.#file, this.#bytes)
  }

  /** The next text; empty at the end. */
  async next(): Promise<string> {
    const piece = this.#pieces[this.#next.piece]
    if (piece && this.#file !== undefined) {
      const reading = readFrom(
        this.#file,
        Buffer.allocUnsafeSlow(piece.bytes),
        0,
        piece.bytes,
        this.#next.byte
      )
      this.#reading = reading
      const { buffer } = await reading
      this.#next = { piece: this.#next.piece + 1, byte: this.#next.byte + piece.bytes }
      return buffer.toString()
    }
    const text = this.#tail
    this.#tail = ''
    return text
  }

  /** Drops what is left. */
  close(): void {
    const file = this.#file
    this.#file = undefined
    this.#tail = ''
    this.#pieces.length = 0
    this.spools.count(-this.#bytes)
    this.#bytes = 0
    if (file === undefined) return
    // Its number may be given to another file as soon as it is closed.
    if (this.#reading) void this.#reading.catch(() => undefined).then(() => closeSync(file))
    else closeSync(file)
  }

  #putAside(): void {
    const held = this.#mark - this.#characters
    const parts =
      held > 0 && held < this.#tail.length
        ? [this.#tail.slice(0, held), this.#tail.slice(held)]
        : [this.#tail]
    for (const text of parts.flatMap(piecesOf)) this.#write(text)
    this.#tail = ''
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    this.spools.count(bytes.length)
    try {
      this.#file ??= this.spools.openFile()
      for (let at = 0; at < bytes.length;)
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#bytes + at)
    } catch (error) {
      this.spools.count(-bytes.length)
      throw translated(error)
    }
    this.#pieces.push({ characters: text.length, bytes: bytes.length })
    this.#bytes += bytes.length
    this.#characters += text.length
  }
}

/** A text in pieces of whole characters. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    let end = start + pieceSize
    // A high surrogate is the first half of a character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
