/** OAuth and OpenID Connect, tested with a strict third-party client library. (docs/api/oauth.md) */
import { createHash } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import {
  coffer,
  type Answer,
  type Client as Person,
  type Overrides,
  type Service
} from '../../../support/coffer.js'
import { agree, apps, clientId, redirectUri } from '../../../support/oauth.js'

/** Permits plain HTTP, which the service uses here. */
const plain = { [oauth.allowInsecureRequests]: true } as const
const secret = 'a secret of forty characters, made at random'

/** Creates a client from the metadata of the service. */
async function discovered(
  { server }: Service,
  kind: 'oauth2' | 'oidc' = 'oidc'
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(server.url)
  return await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: kind, ...plain })
  )
}

interface Signed {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly auth: oauth.ClientAuth
  readonly response: Response
  readonly result: oauth.TokenEndpointResponse
}

/** Runs the whole flow with the library. */
async function sign(
  service: Service,
  person: Person,
  scope: string,
  more: Record<string, string> = {},
  auth: oauth.ClientAuth = oauth.None()
): Promise<Signed> {
  const as = await discovered(service)
  const client: oauth.Client = { client_id: clientId }
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const url = new URL(as.authorization_endpoint!)
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scope.includes('openid') && { nonce }),
    ...more
  }).toString()
  const { headers } = await fetch(url, { redirect: 'manual' })
  const answered = await agree(service, person, { location: new URL(headers.get('location')!) })
  const params = oauth.validateAuthResponse(as, client, answered, state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    params,
    redirectUri,
    verifier,
    plain
  )
  const result = await oauth.processAuthorizationCodeResponse(as, client, response, {
    ...(scope.includes('openid') && { expectedNonce: nonce, requireIdToken: true }),
    ...(more['max_age'] !== undefined && { maxAge: Number(more['max_age']) })
  })
  return { as, client, auth, response, result }
}

/** Sets the clock of the test to the real time, which the library uses. */
async function start(t: Test, overrides: Overrides = {}): Promise<{ service: Service; alice: Person }> {
  const service = await coffer(t, {
    ...apps({ id: clientId, displayName: 'Diary', oauth: { redirectURIs: [redirectUri] } }),
    ...overrides
  })
  service.clock.advance(Date.now() / 1000 - service.clock.now())
  return { service, alice: await service.user('alicia') }
}

t.test('an OAuth client', async t => {
  const { service, alice } = await start(t)
  await alice.stream('diary')
  await alice.event({ content: 'dear diary' })

  t.test('discovers the endpoints in both ways', async t => {
    const as = await discovered(service, 'oauth2')
    t.same(as, await discovered(service))
    t.match(as, {
      issuer: service.server.url,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true
    })
    t.notOk(as.registration_endpoint)
  })

  t.test('obtains the token of an access, which is valid for every call', async t => {
    const { result } = await sign(service, alice, 'diary:read')
    t.match(result, { token_type: 'bearer', scope: 'diary:read', username: 'alicia' })
    t.notOk(result.expires_in)
    t.notOk(result.refresh_token)
    t.notOk(result.id_token)
    const root = result['api_endpoint'] as string
    const headers = { authorization: `Bearer ${result.access_token}` }
    const { events } = (await (await fetch(`${root}events`, { headers })).json()) as Answer
    t.match(events, [{ content: 'dear diary' }])
    const info = await (await fetch(`${root}access-info`, { headers })).json()
    t.match(info, { type: 'app', name: clientId, permissions: [{ streamId: 'diary', level: 'read' }] })
    const refused = await fetch(`${root}events`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'x' })
    })
    t.equal(refused.status, 403)
  })

  t.test('obtains a valid ID token of the user, and user info', async t => {
    const { as, client, response, result } = await sign(service, alice, 'openid profile', { max_age: '3600' })
    const claims = oauth.getValidatedIdTokenClaims(result)!
    t.match(claims, { iss: service.server.url, aud: clientId, auth_time: Number })
    await oauth.validateApplicationLevelSignature(as, response, plain)
    const info = await oauth.processUserInfoResponse(
      as,
      client,
      claims.sub,
      await oauth.userInfoRequest(as, client, result.access_token, plain)
    )
    t.same(info, { sub: claims.sub, preferred_username: 'alicia' })
    t.not(claims.sub, 'alicia')
  })

  t.test('refreshes an access, and revokes it', async t => {
    const { as, auth, client, result } = await sign(service, alice, 'diary:read offline_access')
    t.equal(result.expires_in, 3600)
    service.clock.advance(4000)
    const root = result['api_endpoint'] as string
    const status = async (token: string): Promise<number> =>
      (await fetch(`${root}events`, { headers: { authorization: `Bearer ${token}` } })).status
    t.equal(await status(result.access_token), 401, 'it has expired')
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, result.refresh_token!, plain)
    const next = await oauth.processRefreshTokenResponse(as, client, response)
    t.equal(next.expires_in, 3600)
    t.not(next.refresh_token, result.refresh_token)
    t.equal(await status(next.access_token), 200)
    const introspected = await oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, next.access_token, plain)
    )
    t.match(introspected, {
      active: true,
      scope: 'offline_access diary:read',
      client_id: clientId,
      username: 'alicia'
    })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, auth, next.refresh_token!, plain)
    )
    t.equal(await status(next.access_token), 401)
  })
})

t.test('a confidential client', async t => {
  const secretHash = createHash('sha256').update(secret).digest('hex')
  const { service, alice } = await start(
    t,
    apps({ id: clientId, displayName: 'Diary', oauth: { redirectURIs: [redirectUri], secretHash } })
  )
  for (const [name, auth] of [
    ['in Basic credentials', oauth.ClientSecretBasic(secret)],
    ['in the form', oauth.ClientSecretPost(secret)]
  ] as const)
    t.test(`authenticates ${name}`, async t => {
      const { result } = await sign(service, alice, '*:read', {}, auth)
      t.equal(result.scope, '*:read')
    })
  t.test('is refused without its secret, or with a wrong one', async t => {
    for (const auth of [oauth.None(), oauth.ClientSecretPost('a guess'), oauth.ClientSecretBasic('a guess')])
      await t.rejects(sign(service, alice, '*:read', {}, auth), /401|WWW|invalid_client/)
  })
})
