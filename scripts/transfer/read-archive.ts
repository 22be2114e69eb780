/**
 * Reads an untrusted ZIP: only known file names, no more bytes than declared and than fit on the disk, and each file is verified
 * against its digest.
 */
import { createHash } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import type { Static, TSchema } from 'typebox'
import type { Entry, ZipFile } from 'yauzl'
import {
  ArchiveHead,
  Digests,
  digestsFileName,
  manifestName,
  type Digest
} from '../../core/account/archive.js'
import { isSecret } from '../../storage/transfer/secrets.js'
import { exportedTables, type ExportedTable } from '../../storage/transfer/tables.js'
import { describeSystemError } from '../terminal/system-errors.js'
import { parseChecked, parseJson, readLimited } from '../checked-files.js'
import { TransferError } from './transfer-error.js'

/** Maximum compression ratio. Archives with repetitive rows reach 100. */
const maxRatio = 250
const maxSmallFile = 1024 * 1024
/** Maximum length of a line in characters: an event with the largest content that the service accepts. */
const maxLineLength = 64 * 1024 * 1024
/** Maximum number of files: the entry of each is held in memory. */
const maxFiles = 500_000
/** Maximum size of the digest entry of a file, in bytes. */
const digestSize = 256

const attachmentName = /^attachments\/(c[a-z0-9]{24})$/

export class Archive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly digests: ReadonlyMap<string, Digest>,
    readonly head: ArchiveHead
  ) {}

  /**
   * Opens an archive. Throws {@link TransferError} if it is invalid or made by a later version, contains
   * other files than those of an account, or is larger than `room` (bytes that may be written) allows.
   * Digests are checked when files are read.
   */
  static async open(file: string, room: number): Promise<Archive> {
    const { openPromise } = await import('yauzl')
    let zip: ZipFile
    try {
      zip = await openPromise(file, { lazyEntries: true, autoClose: false })
    } catch (error) {
      throw toTransferError(file, error)
    }
    try {
      const entries = await readEntries(zip, Math.min(room, statSync(file).size * maxRatio + maxSmallFile))
      const maxSize = maxSmallFile + entries.size * digestSize
      const digests = new Map(
        Object.entries(await readJsonFile(zip, entries, digestsFileName, Digests, maxSize))
      )
      const head = await readJsonFile(zip, entries, manifestName, ArchiveHead, maxSmallFile)
      const withoutDigest = [...entries.keys()].filter(name => name !== digestsFileName && !digests.has(name))
      const withoutFile = [...digests.keys()].filter(name => !entries.has(name))
      if (withoutDigest.length > 0 || withoutFile.length > 0)
        throw new TransferError(
          `files and digests differ: ${[...withoutDigest, ...withoutFile].slice(0, 5).join(', ')}`
        )
      for (const [name, { size }] of digests)
        if (entries.get(name)!.uncompressedSize !== size)
          throw new TransferError(`${name} does not match its digest`)
      const secret = exportedTables.find(table => isSecret(table) && entries.has(`tables/${table}.jsonl`))
      if (!head.hasSecrets && secret)
        throw new TransferError(`it is marked as without secrets, but contains tables/${secret}.jsonl`)
      return new Archive(zip, entries, digests, head)
    } catch (error) {
      zip.close()
      throw toTransferError(file, error)
    }
  }

  /** Returns the ids of the attachments. */
  get attachments(): string[] {
    return [...this.entries.keys()].flatMap(name => attachmentName.exec(name)?.[1] ?? [])
  }

  /** Yields the bytes of an attachment. Throws after the last byte if the bytes do not match the digest. */
  attachment(id: string): AsyncGenerator<Buffer, void, undefined> {
    return this.#readFile(`attachments/${id}`)
  }

  /**
   * Yields the rows of a table; yields nothing if the archive does not contain the table. Throws {@link
   * TransferError} if it is not valid, or after the last row if it does not match the digest.
   */
  async *rows(table: ExportedTable): AsyncGenerator<unknown, void, undefined> {
    const name = `tables/${table}.jsonl`
    if (!this.entries.has(name)) return
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let rest = ''
    for await (const chunk of this.#readFile(name)) {
      // Splits the new chunk only: searching a long line again for each of its chunks would be quadratic.
      const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n')
      rest += first
      if (rest.length > maxLineLength) throw new TransferError(`${name} has a line that is too long`)
      for (const line of lines) {
        const row = parseJson(rest)
        if (!row) throw new TransferError(`${name} is not valid JSON`)
        yield row.value
        rest = line
      }
    }
    if (rest !== '') throw new TransferError(`${name} ends in the middle of a line`)
  }

  /** Closes the file. Nothing can be read afterwards. */
  close(): void {
    this.zip.close()
  }

  /** Reads a file of the archive. Rejects with `TransferError` if it is missing, or once it proves different from its digest. */
  async *#readFile(name: string): AsyncGenerator<Buffer, void, undefined> {
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
      throw new TransferError(`${name} does not match its digest`)
  }
}

