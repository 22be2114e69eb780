/**
 * The Socket.IO adapter: a namespace for each user, made on demand and closed when empty; the root one is open and mute.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as Engine } from 'engine.io'
import { Server, type Socket } from 'socket.io'
import { ApiError } from '../../core/errors.js'
import type { Admission, Notifier, Dispatcher } from '../../core/call/dispatcher.js'
import type { Mount } from '../mount.js'
import { AnswerEncoder } from './answer-encoder.js'
import { Backlog } from './backlog.js'
import { Connection } from './connection.js'
import { decoderWithin } from './decoder.js'
import { Entrance } from './entrance.js'
import { idOf, undecodedOf, type Conn } from './insides.js'
import { Lines } from './lines.js'
import { SocketSession, type Hall } from './session.js'
import { Watch } from './watch.js'
import type { Credentials } from '../../core/call/credentials.js'

/** Longest name of a namespace: twice the longest user name, with room for a path in front. */
const maxNameLength = 255

/** Who the clients are. */
export interface Clients {
  /** The address of the client that made a request. */
  addressOf(request: IncomingMessage): string
  /** Whether an address stands for any number of clients. */
  standsForMany(address: string): boolean
}

export class Websockets implements Mount {
  readonly path: string
  readonly #io: Server
  readonly #engine: Engine
  readonly #entrance: Entrance
  readonly #watch: Watch
  readonly #sessions = new Set<SocketSession>()
  /** By their ids, which are what clients show to go on with them. */
  readonly #connections = new Map<string, Connection>()
  readonly #hall: Hall
  #isClosing = false

  constructor(
    private readonly dispatcher: Dispatcher,
    feed: Notifier,
    private readonly clients: Clients
  ) {
    const { clock, config } = dispatcher.core
    const { limits, sockets } = config
    this.#hall = {
      dispatcher,
      feed,
      backlog: new Backlog(sockets.maxBufferedBytes, limits.batchResultBytes),
      modes: new Map(dispatcher.definitions.map(({ id, mode }) => [id, mode]))
    }
    this.#watch = new Watch(clock, limits, this.#connections)
    this.#entrance = new Entrance(config, clients, this.#connections)
    this.#engine = new Engine({
      wsEngine: Lines,
      allowEIO3: true,
      maxHttpBufferSize: limits.bodyBytes,
      allowRequest: (request, done) => this.#entrance.admit(request, () => done(null, true)),
      // Any origin: the token decides, and no cookie counts.
      cors: { origin: true, methods: ['GET', 'POST'], credentials: true, optionsSuccessStatus: 200 }
    })
    this.#engine.on('connection', (conn: Conn) => this.#begin(conn))
    this.#io = new Server({
      parser: { Encoder: AnswerEncoder, Decoder: decoderWithin(limits) },
      serveClient: false,
      cleanupEmptyChildNamespaces: true
    })
    this.#io.bind(this.#engine)
    this.path = `${this.#io.path()}/`
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

  request(request: IncomingMessage, response: ServerResponse): void {
    void this.#entrance.request(request, response, () => this.#engine.handleRequest(request, response))
  }

  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void {
    this.#engine.handleUpgrade(request, socket, rest)
  }

  /** Answers the calls that run, then cuts all connections. */
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
    const { limits, sockets } = this.dispatcher.core.config
    const place = this.#entrance.placeOf(conn.request)
    // Every connection has been let in by the entrance.
    if (!place) return conn.close(true)
    const begun = (): void => this.#watch.begin()
    const connection = new Connection(conn, { place, sockets, begun, bodyBytes: limits.bodyBytes })
    this.#connections.set(idOf(conn), connection)
    conn.on('close', () => this.#connections.delete(idOf(conn)))
  }

  /** Lets a socket in, or answers why not. */
  async #admit(socket: Socket): Promise<Error | undefined> {
    try {
      const connection = this.#connectionOf(socket)
      if (!connection?.tries()) {
        connection?.terminate()
        return new ApiError('too-many-requests', 'Too many namespaces on one connection')
      }
      connection.undecoded = () => undecodedOf(socket)
      const credentials = this.#credentialsOf(socket)
      socket.data = await this.#hall.feed.admit(usernameOf(socket.nsp.name), credentials)
      return undefined
    } catch (error) {
      const refusal = this.dispatcher.failure(error, 'socket').error
      return socket.conn.protocol === 3 ? refusal : withData(refusal)
    }
  }

  #open(socket: Socket): void {
    const connection = this.#connectionOf(socket)
    if (!connection || this.#isClosing) return void socket.disconnect(true)
    const session = new SocketSession(this.#hall, socket.data as Admission, socket, connection)
    this.#sessions.add(session)
    socket.on('disconnect', () => this.#sessions.delete(session))
  }

  #connectionOf({ conn }: Socket): Connection | undefined {
    return this.#connections.get(idOf(conn))
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
      ip: this.clients.addressOf(request),
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
