/** A client of the service's public API, always on the page's own origin. */

import { CofferError as Refusal } from '../client/src/errors.js'
import { readResponse, Http, type Sent as HttpSent } from '../client/src/http.js'

export { readResponse }

/** URL of this script, two folders below the root of the service. */
const here = import.meta.url
/** The root URL of the service. */
export const root = new URL('../../', here)

/** An error response. `id` is the API's, or `offline` if there was no response. */
export { CofferError as Refusal } from '../client/src/errors.js'

/** A signed-in user. */
export interface Session {
  readonly username: string
  /** Kept in memory only, until the page is closed. Missing if the session is {@link keepSession kept} in a cookie. */
  readonly token?: string
  /** Time of the scheduled deletion of the account, in seconds: the user can only cancel it. */
  readonly deletion?: number
}

interface Sent {
  readonly token?: string
  readonly body?: object
}

let isSessionKept = false

/**
 * Makes subsequent sign-ins set a cookie, which survives a reload and which no script can read, instead of returning a token.
 * (docs/spec/authentication.md#sessions-of-pages)
 */
export function keepSession(): void {
  isSessionKept = true
}

/** Returns whether signing in sets a cookie. */
export function keepsSession(): boolean {
  return isSessionKept
}

/** Creates a client with the session, if one is kept. It never retries: pages offer that to the user. */
function createHttp(): Http {
  return new Http(root, { isPage: isSessionKept, retries: 0, timeout: 0, fetch: sendFetch })
}

/**
 * Calls a route by its path below the root. Rejects with a {@link Refusal} if the service refuses the call or
 * does not respond.
 */
export async function callRoute<T>(verb: string, path: string, { token, body }: Sent = {}): Promise<T> {
  return await createHttp().request<T>(verb, path, { token, json: body })
}

/**
 * Sends a request to a path below the root, with the session if one is kept. Also resolves with responses
 * that are errors. Rejects with a {@link Refusal} if there is no response.
 */
export async function send(verb: string, path: string, sent: HttpSent = {}): Promise<Response> {
  return await createHttp().send(verb, path, sent)
}

/**
 * Sends a request like `fetch`. Rejects with a {@link Refusal} if there is no response: the service cannot be
 * reached, or the account has moved. Rejects with the abort error if the caller has cancelled it.
 */
export async function sendFetch(url: URL, init: RequestInit): Promise<Response> {
  return await fetch(url, init).catch(async (cause: unknown) => {
    // The caller has cancelled the request.
    if (init.signal?.aborted) throw cause
    throw await explainNoResponse(url.pathname.slice(root.pathname.length))
  })
}

/**
 * Finds out why a call got no response: either the service is unreachable, or the account has moved. Browsers then follow the
 * redirect to another origin, which these pages may not call, so this asks the registration service.
 * (docs/spec/administration.md#relocation)
 */
async function explainNoResponse(path: string): Promise<Refusal> {
  const [owner = ''] = path.split('/')
  const offline = new Refusal('offline', '')
  if (servicePaths.has(owner)) return offline
  try {
    const { server } = await callRoute<{ server: string }>('POST', `reg/${owner}/server`, { body: {} })
    const { assets } = await readServiceInfo()
    const isOurs = [location.origin, new URL(assets.definitions).origin].includes(new URL(server).origin)
    return isOurs ? offline : new Refusal('user-account-relocated', '', server)
  } catch {
    return offline
  }
}

/** First path segments that are not user names. */
const servicePaths: ReadonlySet<string> = new Set([
  'reg',
  'service',
  'access',
  'app',
  'auth',
  'www',
  'socket.io'
])

/** Calls a route below the root of the signed-in user. */
export async function callAs<T>(session: Session, verb: string, path: string, body?: object): Promise<T> {
  return await callRoute<T>(verb, `${session.username}/${path}`, {
    ...(session.token === undefined ? {} : { token: session.token }),
    ...(body ? { body } : {})
  })
}

