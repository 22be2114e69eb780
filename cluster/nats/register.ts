/** Registers as a key-value bucket of the engine: a stream that keeps the last message of each subject. */
import type { Register, Registered } from '../engine.js'
import { appendBehind } from './append.js'
import { getMessages } from './direct-get.js'
import { lastMessage, type Reading } from './last.js'
import { bucketStream, keyOf, keysLike, keySubject } from './places.js'

/** Most keys that are read at once: the engine's own limit. */
const maxKeys = 1024

export class NatsRegister implements Register {
  /** The newest value of each key that was seen: the next one who is asked may lag behind. */
  readonly #seen = new Map<string, Registered>()

  constructor(private readonly reading: Reading) {}

  async get(key: string): Promise<Registered | undefined> {
    const last = await lastMessage(this.reading, bucketStream, keySubject(key))
    return last && this.#newest({ key, revision: last.sequence, bytes: last.bytes })
  }

  async cas(key: string, expected: number, bytes: Uint8Array): Promise<number> {
    const subject = keySubject(key)
    const { connection, timeoutMs } = this.reading
    const revision = await appendBehind(connection, bucketStream, subject, bytes, expected, timeoutMs)
    this.#newest({ key, revision, bytes })
    return revision
  }

  async list(prefix: string): Promise<Registered[]> {
    const wanted = { multi_last: [keysLike(prefix)], batch: maxKeys }
    for (const { bytes, sequence, subject } of await getMessages(
      this.reading.connection,
      bucketStream,
      wanted
    ))
      this.#newest({ key: keyOf(subject), revision: sequence, bytes })
    return Array.from(this.#seen.values()).filter(({ key }) => key.startsWith(prefix))
  }

  /** The newer one of a value and what was seen before. */
  #newest(read: Registered): Registered {
    const seen = this.#seen.get(read.key)
    if (seen && seen.revision >= read.revision) return seen
    this.#seen.set(read.key, read)
    return read
  }
}
