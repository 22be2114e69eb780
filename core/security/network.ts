/** Groups IP addresses into clients, for limits by address. */
import ipaddr from 'ipaddr.js'

/**
 * Returns an IPv4 address unchanged, and the network of an IPv6 address, such as `2001:db8:0:1::/64`, since customers
 * get a whole /64. For text that is not an address: `fallback`, by default the text itself.
 */
export function getNetwork(ip: string, fallback = ip): string {
  if (!ipaddr.isValid(ip)) return fallback
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  const { parts } = address as ipaddr.IPv6
  const front = parts.slice(0, 4).map(part => part.toString(16))
  return `${front.join(':')}::/64`
}

/**
 * Returns the wider network of an address, such as `192.0.2.0/24` or `2001:db8:1::/48`: what a customer's changing addresses
 * have in common. For text that is not an address, the text itself.
 */
export function getWideNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return `${address.toByteArray().slice(0, 3).join('.')}.0/24`
  const { parts } = address as ipaddr.IPv6
  const front = parts.slice(0, 3).map(part => part.toString(16))
  return `${front.join(':')}::/48`
}

/** Returns whether an address is a loopback address. */
export function isLoopback(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'
}

/** Returns whether a host name or address, as in a setting or a URL, means this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'))
}
