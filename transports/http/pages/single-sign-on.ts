/** Routes that redirect browsers to an identity provider and back. (docs/spec/identities.md#redirects) */
import type { IncomingHttpHeaders } from 'node:http'
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { signInLifetime } from '../../../core/identities/pending-sign-ins.js'
import type { SignIns, Visitor, Redirect } from '../../../core/identities/sign-ins.js'
import type { Config } from '../../../core/settings/config.js'
import { getCookieValues, formatSetCookie } from '../../own-cookies.js'
import { createClientAddressReader } from '../request/client-address.js'
import { getFirst } from '../request/query.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { pageHeaders } from './page-headers.js'

/** Begins and finishes sign-ins with identity providers. */
export type SingleSignOn = Pick<SignIns, 'beginSignIn' | 'finishSignIn' | 'signOut'>

const cookieName = 'coffer-sign-in'

/** Adds the routes. They are below `/auth`, which cannot be a user name. */
export function addSingleSignOnRoutes(
  router: Router<ExchangeState>,
  { services }: Dispatcher,
  singleSignOn: SingleSignOn
): void {
  const { config } = services
  const getClientAddress = createClientAddressReader(config.http.trustedProxies)
  const getVisitor = ({ req }: PageContext): Visitor => ({
    ip: getClientAddress(req),
    browser: getBrowserSecret(req.headers, config)
  })
  const add = (step: string, getRedirect: (ctx: PageContext, name: string) => Promise<Redirect>): void => {
    router.get(`/auth/oidc/:name/${step}`, async ctx => {
      send(ctx, config, await getRedirect(ctx, ctx.params['name'] ?? ''))
    })
  }
  add('start', async (ctx, name) => {
    const { query } = ctx.state.address
    return await singleSignOn.beginSignIn(
      name,
      getFirst(query, 'secret'),
      getFirst(query, 'page'),
      getVisitor(ctx)
    )
  })
  add(
    'callback',
    async (ctx, name) => await singleSignOn.finishSignIn(name, getQueryString(ctx.req.url), getVisitor(ctx))
  )
  add('sign-out', async (_ctx, name) => await singleSignOn.signOut(name))
}

/** Redirects the browser. 303 makes the browser send GET, whatever method its request had. */
function send(ctx: PageContext, config: Config, { browser, url }: Redirect): void {
  for (const [name, value] of Object.entries(pageHeaders)) ctx.set(name, value)
  ctx.set('Cache-Control', 'no-store')
  if (browser !== undefined) ctx.append('Set-Cookie', formatCookie(config, browser))
  ctx.status = 303
  ctx.set('Location', url)
  ctx.body = ''
}

/** Returns the query of a request as it was sent, with its question mark. */
function getQueryString(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark)
}

/** Returns the value of the cookie that binds a sign-in to its browser. */
function getBrowserSecret(headers: IncomingHttpHeaders, config: Config): string | undefined {
  const [value] = getCookieValues(headers, config, cookieName)
  return value !== undefined && /^[\w-]{40,100}$/.test(value) ? value : undefined
}

/** Formats the cookie. Browsers have to send it when the provider redirects back, so it cannot be `Strict`. */
function formatCookie(config: Config, value: string): string {
  return formatSetCookie(config, cookieName, { value, maxAge: signInLifetime, sameSite: 'Lax' })
}
