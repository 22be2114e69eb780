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
import type { Mount } from '../mount.js'
import { declineUpgrade, hasBody, offersWebSocket } from '../upgrades.js'
import { joinChunks } from './join-chunks.js'
import { Pipelines } from './pipelines.js'
import { standsForMany } from './request/client-address.js'
import { closeIfUnread } from './unread-bodies.js'

/** Leaves room for long stream queries in the URL. */
const headerBytes = 64 * 1024
/** Node drops headers beyond this number, so that the request could be misread. */
const headerCount = 1000
/** Longer than the timeouts of common reverse proxies, so that the proxy closes idle connections, not we. */
const keepAliveMs = 65_000
/** How often idle connections are closed while stopping. */
const sweepMs = 20
/** Time for the client to read an error before a connection that may still be sending is closed. */
const lingerMs = 1000

/** A server that already listens; requests wait until `serve` is called. */
export class Listener {
  readonly #server: Server
  readonly #counts: AddressCounts
  /** Connections already counted: one whose upgrade has been declined is emitted a second time. */
  readonly #counted = new WeakSet<Duplex>()
  /** Connections whose last request has been refused: anything after it is ignored. */
  readonly #refused = new WeakSet<Duplex>()
  readonly #pipelines = new Pipelines()
  #listener: RequestListener | undefined
  #config: Config | undefined
  #waiting: Parameters<RequestListener>[] = []

  readonly #bodyTimeout: number

  private constructor({ http, limits }: Settings) {
    this.#bodyTimeout = limits.bodyTimeout
    this.#server = createServer(
      {
        headersTimeout: limits.headersTimeout * 1000,
        // No limit, since uploads may take long; JSON bodies have a timeout of their own.
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
    this.#counts = new AddressCounts(maxPerAddress, standsForMany(http.trustedProxies))
    this.#server.on('connection', socket => this.#count(socket))
    // An expectation that is not known may be ignored (RFC 9110, 10.1.1). Node would refuse it without a body.
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.#receive(request, response)
    )
    this.#server.on('clientError', (error, socket) => this.#misread(error, socket))
  }

  /** Starts listening. Rejects if the port is in use. */
  static async open(settings: Settings, port = settings.port): Promise<Listener> {
    const listener = new Listener(settings)
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject).listen(port, settings.host, () => resolve())
    })
    return listener
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Returns the number of open connections. */
  async connections(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  /** Passes requests to a listener, beginning with those that have been waiting. */
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
        else afterAnswers(socket, () => this.#upgrade(mount, request, socket, rest))
      })
    for (const [request, response] of this.#waiting.splice(0)) this.#listener(request, response)
  }

  /** Stops accepting connections, waits up to `seconds` for requests in progress, then closes what is left. */
  async close(seconds: number): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    const sweep = setInterval(() => this.#server.closeIdleConnections(), sweepMs)
    const cut = setTimeout(() => this.#server.closeAllConnections(), seconds * 1000)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }

  #count(socket: Socket): void {
    if (this.#counted.has(socket)) return
    this.#counted.add(socket)
    const leave = this.#counts.take(socket.remoteAddress ?? '')
    if (leave) socket.once('close', leave)
    else socket.destroy()
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    // What follows a refused request is counted, too: Node keeps it until the connection is closed.
    if (!this.#pipelines.admits(request, response)) return void request.socket.destroy()
    if (this.#refused.has(request.socket)) return
    if (hasBody(request)) {
      if (request.headers['transfer-encoding'] !== undefined) joinChunks(request)
      closeIfUnread(request, response, this.#bodyTimeout, () => this.#refused.add(request.socket))
    }
    const violation = findHeaderViolation(request)
    if (violation) {
      this.#refused.add(request.socket)
      const { body, headers } = this.#refusal(violation[1])
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

  /** Sends an error for what cannot be parsed as HTTP, if the client is still connected. */
  #misread({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    if (code === 'ECONNRESET' || !socket.writable || !this.#config) return void socket.destroy()
    this.#refused.add(socket)
    const [status, message] = misreadings.get(code) ?? [400, 'Malformed HTTP request']
    const { incoming } = internalsOf(socket).parser ?? {}
    this.#giveUp(socket, status, message, incoming?.complete === false ? incoming : undefined)
  }

  /**
   * Closes a connection after its last response. If only the body of the last request is malformed, that request may
   * already have been answered.
   */
  #giveUp(socket: Duplex, status: 400 | 431, message: string, request: IncomingMessage | undefined): void {
    const { _httpMessage: answer } = internalsOf(socket)
    if (answer && (answer.req !== request || answer.headersSent))
      answer.once('close', () => this.#giveUp(socket, status, message, request))
    else if (request && !answer) endSoon(socket)
    else this.#refuse(socket, status, message)
  }

  /**
   * Sends the last response of a connection. Anything that follows is never parsed as a request, to rule out request
   * smuggling.
   */
  #refuse(socket: Duplex, status: 400 | 431, message: string): void {
    this.#refused.add(socket)
    const { body, headers } = this.#refusal(message)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    endSoon(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  }

  #refusal(message: string): { body: string; headers: Record<string, string> } {
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
const misreadings = new Map<string | undefined, readonly [400 | 431, string]>([
  ['HPE_HEADER_OVERFLOW', [431, `The headers of the request are larger than ${headerBytes} bytes`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', [400, 'The request did not arrive in time']]
])

/** Headers that decide whom or what a request is for. Node keeps the first of several; a proxy may have checked another. */
const singleHeaders: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type'])

/** Returns the status and message for headers that cannot be relied on: Node may have dropped some, or one is repeated. */
function findHeaderViolation({ rawHeaders }: IncomingMessage): readonly [400 | 431, string] | undefined {
  if (rawHeaders.length >= 2 * headerCount)
    return [431, `The request has too many headers. The limit is ${headerCount}`]
  let seen = ''
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.includes(`${name} `)) return [400, `The request has more than one header "${rawHeaders[at]}"`]
    seen += `${name} `
  }
  return undefined
}

/** Runs something once all earlier requests on a connection have been answered. */
function afterAnswers(socket: Duplex, run: () => void): void {
  const { _httpMessage: answer } = internalsOf(socket)
  if (answer) answer.once('close', () => afterAnswers(socket, run))
  else if (!socket.destroyed) run()
}

/** Closes a connection that may still be sending. Closing it at once would reset it, and lose the last response. */
function endSoon(socket: Duplex, text = ''): void {
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

function internalsOf(socket: Duplex): NodeInternals {
  return socket as NodeInternals
}
