/** Goes to a provider of identities, and knows what one has come back with. (docs/spec/identities.md#redirects) */
import { root } from '../../api.js'

/** What this page keeps while one is away: only it can use what the provider says. */
interface Begun {
  readonly secret: string
  /** The fragment of the page, such as an invitation. */
  readonly hash: string
  /** Whether an identity is to be linked with an account that is open. */
  readonly isLink: boolean
}

/** What one has come back with: a ticket, or what went wrong. */
export type Returned = { readonly isLink: boolean } & (
  | { readonly ticket: string; readonly secret: string }
  | { readonly problem: string; readonly provider: string }
)

const key = 'coffer-identity'
/** Longest address that the service takes back. */
const longestPage = 1000

/** Goes to a provider. `secret`: of the session that links, if one does. */
export function goTo(provider: string, secret?: string): void {
  const begun: Begun = { secret: secret ?? newSecret(), hash: location.hash, isLink: secret !== undefined }
  sessionStorage.setItem(key, JSON.stringify(begun))
  const page = location.href.slice(root.href.length).replace(/#.*$/s, '')
  const url = new URL(`auth/oidc/${provider}/start`, root)
  url.searchParams.set('secret', begun.secret)
  url.searchParams.set('page', page.length > longestPage ? page.replace(/\?.*$/s, '') : page)
  location.assign(url)
}

/** Returns what one has come back with, once: to sign in, or to link. */
export function takeReturned(isLink: boolean): Returned | undefined {
  if (returned?.isLink !== isLink) return undefined
  const taken = returned
  returned = undefined
  return taken
}

let returned = read()

/** Reads the fragment, and puts the former one in its place: a ticket stays in no history. */
function read(): Returned | undefined {
  const said = new URLSearchParams(location.hash.slice(1))
  const [ticket, problem] = [said.get('identity'), said.get('identity-problem')]
  if (ticket === null && problem === null) return undefined
  const begun = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Begun | null
  sessionStorage.removeItem(key)
  history.replaceState(history.state, '', location.pathname + location.search + (begun?.hash ?? ''))
  const isLink = begun?.isLink === true
  const provider = said.get('provider') ?? ''
  if (problem !== null) return { problem, provider, isLink }
  // Begun in another window, or by somebody else.
  if (!begun || ticket === null) return { problem: 'expired', provider, isLink }
  return { ticket, secret: begun.secret, isLink }
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
