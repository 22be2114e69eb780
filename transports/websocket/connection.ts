/** What one connection may cost, whatever namespaces it joins: bytes it sends unasked, and answers it does not fetch. (security 9, 17) */
import type { Socket } from 'socket.io'

type Conn = Socket['conn']

/** What a connection may send before it has shown a token. */
const anonymousBytes = 64 * 1024
/** Messages that may wait to be sent to a client before it is waited for, and before it is given up. */
const patience = 64
const endurance = 5000

export class Connection {
  #received = 0
  #open = 0
  #hasSentBinary = false

  constructor(
    private readonly conn: Conn,
    private readonly maxPendingBytes: number
  ) {
    conn.on('data', data => this.#count(data))
  }

  /** Whether it has ever sent binary data: only then may there be any in params. */
  get hasSentBinary(): boolean {
    return this.#hasSentBinary
  }

  /** Notes that a user's namespace has been joined, or left. */
  joined(): void {
    this.#open++
  }

  left(): void {
    this.#open--
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
    if (this.#waiting <= endurance) return true
    this.close()
    return false
  }

  /** Resolves when the client has fetched most of what it was sent, or is gone. */
  async drained(): Promise<void> {
    while (this.#waiting > patience && this.conn.readyState === 'open')
      await new Promise<void>(resolve => {
        const done = (): void => {
          this.conn.off('drain', done).off('close', done)
          resolve()
        }
        this.conn.on('drain', done).on('close', done)
      })
  }

  /** Closes once the client has fetched what it was sent. */
  end(): void {
    this.conn.close()
  }

  /** Closes at once. */
  close(): void {
    this.conn.close(true)
  }

  /** Messages that the transport has not taken yet. */
  get #waiting(): number {
    return (this.conn as unknown as { writeBuffer: readonly unknown[] }).writeBuffer.length
  }

  #count(data: string | Buffer | ArrayBuffer): void {
    if (typeof data !== 'string') this.#hasSentBinary = true
    this.#received += typeof data === 'string' ? data.length : data.byteLength
    if (this.#received > (this.#open > 0 ? this.maxPendingBytes : anonymousBytes)) this.close()
  }
}
