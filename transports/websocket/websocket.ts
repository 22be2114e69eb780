/**
 * The Socket.IO adapter: one namespace per user, created on demand and closed when empty. The root namespace is open
 * to all and ignores everything.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as Engine } from 'engine.io'
import { Server, type Socket } from 'socket.io'
import { toErrorEnvelope } from '../../core/envelope.js'
import { ApiError } from '../../core/errors.js'
import type { Notifier, Dispatcher } from '../../core/call/dispatcher.js'
import { failureOf } from '../../core/call/outcome.js'
import type { Mount } from '../mount.js'
import { pageToken, withoutPageHeader } from '../page-sessions.js'
import { AnswerEncoder } from './answer-encoder.js'
import { Backlog } from './backlog.js'
import { Connection } from './connection.js'
import { decoderWithin } from './decoder.js'
import { Entrance } from './entrance.js'
import { decoderOf, idOf, type Conn } from './insides.js'
import { Lines } from './lines.js'
import { SocketSession, type SocketServices } from './session.js'
import { Watch } from './watch.js'
import type { Credentials } from '../../core/call/credentials.js'

/** Longest name of a namespace: twice the longest user name, plus room for a path prefix. */
const maxNameLength = 255

/** Addresses of clients. */
export interface Clients {
  /** Returns the address of the client that made a request. */
  addressOf(request: IncomingMessage): string
  /** Whether an address stands for any number of clients, such as a proxy. */
  standsForMany(address: string): boolean
}

export class Websockets implements Mount {
  readonly path: string
  readonly #io: Server
  readonly #engine: Engine
  readonly #entrance: Entrance
  readonly #watch: Watch
  readonly #sessions = new Set<SocketSession>()
  /** By connection id, which clients send to continue a connection. */
  readonly #connections = new Map<string, Connection>()
  readonly #services: SocketServices
  #isClosing = false

