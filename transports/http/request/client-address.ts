/**
 * The client's address: the socket's, unless a trusted proxy names another.
 * (docs/spec/conventions.md#client-addresses)
 */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { parseIpRange, type IpRange } from '../../../core/ip-range.js'
import { isLoopback } from '../../../core/security/network.js'

/** Returns a function for the client address of a request. `proxies`: addresses or CIDR ranges. */
export function clientAddress(proxies: readonly string[]): (request: IncomingMessage) => string {
  const ranges = proxies.map(parseIpRange)
  return request => {
    const socket = plain(request.socket.remoteAddress ?? '')
    const forwarded = request.headers['x-forwarded-for']
    if (ranges.length === 0 || forwarded === undefined || !isIn(ranges, socket)) return socket
    return firstUntrusted(ranges, socket, String(forwarded))
  }
}

/**
 * Returns a function that says whether an address stands for any number of clients: this machine and trusted proxies
 * do.
 */
export function standsForMany(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.map(parseIpRange)
  return address => isLoopback(address) || isIn(ranges, address)
}

/** Maximum length of an address, including spaces, and number of proxies on the way of a request. */
const maxAddressLength = 60
const maxHops = 100

/**
 * Each proxy appends the address that it received the request from: the first one from the right that is not a
 * trusted proxy is the client.
 */
function firstUntrusted(ranges: readonly IpRange[], socket: string, forwarded: string): string {
  let client = socket
  let end = forwarded.length
  for (let hops = 0; hops < maxHops && end > 0; hops++) {
    const comma = forwarded.lastIndexOf(',', end - 1)
    const hop = forwarded.slice(comma + 1, end)
    if (hop.length > maxAddressLength) break
    const address = plain(hop.trim())
    if (!ipaddr.isValid(address)) break
    client = address
    if (!isIn(ranges, address)) break
    end = comma
  }
  return client
}

function isIn(ranges: readonly IpRange[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/** `::ffff:127.0.0.1` is 127.0.0.1. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
