/**
 * Bounds the size of an untrusted file's schema without SQLite, which reads the whole schema on opening: a file can hold
 * more tables than fit into memory.
 */
import { closeSync, openSync, readSync } from 'node:fs'

/** Limits, many times the size of our own schemas. */
const maxPages = 100
const maxBytes = 256 * 1024

const magic = 'SQLite format 3\0'
const kinds = { interior: 0x05, leaf: 0x0d }

/** A problem of the pages that hold a file's schema; `undefined` if the file is safe to open with SQLite. */
export function findHeaderProblem(file: string): string | undefined {
  const descriptor = openSync(file, 'r')
  try {
    return walkSchema((at, length) => {
      const bytes = Buffer.alloc(length)
      return readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined
    })
  } finally {
    closeSync(descriptor)
  }
}

/** Walks the B-tree of the schema, whose root is the first page. */
function walkSchema(read: (at: number, length: number) => Buffer | undefined): string | undefined {
  const head = read(0, 100)
  if (head?.toString('latin1', 0, magic.length) !== magic) return 'is not a database'
  const size = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
  if (size < 512 || (size & (size - 1)) !== 0) return 'has pages of an odd size'
  const waiting = [1]
  let pages = 0
  let bytes = 0
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const page = number < 1 ? undefined : read((number - 1) * size, size)
    const content = page && parsePage(page, number === 1 ? 100 : 0)
    if (!content) return 'has a schema that is damaged'
    waiting.push(...content.children)
    bytes += content.bytes
    if (++pages + waiting.length > maxPages || bytes > maxBytes)
      return 'has a schema that is larger than ours'
  }
  return undefined
}

/** The child pages of an interior page, or the total size in bytes that the rows of a leaf page declare. */
function parsePage(page: Buffer, start: number): { children: number[]; bytes: number } | undefined {
  const kind = page[start]
  if (kind !== kinds.interior && kind !== kinds.leaf) return undefined
  const isLeaf = kind === kinds.leaf
  const first = start + (isLeaf ? 8 : 12)
  const count = page.readUInt16BE(start + 3)
  if (first + 2 * count > page.length) return undefined
  const cells = Array.from({ length: count }, (_, index) => page.readUInt16BE(first + 2 * index))
  if (cells.some(at => at + 4 > page.length)) return undefined
  if (isLeaf) return { children: [], bytes: cells.reduce((sum, at) => sum + readVarint(page, at), 0) }
  return { children: [...cells.map(at => page.readUInt32BE(at)), page.readUInt32BE(start + 8)], bytes: 0 }
}

/** A variable-length integer: seven bits per byte; the highest bit says that another byte follows. */
function readVarint(page: Buffer, at: number): number {
  let value = 0
  for (let index = 0; index < 9; index++) {
    const byte = page[at + index] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) break
  }
  return value
}
