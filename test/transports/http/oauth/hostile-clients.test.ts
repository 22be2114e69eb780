/** What hostile clients, and thieves of their tokens, cannot obtain by OAuth. (docs/api/oauth.md) */
import t from 'tap'
import { coffer, type Answer, type Service } from '../../../support/coffer.js'
import {
  agree,
  app,
  apps,
  begin,
  clientId,
  exchange,
  obtain,
  post,
  read,
  redirectUri
} from '../../../support/oauth.js'

const redirect_uris = ['https://assistant.example.com/callback']

async function registered(service: Service, fields: object = {}): Promise<Answer> {
  return await service.http('POST', '/oauth/register', { redirect_uris, ...fields })
}

t.test("an app's token does not prove consent", async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  await alice.stream('diary')
  const scope = 'openid offline_access diary:read'
  const { access_token: stolen } = await obtain(service, alice, { scope })
  for (const credentials of [undefined, stolen]) {
    const begun = await begin(service, { scope, nonce: 'of a sign-in elsewhere' })
    const key = begun.location.searchParams.get('key')!
    const decision = { key, status: 'ACCEPTED', username: 'alice', token: stolen }
    t.match(await service.call(undefined, 'authRequest.decide', decision, credentials), {
      error: { id: 'forbidden' },
      redirect: undefined
    })
    t.match(await service.call(undefined, 'authRequest.poll', { key }), { status: 'NEED_SIGNIN' })
    t.match(await exchange(service, begun, await agree(service, alice, begun)), { status: 200 })
  }
  const bertha = await service.user('bertha')
  const begun = await begin(service, { scope })
  const key = begun.location.searchParams.get('key')!
  const decision = { key, status: 'ACCEPTED', username: 'alice', token: stolen }
  t.match(
    await service.call(undefined, 'authRequest.decide', decision, bertha.token),
    { error: { id: 'forbidden' } },
    'nor with the session of somebody else'
  )
})

t.test('a page without a session may grant a new access', async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  const begun = await begin(service, { scope: 'openid' })
  const key = begun.location.searchParams.get('key')!
  const { clientData, requestingAppId: name } = await service.call(undefined, 'authRequest.poll', { key })
  const { access } = await alice.do('accesses.create', { type: 'app', name, permissions: [], clientData })
  const decision = { key, status: 'ACCEPTED', username: 'alice', token: access.token }
  const { redirect } = await service.call(undefined, 'authRequest.decide', decision)
  t.match(await exchange(service, begun, new URL(redirect as string)), { status: 200 })
})

t.test('a scope of all streams does not include account fields', async t => {
  const scopes = ['*:read', '%3Asystem%3Alanguage:read', '.phone:read']
  const client = { id: 'narrow-client', oauth: { redirectURIs: [redirectUri], scopes } }
  const service = await coffer(t, apps(client))
  const errorFor = async (scope: string): Promise<string | null> =>
    (await begin(service, { client_id: 'narrow-client', scope })).location.searchParams.get('error')
  for (const scope of ['.email:read', '%2Eemail:read', '%3Asystem%3Aemail:read', '%3A_audit%3Aaccess-x:read'])
    t.equal(await errorFor(scope), 'invalid_scope', scope)
  for (const scope of ['diary:read', '*:read', '%2A:read', '%3Asystem%3Alanguage:read', '.phone:read'])
    t.equal(await errorFor(scope), null, scope)
})

t.test('errors do not redirect to a self-registered client without consent', async t => {
  const service = await coffer(t, { ...apps(app), oauth: { registration: true } })
  const { body: client } = await registered(service, { scope: 'diary:read' })
  const asked = { client_id: client.client_id, redirect_uri: redirect_uris[0]!, scope: 'diary:read' }
  for (const params of [
    { prompt: 'none' },
    { scope: 'x' },
    { response_type: 'token' },
    { code_challenge: undefined },
    { resource: 'https://evil.example.com/' },
    { request: 'x' }
  ]) {
    const { body, location, status } = await begin(service, { ...asked, ...params })
    t.match({ status, to: location.href }, { status: 400, to: 'none:' }, JSON.stringify(params))
    t.match(body, { error: String, error_description: String })
  }
  t.equal((await begin(service, { prompt: 'none' })).status, 303, 'one that the operator knows is told')
  const loopback = 'http://127.0.0.1/callback'
  const { body: local } = await registered(service, { redirect_uris: [loopback] })
  const here = { ...asked, client_id: local.client_id, redirect_uri: 'http://127.0.0.1:8000/callback' }
  t.equal(
    (await begin(service, { ...here, prompt: 'none' })).status,
    303,
    'nor is one on this machine a trap'
  )
  const { location } = await begin(service, asked)
  const refusal = { key: location.searchParams.get('key'), status: 'REFUSED' }
  const { redirect } = await service.call(undefined, 'authRequest.decide', refusal)
  t.match(redirect, /^https:\/\/assistant\.example\.com\/callback\?error=access_denied/)
})

t.test('unused clients do not block the registration of others', async t => {
  const service = await coffer(t, { oauth: { registration: true, maxClients: 3 } })
  const { body: used } = await registered(service, { token_endpoint_auth_method: 'none' })
  const asked = { client_id: used.client_id, redirect_uri: redirect_uris[0]!, scope: 'diary:read' }
  await obtain(service, service.alice, asked)
  for (let count = 0; count < 2; count++) t.equal((await registered(service)).status, 201)
  t.equal((await registered(service)).status, 503, 'those who have just come may still be asking')
  service.clock.advance(3700)
  for (let count = 0; count < 2; count++) t.equal((await registered(service)).status, 201)
  t.equal((await registered(service)).status, 503)
  service.clock.advance(3700)
  t.equal((await begin(service, asked)).status, 303, 'one that was used stays')
})

t.test('a refused scope does not end the access', async t => {
  const service = await coffer(t, apps(app))
  const scope = 'diary:contribute offline_access'
  const { access_token, refresh_token } = await obtain(service, service.alice, { scope })
  const refresh = async (more: object = {}): Promise<Answer> =>
    await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refresh_token as string,
      ...more
    })
  for (const wrong of ['diary:read offline_access', '*:manage', 'x'])
    t.match(await refresh({ scope: wrong }), { status: 400, body: { error: 'invalid_scope' } }, wrong)
  t.match(await refresh(), { status: 200, body: { access_token } })
  service.clock.advance(10.001)
  t.match(
    await refresh({ scope: 'x' }),
    { status: 400, body: { error: 'invalid_grant' } },
    'a used one ends the access, whatever comes along'
  )
  t.match(await read(service, 'alice', access_token as string), { error: { id: 'invalid-access-token' } })
})
