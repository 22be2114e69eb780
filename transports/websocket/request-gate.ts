/** Checks socket requests before Engine.IO gets them: whether a client may open a connection, and how much it may send at a time. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { toErrorEnvelope } from '../../core/envelope.js'
import { ApiError, type ErrorId } from '../../core/errors.js'
import type { SharedServices } from '../../core/call/dispatcher.js'
import { createTooLargeError, type Connection } from './connection.js'
import { ConnectionSlots, type SlotRefusal, type Slot } from './connection-slots.js'
import { getQuery, getResponse } from './internals.js'
import { getAnnouncedBytes, getMaxBodyBytes } from './polling.js'

/** Limit for the query and headers of a handshake, which stay in memory as long as the connection. */
const maxHandshakeBytes = 16 * 1024
/** Value of `Retry-After`, in seconds. */
const retryAfter = 5

const allowedMethods = new Set(['GET', 'POST', 'OPTIONS'])

/** Determines the addresses of clients. */
export interface ClientAddresses {
  /** Returns the address of the client that made a request. */
  getAddress(request: IncomingMessage): string
  /** Returns whether an address is shared by any number of clients, such as the address of a proxy. */
  isShared(address: string): boolean
}

export class RequestGate {
  readonly #connectionSlots: ConnectionSlots
  readonly #slots = new WeakMap<IncomingMessage, Slot>()
  /** Connections with a request that waits until they may send more. */
  readonly #waiting = new WeakSet<Connection>()

  constructor(
    private readonly services: Pick<SharedServices, 'clock' | 'config'>,
    private readonly clients: ClientAddresses,
    private readonly connections: ReadonlyMap<string, Connection>
  ) {
    const { limits } = services.config
    this.#connectionSlots = new ConnectionSlots({
      connections: limits.connections,
      perAddress: limits.connectionsPerAddress || Math.ceil(limits.connections / 4),
      isExempt: address => clients.isShared(address)
    })
  }

  /** Calls `begin` if there is a free slot for a new connection; otherwise sends the error. */
  admitHandshake(request: IncomingMessage, begin: () => void): void {
    if (getHeadSize(request) > maxHandshakeBytes)
      return this.#refuse(request, 431, 'The query and headers of the handshake are too large')
    const slot = this.#connectionSlots.acquire(this.clients.getAddress(request))
    if (typeof slot === 'number') return this.#refuse(request, slot, slotRefusalMessages[slot], retryAfter)
    this.#slots.set(request, slot)
    // The upgrade to a WebSocket may still fail.
    if (!getResponse(request)) request.socket.once('close', () => slot.release())
    begin()
  }

  /** Returns the slot reserved for a request. Returns `undefined` if there is none. */
  getSlot(request: IncomingMessage): Slot | undefined {
    return this.#slots.get(request)
  }

  /**
   * Calls `proceed` for a permitted request, once its connection may send more; otherwise sends the error. Never rejects.
   */
  async admitRequest(request: IncomingMessage, response: ServerResponse, proceed: () => void): Promise<void> {
    if (!allowedMethods.has(request.method ?? ''))
      return this.#reply(response, 405, 'This method is not supported here')
    if (request.method !== 'POST') return proceed()
    const bytes = getAnnouncedBytes(request)
    // A body that is refused or has no length may never end, so nothing can follow it.
    if (bytes === Infinity) response.setHeader('Connection', 'close')
    const connection = this.connections.get(getQuery(request).sid ?? '')
    if (!connection) {
      response.setHeader('Connection', 'close')
      return proceed()
    }
    await this.#admitPost(request, response, connection, bytes, proceed)
  }

  /**
   * Lets a request with messages proceed once the previous ones have been taken. Answers 400, 411, 413 or 503 instead
   * if it may not. `bytes`: its Content-Length; infinite if unknown.
   */
  async #admitPost(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    bytes: number,
    proceed: () => void
  ): Promise<void> {
    const limit = getMaxBodyBytes(request, connection.maxMessageBytes)
    if (bytes === Infinity && limit < connection.maxMessageBytes)
      return this.#reply(response, 411, 'Requests with binary data need a Content-Length')
    if (bytes !== Infinity && bytes > limit)
      return this.#replyError(response, 413, createTooLargeError(limit))
    if (this.#waiting.has(connection)) {
      connection.terminate()
      return this.#reply(response, 400, 'Only one request at a time is allowed on a connection')
    }
    const emptied = connection.inbox.waitUntilEmpty()
    if (emptied) {
      this.#waiting.add(connection)
      await emptied
      this.#waiting.delete(connection)
      // The client has given up. No event would end what is counted for the message.
      if (response.destroyed) return
    }
    if (bytes === Infinity) this.#explainRefusal(response, limit)
    const hasRoom = connection.inbox.expectMessage(Math.min(bytes, limit))
    response.once('close', () => connection.inbox.expectMessage(0))
    if (hasRoom) proceed()
    else this.#reply(response, 503, 'Too many calls are waiting', retryAfter)
  }

  /** Sends an error in response to a handshake. */
  #refuse(request: IncomingMessage, status: number, message: string, retryAfterSeconds?: number): void {
    const response = getResponse(request)
    if (response) return this.#reply(response, status, message, retryAfterSeconds)
    const { socket } = request
    const body = this.#buildBody(createError(status, message))
    const headers = Object.entries(buildHeaders(retryAfterSeconds)).map(
      ([name, value]) => `${name}: ${value}`
    )
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...headers,
      `Content-Length: ${Buffer.byteLength(body)}`
    ]
    socket.end([...lines, '', body].join('\r\n'), () => socket.destroy())
  }

  /** Responds like Engine.IO and closes the connection: with an unread body, the next request could not be parsed. */
  #reply(response: ServerResponse, status: number, message: string, retryAfterSeconds?: number): void {
    this.#replyError(response, status, createError(status, message), retryAfterSeconds)
  }

  #replyError(response: ServerResponse, status: number, error: ApiError, retryAfterSeconds?: number): void {
    response.writeHead(status, buildHeaders(retryAfterSeconds)).end(this.#buildBody(error))
  }

  /**
   * Adds the reason when Engine.IO refuses a body of unannounced length that turns out to be too large: Engine.IO
   * itself only sends the status 413.
   */
  #explainRefusal(response: ServerResponse, limit: number): void {
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse
    response.setHeader('Content-Type', 'application/json')
    response.end = (...args: unknown[]) =>
      response.statusCode === 413 && args.length === 0
        ? end(this.#buildBody(createTooLargeError(limit)))
        : end(...args)
  }

  /** Returns the error envelope with the members of Engine.IO's own errors: code 4 means "Forbidden". */
  #buildBody(error: ApiError): string {
    const { clock, config } = this.services
    const engineMembers = JSON.stringify({ code: 4, message: error.message }).slice(0, -1)
    return `${engineMembers},${toErrorEnvelope(config, clock.now(), error).slice(1)}`
  }
}

const slotRefusalMessages: Readonly<Record<SlotRefusal, string>> = {
  429: 'Too many connections from this address',
  503: 'Too many connections at the moment'
}

const errorIds: Readonly<Record<number, ErrorId>> = {
  405: 'invalid-method',
  429: 'too-many-requests',
  503: 'api-unavailable'
}

function getHeadSize({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((size, text) => size + text.length, url.length)
}

/** Builds the headers of the refusal of a handshake or a polling request. */
function buildHeaders(retryAfterSeconds: number | undefined): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Connection: 'close',
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) })
  }
}

function createError(status: number, message: string): ApiError {
  return new ApiError(errorIds[status] ?? 'invalid-request-structure', message)
}
