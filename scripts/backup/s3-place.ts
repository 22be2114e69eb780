/**
 * A backup in a bucket of S3-compatible storage. The keys are listed once, when the place has been locked, and followed from then
 * on: asking for each attachment would take a request each.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { S3Client } from '../../storage/objects/s3-client.js'
import { upload } from '../../storage/objects/s3-upload.js'
import { BackupError } from './backup-error.js'
import type { Opened, Place, StorageSettings } from './place.js'
import { bytesOf } from './reading.js'

/** Keys that are listed, or removed, by one request. */
const keysAtOnce = 1000
const lockName = 'backup.lock'
/** For how long a lock holds unless it is renewed, in seconds: what keeps others out where it could not be removed. */
const lockSeconds = 900
/** Time within which the storage has to answer, in milliseconds; to an upload, for each 2 MB more. */
const standardPatienceMs = 60_000
const closingPatienceMs = 10_000
const uploadBytesPerMs = 2_000_000 / standardPatienceMs
/** The latest time that a lock is taken to hold until, in seconds. */
const endOfTime = 1e11
/** Time between two looks at the own lock, in milliseconds. */
const renewMs = 60_000
/** Bytes of the largest lock. */
const largestLock = 64 * 1024

/** Entries of a folder: the size of each file; `undefined` for a folder. */
type Entries = Map<string, number | undefined>

export class S3Place implements Place {
  readonly #id = randomUUID()
  #lockedUntil = 0
  #renewing: NodeJS.Timeout | undefined
  #folders: Map<string, Entries> | undefined

  private constructor(
    readonly name: string,
    private readonly prefix: string,
    private readonly bucket: S3Client,
    private readonly patienceMs: number
  ) {}

  /**
   * Opens a bucket. `patienceMs`: time within which the storage has to answer, in milliseconds. Throws {@link BackupError} if it
   * cannot be reached, or the keys are not good for it.
   */
  static async open(
    bucket: string,
    prefix: string,
    { accessKey, endpoint, region, secretKey }: StorageSettings,
    patienceMs = standardPatienceMs
  ): Promise<S3Place> {
    if (accessKey === '' || secretKey === '')
      throw new BackupError('Backups to a bucket need backup.s3.accessKey and backup.s3.secretKey')
    const base =
      endpoint === ''
        ? `https://s3.${region}.amazonaws.com`
        : endpoint.endsWith('/')
          ? endpoint.slice(0, -1)
          : endpoint
    const client = new S3Client({
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      endpoint: `${base}/${bucket}`,
      region
    })
    client.timeoutMs = patienceMs
    client.uploadBytesPerMs = uploadBytesPerMs
    const name = `s3://${[bucket, prefix].filter(part => part !== '').join('/')}`
    const place = new S3Place(name, prefix === '' ? '' : `${prefix}/`, client, patienceMs)
    await place.#entries('')
    return place
  }

