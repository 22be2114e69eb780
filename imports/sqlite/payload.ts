/** The values of a row of an SQLite database. (https://www.sqlite.org/fileformat2.html#record_format) */
import { Damaged, type Pages } from './pages.js'

/**
 * A value: `bigint` for integers beyond those that a number holds exactly, `undefined` for bytes, texts of more than 200,000
 * bytes, and columns that are not there.
 */
export type Cell = number | bigint | string | null | undefined

/** Bytes of the values of a row, from its beginning, that are looked at; of one text; and of what tells their types. */
const mostBytes = 1024 * 1024
const longestText = 200_000
const longestHeader = 64 * 1024
/** Bytes of integers, by their type. */
const integerSizes = [0, 1, 2, 3, 4, 6, 8]

/** Reads numbers of variable length. */
export class Cursor {
  constructor(
    private readonly bytes: Buffer,
    public at: number
  ) {}

  /** Reads an integer of up to 64 bits. */
  integer(): number | bigint {
    let value = 0
    for (let length = 1; length <= 7; length++) {
      const byte = this.#next()
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
    let large = BigInt(value)
    const eighth = this.#next()
    large = large * 128n + BigInt(eighth & 127)
    if (eighth > 127) large = large * 256n + BigInt(this.#next())
    return exact(BigInt.asIntN(64, large))
  }

  /** Reads a length or a type. */
  size(): number {
    const value = Number(this.integer())
    if (value < 0) throw new Damaged()
    return value
  }

  #next(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new Damaged()
    return byte
  }
}

/** What a cell of a page holds: `local` bytes of `size`, and the rest on further pages. */
export class Payload {
  readonly #parts: Buffer[]
  #held: number

  constructor(
    private readonly pages: Pages,
    local: Buffer,
    private readonly size: number,
    private next: number
  ) {
    this.#parts = [local]
    this.#held = local.length
  }

  /** Reads the values with these indexes; those beyond the end of a row are `missing` by their index. Throws {@link Damaged}. */
  read(wanted: readonly number[], missing: (index: number) => Cell): Cell[] {
    const first = new Cursor(this.#first(9), 0)
    const headerSize = first.size()
    if (headerSize > longestHeader || headerSize > this.size) throw new Damaged()
    const header = new Cursor(this.#first(headerSize), first.at)
    const last = Math.max(...wanted)
    const spans: { type: number; start: number; end: number }[] = []
    let start = headerSize
    while (header.at < headerSize && spans.length <= last) {
      const type = header.size()
      const end = start + sizeOf(type)
      spans.push({ type, start, end })
      start = end
    }
    return wanted.map(index => {
      const span = spans[index]
      return span ? this.#value(span) : missing(index)
    })
  }

  #value({ end, start, type }: { type: number; start: number; end: number }): Cell {
    if (type === 0) return null
    if (type === 8 || type === 9) return type - 8
    const isText = type >= 13 && type % 2 === 1
    if (end > this.size) throw new Damaged()
    if ((type >= 12 && !isText) || end - start > longestText || end > mostBytes) return undefined
    const bytes = this.#first(end).subarray(start, end)
    if (isText) return textOf(bytes, this.pages.encoding)
    if (type === 7) {
      const value = bytes.readDoubleBE(0)
      return Number.isNaN(value) ? null : value
    }
    return type === 6 ? exact(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length)
  }

  /** The bytes up to a place, with those of further pages as far as they are needed. */
  #first(end: number): Buffer {
    const wanted = Math.min(end, this.size)
    while (this.#held < wanted) {
      const page = this.pages.take(this.next)
      this.next = page.readUInt32BE(0)
      const part = page.subarray(4, this.pages.usable)
      this.#parts.push(part)
      this.#held += part.length
    }
    if (this.#parts.length > 1) this.#parts.splice(0, this.#parts.length, Buffer.concat(this.#parts))
    return this.#parts[0]!.subarray(0, wanted)
  }
}

/** Bytes of a value, by its type. */
function sizeOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  if (type >= 10) throw new Damaged()
  return type === 7 ? 8 : (integerSizes[type] ?? 0)
}

function textOf(bytes: Buffer, encoding: Pages['encoding']): string {
  return encoding === 'utf8' ? bytes.toString() : new TextDecoder(encoding).decode(bytes)
}

/** A number where it holds the integer exactly. */
export function exact(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
