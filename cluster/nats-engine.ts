/** The engine as NATS JetStream: a stream for each shard of accounts, one for the platform, a bucket. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable, type MessageHandler, type Engine, type Entry, type Register } from './engine.js'
import { appendAfter } from './nats/append.js'
import { connectTo, LinkStatus, type Connected, type EngineOptions } from './nats/connection.js'
import { DamagedCopies } from './nats/damaged-copies.js'
import { getMessages } from './nats/direct-get.js'
import { translateRefusal, callApi, sendRequest } from './nats/jetstream.js'
import { lastMessage } from './nats/last.js'
import { nodeSubject, getStream, topicSubject } from './nats/subjects.js'
import { NatsRegister } from './nats/register.js'

/** Time limit for an answer in milliseconds, unless the options set another limit. */
const defaultTimeoutMs = 1500
/** Space for the headers of a message, in bytes. */
const headerBytes = 1024
/** Maximum size of a page of a log, in bytes: the servers buffer no more for a client that reads slowly. */
const maxPageBytes = 16 * 1024 * 1024
/** Time before another replica is asked for messages that the first replica lacks, in milliseconds. */
const retryMs = 50

export class NatsEngine implements Engine, Connected {
  readonly register: Register
  /** The status of the connection. */
  readonly linkStatus: LinkStatus
  /** Copies that this node has found to be damaged. */
  readonly damaged = new DamagedCopies()
  #maxPayload: number

  private constructor(
    /** The connection, for operations that are not part of the interface: streams, checks, objects. */
    readonly connection: NatsConnection,
    readonly timeoutMs: number
  ) {
    this.register = new NatsRegister(this)
    this.linkStatus = new LinkStatus(connection)
    this.#maxPayload = connection.info?.max_payload ?? headerBytes
  }

  /** Connects. Rejects with `EngineUnavailable` if no server accepts. */
  static async connect(options: EngineOptions): Promise<NatsEngine> {
    return new NatsEngine(await connectTo(options), options.timeoutMs ?? defaultTimeoutMs)
  }

  get maxBytes(): number {
    // As reported by the connected server; the last known value while there is none.
    this.#maxPayload = this.connection.info?.max_payload ?? this.#maxPayload
    return this.#maxPayload - headerBytes
  }

  async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    this.#assertPayloadFits(bytes)
    return await appendAfter(this.connection, getStream(subject), subject, bytes, expected, this.timeoutMs)
  }

  async last(subject: string): Promise<Entry | undefined> {
    return await lastMessage(this, getStream(subject), subject)
  }

  async read(subject: string, from: number, limit: number): Promise<Entry[]> {
    const stream = getStream(subject)
    const wanted = { seq: Math.max(1, from), next_by_subj: subject, batch: limit, max_bytes: maxPageBytes }
    const deadline = performance.now() + this.timeoutMs
    for (;;) {
      const entries = await getMessages(this.connection, stream, wanted)
      if (entries.length > 0) return entries
      // An empty result is trusted only if the leader agrees.
      const last = await this.last(subject)
      if (!last || last.sequence < from) return []
      if (performance.now() > deadline)
        throw new EngineUnavailable(new Error(`${stream} cannot be read to its end`))
      await wait(retryMs)
    }
  }

  async trim(subject: string, before: number): Promise<void> {
    const last = await this.last(subject)
    if (!last) return
    const wanted = { filter: subject, seq: Math.min(before, last.sequence) }
    await translateRefusal(
      callApi(this.connection, `STREAM.PURGE.${getStream(subject)}`, wanted, this.timeoutMs)
    )
  }

  async send(node: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    this.#assertPayloadFits(message)
    return await sendRequest(this.connection, nodeSubject(node), message, timeoutMs)
  }

  handle(node: string, handler: MessageHandler): () => void {
    return this.#listen(nodeSubject(node), message => {
      // The sender times out, also if the answer is too long.
      handler(message.data)
        .then(answer => message.respond(answer))
        .catch(() => {})
    })
  }

  announce(topic: string, message: Uint8Array): void {
    this.#assertPayloadFits(message)
    if (!this.connection.isClosed()) this.connection.publish(topicSubject(topic), message)
  }

  subscribe(topic: string, listener: (message: Uint8Array) => void): () => void {
    return this.#listen(topicSubject(topic), message => listener(message.data))
  }

  async close(): Promise<void> {
    await this.connection.close()
  }

  #assertPayloadFits({ length }: Uint8Array): void {
    if (length > this.maxBytes)
      throw new RangeError(`${length} bytes are too many for a message of the engine`)
  }

  /** Passes the messages of a subject to a handler. Returns a function that ends this. */
  #listen(subject: string, handle: (message: Msg) => void): () => void {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return
        try {
          handle(message)
        } catch {
          // Other software may send messages that cannot be read here. Throwing would end the reading of the whole
          // connection.
        }
      }
    })
    return () => {
      if (!subscription.isClosed()) subscription.unsubscribe()
    }
  }
}
