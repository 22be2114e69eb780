/** Decodes the values of a row of an SQLite database. (https://www.sqlite.org/fileformat2.html#record_format) */
import { DamagedDatabase, type DatabasePages } from './database-pages.js'

/**
 * A value: `bigint` for integers that a number cannot represent exactly, `undefined` for blobs, texts of more than 200,000 bytes,
 * and missing columns.
 */
export type Cell = number | bigint | string | null | undefined

/** Limits in bytes: of the part of a row that is read, of a text, and of the header with the types. */
const maxRowBytes = 1024 * 1024
const maxTextBytes = 200_000
const maxHeaderBytes = 64 * 1024
/** Sizes of integers in bytes, by type. */
const integerSizes = [0, 1, 2, 3, 4, 6, 8]

/** The columns of rows that are read. */
export class ColumnSelection {
  /** Positions in the result of each column's value, by column index. */
  readonly targets: readonly (readonly number[] | undefined)[]

  /** `indexes` are the indexes of the columns, negative for missing columns. */
  constructor(readonly indexes: readonly number[]) {
    const targets: number[][] = []
    for (const [at, index] of indexes.entries()) if (index >= 0) (targets[index] ??= []).push(at)
    this.targets = targets
  }
}

/** Reads variable-length integers. */
export class VarintReader {
  constructor(
    private readonly bytes: Buffer,
    public offset: number
  ) {}

  /** Reads an integer of up to 64 bits. Throws {@link DamagedDatabase} at the end of the bytes. */
  readInteger(): number | bigint {
    let value = 0
    for (let length = 1; length <= 7; length++) {
      const byte = this.#readByte()
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
    let large = BigInt(value)
    const eighth = this.#readByte()
    large = large * 128n + BigInt(eighth & 127)
    if (eighth > 127) large = large * 256n + BigInt(this.#readByte())
    return toExactNumber(BigInt.asIntN(64, large))
  }

  /** Reads a length or a type. Throws {@link DamagedDatabase} if it is negative. */
  readSize(): number {
    const value = Number(this.readInteger())
    if (value < 0) throw new DamagedDatabase()
    return value
  }

  #readByte(): number {
    const byte = this.bytes[this.offset++]
    if (byte === undefined) throw new DamagedDatabase()
    return byte
  }
}

/** The payload of a cell: `loadedSize` of its `size` bytes are in `bytes` from `start` on, the rest on overflow pages. */
export class Payload {
  constructor(
    private readonly pages: DatabasePages,
    private bytes: Buffer,
    private start: number,
    private loadedSize: number,
    private readonly size: number,
    private nextPage: number
  ) {}

  /** Reads the selected values. Values beyond the end of a row are `missing` by their index. Throws {@link DamagedDatabase}. */
  read({ indexes, targets }: ColumnSelection, missing: (index: number) => Cell): Cell[] {
    const headerSize = new VarintReader(this.bytes, this.start).readSize()
    if (headerSize > maxHeaderBytes || headerSize > this.size) throw new DamagedDatabase()
    this.#load(headerSize)
    const header = new VarintReader(this.bytes, this.start)
    const end = this.start + headerSize
    header.readSize()
    const cells: Cell[] = indexes.map(missing)
    let start = headerSize
    for (let index = 0; index < targets.length && header.offset < end; index++) {
      const type = header.readSize()
      const length = getValueSize(type)
      for (const at of targets[index] ?? []) cells[at] = this.#readValue(type, start, length)
      start += length
    }
    return cells
  }

  /**
   * Returns a value by its serial type; `undefined` for bytes and texts that are too long. Throws `DamagedDatabase`.
   */
  #readValue(type: number, start: number, length: number): Cell {
    if (type === 0) return null
    if (type === 8 || type === 9) return type - 8
    const isText = type >= 13 && type % 2 === 1
    const end = start + length
    if (end > this.size) throw new DamagedDatabase()
    if ((type >= 12 && !isText) || length > maxTextBytes || end > maxRowBytes) return undefined
    this.#load(end)
    const at = this.start + start
    if (isText) return decodeText(this.bytes.subarray(at, at + length), this.pages.encoding)
    if (type === 7) {
      const value = this.bytes.readDoubleBE(at)
      return Number.isNaN(value) ? null : value
    }
    return type === 6 ? toExactNumber(this.bytes.readBigInt64BE(at)) : this.bytes.readIntBE(at, length)
  }

  /** Loads the bytes up to an offset, from overflow pages if necessary. */
  #load(end: number): void {
    if (this.loadedSize >= end) return
    const chunks = [this.bytes.subarray(this.start, this.start + this.loadedSize)]
    while (this.loadedSize < end) {
      const page = this.pages.readPage(this.nextPage)
      this.nextPage = page.readUInt32BE(0)
      const chunk = page.subarray(4, this.pages.usableSize)
      chunks.push(chunk)
      this.loadedSize += chunk.length
    }
    this.bytes = Buffer.concat(chunks)
    this.start = 0
  }
}

/** Returns the size of a value in bytes, by its type. */
function getValueSize(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  if (type >= 10) throw new DamagedDatabase()
  return type === 7 ? 8 : (integerSizes[type] ?? 0)
}

function decodeText(bytes: Buffer, encoding: DatabasePages['encoding']): string {
  return encoding === 'utf8' ? bytes.toString() : new TextDecoder(encoding).decode(bytes)
}

/** Returns a number if it represents the integer exactly. Otherwise returns the integer itself. */
function toExactNumber(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
