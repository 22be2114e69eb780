/** The routes of OAuth: each calls one method of the registry, in the forms of the protocol. (docs/api/oauth.md#endpoints) */
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { Request } from '../../../core/call/outcome.js'
import { fail } from '../../../core/errors.js'
import { buildServerMetadata } from '../../../core/oauth/metadata.js'
import { getRequestKey, getTokenOwner } from '../../../core/oauth/tokens.js'
import { getPresentedToken } from '../../../core/auth/authenticate.js'
import type { Http, State } from '../exchange.js'
import { mediaType, needsRoom, readJsonBody } from '../request/body.js'
import { clientAddress } from '../request/client-address.js'
import { getNetwork } from '../../../core/security/network.js'
import { credentialsOf } from '../request/credentials.js'
import { clientForm, formOf, paramsOf } from './form.js'
import { replyJson, replyRedirect } from './reply.js'

/** Metadata and keys may be kept for an hour. */
const anHour = 'public, max-age=3600'

/** Adds the routes. Errors are thrown, and sent in the form of the protocol. */
export function addOAuth(router: Router<State>, dispatcher: Dispatcher): void {
  const { services } = dispatcher
  const { config } = services
  const addressOf = clientAddress(config.http.trustedProxies)
  const metadata = JSON.stringify(buildServerMetadata(config))
  const { pathname } = new URL(config.publicUrl)
  const below = pathname.replace(/\/$/, '')

  /** Whose account it is; of one that is suspended or has moved, as of one that never was, nothing is told. */
  const known = (username: string): string => (services.accounts.findServed(username) ? username : '')
  /** Makes a call whose whole result is sent. The client's own credentials are params: they are no token. */
  const answer = async (
    ctx: Http,
    call: Omit<Request, 'credentials'>,
    isByToken = false
  ): Promise<string> => {
    const presented = credentialsOf(ctx, config, addressOf(ctx.req), 'http')
    const { auth: _auth, authorization: _authorization, ...bare } = presented
    const credentials = isByToken ? presented : bare
    const outcome = await dispatcher.call({ ...call, credentials, isWhole: true })
    if (!outcome.ok) throw outcome.error
    return `{${outcome.members}}`
  }
  const authorize = async (ctx: Http, params: object): Promise<void> => {
    const { redirect } = JSON.parse(await answer(ctx, { method: 'oauth.authorize', params })) as {
      redirect: string
    }
    replyRedirect(ctx, redirect)
  }
  const byToken = (path: string, method: string, whose: (owner: string) => string): void =>
    void router.post(path, async ctx => {
      const params = clientForm(ctx)
      replyJson(
        ctx,
        200,
        await answer(ctx, { user: whose(getTokenOwner(params['token'] ?? '')), method, params })
      )
    })

  router.get('/oauth/authorize', async ctx => authorize(ctx, paramsOf(ctx.state.address.query)))
  // As a form, the request may be longer than a URL. (OpenID Connect Core, 3.1.2.1)
  router.post('/oauth/authorize', async ctx =>
    authorize(ctx, ctx.state.form ? Object(ctx.state.form.body) : formOf(ctx))
  )
  router.post('/oauth/token', async ctx => {
    const params = clientForm(ctx)
    const { code, refresh_token: refreshToken } = params
    const user =
      params['grant_type'] === 'refresh_token'
        ? getTokenOwner(refreshToken ?? '')
        : (services.authRequests.find(getRequestKey(code ?? ''), services.clock.now())?.username ?? '')
    replyJson(ctx, 200, await answer(ctx, { user: known(user), method: 'oauth.token', params }))
  })
  // Of a suspended account it would not be true that what was given back has ended: that is refused.
  byToken('/oauth/revoke', 'oauth.revoke', user => (services.accounts.isSuspended(user) ? user : known(user)))
  byToken('/oauth/introspect', 'oauth.introspect', known)
  for (const verb of ['get', 'post'] as const)
    router[verb]('/oauth/userinfo', async ctx => {
      const credentials = credentialsOf(ctx, config, addressOf(ctx.req), 'http')
      const user = getTokenOwner(getPresentedToken(credentials) ?? '')
      // Whether there is such a user is nobody's business.
      if (!services.accounts.findServed(user)) fail('invalid-access-token')
      replyJson(ctx, 200, await answer(ctx, { user, method: 'oauth.getUserInfo', params: {} }, true))
    })
  router.post('/oauth/register', async ctx => {
    if (mediaType(ctx.req) !== 'application/json')
      fail('unsupported-content-type', 'The body must be JSON (application/json)')
    if (needsRoom(ctx.req))
      ctx.state.ticket = services.intakes.anonymous.admit(getNetwork(addressOf(ctx.req)))
    const params = await readJsonBody(ctx.req, services, ctx.state.ticket)
    replyJson(ctx, 201, await answer(ctx, { method: 'oauth.register', params }))
  })
  router.get('/oauth/jwks', async ctx =>
    replyJson(ctx, 200, await answer(ctx, { method: 'oauth.getKeys', params: {} }), anHour)
  )
  // A client looks for it before the path of the issuer, or behind it. (RFC 8414, 3; OpenID Connect Discovery, 4)
  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const path of new Set(['', below]))
      router.get(`/.well-known/${name}${path}`, ctx => replyJson(ctx, 200, metadata, anHour))
}
