/** Client registration and the keys of ID tokens: their number and lifetime. (docs/api/oauth.md) */
import t from 'tap'
import { readSettings, type ReadSettings } from '../../../../core/settings/load.js'
import { startServer } from '../../../../server/server.js'
import {
  coffer,
  methodModules,
  Service,
  testSettings,
  type Answer,
  type Overrides
} from '../../../support/coffer.js'
import { agree, app, apps, begin, exchange, obtain, post } from '../../../support/oauth.js'

const redirect_uris = ['https://assistant.example.com/callback']

async function registered(service: Service, fields: object = {}): Promise<Answer> {
  return await service.http('POST', '/oauth/register', { redirect_uris, ...fields })
}

t.test('self-registered clients', async t => {
  const service = await coffer(t, { oauth: { registration: true, maxClients: 2, clientMaxAge: 100_000 } })
  const { alice } = service
  const { body: client, status } = await registered(service, {
    client_name: 'An assistant',
    scope: 'diary:read'
  })
  t.equal(status, 201)
  const asked = { client_id: client.client_id, redirect_uri: redirect_uris[0]!, scope: 'diary:read' }

  t.test('are marked as such, and authenticate with their secret', async t => {
    const begun = await begin(service, asked)
    const key = begun.location.searchParams.get('key')
    t.match(await service.call(undefined, 'authRequest.poll', { key }), {
      oauth: { clientName: 'An assistant', isSelfRegistered: true }
    })
    const answered = await agree(service, alice, begun)
    t.match(await exchange(service, begun, answered), { status: 401, body: { error: 'invalid_client' } })
    t.match(await exchange(service, begun, answered, { client_secret: client.client_secret }), {
      status: 200,
      body: { scope: 'diary:read' }
    })
  })

  t.test('may request only the scopes that they registered', async t => {
    t.match(await begin(service, { ...asked, scope: 'diary:contribute' }), {
      status: 400,
      body: { error: 'invalid_scope' }
    })
    const without = await begin(service, { ...asked, scope: undefined })
    t.ok(without.location.searchParams.get('key'), 'that is asked for by those who ask for nothing')
  })

  t.test('are limited in number, and expire when unused', async t => {
    t.equal((await registered(service)).status, 201)
    t.match(await registered(service), { status: 503, body: { error: 'temporarily_unavailable' } })
    service.clock.advance(90_000)
    await obtain(service, await service.user('bertha'), asked, { client_secret: client.client_secret })
    service.clock.advance(20_000)
    t.equal((await registered(service)).status, 201, 'the one that nobody has used makes room')
    t.equal((await begin(service, asked)).status, 303, 'the one in use stays')
  })

  t.test('must send JSON of limited size', async t => {
    t.match(await post(service, '/oauth/register', { redirect_uris: 'x' }), {
      status: 415,
      body: { error: 'invalid_request' }
    })
    const many = Array.from({ length: 21 }, () => redirect_uris[0])
    t.match(await registered(service, { redirect_uris: many }), {
      status: 400,
      body: { error: 'invalid_request' }
    })
    t.match(await registered(service, { client_name: 'x'.repeat(201) }), { status: 400 })
  })
})

t.test('return schemes', async t => {
  const cursor = 'cursor://anysphere.cursor-retrieval/oauth/callback'
  const own = { id: 'own-client', oauth: { redirectURIs: ['Other-App:/callback'] } }
  const settings = (returnSchemes: string[]): Overrides => ({
    oauth: { registration: true },
    access: { returnSchemes, apps: [own] as never }
  })
  const service = await coffer(t, settings(['Cursor', 'other-app', 'javascript', 'data', 'ws']))
  const { alice } = service

  t.test('permit redirects to apps', async t => {
    for (const uri of [cursor, 'CURSOR://x/y', 'other-app:/callback', 'com.example.app:/callback']) {
      const client = await registered(service, { redirect_uris: [uri], token_endpoint_auth_method: 'none' })
      t.equal(client.status, 201, uri)
      const begun = await begin(service, { client_id: client.body.client_id, redirect_uri: uri })
      const answered = await agree(service, alice, begun)
      t.ok(answered.href.toLowerCase().startsWith(`${uri.toLowerCase()}?code=`), answered.href)
      t.match(await exchange(service, begun, answered), { status: 200 })
    }
    t.match(await begin(service, { client_id: own.id, redirect_uri: own.oauth.redirectURIs[0]! }), {
      status: 303
    })
  })

  t.test('permit no other URIs, and never a scheme that runs or displays something', async t => {
    for (const uri of [
      'vscode://x/y',
      'cursors://x/y',
      'javascript:alert(1)',
      'JavaScript://cursor/%0aalert(1)',
      'data:text/html,x',
      'ws://x/y',
      'cursor://user:secret@x/y',
      'cursor://x/y#z'
    ])
      t.match(
        await registered(service, { redirect_uris: [uri] }),
        { status: 400, body: { error: 'invalid_redirect_uri' } },
        uri
      )
  })

  t.test('no longer permit redirects once removed from the settings', async t => {
    const { body: client } = await registered(service, { redirect_uris: [cursor] })
    await service.server.close()
    const server = await startServer(testSettings(service.directory, settings(['other-app'])), {
      clock: service.clock,
      methodModules
    })
    t.teardown(() => server.close())
    const after = new Service(server, service.clock, service.directory)
    t.match(await begin(after, { client_id: client.client_id, redirect_uri: cursor }), {
      status: 400,
      body: { error: 'invalid_request' }
    })
  })

  t.test('also apply to clients in the settings', t => {
    const given = (access: object): ReadSettings =>
      readSettings({ argv: [], env: {}, cwd: t.testdir(), pageSettings: { access } })
    const problem = 'access.apps[0].oauth.redirectURIs[0]'
    t.same(given({ apps: [own], returnSchemes: ['OTHER-app'] }).problems, [])
    for (const access of [{ apps: [own] }, { apps: [own], returnSchemes: ['another-app'] }])
      t.match(given(access).problems, [new RegExp(problem.replaceAll(/[[\].]/g, String.raw`\$&`))])
    const harmful = { ...own, oauth: { redirectURIs: ['javascript:alert(1)'] } }
    t.equal(given({ apps: [harmful], returnSchemes: ['javascript'] }).problems.length, 1)
    t.end()
  })
})

t.test('keys of ID tokens', async t => {
  const service = await coffer(t, { ...apps(app), oauth: { keyMaxAge: 86_400 * 2 } })
  const ids = async (): Promise<string[]> =>
    (await service.http('GET', '/oauth/jwks')).body.keys.map(({ kid }: Answer) => kid)
  const signedBy = async (username: string): Promise<string> => {
    const { id_token: token } = await obtain(service, await service.user(username), { scope: 'openid' })
    return JSON.parse(Buffer.from((token as string).split('.')[0]!, 'base64url').toString()).kid
  }
  const together = await Promise.all(Array.from({ length: 5 }, ids))
  const [first] = together[0]!
  t.equal(together.flat().length, 5, 'one is made, however many ask')
  t.equal(new Set(together.flat()).size, 1)
  t.equal(await signedBy('bertha'), first)
  service.clock.advance(86_400 * 2)
  const second = await signedBy('clara')
  t.not(second, first, 'an old one gives way to another')
  t.same(await ids(), [first, second], 'and is published for some time')
  service.clock.advance(86_400)
  t.same(await ids(), [second])
})
