/** What a connection has been sent and its client has not taken: in the buffers of Engine.IO, of ws, of Node. */
import type { ServerResponse } from 'node:http'
import type { Settings } from '../../core/settings/settings.js'
import type { Holder } from './backlog.js'
import {
  bytesTaken,
  lineOf,
  messagesWaiting,
  responseOf,
  sizeOf,
  webSocketOf,
  type Conn,
  type Packet
} from './insides.js'

/** What may wait before further calls of its client wait, too: messages, and characters. */
const patience = 64
const patienceLength = 256 * 1024
/** Messages that may wait before the client is given up: what it is told unasked, and refusals of calls. */
const endurance = 4000
/** The part of what waits that a client has to take at least not to count as stalled. */
const leastPart = 1 / 16

/** What a message costs beside its characters while it waits. */
const messageLength = 100

export interface OutboxOptions {
  /** Closes the connection. */
  giveUp(): void
  /** Told when something waits. */
  begun(): void
  /** Told when some of it has been taken, and there is room for more. */
  eased(): void
}

interface Mark {
  readonly at: number
  readonly taken: number
  /** By how much more has to have been taken. */
  readonly due: number
}

export class Outbox {
  /** Characters that the carrier has not been given yet, and those that it has not handed on. */
  #buffered = 0
  #carried = 0
  /** Characters that requests have taken. */
  #fetched = 0
  #holder: Holder | undefined
  #waiting: (() => void)[] = []
  /** Answers under way to requests that poll. */
  readonly #responses = new Set<ServerResponse>()
  #mark: Mark | undefined
  #isClosed = false

  constructor(
    private readonly conn: Conn,
    private readonly options: OutboxOptions
  ) {
    conn.on('packetCreate', (packet: Packet) => this.#add(sizeOf(packet) + messageLength))
    conn.on('flush', (packets: readonly unknown[]) => this.#flush(packets.length))
    // Answers that leave together do so in one write to the system, which costs as much as a small call itself.
    conn.on('drain', () => lineOf(conn)?.uncork())
    conn.on('upgrade', () => this.#follow())
    conn.on('close', () => this.#close())
    this.#follow()
  }

  /** Characters that have not been taken. */
  get size(): number {
    return this.#buffered + this.#carried
  }

  /** Whether calls should wait until more has been taken. */
  get isSlow(): boolean {
    return this.size > patienceLength || messagesWaiting(this.conn) > patience
  }

  /** Has it counted as somebody's from now on. */
  charge(holder: Holder): void {
    this.#holder?.add(-this.size)
    this.#holder = holder
    holder.add(this.size)
  }

  /** Resolves when enough has been taken, or the client is gone; `undefined` if it has. */
  drained(): Promise<void> | undefined {
    if (!this.isSlow || this.#isClosed) return undefined
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Whether next to nothing of what waits has been taken for so long. */
  hasStalled(now: number, { minBytesPerSecond, stalledSeconds }: Settings['limits']): boolean {
    const taken = lineOf(this.conn) ? bytesTaken(this.conn) : this.#fetched
    const { size } = this
    if (size === 0) this.#mark = undefined
    else if (!this.#mark || taken - this.#mark.taken >= this.#mark.due) {
      const least = Math.max(1, minBytesPerSecond * stalledSeconds, size * leastPart)
      this.#mark = { at: now, taken, due: Math.min(size, least) }
    } else return now - this.#mark.at >= stalledSeconds
    return false
  }

  /** Ends the answers that are under way to requests, taken or not. */
  drop(): void {
    for (const response of this.#responses) response.destroy()
  }

  #add(length: number): void {
    this.options.begun()
    if (messagesWaiting(this.conn) >= endurance) return this.options.giveUp()
    this.#buffered += length
    this.#holder?.add(length)
  }

  #flush(packets: number): void {
    const length = this.#buffered
    this.#buffered = 0
    this.#carried += length
    if (packets > 1) lineOf(this.conn)?.cork()
    // A request takes what it is answered only when the last byte of it has left.
    const response = responseOf(this.conn)
    if (!response) return
    this.#responses.add(response)
    response.once('close', () => {
      this.#responses.delete(response)
      this.#fetched += length
      this.#taken(length)
    })
  }

  /** Notes what a WebSocket hands on. One batch is under way at a time. */
  #follow(): void {
    this.#mark = undefined
    const webSocket = webSocketOf(this.conn)
    if (webSocket) this.conn.transport.on('drain', () => this.#taken(this.#carried))
  }

  #taken(length: number): void {
    const taken = Math.min(length, this.#carried)
    this.#carried -= taken
    this.#holder?.add(-taken)
    if (this.isSlow) return
    if (this.#waiting.length > 0) this.#wake()
    this.options.eased()
  }

  #close(): void {
    this.#isClosed = true
    this.#holder?.add(-this.#buffered)
    this.#buffered = 0
    this.#wake()
    // What a WebSocket has been given stays in memory until it has ended.
    const webSocket = webSocketOf(this.conn)
    if (!webSocket) return
    if (webSocket.readyState === webSocket.CLOSED) this.#taken(this.#carried)
    else webSocket.once('close', () => this.#taken(this.#carried))
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
