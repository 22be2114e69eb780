/** Scopes that ask the user to accept an offer of the client. (docs/api/oauth.md#offers) */
import t, { type Test } from 'tap'
import { deriveEventId } from '../../../../core/cmc/outbox.js'
import { coffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import {
  apps,
  begin,
  clientId,
  exchange,
  post,
  read,
  redirectUri,
  type Begun
} from '../../../support/oauth.js'
import { until } from '../../../support/socket.js'
import { listPeers, offer } from '../../../support/two-servers.js'

const settings = {
  shutdownSeconds: 0.4,
  cmc: { allowInternalTargets: true },
  accesses: { updates: true }
}

interface World {
  readonly service: Service
  readonly dora: Client
  readonly paul: Client
}

/** Starts the service of a client's owner, who publishes an offer, and the service of the user. */
async function start(t: Test, changes: Parameters<typeof offer>[1] = {}): Promise<World> {
  const requesterService = await coffer(t, settings)
  const dora = await requesterService.user('dora-doctor')
  const { content } = await offer(dora, { capability: { mode: 'open-link' }, ...changes })
  const client = {
    id: clientId,
    displayName: 'Diary',
    oauth: { redirectURIs: [redirectUri], offers: { study: content.capabilityUrl } }
  }
  const service = await coffer(t, { ...settings, ...apps(client) })
  const paul = await service.user('paul-patient')
  for (const id of ['health', 'diary']) await paul.stream(id)
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'well' })
  await paul.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'hello' })
  return { service, dora, paul }
}

const ask = async (service: Service, scope = 'cmc:study'): Promise<Begun> => await begin(service, { scope })

async function answer(
  { paul, service }: World,
  { location }: Begun,
  fields: object = {},
  path = '/oauth2/authorize/accept'
): Promise<{ status: number; body: Answer }> {
  const state = location.searchParams.get('state')
  const body = { state, username: paul.username, userToken: paul.token, ...fields }
  return await service.http('POST', path, JSON.stringify(body), { 'content-type': 'application/json' })
}

/** Accepts, and exchanges the code. */
async function obtain(world: World, fields: object = {}): Promise<Answer> {
  const begun = await ask(world.service)
  const { body } = await answer(world, begun, fields)
  const { body: tokens, status } = await exchange(world.service, begun, new URL(body.redirectTo))
  if (status !== 200) throw new Error(JSON.stringify(tokens))
  return tokens
}

const refresh = async ({ service }: World, token: string): Promise<{ status: number; body: Answer }> =>
  await post(service, '/oauth2/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId
  })

