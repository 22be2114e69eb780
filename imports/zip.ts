/** Archives: their entries as sources, without those that are dangerous or not the person's own. */
import { isAbsolute } from 'node:path/posix'
import zlib from 'node:zlib'
import { open, type Entry, type ZipFile } from 'yauzl'
import type { Reason } from './reasons.js'
import type { Sink, Source } from './record.js'
import { Unreadable } from './record.js'
import { Spans } from './spans.js'

/** Bytes that the entries of an archive may have together. */
const mostBytes = 20 * 1024 ** 3
/** How many times its packed size an entry may have. */
const highestRatio = 1000
/** Below this size (bytes) ratios say nothing. */
const smallEntry = 1024 * 1024
/** How many times its size an archive may unpack to: what exports hold shrinks to a twentieth, tables of zeros to a hundredth. */
const highestWhole = 250
/** Bytes that any archive may unpack to. */
const smallWhole = 256 * 1024 * 1024
const mostEntries = 200_000
/** Characters of the path of a file that is kept open. */
const longestPath = 500
/** Bytes of the header in front of an entry, without its name. */
const headerSize = 30
export const tight = 'packed suspiciously tightly'
export const leadingOut = 'at a path that leads out of the archive'
export const encrypted = 'encrypted'

/** What has been taken out of an archive, and of those within it. */
export class Taken {
  bytes = 0
  entries = 0

  /** `size`: bytes of the outermost archive. */
  constructor(private readonly size: number) {}

  /** Bytes that may be unpacked in all, which is work that whoever sent the archive has to have sent something for. */
  get most(): number {
    return Math.max(smallWhole, this.size * highestWhole)
  }

  /** Bytes that a part of so many packed bytes may unpack to. */
  roomFor(packed: number): number {
    const room = Math.min(this.most, mostBytes) - this.bytes
    return Math.min(room, Math.max(smallEntry, packed * highestRatio))
  }

  /** Counts a file; returns false where there are too many. */
  addEntry(sink: Pick<Sink, 'warn'>): boolean {
    if (++this.entries <= mostEntries) return true
    sink.warn('The archive holds more than {count} files: the rest is not read', { count: mostEntries })
    return false
  }
}

/** Whether a file begins as an archive does. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0x0403_4b50
}

/** The files of an archive, each open to be read until the next one is asked for. Closes it at the end. */
export async function* entriesOf(
  file: string,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  taken: Taken
): AsyncGenerator<Source, void, undefined> {
  const zip = await opened(file)
  try {
    yield* entriesIn(zip, sink, taken)
  } finally {
    zip.close()
  }
}

/** Does something with the XML files of an archive, by their names, all of which are open until it is done. */
export async function withXmlFiles(
  file: string,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  taken: Taken,
  work: (files: ReadonlyMap<string, Source>) => Promise<void>
): Promise<void> {
  const zip = await opened(file)
  try {
    const files = new Map<string, Source>()
    for await (const entry of entriesIn(zip, sink, taken, () => false))
      if (entry.name.length <= longestPath && /\.(?:xml|rels)$/i.test(entry.name))
        files.set(entry.name, entry)
    await work(files)
  } finally {
    zip.close()
  }
}

async function* entriesIn(
  zip: ZipFile,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  taken: Taken,
  isSkipped = isAside
): AsyncGenerator<Source, void, undefined> {
  const spans = new Spans()
  for (;;) {
    const entry = await nextEntry(zip)
    if (!entry) return
    if (!taken.addEntry(sink)) return
    const fileName = nameOf(entry)
    if (fileName.endsWith('/') || isSkipped(fileName)) continue
    const fault = faultOf(entry, fileName, spans, taken)
    if (fault !== undefined) {
      sink.leftOut('file', fault)
      sink.warn('{name} is {reason}', { name: shown(fileName), reason: fault })
      continue
    }
    taken.bytes += entry.uncompressedSize
    if (taken.bytes > mostBytes) {
      sink.leftOut('file', 'beyond the 20 GB that an archive may unpack to')
      sink.warn('The archive unpacks to more than 20 GB: the rest is not read')
      return
    }
    yield {
      name: fileName,
      size: entry.uncompressedSize,
      bytes: () => unpacked(zip, entry, fileName, sink)
    }
  }
}

/** What a Mac adds to archives, and other hidden files. */
export function isAside(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(?:^|\/)\.[^/]*$/.test(name)
}

/** Names are decoded here: the library would refuse the whole archive for one that leads out of it. */
function nameOf({ fileName }: Entry): string {
  return Buffer.from(fileName as unknown as Uint8Array)
    .toString('utf8')
    .replaceAll('\\', '/')
}

function faultOf(entry: Entry, fileName: string, spans: Spans, taken: Taken): Reason | undefined {
  const { compressedSize, compressionMethod, relativeOffsetOfLocalHeader: start, uncompressedSize } = entry
  if (leadsOut(fileName)) return leadingOut
  if (entry.isEncrypted()) return encrypted
  if (compressionMethod !== 0 && compressionMethod !== 8) return 'packed by a method that is not known'
  if (uncompressedSize > smallEntry && uncompressedSize > compressedSize * highestRatio) return tight
  if (!spans.claim(start, start + headerSize + compressedSize)) return 'made of the bytes of another one'
  return taken.bytes + uncompressedSize > taken.most ? tight : undefined
}

/** Whether a path in an archive is one outside of it. */
export function leadsOut(name: string): boolean {
  return isAbsolute(name) || /^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..')
}

function opened(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }
    open(file, options, (error, zip) => {
      if (error)
        reject(new Unreadable('The archive is damaged or cut off: {error}', { error: error.message }))
      else resolve(zip)
    })
  })
}

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

/** The bytes of an entry. Those before a damage are given out; the sink is told of it. */
async function* unpacked(
  zip: ZipFile,
  entry: Entry,
  name: string,
  sink: Pick<Sink, 'leftOut' | 'warn'>
): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0
  let size = 0
  try {
    const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
      zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
    )
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (checksum) sum = checksum(chunk, sum)
      size += chunk.length
      yield chunk
    }
  } catch (error) {
    sink.warn('{name} is damaged after {count} bytes: {error}', {
      name: shown(name),
      count: size,
      error: error instanceof Error ? error.message : 'no more'
    })
    return
  }
  if (checksum && sum !== entry.crc32)
    sink.warn('{name} does not match its checksum: some of it may be wrong', { name: shown(name) })
}

/** Missing in the first versions of Node 20. */
const checksum = (zlib as { crc32?: (data: Buffer, value?: number) => number }).crc32

/** A name as it is told. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}
