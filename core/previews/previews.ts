/**
 * Previews of pictures: from the cache, or rendered a few at a time; concurrent calls for the same preview share one
 * rendering. (docs/spec/previews.md)
 */
import type { Attachment, Event } from '../../schemas/event.js'
import type { CachedPreview, PreviewCache, PreviewKey } from '../../storage/files/previews.js'
import { BoundedMap } from '../security/bounded-map.js'
import { ApiError } from '../errors.js'
import { FairScheduler } from '../security/fair-scheduler.js'
import { RecentlyUsedBytes } from './recently-used-bytes.js'
import {
  createUnreadableError,
  type PictureRenderer,
  dependsOnAspectRatio,
  getFrame,
  type RequestedSize,
  type Size,
  type Frame
} from './renderer.js'
import type { Accounts } from '../../storage/accounts.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { Log } from '../log.js'
import type { Config } from '../settings/config.js'
import type { Clock } from '../time.js'
import type { Account } from '../../storage/platform/account.js'

/** Names one preview of one account. */
export interface Preview extends PreviewKey {
  readonly frame: Frame
}

/** What previews need of the service. */
interface PreviewServices {
  readonly accounts: Accounts
  readonly attachments: AttachmentStore
  readonly clock: Clock
  readonly config: Config
  readonly log: Log
}

/** A preview being loaded or rendered. */
interface PendingPreview {
  readonly bytes: Promise<Buffer>
  /** Aborted once no request waits. */
  readonly leaving: AbortController
  waiting: number
}

/** Maximum number of bytes of previews in memory. */
const recentBytes = 8 * 1024 * 1024
/** Maximum number of pictures whose aspect ratios are cached. */
const maxCachedRatios = 10_000
/** Minimum seconds between two marks of use of a preview. */
const markIntervalSeconds = 3600
/** Seconds for which an unreadable picture is not retried: each attempt may take long. */
const retryUnreadableAfter = 3600
/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 5

