/** Connections to public addresses only: a name can resolve to an internal one. (docs/spec/notifications.md#delivery) */
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'

/** Thrown if the address to call is internal. */
export class InternalAddress extends Error {}

/**
 * Returns whether an address is not public: loopback, private, link-local, multicast, reserved and so on, or
 * no address at all. IPv6 addresses that embed an IPv4 address count as internal, as a gateway might route
 * them to an internal host.
 */
export function isInternal(address: string): boolean {
  if (!ipaddr.isValid(address)) return true
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return true
  return parsed instanceof ipaddr.IPv6 && !isGlobal(parsed)
}

const [globalUnicast, documentation] = [ipaddr.parseCIDR('2000::/3'), ipaddr.parseCIDR('3fff::/20')]

/** Returns whether an address is globally assigned, and not an ISATAP address of an internal IPv4 host. */
function isGlobal(address: ipaddr.IPv6): boolean {
  if (!address.match(globalUnicast) || address.match(documentation)) return false
  const [, , , , flags = 0, mark, high = 0, low = 0] = address.parts
  const isIsatap = mark === 0x5efe && (flags & 0xfcff) === 0
  return !isIsatap || !isInternal([high >> 8, high & 255, low >> 8, low & 255].join('.'))
}

/**
 * Creates a connector that checks every address before connecting: the addresses to which a name resolves, and literal
 * addresses, which are never looked up.
 */
export async function createGuardedConnector(
  timeoutMs: number,
  isRefused: (address: string) => boolean
): Promise<buildConnector.connector> {
  const { buildConnector } = await import('undici')
  const connect = buildConnector({ timeout: timeoutMs, lookup: createLookup(isRefused) })
  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (ipaddr.isValid(host) && isRefused(host)) return done(new InternalAddress(), null)
    connect(options, done)
  }
}

type LookedUp = (error: Error | null, address: string | LookupAddress[], family?: number) => void

type LookUp = (host: string, options: LookupOptions, done: LookedUp) => void

/** Returns a look-up of names that fails if an address is refused. */
function createLookup(isRefused: (address: string) => boolean): LookUp {
  return (host, options, done) =>
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const [first] = addresses
      // A single refused address is enough, since any of them may be used.
      if (!first || addresses.some(({ address }) => isRefused(address)))
        return done(new InternalAddress(), '')
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
}
