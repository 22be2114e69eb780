/** Reads the files of tar archives in one pass. */
import type { SkipReason } from './skip-reasons.js'
import type { Sink, SourceFile } from './record.js'
import { isHiddenFile, outsidePath, isOutsidePath, formatFileName, type ReadBudget } from './zip.js'

const blockSize = 512
/** Maximum size of a name in an extended header, in bytes. */
const maxNameLength = 64 * 1024
/** Position of the checksum in a header. */
const [checksumStart, checksumEnd] = [148, 156]
const damagedWarning = 'The tar archive is damaged or cut off: the rest is not read'

/** A file of an archive. It must be read before the next file is requested. */
interface TarEntry {
  readonly name: string
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
}

/** Returns true if the bytes begin with a tar header that matches its checksum. */
export function isTar(bytes: Buffer): boolean {
  return bytes.length >= blockSize && hasValidChecksum(bytes.subarray(0, blockSize))
}

/**
 * Yields the files of an uncompressed archive; reports skipped files to the sink. Hidden files are skipped
 * silently. Warns, and ends, if the archive is damaged or cut off, or the budget is used up. The source is
 * closed at the end.
 */
export async function* readTarEntries(
  source: SourceFile,
  sink: Pick<Sink, 'skip' | 'warn'>,
  budget: ReadBudget
): AsyncGenerator<TarEntry, void, undefined> {
  const blocks = new BlockReader(source.bytes())
  /** Name and size from extended headers before a file. */
  let extended: { name?: string | undefined; size?: number | undefined } = {}
  try {
    for (;;) {
      const header = await blocks.read(blockSize)
      if (header.every(byte => byte === 0)) return
      if (header.length < blockSize || !hasValidChecksum(header)) {
        sink.warn(damagedWarning)
        return
      }
      const type = String.fromCharCode(header[156]!)
      const size = extended.size ?? parseNumber(header, 124, 12)
      if (!Number.isSafeInteger(size) || size < 0) {
        sink.warn(damagedWarning)
        return
      }
      const padding = (blockSize - (size % blockSize)) % blockSize
      if (type === 'L' || type === 'x' || type === 'X') {
        const text = (await blocks.read(Math.min(size, maxNameLength))).toString('utf8')
        await blocks.skip(size - Math.min(size, maxNameLength) + padding)
        extended =
          type === 'L' ? { ...extended, name: cutAtZero(text) } : { ...extended, ...parseRecords(text) }
        continue
      }
      const name = (extended.name ?? getName(header)).replaceAll('\\', '/')
      extended = {}
      const skipReason = type === '0' || type === '\0' || type === '7' ? findSkipReason(name) : ''
      if (skipReason) {
        sink.skip('file', skipReason)
        sink.warn('{name} is {reason}', { name: formatFileName(name), reason: skipReason })
      }
      if (skipReason !== undefined || isHiddenFile(name)) {
        await blocks.skip(size + padding)
        continue
      }
      if (!budget.addEntry(sink)) return
      const entry = new EntryReader(blocks, size)
      yield { name, size, bytes: entry.bytes() }
      await entry.skip()
      if (entry.remaining > 0) {
        sink.warn('{name} is incomplete: the archive ends after {count} bytes of it', {
          name: formatFileName(name),
          count: size - entry.remaining
        })
        return
      }
      await blocks.skip(padding)
    }
  } finally {
    await blocks.close()
  }
}

/** Returns why an entry is not read: `''` for a folder, which needs no message; `undefined` for files to read. */
function findSkipReason(name: string): SkipReason | '' | undefined {
  if (name.endsWith('/')) return ''
  return isOutsidePath(name) ? outsidePath : undefined
}

/** Reads the bytes of one file. */
class EntryReader {
  constructor(
    private readonly blocks: BlockReader,
    public remaining: number
  ) {}

  /** Yields the rest of the file's bytes. */
  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    while (this.remaining > 0) {
      const chunk = await this.blocks.readSome(this.remaining)
      if (chunk.length === 0) return
      this.remaining -= chunk.length
      yield chunk
    }
  }

  /** Skips the rest of the file. */
  async skip(): Promise<void> {
    this.remaining -= await this.blocks.skip(this.remaining)
  }
}

/** Reads bytes in requested sizes. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns the next bytes, at most `max`; empty at the end. */
  async readSome(max: number): Promise<Buffer> {
    while (this.#buffer.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return this.#buffer
      this.#buffer = value
    }
    const chunk = this.#buffer.subarray(0, max)
    this.#buffer = this.#buffer.subarray(chunk.length)
    return chunk
  }

  /** Returns `size` bytes, fewer at the end. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = size; left > 0;) {
      const chunk = await this.readSome(left)
      if (chunk.length === 0) break
      parts.push(chunk)
      left -= chunk.length
    }
    return Buffer.concat(parts)
  }

  /** Skips bytes; returns the number skipped. */
  async skip(size: number): Promise<number> {
    let left = size
    while (left > 0) {
      const chunk = await this.readSome(left)
      if (chunk.length === 0) break
      left -= chunk.length
    }
    return size - left
  }

  /** Ends reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

function hasValidChecksum(header: Buffer): boolean {
  let sum = 0
  for (let index = 0; index < blockSize; index++)
    sum += index >= checksumStart && index < checksumEnd ? 32 : header[index]!
  return parseNumber(header, checksumStart, 8) === sum
}

/** Parses a number of octal digits, or a binary one if its first bit is set; returns `NaN` if the field is invalid. */
function parseNumber(header: Buffer, at: number, length: number): number {
  if (header[at]! & 0x80) {
    let value = header[at]! & 0x7f
    for (let index = at + 1; index < at + length; index++) value = value * 256 + header[index]!
    return value
  }
  const digits = header
    .toString('latin1', at, at + length)
    .replaceAll('\0', ' ')
    .trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : digits === '' ? 0 : NaN
}

function getName(header: Buffer): string {
  const name = cutAtZero(header.toString('utf8', 0, 100))
  const prefix =
    header.toString('latin1', 257, 262) === 'ustar' ? cutAtZero(header.toString('utf8', 345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function cutAtZero(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

/** Parses the name and size from records such as `30 path=a/b`. */
function parseRecords(text: string): { name?: string; size?: number } {
  const name = /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1]
  const size = /(?:^|\n)\d+ size=(\d+)/.exec(text)?.[1]
  return { ...(name !== undefined && { name }), ...(size !== undefined && { size: Number(size) }) }
}
