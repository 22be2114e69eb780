/** A client of the service's public API, always on the page's own origin. */

/** The URL of this script, which lies two folders below the root of the service. */
const here = import.meta.url
/** The root URL of the service. */
export const root = new URL('../../', here)

/** An error response. `id` is the API's, or `offline` if there was no response. */
export class Refusal extends Error {
  constructor(
    readonly id: string,
    message: string,
    readonly data?: unknown,
    readonly more: More = {}
  ) {
    super(message)
    this.name = 'Refusal'
  }
}

interface More {
  /** Seconds to wait before another attempt. */
  readonly retryAfter?: number
  /** Nested errors. */
  readonly subErrors?: readonly unknown[]
}

/** A signed-in user. */
export interface Session {
  readonly username: string
  /** Kept in memory only, for as long as the page is open. Missing if the session is {@link keepSession kept} in a cookie. */
  readonly token?: string
  /** Whether signing in took a second factor. */
  readonly hasSecondStep: boolean
}

interface Sent {
  readonly token?: string
  readonly body?: object
}

let isSessionKept = false

/**
 * From now on, signing in sets a cookie that survives a reload and that no script can read, instead of returning a token.
 * (docs/spec/authentication.md#sessions-of-pages)
 */
export function keepSession(): void {
  isSessionKept = true
}

/** Whether signing in sets a cookie. */
export function keepsSession(): boolean {
  return isSessionKept
}

/** Calls a route by its path below the root. Rejects with a {@link Refusal}. */
export async function call<T>(verb: string, path: string, { token, body }: Sent = {}): Promise<T> {
  const response = await send(verb, path, {
    headers: {
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(token ? { Authorization: token } : {})
    },
    ...(body ? { body: JSON.stringify(body) } : {})
  })
  return await answerIn<T>(response)
}

/** Sends a request to a path below the root, with the session if one is kept. Rejects with a {@link Refusal} if there is no response. */
export async function send(verb: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (isSessionKept) headers.set('Coffer-App', '1')
  const request = {
    ...init,
    method: verb,
    headers,
    credentials: isSessionKept ? 'same-origin' : 'omit'
  } as const
  return await fetch(new URL(path, root), request).catch(async (cause: unknown) => {
    // The caller has given up.
    if (init.signal?.aborted) throw cause
    throw await unanswered(path)
  })
}

/** Returns the JSON of a response. Rejects with a {@link Refusal} if it is an error. */
export async function answerIn<T>(response: Response): Promise<T> {
  // A successful response may contain an `error`, too; a challenge comes with 302, a refused request with 403.
  const answer = (await response.json().catch(() => ({}))) as T & { error?: ErrorBody }
  if (response.ok || (answer.error === undefined && 'meta' in answer)) return answer
  throw refusalOf(answer.error, Number(response.headers.get('Retry-After') ?? 0))
}

/** The `error` of an answer. */
export type ErrorBody = Readonly<Record<string, unknown>>

/** Returns what an error in an answer says. */
export function refusalOf({ id, message, data, subErrors }: ErrorBody = {}, retryAfter = 0): Refusal {
  return new Refusal(
    typeof id === 'string' ? id : 'unexpected-error',
    typeof message === 'string' ? message : '',
    data,
    { ...(retryAfter > 0 ? { retryAfter } : {}), ...(Array.isArray(subErrors) ? { subErrors } : {}) }
  )
}

/**
 * Finds out why a call got no response: either the service cannot be reached, or the account has moved. In that case
 * browsers follow the redirect to another origin, which these pages may not call, so ask the registration service
 * instead. (docs/spec/administration.md#relocation)
 */
async function unanswered(path: string): Promise<Refusal> {
  const [owner = ''] = path.split('/')
  const offline = new Refusal('offline', '')
  if (servicePaths.has(owner)) return offline
  try {
    const { server } = await call<{ server: string }>('POST', `reg/${owner}/server`, { body: {} })
    const { assets } = await readServiceInfo()
    const isHere = [location.origin, new URL(assets.definitions).origin].includes(new URL(server).origin)
    return isHere ? offline : new Refusal('user-account-relocated', '', server)
  } catch {
    return offline
  }
}

/** First path segments that are not user names. */
const servicePaths: ReadonlySet<string> = new Set(['reg', 'service', 'access', 'app', 'www'])

/** Calls a route below the root of the signed-in user. */
export async function callAs<T>(session: Session, verb: string, path: string, body?: object): Promise<T> {
  return await call<T>(verb, `${session.username}/${path}`, {
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
}

/** The settings that matter to the pages. */
export interface PageFacts {
  readonly passwordReset: 'mail' | 'operator' | 'none'
  readonly registration: 'open' | 'invited' | 'closed'
  /** Bytes that an account may store; 0: no limit. */
  readonly quota: number
  /** Whether people can delete their accounts themselves. */
  readonly isDeletable: boolean
  /** Whether there is a map to draw places on. */
  readonly hasMap: boolean
}

export async function readPageFacts(): Promise<PageFacts> {
  return await call<PageFacts>('GET', 'access/facts.json')
}

export async function readServiceInfo(): Promise<ServiceInfo> {
  return await call<ServiceInfo>('GET', 'service/info')
}

/**
 * Returns the user name for a name or an e-mail address. Rejects with `invalid-credentials` if it cannot be a user
 * name, or no account has that address.
 */
export async function usernameOf(nameOrEmail: string): Promise<string> {
  const name = nameOrEmail.trim()
  try {
    if (name.includes('@'))
      return (await call<{ username: string }>('GET', `reg/${encodeURIComponent(name)}/username`)).username
  } catch (error) {
    if (!(error instanceof Refusal) || !/^(?:unknown-resource|invalid-)/.test(error.id)) throw error
    throw new Refusal('invalid-credentials', error.message)
  }
  if (/^[\w-]{1,60}$/.test(name)) return name.toLowerCase()
  throw new Refusal('invalid-credentials', '')
}

/** The token in an answer to signing in: none if the session is kept in a cookie. */
export function tokenOf({ token }: { readonly token?: string }): { readonly token?: string } {
  return token === undefined ? {} : { token }
}

/** Returns the session that a page has kept, with whether signing in takes a second factor; `undefined` if there is none. */
export async function readKeptSession(): Promise<Session | undefined> {
  const { session } = await call<{ session: Pick<Session, 'username'> | null }>('GET', 'app/session')
  if (!session) return undefined
  const kept = { username: session.username, hasSecondStep: false }
  const { hasSecondFactor } = await callAs<{ hasSecondFactor: boolean }>(kept, 'GET', 'sessions')
  return { ...kept, hasSecondStep: hasSecondFactor }
}

/** Ends a session in the background, ignoring errors. */
export function signOut(session: Session): void {
  callAs(session, 'POST', 'auth/logout', {}).catch(() => undefined)
}
