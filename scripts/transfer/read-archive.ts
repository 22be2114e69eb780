/**
 * Reads a ZIP that may come from anybody: names of a short list only, no more bytes than it says and than fit, each file
 * against its digest.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { digestsName, headName, type ArchiveHead, type Digest } from '../../core/account-archive.js'
import { exportedTables, type ExportedTable } from '../../storage/transfer/tables.js'
import { TransferError } from './transfer-error.js'

/** How many times as large as the ZIP its files may be: rows that repeat themselves make a hundred. */
const largestRatio = 250
const largestSmallFile = 1024 * 1024
/** Most characters of a line: an event with the largest content that the service takes. */
const largestLine = 64 * 1024 * 1024

const attachmentName = /^attachments\/(c[a-z0-9]{24})$/

export class Archive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly digests: ReadonlyMap<string, Digest>,
    readonly head: ArchiveHead
  ) {}

  /** Opens an archive. Raises {@link TransferError} for anything that is none. `room`: bytes that may be written. */
  static async open(file: string, room: number): Promise<Archive> {
    const { openPromise } = await import('yauzl')
    let zip: ZipFile
    try {
      zip = await openPromise(file, { lazyEntries: true, autoClose: false })
    } catch (error) {
      throw refused(file, error)
    }
    try {
      const entries = await entriesOf(
        zip,
        Math.min(room, statSync(file).size * largestRatio + largestSmallFile)
      )
      const read = async (name: string): Promise<unknown> =>
        JSON.parse(await smallText(zip, entries.get(name)))
      const digests = new Map(Object.entries((await read(digestsName)) as Record<string, Digest>))
      const head = (await read(headName)) as ArchiveHead
      if (head.format !== 'coffer-account') throw new TransferError('it is no account')
      if (head.version !== 1) throw new TransferError('it is of a later version')
      if (!Number.isSafeInteger(head.schema) || head.schema < 1 || !Number.isFinite(head.created))
        throw new TransferError(`its ${headName} is damaged`)
      const missing = [...entries.keys()].filter(name => name !== digestsName && !digests.has(name))
      const absent = [...digests.keys()].filter(name => !entries.has(name))
      if (missing.length > 0 || absent.length > 0)
        throw new TransferError(`files and digests differ: ${[...missing, ...absent].slice(0, 5).join(', ')}`)
      return new Archive(zip, entries, digests, head)
    } catch (error) {
      zip.close()
      throw refused(file, error)
    }
  }

  /** Ids of the attachments. */
  get attachments(): string[] {
    return [...this.entries.keys()].flatMap(name => attachmentName.exec(name)?.[1] ?? [])
  }

  /** The bytes of an attachment; raises at their end when they are others. */
  attachment(id: string): AsyncGenerator<Buffer, void, undefined> {
    return this.#bytes(`attachments/${id}`)
  }

  /** The rows of a table; none if it is not in the archive. */
  async *rows(table: ExportedTable): AsyncGenerator<unknown, void, undefined> {
    const name = `tables/${table}.jsonl`
    if (!this.entries.has(name)) return
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let rest = ''
    for await (const chunk of this.#bytes(name)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > largestLine) throw new TransferError(`${name} has a line that is too long`)
      for (const line of lines) yield JSON.parse(line)
    }
    if (rest !== '') throw new TransferError(`${name} ends in the middle of a line`)
  }

  close(): void {
    this.zip.close()
  }

  async *#bytes(name: string): AsyncGenerator<Buffer, void, undefined> {
    const digest = this.digests.get(name)
    const entry = this.entries.get(name)
    if (!digest || !entry) throw new TransferError(`${name} is missing`)
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of (await this.zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
    if (size !== digest.size || hash.digest('hex') !== digest.sha256)
      throw new TransferError(`${name} is not what its digest says`)
  }
}

const known = new Set([headName, digestsName, ...exportedTables.map(table => `tables/${table}.jsonl`)])

/** The files of a ZIP by name. */
async function entriesOf(zip: ZipFile, most: number): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let total = 0
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry
    if (!known.has(fileName) && !attachmentName.test(fileName))
      throw new TransferError(`${JSON.stringify(fileName.slice(0, 100))} is no file of an account`)
    if (entries.has(fileName)) throw new TransferError(`${fileName} is there twice`)
    total += uncompressedSize
    if (total > most) throw new TransferError('its files are larger than can be')
    entries.set(fileName, entry)
  }
  return entries
}

async function smallText(zip: ZipFile, entry: Entry | undefined): Promise<string> {
  if (!entry) throw new TransferError(`${headName} or ${digestsName} is missing`)
  const chunks: Buffer[] = []
  const source: Readable = await zip.openReadStreamPromise(entry)
  for await (const chunk of source as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** What whoever runs the command is told. */
export function refused(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code === 'ENOSPC') return error
  return new TransferError(`${file} is refused: ${error.message}`)
}
