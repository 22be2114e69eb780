/**
 * Attachments that every node can have: each is an object before its row is written, and a local file is no more than a cache
 * of it.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  DiskAttachments,
  type AttachmentStore,
  type ByteRange,
  type DigestAlgorithm,
  type ReceivedFile
} from '../../storage/files/attachments.js'
import type { Layout } from '../../storage/files/layout.js'
import { StoreUnavailable } from '../../storage/errors.js'
import { AttachmentCache } from './attachment-cache.js'
import { attachmentKey } from './attachment-key.js'
import { EngineUnavailable } from '../engine.js'
import type { Objects } from '../objects.js'
import { AgeTracker } from './age-tracker.js'

export interface SharedAttachmentsOptions {
  readonly layout: Layout
  readonly objects: Objects
  /** The id of this node: what it has lent is found by that. */
  readonly node: string
  /** Most bytes of local files, 0 for any number. */
  readonly cacheBytes: number
  /** Rejects unless this process serves the account at this moment: somebody else may have given its files to rows. */
  assertWriter(account: string): Promise<void>
  onError(error: Error): void
}

/** What the path of a file that was lent begins with: no path does. */
const lentPathPrefix = 'object:'

export class SharedAttachments implements AttachmentStore {
  readonly #disk: DiskAttachments
  readonly #cache: AttachmentCache
  readonly #objects: Objects
  /** Files on their way here, by their keys. */
  readonly #fetching = new Map<string, Promise<boolean>>()
  /** Tells what this run has lent from what an earlier one has. */
  readonly #run = randomUUID()
  /** What is lent at present, by any node. */
  readonly #lent = new AgeTracker()

  constructor(private readonly options: SharedAttachmentsOptions) {
    this.#disk = new DiskAttachments(options.layout)
    this.#cache = new AttachmentCache(options)
    this.#objects = translateErrors(options.objects)
  }

  async receive(source: Readable, algorithm: DigestAlgorithm): Promise<ReceivedFile> {
    return await this.#disk.receive(source, algorithm)
  }

  /**
   * Lends a received file to the node that serves its account: what is returned can be put or discarded there. Rejects with
   * `StoreUnavailable`.
   */
  async lend(file: ReceivedFile): Promise<ReceivedFile> {
    const key = `${lentPrefix(this.options.node)}${this.#run}/${randomUUID()}`
    await this.#objects.put(key, file.draft)
    return { ...file, draft: `${lentPathPrefix}${key}` }
  }

  /**
   * Lends a file among the drafts, such as a copy of an account, to the node that has asked for it, which has it by
   * {@link fetchLent}. Rejects with `StoreUnavailable`.
   */
  async lendDraft(name: string): Promise<string> {
    const key = `${lentPrefix(this.options.node)}${this.#run}/${name}`
    await this.#objects.put(key, join(this.options.layout.draftsDirectory, name))
    return lentPathPrefix + key
  }

