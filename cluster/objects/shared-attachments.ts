/**
 * Attachments that every node can read: each is stored as an object before its row is written, and local files are only
 * a cache.
 */
import { randomUUID } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  DiskAttachments,
  isMissing,
  type AttachmentStore,
  type ByteRange,
  type DigestAlgorithm,
  type ReceivedFile
} from '../../storage/files/attachments.js'
import type { Layout } from '../../storage/files/layout.js'
import { StoreUnavailable } from '../../storage/errors.js'
import type { Party } from '../../storage/scheduler.js'
import { AttachmentCache } from './attachment-cache.js'
import { attachmentKey } from './attachment-key.js'
import type { Objects } from '../objects.js'
import { AgeTracker } from './age-tracker.js'
import { translateErrors } from './translate-errors.js'

export interface SharedAttachmentsOptions {
  readonly layout: Layout
  readonly objects: Objects
  /** The id of this node, which is part of the keys of files that it lends. */
  readonly node: string
  /** Maximum size of local files in bytes, 0 for unlimited. */
  readonly cacheBytes: number
  /**
   * Rejects unless this process serves the account now: another process may have added rows for the account's files.
   */
  assertWriter(account: string): Promise<void>
  /** Creates the folder of an account, unless it has been deleted. By default every account has one. */
  makeFolder?(account: string): Promise<void>
  /** Called when the cache, or what interrupted writes left, could not be cleaned up. */
  onError(error: Error): void
}

/** Time between searches for copies of deleted files, in milliseconds: each lists the objects of many accounts. */
const copiesMs = 86_400_000
/** Prefix of the paths of lent files, which no real path has. */
const lentPathPrefix = 'object:'

export class SharedAttachments implements AttachmentStore {
  readonly #disk: DiskAttachments
  readonly #cache: AttachmentCache
  readonly #objects: Objects
  /** Files being fetched, by their keys. */
  readonly #fetching = new Map<string, Promise<boolean>>()
  /** Distinguishes files lent by this run of the process from files lent by an earlier run. */
  readonly #run = randomUUID()
  /** Files lent at present, by any node. */
  readonly #lent = new AgeTracker()
  #copiesSweptMs = -Infinity

  constructor(private readonly options: SharedAttachmentsOptions) {
    this.#disk = new DiskAttachments(options.layout)
    this.#cache = new AttachmentCache(options)
    this.#objects = translateErrors(options.objects)
  }

  async receive(source: Readable, algorithm: DigestAlgorithm, party?: Party): Promise<ReceivedFile> {
    return await this.#disk.receive(source, algorithm, party)
  }

  /**
   * Lends a received file to the node that serves its account, where it can be put or discarded. Rejects with
   * `StoreUnavailable`.
   */
  async lend(file: ReceivedFile): Promise<ReceivedFile> {
    const key = `${lentPrefix(this.options.node)}${this.#run}/${randomUUID()}`
    await this.#objects.put(key, file.draft)
    return { ...file, draft: `${lentPathPrefix}${key}` }
  }

  /**
   * Lends a draft, such as a copy of an account, to the node that has requested it, which fetches it by {@link fetchLent}. Rejects with `StoreUnavailable`.
   */
  async lendDraft(name: string): Promise<string> {
    const key = `${lentPrefix(this.options.node)}${this.#run}/${name}`
    await this.#objects.put(key, join(this.options.layout.draftsDirectory, name))
    return lentPathPrefix + key
  }

