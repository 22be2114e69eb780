/** Reads the pages of an SQLite database. (https://www.sqlite.org/fileformat2.html) */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { MessageText } from '../messages.js'
import { Unreadable } from '../record.js'

const magic = 'SQLite format 3\0'
const headerSize = 100
/** Minimum of a page's usable bytes. */
const minUsableSize = 480
/** Version number of databases in WAL mode: recent changes may be in a separate file. */
const walVersion = 2

/** Returns true if the bytes begin with the SQLite header. */
export function isDatabase(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic
}

/** Thrown if part of a database violates the file format. */
export class DamagedDatabase extends Error {}

/** Returns each page once, so that reading is bounded by the length of the file, whatever it claims. */
export class DatabasePages {
  /** Page size, and usable bytes of a page. */
  readonly pageSize: number
  readonly usableSize: number
  readonly encoding: 'utf8' | 'utf-16le' | 'utf-16be'
  /** Message about data that is known to be missing, for the user; `undefined` if nothing is known to be missing. */
  readonly missingData: MessageText | undefined
  readonly #pageCount: number
  readonly #readPages: Uint8Array
  readonly #file: number

  /**
   * Opens a file. `progress` is called with the number of bytes read. Throws {@link Unreadable} if the file is not a
   * database.
   */
  constructor(
    path: string,
    private readonly progress: (bytes: number) => void
  ) {
    this.#file = openSync(path, 'r')
    try {
      const header = Buffer.alloc(headerSize)
      const length = readSync(this.#file, header, 0, headerSize, 0)
      const statedSize = header.readUInt16BE(16)
      this.pageSize = statedSize === 1 ? 65_536 : statedSize
      this.usableSize = this.pageSize - header[20]!
      const isPower = this.pageSize >= 512 && (this.pageSize & (this.pageSize - 1)) === 0
      if (length < headerSize || !isDatabase(header) || !isPower || this.usableSize < minUsableSize)
        throw new Unreadable('The SQLite database is damaged at its beginning')
      const encoding = header.readUInt32BE(56)
      this.encoding = encoding === 2 ? 'utf-16le' : encoding === 3 ? 'utf-16be' : 'utf8'
      const { size } = fstatSync(this.#file)
      this.#pageCount = Math.floor(size / this.pageSize)
      // The count in the header is valid only if the last writer maintained it.
      const isCountValid = header.readUInt32BE(24) === header.readUInt32BE(92)
      if (isCountValid && header.readUInt32BE(28) > this.#pageCount)
        this.missingData = 'The database is cut off: what is whole was read'
      else if (header[19] === walVersion)
        this.missingData =
          'The database was in use when it was copied: changes in the file beside it that ends in -wal are not in it'
      this.#readPages = new Uint8Array(Math.ceil((this.#pageCount + 1) / 8))
    } catch (error) {
      this.close()
      throw error
    }
  }

  /**
   * Returns a page, numbered from 1. Throws {@link DamagedDatabase} if the page does not exist or was returned before.
   */
  readPage(page: number): Buffer {
    const [index, bit] = [page >> 3, 1 << (page & 7)]
    if (page < 1 || page > this.#pageCount || (this.#readPages[index]! & bit) !== 0)
      throw new DamagedDatabase()
    this.#readPages[index]! |= bit
    const bytes = Buffer.allocUnsafeSlow(this.pageSize)
    const length = readSync(this.#file, bytes, 0, this.pageSize, (page - 1) * this.pageSize)
    if (length < this.pageSize) throw new DamagedDatabase()
    this.progress(length)
    return bytes
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#file)
  }
}
