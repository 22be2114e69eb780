/**
 * Bytes of attachments, behind a small port: the disk today. Bytes come first and whole, the event's row after them, so
 * that no row is ever without its bytes.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, open } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { translated } from '../errors.js'
import { syncPath } from './durable.js'
import type { Layout } from './layout.js'

/** Digests that a file may be given. */
export type DigestAlgorithm = 'sha256' | 'sha512' | 'sha1' | 'md5'

/** A file that has been taken in and waits for its place. */
export interface ReceivedFile {
  /** Where its bytes wait: known to the store only. */
  readonly draft: string
  /** Bytes. */
  readonly size: number
  /** Digest of the bytes, base64. */
  readonly digest: string
}

/** Part of a file: from `start` to `end`, both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Where attachments are kept. Files are named by account and by an id that the service made. */
export interface AttachmentStore {
  /** Takes in bytes, hashing them as they come; leaves nothing when `source` fails. Raises `StorageFull`. */
  receive(source: Readable, algorithm: DigestAlgorithm): Promise<ReceivedFile>
  /** Puts a received file in its place for good: it is on disk when this resolves. */
  put(account: string, id: string, file: ReceivedFile): Promise<void>
  /** Throws away a received file; does nothing if it has been put. */
  discard(file: ReceivedFile): Promise<void>
  /** The bytes of a file, or some of them; `undefined` if there is no such file. */
  get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined>
  /** Size in bytes; `undefined` if there is no such file. */
  size(account: string, id: string): Promise<number | undefined>
  /** Removes a file; does nothing if there is none. */
  remove(account: string, id: string): Promise<void>
  /** The ids of an account's files. */
  list(account: string): Promise<string[]>
  /** Removes received files that an earlier process left behind: nobody puts them in place any more. */
  sweepDrafts(): Promise<void>
}

const openFile = promisify(open)

/** Bytes that are read at once. Of each file that somebody takes slowly twice as many are held. */
const readSize = 128 * 1024

/** Folders remembered; beyond it all are synced again. */
const remembered = 10_000

/** Attachments as files, one folder for each account and shard. */
export class DiskAttachments implements AttachmentStore {
  #drafts = 0
  /** Tells the drafts of this process from those of earlier ones, which may have had the same number. */
  readonly #mark = `${process.pid}-${randomUUID()}-`

  /** Folders that are known to be on disk, with all above them. */
  readonly #settled = new Set<string>()

  constructor(private readonly layout: Layout) {
    mkdirSync(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  }

  async receive(source: Readable, algorithm: DigestAlgorithm): Promise<ReceivedFile> {
    const draft = join(this.layout.draftsDirectory, `${this.#mark}${++this.#drafts}`)
    // `flush` syncs the bytes before the file is closed.
    const file = createWriteStream(draft, { flush: true, highWaterMark: 256 * 1024, mode: 0o600 })
    const closed = new Promise<void>(resolve => file.once('close', resolve))
    const hash = createHash(algorithm)
    let size = 0
    try {
      await pipeline(
        source,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            hash.update(chunk)
            size += chunk.length
            yield chunk
          }
        },
        file
      )
      return { draft, size, digest: hash.digest('base64') }
    } catch (error) {
      // While it is still being opened there is nothing to remove: it would be there afterwards.
      await closed
      await rm(draft, { force: true })
      throw translated(error, draft)
    }
  }

  async put(account: string, id: string, { draft }: ReceivedFile): Promise<void> {
    const file = this.layout.attachmentFile(account, id)
    const folder = dirname(file)
    try {
      const isSettled = this.#settled.has(folder)
      if (!isSettled) await this.#makeFolders(account, folder)
      await rename(draft, file)
      await syncPath(folder)
      if (isSettled) return
      // Whoever made the folders, a call that is under way or a process that is gone, may not have synced them yet.
      await syncPath(dirname(folder))
      await syncPath(this.layout.userDirectory(account))
      if (this.#settled.size >= remembered) this.#settled.clear()
      this.#settled.add(folder)
    } catch (error) {
      throw translated(error, file)
    }
  }

  async discard({ draft }: ReceivedFile): Promise<void> {
    await rm(draft, { force: true })
  }

  async get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      // A plain descriptor: reading through a `FileHandle` costs a promise for each piece.
      const descriptor = await openFile(this.layout.attachmentFile(account, id), 'r')
      return createReadStream('', { fd: descriptor, highWaterMark: readSize, ...range })
    } catch (error) {
      return undefinedIfMissing(error)
    }
  }

  async size(account: string, id: string): Promise<number | undefined> {
    try {
      return (await stat(this.layout.attachmentFile(account, id))).size
    } catch (error) {
      return undefinedIfMissing(error)
    }
  }

  async remove(account: string, id: string): Promise<void> {
    await rm(this.layout.attachmentFile(account, id), { force: true })
  }

  async list(account: string): Promise<string[]> {
    try {
      const shards = await readdir(this.layout.attachmentsDirectory(account))
      const names = await Promise.all(
        shards.map(shard => readdir(join(this.layout.attachmentsDirectory(account), shard)))
      )
      return names.flat()
    } catch (error) {
      return undefinedIfMissing(error) ?? []
    }
  }

  async sweepDrafts(): Promise<void> {
    for (const name of await readdir(this.layout.draftsDirectory))
      if (!name.startsWith(this.#mark)) await rm(join(this.layout.draftsDirectory, name), { force: true })
  }

  /** Makes the folders of files, but not the one of the account: if that is gone, so is the account. */
  async #makeFolders(account: string, folder: string): Promise<void> {
    for (const path of [this.layout.attachmentsDirectory(account), folder])
      await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw translated(error)
}