  async lock(): Promise<void> {
    const held = await this.#lock()
    if (held && held.id !== this.#id && held.until > Date.now() / 1000)
      throw new BackupError(
        `${this.name} is in use by another run until ${new Date(held.until * 1000).toISOString()}. If that run was killed, remove ${lockName} there`
      )
    await this.#renew()
    await this.assertHeld()
    // Also while one long file is read or checked. What fails is told by the next write.
    this.#renewing = setInterval(() => void this.assertHeld().catch(() => undefined), renewMs).unref()
    // Somebody else may have written before the lock was ours.
    this.#folders = undefined
  }

  async open(path: string): Promise<Opened | undefined> {
    const answer = await this.#asked(path, () => this.bucket.getObjectResponse(this.prefix + path))
    if (!answer?.body) return undefined
    const bytes = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
    const size = Number(answer.headers.get('content-length'))
    return { bytes: this.#told(path, bytes), size, destroy: () => bytes.destroy() }
  }

  async write(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    if (this.#isHalfOver()) await this.assertHeld()
    this.#note(path, await this.#stored(path, bytes))
  }

  async replace(path: string, bytes: Buffer): Promise<void> {
    this.#note(path, await this.#stored(path, Readable.from([bytes])))
  }

  async link(): Promise<boolean> {
    return false
  }

  async sizeOf(path: string): Promise<number | undefined> {
    const [folder, name] = split(path)
    return (await this.#entries(folder)).get(name)
  }

  async list(path = ''): Promise<readonly string[]> {
    return [...(await this.#entries(path)).keys()]
  }

  async remove(path: string): Promise<void> {
    const [folder, name] = split(path)
    const entries = await this.#entries(folder)
    if (!entries.has(name)) return
    const files = entries.get(name) === undefined ? [...(await this.#below(path))] : [path]
    for (let at = 0; at < files.length; at += keysAtOnce) {
      const keys = files.slice(at, at + keysAtOnce).map(file => this.prefix + file)
      const removed = await this.#asked(path, () => this.bucket.deleteObjects(keys))
      if (!removed.every(Boolean)) throw new BackupError(`Can't remove ${this.name}/${path}`)
    }
    entries.delete(name)
  }

  async settle(): Promise<void> {
    // What has been answered is stored.
  }

  async assertHeld(): Promise<void> {
    if ((await this.#lock())?.id !== this.#id)
      throw new BackupError(`${this.name} was taken over by another run. This run was cancelled`)
    if (this.#isHalfOver()) await this.#renew()
  }

  async close(): Promise<void> {
    clearInterval(this.#renewing)
    if (this.#lockedUntil === 0) return
    this.#lockedUntil = 0
    // Somebody may wait for the end of a run that has been given up.
    this.bucket.timeoutMs = Math.min(this.patienceMs, closingPatienceMs)
    try {
      if ((await this.#lock())?.id === this.#id) await this.bucket.deleteObject(this.prefix + lockName)
    } catch {
      // What the run failed of is to be told, not that its lock stays: that lapses soon.
    }
  }

  /** Who holds the lock, and until when (seconds). */
  async #lock(): Promise<{ id?: unknown; until: number } | undefined> {
    const file = await this.open(lockName)
    if (!file) return undefined
    const text = (await bytesOf(lockName, file.bytes, file.size, largestLock)).toString()
    try {
      const { id, until } = JSON.parse(text) as { id?: unknown; until?: unknown }
      return { id, until: Math.min(Number(until) || 0, endOfTime) }
    } catch {
      return undefined
    }
  }

  /** Whether half of the time of the lock is over, so that it has to be renewed. */
  #isHalfOver(): boolean {
    return Date.now() / 1000 > this.#lockedUntil - lockSeconds / 2
  }

  async #renew(): Promise<void> {
    this.#lockedUntil = Math.ceil(Date.now() / 1000) + lockSeconds
    await this.replace(lockName, Buffer.from(JSON.stringify({ id: this.#id, until: this.#lockedUntil })))
  }

  /** Stores bytes. Returns how many. */
  async #stored(path: string, source: AsyncIterable<Buffer>): Promise<number> {
    return await upload(this.bucket, this.prefix + path, source, ask => this.#asked(path, ask))
  }

  /** The entries of a folder. */
  async #entries(folder: string): Promise<Entries> {
    const folders = (this.#folders ??= await this.#listed())
    const entries = folders.get(folder) ?? new Map<string, number | undefined>()
    folders.set(folder, entries)
    return entries
  }

  async #listed(): Promise<Map<string, Entries>> {
    const folders = new Map<string, Entries>()
    this.#folders = folders
    let token: string | undefined
    do {
      const from = token
      const page = await this.#asked('', () =>
        // One page at a time: as many as there are in it.
        this.bucket.listObjectsPaged('/', this.prefix, 1, from, { 'max-keys': String(keysAtOnce) })
      )
      if (!page) throw new BackupError(`${this.name}: the bucket does not exist`)
      for (const { Key, Size } of page.objects ?? [])
        if (Key.startsWith(this.prefix) && this.#note(Key.slice(this.prefix.length), Size))
          this.bucket.pages = 0
      token = page.nextContinuationToken
    } while (token !== undefined && token !== '')
    return folders
  }

  /** Remembers a file, and the folders that it is in. Returns whether it is a new one. */
  #note(path: string, size: number): boolean {
    let at = path
    let value: number | undefined = size
    for (let isNew: boolean | undefined; ;) {
      const [folder, name] = split(at)
      const entries = this.#folders?.get(folder) ?? new Map<string, number | undefined>()
      this.#folders?.set(folder, entries)
      const isKnown = entries.has(name)
      entries.set(name, value)
      isNew ??= !isKnown
      if (folder === '' || isKnown) return isNew
      at = folder
      value = undefined
    }
  }

  /** The paths of all files in a folder and those below it. */
  async *#filesIn(folder: string): AsyncGenerator<string, void, undefined> {
    for (const [name, size] of await this.#entries(folder)) {
      if (size === undefined) yield* this.#filesIn(`${folder}/${name}`)
      else yield `${folder}/${name}`
    }
  }

  async #below(folder: string): Promise<string[]> {
    const files: string[] = []
    for await (const file of this.#filesIn(folder)) files.push(file)
    return files
  }

  /** The bytes of an answer; that it breaks off is told with the place. */
  async *#told(path: string, bytes: Readable): AsyncGenerator<Buffer, void, undefined> {
    // Only while the storage is waited for: who reads may take its time.
    let silence: NodeJS.Timeout | undefined
    const expect = (): void => {
      silence = setTimeout(() => bytes.destroy(new Error('no more data arrived')), this.patienceMs)
    }
    try {
      expect()
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        clearTimeout(silence)
        yield chunk
        expect()
      }
    } catch (error) {
      throw new BackupError(
        `${this.name}/${path}: the transfer was interrupted (${(error as Error).message})`
      )
    } finally {
      clearTimeout(silence)
    }
  }

  /** Asks the storage; what goes wrong is told with the place. */
  async #asked<T>(path: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      const { message, status } = error as Error & { status?: number }
      const why =
        status === 403 ? 'access denied. Check the keys and their permissions' : message.slice(0, 300)
      throw new BackupError([this.name, path].filter(part => part !== '').join('/') + `: ${why}`)
    }
  }
}

/** The folder and the name of a path. */
function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)]
}
