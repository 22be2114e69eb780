/** Clients that register themselves, and the keys of ID tokens: how many there are, and for how long. (docs/api/oauth.md) */
import t from 'tap'
import { coffer, type Answer, type Service } from '../../../support/coffer.js'
import { agree, app, apps, begin, exchange, obtain, post } from '../../../support/oauth.js'

const redirect_uris = ['https://assistant.example.com/callback']

async function registered(service: Service, fields: object = {}): Promise<Answer> {
  return await service.http('POST', '/oauth/register', { redirect_uris, ...fields })
}

t.test('clients that register themselves', async t => {
  const service = await coffer(t, { oauth: { registration: true, maxClients: 2, clientMaxAge: 100_000 } })
  const { alice } = service
  const { body: client, status } = await registered(service, {
    client_name: 'An assistant',
    scope: 'diary:read'
  })
  t.equal(status, 201)
  const asked = { client_id: client.client_id, redirect_uri: redirect_uris[0]!, scope: 'diary:read' }

  t.test('are told of it, and prove who they are by their secret', async t => {
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

  t.test('may ask for what they said, and no more', async t => {
    t.match(await begin(service, { ...asked, scope: 'diary:contribute' }), {
      status: 400,
      body: { error: 'invalid_scope' }
    })
    const without = await begin(service, { ...asked, scope: undefined })
    t.ok(without.location.searchParams.get('key'), 'that is asked for by those who ask for nothing')
  })

  t.test('are so many, as long as they are used', async t => {
    t.equal((await registered(service)).status, 201)
    t.match(await registered(service), { status: 503, body: { error: 'temporarily_unavailable' } })
    service.clock.advance(90_000)
    await obtain(service, await service.user('bertha'), asked, { client_secret: client.client_secret })
    service.clock.advance(20_000)
    t.equal((await registered(service)).status, 201, 'the one that nobody has used makes room')
    t.equal((await begin(service, asked)).status, 303, 'the one in use stays')
  })

  t.test('send JSON, of a size', async t => {
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
