/**
 * Stores the bytes of attachments, behind an interface with one implementation on disk. Bytes are stored completely
 * before the row of their event, so that every row has its bytes.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync, open } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { translateError } from '../errors.js'
import { serviceParty, type Party } from '../scheduler.js'
import { DiskTurns } from './disk-turns.js'
import { receiveInto } from './draft.js'
import { syncPath } from './durable.js'
import type { Layout } from './layout.js'

/** Supported digests of files. */
export type DigestAlgorithm = 'sha256' | 'sha512' | 'sha1' | 'md5'

/** A file that has been received but not put in place yet. */
export interface ReceivedFile {
  /** Path of its bytes; private to the store. */
  readonly draft: string
  /** Bytes. */
  readonly size: number
  /** Digest of the bytes, base64. */
  readonly digest: string
}

/** Part of a file, in bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Stores attachments. Files are named by their account and an id made by the service. */
export interface AttachmentStore {
  /**
   * Receives and hashes bytes for a party, by default the service itself; leaves nothing behind if `source` fails. Throws
   * `StorageFull`.
   */
  receive(source: Readable, algorithm: DigestAlgorithm, party?: Party): Promise<ReceivedFile>
  /** Moves a received file into place; it is on disk when this resolves. Throws `StorageFull`. */
  put(account: string, id: string, file: ReceivedFile): Promise<void>
  /** Removes a received file; does nothing if the file has been put in place. */
  discard(file: ReceivedFile): Promise<void>
  /** The bytes of a file, or a range of them; `undefined` if there is no such file. */
  get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined>
  /** Size in bytes; `undefined` if there is no such file. */
  size(account: string, id: string): Promise<number | undefined>
  /** Removes a file; does nothing if there is no such file. */
  remove(account: string, id: string): Promise<void>
  /** The ids of an account's files. */
  list(account: string): Promise<string[]>
  /** If files are stored elsewhere too: removes all that are there of a deleted account. */
  readonly removeAll?: (account: string) => Promise<void>
  /** Removes received files, and all other drafts, that an earlier process left behind. */
  sweepDrafts(): Promise<void>
}

const openFile = promisify(open)

/** Bytes per read. A slow download holds twice as many in memory. */
const readSize = 128 * 1024

/** Maximum number of folders remembered as synced. If there are more, all folders are synced again. */
const maxRemembered = 10_000

/** Attachments as files, one folder for each account and shard. */
export class DiskAttachments implements AttachmentStore {
  /** Folders known to be on disk, with their parents. */
  readonly #synced = new Set<string>()
  /** Received files that were put in place by this thread: they have no draft any more. */
  readonly #placed = new WeakSet<ReceivedFile>()
  readonly #turns = new DiskTurns()

  constructor(private readonly layout: Layout) {
    mkdirSync(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  }

  async receive(source: Readable, algorithm: DigestAlgorithm, party = serviceParty): Promise<ReceivedFile> {
    const draft = join(this.layout.draftsDirectory, `received-${randomUUID()}`)
    const hash = createHash(algorithm)
    let size = 0
    try {
      await receiveInto(draft, source, {
        onChunk: chunk => {
          hash.update(chunk)
          size += chunk.length
        },
        inTurn: work => this.#turns.run(party, work)
      })
      return { draft, size, digest: hash.digest('base64') }
    } catch (error) {
      await rm(draft, { force: true })
      throw translateError(error, draft)
    }
  }

  /**
   * Moves a received file to its place, and resolves once that is on disk. Creates folders as needed. Rejects with
   * errors of storage.
   */
  async put(account: string, id: string, received: ReceivedFile): Promise<void> {
    await this.#turns.run({ account, access: '' }, () => this.#place(account, id, received))
  }

  async #place(account: string, id: string, received: ReceivedFile): Promise<void> {
    const file = this.layout.attachmentFile(account, id)
    const folder = dirname(file)
    try {
      const isSynced = this.#synced.has(folder)
      if (!isSynced) await this.makeFolders(account, id)
      await rename(received.draft, file)
      this.#placed.add(received)
      await syncPath(folder)
      // Another call, or an earlier process that crashed, may have created the folders without syncing them.
      if (!isSynced) await this.#syncAbove(account, folder)
    } catch (error) {
      // The folder may have been removed in the meantime, with the account or during its restore.
      if (isMissing(error) && this.#synced.delete(folder)) return await this.#place(account, id, received)
      throw translateError(error, file)
    }
  }

  async discard(received: ReceivedFile): Promise<void> {
    if (!this.#placed.has(received)) await unlink(received.draft).catch(undefinedIfMissing)
  }

  async get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      // A plain file descriptor: reading through a `FileHandle` costs a promise per chunk.
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

  /**
   * Creates the folders for a file, but not the account's own. Rejects with `ENOENT` if that is missing: then the
   * account was deleted.
   */
  async makeFolders(account: string, id: string): Promise<void> {
    const folder = dirname(this.layout.attachmentFile(account, id))
    const all = this.layout.attachmentsDirectory(account)
    try {
      await makeFolder(folder)
    } catch (error) {
      if (!isMissing(error)) throw error
      this.#synced.delete(all)
      await makeFolder(all)
      await makeFolder(folder)
    }
  }

  async sweepDrafts(): Promise<void> {
    const { draftsDirectory } = this.layout
    // All threads of this process, and other parts of it, have drafts in this folder.
    const startMs = Date.now() - process.uptime() * 1000
    for (const name of await readdir(draftsDirectory)) {
      const path = join(draftsDirectory, name)
      const found = await stat(path).catch(undefinedIfMissing)
      if (found && found.mtimeMs < startMs) await rm(path, { force: true })
    }
  }

  /** Syncs the directory entry of a folder for files, and that of their parent unless it is known to be on disk. */
  async #syncAbove(account: string, folder: string): Promise<void> {
    const all = this.layout.attachmentsDirectory(account)
    await syncPath(all)
    if (!this.#synced.has(all)) await syncPath(this.layout.userDirectory(account))
    if (this.#synced.size >= maxRemembered) this.#synced.clear()
    this.#synced.add(all).add(folder)
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Returns `undefined` for the error of a missing file or folder. Throws any other error, translated. */
export function undefinedIfMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined
  throw translateError(error)
}

/** Returns whether a file or folder is missing, by the error of a file system call. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
