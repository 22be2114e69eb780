/**
 * Determines the client's address: that of the socket, unless a trusted proxy names another.
 * (docs/spec/conventions.md#client-addresses)
 */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { parseIpRange, type IpRange } from '../../../core/ip-range.js'
import { isLoopback } from '../../../core/security/network.js'

/** Returns a function that returns the client address of a request. `proxies`: addresses or CIDR ranges of trusted proxies. */
export function createClientAddressReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  const ranges = proxies.map(parseIpRange)
  return request => {
    const socket = toPlainAddress(request.socket.remoteAddress ?? '')
    const forwarded = request.headers['x-forwarded-for']
    if (ranges.length === 0 || forwarded === undefined || !isIn(ranges, socket)) return socket
    return findFirstUntrusted(ranges, socket, String(forwarded))
  }
}

/**
 * Returns a function that returns whether an address is shared by any number of clients, like those of this machine and of
 * trusted proxies.
 */
export function createSharedAddressCheck(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.map(parseIpRange)
  return address => isLoopback(address) || isIn(ranges, address)
}

/** Maximum length of an address, including spaces, and maximum number of proxies between client and service. */
const maxAddressLength = 60
const maxHops = 100

/**
 * Returns the client's address: the first address from the right that is not a trusted proxy. Each proxy appends the
 * address from which it received the request.
 */
function findFirstUntrusted(ranges: readonly IpRange[], socket: string, forwarded: string): string {
  let client = socket
  let end = forwarded.length
  for (let hops = 0; hops < maxHops && end > 0; hops++) {
    const comma = forwarded.lastIndexOf(',', end - 1)
    const hop = forwarded.slice(comma + 1, end)
    if (hop.length > maxAddressLength) break
    const address = toPlainAddress(removePort(hop.trim()))
    if (!ipaddr.isValid(address)) break
    client = address
    if (!isIn(ranges, address)) break
    end = comma
  }
  return client
}

/** Returns an address without the port and the brackets with which some proxies write it: `1.2.3.4:56789`, `[2001:db8::1]:443`. */
function removePort(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d+|\[([^\]]*)\](?::\d+)?)$/.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

function isIn(ranges: readonly IpRange[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/**
 * Returns the IPv4 address that an IPv6 address maps: `127.0.0.1` for `::ffff:127.0.0.1`; other addresses unchanged.
 */
function toPlainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
