/** The address of the client: the socket's, unless a proxy that the operator trusts names another. (security: guessing) */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isLoopback } from '../../core/network.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** A function that tells a request's client address. `proxies`: addresses or CIDR ranges. */
export function clientAddress(proxies: readonly string[]): (request: IncomingMessage) => string {
  const ranges = proxies.map(rangeOf)
  return request => {
    const socket = plain(request.socket.remoteAddress ?? '')
    const forwarded = request.headers['x-forwarded-for']
    if (ranges.length === 0 || forwarded === undefined || !isIn(ranges, socket)) return socket
    return furthest(ranges, socket, String(forwarded))
  }
}

/** Tells whether an address may stand for any number of clients: this machine, and proxies that the operator trusts. */
export function standsForMany(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.map(rangeOf)
  return address => isLoopback(address) || isIn(ranges, address)
}

/** The range of `10.0.0.0/8`, or of a single address. Throws on anything else. */
export function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Each proxy appends whom it heard from: the first one from the right that is no trusted proxy is the client. */
function furthest(ranges: readonly Range[], socket: string, forwarded: string): string {
  let client = socket
  for (const hop of forwarded.split(',').toReversed()) {
    const address = plain(hop.trim())
    if (!ipaddr.isValid(address)) break
    client = address
    if (!isIn(ranges, address)) break
  }
  return client
}

function isIn(ranges: readonly Range[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/** `::ffff:127.0.0.1` is 127.0.0.1. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
