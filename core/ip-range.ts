/** Ranges of addresses, as settings name them. */
import ipaddr from 'ipaddr.js'

/** The first address of a range, and how many of its bits all the others have in common. */
export type IpRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The range of `10.0.0.0/8`, or of a single address. Throws on anything else. */
export function rangeOf(text: string): IpRange {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
