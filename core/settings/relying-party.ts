/** The domain and the origin to which passkeys belong. (docs/spec/passkeys.md#domain) */
import ipaddr from 'ipaddr.js'
import type { Config } from './config.js'

/** What a passkey is bound to: browsers use it on pages of this domain only, and sign the origin of the page. */
export interface RelyingParty {
  /** The domain, in terms of WebAuthn the `rpId`. */
  readonly id: string
  /** The origin of the service's own pages, the only one from which a signature is accepted. */
  readonly origin: string
}

/**
 * Returns the domain and origin of passkeys; `undefined` if passkeys cannot be used: they are switched off, or the
 * service is reached by an address instead of a name. On a local machine passkeys belong to `localhost`, since browsers
 * support none for addresses.
 */
export function getRelyingParty({
  auth,
  publicUrl
}: Pick<Config, 'publicUrl'> & { readonly auth: Pick<Config['auth'], 'passkeys' | 'passkeyDomain'> }):
  | RelyingParty
  | undefined {
  if (!auth.passkeys || !URL.canParse(publicUrl)) return undefined
  const url = new URL(publicUrl)
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(address)) {
    if (ipaddr.process(address).range() !== 'loopback') return undefined
    url.hostname = 'localhost'
  }
  const id = auth.passkeyDomain.toLowerCase() || url.hostname
  return isWithin(url.hostname, id) ? { id, origin: url.origin } : undefined
}

/** Returns what is wrong with the domain of passkeys; `undefined` if it is valid. */
export function findPasskeyProblem(
  passkeyDomain: unknown,
  publicUrl: unknown,
  domain: unknown
): string | undefined {
  if (typeof passkeyDomain !== 'string' || passkeyDomain === '') return undefined
  const url =
    publicUrl === '' && typeof domain === 'string' && domain !== '' ? `https://${domain}` : publicUrl
  // Without a public URL, the service is used on this machine alone.
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : 'localhost'
  return isWithin(host, passkeyDomain.toLowerCase())
    ? undefined
    : `auth.passkeyDomain must be the host of publicUrl (${host}) or a parent domain`
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
