/** The HTTP server: its limits, what it says to those who speak no HTTP, and how it stops. (security: slow connections; SIGTERM) */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { members } from '../../core/json.js'
import { ApiError } from '../../core/errors.js'
import { metaMember } from '../../core/envelope.js'
import type { Config } from '../../core/config.js'
import type { Settings } from '../../core/settings.js'

/** Long queries of streams fit in. */
const headerBytes = 64 * 1024
/** Longer than what proxies in front use, so that it is they who close idle connections. */
const keepAliveMs = 65_000
/** How often connections that have become idle are looked for while stopping. */
const sweepMs = 20

/** A server that listens already; requests wait until `serve` is called. */
export class Listener {
  readonly #server: Server
  #listener: RequestListener | undefined
  #config: Config | undefined
  #waiting: Parameters<RequestListener>[] = []

  private constructor({ limits }: Settings) {
    this.#server = createServer(
      {
        headersTimeout: limits.headersTimeout * 1000,
        // Uploads may take long; JSON bodies have a time limit of their own.
        requestTimeout: 0,
        keepAliveTimeout: keepAliveMs,
        maxHeaderSize: headerBytes,
        connectionsCheckingInterval: Math.min(limits.headersTimeout * 500, 5000),
        insecureHTTPParser: false,
        // Refused by the application, in JSON.
        requireHostHeader: false
      },
      (request, response) => {
        if (this.#listener) this.#listener(request, response)
        else this.#waiting.push([request, response])
      }
    )
    this.#server.maxConnections = limits.connections
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket))
  }

  /** Takes the port. Rejects when it is taken already. */
  static async open(settings: Settings, port = settings.port): Promise<Listener> {
    const listener = new Listener(settings)
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject).listen(port, settings.host, () => resolve())
    })
    return listener
  }

  /** For what shares the port, such as sockets. */
  get server(): Server {
    return this.#server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections that are open. */
  async connections(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  /** Hands requests on, those that have waited first. */
  serve(listener: RequestListener, config: Config): void {
    this.#config = config
    this.#listener = listener
    for (const [request, response] of this.#waiting.splice(0)) listener(request, response)
  }

  /** Stops accepting, lets what is in flight end for so many seconds, then cuts what is left. */
  async close(seconds: number): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    const sweep = setInterval(() => this.#server.closeIdleConnections(), sweepMs)
    const cut = setTimeout(() => this.#server.closeAllConnections(), seconds * 1000)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }

  /** Answers what cannot be parsed as HTTP, if anybody is still there to hear it. */
  #refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable || !this.#config) return void socket.destroy()
    const message =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request has not arrived in time.'
        : 'This is not a well-formed HTTP request.'
    const refusal = new ApiError('invalid-request-structure', message)
    const body = `{${members({ error: refusal })},${metaMember(this.#config, Date.now() / 1000)}}`
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `API-Version: ${this.#config.apiVersion}`,
        'Access-Control-Allow-Origin: *',
        'Connection: close',
        '',
        body
      ].join('\r\n')
    )
  }
}
