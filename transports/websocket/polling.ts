/** Limits of polling requests: the size of their bodies and the number of packets in one. */
import type { IncomingMessage } from 'node:http'
import type { Packet, PayloadParser } from './insides.js'

/** Maximum number of packets in one request, since each costs more than its bytes. */
const maxPackets = 10_000
/** The separator of packets in protocol 4. */
const separator = '\u001e'
/** Maximum number of digits of the length before each packet in protocol 3. */
const maxDigits = 10
/** Limit for the binary format of protocol 3, which is expensive to parse, and of no use for calls. */
const binaryBytes = 64 * 1024

const broken: Packet = { type: 'error', data: 'parser error' }

/** Returns a parser that treats payloads with too many packets as malformed. */
export function inBounds(parser: PayloadParser): PayloadParser {
  return Object.assign(Object.create(parser) as PayloadParser, {
    decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void) {
      if (!take) return hasTooMany(String(data)) ? [broken] : parser.decodePayload(data)
      if (typeof data === 'string' && !isInPackets(data)) return void take(broken)
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

/**
 * Whether a payload of protocol 3, `4:6abc2:40`, has few packets, with short lengths. The parser puts lengths together digit by
 * digit, and passes over empty packets without telling.
 */
function isInPackets(payload: string): boolean {
  for (let at = 0, count = 1; at < payload.length; count++) {
    const colon = payload.indexOf(':', at)
    if (colon < 0 || colon - at > maxDigits || count > maxPackets) return false
    at = colon + 1 + Number(payload.slice(at, colon))
  }
  return true
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
