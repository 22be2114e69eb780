/** The HTTP server: its limits, its responses to malformed requests, and how it stops. (docs/spec/limits.md#requests) */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { joinMembers } from '../../core/json/json-text.js'
import { ApiError } from '../../core/errors.js'
import { toMetaMember } from '../../core/envelope.js'
import type { Config } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { AddressCounts } from '../address-counts.js'
import { declineUpgrade, hasBody, offersWebSocket, type Mount } from '../upgrades.js'
import { PipelineLimits } from './pipeline-limits.js'
import { joinSmallChunks } from './request/small-chunks.js'
import { createSharedAddressCheck } from './request/client-address.js'
import { closeIfUnread } from './unread-bodies.js'

/** Maximum size of the headers, in bytes, which leaves room for long stream queries in the URL. */
const headerBytes = 64 * 1024
/** Node drops headers beyond this number, so such requests are refused. */
const headerCount = 1000
/** Longer than the timeouts of common reverse proxies, so that the proxy closes idle connections first. */
const keepAliveMs = 65_000
/** Milliseconds between attempts to close idle connections while stopping. */
const closeIdleMs = 20
/** Milliseconds for the client to read an error before a connection on which it may still be sending is closed. */
const lingerMs = 1000

/** A server that already listens; requests wait until `serve` is called. */
export class Listener {
  readonly #server: Server
  readonly #counts: AddressCounts
  /** Counted connections. One whose upgrade was declined is emitted a second time. */
  readonly #counted = new WeakSet<Duplex>()
  /** Connections whose last request has been refused: anything after it is ignored. */
  readonly #refused = new WeakSet<Duplex>()
  readonly #pipelines = new PipelineLimits()
  #listener: RequestListener | undefined
  #config: Config | undefined
  #waiting: Parameters<RequestListener>[] = []

  readonly #bodyTimeout: number

