/** The trees that the tables of an SQLite database are. (https://www.sqlite.org/fileformat2.html#b_tree_pages) */
import { Damaged, type Pages } from './pages.js'
import { Cursor, Payload } from './payload.js'

/** Types of pages, of tables with row ids and of those that are kept by their keys. */
const tableInterior = 5
const tableLeaf = 13
const keyInterior = 2
const keyLeaf = 10
/** Bytes before the header of the first page. */
const firstPageStart = 100
/** Pages above one another: more would be more rows than there are. */
const deepest = 20

/** A row as it lies on its page. */
export interface TreeCell {
  /** `undefined` in tables without row ids. */
  readonly rowId: number | bigint | undefined
  readonly payload: Payload
}

/** What could not be read of a tree. */
export interface Losses {
  pages: number
  rows: number
}

/** Gives out the rows of the tree whose first page this is; what cannot be read is counted, and passed over. */
export function* cellsIn(
  pages: Pages,
  root: number,
  hasRowIds: boolean,
  losses: Losses,
  depth = 0
): Generator<TreeCell, void, undefined> {
  let page: Page
  try {
    page = new Page(pages, root, hasRowIds)
    if (depth >= deepest) throw new Damaged()
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    losses.pages++
    return
  }
  for (let at = 0; at < page.count; at++) {
    const found = page.cell(at)
    if (!found) losses.rows++
    if (found?.child !== undefined) yield* cellsIn(pages, found.child, hasRowIds, losses, depth + 1)
    if (found?.payload) yield { rowId: found.rowId, payload: found.payload }
  }
  if (page.rightmost !== undefined) yield* cellsIn(pages, page.rightmost, hasRowIds, losses, depth + 1)
}

interface PageCell {
  readonly child?: number
  readonly rowId?: number | bigint
  readonly payload?: Payload
}

class Page {
  readonly count: number
  /** The page below it that comes after those of its cells. */
  readonly rightmost: number | undefined
  readonly #bytes: Buffer
  readonly #pointers: number
  /** Bytes that cells may still have: twice those of the page, since a damaged one may claim those of others. */
  #room: number

  /** Throws {@link Damaged} if it is no page of such a tree. */
  constructor(
    private readonly pages: Pages,
    number: number,
    private readonly hasRowIds: boolean
  ) {
    const page = pages.take(number)
    const start = number === 1 ? firstPageStart : 0
    this.#bytes = page.subarray(0, pages.usable)
    const type = page[start]
    const isLeaf = type === (hasRowIds ? tableLeaf : keyLeaf)
    if (!isLeaf && type !== (hasRowIds ? tableInterior : keyInterior)) throw new Damaged()
    this.count = page.readUInt16BE(start + 3)
    this.rightmost = isLeaf ? undefined : page.readUInt32BE(start + 8)
    this.#pointers = start + (isLeaf ? 8 : 12)
    this.#room = pages.usable * 2
    if (this.#pointers + this.count * 2 > pages.usable) throw new Damaged()
  }

  /** A cell; `undefined` where it is damaged. */
  cell(at: number): PageCell | undefined {
    try {
      return this.#cell(this.#bytes.readUInt16BE(this.#pointers + at * 2))
    } catch (error) {
      if (error instanceof Damaged || error instanceof RangeError) return undefined
      throw error
    }
  }

  #cell(start: number): PageCell {
    const isLeaf = this.rightmost === undefined
    const child = isLeaf ? undefined : this.#bytes.readUInt32BE(start)
    const cursor = new Cursor(this.#bytes, isLeaf ? start : start + 4)
    if (child !== undefined && this.hasRowIds) {
      cursor.integer()
      this.#claim(cursor.at - start)
      return { child }
    }
    const size = cursor.size()
    const rowId = this.hasRowIds ? cursor.integer() : undefined
    const local = this.#localSize(size)
    const end = cursor.at + local + (local < size ? 4 : 0)
    this.#claim(end - start)
    if (end > this.#bytes.length) throw new Damaged()
    const next = local < size ? this.#bytes.readUInt32BE(end - 4) : 0
    const payload = new Payload(this.pages, this.#bytes, cursor.at, local, size, next)
    return { ...(child !== undefined && { child }), ...(rowId !== undefined && { rowId }), payload }
  }

  #claim(size: number): void {
    if (size > this.#room) throw new Damaged()
    this.#room -= size
  }

  /** Bytes of a payload that lie on the page itself. */
  #localSize(size: number): number {
    const { usable } = this.pages
    const most = this.hasRowIds ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
    if (size <= most) return size
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const local = least + ((size - least) % (usable - 4))
    return local <= most ? local : least
  }
}
