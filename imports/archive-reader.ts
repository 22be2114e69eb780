/** Reads the files of an archive, and of archives nested in it. */
import { createWriteStream, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { appleHealth } from './formats/apple/health.js'
import { appleCda } from './formats/clinical/cda.js'
import { archiveFormats, findFormat } from './formats/index.js'
import { strava, StravaExport, StravaSink } from './formats/tracks/strava.js'
import { detectContainer } from './detect-container.js'
import { readDatabase } from './read-database.js'
import { openGzipFile } from './gzip.js'
import {
  isPackagePart,
  describeUnsupported,
  describePackage,
  type FileDescription
} from './unsupported-kinds.js'
import type { Notice } from './messages.js'
import { readChunks, withProgress } from './read-chunks.js'
import {
  Unreadable,
  type ArchiveFormat,
  type ReadContext,
  type FormatSink,
  type FileHead,
  type Sink,
  type SourceFile,
  silentSink
} from './record.js'
import type { SkipReason } from './skip-reasons.js'
import { readTarEntries } from './tar.js'
import { readHead } from './text/decode.js'
import { isWorkbook, readWorkbook, excelFormat } from './workbooks/workbook.js'
import { encryptedReason, readZipEntries, formatFileName, ReadBudget, tooTightlyPacked } from './zip.js'

/** Maximum number of unrecognised files that are reported by name. */
const maxNamedFiles = 20
/**
 * A nested archive may be at most this many times the size of the upload. A larger archive indicates a decompression
 * bomb, as it is compressed twice.
 */
const maxInnerRatio = 2
/** Nested archives below this size (bytes) are exempt from that limit. */
const minCheckedInnerSize = 1024 * 1024
/** Maximum number of archives nested in one another. Each compressed file counts as one: a ZIP with a `.tar.gz` of files has three. */
const maxDepth = 4
const unknownFormat = 'of no format that is known'

/** Position of a file within nested archives. */
interface Location {
  /** True if files of the archive may be spooled: the spool holds one file at a time. */
  readonly maySpool: boolean
  /** Number of archives that contain the current archive. */
  readonly depth: number
  /** Reads the files of the current archive again, from the first one. */
  readonly reopenArchive?: () => AsyncIterable<SourceFile>
}

/** Reads a file or an archive, and passes the records of every file to the sink. */
export class ArchiveReader {
  #unknownCount = 0
  /** What the first unreadable file is. */
  #firstFailure: Notice | undefined
  #hasEncrypted = false
  /** Receives the records of the current file, if a table of the archive describes it. */
  #activitySink: Sink | undefined
  /** True if the uploaded file is compressed and cannot be decompressed. */
  #isDamaged = false
  readonly #budget: ReadBudget

  constructor(
    private readonly sink: FormatSink,
    private readonly context: ReadContext,
    private readonly progress: (bytes: number) => void,
    private readonly spool: string,
    private readonly size: number
  ) {
    this.#budget = new ReadBudget(size)
  }

  /** Reads a file or an archive. Throws {@link Unreadable} if nothing in it can be read. */
  async readAll(source: SourceFile): Promise<void> {
    const found = await this.#readFile(source, { maySpool: true, depth: 0 })
    if (found > 0) return
    if (this.#hasEncrypted)
      throw new Unreadable('The archive is encrypted: unpack it with its password, and send what is in it')
    if (this.#isDamaged)
      throw new Unreadable('The file is packed by gzip, and damaged, cut off or packed suspiciously tightly')
    throw this.#firstFailure
      ? new Unreadable('The archive holds no file of a format that is known: {message}', {
          message: this.#firstFailure
        })
      : new Unreadable('The archive holds no file of a format that is known')
  }

  /** Reads a file, or the files in it; returns the number of files of known formats. */
  async #readFile(source: SourceFile, location: Location): Promise<number> {
    const head = await readHead(source)
    const container = detectContainer(head.bytes)
    const isOpened = location.depth < maxDepth
    const isWhole = source.path !== undefined || location.maySpool
    if (container === 'zip' && isOpened && isWhole) return await this.#readZip(source, location)
    if (container === 'gzip' && isOpened) return await this.#readGzip(source, location)
    if (container === 'tar' && isOpened && location.maySpool) return await this.#readTar(source, location)
    if (container === 'database' && isWhole) return await this.#readDatabase(source)
    return (await this.#readEntry(source, head, location)) ? 1 : 0
  }

  async #readZip(source: SourceFile, { depth }: Location): Promise<number> {
    const { path } = source
    if (path !== undefined) return await this.#readZipEntries(path, depth, path !== this.spool)
    if (source.size > minCheckedInnerSize && source.size > this.size * maxInnerRatio) {
      this.sink.skip('file', tooTightlyPacked)
      return 0
    }
    return await this.#withSpool(source.bytes(), source.name, () =>
      this.#readZipEntries(this.spool, depth, false)
    )
  }

  async #readZipEntries(path: string, depth: number, maySpool: boolean): Promise<number> {
    if (await isWorkbook(path, this.size)) {
      this.sink.beginFormat(excelFormat)
      await readWorkbook(path, this.sink, this.context, this.#budget, this.progress)
      return 1
    }
    const archiveFormat = depth === 0 ? await findArchiveFormat(path, this.size) : undefined
    if (archiveFormat) {
      this.sink.beginFormat(archiveFormat)
      await archiveFormat.read(this.#readZipFiles(path), this.sink, this.context)
      return 1
    }
    const reopenArchive = (): AsyncIterable<SourceFile> =>
      readZipEntries(path, silentSink, new ReadBudget(this.size))
    const inner = { maySpool, depth: depth + 1, reopenArchive }
    const table = await StravaExport.find(reopenArchive)
    let count = 0
    for await (const entry of this.#readZipFiles(path)) {
      const kind = isPackagePart(entry.name) ? describePackage(await readHead(entry)) : undefined
      const activity = table?.findActivity(entry.name)
      if (kind) {
        if (depth === 0) throw new Unreadable('The file is {is}: {advice}', { ...kind })
        this.#reportUnknown(entry.name, kind)
        return count
      }
      if (table?.isTable(entry.name)) {
        this.sink.beginFormat(strava)
        table.addActivities(this.sink)
        count++
      } else if (activity) {
        const activitySink = (this.#activitySink = new StravaSink(this.sink, activity))
        count += await this.#readFile(entry, inner)
        this.#activitySink = undefined
        if (!activitySink.hasActivity) this.sink.beginFormat(strava)
        activitySink.end()
      } else count += await this.#readFile(entry, inner)
    }
    return count
  }

  /** Yields the files of a ZIP; reports progress while and after each file is read. */
  async *#readZipFiles(path: string): AsyncGenerator<SourceFile, void, undefined> {
    const { progress, sink } = this
    const observer = {
      skip: (kind: string, reason: SkipReason) => {
        this.#hasEncrypted ||= reason === encryptedReason
        sink.skip(kind, reason)
      },
      warn: (...given: Parameters<Sink['warn']>) => sink.warn(...given)
    }
    for await (const entry of readZipEntries(path, observer, this.#budget)) {
      yield { ...entry, bytes: () => withProgress(entry.bytes(), progress) }
      progress(entry.size)
    }
  }

  async #readGzip(source: SourceFile, { depth, maySpool }: Location): Promise<number> {
    const inner = await openGzipFile(source, this.sink, this.#budget)
    if (!inner) {
      this.#isDamaged = depth === 0
      return 0
    }
    const bytes = (): AsyncIterable<Buffer> => withProgress(inner.bytes(), this.progress)
    return await this.#readFile({ ...inner, bytes }, { maySpool, depth: depth + 1 })
  }

  /** Reads a tar archive in one pass. Each of its files is spooled, so that its format can read it more than once. */
  async #readTar(source: SourceFile, { depth }: Location): Promise<number> {
    let known = 0
    const reopenArchive = (): AsyncIterable<SourceFile> => tarSources(source, this.size)
    for await (const { bytes, name, size } of readTarEntries(source, this.sink, this.#budget)) {
      const path = this.spool
      known += await this.#withSpool(bytes, name, () =>
        this.#readFile(
          { name, size, path, bytes: () => withProgress(readChunks(path), this.progress) },
          { maySpool: false, depth: depth + 1, reopenArchive }
        )
      )
      this.progress(0)
    }
    return known
  }

  async #readDatabase(source: SourceFile): Promise<number> {
    const { name, path } = source
    if (path === undefined) {
      const spooled = { ...source, path: this.spool }
      return await this.#withSpool(source.bytes(), name, () => this.#readDatabase(spooled))
    }
    const kind = await readDatabase(path, this.sink, this.context, () => this.progress(0))
    if (kind) this.#reportUnknown(name, kind)
    return kind ? 0 : 1
  }

  /** Copies a file to the spool and calls `work`; removes the spool afterwards. */
  async #withSpool(bytes: AsyncIterable<Buffer>, name: string, work: () => Promise<number>): Promise<number> {
    let known = 0
    try {
      await pipeline(withProgress(bytes, this.progress), createWriteStream(this.spool, { mode: 0o600 }))
      await this.#catchUnreadable(name, this.sink, async () => {
        known = await work()
      })
    } finally {
      rmSync(this.spool, { force: true })
    }
    return known
  }

  /** Reads a file; returns false if its format is unknown, or if it repeats records that another file of the archive has. */
  async #readEntry(entry: SourceFile, head: FileHead, { reopenArchive }: Location): Promise<boolean> {
    const { context } = this
    const format = findFormat(head)
    if (!format) {
      this.#reportUnknown(entry.name, describeUnsupported(head))
      return false
    }
    if (
      format === appleCda &&
      reopenArchive &&
      (await hasAppleHealth(reopenArchive(), getFolder(entry.name)))
    ) {
      this.sink.skip('file', 'a copy of records that are in the archive themselves')
      this.sink.warn('{name} is a copy of what is in Apple’s other file: it is not read', {
        name: formatFileName(entry.name)
      })
      return false
    }
    this.sink.beginFormat(format)
    const sink = this.#activitySink ?? this.sink
    await this.#catchUnreadable(entry.name, sink, () => format.read(entry, head, sink, context))
    return true
  }

  /** Calls `work`. A file that is unreadable is reported; the other files of the archive are still read. */
  async #catchUnreadable(name: string, sink: Sink, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      const values = { name: formatFileName(name), message: error.notice }
      this.#firstFailure ??= { message: '{name}: {message}', values }
      sink.skip('file', 'damaged')
      sink.warn('{name}: {message}', values)
    }
  }

  #reportUnknown(name: string, kind: FileDescription | undefined): void {
    const notice: Notice = kind
      ? { message: '{name} is {is}: {advice}', values: { name: formatFileName(name), ...kind } }
      : { message: '{name} is not of a known format', values: { name: formatFileName(name) } }
    if (kind) this.#firstFailure ??= notice
    if (++this.#unknownCount <= maxNamedFiles) this.sink.warn(notice.message, notice.values)
    this.sink.skip('file', unknownFormat)
  }
}

/** Returns the format of the archive as a whole, by its first file. */
async function findArchiveFormat(file: string, size: number): Promise<ArchiveFormat | undefined> {
  for await (const entry of readZipEntries(file, silentSink, new ReadBudget(size))) {
    const head = await readHead(entry)
    return archiveFormats.find(format => format.recognises(head))
  }
  return undefined
}

/** Returns true if Apple's `export.xml` is among the files of a folder. */
async function hasAppleHealth(files: AsyncIterable<SourceFile>, folder: string): Promise<boolean> {
  for await (const file of files) {
    const isNamedAlike = /\.xml$/i.test(file.name) && getFolder(file.name) === folder
    if (isNamedAlike && appleHealth.recognises(await readHead(file))) return true
  }
  return false
}

const getFolder = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1)

/** Yields the files of a tar archive. Each file is readable until the next one is requested. */
async function* tarSources(source: SourceFile, size: number): AsyncGenerator<SourceFile, void, undefined> {
  for await (const { bytes, ...entry } of readTarEntries(source, silentSink, new ReadBudget(size)))
    yield { ...entry, bytes: () => bytes }
}