  private constructor({ http, limits }: Settings) {
    this.#bodyTimeout = limits.bodyTimeout
    this.#server = createServer(
      {
        headersTimeout: limits.headersTimeout * 1000,
        // There is no limit, since uploads may take long; JSON bodies have a timeout of their own.
        requestTimeout: 0,
        keepAliveTimeout: keepAliveMs,
        maxHeaderSize: headerBytes,
        connectionsCheckingInterval: Math.min(limits.headersTimeout * 500, 5000),
        insecureHTTPParser: false,
        // The application refuses these itself, with a JSON error.
        requireHostHeader: false
      },
      (request, response) => this.#receive(request, response)
    )
    this.#server.maxHeadersCount = headerCount
    this.#server.maxConnections = limits.connections
    const maxPerAddress = limits.connectionsPerAddress || Math.ceil(limits.connections / 4)
    this.#counts = new AddressCounts(maxPerAddress, createSharedAddressCheck(http.trustedProxies))
    this.#server.on('connection', socket => this.#countConnection(socket))
    // Unknown expectations may be ignored (RFC 9110, 10.1.1). Node would refuse them without a body.
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.#receive(request, response)
    )
    this.#server.on('clientError', (error, socket) => this.#refuseMalformed(error, socket))
  }

  /** Starts listening. Rejects if the port is in use. */
  static async open(settings: Settings, port = settings.port): Promise<Listener> {
    const listener = new Listener(settings)
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject).listen(port, settings.host, () => resolve())
    })
    return listener
  }

  /** The port on which the server listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Returns the number of open connections. */
  async connections(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  /** Passes requests to a listener, starting with the requests that have been waiting. */
  serve(listener: RequestListener, config: Config, mount?: Mount): void {
    this.#config = config
    this.#listener = mount
      ? (request, response) => {
          if (request.url?.startsWith(mount.path)) mount.request(request, response)
          else listener(request, response)
        }
      : listener
    if (mount)
      this.#server.on('upgrade', (request, socket, rest) => {
        // Node removes its own error handler when it hands over a socket.
        socket.on('error', destroy)
        if (this.#refused.has(socket)) socket.destroy()
        else afterResponses(socket, () => this.#upgrade(mount, request, socket, rest))
      })
    for (const [request, response] of this.#waiting.splice(0)) this.#listener(request, response)
  }

  /** Stops accepting connections, waits up to `seconds` for requests in progress, then closes the remaining connections. */
  async close(seconds: number): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    const closeIdle = setInterval(() => this.#server.closeIdleConnections(), closeIdleMs)
    const cut = setTimeout(() => this.#server.closeAllConnections(), seconds * 1000)
    await closed
    clearInterval(closeIdle)
    clearTimeout(cut)
  }

  #countConnection(socket: Socket): void {
    if (this.#counted.has(socket)) return
    this.#counted.add(socket)
    const release = this.#counts.acquire(socket.remoteAddress ?? '')
    if (release) socket.once('close', release)
    else socket.destroy()
  }

  /**
   * Handles a parsed request: refuses it for unreliable headers, passes it on, or holds it until there is a listener.
   */
  #receive(request: IncomingMessage, response: ServerResponse): void {
    // Requests after a refused one are counted, too, since Node keeps them in memory until the connection is closed.
    if (!this.#pipelines.admit(request, response)) return void request.socket.destroy()
    if (this.#refused.has(request.socket)) return
    if (hasBody(request)) {
      if (request.headers['transfer-encoding'] !== undefined) joinSmallChunks(request)
      closeIfUnread(request, response, this.#bodyTimeout, () => this.#refused.add(request.socket))
    }
    const violation = findHeaderViolation(request)
    if (violation) {
      this.#refused.add(request.socket)
      const { body, headers } = this.#buildRefusal(violation[1])
      response.writeHead(violation[0], headers).end(body)
    } else if (this.#listener) this.#listener(request, response)
    else this.#waiting.push([request, response])
  }

  /** Passes a WebSocket upgrade to the mount. Other upgrades are declined: they are served as plain requests. */
  #upgrade(mount: Mount, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
    const violation = findHeaderViolation(request)
    if (violation) this.#refuse(socket, ...violation)
    else if (!request.url?.startsWith(mount.path) || !offersWebSocket(request)) {
      socket.off('error', destroy)
      declineUpgrade(this.#server, request, socket, rest)
    } else if (hasBody(request)) this.#refuse(socket, 400, 'A WebSocket upgrade request cannot have a body')
    else mount.upgrade(request, socket, rest)
  }

  /** Sends an error for malformed HTTP, if the client is still connected. */
  #refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    if (code === 'ECONNRESET' || !socket.writable || !this.#config) return void socket.destroy()
    this.#refused.add(socket)
    const [status, message] = parserErrors.get(code) ?? [400, 'Malformed HTTP request']
    const { incoming } = getInternals(socket).parser ?? {}
    this.#closeAfterResponse(socket, status, message, incoming?.complete === false ? incoming : undefined)
  }

  /**
   * Closes a connection after its last response. If only the body of the last request is malformed, that request may
   * already have been answered.
   */
  #closeAfterResponse(
    socket: Duplex,
    status: 400 | 431,
    message: string,
    request: IncomingMessage | undefined
  ): void {
    const { _httpMessage: response } = getInternals(socket)
    if (response && (response.req !== request || response.headersSent))
      response.once('close', () => this.#closeAfterResponse(socket, status, message, request))
    else if (request && !response) endAndDiscard(socket)
    else this.#refuse(socket, status, message)
  }

  /**
   * Sends the last response of a connection. Anything that follows is never parsed as a request, to rule out request
   * smuggling.
   */
  #refuse(socket: Duplex, status: 400 | 431, message: string): void {
    this.#refused.add(socket)
    const { body, headers } = this.#buildRefusal(message)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    endAndDiscard(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  }

  /** Builds the response to a request that cannot be parsed. */
  #buildRefusal(message: string): { body: string; headers: Record<string, string> } {
    const refusal = new ApiError('invalid-request-structure', message)
    const meta = this.#config ? `,${toMetaMember(this.#config, Date.now() / 1000)}` : ''
    const body = `{${joinMembers({ error: refusal })}${meta}}`
    return {
      body,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': String(Buffer.byteLength(body)),
        ...(this.#config && { 'API-Version': this.#config.apiVersion }),
        'Access-Control-Allow-Origin': '*',
        Connection: 'close'
      }
    }
  }
}

/** Parser errors that get a more specific message. */
const parserErrors = new Map<string | undefined, readonly [400 | 431, string]>([
  ['HPE_HEADER_OVERFLOW', [431, `The headers of the request are larger than ${headerBytes} bytes`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', [400, 'The request did not arrive in time']]
])

/** Headers that must not be repeated: Node uses the first of several, but a proxy may have checked another. */
const singleHeaders: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type'])

/**
 * Returns the status and message for unreliable headers: Node may have dropped some headers, or a header is repeated.
 */
function findHeaderViolation({ rawHeaders }: IncomingMessage): readonly [400 | 431, string] | undefined {
  if (rawHeaders.length >= 2 * headerCount)
    return [431, `The request has too many headers. The limit is ${headerCount}`]
  let seen = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.includes(`${name} `)) return [400, `The request has more than one header "${rawHeaders[index]}"`]
    seen += `${name} `
  }
  return undefined
}

/** Calls `run` once all earlier requests on a connection have been answered. */
function afterResponses(socket: Duplex, run: () => void): void {
  const { _httpMessage: response } = getInternals(socket)
  if (response) response.once('close', () => afterResponses(socket, run))
  else if (!socket.destroyed) run()
}

/**
 * Closes a connection on which the client may still be sending. Destroying the socket immediately would reset the
 * connection, and lose the response.
 */
function endAndDiscard(socket: Duplex, text = ''): void {
  socket.end(text)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function destroy(this: Duplex): void {
  this.destroy()
}

/** Node's internals: the response that is being sent on a connection, and the request that is being parsed. */
interface NodeInternals {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

function getInternals(socket: Duplex): NodeInternals {
  return socket as NodeInternals
}
