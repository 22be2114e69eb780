/** Limits of polling requests: the size of their bodies, and the number of packets in a body. */
import type { IncomingMessage } from 'node:http'
import type { Packet, PayloadParser } from './internals.js'

/** Maximum number of packets in one request, since each costs more than its bytes. */
const maxPackets = 10_000
/** The separator of packets in protocol 4. */
const separator = '\u001e'
/** Maximum number of digits of the length before each packet in protocol 3. */
const maxDigits = 10
/** Limit for the binary format of protocol 3, which is expensive to parse, and useless for calls. */
const maxBinaryBytes = 64 * 1024

const malformed: Packet = { type: 'error', data: 'parser error' }

/** Returns a parser that treats payloads with too many packets as malformed. */
export function limitPackets(parser: PayloadParser): PayloadParser {
  return Object.assign(Object.create(parser) as PayloadParser, {
    decodePayload(data: string | Buffer, take?: (packet: Packet) => boolean | void) {
      if (!take) return hasTooManyPackets(String(data)) ? [malformed] : parser.decodePayload(data)
      if (typeof data === 'string' && !hasValidLengths(data)) return void take(malformed)
      let count = 0
      return parser.decodePayload(data, packet => {
        if (++count > maxPackets) return false
        return take(count === maxPackets ? malformed : packet)
      })
    }
  } satisfies PayloadParser)
}

function hasTooManyPackets(payload: string): boolean {
  let count = 1
  for (let index = payload.indexOf(separator); index >= 0; index = payload.indexOf(separator, index + 1))
    if (++count > maxPackets) return true
  return false
}

/**
 * Returns whether a payload of protocol 3, such as `4:6abc2:40`, has few packets with short lengths. The parser concatenates
 * lengths digit by digit, and skips empty packets silently.
 */
function hasValidLengths(payload: string): boolean {
  for (let index = 0, count = 1; index < payload.length; count++) {
    const colon = payload.indexOf(':', index)
    if (colon < 0 || colon - index > maxDigits || count > maxPackets) return false
    index = colon + 1 + Number(payload.slice(index, colon))
  }
  return true
}

/** Returns the announced length of a body; infinite if the request announces none. */
export function getAnnouncedBytes({ headers }: IncomingMessage): number {
  const length = headers['content-length']
  return length === undefined ? (headers['transfer-encoding'] === undefined ? 0 : Infinity) : Number(length)
}

/** Returns the size of the largest body that is accepted, given the limit for messages. */
export function getMaxBodyBytes({ headers }: IncomingMessage, limit: number): number {
  return headers['content-type'] === 'application/octet-stream' ? Math.min(maxBinaryBytes, limit) : limit
}
