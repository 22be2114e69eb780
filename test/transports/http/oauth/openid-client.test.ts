/** The same flow with the most common OpenID Connect client for Node. (docs/api/oauth.md) */
import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import t from 'tap'
import { coffer } from '../../../support/coffer.js'
import { agree, apps, clientId, redirectUri } from '../../../support/oauth.js'

const secret = 'a secret of the client'
const secretHash = createHash('sha256').update(secret).digest('hex')

for (const [kind, auth, hash] of [
  ['a public client', openid.None(), {}],
  ['a client with a secret', openid.ClientSecretBasic(secret), { secretHash }]
] as const)
  t.test(kind, async t => {
    const service = await coffer(
      t,
      apps({ id: clientId, oauth: { redirectURIs: [redirectUri], accessSeconds: 900, ...hash } })
    )
    // The library uses the real time.
    service.clock.advance(Date.now() / 1000 - service.clock.now())
    const daisy = await service.user('daisy', { email: 'daisy@example.com' })
    const config = await openid.discovery(new URL(service.server.url), clientId, undefined, auth, {
      execute: [openid.allowInsecureRequests]
    })
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email offline_access diary:contribute:Diary',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce
    })
    const { headers } = await fetch(url, { redirect: 'manual' })
    const answered = await agree(service, daisy, { location: new URL(headers.get('location')!) })
    const tokens = await openid.authorizationCodeGrant(config, answered, {
      pkceCodeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true
    })
    t.equal(tokens.expires_in, 900)
    const { sub } = tokens.claims()!
    t.match(await openid.fetchUserInfo(config, tokens.access_token, sub), {
      preferred_username: 'daisy',
      email: 'daisy@example.com'
    })
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!)
    t.match(await openid.tokenIntrospection(config, next.access_token), { active: true, username: 'daisy' })
    await openid.tokenRevocation(config, next.refresh_token!)
    t.match(await openid.tokenIntrospection(config, next.access_token), { active: false })
  })
