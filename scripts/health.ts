/** Tells from outside whether a service is well, as any client would see it. (service.md, Health checking procedure) */
import { resolve4 } from 'node:dns/promises'

/** What the service says about itself, as far as needed here. */
interface ServiceInfo {
  readonly api: string
  readonly register: string
}

/** One step of the procedure; `ok` is `undefined` where it doesn't apply. */
export interface HealthStep {
  readonly name: 'dns' | 'registration' | 'core'
  readonly ok: boolean | undefined
  readonly detail: string
}

export interface HealthUser {
  readonly username: string
  /** Token of the access that {@link prepareHealthUser} made. */
  readonly token: string
}

export interface NewHealthUser {
  readonly username: string
  readonly password: string
  readonly email: string
  /** The app in whose name it signs in: it has to be trusted, and so has the origin. */
  readonly appId?: string
  readonly origin?: string
}

const timeoutMs = 10_000
const accessName = 'health-check'

/** Step 1, once per service: makes the user and answers the token for the checks, which does not expire. */
export async function prepareHealthUser(serviceInfoUrl: string, user: NewHealthUser): Promise<string> {
  const { username, password, email, appId = 'coffer-health', origin } = user
  const { api, register } = await serviceInfo(serviceInfoUrl)
  const base = api.replace('{username}', username)
  await post(`${register}users`, { appId, username, password, email, hosting: 'default' })
  const headers = { origin: origin ?? new URL(register).origin }
  const { token } = await post(`${base}auth/login`, { username, password, appId }, headers)
  const permissions = [{ streamId: '*', level: 'manage' }]
  const { access } = await post(
    `${base}accesses`,
    { name: accessName, permissions },
    { authorization: String(token) }
  )
  return (access as { token: string }).token
}

/** Steps 2 to 4. Never rejects: what can't be reached is not well. `resolve` finds the addresses of a host. */
export async function checkHealth(
  serviceInfoUrl: string,
  { username, token }: HealthUser,
  resolve: (host: string) => Promise<readonly string[]> = resolve4
): Promise<HealthStep[]> {
  let info: ServiceInfo
  try {
    info = await serviceInfo(serviceInfoUrl)
  } catch (error) {
    const detail = messageOf(error)
    return (['dns', 'registration', 'core'] as const).map(name => ({ name, ok: false, detail }))
  }
  const base = info.api.replace('{username}', username)
  return [
    await step('dns', async () => {
      if (!info.api.split('/')[2]?.includes('{username}'))
        return { ok: undefined, detail: 'user names are in the path' }
      const addresses = await resolve(new URL(base).hostname)
      return { ok: addresses.length > 0, detail: addresses.join(', ') }
    }),
    await step('registration', async () => {
      const response = await call(`${info.register}${username}/check_username`)
      const { reserved } = (await response.json()) as { reserved?: unknown }
      // The user exists: that its name is taken is as good an answer as that a name is free. (supplement 26)
      const ok = response.status === 200 || (response.status === 409 && reserved === true)
      return { ok, detail: `HTTP ${response.status}` }
    }),
    await step('core', async () => {
      const { status } = await call(`${base}events?limit=1`, { headers: { authorization: token } })
      return { ok: status === 200, detail: `HTTP ${status}` }
    })
  ]
}

async function step(
  name: HealthStep['name'],
  work: () => Promise<Omit<HealthStep, 'name'>>
): Promise<HealthStep> {
  try {
    return { name, ...(await work()) }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) }
  }
}

async function serviceInfo(url: string): Promise<ServiceInfo> {
  const response = await call(url)
  const { api, register } = (await response.json()) as Partial<ServiceInfo>
  if (typeof api !== 'string' || typeof register !== 'string')
    throw new Error(`${url} holds no service information`)
  return { api, register }
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {}
): Promise<Record<string, unknown>> {
  const response = await call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer['error'])}`)
  return answer
}

async function call(url: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
