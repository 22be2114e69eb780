/** Redirects to an identity provider, and reads the result when the user returns. (docs/spec/identities.md#redirects) */
import { root } from '../../api.js'

/** State kept during the redirect. Only this page can use the provider's result. */
interface RedirectState {
  readonly secret: string
  /** The fragment of the page, such as an invitation. */
  readonly hash: string
  /** Whether the identity will be linked to the signed-in account. */
  readonly isLink: boolean
}

/** The result of a redirect: a ticket, or a problem. */
export type RedirectResult = { readonly isLink: boolean } & (
  | { readonly ticket: string; readonly secret: string }
  | { readonly problem: string; readonly provider: string }
)

const key = 'coffer-identity'
/** Maximum length of a return URL that the service accepts. */
const maxPageLength = 1000

/**
 * Redirects to a provider, and remembers in this tab what is needed on return. `secret`: the secret of the
 * session to which the identity will be linked, if any.
 */
export function redirectToProvider(provider: string, secret?: string): void {
  const redirectState: RedirectState = {
    secret: secret ?? createSecret(),
    hash: location.hash,
    isLink: secret !== undefined
  }
  sessionStorage.setItem(key, JSON.stringify(redirectState))
  const page = location.href.slice(root.href.length).replace(/#.*$/s, '')
  const url = new URL(`auth/oidc/${provider}/start`, root)
  url.searchParams.set('secret', redirectState.secret)
  url.searchParams.set('page', page.length > maxPageLength ? page.replace(/\?.*$/s, '') : page)
  location.assign(url)
}

/**
 * Returns the result of a redirect once: for signing in, or with `isLink` for linking. Undefined if there is
 * none, or if it has been taken.
 */
export function takeRedirectResult(isLink: boolean): RedirectResult | undefined {
  if (redirectResult?.isLink !== isLink) return undefined
  const taken = redirectResult
  redirectResult = undefined
  return taken
}

let redirectResult = readResult()

/**
 * Reads the result from the fragment, and restores the previous fragment, so that no ticket stays in the
 * history. Undefined if the page was opened otherwise.
 */
function readResult(): RedirectResult | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [ticket, problem] = [fragment.get('identity'), fragment.get('identity-problem')]
  if (ticket === null && problem === null) return undefined
  const redirectState = JSON.parse(sessionStorage.getItem(key) ?? 'null') as RedirectState | null
  sessionStorage.removeItem(key)
  history.replaceState(history.state, '', location.pathname + location.search + (redirectState?.hash ?? ''))
  const isLink = redirectState?.isLink === true
  const provider = fragment.get('provider') ?? ''
  if (problem !== null) return { problem, provider, isLink }
  // Started in another window, or by another user.
  if (!redirectState || ticket === null) return { problem: 'expired', provider, isLink }
  return { ticket, secret: redirectState.secret, isLink }
}

function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
