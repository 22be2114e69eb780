/** OAuth routes. Each calls one method of the registry, in the form that the protocol requires. (docs/api/oauth.md#endpoints) */
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { Request } from '../../../core/call/outcome.js'
import { fail } from '../../../core/errors.js'
import { findClientAccount } from '../../../core/oauth/client-credentials.js'
import { getClientIdParam } from '../../../core/oauth/clients.js'
import { buildServerMetadata } from '../../../core/oauth/metadata.js'
import { getRequestKey, getTokenOwner } from '../../../core/oauth/tokens.js'
import { getPresentedToken } from '../../../core/auth/authenticate.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { createClientAddressReader } from '../request/client-address.js'
import { getCredentials } from '../request/credentials.js'
import { hasBoundToken, proveCredentials, readProof } from '../request/prove.js'
import { readDeclaredBody } from '../request/declared-body.js'
import { readClientForm, readForm, toParams } from './form.js'
import { replyJson, replyRedirect } from './reply.js'

/** Metadata and keys may be cached for an hour. */
const cacheForHour = 'public, max-age=3600'

/** Adds the routes. Errors are thrown, and sent in the form that the protocol requires. */
export function addOAuthRoutes(router: Router<ExchangeState>, dispatcher: Dispatcher): void {
  const { services } = dispatcher
  const { config } = services
  const getClientAddress = createClientAddressReader(config.http.trustedProxies)
  const metadata = JSON.stringify(buildServerMetadata(config))
  const { pathname } = new URL(config.publicUrl)
  const basePath = pathname.replace(/\/$/, '')

  /** Runs a look-up, and if it finds nothing, runs it again once this node knows what others have just changed. */
  const findUpToDate = async <T>(find: () => T | undefined): Promise<T | undefined> => {
    const found = find()
    if (found !== undefined) return found
    await services.catchUp()
    return find()
  }
  /** Returns the user name; empty if the account is suspended, has moved or never existed, so that callers cannot tell which. */
  const toServedUser = async (username: string): Promise<string> => {
    if (username === '') return ''
    const account = await findUpToDate(() => services.accounts.findServed(username))
    return account ? username : ''
  }
  /** Returns the name of the user whose account has issued a code. */
  const getCodeOwner = async (code: string): Promise<string | undefined> => {
    const key = getRequestKey(code)
    return key === ''
      ? ''
      : findUpToDate(() => services.authRequests.find(key, services.clock.now())?.username)
  }
  /** Makes a call and returns its result as JSON. The client's own credentials are params, not a token. */
  const callMethod = async (
    ctx: PageContext,
    call: Omit<Request, 'credentials'>,
    token: 'presented' | 'none' | { readonly text: string } = 'none'
  ): Promise<string> => {
    const presented = getCredentials(ctx, services, { ip: getClientAddress(ctx.req), via: 'http' })
    const { auth: _auth, authorization: _authorization, ...bare } = presented
    const proof = readProof(ctx, config)
    const credentials =
      typeof token === 'object'
        ? { ...bare, auth: token.text }
        : token === 'none'
          ? { ...bare, ...(proof && { proof }) }
          : hasBoundToken(ctx)
            ? await proveCredentials(dispatcher, call.user, presented, proof)
            : presented
    const outcome = await dispatcher.call({ ...call, credentials, isWhole: true })
    if (!outcome.ok) throw outcome.error
    return `{${outcome.members}}`
  }
  /** Reads what a page says of the user's decision. */
  const readAnswer = async (ctx: PageContext): Promise<Record<string, unknown>> =>
    Object(await readDeclaredBody(ctx, services, getClientAddress(ctx.req))) as Record<string, unknown>
  const authorize = async (ctx: PageContext, params: object): Promise<void> => {
    const { redirect } = JSON.parse(await callMethod(ctx, { method: 'oauth.authorize', params })) as {
      redirect: string
    }
    replyRedirect(ctx, redirect)
  }
  const addByToken = (
    path: string,
    method: string,
    getUser: (owner: string) => Promise<string> | string
  ): void =>
    void router.post(path, async ctx => {
      const params = readClientForm(ctx)
      const user = await getUser(getTokenOwner(params['token'] ?? ''))
      replyJson(ctx, 200, await callMethod(ctx, { user, method, params }))
    })

  // The second path is the one in version 2 of the platform. (docs/api/oauth.md#endpoints)
  for (const base of ['/oauth', '/oauth2']) {
    router.get(`${base}/authorize`, async ctx => authorize(ctx, toParams(ctx.state.address.query)))
    // As a form, the request may be longer than a URL. (OpenID Connect Core, 3.1.2.1)
    router.post(`${base}/authorize`, async ctx =>
      authorize(ctx, ctx.state.form ? Object(ctx.state.form.body) : readForm(ctx))
    )
    router.post(`${base}/authorize/accept`, async ctx => {
      const { username, userToken, ...params } = await readAnswer(ctx)
      const user = typeof username === 'string' ? await toServedUser(username.toLowerCase()) : ''
      if (user === '' || typeof userToken !== 'string') fail('invalid-access-token')
      const call = { user, method: 'oauth.acceptOffer', params }
      replyJson(ctx, 200, await callMethod(ctx, call, { text: userToken }))
    })
    router.post(`${base}/authorize/refuse`, async ctx => {
      const { state } = await readAnswer(ctx)
      const params = { key: state, status: 'REFUSED' }
      const { redirect } = JSON.parse(await callMethod(ctx, { method: 'authRequest.decide', params })) as {
        redirect?: string
      }
      replyJson(ctx, 200, JSON.stringify({ redirectTo: redirect }))
    })
    router.post(`${base}/token`, async ctx => {
      const params = readClientForm(ctx)
      const { code, refresh_token: refreshToken } = params
      const user =
        params['grant_type'] === 'refresh_token'
          ? getTokenOwner(refreshToken ?? '')
          : params['grant_type'] === 'client_credentials'
            ? findClientAccount(config, getClientIdParam(params))
            : ((await getCodeOwner(code ?? '')) ?? '')
      const servedUser = await toServedUser(user)
      replyJson(ctx, 200, await callMethod(ctx, { user: servedUser, method: 'oauth.token', params }))
    })
    // For a suspended account, revoking is refused: it would not be true that the token was revoked.
    addByToken(`${base}/revoke`, 'oauth.revoke', user =>
      services.accounts.isSuspended(user) ? user : toServedUser(user)
    )
    addByToken(`${base}/introspect`, 'oauth.introspect', toServedUser)
    for (const verb of ['get', 'post'] as const)
      router[verb](`${base}/userinfo`, async ctx => {
        const credentials = getCredentials(ctx, services, { ip: getClientAddress(ctx.req), via: 'http' })
        const user = getTokenOwner(getPresentedToken(credentials) ?? '')
        // The error does not reveal whether the user exists.
        if ((await toServedUser(user)) === '') fail('invalid-access-token')
        replyJson(
          ctx,
          200,
          await callMethod(ctx, { user, method: 'oauth.getUserInfo', params: {} }, 'presented')
        )
      })
    router.post(`${base}/register`, async ctx => {
      const params = await readDeclaredBody(ctx, services, getClientAddress(ctx.req))
      replyJson(ctx, 201, await callMethod(ctx, { method: 'oauth.register', params }))
    })
    for (const [path, params] of [
      ['jwks', {}],
      ['jwks/receipts', { purpose: 'receipts' }]
    ] as const)
      router.get(`${base}/${path}`, async ctx =>
        replyJson(ctx, 200, await callMethod(ctx, { method: 'oauth.getKeys', params }), cacheForHour)
      )
  }
  // Clients insert the well-known path before the path of the issuer or append it. (RFC 8414, 3; OpenID Connect Discovery, 4)
  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const path of new Set(['', basePath]))
      router.get(`/.well-known/${name}${path}`, ctx => replyJson(ctx, 200, metadata, cacheForHour))
}
