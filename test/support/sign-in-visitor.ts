/** A browser without pages: it keeps cookies, and follows redirects from the service to a provider and back. */
import { randomBytes } from 'node:crypto'
import type { Answer, Service } from './coffer.js'

/** The last page of a redirect chain, with the values in its fragment. */
export interface Arrival {
  readonly page: URL
  readonly ticket: string | undefined
  readonly problem: string | undefined
}

const mostRedirects = 12

export class SignInVisitor {
  /** Cookies by origin, then name. */
  readonly #jars = new Map<string, Map<string, string>>()
  readonly secret: string

  constructor(
    readonly service: Service,
    secret?: string
  ) {
    this.secret = secret ?? randomBytes(24).toString('base64url')
  }

  /** Sends one request, without following redirects. */
  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const { origin } = new URL(url)
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers }
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Returns the URL at which a sign-in starts. */
  startUrl(provider = 'work', page?: string): string {
    const url = new URL(`${this.service.server.url}/auth/oidc/${provider}/start`)
    url.searchParams.set('secret', this.secret)
    if (page !== undefined) url.searchParams.set('page', page)
    return url.href
  }

  /** Follows redirects; `until` stops before a URL is requested. */
  async follow(url: string, until: (url: string) => boolean = () => false): Promise<string> {
    let at = url
    for (let count = 0; count < mostRedirects; count++) {
      if (
        until(at) ||
        new URL(at).pathname.startsWith('/access/') ||
        new URL(at).pathname.startsWith('/app/')
      )
        return at
      const response = await this.get(at)
      const to = response.headers.get('location')
      if (to === null) throw new Error(`${at} answers ${response.status}: ${await response.text()}`)
      at = new URL(to, at).href
    }
    throw new Error(`too many redirects: ${at}`)
  }

  /** Signs in at a provider and returns to the page. */
  async go(provider?: string, page?: string): Promise<Arrival> {
    return arrivalAt(await this.follow(this.startUrl(provider, page)))
  }

  /** Follows the redirects to the provider, and returns the URL of the callback without requesting it. */
  async toCallback(provider?: string): Promise<string> {
    return await this.follow(this.startUrl(provider), url => url.includes('/callback'))
  }

  /** Signs in to an account with a ticket. */
  async signIn(username: string, ticket: string | undefined): Promise<Answer> {
    const { url } = this.service.server
    const body = { ticket, secret: this.secret, appId: 'test-app' }
    return (await this.service.http('POST', `/${username}/auth/identity`, body, { origin: url })).body
  }

  /** Returns what a ticket permits. */
  async lookUp(ticket: string | undefined): Promise<Answer> {
    return (await this.service.http('POST', '/auth/identity', { ticket, secret: this.secret })).body
  }

  /** Creates an account. */
  async register(username: string, ticket: string | undefined, more: object = {}): Promise<Answer> {
    const identity = { ticket, secret: this.secret }
    const email = `${username}@example.com`
    return (
      await this.service.http('POST', '/users', { appId: 'test-app', username, email, identity, ...more })
    ).body
  }
}

/** Parses the URL of a page. */
export function arrivalAt(url: string): Arrival {
  const page = new URL(url)
  const said = new URLSearchParams(page.hash.slice(1))
  page.hash = ''
  return {
    page,
    ticket: said.get('identity') ?? undefined,
    problem: said.get('identity-problem') ?? undefined
  }
}