/** The service information. */
export interface ServiceInfo {
  readonly name: string
  readonly access: string
  readonly register: string
  readonly terms: string
  readonly support: string
  readonly home: string
  readonly assets: { readonly definitions: string }
  readonly features?: { readonly accessesUpdate?: boolean; readonly sharedSecrets?: boolean }
}

/** Settings that pages depend on. */
export interface PageSettings {
  /** Whether users sign in with passwords. */
  readonly hasPasswords: boolean
  /** External identity providers; `isOpen`: their users may register. */
  readonly providers: readonly { readonly name: string; readonly label: string; readonly isOpen: boolean }[]
  readonly passwordReset: 'mail' | 'operator' | 'none'
  /** Whether the service sends emails: otherwise pages must not announce any. */
  readonly sendsMail: boolean
  readonly registration: 'open' | 'invited' | 'closed'
  /** Storage limit of an account in bytes; 0: no limit. */
  readonly quota: number
  /** Whether users can delete their accounts. */
  readonly isDeletable: boolean
  /** Days during which the deletion of an account can be cancelled. */
  readonly deletionGraceDays: number
  /** Whether the operator provides a map. */
  readonly hasMap: boolean
  /** Origin of the pages on which passkeys work; `null` if there are none. */
  readonly passkeyOrigin: string | null
  /** Whether users can agree with other accounts to share data. */
  readonly hasConsent: boolean
  /** Whether users can get notifications. */
  readonly hasChannels: boolean
  /** Origins of apps that may get the API endpoint of an access that the user grants to another account. */
  readonly trustedReturnOrigins: readonly string[]
}

export async function readPageSettings(): Promise<PageSettings> {
  return await callRoute<PageSettings>('GET', 'access/facts.json')
}

export async function readServiceInfo(): Promise<ServiceInfo> {
  return await callRoute<ServiceInfo>('GET', 'service/info')
}

/**
 * Returns the username for a username or an email address, without checking that a username exists. Rejects
 * with `invalid-credentials` if it cannot be a username, or if no account has that address; with `no-email`
 * if the service does not look up addresses.
 */
export async function findUsername(nameOrEmail: string): Promise<string> {
  const name = nameOrEmail.trim()
  try {
    if (name.includes('@'))
      return (await callRoute<{ username: string }>('GET', `reg/${encodeURIComponent(name)}/username`))
        .username
  } catch (error) {
    const id = error instanceof Refusal ? error.id : ''
    if (id === 'unavailable-method') throw new Refusal('no-email', '')
    throw /^(?:unknown-resource|invalid-)/.test(id) ? new Refusal('invalid-credentials', '') : error
  }
  if (/^[\w-]{1,60}$/.test(name)) return name.toLowerCase()
  throw new Refusal('invalid-credentials', '')
}

/** Returns the members of a sign-in result that belong to a session. There is no token if the session is kept in a cookie. */
export function pickSession({
  deletion,
  token
}: Pick<Session, 'deletion' | 'token'>): Pick<Session, 'deletion' | 'token'> {
  return { ...(token !== undefined && { token }), ...(deletion !== undefined && { deletion }) }
}

/**
 * Ends a session. If it was started by an identity provider, opens the provider's page for signing out. Rejects with a
 * {@link Refusal} if the session may not have ended: then its cookie would sign in the next user of the browser.
 */
export async function signOutEverywhere(session: Session): Promise<void> {
  try {
    const { signOutUrl } = await callAs<{ signOutUrl?: string }>(session, 'POST', 'auth/logout', {})
    if (signOutUrl !== undefined) location.assign(signOutUrl)
  } catch (error) {
    // Other refusals say that it has ended already.
    if (!(error instanceof Refusal) || error.id === 'offline' || Number(error.status) >= 429) throw error
  }
}

/** Ends a session in the background, ignoring errors. */
export function signOut(session: Session): void {
  callAs(session, 'POST', 'auth/logout', {}).catch(() => undefined)
}
