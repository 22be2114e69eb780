/** The service's ordinary API, as any client calls it; always on the page's own origin. */

/** The root of the service: the pages lie one folder below it. */
const root = new URL('../', location.href)

/** An answer that says no. `id` is that of the API, or `offline` when there was no answer. */
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
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter?: number
  /** Further errors within it. */
  readonly subErrors?: readonly unknown[]
}

/** Somebody who has signed in. It lives as long as the page does and is written down nowhere. */
export interface Session {
  readonly username: string
  readonly token: string
  /** Whether signing in took more than a password. */
  readonly hasSecondStep: boolean
}

interface Sent {
  readonly token?: string
  readonly body?: object
}

/** Calls a route by its path below the root. Rejects with a {@link Refusal}. */
export async function call<T>(verb: string, path: string, { token, body }: Sent = {}): Promise<T> {
  const response = await fetch(new URL(path, root), {
    method: verb,
    credentials: 'omit',
    headers: {
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(token ? { Authorization: token } : {})
    },
    ...(body ? { body: JSON.stringify(body) } : {})
  }).catch(async () => {
    throw await unanswered(path)
  })
  // A proposal may hold an `error` too; a challenge comes with 302, a refused request with 403.
  const answer = (await response.json().catch(() => ({}))) as T & { error?: Record<string, unknown> }
  if (response.ok || (answer.error === undefined && 'meta' in answer)) return answer
  const { id, message, data, subErrors } = answer.error ?? {}
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0)
  throw new Refusal(
    typeof id === 'string' ? id : 'unexpected-error',
    typeof message === 'string' ? message : '',
    data,
    { ...(retryAfter > 0 ? { retryAfter } : {}), ...(Array.isArray(subErrors) ? { subErrors } : {}) }
  )
}

/**
 * Why a call got no answer: nobody can be reached, or the account has moved. Browsers then follow to its new place by
 * themselves, which these pages may not talk to; so it is asked for. (docs/spec/administration.md#relocation)
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

/** First segments of paths that belong to nobody's account. */
const servicePaths: ReadonlySet<string> = new Set(['reg', 'service'])

/** Calls a route below the root of whoever has signed in. */
export async function callAs<T>(session: Session, verb: string, path: string, body?: object): Promise<T> {
  return await call<T>(verb, `${session.username}/${path}`, {
    token: session.token,
    ...(body ? { body } : {})
  })
}

/** What the service says about itself. */
export interface ServiceInfo {
  readonly name: string
  readonly access: string
  readonly register: string
  readonly terms: string
  readonly support: string
  readonly home: string
  readonly assets: { readonly definitions: string }
}

/** What the settings mean for the pages. */
export interface PageFacts {
  readonly passwordReset: 'mail' | 'operator' | 'none'
  readonly registration: 'open' | 'invited' | 'closed'
}

export async function readPageFacts(): Promise<PageFacts> {
  return await call<PageFacts>('GET', 'access/facts.json')
}

export async function readServiceInfo(): Promise<ServiceInfo> {
  return await call<ServiceInfo>('GET', 'service/info')
}

/** The user name for what somebody signs in with; what cannot be one, or is nobody's address, is not found out here. */
export async function usernameOf(given: string): Promise<string> {
  const name = given.trim()
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

/** Ends a session, if that can be; nobody waits for it. */
export function signOut(session: Session): void {
  callAs(session, 'POST', 'auth/logout', {}).catch(() => undefined)
}
