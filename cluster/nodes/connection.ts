/**
 * A connection between two incarnations of nodes: messages of any length, in order, each once. One batch is sent at a
 * time, and acknowledged before the next; messages posted meanwhile are sent with the next. Both sides notice a loss.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { encodeBatch, type BatchHead, type Part } from './batch.js'
import { EngineUnavailable, type Engine } from '../engine.js'
import type { Life } from './members.js'

/** The other side has ended, or cannot be reached. */
export class ConnectionLost extends Error {
  constructor(
    /** True if the other side may have received what was sent to it. */
    readonly hasArrived: boolean,
    cause?: unknown
  ) {
    super('The connection to another node was lost', { cause })
    this.name = 'ConnectionLost'
  }
}

/** The user of a connection. */
export interface ConnectionEvents {
  /** Receives a message from the other side. Must not throw. */
  receive(message: Buffer): void
  /** Called when nothing is sent or received any more. */
  onLost(reason: ConnectionLost): void
  /** Returns true while an answer is expected, so that the loss of the other side has to be noticed. */
  isWaiting(): boolean
  /** Resolves once everything received has been answered. Absent on the side that opened the connection. */
  waitUntilAnswered?(): Promise<unknown>
}

export interface ConnectionOptions {
  readonly engine: Pick<Engine, 'maxBytes' | 'send'>
  /** Time after which an unacknowledged batch is sent again, in milliseconds. */
  readonly resendMs: number
  /** Time after which the other side is considered lost, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum number of bytes waiting besides those being sent. */
  readonly maxWaitingBytes: number
}

/** Replies to a batch. */
export const acceptedReply = Buffer.of(0)
export const unknownReply = Buffer.of(1)
/**
 * The batch was not accepted, because this side is leaving. It says so in a last batch, after it has answered everything
 * that it accepted before.
 */
const leavingReply = Buffer.of(2)

/** Maximum size of a part, in bytes. */
const maxPartBytes = 4 * 1024 * 1024
/** Space for headers, in bytes: more than enough. */
const maxHeadBytes = 4096
/** Maximum size of an assembled message, in bytes. */
const maxMessageBytes = 512 * 1024 * 1024
const pauseMs = 20

export class Connection {
  readonly #queue: Part[] = []
  #waitingBytes = 0
  #sent = 0
  #received = 0
  /** Parts of an incomplete message. */
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #isSending = false
  /** The current sending. Never rejects. */
  #sending: Promise<void> = Promise.resolve()
  #isLeaving = false
  #isLost = false
  /** True once the other side has acknowledged anything. */
  #isConfirmed: boolean
  readonly #pinging: NodeJS.Timeout

  /** `isBack`: true on the side that answers. */
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
    // Nothing is sent before the other side has answered: until then it is certain that it has received nothing.
    if (!isBack) void this.#startSending(true)
  }

  /** True if there is room for another message. */
  get hasRoom(): boolean {
    return this.#waitingBytes < this.options.maxWaitingBytes
  }

  /**
   * Sends a message, of any length, in the background. Ignored once the connection is lost. There need not be
   * room: check {@link hasRoom} first.
   */
  post(message: Uint8Array): void {
    if (this.#isLost) return
    const room = Math.min(maxPartBytes, this.options.engine.maxBytes - maxHeadBytes)
    for (let at = 0; at === 0 || at < message.length; at += room)
      this.#queue.push({ bytes: message.subarray(at, at + room), goesOn: at + room < message.length })
    this.#waitingBytes += message.length
    if (!this.#isSending) void this.#startSending(false)
  }

  /**
   * Receives a batch from the other side. Returns the reply. A batch that is sent again is acknowledged and
   * ignored; one that does not follow closes the connection.
   */
  take({ isLast, number }: Pick<BatchHead, 'isLast' | 'number'>, parts: readonly Part[]): Buffer {
    if (this.#isLost) return unknownReply
    // The batch was sent again because its acknowledgement was lost.
    if (number <= this.#received) return acceptedReply
    if (this.#isLeaving) return leavingReply
    if (number !== this.#received + 1) {
      this.close(new ConnectionLost(true))
      return unknownReply
    }
    this.#received = number
    for (const part of parts) this.#receivePart(part)
    // The other side has answered everything that it accepted.
    if (isLast) this.close(new ConnectionLost(false))
    return acceptedReply
  }

  /**
   * Ends a connection that the other side has opened so that it knows which of its requests were carried out: accepts
   * nothing more, answers what it accepted, and says that this was all. Resolves after at most `resendMs`.
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

  /**
   * Closes the connection on this side, and reports the reason; messages that wait are dropped. Idempotent.
   */
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

  /** Sends an empty batch if `isPing`, then everything waiting, then the connection's last batch if `isLast`. */
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

  /** Takes the parts off the queue that fit into one message; at least one. */
  #nextParts(): Part[] {
    const room = Math.min(maxPartBytes, this.options.engine.maxBytes - maxHeadBytes)
    const parts: Part[] = []
    let size = 0
    for (let part = this.#queue[0]; part && (size === 0 || size + part.bytes.length <= room);) {
      parts.push(part)
      // Each part has a header, too.
      size += part.bytes.length + 8
      this.#waitingBytes -= part.bytes.length
      this.#queue.shift()
      part = this.#queue[0]
    }
    return parts
  }

  /** Sends a batch, retrying as often as needed. Rejects if the other side is lost. */
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
        // The other side still answers what it has accepted.
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
