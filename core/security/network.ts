/** What counts as one client where things are counted by address. */
import ipaddr from 'ipaddr.js'

/** The address itself, or its network: a customer of IPv6 has a whole /64 of them. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.')
}

/** Whether it is this very machine. */
export function isLoopback(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'
}
