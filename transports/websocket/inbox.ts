/**
 * Limits the pending input of a connection: messages that are being received or decoded, and calls that wait.
 */
import type { WebSocket } from 'ws'
import type { BacklogShare } from './backlog.js'
import {
  getTcpSocket,
  onTooLargeMessage,
  refreshHeartbeat,
  getPacketSize,
  getWebSocket,
  type Conn,
  type Packet
} from './internals.js'

/** Maximum number of bytes that an unauthenticated connection may send in total. */
const maxUnauthenticatedBytes = 64 * 1024
/** Limit for binary data. Calls accept none; this is enough to report that to clients that send it. */
const maxBinaryBytes = 16 * 1024
/** Estimated overhead of a waiting packet or a control frame, in bytes. */
const packetOverhead = 200

interface InboxOptions {
  /** Bytes that may wait before reading is paused. */
  readonly maxPendingBytes: number
  /** Closes the connection. */
  terminate(): void
  /** Refuses a message over the size limit, given the text that it starts with, and closes the WebSocket. */
  refuse(socket: WebSocket, start: string): void
  /** Called when a large message begins to arrive. */
  onActivity(): void
  /** Returns whether all calls are done, and the client reads its responses. */
  isIdle(): boolean
  /** Returns the number of characters received and not yet decoded. */
  undecoded(): number
}

export class Inbox {
  /** Bytes that have arrived and whose work is pending, and bytes of the message being received. */
  #received = 0
  #arriving = 0
  /** Bytes that have arrived before authentication, those of frames included. */
  #unauthenticated = 0
  #messages = 0
  /** Bytes charged to the share: everything beyond `maxPendingBytes`. */
  #charged = 0
  #share: BacklogShare | undefined
  #isFull = false
  #emptyListeners: (() => void)[] = []
  #stallMark: { readonly at: number; readonly messages: number } | undefined

  constructor(
    private readonly conn: Conn,
    private readonly options: InboxOptions
  ) {
    conn.on('packet', (packet: Packet) => this.#receive(packet))
    conn.on('upgrade', () => this.#countArriving())
    conn.on('close', () => {
      this.#updateCharge(0)
      // Nothing is counted from now on, for nothing would end that.
      this.#share = undefined
      if (this.#isFull) this.#resumeReading()
    })
    this.#countArriving()
  }

  /** True while a large message is being received. */
  get isBusy(): boolean {
    return this.#arriving > this.options.maxPendingBytes
  }

  /** Pauses reading until the work for everything received is done. */
  pause(): void {
    if (this.#isFull) return
    this.#isFull = true
    getWebSocket(this.conn)?.pause()
    // No event reports the end of packets other than calls that did not have to wait, so check immediately.
    setImmediate(() => this.settle())
  }

  /** Resolves when the pending work is done; returns `undefined` if there is room. */
  waitUntilEmpty(): Promise<void> | undefined {
    return this.#isFull ? new Promise(resolve => this.#emptyListeners.push(resolve)) : undefined
  }

  /** Charges the bytes to this share from now on; to no share before authentication. */
  charge(share: BacklogShare | undefined): void {
    this.#updateCharge(0)
    if (!share || !this.#share) this.#received = this.#unauthenticated = 0
    this.#share = share
    this.#updateCharge()
    if (!share && this.#isFull) this.#resumeReading()
  }

  /** Sets the size of the next message; returns whether there is room for it. */
  expectMessage(bytes: number): boolean {
    this.#arriving = bytes
    if (this.isBusy) this.options.onActivity()
    return this.#updateCharge()
  }

  /** Resumes reading if it is paused and all work is done. */
  resumeIfSettled(): void {
    if (this.#isFull) this.settle()
  }

  /** Updates the counts and resumes reading if all work is done. */
  settle(): void {
    if (!this.#share || !this.options.isIdle()) return
    this.#received = this.options.undecoded()
    this.#updateCharge()
    if (this.#isFull && this.#received <= this.options.maxPendingBytes) this.#resumeReading()
  }

  /**
   * Returns whether the same large message has been arriving for this many seconds. Must be called
   * periodically, as it remembers which message it was.
   */
  hasStalled(now: number, seconds: number): boolean {
    if (!this.isBusy || this.#isFull) this.#stallMark = undefined
    else if (this.#stallMark?.messages !== this.#messages)
      this.#stallMark = { at: now, messages: this.#messages }
    else return now - this.#stallMark.at >= seconds
    return false
  }

  /** Counts WebSocket data as it arrives, since incomplete messages use memory, too. */
  #countArriving(): void {
    const tcpSocket = getTcpSocket(this.conn)
    const count = (chunk: Buffer): void => {
      // The chunk that exceeds the limit may begin a message that is refused with a reason.
      if (!this.#share && this.conn.readyState === 'open') {
        if (this.#unauthenticated > maxUnauthenticatedBytes) return this.options.terminate()
        this.#unauthenticated += chunk.length
      }
      this.#arriving += chunk.length
      if (!this.isBusy) return
      this.options.onActivity()
      if (!this.#updateCharge()) this.options.terminate()
    }
    // Before the listener of ws, which assembles messages.
    tcpSocket?.prependListener('data', count)
    for (const event of ['ping', 'pong']) getWebSocket(this.conn)?.on(event, () => this.#count(0))
    onTooLargeMessage(this.conn, (socket, start) => {
      // The rest of the message is discarded.
      tcpSocket?.off('data', count)
      this.options.refuse(socket, start)
    })
    if (this.#isFull) getWebSocket(this.conn)?.pause()
  }

  /** Counts a message. */
  #receive(packet: Packet): void {
    const size = getPacketSize(packet)
    this.#messages++
    this.#arriving = 0
    if (this.#share && typeof packet.data === 'object' && size > maxBinaryBytes)
      return this.options.terminate()
    this.#count(size)
  }

  /** Counts received data. Ends the connection if it has sent too much, and pauses it while too much is pending. */
  #count(size: number): void {
    if (this.conn.readyState !== 'open') return
    this.#received += size + packetOverhead
    const isTooMuch = !this.#share && this.#received > maxUnauthenticatedBytes
    if (isTooMuch || !this.#updateCharge()) return this.options.terminate()
    if (this.#share && this.#received > this.options.maxPendingBytes) this.pause()
  }

  #resumeReading(): void {
    this.#isFull = false
    for (const resolve of this.#emptyListeners.splice(0)) resolve()
    // Reading resumes even while closing, so that the close frame of the client is read.
    getWebSocket(this.conn)?.resume()
    // The client's heartbeat may be among the unread data.
    if (this.conn.readyState === 'open') refreshHeartbeat(this.conn)
  }

  /** Charges the received bytes to the share; returns whether there is room. */
  #updateCharge(
    wanted = Math.max(0, this.#received + this.#arriving - this.options.maxPendingBytes)
  ): boolean {
    const more = wanted - this.#charged
    if (!this.#share || more === 0) return true
    const hasRoom = more < 0 || !this.#share.checkRoom(more)
    this.#share.add(more)
    this.#charged = wanted
    return hasRoom
  }
}
