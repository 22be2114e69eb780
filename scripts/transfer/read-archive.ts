/**
 * Reads a ZIP that may come from anybody: names of a short list only, no more bytes than it says and than fit, each file
 * against its digest.
 */
import { createHash } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Entry, ZipFile } from 'yauzl'
import { ArchiveHead, Digests, digestsName, headName, type Digest } from '../../core/account/archive.js'
import { isSecret } from '../../storage/transfer/secrets.js'
import { exportedTables, type ExportedTable } from '../../storage/transfer/tables.js'
import { TransferError } from './transfer-error.js'

/** How many times as large as the ZIP its files may be: rows that repeat themselves make a hundred. */
const largestRatio = 250
const largestSmallFile = 1024 * 1024
/** Most characters of a line: an event with the largest content that the service takes. */
const largestLine = 64 * 1024 * 1024
/** Most files: each is kept in mind while the archive is read. */
const mostFiles = 500_000
/** Most bytes that the digest of one file takes. */
const digestSize = 256

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
      const most = largestSmallFile + entries.size * digestSize
      const digests = new Map(Object.entries(await read(zip, entries, digestsName, Digests, most)))
      const head = await read(zip, entries, headName, ArchiveHead, largestSmallFile)
      const missing = [...entries.keys()].filter(name => name !== digestsName && !digests.has(name))
      const absent = [...digests.keys()].filter(name => !entries.has(name))
      if (missing.length > 0 || absent.length > 0)
        throw new TransferError(`files and digests differ: ${[...missing, ...absent].slice(0, 5).join(', ')}`)
      for (const [name, { size }] of digests)
        if (entries.get(name)!.uncompressedSize !== size)
          throw new TransferError(`${name} is not what its digest says`)
      const secret = exportedTables.find(table => isSecret(table) && entries.has(`tables/${table}.jsonl`))
      if (!head.hasSecrets && secret)
        throw new TransferError(`it says that it holds no secrets, and holds tables/${secret}.jsonl`)
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
      // Only what is new is searched: a long line comes in a thousand pieces.
      const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n')
      rest += first
      if (rest.length > largestLine) throw new TransferError(`${name} has a line that is too long`)
      for (const line of lines) {
        yield JSON.parse(rest)
        rest = line
      }
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
      if (size > digest.size) break
      yield chunk
    }
    if (size !== digest.size || hash.digest('hex') !== digest.sha256)
      throw new TransferError(`${name} is not what its digest says`)
  }
}

const known = new Set([headName, digestsName, ...exportedTables.map(table => `tables/${table}.jsonl`)])

/** The files of a ZIP by name. */
async function entriesOf(zip: ZipFile, most: number): Promise<Map<string, Entry>> {
  if (zip.entryCount > mostFiles) throw new TransferError(`it holds more than ${mostFiles} files`)
  const entries = new Map<string, Entry>()
  let total = 0
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry
    const shown = JSON.stringify(fileName.slice(0, 100))
    if (!known.has(fileName) && !attachmentName.test(fileName))
      throw new TransferError(`${shown} is not a file of an account`)
    if (entries.has(fileName)) throw new TransferError(`${shown} is there twice`)
    if (entries.size >= mostFiles) throw new TransferError(`it holds more than ${mostFiles} files`)
    mustBePlain(entry, shown)
    total += uncompressedSize
    if (!Number.isSafeInteger(total) || total > most)
      throw new TransferError('its files are larger than can be')
    entries.set(fileName, entry)
  }
  return entries
}

/** Where ZIPs of Unix keep the mode of a file, and the kind that it is of. */
const modeShift = 16
const deflated = 8

/** Throws for what is encrypted, packed in a way that archives never are, or no file. */
function mustBePlain(entry: Entry, name: string): void {
  const kind = (entry.externalFileAttributes >>> modeShift) & constants.S_IFMT
  if (kind !== 0 && kind !== constants.S_IFREG) throw new TransferError(`${name} is a link, or no file`)
  if (entry.isEncrypted()) throw new TransferError(`${name} is encrypted`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== deflated)
    throw new TransferError(`${name} is packed in a way that archives are not`)
}

/** A small file as what its schema says. */
async function read<S extends TSchema>(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  name: string,
  schema: S,
  most: number
): Promise<Static<S>> {
  const entry = entries.get(name)
  if (!entry) throw new TransferError(`${name} is missing`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > most) throw new TransferError(`${name} is larger than it can be`)
    chunks.push(chunk)
  }
  const value = JSON.parse(Buffer.concat(chunks).toString()) as unknown
  const validator = Compile(schema)
  if (validator.Check(value)) return value
  // A later version may have another head altogether.
  const { version } = (value ?? {}) as { version?: unknown }
  if (name === headName && typeof version === 'number' && version > 1)
    throw new TransferError('it is of a later version')
  throw new TransferError(`${name} is not as archives have it`)
}

/** What whoever runs the command is told. */
export function refused(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code === 'ENOSPC') return error
  return new TransferError(`${file} is refused: ${error.message}`)
}