  /** Fetches a draft that another node has lent, and returns its name here. Rejects with `StoreUnavailable`. */
  async fetchLent(lent: string): Promise<string> {
    const key = lent.slice(lentPathPrefix.length)
    const name = basename(key)
    if (!(await this.#objects.get(key, join(this.options.layout.draftsDirectory, name))))
      throw new StoreUnavailable('The file that was lent is gone')
    await this.#objects.remove(key)
    return name
  }

  /** As an object first: the row that is written next must never name a file that one disk alone has. */
  async put(account: string, id: string, file: ReceivedFile): Promise<void> {
    const local = await this.#receiveLent(file)
    await this.#objects.put(attachmentKey(account, id), local.draft)
    await this.#disk.put(account, id, local)
    if (local !== file) await this.discard(file)
    this.#cache.recordAdded(local.size)
  }

  async discard(file: ReceivedFile): Promise<void> {
    const key = lentKey(file)
    if (key === undefined) await this.#disk.discard(file)
    else await this.#objects.remove(key)
  }

  /** Fetches the whole file first if it is not here. Rejects with `StoreUnavailable` if it cannot be had. */
  async get(account: string, id: string, range?: ByteRange): Promise<Readable | undefined> {
    const local = await this.#disk.get(account, id, range)
    if (local) {
      this.#cache.recordUse(this.options.layout.attachmentFile(account, id))
      return local
    }
    return (await this.#ensureLocal(account, id)) ? await this.#disk.get(account, id, range) : undefined
  }

  async size(account: string, id: string): Promise<number | undefined> {
    const local = await this.#disk.size(account, id)
    if (local !== undefined) return local
    return (await this.#ensureLocal(account, id)) ? await this.#disk.size(account, id) : undefined
  }

  async remove(account: string, id: string): Promise<void> {
    await this.options.assertWriter(account)
    await this.#objects.remove(attachmentKey(account, id))
    await this.#disk.remove(account, id)
  }

  /** Those that are objects, and those that are here alone. */
  async list(account: string): Promise<string[]> {
    const keys = await this.#objects.list(attachmentKey(account))
    const shared = keys.map(key => key.slice(attachmentKey(account).length))
    return Array.from(new Set([...shared, ...(await this.#disk.list(account))]))
  }

  async sweepDrafts(): Promise<void> {
    await this.#disk.sweepDrafts()
    // What an earlier run of this node has lent: nobody waits for it any more.
    const prefix = lentPrefix(this.options.node)
    for (const key of await this.#objects.list(prefix))
      if (!key.startsWith(`${prefix}${this.#run}/`)) await this.#objects.remove(key)
  }

  /**
   * Removes objects, and parts of them, that whoever has begun or lent them did not live to remove, once they have been seen for so
   * many seconds. Never rejects.
   */
  async sweep(seconds: number): Promise<void> {
    try {
      await this.#objects.sweep?.(seconds)
      for (const key of this.#lent.listOlderThan(seconds, await this.#objects.list('lent/')))
        await this.#objects.remove(key)
    } catch (error) {
      this.options.onError(error as Error)
    }
  }

  /** Resolves when no local files are being removed. */
  async waitUntilSettled(): Promise<void> {
    await this.#cache.waitUntilSettled()
  }

  /** Stores as objects the files of an account that was here before there were other nodes. */
  async share(account: string): Promise<void> {
    const { layout } = this.options
    const shared = new Set(await this.#objects.list(attachmentKey(account)))
    for (const id of await this.#disk.list(account))
      if (!shared.has(attachmentKey(account, id)))
        await this.#objects.put(attachmentKey(account, id), layout.attachmentFile(account, id))
  }

  /** The file as one that the disk has received. */
  async #receiveLent(file: ReceivedFile): Promise<ReceivedFile> {
    const key = lentKey(file)
    if (key === undefined) return file
    const draft = this.#draft()
    if (!(await this.#objects.get(key, draft))) throw new Error('The file that was lent is gone')
    return { ...file, draft }
  }

  /** Whether the file of an attachment is here now. */
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

  async #fetch(account: string, id: string): Promise<boolean> {
    const file = this.options.layout.attachmentFile(account, id)
    const draft = this.#draft()
    try {
      if (!(await this.#objects.get(attachmentKey(account, id), draft))) return false
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await rename(draft, file)
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

/** Objects that fail as storage does. */
function translateErrors(objects: Objects): Objects {
  return {
    put: async (...given) => await translateError(() => objects.put(...given)),
    get: async (...given) => await translateError(() => objects.get(...given)),
    remove: async (...given) => await translateError(() => objects.remove(...given)),
    list: async (...given) => await translateError(() => objects.list(...given)),
    sweep: async (...given) => await translateError(async () => objects.sweep?.(...given))
  }
}

async function translateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new StoreUnavailable('Files cannot be reached', error)
    throw error
  }
}

/** What the keys of all files begin with that a node has lent. */
function lentPrefix(node: string): string {
  return `lent/${node}/`
}

/** The key of a file that was lent; `undefined` if it was received here. */
function lentKey({ draft }: ReceivedFile): string | undefined {
  return draft.startsWith(lentPathPrefix) ? draft.slice(lentPathPrefix.length) : undefined
}
