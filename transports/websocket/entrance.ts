/** Requests for sockets, before Engine.IO does anything: who may begin a connection, how much one may send at a time. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../../core/settings/config.js'
import type { Connection } from './connection.js'
import { Handshakes, type NoPlace, type Place } from './handshakes.js'
import { queryOf, responseTo } from './insides.js'
import { announcedBytes, largestBody } from './polling.js'

/** What comes with a handshake stays in memory as long as its connection. */
const handshakeBytes = 16 * 1024
/** Seconds after which another attempt makes sense. */
const retryAfter = 5

const methods = new Set(['GET', 'POST', 'OPTIONS'])

interface Clients {
  addressOf(request: IncomingMessage): string
  standsForMany(address: string): boolean
}

export class Entrance {
  readonly #handshakes: Handshakes
  readonly #places = new WeakMap<IncomingMessage, Place>()
  /** Those of which a request waits until they may send more. */
  readonly #waiting = new WeakSet<Connection>()
  /** Lines on which the last answer has been given: what else has come on them already would be done for nobody. */
  readonly #ended = new WeakSet<Duplex>()

  constructor(
    { limits }: Config,
    private readonly clients: Clients,
    private readonly connections: ReadonlyMap<string, Connection>
  ) {
    this.#handshakes = new Handshakes({
      connections: limits.connections,
      perAddress: limits.connectionsPerAddress || Math.ceil(limits.connections / 4),
      isExempt: address => clients.standsForMany(address)
    })
  }

  /** Lets a request begin a connection if there is room for one, or answers why not. */
  admit(request: IncomingMessage, begin: () => void): void {
    if (sizeOf(request) > handshakeBytes)
      return this.#refuse(request, 431, 'The query and the headers of a handshake are too large')
    const place = this.#handshakes.take(this.clients.addressOf(request))
    if (typeof place === 'number') return this.#refuse(request, place, noPlaces[place], retryAfter)
    this.#places.set(request, place)
    // It may still fail to become a WebSocket.
    if (!responseTo(request)) request.socket.once('close', () => place.leave())
    begin()
  }

  /** The place that a request has been given. */
  placeOf(request: IncomingMessage): Place | undefined {
    return this.#places.get(request)
  }

  /** Hands a request on, if it needs be when its connection may send more, or answers why not. Never rejects. */
  async request(request: IncomingMessage, response: ServerResponse, handOn: () => void): Promise<void> {
    if (!methods.has(request.method ?? ''))
      return this.#answer(response, 405, 'This method is not supported here')
    if (request.method !== 'POST') return handOn()
    const bytes = announcedBytes(request)
    // What is refused, or has no length, may go on for ever: nothing follows it.
    if (bytes === Infinity) response.setHeader('Connection', 'close')
    const connection = this.connections.get(queryOf(request).sid ?? '')
    if (!connection) {
      response.setHeader('Connection', 'close')
      return handOn()
    }
    await this.#post(request, response, connection, bytes, handOn)
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    bytes: number,
    handOn: () => void
  ): Promise<void> {
    const limit = largestBody(request, connection.largestMessage)
    if (bytes === Infinity && limit < connection.largestMessage)
      return this.#answer(response, 411, 'Binary data needs a length')
    if (bytes !== Infinity && bytes > limit) return this.#answer(response, 413, 'The body is too large')
    if (this.#waiting.has(connection)) {
      connection.terminate()
      return this.#answer(response, 400, 'One request of a connection at a time')
    }
    const emptied = connection.inbox.emptied()
    if (emptied) {
      this.#waiting.add(connection)
      await emptied
      this.#waiting.delete(connection)
    }
    const isRoom = connection.inbox.expect(Math.min(bytes, limit))
    response.once('close', () => connection.inbox.expect(0))
    if (isRoom) handOn()
    else this.#answer(response, 503, 'Too much waits to be done', retryAfter)
  }

  /** Answers a request that asked for a connection. */
  #refuse(request: IncomingMessage, status: number, message: string, wait?: number): void {
    const response = responseTo(request)
    if (response) return this.#answer(response, status, message, wait)
    const { socket } = request
    const body = bodyOf(message)
    const headers = Object.entries(headersOf(wait)).map(([name, value]) => `${name}: ${value}`)
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, `Content-Length: ${body.length}`]
    socket.end([...lines, '', body].join('\r\n'), () => socket.destroy())
  }

  /** Answers as Engine.IO does, and ends the line: what follows a body that is not read could not be found. */
  #answer(response: ServerResponse, status: number, message: string, wait?: number): void {
    this.#ended.add(response.req.socket)
    response.writeHead(status, headersOf(wait)).end(bodyOf(message))
  }
}

const noPlaces: Readonly<Record<NoPlace, string>> = {
  429: 'Too many connections from this address',
  503: 'Too many connections at the moment'
}

function sizeOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((size, text) => size + text.length, url.length)
}

function headersOf(wait: number | undefined): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Connection: 'close',
    ...(wait === undefined ? {} : { 'Retry-After': String(wait) })
  }
}

/** In the form of Engine.IO, for which 4 is "Forbidden". */
function bodyOf(message: string): string {
  return JSON.stringify({ code: 4, message })
}
