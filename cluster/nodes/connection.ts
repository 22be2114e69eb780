/**
 * A connection between two lives of nodes: messages of any length, in order, each once. One batch is under way at a time, and
 * acknowledged before the next; what is posted meanwhile goes with the next. A loss is noticed by both sides.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { encodeBatch, type BatchHead, type Part } from './batch.js'
import { EngineUnavailable, type Engine } from '../engine.js'
import type { Life } from './members.js'

/** The other side is gone, or cannot be reached. */
export class ConnectionLost extends Error {
  constructor(
    /** Whether the other side can have got what was sent to it. */
    readonly hasArrived: boolean,
    cause?: unknown
  ) {
    super('The connection to another node was lost', { cause })
    this.name = 'ConnectionLost'
  }
}

/** Whoever uses a connection. */
export interface ConnectionEvents {
  /** A message of the other side. Must not throw. */
  receive(message: Buffer): void
  /** Nothing is sent or received any more. */
  onLost(reason: ConnectionLost): void
  /** Whether something is expected of the other side, so that its end has to be noticed. */
  isWaiting(): boolean
  /** Resolves once all that was received has been answered. The side that asks has nothing to answer. */
  waitUntilAnswered?(): Promise<unknown>
}

export interface ConnectionOptions {
  readonly engine: Pick<Engine, 'maxBytes' | 'send'>
  /** Time after which a batch that is not acknowledged is sent again, in milliseconds. */
  readonly resendMs: number
  /** Time after which the other side is taken for lost, in milliseconds. */
  readonly timeoutMs: number
  /** Bytes that may wait to be sent besides what is under way. */
  readonly maxWaitingBytes: number
}

/** What a batch is answered with. */
export const acceptedReply = Buffer.of(0)
export const unknownReply = Buffer.of(1)
/** Not taken: this side is leaving, and says so once it has answered what it took before. */
const leavingReply = Buffer.of(2)

/** Longest part, in bytes. */
const maxPartBytes = 4 * 1024 * 1024
/** What heads take, in bytes: more than enough. */
const maxHeadBytes = 4096
/** Longest message that is put together, in bytes. */
const maxMessageBytes = 512 * 1024 * 1024
const pauseMs = 20

export class Connection {
  readonly #queue: Part[] = []
  #waitingBytes = 0
  #sent = 0
  #received = 0
  /** Parts of a message that has not arrived whole yet. */
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #isSending = false
  /** What is being sent. Never rejects. */
  #sending: Promise<void> = Promise.resolve()
  #isLeaving = false
  #isLost = false
  /** Whether the other side has ever acknowledged anything. */
  #isConfirmed: boolean
  readonly #pinging: NodeJS.Timeout

