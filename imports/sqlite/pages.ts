/** The pages of an SQLite database. (https://www.sqlite.org/fileformat2.html) */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Message } from '../messages.js'
import { Unreadable } from '../record.js'

const magic = 'SQLite format 3\0'
const headerSize = 100
/** Bytes of a page that has the least room for cells. */
const leastUsable = 480
/** The mode of databases whose latest changes are in a file beside them, until they are closed. */
const writeAhead = 2

/** Whether a file begins as an SQLite database does. */
export function isDatabase(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic
}

/** Part of a database that contradicts what databases are like. */
export class Damaged extends Error {}

/** Gives out each page once: whatever a file claims of itself, reading it takes no longer than its length. */
export class Pages {
  /** Bytes of each page, and those of them that hold cells. */
  readonly pageSize: number
  readonly usable: number
  readonly encoding: 'utf8' | 'utf-16le' | 'utf-16be'
  /** What is known to be missing from the file, for the person; `undefined` where nothing is. */
  readonly gap: Message | undefined
  readonly #count: number
  readonly #taken: Uint8Array
  readonly #file: number

  /** Opens a file. `progress` is called with the bytes that are read. Throws {@link Unreadable} if it is no database. */
  constructor(
    path: string,
    private readonly progress: (bytes: number) => void
  ) {
    this.#file = openSync(path, 'r')
    try {
      const header = Buffer.alloc(headerSize)
      const length = readSync(this.#file, header, 0, headerSize, 0)
      const stated = header.readUInt16BE(16)
      this.pageSize = stated === 1 ? 65_536 : stated
      this.usable = this.pageSize - header[20]!
      const isPower = this.pageSize >= 512 && (this.pageSize & (this.pageSize - 1)) === 0
      if (length < headerSize || !isDatabase(header) || !isPower || this.usable < leastUsable)
        throw new Unreadable('The SQLite database is damaged at its beginning')
      const encoding = header.readUInt32BE(56)
      this.encoding = encoding === 2 ? 'utf-16le' : encoding === 3 ? 'utf-16be' : 'utf8'
      const { size } = fstatSync(this.#file)
      this.#count = Math.floor(size / this.pageSize)
      // The count in the header holds where whoever wrote last has kept it.
      const isKept = header.readUInt32BE(24) === header.readUInt32BE(92)
      if (isKept && header.readUInt32BE(28) > this.#count)
        this.gap = 'The database is cut off: what is whole was read'
      else if (header[19] === writeAhead)
        this.gap =
          'The database was in use when it was copied: changes in the file beside it that ends in -wal are not in it'
      this.#taken = new Uint8Array(Math.ceil((this.#count + 1) / 8))
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Returns a page, from 1. Throws {@link Damaged} if there is no such page, or if it has been given out. */
  take(page: number): Buffer {
    const [at, bit] = [page >> 3, 1 << (page & 7)]
    if (page < 1 || page > this.#count || (this.#taken[at]! & bit) !== 0) throw new Damaged()
    this.#taken[at]! |= bit
    const bytes = Buffer.allocUnsafeSlow(this.pageSize)
    const length = readSync(this.#file, bytes, 0, this.pageSize, (page - 1) * this.pageSize)
    if (length < this.pageSize) throw new Damaged()
    this.progress(length)
    return bytes
  }

  close(): void {
    closeSync(this.#file)
  }
}
