/** Reads the files of an archive, and of the archives within it. */
import { createWriteStream, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { appleHealth } from './formats/apple/health.js'
import { appleCda } from './formats/clinical/cda.js'
import { archiveFormats, formatOf } from './formats/index.js'
import { strava, StravaExport, StravaSink } from './formats/tracks/strava.js'
import { containerOf } from './container.js'
import { readDatabase } from './databases.js'
import { openGzip } from './gzip.js'
import { isPackagePart, kindOf, packageKind, type Description } from './kinds.js'
import type { Notice } from './messages.js'
import { piecesOf, ticking } from './pieces.js'
import {
  Unreadable,
  type ArchiveFormat,
  type Context,
  type FormatSink,
  type Head,
  type Sink,
  type Source
} from './record.js'
import type { Reason } from './reasons.js'
import { tarEntries } from './tar.js'
import { headOf } from './text/decode.js'
import { isWorkbook, readWorkbook, workbook } from './workbooks/workbook.js'
import { encrypted, entriesOf, shown, Taken, tight } from './zip.js'

/** Files of an archive that no format recognises: reported by name. */
const mostNamed = 20
/** How many times the size of its archive an archive within may have: it is packed once more than that. */
const mostOfInner = 2
/** Below this size (bytes) it may be anything. */
const smallInner = 1024 * 1024
/** Archives within one another that are opened, each packed file being one: a ZIP with a `.tar.gz` of files has three. */
const deepest = 4
const unknown = 'of no format that is known'

/** Where a file is. */
interface Place {
  /** Whether the spool is free: only one file at a time is put there. */
  readonly maySpool: boolean
  /** Archives around it. */
  readonly depth: number
  /** Opens the archive that it is in once more. */
  readonly beside?: () => AsyncIterable<Source>
}

export class ArchiveReader {
  #unknown = 0
  /** What the first file is that cannot be read. */
  #first: Notice | undefined
  #hasEncrypted = false
  /** Takes what is in the present file, where a table tells more of it. */
  #own: Sink | undefined
  /** Whether the file itself is packed, and what is in it cannot be read. */
  #isDamaged = false
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

  /** Reads an archive. Throws {@link Unreadable} where nothing in it can be read. */
  async readAll(source: Source): Promise<void> {
    const found = await this.#file(source, { maySpool: true, depth: 0 })
    if (found > 0) return
    if (this.#hasEncrypted)
      throw new Unreadable('The archive is encrypted: unpack it with its password, and send what is in it')
    if (this.#isDamaged)
      throw new Unreadable('The file is packed by gzip, and damaged, cut off or packed suspiciously tightly')
    throw this.#first
      ? new Unreadable('The archive holds no file of a format that is known: {message}', {
          message: this.#first
        })
      : new Unreadable('The archive holds no file of a format that is known')
  }

  /** Reads a file, or what is in it; returns how many files of known formats there are. */
  async #file(source: Source, place: Place): Promise<number> {
    const head = await headOf(source)
    const container = containerOf(head.bytes)
    const isOpened = place.depth < deepest
    const isWhole = source.path !== undefined || place.maySpool
    if (container === 'zip' && isOpened && isWhole) return await this.#zip(source, place)
    if (container === 'gzip' && isOpened) return await this.#gzip(source, place)
    if (container === 'tar' && isOpened && place.maySpool) return await this.#tar(source, place)
    if (container === 'database' && isWhole) return await this.#database(source)
    return (await this.#entry(source, head, place)) ? 1 : 0
  }

  async #zip(source: Source, { depth }: Place): Promise<number> {
    const { path } = source
    if (path !== undefined) return await this.#entries(path, depth, path !== this.spool)
    if (source.size > smallInner && source.size > this.size * mostOfInner) {
      this.sink.leftOut('file', tight)
      return 0
    }
    return await this.#spooled(source.bytes(), source.name, () => this.#entries(this.spool, depth, false))
  }

  async #entries(path: string, depth: number, maySpool: boolean): Promise<number> {
    if (await isWorkbook(path, this.size)) {
      this.sink.begin(workbook)
      await readWorkbook(path, this.sink, this.context, this.#taken, this.progress)
      return 1
    }
    const whole = depth === 0 ? await archiveFormatOf(path, this.size) : undefined
    if (whole) {
      this.sink.begin(whole)
      await whole.read(this.#unpacked(path), this.sink, this.context)
      return 1
    }
    const beside = (): AsyncIterable<Source> => entriesOf(path, unheard, new Taken(this.size))
    const inner = { maySpool, depth: depth + 1, beside }
    const table = await StravaExport.find(beside)
    let known = 0
    for await (const entry of this.#unpacked(path)) {
      const kind = isPackagePart(entry.name) ? packageKind(await headOf(entry)) : undefined
      const activity = table?.activityIn(entry.name)
      if (kind) {
        if (depth === 0) throw new Unreadable('The file is {is}: {advice}', { ...kind })
        this.#refuse(entry.name, kind)
        return known
      }
      if (table?.isTable(entry.name)) {
        this.sink.begin(strava)
        table.give(this.sink)
        known++
      } else if (activity) {
        const own = (this.#own = new StravaSink(this.sink, activity))
        known += await this.#file(entry, inner)
        this.#own = undefined
        if (!own.isTold) this.sink.begin(strava)
        own.end()
      } else known += await this.#file(entry, inner)
    }
    return known
  }

  /** The files of a ZIP; how far each is is told while it is read, and once it has been. */
  async *#unpacked(path: string): AsyncGenerator<Source, void, undefined> {
    const { progress, sink } = this
    const listening = {
      leftOut: (kind: string, reason: Reason) => {
        this.#hasEncrypted ||= reason === encrypted
        sink.leftOut(kind, reason)
      },
      warn: (...given: Parameters<Sink['warn']>) => sink.warn(...given)
    }
    for await (const entry of entriesOf(path, listening, this.#taken)) {
      yield { ...entry, bytes: () => ticking(entry.bytes(), progress) }
      progress(entry.size)
    }
  }

  async #gzip(source: Source, { depth, maySpool }: Place): Promise<number> {
    const inner = await openGzip(source, this.sink, this.#taken)
    if (!inner) {
      this.#isDamaged = depth === 0
      return 0
    }
    const bytes = (): AsyncIterable<Buffer> => ticking(inner.bytes(), this.progress)
    return await this.#file({ ...inner, bytes }, { maySpool, depth: depth + 1 })
  }

  /** A tar archive is read once: each of its files is put aside, to be read as often as its format likes. */
  async #tar(source: Source, { depth }: Place): Promise<number> {
    let known = 0
    const beside = (): AsyncIterable<Source> => tarSources(source, this.size)
    for await (const { bytes, name, size } of tarEntries(source, this.sink, this.#taken)) {
      const path = this.spool
      known += await this.#spooled(bytes, name, () =>
        this.#file(
          { name, size, path, bytes: () => ticking(piecesOf(path), this.progress) },
          { maySpool: false, depth: depth + 1, beside }
        )
      )
      this.progress(0)
    }
    return known
  }

  async #database(source: Source): Promise<number> {
    const { name, path } = source
    if (path === undefined) {
      const spooled = { ...source, path: this.spool }
      return await this.#spooled(source.bytes(), name, () => this.#database(spooled))
    }
    const kind = await readDatabase(path, this.sink, this.context, () => this.progress(0))
    if (kind) this.#refuse(name, kind)
    return kind ? 0 : 1
  }

  /** Puts a file aside while something is done with it. */
  async #spooled(bytes: AsyncIterable<Buffer>, name: string, work: () => Promise<number>): Promise<number> {
    let known = 0
    try {
      await pipeline(ticking(bytes, this.progress), createWriteStream(this.spool, { mode: 0o600 }))
      await this.#guarded(name, this.sink, async () => {
        known = await work()
      })
    } finally {
      rmSync(this.spool, { force: true })
    }
    return known
  }

  /** Returns whether the format of a file is known. */
  async #entry(entry: Source, head: Head, { beside }: Place): Promise<boolean> {
    const { context } = this
    const format = formatOf(head)
    if (!format) {
      this.#refuse(entry.name, kindOf(head))
      return false
    }
    if (format === appleCda && beside && (await hasAppleHealth(beside(), folderOf(entry.name)))) {
      this.sink.leftOut('file', 'a copy of records that are in the archive themselves')
      this.sink.warn('{name} is a copy of what is in Apple’s other file: it is not read', {
        name: shown(entry.name)
      })
      return false
    }
    this.sink.begin(format)
    const sink = this.#own ?? this.sink
    await this.#guarded(entry.name, sink, () => format.read(entry, head, sink, context))
    return true
  }

  /** One bad file does not keep the others of an archive from being read. */
  async #guarded(name: string, sink: Sink, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      const values = { name: shown(name), message: error.notice }
      this.#first ??= { message: '{name}: {message}', values }
      sink.leftOut('file', 'damaged')
      sink.warn('{name}: {message}', values)
    }
  }

  #refuse(name: string, kind: Description | undefined): void {
    const notice: Notice = kind
      ? { message: '{name} is {is}: {advice}', values: { name: shown(name), ...kind } }
      : { message: '{name} is not of a known format', values: { name: shown(name) } }
    if (kind) this.#first ??= notice
    if (++this.#unknown <= mostNamed) this.sink.warn(notice.message, notice.values)
    this.sink.leftOut('file', unknown)
  }
}

/** For looking at an archive before it is read. */
const unheard = { leftOut: () => undefined, warn: () => undefined }

/** The format of an archive as a whole, by its first file. */
async function archiveFormatOf(file: string, size: number): Promise<ArchiveFormat | undefined> {
  for await (const entry of entriesOf(file, unheard, new Taken(size))) {
    const head = await headOf(entry)
    return archiveFormats.find(format => format.recognises(head))
  }
  return undefined
}

/** Whether Apple's export is among the files of a folder. */
async function hasAppleHealth(files: AsyncIterable<Source>, folder: string): Promise<boolean> {
  for await (const file of files)
    if (
      /\.xml$/i.test(file.name) &&
      folderOf(file.name) === folder &&
      appleHealth.recognises(await headOf(file))
    )
      return true
  return false
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1)
}

/** The files of a tar archive, each open to be read until the next one is asked for. */
async function* tarSources(source: Source, size: number): AsyncGenerator<Source, void, undefined> {
  for await (const { bytes, ...entry } of tarEntries(source, unheard, new Taken(size)))
    yield { ...entry, bytes: () => bytes }
}
