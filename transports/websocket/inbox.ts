/** What a connection has sent: how much of it may wait to arrive whole, to be read, and to be done. */
import type { Holder } from './backlog.js'
import { lineOf, refreshHeartbeat, sizeOf, webSocketOf, type Conn, type Packet } from './insides.js'

/** What a stranger may send in all. */
const strangerBytes = 64 * 1024
/** Binary data has no place in calls: as much as it takes to tell those who try. */
const binaryBytes = 16 * 1024
/** What a packet costs beside its data while it waits. */
const packetBytes = 200

export interface InboxOptions {
  /** What may wait before no more is read. */
  readonly most: number
  /** Closes the connection. */
  giveUp(): void
  /** Told when something large begins to arrive. */
  begun(): void
  /** Whether all is done that has been read, and the client takes its answers. */
  isIdle(): boolean
  /** Characters that have been read, and are not decoded yet. */
  undecoded(): number
}

export class Inbox {
  /** Of what has arrived and is not done, and of the message that is arriving. */
  #received = 0
  #arriving = 0
  #messages = 0
  /** What counts as its holder's: all beyond `most`. */
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

  /** Whether it has ever sent binary data: only then may there be any in params. */
  get hasSentBinary(): boolean {
    return this.#hasSentBinary
  }

  /** Whether a large message is arriving. */
  get isBusy(): boolean {
    return this.#arriving > this.options.most
  }

  /** Reads no more until what there is has been done. */
  fill(): void {
    if (this.#isFull) return
    this.#isFull = true
    webSocketOf(this.conn)?.pause()
    // What is not a call is never done.
    setImmediate(() => this.settle())
  }

  /** Resolves when what waits has been done; `undefined` if there is room for more. */
  emptied(): Promise<void> | undefined {
    return this.#isFull ? new Promise(resolve => this.#emptied.push(resolve)) : undefined
  }

  /** Has it counted as somebody's, or a stranger's, from now on. */
  charge(holder: Holder | undefined): void {
    this.#hold(0)
    if (!holder || !this.#holder) this.#received = 0
    this.#holder = holder
    this.#hold()
    if (!holder && this.#isFull) this.#release()
  }

  /** Notes how many bytes are about to come in one message; answers whether there is room. */
  expect(bytes: number): boolean {
    this.#arriving = bytes
    if (this.isBusy) this.options.begun()
    return this.#hold()
  }

  /** Reads on if it does not, and can. */
  ease(): void {
    if (this.#isFull) this.settle()
  }

  /** Looks whether all that has come is done. */
  settle(): void {
    if (!this.#holder || !this.options.isIdle()) return
    this.#received = this.options.undecoded()
    this.#hold()
    if (this.#isFull && this.#received <= this.options.most) this.#release()
  }

  /** Whether a large message has been arriving for so many seconds. */
  hasStalled(now: number, seconds: number): boolean {
    if (!this.isBusy || this.#isFull) this.#mark = undefined
    else if (this.#mark?.messages !== this.#messages) this.#mark = { at: now, messages: this.#messages }
    else return now - this.#mark.at >= seconds
    return false
  }

  /** Counts what comes over a WebSocket as it comes: what is not complete yet is in memory, too. */
  #follow(): void {
    // Before ws, which makes messages of it.
    lineOf(this.conn)?.prependListener('data', chunk => {
      this.#arriving += chunk.length
      if (!this.isBusy) return
      this.options.begun()
      if (!this.#hold()) this.options.giveUp()
    })
    if (this.#isFull) webSocketOf(this.conn)?.pause()
  }

  #receive(packet: Packet): void {
    const size = sizeOf(packet)
    const isBinary = typeof packet.data === 'object'
    if (isBinary) this.#hasSentBinary = true
    this.#messages++
    this.#arriving = 0
    this.#received += size + packetBytes
    const isTooMuch = this.#holder ? isBinary && size > binaryBytes : this.#received > strangerBytes
    if (isTooMuch || !this.#hold()) return this.options.giveUp()
    if (this.#holder && this.#received > this.options.most) this.fill()
  }

  #release(): void {
    this.#isFull = false
    for (const resolve of this.#emptied.splice(0)) resolve()
    // Also of one that ends: its client's last word is still to come.
    webSocketOf(this.conn)?.resume()
    // A sign of life may be among what has not been read.
    if (this.conn.readyState === 'open') refreshHeartbeat(this.conn)
  }

  /** Counts what is there as its holder's; answers whether there is room. */
  #hold(wanted = Math.max(0, this.#received + this.#arriving - this.options.most)): boolean {
    const more = wanted - this.#held
    if (!this.#holder || more === 0) return true
    const isRoom = more < 0 || !this.#holder.refusal(more)
    this.#holder.add(more)
    this.#held = wanted
    return isRoom
  }
}
