/** Checks the health of a service from outside, as a client sees it. (docs/spec/service-information.md#health) */
import { resolve4 } from 'node:dns/promises'
import { parseWebUrl } from '../../core/parse-url.js'

/** The required part of the service information. */
interface ServiceInfo {
  readonly api: string
  readonly register: string
}

/** The result of a step. `ok` is `undefined` if the step does not apply. */
interface HealthStep {
  readonly name: 'dns' | 'registration' | 'core'
  readonly ok: boolean | undefined
  readonly detail: string
}

interface HealthUser {
  readonly username: string
  /** Token of the access created by {@link prepareHealthUser}. */
  readonly token: string
}

interface NewHealthUser {
  readonly username: string
  readonly password: string
  readonly email: string
  /** App to sign in with. The app and its origin must be trusted. */
  readonly appId?: string
  readonly origin?: string
}

/** The service is unreachable, or its response is not as expected. */
class HealthError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'HealthError'
  }
}

const timeoutMs = 10_000
const accessName = 'health-check'

/**
 * Step 1, once per service: registers the user, and creates an access that may manage everything. Returns its
 * token for later checks, which does not expire. Throws {@link HealthError} if the service refuses a call or
 * cannot be reached.
 */
export async function prepareHealthUser(serviceInfoUrl: string, user: NewHealthUser): Promise<string> {
  const { username, password, email, appId = 'coffer-health', origin } = user
  const { api, register } = await fetchServiceInfo(serviceInfoUrl)
  const base = api.replace('{username}', username)
  for (const url of [base, register])
    if (!isWebUrl(url))
      throw new HealthError(`${serviceInfoUrl} contains an invalid URL: ${JSON.stringify(url)}`)
  await postJson(`${register}users`, { appId, username, password, email, hosting: 'default' })
  const headers = { origin: origin ?? new URL(register).origin }
  const { token } = await postJson(`${base}auth/login`, { username, password, appId }, headers)
  const permissions = [{ streamId: '*', level: 'manage' }]
  const { access } = await postJson(
    `${base}accesses`,
    { name: accessName, permissions },
    { authorization: String(token) }
  )
  return (access as { token: string }).token
}

/**
 * Steps 2 to 4. Never rejects: an unreachable service fails the steps. `resolve` resolves a host name to
 * addresses. `ok` is `undefined` for a step that does not apply.
 */
export async function checkHealth(
  serviceInfoUrl: string,
  { username, token }: HealthUser,
  resolve: (host: string) => Promise<readonly string[]> = resolve4
): Promise<HealthStep[]> {
  let info: ServiceInfo
  try {
    info = await fetchServiceInfo(serviceInfoUrl)
  } catch (error) {
    const detail = getMessage(error)
    return (['dns', 'registration', 'core'] as const).map(name => ({ name, ok: false, detail }))
  }
  const base = info.api.replace('{username}', username)
  return [
    await runStep('dns', async () => {
      if (!info.api.split('/')[2]?.includes('{username}'))
        return { ok: undefined, detail: 'usernames are in the path' }
      const addresses = await resolve(new URL(base).hostname)
      return { ok: addresses.length > 0, detail: addresses.join(', ') }
    }),
    await runStep('registration', async () => {
      const response = await sendRequest(`${info.register}${username}/check_username`)
      const { reserved } = (await response.json()) as { reserved?: unknown }
      // The user exists, so 409 with `reserved` is a healthy response too. (docs/spec/registration.md#checking-a-user-name)
      const ok = response.status === 200 || (response.status === 409 && reserved === true)
      return { ok, detail: `HTTP ${response.status}` }
    }),
    await runStep('core', async () => {
      const { status } = await sendRequest(`${base}events?limit=1`, { headers: { authorization: token } })
      return { ok: status === 200, detail: `HTTP ${status}` }
    })
  ]
}

async function runStep(
  name: HealthStep['name'],
  work: () => Promise<Omit<HealthStep, 'name'>>
): Promise<HealthStep> {
  try {
    return { name, ...(await work()) }
  } catch (error) {
    return { name, ok: false, detail: getMessage(error) }
  }
}

async function fetchServiceInfo(url: string): Promise<ServiceInfo> {
  const { api, register } = (await parseResponse(await sendRequest(url), url)) as Partial<ServiceInfo>
  if (typeof api !== 'string' || typeof register !== 'string')
    throw new HealthError(`${url} returned no service information. Pass the URL that ends in /service/info`)
  return { api, register }
}

/** Posts JSON and returns the response. Throws `HealthError` for an error of the service. */
async function postJson(
  url: string,
  body: object,
  headers: Record<string, string> = {}
): Promise<Record<string, unknown>> {
  const response = await sendRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })
  const answer = await parseResponse(response, url)
  if (!response.ok)
    throw new HealthError(
      `${url} responded with ${response.status}: ${JSON.stringify(answer['error'] ?? answer)}`
    )
  return answer
}

async function sendRequest(url: string, init: RequestInit = {}): Promise<Response> {
  if (!isWebUrl(url)) throw new HealthError(`${JSON.stringify(url)} is not an http or https URL`)
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
  } catch (error) {
    throw new HealthError(`${url} is unreachable: ${getMessage(error)}`)
  }
}

/** Parses the JSON object in a response. */
async function parseResponse(response: Response, url: string): Promise<Record<string, unknown>> {
  const value = await response.json().catch(() => undefined)
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new HealthError(
    `${url} responded with ${response.status} without a JSON object. Check that it is a Coffer service`
  )
}

function isWebUrl(url: string): boolean {
  return parseWebUrl(url) !== undefined
}

function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
