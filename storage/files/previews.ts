/**
 * A cache of picture previews, in the account's folder so that they are removed with it. A preview can be generated
 * again at any time. The modification time of a file records its last use.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { translateError } from '../errors.js'
import { undefinedIfMissing } from './attachments.js'
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

/** The cached previews of all accounts. */
export class PreviewCache {
  #drafts = 0

  constructor(private readonly layout: Layout) {}

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
   * Stores a preview, replacing those of earlier states of the event. Throws `StorageFull`. Fails if the
   * folder of the account is gone.
   */
  async insert(account: string, key: PreviewKey, bytes: Buffer, now: number): Promise<void> {
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
    const directory = this.layout.previewsDirectory(account)
    let removed = 0
    for (const shard of await readEntries(directory)) {
      const files = await readEntries(join(directory, shard))
      let left = files.length
      for (const name of files) {
        const path = join(directory, shard, name)
        if ((await readLastUse(path)) >= before) continue
        await rm(path, { force: true })
        left--
        removed++
      }
      if (left === 0) await rmdir(join(directory, shard)).catch(() => undefined)
    }
    return removed
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

/**
 * Reads when a file was last used, in seconds; `Infinity` for a file that has just been removed, so that it is skipped.
 */
async function readLastUse(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs / 1000
  } catch (error) {
    return undefinedIfMissing(error) ?? Infinity
  }
}