  /** `isBack`: whether this is the side that answers. */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly own: Life,
    readonly remote: Life,
    private readonly session: string,
    private readonly isBack: boolean,
    private readonly events: ConnectionEvents
  ) {
    this.#isConfirmed = isBack
    this.#pinging = setInterval(() => {
      if (!this.#isSending && this.events.isWaiting()) void this.#startSending(true)
    }, options.resendMs)
    this.#pinging.unref()
    // Nothing is sent before the other side is known to be there: then it is certain that it has got nothing.
    if (!isBack) void this.#startSending(true)
  }

  /** Whether there is room for another message. */
  get hasRoom(): boolean {
    return this.#waitingBytes < this.options.maxWaitingBytes
  }

  /** Sends a message. */
  post(message: Uint8Array): void {
    if (this.#isLost) return
    const room = Math.min(maxPartBytes, this.options.engine.maxBytes - maxHeadBytes)
    for (let at = 0; at === 0 || at < message.length; at += room)
      this.#queue.push({ bytes: message.subarray(at, at + room), goesOn: at + room < message.length })
    this.#waitingBytes += message.length
    if (!this.#isSending) void this.#startSending(false)
  }

  /** Takes a batch of the other side. Returns how to answer it. */
  take({ isLast, number }: Pick<BatchHead, 'isLast' | 'number'>, parts: readonly Part[]): Buffer {
    if (this.#isLost) return unknownReply
    // It was sent again, since its answer was lost.
    if (number <= this.#received) return acceptedReply
    if (this.#isLeaving) return leavingReply
    if (number !== this.#received + 1) {
      this.close(new ConnectionLost(true))
      return unknownReply
    }
    this.#received = number
    for (const part of parts) this.#receivePart(part)
    // Whatever the other side took it has answered.
    if (isLast) this.close(new ConnectionLost(false))
    return acceptedReply
  }

  /**
   * Ends a connection that the other side has opened so that it knows which of its requests were carried out: takes nothing
   * more, answers what it took, and says that this was all. Resolves after `resendMs` at the latest, said or not.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true
    const abort = new AbortController()
    const { signal } = abort
    const finish = async (): Promise<void> => {
      await this.events.waitUntilAnswered?.()
      while (this.#isSending) await this.#sending
      if (!signal.aborted && !this.#isLost) await this.#startSending(false, true)
    }
    await Promise.race([finish(), wait(this.options.resendMs, undefined, { signal }).catch(() => undefined)])
    abort.abort()
  }

  /** Ends it on this side. */
  close(reason: ConnectionLost): void {
    if (this.#isLost) return
    this.#isLost = true
    clearInterval(this.#pinging)
    this.#queue.length = 0
    this.#parts = []
    this.events.onLost(reason)
  }

  #receivePart({ bytes, goesOn }: Part): void {
    this.#partsBytes += bytes.length
    if (this.#partsBytes > maxMessageBytes) return this.close(new ConnectionLost(true))
    if (goesOn) return void this.#parts.push(bytes)
    const message = Buffer.concat([...this.#parts, bytes])
    this.#parts = []
    this.#partsBytes = 0
    this.events.receive(message)
  }

  /** Sends all that waits: after an empty batch, or with one that says that it is the last. */
  #startSending(isPing: boolean, isLast = false): Promise<void> {
    this.#sending = this.#sendAll(isPing, isLast)
    return this.#sending
  }

  async #sendAll(isPing: boolean, isLast: boolean): Promise<void> {
    this.#isSending = true
    try {
      if (isPing) await this.#send([])
      while (!this.#isLost && this.#queue.length > 0) await this.#send(this.#nextParts())
      if (isLast) await this.#send([], true)
    } catch (cause) {
      this.close(new ConnectionLost(this.#isConfirmed, cause))
    }
    this.#isSending = false
  }

  #nextParts(): Part[] {
    const room = Math.min(maxPartBytes, this.options.engine.maxBytes - maxHeadBytes)
    const parts: Part[] = []
    let size = 0
    for (let part = this.#queue[0]; part && (size === 0 || size + part.bytes.length <= room);) {
      parts.push(part)
      // Each part has a head, too.
      size += part.bytes.length + 8
      this.#waitingBytes -= part.bytes.length
      this.#queue.shift()
      part = this.#queue[0]
    }
    return parts
  }

  /** Sends a batch as often as it takes. Rejects if the other side is lost. */
  async #send(parts: readonly Part[], isLast = false): Promise<void> {
    const { engine, timeoutMs, resendMs } = this.options
    const { isBack, own, remote, session } = this
    const head: BatchHead = {
      session,
      isBack,
      number: ++this.#sent,
      from: own,
      to: remote.incarnation,
      ...(isLast && { isLast })
    }
    const bytes = encodeBatch(head, parts)
    const endMs = performance.now() + timeoutMs
    for (;;) {
      try {
        const answer = await engine.send(remote.node, bytes, resendMs)
        if (answer[0] === acceptedReply[0]) {
          this.#isConfirmed = true
          return
        }
        // What the other side has taken so far it still answers.
        if (answer[0] !== leavingReply[0] || this.#isLost) throw new ConnectionLost(true)
        if (performance.now() > endMs) throw new ConnectionLost(true)
      } catch (error) {
        if (!(error instanceof EngineUnavailable) || this.#isLost) throw error
        if (!this.#isConfirmed || performance.now() > endMs) throw error
      }
      await wait(pauseMs, undefined, { ref: false })
    }
  }
}
