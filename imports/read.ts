/** Reads a file: finds out what it is, and what is in it if it is an archive. */
import { createWriteStream, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { archiveFormats, formats } from './formats/index.js'
import {
  Unreadable,
  type ArchiveFormat,
  type Context,
  type Format,
  type Head,
  type Sink,
  type Source
} from './record.js'
import { piecesOf } from './pieces.js'
import { headOf } from './text/decode.js'
import { entriesOf, isZip, Taken } from './zip.js'

/** A sink that is told which format comes next. */
export interface FormatSink extends Sink {
  begin(format: Pick<Format, 'id' | 'name'>): void
}

/** Files of an archive that no format recognises: reported by name. */
const mostNamed = 20
/** How many times the size of its archive an archive within may have: it is packed once more than that. */
const mostOfInner = 2
/** Below this size (bytes) it may be anything. */
const smallInner = 1024 * 1024

/**
 * Reads everything that is in a file. `spool` is where an archive within the archive is put while it is read. Throws
 * {@link Unreadable} if nothing in it can be read.
 */
export async function readFile(
  file: string,
  { name, size, spool }: { readonly name: string; readonly size: number; readonly spool: string },
  sink: FormatSink,
  context: Context,
  progress: (bytes: number) => void
): Promise<void> {
  const source = { name: basename(name), size, bytes: () => piecesOf(file, progress) }
  const head = await headOf({ ...source, bytes: () => piecesOf(file) })
  if (!isZip(head.bytes)) return await readOne(source, head, sink, context)
  const found = await new ArchiveReader(sink, context, progress, spool, size).read(file, false)
  if (found === 0) throw new Unreadable('The archive holds no file of a format that is known')
}

/** Reads the files of an archive, and of those within it. */
class ArchiveReader {
  #unknown = 0
  readonly #taken: Taken

  constructor(
    private readonly sink: FormatSink,
    private readonly context: Context,
    private readonly progress: (bytes: number) => void,
    private readonly spool: string,
    private readonly size: number
  ) {
    this.#taken = new Taken(size)
  }

  /** Returns how many of its files are of known formats. */
  async read(file: string, isInner: boolean): Promise<number> {
    const whole = isInner ? undefined : await archiveFormatOf(file, this.size)
    if (whole) {
      this.sink.begin(whole)
      await whole.read(this.#entries(file), this.sink, this.context)
      return 1
    }
    let known = 0
    for await (const entry of this.#entries(file)) {
      const head = await headOf(entry)
      if (isZip(head.bytes) && !isInner) known += await this.#unpacked(entry)
      else if (await this.#entry(entry, head)) known++
    }
    return known
  }

  /** Its files; how far each is is told while it is read, and once it has been. */
  async *#entries(file: string): AsyncGenerator<Source, void, undefined> {
    const { progress } = this
    for await (const entry of entriesOf(file, this.sink, this.#taken)) {
      yield { ...entry, bytes: () => ticking(entry.bytes(), progress) }
      progress(entry.size)
    }
  }

  async #unpacked(entry: Source): Promise<number> {
    if (entry.size > smallInner && entry.size > this.size * mostOfInner) {
      this.sink.leftOut('file', 'packed suspiciously tightly')
      return 0
    }
    let known = 0
    try {
      await pipeline(entry.bytes(), createWriteStream(this.spool, { mode: 0o600 }))
      await guarded(entry.name, this.sink, async () => {
        known = await this.read(this.spool, true)
      })
    } finally {
      rmSync(this.spool, { force: true })
    }
    return known
  }

  /** Returns whether the format of a file is known. */
  async #entry(entry: Source, head: Head): Promise<boolean> {
    const { context, sink } = this
    const format = formatOf(head)
    if (!format) {
      if (++this.#unknown <= mostNamed)
        sink.warn(`${JSON.stringify(entry.name.slice(0, 200))} is not of a known format`)
      sink.leftOut('file', 'of no format that is known')
      return false
    }
    sink.begin(format)
    await guarded(entry.name, sink, () => format.read(entry, head, sink, context))
    return true
  }
}

/** The format of an archive as a whole, by its first file. */
async function archiveFormatOf(file: string, size: number): Promise<ArchiveFormat | undefined> {
  const unheard = { leftOut: () => undefined, warn: () => undefined }
  for await (const entry of entriesOf(file, unheard, new Taken(size))) {
    const head = await headOf(entry)
    return archiveFormats.find(format => format.recognises(head))
  }
  return undefined
}

/** Tells with each piece that reading goes on. */
async function* ticking(
  pieces: AsyncIterable<Buffer>,
  progress: (bytes: number) => void
): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) {
    progress(0)
    yield piece
  }
}

async function readOne(source: Source, head: Head, sink: FormatSink, context: Context): Promise<void> {
  if (source.size === 0) throw new Unreadable('The file is empty')
  const format = formatOf(head)
  if (!format) throw new Unreadable(whatElse(head))
  sink.begin(format)
  await format.read(source, head, sink, context)
}

/** One bad file does not keep the others of an archive from being read. */
async function guarded(name: string, sink: Sink, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    sink.leftOut('file', 'damaged')
    sink.warn(`${JSON.stringify(name.slice(0, 200))}: ${error.message}`)
  }
}

/** The format of a file. */
export function formatOf(head: Head): Format | undefined {
  return formats.find(format => format.recognises(head))
}

function whatElse({ bytes, text }: Head): string {
  if (/^\s*(?:<!doctype html|<html)/i.test(text))
    return 'The file is a web page, perhaps an error message in place of the export: download it again'
  if (bytes.subarray(0, 4).toString('latin1') === '%PDF')
    return 'The file is a PDF: ask the service that made it for an export of data'
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'The file is packed by gzip: unpack it first'
  return 'The file is of no format that is known'
}
