/** Parses ranges of IP addresses in settings, and recognises private addresses. */
import ipaddr from 'ipaddr.js'

/** The first address of a range, and the length of its prefix in bits. */
export type IpRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses a range such as `10.0.0.0/8`, or a single address. Throws on anything else. */
export function parseIpRange(text: string): IpRange {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal'])

/**
 * Returns whether an address is of this machine or of a private network; false for texts that are no address.
 */
export function isPrivate(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range())
}
