/** The HTTP server: its limits, what it says to those who speak no HTTP, and how it stops. (docs/spec/limits.md#requests) */
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
import { members } from '../../core/json/json-text.js'
import { ApiError } from '../../core/errors.js'
import { metaMember } from '../../core/envelope.js'
import type { Config } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { AddressCounts } from '../address-counts.js'
import type { Mount } from '../mount.js'
import { declineUpgrade, hasBody, offersWebSocket } from '../upgrades.js'
import { standsForMany } from './request/client-address.js'

/** Long queries of streams fit in. */
const headerBytes = 64 * 1024
/** Node forgets headers beyond this number, so that requests could not be read as they were meant. */
const headerCount = 1000
/** Longer than what proxies in front use, so that it is they who close idle connections. */
const keepAliveMs = 65_000
/** How often connections that have become idle are looked for while stopping. */
const sweepMs = 20
/** Time for reading a refusal, before a connection is cut from which more may come. */
const lingerMs = 1000

/** A server that listens already; requests wait until `serve` is called. */
export class Listener {
  readonly #server: Server
  readonly #counts: AddressCounts
  /** Connections that count already: one whose offer has been declined begins a second time. */
  readonly #counted = new WeakSet<Duplex>()
  /** Connections whose last request has been refused: what follows it is not looked at. */
  readonly #refused = new WeakSet<Duplex>()
  #listener: RequestListener | undefined
  #config: Config | undefined
  #waiting: Parameters<RequestListener>[] = []

  private constructor({ http, limits }: Settings) {
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
      (request, response) => this.#receive(request, response)
    )
    this.#server.maxHeadersCount = headerCount
    this.#server.maxConnections = limits.connections
    const most = limits.connectionsPerAddress || Math.ceil(limits.connections / 4)
    this.#counts = new AddressCounts(most, standsForMany(http.trustedProxies))
    this.#server.on('connection', socket => this.#count(socket))
    this.#server.on('clientError', (error, socket) => this.#misread(error, socket))
  }

  /** Takes the port. Rejects when it is taken already. */
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

  /** Connections that are open. */
  async connections(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  /** Hands requests on, those that have waited first. */
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
        // Node does not listen to it any more.
        socket.on('error', destroy)
        afterAnswers(socket, () => this.#upgrade(mount, request, socket, rest))
      })
    for (const [request, response] of this.#waiting.splice(0)) this.#listener(request, response)
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

  #count(socket: Socket): void {
    if (this.#counted.has(socket)) return
    this.#counted.add(socket)
    const leave = this.#counts.take(socket.remoteAddress ?? '')
    if (leave) socket.once('close', leave)
    else socket.destroy()
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (this.#refused.has(request.socket)) return
    if (hasLostHeaders(request)) {
      this.#refused.add(request.socket)
      const { body, headers } = this.#refusal(tooMany)
      response.writeHead(431, headers).end(body)
    } else if (this.#listener) this.#listener(request, response)
    else this.#waiting.push([request, response])
  }

  /** Hands an offer of a WebSocket on where somebody takes it. Others are declined, which is not a refusal. */
  #upgrade(mount: Mount, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
    if (hasLostHeaders(request)) this.#refuse(socket, 431, tooMany)
    else if (!request.url?.startsWith(mount.path) || !offersWebSocket(request)) {
      socket.off('error', destroy)
      declineUpgrade(this.#server, request, socket, rest)
    } else if (hasBody(request)) this.#refuse(socket, 400, 'An offer of a WebSocket cannot have a body')
    else mount.upgrade(request, socket, rest)
  }

  /** Answers what cannot be parsed as HTTP, if anybody is still there to hear it. */
  #misread({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    if (code === 'ECONNRESET' || !socket.writable || !this.#config) return void socket.destroy()
    this.#refused.add(socket)
    const [status, message] = misreadings.get(code) ?? [400, 'This is not a well-formed HTTP request']
    const { incoming } = insidesOf(socket).parser ?? {}
    this.#giveUp(socket, status, message, incoming?.complete === false ? incoming : undefined)
  }

  /** Ends a connection with one answer to its last request, of which only the body may be wrong: it may have been answered. */
  #giveUp(socket: Duplex, status: 400 | 431, message: string, request: IncomingMessage | undefined): void {
    const { _httpMessage: answer } = insidesOf(socket)
    if (answer && (answer.req !== request || answer.headersSent))
      answer.once('close', () => this.#giveUp(socket, status, message, request))
    else if (request && !answer) endSoon(socket)
    else this.#refuse(socket, status, message)
  }

  /** The last answer of a connection. What else comes is not read as requests, whatever it looks like. */
  #refuse(socket: Duplex, status: 400 | 431, message: string): void {
    this.#refused.add(socket)
    const { body, headers } = this.#refusal(message)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    endSoon(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  }

  #refusal(message: string): { body: string; headers: Record<string, string> } {
    const refusal = new ApiError('invalid-request-structure', message)
    const meta = this.#config ? `,${metaMember(this.#config, Date.now() / 1000)}` : ''
    const body = `{${members({ error: refusal })}${meta}}`
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

const tooMany = `The request has ${headerCount} headers or more`

/** What may be wrong with what comes, beside that it is no HTTP. */
const misreadings = new Map<string | undefined, readonly [400 | 431, string]>([
  ['HPE_HEADER_OVERFLOW', [431, `The headers of the request are larger than ${headerBytes} bytes`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', [400, 'The request has not arrived in time']]
])

/** Whether there may have been more headers than are known. */
function hasLostHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length >= 2 * headerCount
}

/** Runs something once the answers to what came before on a connection have been given. */
function afterAnswers(socket: Duplex, run: () => void): void {
  const { _httpMessage: answer } = insidesOf(socket)
  if (answer) answer.once('close', () => afterAnswers(socket, run))
  else if (!socket.destroyed) run()
}

/** Closes a connection from which more may come: to close it at once would take the last answer away. */
function endSoon(socket: Duplex, text = ''): void {
  socket.end(text)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function destroy(this: Duplex): void {
  this.destroy()
}

/** What Node keeps of a connection: the answer that is its turn, and the request that comes in. */
interface Insides {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

function insidesOf(socket: Duplex): Insides {
  return socket as Insides
}
