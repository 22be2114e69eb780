/** Limits of polling requests: the size of their bodies and the number of packets in one. */
import type { IncomingMessage } from 'node:http'
import type { Packet, PayloadParser } from './insides.js'

/** Maximum number of packets in one request, since each costs more than its bytes. */
const maxPackets = 10_000
/** The separator of packets in protocol 4. */
const separator = '\u001e'
/** Limit for the binary format of protocol 3, which is expensive to parse, and of no use for calls. */
const binaryBytes = 64 * 1024

const broken: Packet = { type: 'error', data: 'parser error' }

/** Returns a parser that treats payloads with too many packets as malformed. */
export function inBounds(parser: PayloadParser): PayloadParser {
  return Object.assign(Object.create(parser) as PayloadParser, {
    decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void) {
      if (!take) return hasTooMany(String(data)) ? [broken] : parser.decodePayload(data)
      let count = 0
      return parser.decodePayload(data, packet => {
        if (++count > maxPackets) return false
        return take(count === maxPackets ? broken : packet)
      })
    }
  } satisfies PayloadParser)
}

function hasTooMany(payload: string): boolean {
  let count = 1
  for (let at = payload.indexOf(separator); at >= 0; at = payload.indexOf(separator, at + 1))
    if (++count > maxPackets) return true
  return false
}

/** Returns the announced length of a body; infinite if it has none. */
export function announcedBytes({ headers }: IncomingMessage): number {
  const length = headers['content-length']
  return length === undefined ? (headers['transfer-encoding'] === undefined ? 0 : Infinity) : Number(length)
}

/** Returns the size of the largest body accepted, given the limit for messages. */
export function largestBody({ headers }: IncomingMessage, limit: number): number {
  return headers['content-type'] === 'application/octet-stream' ? Math.min(binaryBytes, limit) : limit
}
