/** What one commit has changed in a file. */
import { crc32 } from 'node:zlib'
import type { Position } from '../storage/wal/position.js'

/** A page after a commit: all of it, or what has changed in it. */
export interface PageChange {
  /** Number of the page, from 1. */
  readonly page: number
  /** CRC-32 of the whole page after the commit. */
  readonly sum: number
  /** Whether `bytes` are the whole page; otherwise runs of changed words, see {@link encodeRuns}. */
  readonly isWhole: boolean
  readonly bytes: Buffer
}

/** The pages that are different after a commit. A page may be there twice: the later one builds on the earlier. */
export interface Changes {
  readonly pageSize: number
  /** Number of pages of the file afterwards. */
  readonly pages: number
  readonly changes: readonly PageChange[]
}

/** A commit at its position in the log of the account. */
export interface Commit extends Changes, Position {}

/** Bytes of a word: changes are found and put in place by words. */
const wordBytes = 4
/** Bytes before the words of each run: index of the first word, number of words. */
const runHeadBytes = 4
/** Unchanged words between two runs that cost no more than another run would. */
const maxBridgedWords = runHeadBytes / wordBytes

/**
 * What has changed from one page to another, as runs: index of the first word and number of words, two bytes each, then the
 * words. Both pages have the same size.
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

/** Puts runs in their places in a page. Throws `RangeError` if they do not fit into it. */
export function applyRuns(page: Buffer, runs: Buffer): void {
  for (const { at, length, start } of parseRuns(runs, page.length)) runs.copy(page, start, at, at + length)
}

/** Throws `RangeError` if runs do not fit into a page of a size, without one. */
export function assertPagesFit(runs: Buffer, pageSize: number): void {
  const all = parseRuns(runs, pageSize)
  while (!all.next().done);
}

/** Where the words of each run are, and where in the page they begin, in bytes. */
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

/** The words of a page. Its bytes have to begin at a multiple of four, or are copied. */
function toWords(page: Buffer): Int32Array {
  const { buffer, byteOffset, length } =
    page.byteOffset % wordBytes === 0 ? page : Buffer.from(new Uint8Array(page).buffer)
  return new Int32Array(buffer, byteOffset, length / wordBytes)
}

/** All pages of a file, as changes. */
export function toFullChanges(file: Buffer): Changes {
  // The size of its pages stands in its header, 1 for 64 KB. (https://www.sqlite.org/fileformat.html#page_size)
  const stated = file.readUInt16BE(16)
  const pageSize = stated === 1 ? 65_536 : stated
  const pages = file.length / pageSize
  const changes = Array.from({ length: pages }, (_, index): PageChange => {
    const bytes = file.subarray(index * pageSize, (index + 1) * pageSize)
    return { page: index + 1, sum: crc32(bytes), isWhole: true, bytes }
  })
  return { pageSize, pages, changes }
}
