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

/** Which columns of rows are read. */
export class Wanted {
  /** Where the values of each column go, by its index. */
  readonly places: readonly (readonly number[] | undefined)[]

  /** `indexes` are those of the columns, negative for such as rows do not have. */
  constructor(readonly indexes: readonly number[]) {
    const places: number[][] = []
    for (const [at, index] of indexes.entries()) if (index >= 0) (places[index] ??= []).push(at)
    this.places = places
  }
}

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

/** What a cell of a page holds: `held` bytes of `size` from `base` on, and the rest on further pages. */
export class Payload {
  constructor(
    private readonly pages: Pages,
    private bytes: Buffer,
    private base: number,
    private held: number,
    private readonly size: number,
    private next: number
  ) {}

  /** Reads the wanted values; those beyond the end of a row are `missing` by their index. Throws {@link Damaged}. */
  read({ indexes, places }: Wanted, missing: (index: number) => Cell): Cell[] {
    const headerSize = new Cursor(this.bytes, this.base).size()
    if (headerSize > longestHeader || headerSize > this.size) throw new Damaged()
    this.#hold(headerSize)
    const header = new Cursor(this.bytes, this.base)
    const end = this.base + headerSize
    header.size()
    const cells: Cell[] = indexes.map(missing)
    let start = headerSize
    for (let index = 0; index < places.length && header.at < end; index++) {
      const type = header.size()
      const length = sizeOf(type)
      for (const at of places[index] ?? []) cells[at] = this.#value(type, start, length)
      start += length
    }
    return cells
  }

  #value(type: number, start: number, length: number): Cell {
    if (type === 0) return null
    if (type === 8 || type === 9) return type - 8
    const isText = type >= 13 && type % 2 === 1
    const end = start + length
    if (end > this.size) throw new Damaged()
    if ((type >= 12 && !isText) || length > longestText || end > mostBytes) return undefined
    this.#hold(end)
    const at = this.base + start
    if (isText) return textOf(this.bytes.subarray(at, at + length), this.pages.encoding)
    if (type === 7) {
      const value = this.bytes.readDoubleBE(at)
      return Number.isNaN(value) ? null : value
    }
    return type === 6 ? exact(this.bytes.readBigInt64BE(at)) : this.bytes.readIntBE(at, length)
  }

  /** Has the bytes up to a place, with those of further pages as far as they are needed. */
  #hold(end: number): void {
    if (this.held >= end) return
    const parts = [this.bytes.subarray(this.base, this.base + this.held)]
    while (this.held < end) {
      const page = this.pages.take(this.next)
      this.next = page.readUInt32BE(0)
      const part = page.subarray(4, this.pages.usable)
      parts.push(part)
      this.held += part.length
    }
    this.bytes = Buffer.concat(parts)
    this.base = 0
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
