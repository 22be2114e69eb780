/** WebSockets that are limited in what they take before a client has authenticated, and in frames without a message. */
import type { Socket as TcpSocket } from 'node:net'
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws'
import { maxUnauthenticatedMessageBytes } from './connection.js'
import { getUnderlyingSocket, maxTextLength } from './internals.js'

/** Maximum number of chunks of a message, since each takes more memory than its bytes. */
const maxBufferedChunks = 16 * 1024
/** Maximum number of frames of a message: each has an overhead of a hundred bytes, even before a client has authenticated. */
const maxFragments = 2048
/** Maximum number of pings and pongs between two messages. Clients send a message at each heartbeat. */
const maxControlFrames = 100
/** Bytes parsed after the close frame has been sent: clients answer with theirs. */
const maxBytesAfterClose = 64 * 1024
/** Time for the client to complete the closing handshake, in milliseconds. */
const closeTimeoutMs = 10_000

/** New connections may send small messages only; `limitMessages` raises the limit for authenticated ones. */
export class LimitedWebSocketServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({
      ...options,
      WebSocket: LimitedWebSocket,
      maxPayload: maxUnauthenticatedMessageBytes,
      maxBufferedChunks,
      maxFragments,
      closeTimeout: closeTimeoutMs
    } as ServerOptions)
  }
}

/** A WebSocket, also one that a polling client begins and never upgrades to. */
class LimitedWebSocket extends WebSocket {
  #controlFrames = 0
  #bytesAfterClose = 0

  constructor(...args: unknown[]) {
    super(...(args as ConstructorParameters<typeof WebSocket>))
    const count = (): void => {
      if (++this.#controlFrames > maxControlFrames) this.terminate()
    }
    this.on('ping', count)
    this.on('pong', count)
    this.on('message', () => (this.#controlFrames = 0))
    this.once('open', () => this.#limitAfterClose(getUnderlyingSocket(this)!))
  }

  /** Sends a message, as Engine.IO does. */
  override send(data: string | Uint8Array, callback: unknown): void {
    const isLong = typeof data === 'string' && data.length > maxTextLength
    const sent = callback as (error?: Error) => void
    if (isLong) super.send(encode(data), { binary: false }, sent)
    else super.send(data, sent)
  }

  /** Once the close frame has been sent, discards what follows without parsing it, except for a little. */
  #limitAfterClose(tcpSocket: TcpSocket): void {
    tcpSocket.prependListener('data', (chunk: Buffer) => {
      if (this.readyState !== WebSocket.CLOSING) return
      this.#bytesAfterClose += chunk.length
      if (this.#bytesAfterClose <= maxBytesAfterClose) return
      tcpSocket.removeAllListeners('data')
      tcpSocket.resume()
      tcpSocket.end()
    })
  }
}

/** Returns a text as UTF-8, faster than `Buffer.from`: text in ASCII, which is as long in bytes as in characters, is only copied. */
function encode(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text, bytes.length === text.length ? 'latin1' : 'utf8')
  return bytes
}
