/** A browser without pages: it keeps cookies, and follows redirects from the service to a provider and back. */
import { randomBytes } from 'node:crypto'
import type { Answer, Service } from './coffer.js'

/** Where a way has ended: the page, with what it says in its fragment. */
export interface Arrival {
  readonly page: URL
  readonly ticket: string | undefined
  readonly problem: string | undefined
}

const mostRedirects = 12

export class SignInVisitor {
  /** By origin, then name. */
  readonly #jars = new Map<string, Map<string, string>>()
  readonly secret: string

  constructor(
    readonly service: Service,
    secret?: string
  ) {
    this.secret = secret ?? randomBytes(24).toString('base64url')
  }

  /** One request, without following what it answers. */
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

  /** The URL at which a sign-in begins. */
  startUrl(provider = 'work', page?: string): string {
    const url = new URL(`${this.service.server.url}/auth/oidc/${provider}/start`)
    url.searchParams.set('secret', this.secret)
    if (page !== undefined) url.searchParams.set('page', page)
    return url.href
  }

  /** Goes where a redirect leads; `until` stops the way before a URL is asked for. */
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

  /** Goes to the provider and stops before the callback, whose URL it returns. */
  async toCallback(provider?: string): Promise<string> {
    return await this.follow(this.startUrl(provider), url => url.includes('/callback'))
  }

  /** Signs in to an account by what a way has ended with. */
  async signIn(username: string, ticket: string | undefined): Promise<Answer> {
    const { url } = this.service.server
    const body = { ticket, secret: this.secret, appId: 'test-app' }
    return (await this.service.http('POST', `/${username}/auth/identity`, body, { origin: url })).body
  }

  /** What can be done with a ticket. */
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

/** What the URL of a page says. */
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
