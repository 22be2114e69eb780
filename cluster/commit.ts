/** The changes of one commit to a file. */
import { crc32 } from 'node:zlib'
import type { Position } from '../storage/wal/position.js'

/** A page after a commit: the whole page, or its changes. */
export interface PageChange {
  /** Number of the page, from 1. */
  readonly page: number
  /** CRC-32 of the whole page after the commit. */
  readonly sum: number
  /** True if `bytes` are the whole page; otherwise they are runs of changed words, see {@link encodeRuns}. */
  readonly isWhole: boolean
  readonly bytes: Buffer
}

/** The pages changed by a commit. A page may occur twice: the later change builds on the earlier. */
export interface Changes {
  readonly pageSize: number
  /** Number of pages of the file after the commit. */
  readonly pages: number
  readonly changes: readonly PageChange[]
}

/** A commit with its position in the log of the account. */
export interface Commit extends Changes, Position {}

/** Bytes of a word: changes are found and applied by words. */
const wordBytes = 4
/** Bytes before the words of each run: index of the first word, number of words. */
const runHeadBytes = 4
/**
 * Maximum number of unchanged words between two runs that are joined: storing them costs no more than beginning another run.
 */
const maxBridgedWords = runHeadBytes / wordBytes

/**
 * Encodes the differences between two pages of the same size as runs: index of the first word and number of words, two
 * bytes each, then the words.
 */
export function encodeRuns(before: Buffer, after: Buffer): Buffer {
  const words = after.length / wordBytes
  const [old, now] = [toWords(before), toWords(after)]
  const parts: Buffer[] = []
  for (let at = 0; at < words; at++) {
    if (old[at] === now[at]) continue
    let end = at + 1
    for (let next = end; next < words && next - end <= maxBridgedWords; next++)
      if (old[next] !== now[next]) end = next + 1
    const head = Buffer.allocUnsafe(runHeadBytes)
    head.writeUInt16BE(at, 0)
    // A page of 64 KB has 16,384 words.
    head.writeUInt16BE(end - at, 2)
    parts.push(head, after.subarray(at * wordBytes, end * wordBytes))
    at = end
  }
  return Buffer.concat(parts)
}

/** Applies runs to a page. Throws `RangeError` if the runs do not fit into the page. */
export function applyRuns(page: Buffer, runs: Buffer): void {
  for (const { at, length, start } of parseRuns(runs, page.length)) runs.copy(page, start, at, at + length)
}

/** Throws `RangeError` if runs do not fit into a page of a size. */
export function assertRunsFit(runs: Buffer, pageSize: number): void {
  const all = parseRuns(runs, pageSize)
  while (!all.next().done);
}

/** Parses runs: where their words are, and where they begin in the page, in bytes. */
function* parseRuns(
  runs: Buffer,
  pageSize: number
): Generator<{ at: number; length: number; start: number }> {
  for (let at = 0; at < runs.length;) {
    if (at + runHeadBytes > runs.length) throw new RangeError('A run without its head')
    const start = runs.readUInt16BE(at) * wordBytes
    const length = runs.readUInt16BE(at + 2) * wordBytes
    at += runHeadBytes
    if (length === 0 || start + length > pageSize || at + length > runs.length)
      throw new RangeError('A run that does not fit into its page')
    yield { at, length, start }
    at += length
  }
}

/** Returns the words of a page. Bytes that do not begin at a multiple of four are copied. */
function toWords(page: Buffer): Int32Array {
  const { buffer, byteOffset, length } =
    page.byteOffset % wordBytes === 0 ? page : Buffer.from(new Uint8Array(page).buffer)
  return new Int32Array(buffer, byteOffset, length / wordBytes)
}

/** Returns all pages of a file as changes. */
export function toFullChanges(file: Buffer): Changes {
  // The page size in the header; 1 means 64 KB. (https://www.sqlite.org/fileformat.html#page_size)
  const stated = file.readUInt16BE(16)
  const pageSize = stated === 1 ? 65_536 : stated
  const pages = file.length / pageSize
  const changes = Array.from({ length: pages }, (_, index): PageChange => {
    const bytes = file.subarray(index * pageSize, (index + 1) * pageSize)
    return { page: index + 1, sum: crc32(bytes), isWhole: true, bytes }
  })
  return { pageSize, pages, changes }
}
