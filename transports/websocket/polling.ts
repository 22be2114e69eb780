/** Requests that carry the messages of a connection: how large they may be, and how many messages may be in one. */
import type { IncomingMessage } from 'node:http'
import type { Packet, PayloadParser } from './insides.js'

/** Packets in one request, each of which costs more than its bytes. */
const packetsAtOnce = 10_000
/** Between packets, in protocol 4. */
const separator = '\u001e'
/** What protocol 3 has for binary data is dear to read, and has no place in calls. */
const binaryBytes = 64 * 1024

const broken: Packet = { type: 'error', data: 'parser error' }

/** A parser that takes no more than so many packets at once; what has more is malformed. */
export function inBounds(parser: PayloadParser): PayloadParser {
  return Object.assign(Object.create(parser) as PayloadParser, {
    decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void) {
      if (!take) return hasTooMany(String(data)) ? [broken] : parser.decodePayload(data)
      let count = 0
      return parser.decodePayload(data, packet => {
        if (++count > packetsAtOnce) return false
        return take(count === packetsAtOnce ? broken : packet)
      })
    }
  } satisfies PayloadParser)
}

function hasTooMany(payload: string): boolean {
  let count = 1
  for (let at = payload.indexOf(separator); at >= 0; at = payload.indexOf(separator, at + 1))
    if (++count > packetsAtOnce) return true
  return false
}

/** Bytes that a request announces; infinite if it does not. */
export function announcedBytes({ headers }: IncomingMessage): number {
  const length = headers['content-length']
  return length === undefined ? (headers['transfer-encoding'] === undefined ? 0 : Infinity) : Number(length)
}

/** The size of the largest body that a request may have, where messages have a limit. */
export function largestBody({ headers }: IncomingMessage, limit: number): number {
  return headers['content-type'] === 'application/octet-stream' ? Math.min(binaryBytes, limit) : limit
}
