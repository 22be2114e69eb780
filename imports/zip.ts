/** Reads the files of ZIP archives, except files that are dangerous or were added by an operating system. */
import { isAbsolute } from 'node:path/posix'
import zlib from 'node:zlib'
import { open, type Entry, type ZipFile } from 'yauzl'
import type { SkipReason } from './skip-reasons.js'
import { type Sink, type SourceFile, Unreadable } from './record.js'

/** Maximum decompressed size of an archive, in bytes. */
const maxTotalBytes = 20 * 1024 ** 3
/** Maximum compression ratio of an entry. */
const maxEntryRatio = 1000
/** Entries below this size (bytes) are exempt from that limit. */
const minCheckedEntrySize = 1024 * 1024
/** Maximum compression ratio of an archive: exports shrink to a twentieth, tables of zeros to a hundredth. */
const maxTotalRatio = 250
/** Archives below this decompressed size (bytes) are exempt from that limit. */
const minCheckedTotalSize = 256 * 1024 * 1024
const maxEntries = 200_000
/** Maximum length of the path of a file that is kept open, in characters. */
const maxPathLength = 500
/** Size of an entry's local header without its name, in bytes. */
const headerSize = 30
export const tooTightlyPacked = 'packed suspiciously tightly'
export const outsidePath = 'at a path that leads out of the archive'
export const encryptedReason = 'encrypted'

/** Counts what was decompressed from an archive and the archives nested in it, and enforces limits. */
export class ReadBudget {
  bytes = 0
  entries = 0

  /** `size` is the size of the outermost archive, in bytes. */
  constructor(private readonly size: number) {}

  /** Maximum number of decompressed bytes in total. It grows with the size of the upload, so that work requires data. */
  get maxBytes(): number {
    return Math.max(minCheckedTotalSize, this.size * maxTotalRatio)
  }

  /**
   * Returns the number of bytes to which a compressed part may decompress. May be negative once the total is
   * exceeded.
   */
  getRemaining(compressedSize: number): number {
    const remaining = Math.min(this.maxBytes, maxTotalBytes) - this.bytes
    return Math.min(remaining, Math.max(minCheckedEntrySize, compressedSize * maxEntryRatio))
  }

  /** Counts a file; returns false, with a warning, if there are too many. */
  addEntry(sink: Pick<Sink, 'warn'>): boolean {
    if (++this.entries <= maxEntries) return true
    sink.warn('The archive holds more than {count} files: the rest is not read', { count: maxEntries })
    return false
  }
}

/** Returns true if the bytes begin with a ZIP header. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0x0403_4b50
}

/**
 * Yields the files of an archive, and closes it at the end. Each file is readable until the next one is
 * requested. Hidden files and folders are omitted; files that are encrypted, outside or suspicious are
 * skipped with a warning. Throws {@link Unreadable} if the archive is damaged.
 */
export async function* readZipEntries(
  file: string,
  sink: Pick<Sink, 'skip' | 'warn'>,
  budget: ReadBudget
): AsyncGenerator<SourceFile, void, undefined> {
  const zip = await openZip(file)
  try {
    yield* listEntries(zip, sink, budget)
  } finally {
    zip.close()
  }
}

/**
 * Calls `work` with the XML files of an archive by name, which are readable until it resolves. Throws {@link
 * Unreadable} if the archive is damaged.
 */
export async function useXmlFiles(
  file: string,
  sink: Pick<Sink, 'skip' | 'warn'>,
  budget: ReadBudget,
  work: (files: ReadonlyMap<string, SourceFile>) => Promise<void>
): Promise<void> {
  const zip = await openZip(file)
  try {
    const files = new Map<string, SourceFile>()
    for await (const entry of listEntries(zip, sink, budget, () => false))
      if (entry.name.length <= maxPathLength && /\.(?:xml|rels)$/i.test(entry.name))
        files.set(entry.name, entry)
    await work(files)
  } finally {
    zip.close()
  }
}

/** Yields the files of an open ZIP, without skipped ones, until the budget is used up. */
async function* listEntries(
  zip: ZipFile,
  sink: Pick<Sink, 'skip' | 'warn'>,
  budget: ReadBudget,
  isSkipped = isHiddenFile
): AsyncGenerator<SourceFile, void, undefined> {
  const ranges = new ClaimedRanges()
  for (;;) {
    const entry = await nextEntry(zip)
    if (!entry) return
    if (!budget.addEntry(sink)) return
    const fileName = decodeName(entry)
    if (fileName.endsWith('/') || isSkipped(fileName)) continue
    const skipReason = findSkipReason(entry, fileName, ranges, budget)
    if (skipReason !== undefined) {
      sink.skip('file', skipReason)
      sink.warn('{name} is {reason}', { name: formatFileName(fileName), reason: skipReason })
      continue
    }
    budget.bytes += entry.uncompressedSize
    if (budget.bytes > maxTotalBytes) {
      sink.skip('file', 'beyond the 20 GB that an archive may unpack to')
      sink.warn('The archive unpacks to more than 20 GB: the rest is not read')
      return
    }
    yield {
      name: fileName,
      size: entry.uncompressedSize,
      bytes: () => readEntry(zip, entry, fileName, sink)
    }
  }
}