t.test('a scope of an offer', async t => {
  const world = await start(t)
  const { dora, paul, service } = world
  const begun = await ask(service)
  t.equal(begun.location.pathname, '/cmc-accept')
  const state = begun.location.searchParams.get('state')
  t.match(begun.location.searchParams.get('pryvApi'), /service\/info$/)

  t.test('shows the user the offer without its link', async t => {
    const shown = await paul.do('oauth.readOffer', { state })
    t.match(shown, {
      requester: { username: 'dora-doctor' },
      offer: { content: { request: { title: { en: 'Study' } } } },
      client: { id: clientId, name: 'Diary' },
      returnTo: redirectUri
    })
    t.notMatch(JSON.stringify(shown), /@127\.0\.0\.1:\d+/)
  })

  t.test('cannot be decided with the access of an app', async t => {
    const { access } = await paul.do('accesses.create', {
      type: 'app',
      name: clientId,
      permissions: [{ streamId: '*', level: 'manage' }]
    })
    const decision = { key: state, status: 'ACCEPTED', username: paul.username, token: access.token }
    t.match(await service.call(undefined, 'authRequest.decide', decision, paul.token), {
      error: { id: 'invalid-operation' }
    })
    t.match((await answer(world, begun, { userToken: access.token })).status, 403)
    t.match((await answer(world, begun, { userToken: 'a guess' })).status, 401)
    t.match((await answer(world, begun, { username: 'nobody-here' })).status, 401)
    t.match((await answer(world, begun, { unheardOf: 1 })).status, 400)
    t.same(await listPeers(paul), [], 'nothing is granted')
    await paul.do('accesses.delete', { id: access.id })
  })

  t.test('gives the requester an access, and the client a session', async t => {
    const { body, status } = await answer(world, begun)
    t.equal(status, 200)
    const returned = new URL(body.redirectTo)
    t.equal(returned.origin + returned.pathname, redirectUri)
    t.match(Object.fromEntries(returned.searchParams), { code: String, state: 'a-state', iss: String })
    const again = await answer(world, begun)
    t.equal(again.status, 400, 'once')
    const tokens = (await exchange(service, begun, returned)).body
    t.match(tokens, {
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'cmc:study',
      refresh_token: String,
      apiEndpoint: /^http:.*@/
    })
    t.equal((await read(service, paul.username, tokens.access_token)).events.length, 2)
    const [held] = await listPeers(paul)
    t.match(held.clientData.cmc, { counterparty: { username: 'dora-doctor' } })
    t.equal((await listPeers(dora)).length, 1)
    const { accesses } = await paul.do('accesses.get')
    const session = accesses.find((each: Answer) => each.token === tokens.access_token)
    t.match(session, { type: 'app', name: `oauth:${clientId}`, deviceName: /^oauth-session-/ })
    t.same(session.permissions, [
      { streamId: 'health', level: 'read' },
      { streamId: 'diary', level: 'contribute' }
    ])
    const { receipt } = await paul.do('accesses.getReceipt', { id: session.id })
    t.match(receipt, { hasRecipient: { clientId }, hasNotice: { texts: { consent: { en: 'I agree' } } } })
    const renewed = await refresh(world, tokens.refresh_token)
    t.match(renewed, { status: 200, body: { access_token: tokens.access_token, scope: 'cmc:study' } })

    t.test('and the session can do no more than the requester', async t => {
      const permissions = held.permissions.filter(({ streamId }: Answer) => streamId !== 'health')
      await paul.do('accesses.update', { id: held.id, update: { permissions } })
      const { events } = await read(service, paul.username, tokens.access_token)
      t.same(
        events.map(({ content }: Answer) => content),
        ['hello']
      )
    })

    t.test('and ends with its access', async t => {
      const [current] = await listPeers(paul)
      await paul.do('accesses.delete', { id: current.id })
      t.match(await read(service, paul.username, tokens.access_token), {
        error: { id: 'invalid-access-token' }
      })
      t.match(await refresh(world, renewed.body.refresh_token), {
        status: 400,
        body: { error: 'invalid_grant' }
      })
    })
  })
})

t.test('a refused offer leads back to the client, and grants nothing', async t => {
  const world = await start(t)
  const begun = await ask(world.service)
  const { body, status } = await answer(world, begun, {}, '/oauth2/authorize/refuse')
  t.equal(status, 200)
  const query = Object.fromEntries(new URL(body.redirectTo).searchParams)
  t.match(query, { error: 'access_denied', state: 'a-state', iss: String })
  t.equal((await answer(world, begun)).status, 400)
  t.same(await listPeers(world.paul), [])
})

t.test('the user gives a part of what is offered, if the offer lets them choose', async t => {
  const world = await start(t, {
    request: { allowUserChoice: true }
  })
  const grantedPermissions = [{ streamId: 'diary', level: 'contribute' }]
  const tokens = await obtain(world, { grantedPermissions })
  const { events } = await read(world.service, world.paul.username, tokens.access_token)
  t.same(
    events.map(({ content }: Answer) => content),
    ['hello']
  )
})

t.test('more than is offered is refused', async t => {
  const world = await start(t)
  const begun = await ask(world.service)
  const grantedPermissions = [{ streamId: 'diary', level: 'manage' }]
  t.match(await answer(world, begun, { grantedPermissions }), {
    status: 400,
    body: { error: 'invalid_request' }
  })
  const { accesses } = await world.paul.do('accesses.get')
  t.notOk(accesses.some(({ type }: Answer) => type !== 'personal'))
  t.equal((await answer(world, begun)).status, 200, 'the user can choose again')
})

