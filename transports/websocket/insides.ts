/** Access to private members of Engine.IO, ws and Node. Kept in one file, since any release may rename them. */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket as Line } from 'node:net'
import type { Socket } from 'socket.io'
import type { WebSocket } from 'ws'
import type { WaitingDecoder } from './decoder.js'

/** An Engine.IO connection, which carries all namespaces of a client. */
export type Conn = Socket['conn']

export interface Packet {
  readonly type: string
  /** Missing in an empty message. */
  readonly data?: string | Buffer | ArrayBuffer
}

/** Size of a packet in characters or bytes. */
export function sizeOf({ data }: Packet): number {
  if (data === undefined) return 0
  return typeof data === 'string' ? data.length : data.byteLength
}

/** Decodes the packets of a polling payload. */
export interface PayloadParser {
  decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void): Packet[] | void
}

/** The part of ws that assembles messages. */
interface Receiver extends EventEmitter {
  _maxPayload: number
  /** What has arrived of a frame, after what has been read of its head; and the frames of the message before it. */
  readonly _buffers: readonly Buffer[]
  readonly _fragments: readonly Buffer[]
}

interface Insides {
  readonly id: string
  readonly transport: {
    readonly socket?: WebSocket & {
      readonly _socket?: Line | null
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

/** Node's counters: bytes passed to the operating system, and those it has not taken yet. */
type LineInsides = Line & {
  readonly _bytesDispatched: number
  readonly _handle?: { readonly writeQueueSize: number } | null
}

export function idOf(conn: Conn): string {
  return insidesOf(conn).id
}

/** Returns the WebSocket of a connection; `undefined` while it uses polling. */
export function webSocketOf(conn: Conn): WebSocket | undefined {
  return insidesOf(conn).transport.socket
}

/** Whether messages come by JSONP: so says the handshake. */
export function isEscaped(conn: Conn): boolean {
  return webSocketOf(conn) === undefined && queryOf(conn.request).j !== undefined
}

/** Returns the response of the pending poll, which takes the next messages. */
export function responseOf(conn: Conn): ServerResponse | undefined {
  return insidesOf(conn).transport.res ?? undefined
}

/** Returns the WebSocket that a client wants to upgrade to. */
export function triedOut(transport: unknown): WebSocket | undefined {
  return (transport as Insides['transport']).socket
}

/** Returns the TCP socket below a WebSocket. */
export function lineOf(conn: Conn): Line | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  return insidesOf(conn).transport.socket?._socket ?? undefined
}

/** Bytes written to a WebSocket that the operating system has taken, which may be part of a long message. */
export function bytesTaken(conn: Conn): number {
  const line = lineOf(conn) as LineInsides | undefined
  // oxlint-disable-next-line no-underscore-dangle -- what Node calls it
  return line ? line._bytesDispatched - (line._handle?.writeQueueSize ?? 0) : 0
}

/** Number of messages not yet passed to the transport. */
export function messagesWaiting(conn: Conn): number {
  return insidesOf(conn).writeBuffer.length
}

/** Sets the size of the largest message that is accepted. */
export function limitMessages(conn: Conn, bytes: number): void {
  const { transport } = insidesOf(conn)
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  const receiver = transport.socket?._receiver
  // oxlint-disable-next-line no-underscore-dangle
  if (receiver) receiver._maxPayload = bytes
  else if (!transport.socket) transport.maxHttpBufferSize = bytes
}

/** Length of the mask in the head of a frame, and of the text passed on by {@link onTooLargeMessage}, in bytes. */
const maskBytes = 4
const startBytes = 1000

/**
 * Calls `refuse` before ws closes a connection for a message over the size limit, with the text that the message starts with:
 * its first kilobyte or what has arrived of it.
 */
export function onTooLargeMessage(conn: Conn, refuse: (socket: WebSocket, start: string) => void): void {
  const { socket } = insidesOf(conn).transport
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  const receiver = socket?._receiver
  receiver?.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') refuse(socket!, startOf(receiver))
  })
}

/** Returns the start of a message of which ws has read no more than the length of the last frame. */
function startOf({ _buffers: unread, _fragments: fragments }: Receiver): string {
  if (fragments[0]) return fragments[0].toString('utf8', 0, startBytes)
  const masked = Buffer.concat(unread).subarray(0, maskBytes + startBytes)
  const mask = masked.subarray(0, maskBytes)
  return Buffer.from(masked.subarray(maskBytes).map((byte, at) => byte ^ mask[at % maskBytes]!)).toString()
}

/** Wraps the parser of polling payloads. */
export function decodePayloadsBy(conn: Conn, wrap: (parser: PayloadParser) => PayloadParser): void {
  const { transport } = insidesOf(conn)
  transport.parser = wrap(transport.parser)
}

/** Sets the time in milliseconds in which a poll has to fetch the close message. */
export function bePolledWithin(conn: Conn, ms: number): void {
  insidesOf(conn).transport.closeTimeout = ms
}

/** Restarts the heartbeat timeout of the client. */
export function refreshHeartbeat(conn: Conn): void {
  insidesOf(conn).pingTimeoutTimer?.refresh()
}

/** Returns the parsed query of a request, and caches it where Engine.IO looks for it. */
export function queryOf(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const known = request as IncomingMessage & { _query?: Record<string, string> }
  // oxlint-disable-next-line no-underscore-dangle -- what Engine.IO calls it
  return (known._query ??= Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams)
  ))
}

/** Returns the response to a request; `undefined` for WebSocket upgrades. */
export function responseTo(request: IncomingMessage): ServerResponse | undefined {
  return (request as { readonly res?: ServerResponse }).res
}

/** Returns the decoder of a socket's connection. */
export function decoderOf(socket: Socket): WaitingDecoder {
  return (socket as unknown as { client: { decoder: WaitingDecoder } }).client.decoder
}

function insidesOf(conn: Conn): Insides {
  return conn as unknown as Insides
}