/** Returns previews of the pictures of all accounts, and keeps them in the cache. */
export class Previews {
  /** Runs work on pictures: a user with many or unreadable pictures delays other users by at most one picture. */
  readonly #queue: FairScheduler
  readonly #recentPreviews = new RecentlyUsedBytes(recentBytes)
  readonly #lastMarked = new BoundedMap<string, number>(maxCachedRatios)
  readonly #ratios = new BoundedMap<string, number>(maxCachedRatios)
  /** Unreadable pictures, and since when (seconds). */
  readonly #unreadable = new BoundedMap<string, { readonly error: ApiError; readonly at: number }>(
    maxCachedRatios
  )
  /** Previews being loaded or rendered, by name. */
  readonly #pending = new Map<string, PendingPreview>()

  constructor(
    private readonly service: PreviewServices,
    private readonly cache: PreviewCache,
    private readonly renderer: PictureRenderer
  ) {
    this.#queue = new FairScheduler(service.config.previews.concurrency)
  }

  /** Number of pictures waiting to be rendered. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /**
   * Ensures that a preview of an event's first attachment is available, rendering it if needed, and returns
   * its key. Errors: `corrupted-data` (422) when there is no readable picture, or it is too large;
   * `api-unavailable` when pictures cannot be rendered at all or at the moment. A preview whose callers' signals have all
   * aborted is not rendered any more; rejects with the reason of the last one.
   */
  async ensurePreview(
    account: Account,
    event: Pick<Event, 'attachments' | 'modified'>,
    requestedSize: RequestedSize,
    signal?: AbortSignal
  ): Promise<Preview> {
    const picture = event.attachments?.[0] ?? throwMissing(event)
    const ratio = dependsOnAspectRatio(requestedSize)
      ? await this.#getAspectRatio(account, picture, signal)
      : 1
    const preview: Preview = {
      fileId: picture.id,
      frame: getFrame(requestedSize, ratio),
      modified: event.modified
    }
    const name = getPreviewName(account, preview)
    if (this.#recentPreviews.get(name)) this.#markUse(account, preview, name)
    else
      await this.#runOnce(name, signal, ends => this.#load(account, picture, { preview, name, signal: ends }))
    return preview
  }

  /**
   * Returns the bytes of a preview that has been provided. Throws `api-unavailable` if it has been removed
   * since.
   */
  async bytes(account: Account, preview: Preview): Promise<Buffer> {
    const name = getPreviewName(account, preview)
    const known = this.#recentPreviews.get(name)
    if (known) return known
    const cached = await this.#find(account, preview)
    if (!cached) throw new ApiError('api-unavailable', undefined, { retryAfter })
    this.#recentPreviews.set(name, cached.bytes)
    return cached.bytes
  }

  /** Removes the previews of a picture that is being deleted. */
  async remove(account: Account, fileId: string): Promise<void> {
    this.#recentPreviews.deleteWithPrefix(`${account.id} ${fileId} `)
    await this.cache.remove(account.id, fileId)
  }

  /** Drops cached data of a removed account; files on disk were removed with its folder. */
  forget({ id }: Account): void {
    this.#recentPreviews.deleteWithPrefix(`${id} `)
  }

  /** Removes previews that have not been used for `previews.cacheMaxAge` seconds. */
  async cleanUp(account: Account): Promise<void> {
    const { clock, config } = this.service
    await this.cache.sweep(account.id, clock.now() - config.previews.cacheMaxAge)
  }

  /** Runs work of that name, or waits for the same work in progress. Its signal aborts once those of all who wait have. */
  async #runOnce(
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Buffer>
  ): Promise<void> {
    signal?.throwIfAborted()
    const pending = this.#pending.get(name) ?? this.#begin(name, work)
    pending.waiting++
    const leave = (): void => {
      if (--pending.waiting > 0) return
      this.#pending.delete(name)
      pending.leaving.abort(signal!.reason)
    }
    signal?.addEventListener('abort', leave)
    try {
      await pending.bytes
    } finally {
      signal?.removeEventListener('abort', leave)
      if (this.#pending.get(name) === pending) this.#pending.delete(name)
    }
  }

  #begin(name: string, work: (signal: AbortSignal) => Promise<Buffer>): PendingPreview {
    const leaving = new AbortController()
    const pending = { bytes: work(leaving.signal), leaving, waiting: 0 }
    this.#pending.set(name, pending)
    return pending
  }

  /** Returns a preview from the disk, or renders and stores it. */
  async #load(
    account: Account,
    picture: Attachment,
    { name, preview, signal }: { preview: Preview; name: string; signal: AbortSignal }
  ): Promise<Buffer> {
    const cached = await this.#find(account, preview)
    const bytes = cached?.bytes ?? (await this.#renderAndStore(account, picture, preview, signal))
    this.#lastMarked.set(name, cached?.usedAt ?? this.service.clock.now())
    this.#recentPreviews.set(name, bytes)
    if (cached) this.#markUse(account, preview, name)
    return bytes
  }

  /** Finds a preview in the cache. Errors of the cache must not keep a picture from being shown. */
  async #find(account: Account, preview: Preview): Promise<CachedPreview | undefined> {
    try {
      return await this.cache.find(account.id, preview)
    } catch (cause) {
      this.service.log.warn('a preview could not be read', { accountId: account.id, cause })
      return undefined
    }
  }

  async #renderAndStore(
    account: Account,
    picture: Attachment,
    preview: Preview,
    signal: AbortSignal
  ): Promise<Buffer> {
    const render = (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> =>
      this.renderer.render(chunks, preview.frame)
    const bytes = await this.#runOnPicture(account, picture, render, signal)
    await this.#storePreview(account, preview, bytes)
    return bytes
  }

  /** Stores a preview, unless its picture was removed in the meantime. A preview that cannot be stored is still shown. */
  async #storePreview(account: Account, preview: Preview, bytes: Buffer): Promise<void> {
    const { accounts, clock, log } = this.service
    const isThere = (): boolean => accounts.openStore(account).attachments.has(preview.fileId)
    try {
      if (isThere()) await this.cache.insert(account.id, preview, bytes, clock.now())
      if (!isThere()) await this.cache.remove(account.id, preview.fileId)
    } catch (cause) {
      log.warn('a preview could not be saved', { accountId: account.id, cause })
    }
  }

  /** Returns the width of a picture divided by its height. Cached. */
  async #getAspectRatio(account: Account, picture: Attachment, signal?: AbortSignal): Promise<number> {
    const known = this.#ratios.get(picture.id)
    if (known !== undefined) return known
    const measure = (chunks: AsyncIterable<Uint8Array>): Promise<Size> => this.renderer.measure(chunks)
    const { height, width } = await this.#runOnPicture(account, picture, measure, signal)
    this.#ratios.set(picture.id, width / height)
    return width / height
  }

  /** Runs work on a picture when it is its account's turn, unless the picture has recently proven unreadable. */
  async #runOnPicture<T>(
    account: Account,
    picture: Attachment,
    work: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
    signal?: AbortSignal
  ): Promise<T> {
    const { clock, config } = this.service
    if (picture.size > config.previews.maxFileBytes)
      throw createUnreadableError('The file is too large for a preview')
    const refused = this.#unreadable.get(picture.id)
    if (refused && clock.now() - refused.at < retryUnreadableAfter) throw refused.error
    this.#assertCapacity(account)
    const run = async (): Promise<T> => {
      const source = (await this.service.attachments.get(account.id, picture.id)) ?? throwMissing()
      try {
        return await work(source)
      } catch (error) {
        if (error instanceof ApiError && error.id === 'corrupted-data')
          this.#unreadable.set(picture.id, { error, at: clock.now() })
        throw error
      } finally {
        source.destroy()
      }
    }
    return await this.#queue.run({ account: account.id, access: '' }, run, signal)
  }

  /**
   * Throws `api-unavailable` if too many previews are waiting. One account may have half of the places; there is always one more
   * for an account that has none.
   */
  #assertCapacity({ id }: Account): void {
    const { maxWaiting } = this.service.config.previews
    const own = this.#queue.countWaiting(id)
    if (own === 0 || (this.#queue.waiting < maxWaiting && own < Math.ceil(maxWaiting / 2))) return
    throw new ApiError('api-unavailable', 'Too many previews at the moment. Try again later', {
      retryAfter
    })
  }

  /** Marks a use in the background, at most once per {@link markIntervalSeconds}. */
  #markUse(account: Account, preview: Preview, name: string): void {
    const now = this.service.clock.now()
    if (now - (this.#lastMarked.get(name) ?? 0) < markIntervalSeconds) return
    this.#lastMarked.set(name, now)
    this.cache.touch(account.id, preview, now).catch((cause: unknown) => {
      this.service.log.warn('the use of a preview could not be recorded', { accountId: account.id, cause })
    })
  }
}

function getPreviewName({ id }: Account, { fileId, frame, modified }: Preview): string {
  return `${id} ${fileId} ${frame} ${modified}`
}

function throwMissing(event?: object): never {
  throw createUnreadableError(event ? 'The event has no image yet' : 'The image file is missing')
}