t.test('a session ends when the offer does', async t => {
  const world = await start(t)
  const { paul, service } = world
  const tokens = await obtain(world, { expires: service.clock.now() + 60 })
  t.equal(tokens.expires_in, 60)
  t.equal((await read(service, paul.username, tokens.access_token)).events.length, 2)
  service.clock.advance(61)
  const inspected = await post(service, '/oauth2/introspect', {
    client_id: clientId,
    token: tokens.access_token
  })
  t.same(inspected.body, { active: false })
  t.match(await read(service, paul.username, tokens.access_token), { error: { id: 'invalid-access-token' } })
  t.equal((await refresh(world, tokens.refresh_token)).status, 400)
  const find = async (params: object): Promise<Answer> =>
    (await paul.do('accesses.get', params)).accesses.find(({ type }: Answer) => type === 'app')
  const { oauth } = await find({ includeExpired: true })
  t.match(oauth, { clientId, renewableUntil: undefined })
  service.clock.advance(3600)
  t.notOk(await find({}), 'it cannot be refreshed')
})

t.test('a replayed refresh token ends the access of the requester, too', async t => {
  const world = await start(t)
  const { paul, service } = world
  const tokens = await obtain(world)
  await refresh(world, tokens.refresh_token)
  service.clock.advance(30)
  t.equal((await refresh(world, tokens.refresh_token)).status, 400)
  t.same(await listPeers(paul), [])
  t.match(await read(service, paul.username, tokens.access_token), { error: { id: 'invalid-access-token' } })
})

t.test('a failed exchange leaves no session behind', async t => {
  const world = await start(t)
  const begun = await ask(world.service)
  const { body } = await answer(world, begun)
  const fields = { code_verifier: 'x'.repeat(43) }
  t.equal((await exchange(world.service, begun, new URL(body.redirectTo), fields)).status, 400)
  const { accesses } = await world.paul.do('accesses.get')
  t.notOk(accesses.some(({ name }: Answer) => name.startsWith('oauth:')))
})

t.test('unknown offers, and offers beside other scopes, are refused', async t => {
  const { service } = await start(t)
  for (const scope of ['cmc:other', 'cmc:study diary:read', 'cmc:study cmc:study', 'cmc:toString']) {
    const { location } = await ask(service, scope)
    t.equal(location.searchParams.get('error'), 'invalid_scope', scope)
  }
  const { location } = await ask(service, 'cmc:read')
  t.match(location.pathname, /access\.html$/, 'a stream can have the id "cmc"')
})

t.test('an event that an app has written in place of the answer is not believed', async t => {
  const world = await start(t, { request: { permissions: [{ streamId: 'diary', level: 'read' }] } })
  const { paul, service } = world
  // Paul has shared his health with another doctor before.
  const other = await service.user('eva-doctor')
  const wide = { permissions: [{ streamId: 'health', level: 'read' }] }
  const { content } = await offer(other, { capability: { mode: 'open-link' }, request: wide })
  await paul.do('events.create', {
    streamIds: [':_cmc:apps:other'],
    type: 'consent/accept-cmc',
    content: { capabilityUrl: content.capabilityUrl }
  })
  await until(async () => (await listPeers(paul)).length > 0, 'the acceptance')
  const [{ id: dataGrantAccessId }] = await listPeers(paul)
  const begun = await ask(service)
  const app = await paul.grant('contribute', 'diary', { type: 'app' })
  await app.do('events.create', {
    id: deriveEventId('app', begun.location.searchParams.get('state')!, '0'),
    streamIds: ['diary'],
    type: 'study/answer',
    content: { status: 'completed', dataGrantAccessId }
  })
  const { body } = await answer(world, begun)
  const tokens = (await exchange(service, begun, new URL(body.redirectTo))).body
  const { accesses } = await paul.do('accesses.get')
  const session = accesses.find((each: Answer) => each.token === tokens.access_token)
  t.same(session.permissions, [{ streamId: 'diary', level: 'read' }])
})
