/** What Engine.IO and ws have, and do not show. Looked at here and nowhere else: another version may call it otherwise. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket as Line } from 'node:net'
import type { Socket } from 'socket.io'
import type { WebSocket } from 'ws'
import type { WaitingDecoder } from './decoder.js'

/** A connection of Engine.IO: what lies below all namespaces of a client. */
export type Conn = Socket['conn']

export interface Packet {
  readonly type: string
  /** An empty message has none. */
  readonly data?: string | Buffer | ArrayBuffer
}

/** Characters of a packet, or bytes. */
export function sizeOf({ data }: Packet): number {
  if (data === undefined) return 0
  return typeof data === 'string' ? data.length : data.byteLength
}

/** What decodes the packets of a payload. */
export interface PayloadParser {
  decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void): Packet[] | void
}

interface Insides {
  readonly id: string
  readonly transport: {
    readonly socket?: WebSocket & {
      readonly _socket?: Line | null
      readonly _receiver?: { _maxPayload: number } | null
    }
    readonly res?: ServerResponse | null
    maxHttpBufferSize?: number
    closeTimeout?: number
    parser: PayloadParser
  }
  readonly writeBuffer: readonly Packet[]
  readonly pingTimeoutTimer: NodeJS.Timeout | null
}

/** Node's own: how much it has given to the system, and how much of that has not been taken. */
type LineInsides = Line & {
  readonly _bytesDispatched: number
  readonly _handle?: { readonly writeQueueSize: number } | null
}

export function idOf(conn: Conn): string {
  return insidesOf(conn).id
}

/** The WebSocket that a connection goes over, unless requests carry it that poll. */
export function webSocketOf(conn: Conn): WebSocket | undefined {
  return insidesOf(conn).transport.socket
}

/** The answer that the next messages go into, where requests poll. */
export function responseOf(conn: Conn): ServerResponse | undefined {
  return insidesOf(conn).transport.res ?? undefined
}

/** The WebSocket that a client tries out, to go over to it. */
export function triedOut(transport: unknown): WebSocket | undefined {
  return (transport as Insides['transport']).socket
}

/** The line below a WebSocket. */
export function lineOf(conn: Conn): Line | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  return insidesOf(conn).transport.socket?._socket ?? undefined
}

/** Bytes that the system has taken of what went to a WebSocket: of a long message, a part. */
export function bytesTaken(conn: Conn): number {
  const line = lineOf(conn) as LineInsides | undefined
  // oxlint-disable-next-line no-underscore-dangle -- what Node calls it
  return line ? line._bytesDispatched - (line._handle?.writeQueueSize ?? 0) : 0
}

/** Messages that the carrier has not been given yet. */
export function messagesWaiting(conn: Conn): number {
  return insidesOf(conn).writeBuffer.length
}

/** Sets the size of the largest message that is read. */
export function limitMessages(conn: Conn, bytes: number): void {
  const { transport } = insidesOf(conn)
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  const receiver = transport.socket?._receiver
  // oxlint-disable-next-line no-underscore-dangle
  if (receiver) receiver._maxPayload = bytes
  else if (!transport.socket) transport.maxHttpBufferSize = bytes
}

/** Has the payloads of requests that poll decoded by something else. */
export function decodePayloadsBy(conn: Conn, wrap: (parser: PayloadParser) => PayloadParser): void {
  const { transport } = insidesOf(conn)
  transport.parser = wrap(transport.parser)
}

/** Sets the time, in milliseconds, in which a request has to fetch the news that the connection ends. */
export function bePolledWithin(conn: Conn, ms: number): void {
  insidesOf(conn).transport.closeTimeout = ms
}

/** Begins the time again in which the client has to show that it is there. */
export function refreshHeartbeat(conn: Conn): void {
  insidesOf(conn).pingTimeoutTimer?.refresh()
}

/** The query of a request: what Engine.IO makes of it, too, since it takes the one that is there. */
export function queryOf(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const known = request as IncomingMessage & { _query?: Record<string, string> }
  // oxlint-disable-next-line no-underscore-dangle -- what Engine.IO calls it
  return (known._query ??= Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams)
  ))
}

/** The answer to a request, unless it asks for a WebSocket. */
export function responseTo(request: IncomingMessage): ServerResponse | undefined {
  return (request as { readonly res?: ServerResponse }).res
}

/** Characters that have come for a socket's connection, and are not decoded. */
export function undecodedOf(socket: Socket): number {
  return (socket as unknown as { client: { decoder: WaitingDecoder } }).client.decoder.undecoded
}

function insidesOf(conn: Conn): Insides {
  return conn as unknown as Insides
}
