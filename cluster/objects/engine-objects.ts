/** Objects in a stream of the engine, if there is no other storage: pieces of bytes, and a head that names them. */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connected } from '../nats/connection.js'
import { Conflict, EngineUnavailable, type Entry } from '../engine.js'
import { appendAfter } from '../nats/append.js'
import { getMessages } from '../nats/direct-get.js'
import { translateRefusal, callApi } from '../nats/jetstream.js'
import { lastMessage } from '../nats/last.js'
import {
  doubtSubject,
  doubtSubjects,
  headSubjects,
  headSubject,
  parseDoubtId,
  parseHeadKey,
  objectsStream,
  pieceSubject,
  pieceSubjects
} from '../nats/object-subjects.js'
import type { Objects } from '../objects.js'
import { AgeTracker } from './age-tracker.js'

/** The head of an object. */
interface Head {
  /** The id of the object's bytes; the bytes of a replacement have another id. */
  readonly id: string
  readonly pieces: number
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string
}

/** Bytes of a piece. */
const pieceBytes = 512 * 1024
/** Maximum number of pieces written or read concurrently. */
const maxConcurrent = 8
/** For how long operations are retried, and the time between two attempts, in milliseconds. */
const [retryTimeoutMs, pauseMs] = [15_000, 100]

export class EngineObjects implements Objects {
  /** Notes of pieces that may be unused. */
  readonly #unconfirmed = new AgeTracker()

  constructor(private readonly engine: Connected) {}

  async put(key: string, path: string): Promise<void> {
    const head = headSubject(key)
    const id = randomUUID()
    await this.#markUnconfirmed(id, head)
    const stored = await this.#storePieces(id, path)
    await this.#assertMarked(id)
    const replaced = await this.#replaceHead(head, { id, ...stored })
    // The object is stored: what cannot be cleaned up now is swept later.
    const tidying = [this.#purge(doubtSubject(id)), ...(replaced ? [this.#removePieces(replaced.id)] : [])]
    await Promise.allSettled(tidying)
  }

  async get(key: string, path: string): Promise<boolean> {
    const subject = headSubject(key)
    for (const deadline = performance.now() + retryTimeoutMs; ;) {
      const head = (await this.#head(subject))?.head
      if (!head) return false
      if (await this.#loadObject(head, path)) return true
      // The object was replaced in the meantime, or is not on all replicas yet.
      if (performance.now() > deadline)
        throw new EngineUnavailable(new Error(`Pieces of ${key} are missing, or damaged`))
      await wait(pauseMs)
    }
  }

  async remove(key: string): Promise<void> {
    const subject = headSubject(key)
    const found = await this.#head(subject)
    if (!found) return
    await this.#markUnconfirmed(found.head.id, subject)
    await this.#purge(subject)
    await this.#removePieces(found.head.id)
  }

  async list(prefix: string): Promise<string[]> {
    const keys = (await this.#subjects(headSubjects(prefix))).map(parseHeadKey)
    return keys.filter(key => key.startsWith(prefix)).toSorted()
  }

  async sweep(seconds: number): Promise<void> {
    for (const subject of this.#unconfirmed.listOlderThan(seconds, await this.#subjects(doubtSubjects))) {
      const doubt = await this.#last(subject)
      if (!doubt) continue
      const id = parseDoubtId(subject)
      const named = await this.#head(Buffer.from(doubt.bytes).toString())
      if (named?.head.id === id) await this.#purge(subject)
      else await this.#removePieces(id)
    }
  }

  /**
   * Marks the pieces under an id as possibly unused, unless a head names them: this process may die before it has
   * finished writing or removing them.
   */
  async #markUnconfirmed(id: string, head: string): Promise<void> {
    await this.#storeOnce(doubtSubject(id), Buffer.from(head))
  }

  /** Rejects if another process has removed the pieces as unused: after hours, or while this process was frozen. */
  async #assertMarked(id: string): Promise<void> {
    if (await this.#last(doubtSubject(id))) return
    await this.#removePieces(id)
    throw new EngineUnavailable(new Error('Pieces were removed before all of them were there'))
  }

  /** Removes the pieces under an id that no head names, and then its mark. */
  async #removePieces(id: string): Promise<void> {
    await this.#purge(pieceSubjects(id))
    await this.#purge(doubtSubject(id))
  }

  /** Lists the subjects of messages that match a pattern. */
  async #subjects(filter: string): Promise<string[]> {
    const found: string[] = []
    const { connection, timeoutMs } = this.engine
    for (let offset = 0; ;) {
      const wanted = { subjects_filter: filter, offset }
      const info = await translateRefusal(
        callApi<{ total?: number; state: { subjects?: Record<string, number> } }>(
          connection,
          `STREAM.INFO.${objectsStream}`,
          wanted,
          timeoutMs
        )
      )
      const subjects = Object.keys(info.state.subjects ?? {})
      found.push(...subjects)
      offset += subjects.length
      if (subjects.length === 0 || offset >= (info.total ?? 0)) return found
    }
  }

  /** Stores the bytes of a file as pieces. */
  async #storePieces(id: string, path: string): Promise<Pick<Head, 'digest' | 'pieces'>> {
    const hash = createHash('sha256')
    const pending = new Set<Promise<void>>()
    let pieces = 0
    let failure: unknown
    for await (const chunk of createReadStream(path, { highWaterMark: pieceBytes })) {
      const bytes = chunk as Buffer
      hash.update(bytes)
      const stored = this.#storeOnce(pieceSubject(id, pieces++), bytes)
        .catch((error: unknown) => void (failure ??= error))
        .finally(() => pending.delete(stored))
      pending.add(stored)
      if (pending.size >= maxConcurrent) await Promise.race(pending)
      if (failure !== undefined) break
    }
    await Promise.all(pending)
    if (failure !== undefined) {
      await this.#removePieces(id).catch(() => {})
      throw failure as Error
    }
    return { digest: hash.digest('hex'), pieces }
  }

