/** Registers as a key-value bucket of the engine: a stream that keeps the last message of each subject. */
import type { Register, RegisterValue } from '../engine.js'
import { appendAfter } from './append.js'
import { getMessages } from './direct-get.js'
import { lastMessage, type ReadContext } from './last.js'
import { bucketStream, parseKey, keySubjects, keySubject } from './subjects.js'

/** Maximum number of keys read at once: the engine's own limit. */
const maxKeys = 1024

export class NatsRegister implements Register {
  /** The newest value of each key that was read: another replica may lag behind. */
  readonly #latest = new Map<string, RegisterValue>()

  constructor(private readonly reading: ReadContext) {}

  async get(key: string): Promise<RegisterValue | undefined> {
    const last = await lastMessage(this.reading, bucketStream, keySubject(key))
    return last && this.#keepNewest({ key, revision: last.sequence, bytes: last.bytes })
  }

  async cas(key: string, expected: number, bytes: Uint8Array): Promise<number> {
    const subject = keySubject(key)
    const { connection, timeoutMs } = this.reading
    const revision = await appendAfter(connection, bucketStream, subject, bytes, expected, timeoutMs)
    this.#keepNewest({ key, revision, bytes })
    return revision
  }

  async list(prefix: string): Promise<RegisterValue[]> {
    const wanted = { multi_last: [keySubjects(prefix)], batch: maxKeys }
    for (const { bytes, sequence, subject } of await getMessages(
      this.reading.connection,
      bucketStream,
      wanted
    ))
      this.#keepNewest({ key: parseKey(subject), revision: sequence, bytes })
    return Array.from(this.#latest.values()).filter(({ key }) => key.startsWith(prefix))
  }

  /** Returns the newer of two values, the given one and the latest known one, and keeps it as the latest. */
  #keepNewest(read: RegisterValue): RegisterValue {
    const latest = this.#latest.get(read.key)
    if (latest && latest.revision >= read.revision) return latest
    this.#latest.set(read.key, read)
    return read
  }
}