/** Returns true for files that macOS adds to archives, and for other hidden files. */
export function isHiddenFile(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(?:^|\/)\.[^/]*$/.test(name)
}

/**
 * Decodes the name of an entry. The library would reject the whole archive because of a name that leads outside of it.
 */
function decodeName({ fileName }: Entry): string {
  return Buffer.from(fileName as unknown as Uint8Array)
    .toString('utf8')
    .replaceAll('\\', '/')
}

/** Returns why an entry is not read, such as a suspicious size or shared bytes; `undefined` to read it. */
function findSkipReason(
  entry: Entry,
  fileName: string,
  ranges: ClaimedRanges,
  budget: ReadBudget
): SkipReason | undefined {
  const { compressedSize, compressionMethod, relativeOffsetOfLocalHeader: start, uncompressedSize } = entry
  if (isOutsidePath(fileName)) return outsidePath
  if (entry.isEncrypted()) return encryptedReason
  if (compressionMethod !== 0 && compressionMethod !== 8) return 'packed by a method that is not known'
  if (uncompressedSize > minCheckedEntrySize && uncompressedSize > compressedSize * maxEntryRatio)
    return tooTightlyPacked
  if (!ranges.claim(start, start + headerSize + compressedSize)) return 'made of the bytes of another one'
  return budget.bytes + uncompressedSize > budget.maxBytes ? tooTightlyPacked : undefined
}

/** Returns true if a path leads outside of the archive. */
export function isOutsidePath(name: string): boolean {
  return isAbsolute(name) || /^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..')
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }
    open(file, options, (error, zip) => {
      if (error)
        reject(new Unreadable('The archive is damaged or cut off: {error}', { error: error.message }))
      else resolve(zip)
    })
  })
}

/** Resolves with the next entry; `undefined` after the last. Rejects with `Unreadable` if the archive is damaged. */
function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void): void => {
      zip.removeAllListeners()
      done()
    }
    zip.once('entry', (entry: Entry) => settle(() => resolve(entry)))
    zip.once('end', () => settle(() => resolve(undefined)))
    zip.once('error', (error: Error) =>
      settle(() => reject(new Unreadable('The archive is damaged: {error}', { error: error.message })))
    )
    zip.readEntry()
  })
}

/** Yields the bytes of an entry. If the entry is damaged, yields the bytes before the damage and warns. */
async function* readEntry(
  zip: ZipFile,
  entry: Entry,
  name: string,
  sink: Pick<Sink, 'skip' | 'warn'>
): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0
  let size = 0
  try {
    const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
      zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
    )
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (crc32) sum = crc32(chunk, sum)
      size += chunk.length
      yield chunk
    }
  } catch (error) {
    sink.warn('{name} is damaged after {count} bytes: {error}', {
      name: formatFileName(name),
      count: size,
      error: error instanceof Error ? error.message : 'no more'
    })
    return
  }
  if (crc32 && sum !== entry.crc32)
    sink.warn('{name} does not match its checksum: some of it may be wrong', { name: formatFileName(name) })
}

/** Missing in early versions of Node 20. */
const crc32 = (zlib as { crc32?: (data: Buffer, value?: number) => number }).crc32

/** Formats a file name for messages. It is quoted and truncated. */
export function formatFileName(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}

class ClaimedRanges {
  /** Start and end of each range, ascending. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /**
   * Claims the bytes from `start` up to `end`. Returns false, without claiming, if one of these bytes is claimed
   * already.
   */
  claim(start: number, end: number): boolean {
    const index = this.#countBefore(start)
    const isFree = (this.#ends[index - 1] ?? 0) <= start && end <= (this.#starts[index] ?? Infinity)
    // Usually at the end, as archives list their entries in order.
    if (isFree) {
      this.#starts.splice(index, 0, start)
      this.#ends.splice(index, 0, end)
    }
    return isFree
  }

  /** Returns the number of ranges that begin before an offset. */
  #countBefore(start: number): number {
    let [from, to] = [0, this.#starts.length]
    if (to === 0 || this.#starts[to - 1]! < start) return to
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#starts[middle]! < start) from = middle + 1
      else to = middle
    }
    return from
  }
}
