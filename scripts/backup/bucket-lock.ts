/** Keeps other runs out of a backup in a bucket, by an object that names its holder and expires. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { S3Client } from '../../storage/objects/s3-client.js'
import { BackupError } from './backup-error.js'
import type { OpenFile } from './place.js'
import { readBytes } from './read-file.js'

export const lockName = 'backup.lock'
/** Validity of a lock that is not renewed, in seconds. Other runs wait this long if a lock could not be removed. */
const lockSeconds = 900
/** Maximum end of a lock, in seconds. */
const maxLockEnd = 1e11
/** Time between checks of our own lock, in milliseconds. */
const lockCheckMs = 60_000
/** Minimum validity of a lock that is removed, in milliseconds: no other run may take it over meanwhile. */
const removalMs = 60_000
/** Maximum size of the lock file, in bytes. */
const maxLockBytes = 64 * 1024
/** Responses to a write whose condition is not met, to one of several such writes at once, or to one that failed for another reason. */
const refusedStatuses: ReadonlySet<unknown> = new Set([400, 404, 409, 412])
/** Responses of storage that does not know conditions: these, or 400 with one of these codes. */
const unknownStatuses: ReadonlySet<unknown> = new Set([405, 501])
const unknownCodePattern = /<Code>(?:NotImplemented|(?:Invalid|Unsupported)(?:Argument|Header|Request))</
/** Maximum number of writes that are refused although the lock has not changed, and the time between them, in milliseconds. */
const [maxWrites, writePauseMs] = [4, 500]

/** A file, with its entity tag: empty if the storage sends none. */
export interface TaggedFile {
  readonly file: OpenFile
  readonly tag: string
}

interface Requests {
  /** Opens the lock; `undefined` if there is none. Rejects with {@link BackupError}. */
  read(): Promise<TaggedFile | undefined>
  /** Sends a request. Rejects with {@link BackupError}. */
  send<T>(ask: () => Promise<T>): Promise<T>
}

/** Who holds the lock, and until when (seconds). */
interface Holder {
  readonly id: unknown
  readonly until: number
  readonly tag: string
}

export class BucketLock {
  readonly #id = randomUUID()
  #lockedUntil = 0
  #renewTimer: NodeJS.Timeout | undefined

  /** `place`: what errors name. `key`: of the lock in the bucket. */
  constructor(
    private readonly place: string,
    private readonly key: string,
    private readonly bucket: S3Client,
    private readonly requests: Requests
  ) {}

  /** Takes the lock, and renews it from then on. Rejects with {@link BackupError} if another run holds it. */
  async acquire(): Promise<void> {
    const former = await this.#read()
    this.#assertFree(former)
    await this.#write(former)
    this.#assertFree(await this.#read())
    await this.assertHeld()
    // Renews the lock also while a long file is read or checked. After a failure, the next write throws.
    this.#renewTimer = setInterval(() => void this.assertHeld().catch(() => undefined), lockCheckMs).unref()
  }

  /** True once half of the lock's validity is over, so that it must be renewed, or if it was lost. */
  get needsRenewal(): boolean {
    return Date.now() / 1000 > this.#lockedUntil - lockSeconds / 2
  }

  /** Renews the lock if necessary. Rejects with {@link BackupError} if another run has taken it over. */
  async assertHeld(): Promise<void> {
    const holder = await this.#readOwn()
    if (!this.needsRenewal) return
    await this.#write(holder)
    await this.#readOwn()
  }

  /** Removes the lock, unless it has nearly expired: then another run may be taking it over. Never rejects. */
  async release(): Promise<void> {
    clearInterval(this.#renewTimer)
    const isValid = Date.now() + removalMs < this.#lockedUntil * 1000
    this.#lockedUntil = 0
    try {
      if (isValid && (await this.#read())?.id === this.#id) await this.bucket.deleteObject(this.key)
    } catch {
      // Report why the run failed, not that its lock remains: the lock expires soon.
    }
  }

  #assertFree(holder: Holder | undefined): void {
    if (holder && holder.id !== this.#id && holder.until > Date.now() / 1000)
      throw new BackupError(
        `${this.place} is in use by another run until ${new Date(holder.until * 1000).toISOString()}. If that run was killed, remove ${lockName} there`
      )
  }

  /** Returns our own lock. Rejects with {@link BackupError} if another run has taken it over. */
  async #readOwn(): Promise<Holder> {
    const holder = await this.#read()
    if (holder?.id === this.#id) {
      // What is stored counts for other runs, whatever happened to our last write.
      this.#lockedUntil = holder.until
      return holder
    }
    this.#lockedUntil = 0
    throw new BackupError(`${this.place} was taken over by another run. This run was cancelled`)
  }

  /** Returns `undefined` if there is no lock. An unreadable one counts as expired. */
  async #read(): Promise<Holder | undefined> {
    const opened = await this.requests.read()
    if (!opened) return undefined
    const { file, tag } = opened
    const text = (await readBytes(lockName, file.bytes, file.size, maxLockBytes)).toString()
    try {
      const { id, until } = JSON.parse(text) as { id?: unknown; until?: unknown }
      return { id, until: Math.min(Number(until) || 0, maxLockEnd), tag }
    } catch {
      return { id: undefined, until: 0, tag }
    }
  }

  /**
   * Writes the lock on condition that it is still this one; `undefined`: that there is none. Read it afterwards to
   * find out whether the condition was met. Storage that knows no conditions, or not the tags that it sends, replaces it
   * in any case.
   */
  async #write(former: Holder | undefined): Promise<void> {
    const condition = former
      ? { ...(former.tag !== '' && { 'if-match': former.tag }) }
      : { 'if-none-match': '*' }
    for (let writes = 1; ; writes++) {
      const status = await this.#put(condition)
      if (status === undefined) return
      if (status === 'unknown') break
      if (!isSameLock(await this.#read(), former)) return
      // A proxy may have changed the tag, for example of a compressed response.
      if (status === 412 && former) break
      if (writes === maxWrites)
        throw new BackupError(`${this.place}: the storage refuses to write ${lockName} (status ${status})`)
      await wait(writePauseMs)
    }
    await this.#put({})
  }

  /**
   * Returns `undefined` once the lock is written, the status of the response if a condition was not met, or `unknown` if the storage does
   * not know it. Rejects with {@link BackupError} for other errors.
   */
  async #put(condition: Record<string, string>): Promise<number | 'unknown' | undefined> {
    const until = Math.ceil(Date.now() / 1000) + lockSeconds
    const bytes = Buffer.from(JSON.stringify({ id: this.#id, until }))
    return await this.requests.send(async () => {
      try {
        await this.bucket.putObject(this.key, bytes, undefined, undefined, condition)
        // Until it has been read again: then it is removed even if the run ends before.
        this.#lockedUntil = until
        return undefined
      } catch (error) {
        const { body = '', status } = error as { readonly body?: string; readonly status?: number }
        if (Object.keys(condition).length === 0) throw error
        if (unknownStatuses.has(status) || (status === 400 && unknownCodePattern.test(body))) return 'unknown'
        if (refusedStatuses.has(status)) return status
        throw error
      }
    })
  }
}

/** Returns whether the lock is the former one: no run has written it since. */
function isSameLock(now: Holder | undefined, former: Holder | undefined): boolean {
  return now?.id === former?.id && now?.until === former?.until && now?.tag === former?.tag
}