  /**
   * Fetches a draft that another node has lent, and removes the lent object. Returns its local name. Rejects
   * with `StoreUnavailable`, also if it is gone.
   */
  async fetchLent(lent: string): Promise<string> {
    const key = lent.slice(lentPathPrefix.length)
    const name = basename(key)
    if (!(await this.#objects.get(key, join(this.options.layout.draftsDirectory, name))))
      throw new StoreUnavailable('The file that was lent is gone')
    await this.#objects.remove(key)
    return name
  }

  /**
   * Stores the file as an object first: a row must never refer to a file that is only on one disk. A lent
   * file is fetched first, and removed afterwards.
   */
  async put(account: string, id: string, file: ReceivedFile): Promise<void> {
    const local = await this.#receiveLent(file)
    const key = attachmentKey(account, id)
    let isStored = false
    try {
      await this.#objects.put(key, local.draft)
      isStored = true
      await this.#disk.put(account, id, local)
    } catch (error) {
      // The account may have been deleted, and its objects listed before this one was stored.
      if (isStored) await this.#objects.remove(key).catch(() => undefined)
      if (local !== file) await this.#disk.discard(local)
      throw error
    }
    if (local !== file) await this.discard(file)
    this.#cache.recordAdded(local.size)
  }

  /** Removes a received file, which may be a lent one. */
  async discard(file: ReceivedFile): Promise<void> {
    const key = lentKey(file)
    if (key === undefined) await this.#disk.discard(file)
    else await this.#objects.remove(key)
  }

  /**
   * Fetches the whole file first if it is not local. Rejects with `StoreUnavailable` if the file cannot be
   * fetched. Resolves with `undefined` if there is no such file.
   */
  async get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined> {
    const local = await this.#disk.get(account, id, range)
    if (local) {
      this.#cache.recordUse(this.options.layout.attachmentFile(account, id))
      return local
    }
    return (await this.#ensureLocal(account, id)) ? await this.#disk.get(account, id, range) : undefined
  }

  /**
   * Returns the size of a file in bytes; `undefined` if there is none. Fetches the whole file first if it is
   * not local.
   */
  async size(account: string, id: string): Promise<number | undefined> {
    const local = await this.#disk.size(account, id)
    if (local !== undefined) return local
    return (await this.#ensureLocal(account, id)) ? await this.#disk.size(account, id) : undefined
  }

  /**
   * Removes a file, everywhere. Rejects with `StoreUnavailable` if this process is not the writer of the
   * account.
   */
  async remove(account: string, id: string): Promise<void> {
    await this.options.assertWriter(account)
    await this.#objects.remove(attachmentKey(account, id))
    await this.#disk.remove(account, id)
  }

  /** Removes the objects of a deleted account. Its local files are removed with its folder. */
  readonly removeAll = async (account: string): Promise<void> => {
    for (const key of await this.#objects.list(attachmentKey(account))) await this.#objects.remove(key)
  }

  /** Fetches the files of an account that are not local, so that they no longer depend on the objects. Returns their number. */
  async fetchAll(account: string): Promise<number> {
    const local = new Set(await this.#disk.list(account))
    const missing = (await this.list(account)).filter(id => !local.has(id))
    for (const id of missing) await this.#ensureLocal(account, id)
    return missing.length
  }

  /** Fetches a file to a new path without adding it to the cache. Returns false if it does not exist. */
  async fetchTo(account: string, id: string, path: string): Promise<boolean> {
    return await this.#objects.get(attachmentKey(account, id), path)
  }

  /** Lists files that are stored as objects, and those that are only local. */
  async list(account: string): Promise<string[]> {
    const keys = await this.#objects.list(attachmentKey(account))
    const shared = keys.map(key => key.slice(attachmentKey(account).length))
    return Array.from(new Set([...shared, ...(await this.#disk.list(account))]))
  }

  /** Removes drafts, and what an earlier run of this node has lent. */
  async sweepDrafts(): Promise<void> {
    await this.#disk.sweepDrafts()
    const prefix = lentPrefix(this.options.node)
    for (const key of await this.#objects.list(prefix))
      if (!key.startsWith(`${prefix}${this.#run}/`)) await this.#objects.remove(key)
  }

  /**
   * Removes objects, and parts of them, that were left by interrupted writes or loans, once they have been seen for a
   * number of seconds; once a day also the copies of files that other nodes have deleted. Never rejects.
   */
  async sweep(seconds: number): Promise<void> {
    try {
      await this.#objects.sweep?.(seconds)
      for (const key of this.#lent.listOlderThan(seconds, await this.#objects.list('lent/')))
        await this.#objects.remove(key)
      if (performance.now() - this.#copiesSweptMs < copiesMs) return
      this.#copiesSweptMs = performance.now()
      await this.#cache.removeDeleted(account => this.#isWriter(account))
    } catch (error) {
      this.options.onError(error as Error)
    }
  }

  async #isWriter(account: string): Promise<boolean> {
    return await this.options.assertWriter(account).then(
      () => true,
      error => (error instanceof StoreUnavailable ? false : Promise.reject(error as Error))
    )
  }

  /** Resolves when no local files are being removed. */
  async waitUntilSettled(): Promise<void> {
    await this.#cache.waitUntilSettled()
  }

  /**
   * Stores the files of an account as objects, for an account whose files were only on one machine before. Returns their
   * number.
   */
  async share(account: string): Promise<number> {
    const { layout } = this.options
    const shared = new Set(await this.#objects.list(attachmentKey(account)))
    const local = (await this.#disk.list(account)).filter(id => !shared.has(attachmentKey(account, id)))
    for (const id of local)
      await this.#objects.put(attachmentKey(account, id), layout.attachmentFile(account, id))
    return local.length
  }

  /**
   * Fetches a file if it is a lent one. Returns it as one that was received locally. Rejects if it is gone.
   */
  async #receiveLent(file: ReceivedFile): Promise<ReceivedFile> {
    const key = lentKey(file)
    if (key === undefined) return file
    const draft = this.#draft()
    if (!(await this.#objects.get(key, draft))) throw new Error('The file that was lent is gone')
    return { ...file, draft }
  }

  /** Fetches the file of an attachment if it is not local. Returns whether it exists. */
  async #ensureLocal(account: string, id: string): Promise<boolean> {
    const key = attachmentKey(account, id)
    const fetching = this.#fetching.get(key) ?? this.#fetch(account, id)
    this.#fetching.set(key, fetching)
    try {
      return await fetching
    } finally {
      this.#fetching.delete(key)
    }
  }

  /** Fetches an attachment into the cache. Returns false if there is none, or its account has been deleted. */
  async #fetch(account: string, id: string): Promise<boolean> {
    const draft = this.#draft()
    try {
      if (!(await this.#objects.get(attachmentKey(account, id), draft))) return false
      await this.options.makeFolder?.(account)
      try {
        await this.#disk.makeFolders(account, id)
        await rename(draft, this.options.layout.attachmentFile(account, id))
      } catch (error) {
        if (isMissing(error)) return false
        throw error
      }
      this.#cache.recordAdded((await this.#disk.size(account, id)) ?? 0)
      return true
    } finally {
      await rm(draft, { force: true })
    }
  }

  #draft(): string {
    return join(this.options.layout.draftsDirectory, `fetched-${randomUUID()}`)
  }
}

/** Returns the prefix of the keys of all files that a node has lent. */
function lentPrefix(node: string): string {
  return `lent/${node}/`
}

/** Returns the key of a lent file; `undefined` if it was received locally. */
function lentKey({ draft }: ReceivedFile): string | undefined {
  return draft.startsWith(lentPathPrefix) ? draft.slice(lentPathPrefix.length) : undefined
}
