/** Counts what has been sent on a connection and not been read by the client: data in the buffers of Engine.IO, ws and Node. */
import type { ServerResponse } from 'node:http'
import type { Settings } from '../../core/settings/settings.js'
import type { BacklogShare } from './backlog.js'
import {
  countBytesTaken,
  getTcpSocket,
  countWaitingMessages,
  getPollResponse,
  getPacketSize,
  getWebSocket,
  maxTextLength,
  type Conn,
  type Packet
} from './internals.js'

/** Backpressure: when this many messages or characters wait, further calls of the client wait, too. */
const maxMessages = 64
const maxCharacters = 256 * 1024
/** Number of waiting messages, such as notifications and refusals, above which the connection is closed. */
const maxWaitingMessages = 4000
/** A client has stalled if it reads less than this share of what waits. */
const minReadShare = 1 / 16

/** Estimated overhead of a waiting message, in characters. */
const messageOverhead = 100

interface OutboxOptions {
  /** Closes the connection. */
  terminate(): void
  /** Called when something waits. */
  onActivity(): void
  /** Called when the client has read enough that there is room for more. */
  onEased(): void
}

interface Mark {
  readonly at: number
  readonly taken: number
  /** Bytes that the client has to read from then on. */
  readonly due: number
}

export class Outbox {
  /** Characters not yet passed to the transport, and characters that it has not sent. */
  #buffered = 0
  #inTransport = 0
  /** Characters that polling requests have fetched. */
  #fetched = 0
  #share: BacklogShare | undefined
  #waiting: (() => void)[] = []
  /** Responses being sent to polling requests. */
  readonly #responses = new Set<ServerResponse>()
  #stallMark: Mark | undefined
  #isClosed = false

  constructor(
    private readonly conn: Conn,
    private readonly options: OutboxOptions
  ) {
    conn.on('packetCreate', (packet: Packet) => this.#countBuffered(getPacketSize(packet) + messageOverhead))
    conn.on('flush', (packets: readonly unknown[]) => this.#countFlushed(packets.length))
    // Responses flushed together are sent in one system call, which costs as much as a small call itself.
    conn.on('drain', () => getTcpSocket(conn)?.uncork())
    conn.on('upgrade', () => this.#countSent())
    conn.on('close', () => this.#onClosed())
    this.#countSent()
  }

  /** Characters that the client has not read. */
  get size(): number {
    return this.#buffered + this.#inTransport
  }

  /** True if calls should wait until the client has read more. */
  get isSlow(): boolean {
    return this.size > maxCharacters || countWaitingMessages(this.conn) > maxMessages
  }

  /** Charges the characters to this share from now on. */
  charge(share: BacklogShare): void {
    this.#share?.add(-this.size)
    this.#share = share
    share.add(this.size)
  }

  /** Resolves when the client has read enough or has disconnected; returns `undefined` if there is nothing to wait for. */
  waitUntilDrained(): Promise<void> | undefined {
    if (!this.isSlow || this.#isClosed) return undefined
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /**
   * Returns whether the client has read hardly anything for `stalledSeconds`. Must be called periodically, as
   * it remembers how much was read.
   */
  hasStalled(now: number, { minBytesPerSecond, stalledSeconds }: Settings['limits']): boolean {
    const taken = getTcpSocket(this.conn) ? countBytesTaken(this.conn) : this.#fetched
    const { size } = this
    if (size === 0) this.#stallMark = undefined
    else if (!this.#stallMark || taken - this.#stallMark.taken >= this.#stallMark.due) {
      const minimum = Math.max(1, minBytesPerSecond * stalledSeconds, size * minReadShare)
      this.#stallMark = { at: now, taken, due: Math.min(size, minimum) }
    } else return now - this.#stallMark.at >= stalledSeconds
    return false
  }

  /** Destroys the responses being sent to polling requests. */
  destroyResponses(): void {
    for (const response of this.#responses) response.destroy()
  }

  #countBuffered(length: number): void {
    this.options.onActivity()
    if (countWaitingMessages(this.conn) >= maxWaitingMessages) return this.options.terminate()
    this.#buffered += length
    this.#share?.add(length)
  }

  /** Counts what the transport has taken. The response to a poll counts once it has been sent. */
  #countFlushed(packets: number): void {
    const length = this.#buffered
    this.#buffered = 0
    this.#inTransport += length
    if (packets > 1) getTcpSocket(this.conn)?.cork()
    // The response to a poll counts as read only when its last byte has been sent.
    const response = getPollResponse(this.conn)
    if (!response) return
    if (length > maxTextLength) sendAsBytes(response)
    this.#responses.add(response)
    response.once('close', () => {
      this.#responses.delete(response)
      this.#fetched += length
      this.#countTaken(length)
    })
  }

  /** Counts what a WebSocket has sent. Only one batch is in progress at a time. */
  #countSent(): void {
    this.#stallMark = undefined
    const webSocket = getWebSocket(this.conn)
    if (webSocket) this.conn.transport.on('drain', () => this.#countTaken(this.#inTransport))
  }

  #countTaken(length: number): void {
    const taken = Math.min(length, this.#inTransport)
    this.#inTransport -= taken
    this.#share?.add(-taken)
    if (this.isSlow) return
    if (this.#waiting.length > 0) this.#wake()
    this.options.onEased()
  }

  #onClosed(): void {
    this.#isClosed = true
    this.#share?.add(-this.#buffered)
    this.#buffered = 0
    this.#wake()
    // Data passed to a WebSocket stays in memory until it has closed.
    const webSocket = getWebSocket(this.conn)
    if (!webSocket) return
    if (webSocket.readyState === webSocket.CLOSED) this.#countTaken(this.#inTransport)
    else webSocket.once('close', () => this.#countTaken(this.#inTransport))
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** Makes a response send its text, the only one, as bytes. */
function sendAsBytes(response: ServerResponse): void {
  const end = response.end.bind(response)
  response.end = (text: unknown) => end(typeof text === 'string' ? Buffer.from(text) : text)
}
