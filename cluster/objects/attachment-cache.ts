/** Limits the local files of attachments: the least recently used are removed, if they are stored as objects. */
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isAccountId, type Layout } from '../../storage/files/layout.js'
import type { Objects } from '../objects.js'
import { attachmentKey } from './attachment-key.js'

export interface AttachmentCacheOptions {
  readonly layout: Layout
  readonly objects: Pick<Objects, 'list'>
  /** Maximum size of local files in bytes, 0 for unlimited. */
  readonly cacheBytes: number
  /** Called when files could not be removed from the cache. */
  onError(error: Error): void
}

interface Cached {
  readonly account: string
  readonly id: string
  readonly path: string
  readonly size: number
  /** Time of the last read or write of the file. */
  readonly atMs: number
}

/** Divisor of the limit: the share by which it may be exceeded before files are removed, and that is freed in addition. */
const slackShare = 16
/**
 * Minimum interval for recording the use of a file, in milliseconds, and maximum number of files for which it is
 * remembered.
 */
const [markIntervalMs, maxMarked] = [3_600_000, 10_000]

export class AttachmentCache {
  /** Bytes added since the last cleanup; infinite before the first. */
  #addedBytes = Infinity
  #sweeping: Promise<void> | undefined
  readonly #markedAtMs = new Map<string, number>()

  constructor(private readonly options: AttachmentCacheOptions) {}

  /**
   * Must be called when a file has been read. Updates the time of its last use, at most once in an interval.
   */
  recordUse(path: string): void {
    const nowMs = Date.now()
    if (nowMs - (this.#markedAtMs.get(path) ?? 0) < markIntervalMs) return
    if (this.#markedAtMs.size >= maxMarked) this.#markedAtMs.clear()
    this.#markedAtMs.set(path, nowMs)
    // The file may have been removed in the meantime.
    utimes(path, nowMs / 1000, nowMs / 1000).catch(() => undefined)
  }

  /**
   * Must be called when a file has been added. Others may be removed a while later. Starts a cleanup in the
   * background once enough was added.
   */
  recordAdded(bytes: number): void {
    const { cacheBytes } = this.options
    this.#addedBytes += bytes
    if (cacheBytes === 0 || this.#sweeping || this.#addedBytes < cacheBytes / slackShare) return
    this.#addedBytes = 0
    this.#sweeping = this.#sweep()
      .catch((error: unknown) => this.options.onError(error as Error))
      .finally(() => (this.#sweeping = undefined))
  }

  /** Resolves when no files are being removed. */
  async waitUntilSettled(): Promise<void> {
    await this.#sweeping
  }

  /**
   * Removes the copies of files that have been deleted by the nodes that serve their accounts: a file becomes an object before it is here,
   * so one that is no object afterwards has been deleted. Does nothing if none is an object: then the storage is empty, or another one.
   */
  async removeDeleted(isServedHere: (account: string) => Promise<boolean>): Promise<void> {
    const found = new Map<string, Cached[]>()
    for await (const cached of this.#files()) {
      const files = found.get(cached.account)
      if (files) files.push(cached)
      else found.set(cached.account, [cached])
    }
    const deleted: Cached[] = []
    let isAnyStored = false
    for (const [account, files] of found) {
      if (await isServedHere(account)) continue
      const keys = new Set(await this.options.objects.list(attachmentKey(account)))
      deleted.push(...files.filter(({ id }) => !keys.has(attachmentKey(account, id))))
      isAnyStored ||= keys.size > 0
    }
    if (isAnyStored) for (const { path } of deleted) await rm(path, { force: true })
  }

  /** Removes the least recently used files that are stored as objects, until the limit is kept. */
  async #sweep(): Promise<void> {
    const all: Cached[] = []
    for await (const cached of this.#files()) all.push(cached)
    let excess = all.reduce((sum, { size }) => sum + size, 0) - this.options.cacheBytes
    if (excess <= 0) return
    excess += this.options.cacheBytes / slackShare
    all.sort((a, b) => a.atMs - b.atMs)
    const stored = new Map<string, Set<string>>()
    for (const { account, id, path, size } of all) {
      if (excess <= 0) return
      const keys = stored.get(account) ?? new Set(await this.options.objects.list(attachmentKey(account)))
      stored.set(account, keys)
      // If it is not stored as an object, this may be the only copy.
      if (!keys.has(attachmentKey(account, id))) continue
      await rm(path, { force: true })
      excess -= size
    }
  }

  /** Yields all cached attachments on disk. Those that disappear meanwhile are omitted. */
  async *#files(): AsyncGenerator<Cached> {
    const { layout } = this.options
    for (const shard of await readNames(layout.usersDirectory))
      for (const account of await readNames(join(layout.usersDirectory, shard))) {
        if (!isAccountId(account)) continue
        const folder = layout.attachmentsDirectory(account)
        for (const part of await readNames(folder))
          for (const id of await readNames(join(folder, part))) {
            const path = join(folder, part, id)
            const found = await stat(path).catch(() => undefined)
            if (found) yield { account, id, path, size: found.size, atMs: found.mtimeMs }
          }
      }
  }
}

/** Returns the names in a folder; empty if it does not exist. */
async function readNames(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => [])
}
