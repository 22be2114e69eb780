/** Tar archives: their files one after the other, as they come. */
import type { Reason } from './reasons.js'
import type { Sink, Source } from './record.js'
import { isAside, leadingOut, leadsOut, shown, type Taken } from './zip.js'

const blockSize = 512
/** Longest name that is told by a block of its own. */
const longestName = 64 * 1024
/** Where the checksum of a header is. */
const [checksumStart, checksumEnd] = [148, 156]
const damaged = 'The tar archive is damaged or cut off: the rest is not read'

/** A file of an archive, to be read before the next one is asked for. */
export interface TarEntry {
  readonly name: string
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
}

/** Whether a file begins as a tar archive does: with a header that matches its checksum. */
export function isTar(bytes: Buffer): boolean {
  return bytes.length >= blockSize && hasChecksum(bytes.subarray(0, blockSize))
}

/** The files of an archive, which are as large as it is itself. Tells the sink of those that are left out. */
export async function* tarEntries(
  source: Source,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  taken: Taken
): AsyncGenerator<TarEntry, void, undefined> {
  const blocks = new Blocks(source.bytes())
  /** What a block before says of the next file. */
  let told: { name?: string | undefined; size?: number | undefined } = {}
  try {
    for (;;) {
      const header = await blocks.take(blockSize)
      if (header.every(byte => byte === 0)) return
      if (header.length < blockSize || !hasChecksum(header)) {
        sink.warn(damaged)
        return
      }
      const type = String.fromCharCode(header[156]!)
      const size = told.size ?? numberAt(header, 124, 12)
      if (!Number.isSafeInteger(size) || size < 0) {
        sink.warn(damaged)
        return
      }
      const padding = (blockSize - (size % blockSize)) % blockSize
      if (type === 'L' || type === 'x' || type === 'X') {
        const text = (await blocks.take(Math.min(size, longestName))).toString('utf8')
        await blocks.skip(size - Math.min(size, longestName) + padding)
        told = type === 'L' ? { ...told, name: untilZero(text) } : { ...told, ...recordsIn(text) }
        continue
      }
      const name = (told.name ?? nameIn(header)).replaceAll('\\', '/')
      told = {}
      const fault = type === '0' || type === '\0' || type === '7' ? faultOf(name) : ''
      if (fault) {
        sink.leftOut('file', fault)
        sink.warn('{name} is {reason}', { name: shown(name), reason: fault })
      }
      if (fault !== undefined || isAside(name)) {
        await blocks.skip(size + padding)
        continue
      }
      if (!taken.addEntry(sink)) return
      const part = new Part(blocks, size)
      yield { name, size, bytes: part.bytes() }
      await part.skip()
      if (part.left > 0) {
        sink.warn('{name} is damaged after {count} bytes: the archive ends there', {
          name: shown(name),
          count: size - part.left
        })
        return
      }
      await blocks.skip(padding)
    }
  } finally {
    await blocks.close()
  }
}

/** Why a file is left out; an empty text for what is no file, such as a folder. */
function faultOf(name: string): Reason | '' | undefined {
  if (name.endsWith('/')) return ''
  return leadsOut(name) ? leadingOut : undefined
}

/** The bytes of one file. */
class Part {
  constructor(
    private readonly blocks: Blocks,
    public left: number
  ) {}

  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    while (this.left > 0) {
      const piece = await this.blocks.some(this.left)
      if (piece.length === 0) return
      this.left -= piece.length
      yield piece
    }
  }

  async skip(): Promise<void> {
    this.left -= await this.blocks.skip(this.left)
  }
}

/** Bytes in the sizes that are asked for. */
class Blocks {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** What there is next, `most` bytes at most; empty at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done) return this.#rest
      this.#rest = value
    }
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /** So many bytes, fewer at the end. */
  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = size; left > 0;) {
      const piece = await this.some(left)
      if (piece.length === 0) break
      parts.push(piece)
      left -= piece.length
    }
    return Buffer.concat(parts)
  }

  /** Passes over bytes; returns how many there were. */
  async skip(size: number): Promise<number> {
    let left = size
    while (left > 0) {
      const piece = await this.some(left)
      if (piece.length === 0) break
      left -= piece.length
    }
    return size - left
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }
}

function hasChecksum(header: Buffer): boolean {
  let sum = 0
  for (let at = 0; at < blockSize; at++) sum += at >= checksumStart && at < checksumEnd ? 32 : header[at]!
  return numberAt(header, checksumStart, 8) === sum
}

/** A number of octal digits, or in binary where its first bit is set; `NaN` if it is none. */
function numberAt(header: Buffer, at: number, length: number): number {
  if (header[at]! & 0x80) {
    let value = header[at]! & 0x7f
    for (let place = at + 1; place < at + length; place++) value = value * 256 + header[place]!
    return value
  }
  const digits = header
    .toString('latin1', at, at + length)
    .replaceAll('\0', ' ')
    .trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : digits === '' ? 0 : NaN
}

function nameIn(header: Buffer): string {
  const name = untilZero(header.toString('utf8', 0, 100))
  const prefix =
    header.toString('latin1', 257, 262) === 'ustar' ? untilZero(header.toString('utf8', 345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function untilZero(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

/** The name and size that records such as `30 path=a/b` tell. */
function recordsIn(text: string): { name?: string; size?: number } {
  const name = /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1]
  const size = /(?:^|\n)\d+ size=(\d+)/.exec(text)?.[1]
  return { ...(name !== undefined && { name }), ...(size !== undefined && { size: Number(size) }) }
}
