/** The service's ordinary API, as any client calls it; always on the page's own origin. */

/** The root of the service: the pages lie one folder below it. */
const root = new URL('../', location.href)

/** An answer that says no. `id` is that of the API, or `offline` when there was no answer. */
export class Refusal extends Error {
  constructor(
    readonly id: string,
    message: string,
    readonly data?: unknown,
    /** Seconds after which another attempt makes sense. */
    readonly retryAfter?: number
  ) {
    super(message)
    this.name = 'Refusal'
  }
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
  }).catch(() => {
    throw new Refusal('offline', '')
  })
  // A proposal may hold an `error` too; a challenge comes with 302, a refused request with 403.
  const answer = (await response.json().catch(() => ({}))) as T & { error?: Record<string, unknown> }
  if (response.ok || (answer.error === undefined && 'meta' in answer)) return answer
  const { id, message, data } = answer.error ?? {}
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0)
  throw new Refusal(
    typeof id === 'string' ? id : 'unexpected-error',
    typeof message === 'string' ? message : '',
    data,
    ...(retryAfter > 0 ? [retryAfter] : [])
  )
}

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
}

export async function readServiceInfo(): Promise<ServiceInfo> {
  return await call<ServiceInfo>('GET', 'service/info')
}

/** The user name for what somebody signs in with; an e-mail address that nobody has is not found out here. */
export async function usernameOf(given: string): Promise<string> {
  const name = given.trim()
  if (!name.includes('@')) return name.toLowerCase()
  try {
    return (await call<{ username: string }>('GET', `reg/${encodeURIComponent(name)}/username`)).username
  } catch (error) {
    if (error instanceof Refusal && error.id === 'unknown-resource')
      throw new Refusal('invalid-credentials', error.message)
    throw error
  }
}

/** Ends a session, if that can be; nobody waits for it. */
export function signOut(session: Session): void {
  callAs(session, 'POST', 'auth/logout', {}).catch(() => undefined)
}
