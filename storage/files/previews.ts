/**
 * A cache of picture previews, in the account's folder so that they are removed with it. A preview can be generated
 * again at any time. The modification time of a file records its last use.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { translateError } from '../errors.js'
import { undefinedIfMissing } from './attachments.js'
import { DiskReserve } from './disk-reserve.js'
import type { Layout } from './layout.js'

/** Names one preview of one account. */
export interface PreviewKey {
  /** The attachment that is the picture. */
  readonly fileId: string
  /** Name of the preview's size, such as `box-256`. */
  readonly frame: string
  /** When the picture's event was last modified, in seconds. */
  readonly modified: number
}

/** A preview in the cache. */
export interface CachedPreview {
  readonly bytes: Buffer
  /** Seconds. */
  readonly usedAt: number
}

const fileId = /^c[a-z0-9]{24}$/
const frame = /^[a-z]+-[0-9]+$/

/** Default maximum size of the previews of one account, in bytes. */
const defaultMaxBytes = 64 * 1024 * 1024
/** Share of the maximum that stays when it has been exceeded, so that not every insert has to look through all files. */
const keptShare = 0.75
/** Maximum number of accounts whose sizes are remembered. If there are more, all sizes are measured again. */
const maxRemembered = 10_000

/** A file in the cache. */
interface StoredFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Seconds. */
  readonly usedAt: number
}

/** The cached previews of all accounts. */
export class PreviewCache {
  #drafts = 0
  /** Sizes of the previews of accounts in bytes, at most: removed files are counted until the next measurement. */
  readonly #sizes = new Map<string, number>()
  readonly #reserve: DiskReserve

  constructor(
    private readonly layout: Layout,
    private readonly maxBytes = defaultMaxBytes
  ) {
    this.#reserve = new DiskReserve(layout)
  }

  /** Finds a preview, with the time of its last use in seconds; `undefined` if it is not cached. */
  async find(account: string, key: PreviewKey): Promise<CachedPreview | undefined> {
    const path = this.#path(account, key)
    try {
      const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)])
      return { bytes, usedAt: mtimeMs / 1000 }
    } catch (error) {
      return undefinedIfMissing(error)
    }
  }

  /**
   * Stores a preview, replacing those of earlier states of the event; if the account then has too many bytes, its least
   * recently used previews are removed. Stores nothing while the disk's reserve is released. Throws `StorageFull`. Fails
   * if the folder of the account is gone.
   */
  async insert(account: string, key: PreviewKey, bytes: Buffer, now: number): Promise<void> {
    if (this.#reserve.isReleased) return
    const path = this.#path(account, key)
    const draft = `${path}.${process.pid}-${++this.#drafts}`
    try {
      // The folder is not created recursively: that would recreate the folder of a user who has just been deleted.
      await ensureFolder(this.layout.previewsDirectory(account))
      await ensureFolder(dirname(path))
      await writeFile(draft, bytes, { flush: true })
      await utimes(draft, now, now)
      await rename(draft, path)
      await this.#removeAll(dirname(path), formatNamePrefix(key), path)
      await this.#limitSize(account, bytes.length)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw translateError(error, path)
    }
  }

  /** Records the time of use of a preview, `now` in seconds. Does nothing if the preview is gone. */
  async touch(account: string, key: PreviewKey, now: number): Promise<void> {
    try {
      await utimes(this.#path(account, key), now, now)
    } catch (error) {
      undefinedIfMissing(error)
    }
  }

  /** Removes all previews of a picture. */
  async remove(account: string, picture: string): Promise<void> {
    await this.#removeAll(
      join(this.layout.previewsDirectory(account), getShardFolder(picture)),
      `${picture}.`
    )
  }

  /** Removes previews that have not been used since `before` (seconds). Returns how many. */
  async sweep(account: string, before: number): Promise<number> {
    let removed = 0
    for await (const { path, usedAt } of this.#list(account)) {
      if (usedAt >= before) continue
      await removeFile(path)
      removed++
    }
    return removed
  }

  /** Removes the least recently used previews of an account if it has too many bytes, now that some were `added`. */
  async #limitSize(account: string, added: number): Promise<void> {
    const size = (this.#sizes.get(account) ?? Infinity) + added
    if (this.#sizes.size >= maxRemembered) this.#sizes.clear()
    this.#sizes.set(account, size > this.maxBytes ? await this.#evict(account) : size)
  }

  /** Removes the least recently used previews if those of an account exceed the maximum. Returns their size in bytes. */
  async #evict(account: string): Promise<number> {
    const files: StoredFile[] = []
    let total = 0
    for await (const file of this.#list(account)) {
      files.push(file)
      total += file.size
    }
    if (total <= this.maxBytes) return total
    for (const { path, size } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.maxBytes * keptShare) break
      await removeFile(path)
      total -= size
    }
    return total
  }

  /** Yields the files of an account. */
  async *#list(account: string): AsyncGenerator<StoredFile, void, undefined> {
    const directory = this.layout.previewsDirectory(account)
    for (const shard of await readEntries(directory))
      for (const name of await readEntries(join(directory, shard))) {
        const path = join(directory, shard, name)
        const found = await stat(path).catch(undefinedIfMissing)
        if (found) yield { path, size: found.size, usedAt: found.mtimeMs / 1000 }
      }
  }

  async #removeAll(directory: string, start: string, except?: string): Promise<void> {
    for (const name of await readEntries(directory)) {
      const path = join(directory, name)
      if (name.startsWith(start) && path !== except) await rm(path, { force: true })
    }
  }

  #path(account: string, key: PreviewKey): string {
    if (!fileId.test(key.fileId) || !frame.test(key.frame)) throw new Error('Not a valid preview key')
    const name = `${formatNamePrefix(key)}${Math.round(key.modified * 1e6)}.jpg`
    return join(this.layout.previewsDirectory(account), getShardFolder(key.fileId), name)
  }
}

function formatNamePrefix(key: PreviewKey): string {
  return `${key.fileId}.${key.frame}.`
}

/** The end of an id is random; its beginning is a time. */
function getShardFolder(id: string): string {
  return id.slice(-2)
}

async function ensureFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

async function readEntries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    return undefinedIfMissing(error) ?? []
  }
}

/** Removes a file, and its folder if that is empty then. */
async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await rmdir(dirname(path)).catch(() => undefined)
}
