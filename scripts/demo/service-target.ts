/** Fills an account of a running service over its API. */
import { parseWebUrl } from '../../core/parse-url.js'
import { requestService } from '../terminal/request-service.js'
import { appId } from './local-target.js'
import type { EventParams, EventWithFile } from './person/event-params.js'
import { DemoError, type CallResult, type Call, type Target } from './target.js'

/** An account of a running service. Its calls are dated with the current time. */
export class ServiceTarget implements Target {
  /** `root`: URL of the account, ending in a slash. */
  constructor(
    readonly username: string,
    private readonly root: string
  ) {}

  now(): number {
    return Date.now() / 1000
  }

  moveTo(): void {
    // The service uses its own clock.
  }

  async batch(token: string, calls: readonly Call[]): Promise<readonly CallResult[]> {
    const headers = { authorization: token, 'content-type': 'application/json' }
    const answer = await requestService(this.root, { method: 'POST', headers, body: JSON.stringify(calls) })
    return (answer as { results: CallResult[] }).results
  }

  async upload(
    token: string,
    event: EventParams,
    { bytes, name, type }: EventWithFile['file']
  ): Promise<void> {
    const form = new FormData()
    form.append('event', JSON.stringify(event))
    form.append('file', new Blob([Uint8Array.from(bytes)], { type }), name)
    await requestService(`${this.root}events`, {
      method: 'POST',
      headers: { authorization: token },
      body: form
    })
  }
}

/**
 * Signs in to the service at a URL with a password. Throws `OperatorError` if the service cannot be reached
 * or refuses the sign-in, and {@link DemoError} if the account uses two-factor authentication or the URL is
 * of another program.
 */
export async function signIn(
  url: string,
  username: string,
  password: string
): Promise<{ target: ServiceTarget; token: string }> {
  const base = parseBaseUrl(url)
  const { api } = (await requestService(`${base}/service/info`, {})) as { api?: unknown }
  if (typeof api !== 'string' || !parseWebUrl(api.replace('{username}', username)))
    throw new DemoError(`${url} is not the URL of a Coffer service`)
  const root = api.replace('{username}', username)
  const headers = { 'content-type': 'application/json', origin: new URL(base).origin }
  const body = JSON.stringify({ username, password, appId })
  const { mfaToken, token } = (await requestService(`${root}auth/login`, {
    method: 'POST',
    headers,
    body
  })) as {
    mfaToken?: string
    token?: string
  }
  if (token !== undefined) return { target: new ServiceTarget(username, root), token }
  throw new DemoError(
    mfaToken === undefined
      ? `${url} is not the URL of a Coffer service`
      : `${username} uses two-factor authentication. Choose an account without it`
  )
}

/**
 * Returns a URL without a trailing slash, query and fragment. Throws {@link DemoError} unless it is an HTTP
 * URL.
 */
export function parseBaseUrl(url: string): string {
  const address = parseWebUrl(url)
  if (address) return (address.origin + address.pathname).replace(/\/+$/, '')
  throw new DemoError(`--url must be a URL such as http://127.0.0.1:3000, not ${JSON.stringify(url)}`)
}
