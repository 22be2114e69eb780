/** An HTTP client that reads a response only as far as the test requests. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Client } from './coffer.js'

export class SlowClient {
  /** Number of bytes read. */
  received = 0
  readonly #chunks: Buffer[] = []
  #tail = ''
  #length: number | undefined
  #hasEnded = false

  /** `isOne`: whether only one response is expected. */
  private constructor(
    private readonly socket: Socket,
    private readonly isOne: boolean
  ) {
    // How the connection ends is checked by `closed`.
    socket.on('error', () => undefined).once('close', () => (this.#hasEnded = true))
  }

  /** Sends a request, and reads the head of its response. */
  static async get(
    client: Client,
    path: string,
    { verb = 'GET', body }: { verb?: string; body?: unknown } = {}
  ): Promise<SlowClient> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const slow = await SlowClient.send(
      client.service.server.url,
      [
        `${verb} /${client.username}${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: ${client.token}`,
        ...(text === ''
          ? []
          : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
        '',
        text
      ].join('\r\n'),
      true
    )
    return slow
  }

  /** Sends raw requests. */
  static async send(url: string, bytes: string, isOne = false): Promise<SlowClient> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    socket.write(bytes)
    return new SlowClient(socket, isOne)
  }

  /** Everything that has been read. */
  get text(): string {
    return Buffer.concat(this.#chunks).toString('latin1')
  }

  /** Returns the status of the response. */
  async status(): Promise<number> {
    while (!this.text.includes('\r\n\r\n') && !this.#hasEnded) await this.take(1)
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.text)?.[1])
  }

  /** Reads at least this many more bytes, if there are any. */
  async take(bytes: number): Promise<void> {
    const wanted = this.received + bytes
    while (this.received < wanted && !this.#hasEnded && !(this.isOne && this.isWhole)) {
      const chunk = this.socket.read() as Buffer | null
      if (chunk) {
        this.received += chunk.length
        this.#chunks.push(chunk)
        this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - 10))).slice(-10)
      } else if (this.socket.readableEnded || this.socket.destroyed) return
      else await this.#news()
    }
  }

  async #news(): Promise<void> {
    await new Promise<void>(resolve => {
      const done = (): void => {
        this.socket.off('readable', done).off('close', done)
        resolve()
      }
      this.socket.on('readable', done).on('close', done)
    })
  }

  /** Reads to the end. */
  async takeAll(): Promise<string> {
    await this.take(Infinity)
    return this.text
  }

  /** Whether the response is complete, as far as its headers determine that. */
  get isWhole(): boolean {
    this.#length ??= lengthOf(this.#chunks[0]?.toString('latin1') ?? '')
    if (this.#length === undefined) return false
    return this.#length === Infinity ? this.#tail.endsWith('\r\n0\r\n\r\n') : this.received >= this.#length
  }

  get hasEnded(): boolean {
    return this.#hasEnded || this.socket.destroyed || this.socket.readableEnded
  }

  leave(): void {
    this.socket.destroy()
  }
}

/** Returns the length of head and body; infinite for a chunked body. */
function lengthOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [, length] = /content-length: (\d+)/i.exec(text.slice(0, end)) ?? []
  return length === undefined ? Infinity : end + 4 + Number(length)
}
