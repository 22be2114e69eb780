/** Walks the B-trees of an SQLite database's tables. (https://www.sqlite.org/fileformat2.html#b_tree_pages) */
import { DamagedDatabase, type DatabasePages } from './database-pages.js'
import { VarintReader, Payload } from './payload.js'

/** Page types: of tables with row ids, and of tables without. */
const tableInterior = 5
const tableLeaf = 13
const keyInterior = 2
const keyLeaf = 10
/** Bytes before the header of the first page. */
const firstPageStart = 100
/** Maximum depth of nested pages. A deeper tree would have more rows than possible. */
const maxDepth = 20

/** A row of a table. */
export interface TreeCell {
  /** `undefined` in tables without row ids. */
  readonly rowId: number | bigint | undefined
  readonly payload: Payload
}

/** Number of pages and rows that could not be read. */
export interface ReadLosses {
  pages: number
  rows: number
}

/** Yields the rows of the tree with this root page. Unreadable parts are skipped and counted. */
export function* readCells(
  pages: DatabasePages,
  root: number,
  hasRowIds: boolean,
  losses: ReadLosses,
  depth = 0
): Generator<TreeCell, void, undefined> {
  let page: TreePage
  try {
    page = new TreePage(pages, root, hasRowIds)
    if (depth >= maxDepth) throw new DamagedDatabase()
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error
    losses.pages++
    return
  }
  for (let index = 0; index < page.cellCount; index++) {
    const cell = page.getCell(index)
    if (!cell) losses.rows++
    if (cell?.child !== undefined) yield* readCells(pages, cell.child, hasRowIds, losses, depth + 1)
    if (cell?.payload) yield { rowId: cell.rowId, payload: cell.payload }
  }
  if (page.rightmost !== undefined) yield* readCells(pages, page.rightmost, hasRowIds, losses, depth + 1)
}

interface PageCell {
  readonly child?: number
  readonly rowId?: number | bigint
  readonly payload?: Payload
}

class TreePage {
  readonly cellCount: number
  /** The rightmost child page. */
  readonly rightmost: number | undefined
  readonly #bytes: Buffer
  readonly #pointers: number
  /** Remaining budget of cells in bytes: twice the page, since damaged cells may claim bytes of other cells. */
  #budget: number

  /** Reads a page. Throws {@link DamagedDatabase} if the page does not belong to such a tree. */
  constructor(
    private readonly pages: DatabasePages,
    number: number,
    private readonly hasRowIds: boolean
  ) {
    const page = pages.readPage(number)
    const start = number === 1 ? firstPageStart : 0
    this.#bytes = page.subarray(0, pages.usableSize)
    const type = page[start]
    const isLeaf = type === (hasRowIds ? tableLeaf : keyLeaf)
    if (!isLeaf && type !== (hasRowIds ? tableInterior : keyInterior)) throw new DamagedDatabase()
    this.cellCount = page.readUInt16BE(start + 3)
    this.rightmost = isLeaf ? undefined : page.readUInt32BE(start + 8)
    this.#pointers = start + (isLeaf ? 8 : 12)
    this.#budget = pages.usableSize * 2
    if (this.#pointers + this.cellCount * 2 > pages.usableSize) throw new DamagedDatabase()
  }

  /** Returns a cell; `undefined` if it is damaged. */
  getCell(index: number): PageCell | undefined {
    try {
      return this.#parseCell(this.#bytes.readUInt16BE(this.#pointers + index * 2))
    } catch (error) {
      if (error instanceof DamagedDatabase || error instanceof RangeError) return undefined
      throw error
    }
  }

  /**
   * Parses a cell: a reference to a child page, a row, or both in trees without row ids. Throws
   * {@link DamagedDatabase}.
   */
  #parseCell(start: number): PageCell {
    const isLeaf = this.rightmost === undefined
    const child = isLeaf ? undefined : this.#bytes.readUInt32BE(start)
    const cursor = new VarintReader(this.#bytes, isLeaf ? start : start + 4)
    if (child !== undefined && this.hasRowIds) {
      cursor.readInteger()
      this.#spend(cursor.offset - start)
      return { child }
    }
    const size = cursor.readSize()
    const rowId = this.hasRowIds ? cursor.readInteger() : undefined
    const local = this.#getLocalSize(size)
    const end = cursor.offset + local + (local < size ? 4 : 0)
    this.#spend(end - start)
    if (end > this.#bytes.length) throw new DamagedDatabase()
    const next = local < size ? this.#bytes.readUInt32BE(end - 4) : 0
    const payload = new Payload(this.pages, this.#bytes, cursor.offset, local, size, next)
    return { ...(child !== undefined && { child }), ...(rowId !== undefined && { rowId }), payload }
  }

  #spend(size: number): void {
    if (size > this.#budget) throw new DamagedDatabase()
    this.#budget -= size
  }

  /** Returns the number of a payload's bytes that are stored on the page itself. */
  #getLocalSize(size: number): number {
    const { usableSize } = this.pages
    const max = this.hasRowIds ? usableSize - 35 : Math.floor(((usableSize - 12) * 64) / 255) - 23
    if (size <= max) return size
    const min = Math.floor(((usableSize - 12) * 32) / 255) - 23
    const local = min + ((size - min) % (usableSize - 4))
    return local <= max ? local : min
  }
}
