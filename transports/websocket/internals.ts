/** Accesses private members of Engine.IO, ws and Node, all in one file, since any release may rename them. */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import type { Socket } from 'socket.io'
import type { WebSocket } from 'ws'
import type { PacketDecoder } from './packet-decoder.js'

/**
 * Texts of more characters than this are sent as bytes: until the client has read it, Node keeps three bytes for each character
 * of a text.
 */
export const maxTextLength = 16 * 1024

/** An Engine.IO connection, which carries all namespaces of a client. */
export type Conn = Socket['conn']

export interface Packet {
  readonly type: string
  /** Missing in an empty message. */
  readonly data?: string | Buffer | ArrayBuffer
}

/** Returns the size of a packet in characters or bytes. */
export function getPacketSize({ data }: Packet): number {
  if (data === undefined) return 0
  return typeof data === 'string' ? data.length : data.byteLength
}

/** Decodes the packets of a polling payload. */
export interface PayloadParser {
  /** Returns the packets of a payload, or passes each to `take` until it returns false. */
  decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void): Packet[] | void
}

/** The part of ws that assembles messages. */
interface Receiver extends EventEmitter {
  _maxPayload: number
  /** Bytes of the current frame that have arrived and are not parsed, and the earlier frames of the message. */
  readonly _buffers: readonly Buffer[]
  readonly _fragments: readonly Buffer[]
}

interface Internals {
  readonly id: string
  readonly transport: {
    readonly socket?: WebSocket & {
      readonly _socket?: TcpSocket | null
      readonly _receiver?: Receiver | null
    }
    readonly res?: ServerResponse | null
    maxHttpBufferSize?: number
    closeTimeout?: number
    parser: PayloadParser
  }
  readonly writeBuffer: readonly Packet[]
  readonly pingTimeoutTimer: NodeJS.Timeout | null
}

/** Node's counters: bytes passed to the operating system, and bytes that it has not taken yet. */
type TcpSocketInternals = TcpSocket & {
  readonly _bytesDispatched: number
  readonly _handle?: { readonly writeQueueSize: number } | null
}

/** Returns the id of a connection. */
export function getConnectionId(conn: Conn): string {
  return getInternals(conn).id
}

/** Returns the WebSocket of a connection; `undefined` while it uses polling. */
export function getWebSocket(conn: Conn): WebSocket | undefined {
  return getInternals(conn).transport.socket
}

/** Returns whether messages are sent with JSONP, according to the handshake. */
export function isJsonp(conn: Conn): boolean {
  return getWebSocket(conn) === undefined && getQuery(conn.request).j !== undefined
}

/**
 * Returns the response to the pending poll, which sends the next messages. Returns `undefined` if there is
 * none.
 */
export function getPollResponse(conn: Conn): ServerResponse | undefined {
  return getInternals(conn).transport.res ?? undefined
}

/** Returns the WebSocket that a client wants to upgrade to. Returns `undefined` for other transports. */
export function getUpgradeSocket(transport: unknown): WebSocket | undefined {
  return (transport as Internals['transport']).socket
}

/** Returns the TCP socket below a WebSocket; `undefined` once it has closed. */
export function getUnderlyingSocket(webSocket: WebSocket): TcpSocket | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  return (webSocket as NonNullable<Internals['transport']['socket']>)._socket ?? undefined
}

/** Returns the TCP socket of a connection. Returns `undefined` while it uses polling. */
export function getTcpSocket(conn: Conn): TcpSocket | undefined {
  const webSocket = getWebSocket(conn)
  return webSocket && getUnderlyingSocket(webSocket)
}

/** Returns the number of bytes written to a WebSocket that the operating system has taken, even of a partly sent message. */
export function countBytesTaken(conn: Conn): number {
  const socket = getTcpSocket(conn) as TcpSocketInternals | undefined
  // oxlint-disable-next-line no-underscore-dangle -- what Node calls it
  return socket ? socket._bytesDispatched - (socket._handle?.writeQueueSize ?? 0) : 0
}

/** Returns the number of messages not yet passed to the transport. */
export function countWaitingMessages(conn: Conn): number {
  return getInternals(conn).writeBuffer.length
}

/** Sets the size of the largest message that is accepted. */
export function limitMessages(conn: Conn, bytes: number): void {
  const { transport } = getInternals(conn)
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  const receiver = transport.socket?._receiver
  // oxlint-disable-next-line no-underscore-dangle
  if (receiver) receiver._maxPayload = bytes
  else if (!transport.socket) transport.maxHttpBufferSize = bytes
}

/** Length of the mask in the head of a frame, and of the text that {@link onTooLargeMessage} passes on, in bytes. */
const maskBytes = 4
const startBytes = 1000

/**
 * Calls `refuse` before ws closes a connection because of a message over the size limit, with the start of the message: its
 * first kilobyte, or what has arrived of it.
 */
export function onTooLargeMessage(conn: Conn, refuse: (socket: WebSocket, start: string) => void): void {
  const { socket } = getInternals(conn).transport
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  const receiver = socket?._receiver
  receiver?.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') refuse(socket!, readStart(receiver))
  })
}

/** Returns the start of a message whose last frame ws has parsed up to its length. */
function readStart({ _buffers: unread, _fragments: fragments }: Receiver): string {
  if (fragments[0]) return fragments[0].toString('utf8', 0, startBytes)
  const masked = Buffer.concat(unread).subarray(0, maskBytes + startBytes)
  const mask = masked.subarray(0, maskBytes)
  return Buffer.from(
    masked.subarray(maskBytes).map((byte, index) => byte ^ mask[index % maskBytes]!)
  ).toString()
}

/** Wraps the parser of polling payloads. */
export function wrapPayloadParser(conn: Conn, wrap: (parser: PayloadParser) => PayloadParser): void {
  const { transport } = getInternals(conn)
  transport.parser = wrap(transport.parser)
}

/** Sets the time for a poll to fetch the close message, in milliseconds. */
export function setCloseTimeout(conn: Conn, ms: number): void {
  getInternals(conn).transport.closeTimeout = ms
}

/** Restarts the heartbeat timeout of the client. */
export function refreshHeartbeat(conn: Conn): void {
  getInternals(conn).pingTimeoutTimer?.refresh()
}

/** Returns the parsed query of a request, and caches it where Engine.IO expects it. */
export function getQuery(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const cached = request as IncomingMessage & { _query?: Record<string, string> }
  // oxlint-disable-next-line no-underscore-dangle -- what Engine.IO calls it
  return (cached._query ??= Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams)
  ))
}

/** Returns the response to a request; `undefined` for WebSocket upgrades. */
export function getResponse(request: IncomingMessage): ServerResponse | undefined {
  return (request as { readonly res?: ServerResponse }).res
}

/** Returns the decoder of a socket's connection. */
export function getDecoder(socket: Socket): PacketDecoder {
  return (socket as unknown as { client: { decoder: PacketDecoder } }).client.decoder
}

function getInternals(conn: Conn): Internals {
  return conn as unknown as Internals
}
