/** Objects in a bucket of S3-compatible storage. */
import { openAsBlob } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { S3Client } from '../../storage/objects/s3-client.js'
import { uploadObject } from '../../storage/objects/s3-upload.js'
import { EngineUnavailable } from '../engine.js'
import type { Objects } from '../objects.js'

export interface BucketOptions {
  /** URL of the storage, without the bucket. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Prefix of the keys of all objects; empty, or ends with a slash. */
  readonly prefix: string
  readonly accessKey: string
  readonly secretKey: string
  /** Time limit for responses and for each chunk, in milliseconds; a minute by default. */
  readonly timeoutMs?: number
}

/** Default time limit in milliseconds: uploading a part of a large file takes some time. */
const defaultTimeoutMs = 60_000

export class BucketObjects implements Objects {
  readonly #client: S3Client
  readonly #prefix: string
  readonly #timeoutMs: number

  constructor(options: BucketOptions) {
    const { accessKey, bucket, endpoint, timeoutMs = defaultTimeoutMs, prefix, region, secretKey } = options
    this.#prefix = prefix
    this.#timeoutMs = timeoutMs
    this.#client = new S3Client({
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      endpoint: `${endpoint.replace(/\/$/, '')}/${bucket}`,
      region
    })
    this.#client.timeoutMs = timeoutMs
  }

  async put(key: string, path: string): Promise<void> {
    await uploadObject(this.#client, this.#prefix + key, await openAsBlob(path), translateErrors)
  }

  /**
   * Writes an object to a new file, synced. Returns false if there is no such object. Rejects with
   * `EngineUnavailable` if the storage does not respond.
   */
  async get(key: string, path: string): Promise<boolean> {
    const response = await translateErrors(() => this.#client.getObjectResponse(this.#prefix + key))
    if (!response?.body) {
      // If the bucket itself is missing, its content is unknown.
      if (!(await translateErrors(() => this.#client.bucketExists()))) throw createNoBucketError()
      return false
    }
    const size = Number(response.headers.get('content-length'))
    const file = await open(path, 'wx', 0o600)
    const chunks = response.body[Symbol.asyncIterator]()
    let isWhole = false
    try {
      let written = 0
      for (;;) {
        const { done, value } = await translateErrors(() => this.#withTimeout(chunks.next()))
        if (done === true) break
        await file.write(value)
        written += value.length
      }
      if (response.headers.has('content-length') && written !== size)
        throw new EngineUnavailable(new Error(`The storage broke off ${key}`))
      await file.sync()
      isWhole = true
    } finally {
      await file.close()
      if (!isWhole) {
        // Pending chunks are not awaited.
        void chunks.return?.().catch(() => undefined)
        await rm(path, { force: true })
      }
    }
    return true
  }

  /** Rejects if a promise does not resolve in time. */
  async #withTimeout<T>(pending: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      const silence = new Error('the storage does not go on')
      timer = setTimeout(() => reject(silence), this.#timeoutMs)
    })
    try {
      return await Promise.race([pending, timeout])
    } finally {
      clearTimeout(timer)
    }
  }

  async remove(key: string): Promise<void> {
    await translateErrors(() => this.#client.removeObject(this.#prefix + key))
  }

  /** Lists the keys with a prefix, sorted. Rejects if the bucket does not exist. */
  async list(prefix: string): Promise<string[]> {
    const keys = new Set<string>()
    const isThere = await translateErrors(() =>
      this.#client.listAll(this.#prefix + prefix, key => keys.size < keys.add(key).size)
    )
    if (!isThere) throw createNoBucketError()
    return Array.from(keys, key => key.slice(this.#prefix.length)).toSorted()
  }
}

function createNoBucketError(): EngineUnavailable {
  return new EngineUnavailable(new Error('The bucket does not exist'))
}

/** Sends a request. Rejects with `EngineUnavailable` for any error: the outcome is unknown. */
async function translateErrors<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    throw new EngineUnavailable(error)
  }
}
