/** What one connection may cost, whatever namespaces it joins: bytes it sends unasked, and answers it does not fetch. (security 9, 17) */
import type { Writable } from 'node:stream'
import type { Socket } from 'socket.io'
import type { Settings } from '../../core/settings.js'

type Conn = Socket['conn']

/** What a connection may send before it has shown a token. */
const anonymousBytes = 64 * 1024
/** What may wait to be fetched by a client before further calls of its wait too: messages, and characters. */
const patience = 64
const patientLength = 1024 * 1024
/** Messages that may wait before the client is given up. */
const endurance = 5000

/** What is below Socket.IO, and not shown by it: the line to the client, if it is a WebSocket. */
interface Insides {
  readonly transport: { readonly socket?: { readonly _socket?: Line | null } }
  readonly writeBuffer: readonly { readonly data?: string }[]
}
type Line = Pick<Writable, 'cork' | 'uncork'>

export class Connection {
  #received = 0
  #open = 0
  #hasSentBinary = false
  #idle: NodeJS.Timeout | undefined

  constructor(
    private readonly conn: Conn,
    private readonly limits: Pick<Settings['sockets'], 'maxPendingBytes' | 'namespaceTimeout'>
  ) {
    conn.on('data', data => this.#count(data))
    conn.on('close', () => clearTimeout(this.#idle))
    // Answers that leave together do so in one write to the system, which costs as much as a small call itself.
    conn.on('flush', (messages: readonly unknown[]) => {
      if (messages.length > 1) this.#line?.cork()
    })
    conn.on('drain', () => this.#line?.uncork())
    this.#expect()
  }

  /** Whether it has ever sent binary data: only then may there be any in params. */
  get hasSentBinary(): boolean {
    return this.#hasSentBinary
  }

  /** Notes that a user's namespace has been joined, or left. */
  joined(): void {
    this.#open++
    clearTimeout(this.#idle)
  }

  left(): void {
    this.#open--
    if (this.#open === 0 && this.conn.readyState === 'open') this.#expect()
  }

  get hasOthers(): boolean {
    return this.#open > 0
  }

  /** Nothing it has sent is left to be done. */
  settled(): void {
    this.#received = 0
  }

  /** Cuts a client that does not fetch what it is sent. Answers whether there is room for more. */
  mayHear(): boolean {
    if (this.#unfetched.length <= endurance) return true
    this.close()
    return false
  }

  /** Resolves when the client has fetched most of what it was sent, or is gone; `undefined` if it has. */
  drained(): Promise<void> | undefined {
    return this.#isSlow ? this.#untilDrained() : undefined
  }

  /** Closes once the client has fetched what it was sent. */
  end(): void {
    this.conn.close()
  }

  /** Closes at once. */
  close(): void {
    this.conn.close(true)
  }

  /** Who shows no token holds no connection for long. */
  #expect(): void {
    this.#idle = setTimeout(() => this.close(), this.limits.namespaceTimeout * 1000)
    this.#idle.unref()
  }

  get #isSlow(): boolean {
    const unfetched = this.#unfetched
    if (unfetched.length === 0) return false
    if (unfetched.length > patience) return true
    return unfetched.reduce((length, { data }) => length + (data?.length ?? 0), 0) > patientLength
  }

  /** Messages that the transport has not taken yet. */
  get #unfetched(): readonly { readonly data?: string }[] {
    return this.#insides.writeBuffer
  }

  get #line(): Line | null | undefined {
    // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
    return this.#insides.transport.socket?._socket
  }

  get #insides(): Insides {
    return this.conn as unknown as Insides
  }

  async #untilDrained(): Promise<void> {
    while (this.#isSlow && this.conn.readyState === 'open')
      await new Promise<void>(resolve => {
        const done = (): void => {
          this.conn.off('drain', done).off('close', done)
          resolve()
        }
        this.conn.on('drain', done).on('close', done)
      })
  }

  /** An empty message has no data at all. */
  #count(data: string | Buffer | ArrayBuffer | undefined): void {
    if (typeof data === 'object') this.#hasSentBinary = true
    this.#received += typeof data === 'object' ? data.byteLength : (data?.length ?? 0)
    if (this.#received > (this.#open > 0 ? this.limits.maxPendingBytes : anonymousBytes)) this.close()
  }
}