  constructor(
    private readonly dispatcher: Dispatcher,
    notifier: Notifier,
    private readonly clients: Clients
  ) {
    const { clock, config } = dispatcher.services
    const { limits, sockets } = config
    this.#services = {
      dispatcher,
      notifier,
      backlog: new Backlog(sockets.maxBufferedBytes, limits.batchResultBytes),
      modes: new Map(dispatcher.definitions.map(({ id, mode }) => [id, mode]))
    }
    this.#watch = new Watch(clock, limits, this.#connections)
    this.#entrance = new Entrance(dispatcher.services, clients, this.#connections)
    this.#engine = new Engine({
      wsEngine: Lines,
      allowEIO3: true,
      maxHttpBufferSize: limits.bodyBytes,
      allowRequest: (request, done) => this.#entrance.admit(request, () => done(null, true)),
      cors: ({ headers }, done) => done(null, corsFor(headers['access-control-request-headers']))
    })
    this.#engine.on('connection', (conn: Conn) => this.#begin(conn))
    this.#io = new Server({
      parser: { Encoder: AnswerEncoder, Decoder: decoderWithin(limits) },
      serveClient: false,
      cleanupEmptyChildNamespaces: true
    })
    this.#io.bind(this.#engine)
    this.path = `${this.#io.path()}/`
    // Clients of 2.x join the root first, so it accepts everybody; messages sent there are ignored.
    this.#io
      .of((name, _auth, next) => next(null, name.length <= maxNameLength))
      .use((socket, next) => void this.#admit(socket).then(next))
      .on('connection', socket => this.#open(socket))
  }

  /** Number of authenticated sockets. */
  get size(): number {
    return this.#sessions.size
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    void this.#entrance.request(request, response, () => this.#engine.handleRequest(request, response))
  }

  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void {
    this.#engine.handleUpgrade(request, socket, rest)
  }

  /** Waits up to `seconds` for running calls, then closes all connections. */
  async close(seconds: number): Promise<void> {
    this.#isClosing = true
    const ended = Promise.all([...this.#sessions].map(session => session.end()))
    let timer: NodeJS.Timeout | undefined
    await Promise.race([ended, new Promise(resolve => (timer = setTimeout(resolve, seconds * 1000)))])
    clearTimeout(timer)
    this.#watch.stop()
    this.#io.disconnectSockets(true)
    this.#engine.close()
  }

  #begin(conn: Conn): void {
    const { clock, config } = this.dispatcher.services
    const { limits, sockets } = config
    const slot = this.#entrance.slotOf(conn.request)
    // Connections without a slot did not come through the entrance.
    if (!slot) return conn.close(true)
    const begun = (): void => this.#watch.begin()
    const connection = new Connection(conn, {
      slot,
      sockets,
      begun,
      bodyBytes: limits.bodyBytes,
      describeError: error => toErrorEnvelope(config, clock.now(), error)
    })
    this.#connections.set(idOf(conn), connection)
    conn.on('close', () => this.#connections.delete(idOf(conn)))
  }

  /** Authenticates a socket, or returns the error. */
  async #admit(socket: Socket): Promise<Error | undefined> {
    try {
      const connection = this.#connectionOf(socket)
      if (!connection?.tries()) {
        connection?.terminate()
        return new ApiError('too-many-requests', 'Too many namespaces on one connection')
      }
      connection.undecoded = () => decoderOf(socket).undecoded
      const credentials = this.#credentialsOf(socket)
      const admitted = await this.#services.notifier.admit(usernameOf(socket.nsp.name), credentials)
      const session = new SocketSession(this.#services, admitted, socket, connection)
      await session.join()
      socket.data = session
      // The handshake data stays in memory as long as the socket, and there may be a thousand sockets on one
      // connection.
      socket.handshake.auth = {}
      return undefined
    } catch (error) {
      const refusal = failureOf(this.dispatcher.services.log, error, 'socket').error
      return socket.conn.protocol === 3 ? refusal : withData(refusal)
    }
  }

  #open(socket: Socket): void {
    if (this.#isClosing) return void socket.disconnect(true)
    const session = socket.data as SocketSession
    this.#sessions.add(session)
    socket.on('disconnect', () => this.#sessions.delete(session))
    session.open()
  }

  #connectionOf({ conn }: Socket): Connection | undefined {
    return this.#connections.get(idOf(conn))
  }

  #credentialsOf({ handshake, nsp, request }: Socket): Credentials {
    const { auth, headers, query } = handshake
    // A namespace may bring a token of its own; otherwise that of the connection counts.
    const own = (auth as Record<string, unknown>).auth ?? query.auth
    const presented = Array.isArray(own) ? (own[0] as unknown) : own
    const fromPage =
      presented === undefined || presented === null
        ? pageToken(headers, this.dispatcher.services.config, usernameOf(nsp.name))
        : undefined
    const token = presented ?? fromPage
    return {
      ...(fromPage === undefined ? {} : { isPage: true }),
      ...(typeof token === 'string' ? { auth: token } : {}),
      ...(headers.origin === undefined ? {} : { origin: headers.origin }),
      ...(headers.referer === undefined ? {} : { referer: headers.referer }),
      headers,
      ip: this.clients.addressOf(request),
      via: 'socket.io'
    }
  }
}

/** Every origin is allowed, since the token decides; cookies are accepted from our own pages only, whose header others may not send. */
function corsFor(names: string | undefined): object {
  const common = { origin: true, methods: ['GET', 'POST'], credentials: true, optionsSuccessStatus: 200 }
  return names === undefined ? common : { ...common, allowedHeaders: withoutPageHeader(names) }
}

/** Returns the user name: the last segment of a namespace's name. */
function usernameOf(name: string): string {
  return (name.split('/').findLast(segment => segment !== '') ?? '').toLowerCase()
}

/** Clients of 3.x and later read the error's `data`; those of 2.x would receive it instead of the message. */
function withData(error: ApiError): Error {
  return Object.assign(new Error(error.message), { data: { error } })
}