const knownNames = new Set([
  manifestName,
  digestsFileName,
  ...exportedTables.map(table => `tables/${table}.jsonl`)
])

/**
 * Returns the files of a ZIP by name. Throws {@link TransferError} for unknown, repeated or too many files,
 * and if all together are larger than `maxSize` bytes.
 */
async function readEntries(zip: ZipFile, maxSize: number): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxFiles) throw new TransferError(`it contains more than ${maxFiles} files`)
  const entries = new Map<string, Entry>()
  let total = 0
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry
    const quotedName = JSON.stringify(fileName.slice(0, 100))
    if (!knownNames.has(fileName) && !attachmentName.test(fileName))
      throw new TransferError(`${quotedName} is not a file of an account`)
    if (entries.has(fileName)) throw new TransferError(`${quotedName} occurs twice`)
    if (entries.size >= maxFiles) throw new TransferError(`it contains more than ${maxFiles} files`)
    assertPlainEntry(entry, quotedName)
    total += uncompressedSize
    if (!Number.isSafeInteger(total) || total > maxSize)
      throw new TransferError("its files are too large or don't fit on the disk")
    entries.set(fileName, entry)
  }
  return entries
}

/** Number of bits by which to shift the attributes of an entry to get the Unix mode of the file. */
const modeShift = 16
const deflated = 8

/** Throws if an entry is encrypted, compressed by an unknown method, or not a regular file. */
function assertPlainEntry(entry: Entry, name: string): void {
  const kind = (entry.externalFileAttributes >>> modeShift) & constants.S_IFMT
  if (kind !== 0 && kind !== constants.S_IFREG) throw new TransferError(`${name} is not a regular file`)
  if (entry.isEncrypted()) throw new TransferError(`${name} is encrypted`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== deflated)
    throw new TransferError(`${name} is compressed by an unsupported method`)
}

/**
 * Reads a small JSON file and validates it against a schema. Throws {@link TransferError} if it is missing,
 * larger than `maxSize` bytes, or does not match.
 */
async function readJsonFile<S extends TSchema>(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  name: string,
  schema: S,
  maxSize: number
): Promise<Static<S>> {
  const entry = entries.get(name)
  if (!entry) throw new TransferError(`${name} is missing`)
  const bytes = await readLimited((await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>, maxSize)
  if (!bytes) throw new TransferError(`${name} is too large`)
  const checked = parseChecked(bytes.toString(), schema)
  if (checked.is === 'valid') return checked.value
  if (checked.is === 'malformed') throw new TransferError(`${name} is not valid JSON`)
  // The manifest of a later version may not match the schema at all.
  const { version } = (checked.value ?? {}) as { version?: unknown }
  if (name === manifestName && typeof version === 'number' && version > 1)
    throw new TransferError('it was made by a later version')
  throw new TransferError(`${name} is not in the format of an archive`)
}

/**
 * Returns the error to report for a rejected archive. A full disk, and what is not an error, is returned
 * unchanged.
 */
export function toTransferError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code === 'ENOSPC') return error
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new TransferError(`File not found: ${file}`)
  return new TransferError(describeSystemError(error, file) ?? `Can't import ${file}: ${error.message}`)
}
