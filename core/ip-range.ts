/** Parses ranges of IP addresses in settings. */
import ipaddr from 'ipaddr.js'

/** The first address of a range, and the length of its prefix in bits. */
export type IpRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The range of `10.0.0.0/8`, or of a single address. Throws on anything else. */
export function parseIpRange(text: string): IpRange {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
