/**
 * The Socket.IO transport: one namespace per user, created on demand and closed when empty. The root namespace accepts all
 * clients, and ignores all messages.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as Engine } from 'engine.io'
import { Server, type Socket } from 'socket.io'
import { Encoder, PacketType, type Packet } from 'socket.io-parser'
import { toErrorEnvelope } from '../../core/envelope.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Notifier, Dispatcher } from '../../core/call/dispatcher.js'
import { toFailure } from '../../core/call/outcome.js'
import type { Mount } from '../upgrades.js'
import { getPageToken, removePageHeader } from '../page-sessions.js'
import { Backlog } from './backlog.js'
import { Connection } from './connection.js'
import { LimitedWebSocketServer } from './limited-websocket.js'
import { createPacketDecoder } from './packet-decoder.js'
import { RequestGate, type ClientAddresses } from './request-gate.js'
import { getDecoder, getConnectionId, type Conn } from './internals.js'
import { SocketSession, type SocketServices } from './socket-session.js'
import type { Credentials } from '../../core/call/credentials.js'
import { JsonText } from '../../core/json/json-text.js'
import type { Clock } from '../../core/time.js'
import type { Settings } from '../../core/settings/settings.js'

/** Longest name of a namespace: twice the longest user name, plus room for a path prefix. */
const maxNameLength = 255

export class Websockets implements Mount {
  readonly path: string
  readonly #io: Server
  readonly #engine: Engine
  readonly #gate: RequestGate
  readonly #watch: StallWatch
  readonly #sessions = new Set<SocketSession>()
  /** By connection id, which polling clients send with each request. */
  readonly #connections = new Map<string, Connection>()
  readonly #services: SocketServices
  #isClosing = false

  constructor(
    private readonly dispatcher: Dispatcher,
    notifier: Notifier,
    private readonly clients: ClientAddresses
  ) {
    const { clock, config } = dispatcher.services
    const { limits, sockets } = config
    this.#services = {
      dispatcher,
      notifier,
      backlog: new Backlog(sockets.maxBufferedBytes, limits.batchResultBytes),
      modes: new Map(dispatcher.definitions.map(({ id, mode }) => [id, mode]))
    }
    this.#watch = new StallWatch(clock, limits, this.#connections)
    this.#gate = new RequestGate(dispatcher.services, clients, this.#connections)
    this.#engine = new Engine({
      wsEngine: LimitedWebSocketServer,
      allowEIO3: true,
      maxHttpBufferSize: limits.bodyBytes,
      allowRequest: (request, done) => this.#gate.admitHandshake(request, () => done(null, true)),
      cors: ({ headers }, done) => done(null, getCorsOptions(headers['access-control-request-headers']))
    })
    this.#engine.on('connection', (conn: Conn) => this.#addConnection(conn))
    this.#io = new Server({
      parser: { Encoder: PacketEncoder, Decoder: createPacketDecoder(limits) },
      serveClient: false,
      cleanupEmptyChildNamespaces: true
    })
    this.#io.bind(this.#engine)
    this.path = `${this.#io.path()}/`
    // Clients of 2.x join the root first, so it accepts all clients; messages sent there are ignored.
    this.#io
      .of((name, _auth, next) => next(null, name.length <= maxNameLength))
      .use((socket, next) => void this.#authenticate(socket).then(next))
      .on('connection', socket => this.#open(socket))
  }

  /** Number of authenticated sockets. */
  get size(): number {
    return this.#sessions.size
  }

  /** Serves a request of a polling client, unless the gate refuses it. */
  request(request: IncomingMessage, response: ServerResponse): void {
    void this.#gate.admitRequest(request, response, () => this.#engine.handleRequest(request, response))
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

  /** Watches a new connection; closes it if it has no slot. */
  #addConnection(conn: Conn): void {
    const { clock, config } = this.dispatcher.services
    const { limits, sockets } = config
    const slot = this.#gate.getSlot(conn.request)
    // A connection without a slot has bypassed the gate.
    if (!slot) return conn.close(true)
    const begun = (): void => this.#watch.start()
    const connection = new Connection(conn, {
      slot,
      sockets,
      onActivity: begun,
      bodyBytes: limits.bodyBytes,
      describeError: error => toErrorEnvelope(config, clock.now(), error)
    })
    this.#connections.set(getConnectionId(conn), connection)
    conn.on('close', () => this.#connections.delete(getConnectionId(conn)))
  }

  /** Authenticates a socket, or returns the error. */
  async #authenticate(socket: Socket): Promise<Error | undefined> {
    try {
      const connection = this.#getConnection(socket)
      if (!connection?.countAttempt()) {
        connection?.terminate()
        return new ApiError('too-many-requests', 'Too many namespaces on one connection')
      }
      const decoder = getDecoder(socket)
      connection.undecoded = () => decoder.undecoded
      decoder.onDecoded = () => connection.inbox.resumeIfSettled()
      const credentials = this.#getCredentials(socket)
      // The handshake data stays in memory as long as the socket, and there may be a thousand sockets on one
      // connection.
      socket.handshake.auth = {}
      const admitted = await this.#services.notifier.admit(parseUsername(socket.nsp.name), credentials)
      // Nothing would end the session of a connection that has closed meanwhile.
      if (socket.conn.readyState !== 'open') fail('invalid-access-token')
      const session = new SocketSession(this.#services, admitted, socket, connection)
      await session.join()
      socket.data = session
      return undefined
    } catch (error) {
      const refusal = toFailure(this.dispatcher.services.log, error, 'socket').error
      return socket.conn.protocol === 3 ? refusal : addErrorData(refusal)
    }
  }

  #open(socket: Socket): void {
    if (this.#isClosing) return void socket.disconnect(true)
    const session = socket.data as SocketSession
    this.#sessions.add(session)
    socket.on('disconnect', () => this.#sessions.delete(session))
    session.open()
  }

  #getConnection({ conn }: Socket): Connection | undefined {
    return this.#connections.get(getConnectionId(conn))
  }

  /** Returns the credentials of a socket: the token of the namespace, of the connection, or of the page's session. */
  #getCredentials({ handshake, nsp, request }: Socket): Credentials {
    const { auth, headers, query } = handshake
    // A namespace may have a token of its own; otherwise, that of the connection is used.
    const ownToken = (auth as Record<string, unknown>).auth ?? query.auth
    const presented = Array.isArray(ownToken) ? (ownToken[0] as unknown) : ownToken
    const fromPage =
      presented === undefined || presented === null
        ? getPageToken(headers, this.dispatcher.services, parseUsername(nsp.name))
        : undefined
    const token = presented ?? fromPage
    return {
      ...(fromPage === undefined ? {} : { isPage: true }),
      ...(typeof token === 'string' ? { auth: token } : {}),
      ...(headers.origin === undefined ? {} : { origin: headers.origin }),
      ...(headers.referer === undefined ? {} : { referer: headers.referer }),
      headers,
      ip: this.clients.getAddress(request),
      via: 'socket.io'
    }
  }
}

