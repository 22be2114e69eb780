/**
 * The Socket.IO adapter: a namespace for each user, made on demand and closed when empty; the root one is open and mute.
 * (service.md, Websocket messages; supplement 16; clients.md, Websocket)
 */
import type { IncomingMessage, Server as HttpServer } from 'node:http'
import { Server, type Socket } from 'socket.io'
import { WebSocketServer } from 'ws'
import { ApiError } from '../core/errors.js'
import type { Admitted, Feed, Gateway } from '../core/gateway.js'
import type { Credentials } from '../core/method.js'
import { declineUpgrades } from './upgrades.js'
import { AnswerEncoder } from './websocket/answer-encoder.js'
import { Connection } from './websocket/connection.js'
import { decoderWithin } from './websocket/decoder.js'
import { Session } from './websocket/session.js'

/** Longest name of a namespace: twice the longest user name, with room for a path in front. */
const maxNameLength = 255

/** Tells the address of the client that made a request. */
export type AddressOf = (request: IncomingMessage) => string

export class Websockets {
  readonly #io: Server
  readonly #sessions = new Set<Session>()
  readonly #connections = new WeakMap<object, Connection>()
  #isClosing = false

  constructor(
    server: HttpServer,
    private readonly gateway: Gateway,
    private readonly feed: Feed,
    private readonly addressOf: AddressOf
  ) {
    const { limits, sockets } = gateway.core.config
    this.#io = new Server(server, {
      wsEngine: WebSocketServer,
      parser: { Encoder: AnswerEncoder, Decoder: decoderWithin(limits) },
      allowEIO3: true,
      serveClient: false,
      maxHttpBufferSize: limits.bodyBytes,
      cleanupEmptyChildNamespaces: true,
      // Any origin: the token decides, and no cookie counts. (security 27)
      cors: { origin: true, methods: ['GET', 'POST'], credentials: true, optionsSuccessStatus: 200 },
      destroyUpgrade: false
    })
    declineUpgrades(server, `${this.#io.path()}/`)
    this.#io.engine.on('connection', conn => {
      this.#connections.set(conn, new Connection(conn, sockets))
    })
    // Clients of 2.x join the root first, so it cannot refuse anybody; whatever is sent there goes unheard.
    this.#io
      .of((name, _auth, next) => next(null, name.length <= maxNameLength))
      .use((socket, next) => void this.#admit(socket).then(next))
      .on('connection', socket => this.#open(socket))
  }

  /** Sockets that have been let in. */
  get size(): number {
    return this.#sessions.size
  }

  /** Answers the calls that run, then cuts all connections. */
  async close(seconds: number): Promise<void> {
    this.#isClosing = true
    const ended = Promise.all([...this.#sessions].map(session => session.end()))
    let timer: NodeJS.Timeout | undefined
    await Promise.race([ended, new Promise(resolve => (timer = setTimeout(resolve, seconds * 1000)))])
    clearTimeout(timer)
    this.#io.disconnectSockets(true)
    this.#io.engine.close()
  }

  /** Lets a socket in, or answers why not. */
  async #admit(socket: Socket): Promise<Error | undefined> {
    try {
      const credentials = this.#credentialsOf(socket)
      socket.data = await this.feed.admit(usernameOf(socket.nsp.name), credentials)
      return undefined
    } catch (error) {
      const refusal = this.gateway.failure(error, 'socket').error
      return socket.conn.protocol === 3 ? refusal : withData(refusal)
    }
  }

  #open(socket: Socket): void {
    const connection = this.#connections.get(socket.conn)
    if (!connection || this.#isClosing) return void socket.disconnect(true)
    try {
      const session = new Session(this.gateway, this.feed, socket.data as Admitted, socket, connection)
      this.#sessions.add(session)
      socket.on('disconnect', () => this.#sessions.delete(session))
    } catch (error) {
      // Thrown on, it would end the process: the account's file may have become unreadable since.
      this.gateway.failure(error, 'socket')
      socket.disconnect(true)
    }
  }

  #credentialsOf({ handshake, request }: Socket): Credentials {
    const { auth, headers, query } = handshake
    // A second namespace on a connection may bring a token of its own; otherwise the connection's counts.
    const own = (auth as Record<string, unknown>).auth ?? query.auth
    const token = Array.isArray(own) ? (own[0] as unknown) : own
    return {
      ...(typeof token === 'string' ? { auth: token } : {}),
      ...(headers.origin === undefined ? {} : { origin: headers.origin }),
      ...(headers.referer === undefined ? {} : { referer: headers.referer }),
      headers,
      ip: this.addressOf(request),
      via: 'socket.io'
    }
  }
}

/** The last segment of a namespace's name. */
function usernameOf(name: string): string {
  return (name.split('/').findLast(segment => segment !== '') ?? '').toLowerCase()
}

/** Clients of 3.x and later read the error's `data`; those of 2.x would get it in place of the message. */
function withData(error: ApiError): Error {
  return Object.assign(new Error(error.message), { data: { error } })
}
