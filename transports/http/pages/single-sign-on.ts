/** Routes on which browsers go to a provider of identities and come back. (docs/spec/identities.md#the-way) */
import type { IncomingHttpHeaders } from 'node:http'
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { signInLifetime } from '../../../core/identities/pending-sign-ins.js'
import type { SignIns, Visitor, Redirect } from '../../../core/identities/sign-ins.js'
import type { Config } from '../../../core/settings/config.js'
import { cookieValues, setCookie } from '../../own-cookies.js'
import { clientAddress } from '../request/client-address.js'
import { firstOf } from '../request/query.js'
import type { Http, State } from '../exchange.js'
import { pageHeaders } from './page-headers.js'

/** Who sends people to providers and takes them back. */
export type SignInDesk = Pick<SignIns, 'begin' | 'finish' | 'leave'>

const cookieName = 'coffer-sign-in'

/** Adds the routes. They are below `/auth`, which is nobody's name. */
export function addSingleSignOn(router: Router<State>, { services }: Dispatcher, desk: SignInDesk): void {
  const { config } = services
  const addressOf = clientAddress(config.http.trustedProxies)
  const visitor = ({ req }: Http): Visitor => ({
    ip: addressOf(req),
    browser: browserOf(req.headers, config)
  })
  const add = (step: string, wayOf: (ctx: Http, name: string) => Promise<Redirect>): void => {
    router.get(`/auth/oidc/:name/${step}`, async ctx => {
      send(ctx, config, await wayOf(ctx, ctx.params['name'] ?? ''))
    })
  }
  add('start', async (ctx, name) => {
    const { query } = ctx.state.address
    return await desk.beginSignIn(name, firstOf(query, 'secret'), firstOf(query, 'page'), visitor(ctx))
  })
  add('callback', async (ctx, name) => await desk.finishSignIn(name, queryOf(ctx.req.url), visitor(ctx)))
  add('sign-out', async (_ctx, name) => await desk.signOut(name))
}

/** Sends the browser on. With 303 it asks for the next page anew, whatever it has sent here. */
function send(ctx: Http, config: Config, { browser, url }: Redirect): void {
  for (const [name, value] of Object.entries(pageHeaders)) ctx.set(name, value)
  ctx.set('Cache-Control', 'no-store')
  if (browser !== undefined) ctx.append('Set-Cookie', cookie(config, browser))
  ctx.status = 303
  ctx.set('Location', url)
  ctx.body = ''
}

/** The query of a request as it was sent, with its question mark. */
function queryOf(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark)
}

/** The value of the cookie that binds a sign-in to its browser. */
function browserOf(headers: IncomingHttpHeaders, config: Config): string | undefined {
  const [value] = cookieValues(headers, config, cookieName)
  return value !== undefined && /^[\w-]{40,100}$/.test(value) ? value : undefined
}

/** It has to come along when the provider sends the browser back, so it cannot be `Strict`. */
function cookie(config: Config, value: string): string {
  return setCookie(config, cookieName, { value, age: signInLifetime, sameSite: 'Lax' })
}
