/**
 * A backup in a bucket of S3-compatible storage. The keys are listed once, after locking, and tracked from then on:
 * otherwise checking an attachment would take one request each time.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { S3Client } from '../../storage/objects/s3-client.js'
import { uploadObject } from '../../storage/objects/s3-upload.js'
import { BackupError } from './backup-error.js'
import { BucketLock, lockName, type TaggedFile } from './bucket-lock.js'
import type { OpenFile, Place, StorageSettings } from './place.js'

/** Maximum number of keys removed by one request. */
const pageSize = 1000
/** Default time for a response; uploads get this time once more for each 2 MB. */
const defaultTimeoutMs = 60_000
const closeTimeoutMs = 10_000
const uploadBytesPerMs = 2_000_000 / defaultTimeoutMs

/** Entries of a folder: the size of each file in bytes; `undefined` for a folder. */
type Entries = Map<string, number | undefined>

export class S3Place implements Place {
  readonly #lock: BucketLock
  #folders: Map<string, Entries> | undefined

  private constructor(
    readonly name: string,
    private readonly prefix: string,
    private readonly bucket: S3Client,
    private readonly timeoutMs: number
  ) {
    this.#lock = new BucketLock(name, `${prefix}${lockName}`, bucket, {
      read: () => this.#openTagged(lockName),
      send: ask => this.#send(lockName, ask)
    })
  }

  /**
   * Opens a bucket. `timeoutMs`: time for each response. Throws {@link BackupError} if it cannot be reached or the keys are not
   * accepted.
   */
  static async open(
    bucket: string,
    prefix: string,
    { accessKey, endpoint, region, secretKey }: StorageSettings,
    timeoutMs = defaultTimeoutMs
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
    client.timeoutMs = timeoutMs
    client.uploadBytesPerMs = uploadBytesPerMs
    const name = `s3://${[bucket, prefix].filter(part => part !== '').join('/')}`
    const place = new S3Place(name, prefix === '' ? '' : `${prefix}/`, client, timeoutMs)
    await place.#getEntries('')
    return place
  }

  async lock(): Promise<void> {
    await this.#lock.acquire()
    // Another run may have written before this one had the lock.
    this.#folders = undefined
  }

  async open(path: string): Promise<OpenFile | undefined> {
    return (await this.#openTagged(path))?.file
  }

  /** Opens a file, with its entity tag. Returns `undefined` if there is none. */
  async #openTagged(path: string): Promise<TaggedFile | undefined> {
    const answer = await this.#send(path, () => this.bucket.getObjectResponse(this.prefix + path))
    if (!answer?.body) return undefined
    const bytes = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
    const size = Number(answer.headers.get('content-length'))
    const file = { bytes: this.#readBody(path, bytes), size, destroy: () => bytes.destroy() }
    return { file, tag: answer.headers.get('etag') ?? '' }
  }

  async write(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    if (this.#lock.needsRenewal) await this.assertLocked()
    this.#recordFile(path, await this.#upload(path, bytes))
  }

  async replace(path: string, bytes: Buffer): Promise<void> {
    this.#recordFile(path, await this.#upload(path, Readable.from([bytes])))
  }

  async link(): Promise<boolean> {
    return false
  }

  async getSize(path: string): Promise<number | undefined> {
    const [folder, name] = splitPath(path)
    return (await this.#getEntries(folder)).get(name)
  }

  async list(path = ''): Promise<readonly string[]> {
    return [...(await this.#getEntries(path)).keys()]
  }

  async remove(path: string): Promise<void> {
    const [folder, name] = splitPath(path)
    const entries = await this.#getEntries(folder)
    if (!entries.has(name)) return
    const files = entries.get(name) === undefined ? [...(await this.#listFilesIn(path))] : [path]
    for (let at = 0; at < files.length; at += pageSize) {
      const keys = files.slice(at, at + pageSize).map(file => this.prefix + file)
      const removed = await this.#send(path, () => this.bucket.deleteObjects(keys))
      if (!removed.every(Boolean)) throw new BackupError(`Can't remove ${this.name}/${path}`)
    }
    entries.delete(name)
  }

  async syncFolder(): Promise<void> {
    // A file is durable once the storage has responded.
  }

  async assertLocked(): Promise<void> {
    await this.#lock.assertHeld()
  }

  async close(): Promise<void> {
    // The caller may be waiting for a cancelled run to end.
    this.bucket.timeoutMs = Math.min(this.timeoutMs, closeTimeoutMs)
    await this.#lock.release()
  }

  /** Uploads a file. Returns its size in bytes. */
  async #upload(path: string, source: AsyncIterable<Buffer>): Promise<number> {
    return await uploadObject(this.bucket, this.prefix + path, source, ask => this.#send(path, ask))
  }

  /** Returns the entries of a folder. Lists the whole bucket the first time. An unknown folder is empty. */
  async #getEntries(folder: string): Promise<Entries> {
    const folders = (this.#folders ??= await this.#listAll())
    const entries = folders.get(folder) ?? new Map<string, number | undefined>()
    folders.set(folder, entries)
    return entries
  }

  /** Lists the keys of the backup, by folder. Throws `BackupError` if the bucket does not exist. */
  async #listAll(): Promise<Map<string, Entries>> {
    const folders = new Map<string, Entries>()
    this.#folders = folders
    const isThere = await this.#send('', () =>
      this.bucket.listAll(this.prefix, (key, size) => this.#recordFile(key.slice(this.prefix.length), size))
    )
    if (!isThere) throw new BackupError(`${this.name}: the bucket does not exist`)
    return folders
  }

  /** Records a file and its parent folders. Returns true if the file is new. */
  #recordFile(path: string, size: number): boolean {
    let at = path
    let value: number | undefined = size
    for (let isNew: boolean | undefined; ;) {
      const [folder, name] = splitPath(at)
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

  /** Yields the paths of all files in a folder and its subfolders. */
  async *#filesIn(folder: string): AsyncGenerator<string, void, undefined> {
    for (const [name, size] of await this.#getEntries(folder)) {
      if (size === undefined) yield* this.#filesIn(`${folder}/${name}`)
      else yield `${folder}/${name}`
    }
  }

  async #listFilesIn(folder: string): Promise<string[]> {
    const files: string[] = []
    for await (const file of this.#filesIn(folder)) files.push(file)
    return files
  }

  /**
   * Yields the bytes of a response. Throws {@link BackupError} with the name of the file if no more data
   * arrives in time.
   */
  async *#readBody(path: string, bytes: Readable): AsyncGenerator<Buffer, void, undefined> {
    // Measures only the time that the storage takes: the reader may be slow.
    let timer: NodeJS.Timeout | undefined
    const startTimer = (): void => {
      timer = setTimeout(() => bytes.destroy(new Error('no more data arrived')), this.timeoutMs)
    }
    try {
      startTimer()
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        clearTimeout(timer)
        yield chunk
        startTimer()
      }
    } catch (error) {
      throw new BackupError(
        `${this.name}/${path}: the transfer was interrupted (${(error as Error).message})`
      )
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a request. Errors are thrown as {@link BackupError} with the name of the file. */
  async #send<T>(path: string, ask: () => Promise<T>): Promise<T> {
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

/** Splits a path into its folder and its name. */
function splitPath(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)]
}
