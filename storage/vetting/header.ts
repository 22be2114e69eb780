/**
 * How large the schema of a file is, without SQLite: that reads all of it before it answers anything, and a file can hold
 * more tables than there is memory for.
 */
import { closeSync, openSync, readSync } from 'node:fs'

/** Many times as much as our own schemas take. */
const mostPages = 100
const mostBytes = 256 * 1024

const magic = 'SQLite format 3\0'
const kinds = { interior: 0x05, leaf: 0x0d }

/** What is wrong with the pages that hold a file's schema; nothing if SQLite may be asked about it. */
export function headerProblem(file: string): string | undefined {
  const descriptor = openSync(file, 'r')
  try {
    return walk((at, length) => {
      const bytes = Buffer.alloc(length)
      return readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined
    })
  } finally {
    closeSync(descriptor)
  }
}

/** Goes through the tree of the schema, which begins at the first page. */
function walk(read: (at: number, length: number) => Buffer | undefined): string | undefined {
  const head = read(0, 100)
  if (head?.toString('latin1', 0, magic.length) !== magic) return 'is not a database'
  const size = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
  if (size < 512 || (size & (size - 1)) !== 0) return 'has pages of an odd size'
  const waiting = [1]
  let pages = 0
  let bytes = 0
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const page = number < 1 ? undefined : read((number - 1) * size, size)
    const content = page && contentOf(page, number === 1 ? 100 : 0)
    if (!content) return 'has a schema that is damaged'
    waiting.push(...content.children)
    bytes += content.bytes
    if (++pages + waiting.length > mostPages || bytes > mostBytes)
      return 'has a schema that is larger than ours'
  }
  return undefined
}

/** The pages below a page of a table, or the bytes that its rows say they have. */
function contentOf(page: Buffer, start: number): { children: number[]; bytes: number } | undefined {
  const kind = page[start]
  if (kind !== kinds.interior && kind !== kinds.leaf) return undefined
  const isLeaf = kind === kinds.leaf
  const first = start + (isLeaf ? 8 : 12)
  const count = page.readUInt16BE(start + 3)
  if (first + 2 * count > page.length) return undefined
  const cells = Array.from({ length: count }, (_, index) => page.readUInt16BE(first + 2 * index))
  if (cells.some(at => at + 4 > page.length)) return undefined
  if (isLeaf) return { children: [], bytes: cells.reduce((sum, at) => sum + varint(page, at), 0) }
  return { children: [...cells.map(at => page.readUInt32BE(at)), page.readUInt32BE(start + 8)], bytes: 0 }
}

/** A number of variable length: seven bits a byte, as long as the highest is set. */
function varint(page: Buffer, at: number): number {
  let value = 0
  for (let index = 0; index < 9; index++) {
    const byte = page[at + index] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) break
  }
  return value
}