  /** Writes the only message of a subject that no other process knows. */
  async #storeOnce(subject: string, bytes: Buffer): Promise<void> {
    const { connection, timeoutMs } = this.engine
    for (const deadline = performance.now() + retryTimeoutMs; ;) {
      try {
        await appendAfter(connection, objectsStream, subject, bytes, 0, timeoutMs)
        return
      } catch (error) {
        // Only this process writes to the subject, so the message there is from an earlier attempt.
        if (error instanceof Conflict) return
        if (performance.now() > deadline) throw error
      }
      await wait(pauseMs)
    }
  }

  /**
   * Replaces the head of an object. Resolves with the previous head. If the outcome is unknown, the pieces of the new
   * head are kept: it may arrive later.
   */
  async #replaceHead(subject: string, head: Head): Promise<Head | undefined> {
    const { connection, timeoutMs } = this.engine
    const bytes = Buffer.from(JSON.stringify(head))
    let replaced: Head | undefined
    /** The sequence of the head that a write with an unknown outcome would follow. */
    let expectedOfPending: number | undefined
    for (const deadline = performance.now() + retryTimeoutMs; performance.now() < deadline;) {
      let expected: number | undefined
      try {
        const last = await this.#head(subject)
        if (last?.head.id !== head.id) {
          // Another head was written: if it followed this one, the pieces of this one are gone.
          if (expectedOfPending !== undefined && expectedOfPending !== (last?.sequence ?? 0)) break
          replaced = last?.head
          if (replaced) await this.#markUnconfirmed(replaced.id, subject)
          expected = last?.sequence ?? 0
        }
        const sequence =
          expected === undefined
            ? (last?.sequence ?? 0)
            : await appendAfter(connection, objectsStream, subject, bytes, expected, timeoutMs)
        await this.#purge(subject, sequence)
        return replaced
      } catch (error) {
        if (error instanceof Conflict) continue
        expectedOfPending ??= expected
        await wait(pauseMs)
      }
    }
    throw new EngineUnavailable(new Error(`It is not known what has become of ${subject}`))
  }

  async #last(subject: string): Promise<Entry | undefined> {
    const { connection, timeoutMs } = this.engine
    return await lastMessage({ connection, timeoutMs }, objectsStream, subject)
  }

  /** Reads the head of an object, and the sequence of its message; `undefined` if there is none. */
  async #head(subject: string): Promise<{ head: Head; sequence: number } | undefined> {
    const last = await this.#last(subject)
    return last && { head: JSON.parse(Buffer.from(last.bytes).toString()) as Head, sequence: last.sequence }
  }

  /** Writes the bytes of an object to a new file. Resolves with `false`, and leaves no file, if some are missing. */
  async #loadObject(head: Head, path: string): Promise<boolean> {
    const file = await open(path, 'wx+', 0o600)
    let isWhole = false
    try {
      isWhole =
        (await this.#loadPieces(head, file)) === head.pieces && (await computeDigest(path)) === head.digest
      if (isWhole) await file.sync()
    } finally {
      await file.close()
      if (!isWhole) await rm(path, { force: true })
    }
    return isWhole
  }

  /** Writes pieces to their positions in a file. Resolves with their number. */
  async #loadPieces({ id }: Head, file: FileHandle): Promise<number> {
    const places = new Set<number>()
    for (let seq = 1; ;) {
      const wanted = {
        seq,
        next_by_subj: pieceSubjects(id),
        batch: maxConcurrent,
        max_bytes: maxConcurrent * pieceBytes
      }
      const page = await getMessages(this.engine.connection, objectsStream, wanted)
      if (page.length === 0) return places.size
      for (const { bytes, sequence, subject } of page) {
        const place = Number(subject.slice(subject.lastIndexOf('.') + 1))
        places.add(place)
        await file.write(bytes, 0, bytes.length, place * pieceBytes)
        seq = sequence + 1
      }
    }
  }

  /** Removes the messages of subjects that match a pattern, or those before a sequence. */
  async #purge(filter: string, before?: number): Promise<void> {
    const { connection, timeoutMs } = this.engine
    const wanted = before === undefined ? { filter } : { filter, seq: before }
    await translateRefusal(callApi(connection, `STREAM.PURGE.${objectsStream}`, wanted, timeoutMs))
  }
}

async function computeDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