/** Returns CORS options. Every origin is allowed, since the token decides; cookies require a header that other origins may not send. */
function getCorsOptions(names: string | undefined): object {
  const common = { origin: true, methods: ['GET', 'POST'], credentials: true, optionsSuccessStatus: 200 }
  return names === undefined ? common : { ...common, allowedHeaders: removePageHeader(names) }
}

/** Returns the user name: the last segment of a namespace's name. */
function parseUsername(name: string): string {
  return (name.split('/').findLast(segment => segment !== '') ?? '').toLowerCase()
}

/**
 * Adds the error as `data`, which clients of Socket.IO 3 and later read; clients of Socket.IO 2 would get it in place
 * of the message.
 */
function addErrorData(error: ApiError): Error {
  return Object.assign(new Error(error.message), { data: { error } })
}

/** Socket.IO's encoder, which also accepts `JsonText` as an argument of an acknowledgement. */
class PacketEncoder extends Encoder {
  /** Encodes a packet; acknowledgements may contain `JsonText`. */
  override encode(packet: Packet): string[] {
    const data = packet.data as unknown
    if (packet.type === PacketType.ACK && Array.isArray(data) && data.some(isText))
      return [
        `${PacketType.ACK}${formatNamespace(packet.nsp)}${packet.id ?? ''}[${data.map(toText).join(',')}]`
      ]
    return super.encode(packet) as string[]
  }
}

function isText(value: unknown): value is JsonText {
  return value instanceof JsonText
}

function toText(value: unknown): string {
  return isText(value) ? value.text : JSON.stringify(value ?? null)
}

function formatNamespace(name: string): string {
  return name === '/' ? '' : `${name},`
}

/** Checks per timeout. */
const checksPerTimeout = 4

class StallWatch {
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(
    private readonly clock: Clock,
    private readonly limits: Settings['limits'],
    private readonly connections: ReadonlyMap<string, Connection>
  ) {}

  /** Starts checking, because something is in progress. Connections are checked only as long as that is so. */
  start(): void {
    if (this.#cancel || this.#isStopped) return
    const { bodyTimeout, stalledSeconds } = this.limits
    this.#cancel = this.clock.after(Math.min(bodyTimeout, stalledSeconds) / checksPerTimeout, () =>
      this.#terminateStalled()
    )
  }

  /** Ends the periodic check. */
  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  #terminateStalled(): void {
    this.#cancel = undefined
    const now = this.clock.now()
    for (const connection of this.connections.values()) {
      if (connection.hasStalled(now, this.limits)) connection.terminate()
      else if (connection.isBusy) this.start()
    }
  }
}
