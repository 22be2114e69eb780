/**
 * Limits the unfinished input of a connection: messages that are being received, being decoded, or waiting to be
 * called.
 */
import type { WebSocket } from 'ws'
import type { Holder } from './backlog.js'
import {
  lineOf,
  onTooLargeMessage,
  refreshHeartbeat,
  sizeOf,
  webSocketOf,
  type Conn,
  type Packet
} from './insides.js'

/** Total bytes that an unauthenticated connection may send. */
const strangerBytes = 64 * 1024
/** Calls take no binary data: this is enough to report that to clients that send it. */
const binaryBytes = 16 * 1024
/** Estimated overhead of a waiting packet, in bytes. */
const packetOverhead = 200

export interface InboxOptions {
  /** Bytes that may wait before reading is paused. */
  readonly max: number
  /** Closes the connection. */
  giveUp(): void
  /** Refuses a message over the size limit, given the text that it starts with, and closes the WebSocket. */
  refuse(socket: WebSocket, start: string): void
  /** Called when a large message begins to arrive. */
  begun(): void
  /** Whether all calls are done, and the client reads its responses. */
  isIdle(): boolean
  /** Characters received and not yet decoded. */
  undecoded(): number
}

export class Inbox {
  /** Bytes of what has arrived and is not done, and of the message being received. */
  #received = 0
  #arriving = 0
  #messages = 0
  /** Bytes charged to the holder: everything beyond `max`. */
  #held = 0
  #holder: Holder | undefined
  #isFull = false
  #hasSentBinary = false
  #emptied: (() => void)[] = []
  #mark: { readonly at: number; readonly messages: number } | undefined

  constructor(
    private readonly conn: Conn,
    private readonly options: InboxOptions
  ) {
    conn.on('packet', (packet: Packet) => this.#receive(packet))
    conn.on('upgrade', () => this.#follow())
    conn.on('close', () => {
      this.#hold(0)
      if (this.#isFull) this.#release()
    })
    this.#follow()
  }

  /** Whether the client has ever sent binary data. Only then do params have to be searched for it. */
  get hasSentBinary(): boolean {
    return this.#hasSentBinary
  }

  /** Whether a large message is being received. */
  get isBusy(): boolean {
    return this.#arriving > this.options.max
  }

  /** Pauses reading until everything received has been done. */
  fill(): void {
    if (this.#isFull) return
    this.#isFull = true
    webSocketOf(this.conn)?.pause()
    // Packets other than calls never end by themselves, so check at once.
    setImmediate(() => this.settle())
  }

  /** Resolves when the waiting work has been done; `undefined` if there is room. */
  emptied(): Promise<void> | undefined {
    return this.#isFull ? new Promise(resolve => this.#emptied.push(resolve)) : undefined
  }

  /** Charges the bytes to this holder from now on, or to none before authentication. */
  charge(holder: Holder | undefined): void {
    this.#hold(0)
    if (!holder || !this.#holder) this.#received = 0
    this.#holder = holder
    this.#hold()
    if (!holder && this.#isFull) this.#release()
  }

  /** Announces the size of the next message; returns whether there is room for it. */
  expect(bytes: number): boolean {
    this.#arriving = bytes
    if (this.isBusy) this.options.begun()
    return this.#hold()
  }

  /** Resumes reading if it is paused and all work is done. */
  ease(): void {
    if (this.#isFull) this.settle()
  }

  /** Checks whether everything received has been done. */
  settle(): void {
    if (!this.#holder || !this.options.isIdle()) return
    this.#received = this.options.undecoded()
    this.#hold()
    if (this.#isFull && this.#received <= this.options.max) this.#release()
  }

  /** Whether the same large message has been arriving for this many seconds. */
  hasStalled(now: number, seconds: number): boolean {
    if (!this.isBusy || this.#isFull) this.#mark = undefined
    else if (this.#mark?.messages !== this.#messages) this.#mark = { at: now, messages: this.#messages }
    else return now - this.#mark.at >= seconds
    return false
  }

  /** Counts WebSocket data as it arrives, since incomplete messages take memory, too. */
  #follow(): void {
    const line = lineOf(this.conn)
    const count = (chunk: Buffer): void => {
      this.#arriving += chunk.length
      if (!this.isBusy) return
      this.options.begun()
      if (!this.#hold()) this.options.giveUp()
    }
    // Before the listener of ws, which assembles messages.
    line?.prependListener('data', count)
    onTooLargeMessage(this.conn, (socket, start) => {
      // The rest of the message is discarded.
      line?.off('data', count)
      this.options.refuse(socket, start)
    })
    if (this.#isFull) webSocketOf(this.conn)?.pause()
  }

  #receive(packet: Packet): void {
    const size = sizeOf(packet)
    const isBinary = typeof packet.data === 'object'
    if (isBinary) this.#hasSentBinary = true
    this.#messages++
    this.#arriving = 0
    this.#received += size + packetOverhead
    const isTooMuch = this.#holder ? isBinary && size > binaryBytes : this.#received > strangerBytes
    if (isTooMuch || !this.#hold()) return this.options.giveUp()
    if (this.#holder && this.#received > this.options.max) this.fill()
  }

  #release(): void {
    this.#isFull = false
    for (const resolve of this.#emptied.splice(0)) resolve()
    // Also while closing, so that the close frame of the client is read.
    webSocketOf(this.conn)?.resume()
    // The client's heartbeat may be among the unread data.
    if (this.conn.readyState === 'open') refreshHeartbeat(this.conn)
  }

  /** Charges what is received to the holder; returns whether there is room. */
  #hold(wanted = Math.max(0, this.#received + this.#arriving - this.options.max)): boolean {
    const more = wanted - this.#held
    if (!this.#holder || more === 0) return true
    const hasRoom = more < 0 || !this.#holder.refusal(more)
    this.#holder.add(more)
    this.#held = wanted
    return hasRoom
  }
}
