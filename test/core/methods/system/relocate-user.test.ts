/** Relocated accounts: every call reports it, over every transport. (docs/spec/administration.md#relocation) */
import t from 'tap'
import { coffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import { receiver } from '../../../support/receiver.js'
import { connect, socketOf } from '../../../support/socket.js'

const adminKey = 'the key of the operator'
const url = 'https://new.example/alice/'
const moved = {
  status: 301,
  body: { error: { id: 'user-account-relocated', data: url }, meta: Object }
}

async function move(service: Service, verb = 'POST'): Promise<void> {
  const body = verb === 'POST' ? { url } : undefined
  const { status } = await service.http(verb, '/system/users/alice/relocation', body, {
    authorization: adminKey
  })
  if (status !== 200) throw new Error(`${verb}: ${status}`)
}

/** All HTTP routes that address an account. */
const ways = [
  ['GET', '/'],
  ['POST', '/', []],
  ['GET', '/events'],
  ['GET', '/events/any.jpg'],
  ['GET', '/events/any/any'],
  ['POST', '/events', { streamIds: ['diary'], type: 'note/txt' }],
  ['GET', '/events/any/series'],
  ['POST', '/events/any/series', {}],
  ['GET', '/service/info'],
  ['POST', '/auth/login', { username: 'alice', password: 'secret', appId: 'some-app' }],
  ['POST', '/account/request-password-reset', { appId: 'some-app' }],
  ['GET', '/nothing/here']
] as const

async function every(client: Client): Promise<Answer[]> {
  return await Promise.all(ways.map(([verb, path, body]) => client.http(verb, path, body)))
}

t.test('a relocated account', async t => {
  t.test('returns its new location for every HTTP call, until it is back', async t => {
    const service = await coffer(t, { adminKey, hf: { port: 0 } })
    const { alice, server } = service
    await alice.stream('diary')
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'a.txt')
    await move(service)
    for (const [index, answer] of (await every(alice)).entries()) {
      t.match(answer, moved, `${ways[index]![0]} ${ways[index]![1]}`)
      t.equal(answer.headers.get('location'), url)
      t.equal(answer.headers.get('cache-control'), 'no-store', 'browsers ask again')
    }
    t.match(await alice.http('POST', '/events', form), moved)
    const series = await fetch(`${server.seriesUrl}/alice/events/any/series`, { redirect: 'manual' })
    t.match({ status: series.status, body: await series.json() }, moved)
    t.match(
      await service.http('GET', '/system/user-info/alice', undefined, { authorization: adminKey }),
      moved
    )

    t.equal((await service.http('GET', '/reg/alice/check_username')).status, 409, 'the name stays taken')
    t.match((await service.http('POST', '/reg/alice/server', {})).body, { server: 'https://new.example/' })
    t.match((await service.http('GET', '/reg/cores?username=alice')).body, {
      core: { url: 'https://new.example/' }
    })
    const sent = await service.http('GET', '/reg/alice/server')
    t.equal(sent.headers.get('location'), 'https://new.example/?username=alice')

    await move(service, 'DELETE')
    t.match(await alice.http('GET', '/streams'), {
      status: 200,
      body: { streams: [{ id: ':_audit:' }, { id: 'diary' }] }
    })
    t.match((await service.http('POST', '/reg/alice/server', {})).body, { server: `${server.url}/` })
  })

  t.test('closes its sockets, and refuses new ones with the same error', async t => {
    const service = await coffer(t, { adminKey })
    const socket = await socketOf(t, service.alice)
    const bob = await socketOf(t, await service.user('bobby'))
    await move(service)
    await socket.closed()
    t.ok((await bob.call('getAccessInfo')).id)
    const refusal = await connect(t, service.server.url, 'alice', service.alice.token).then(
      () => t.fail('it was let in'),
      (error: unknown) => error as Answer
    )
    t.match(refusal.data, { error: { id: 'user-account-relocated', data: url } })
    await move(service, 'DELETE')
    t.ok((await (await socketOf(t, service.alice)).call('getAccessInfo')).id)
  })

  t.test('cancels pending calls, and keeps what was acknowledged', async t => {
    const service = await coffer(t, { adminKey })
    const { alice } = service
    await alice.stream('diary')
    const calls = Array.from({ length: 40 }, (_call, index) =>
      alice.http('POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: `${index}` })
    )
    await calls[0]
    await move(service)
    const answers = await Promise.all(calls)
    const kept = answers.filter(({ status }) => status === 201).map(({ body }) => body.event.id)
    t.same(
      new Set(answers.map(({ status }) => status).filter(status => status !== 201 && status !== 301)),
      new Set()
    )
    await move(service, 'DELETE')
    const { events } = await alice.do('events.get', { limit: 100 })
    const ids = new Set(events.map(({ id }: Answer) => id))
    t.same(
      kept.filter(id => !ids.has(id)),
      []
    )
    t.ok(kept.length > 0)
  })

  t.test('calls no webhooks until it is back, then sends what they missed', async t => {
    const service = await coffer(t, { adminKey, webhooks: { allowInternalTargets: true } })
    const { alice, clock } = service
    const hooks = await receiver(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    await app.do('webhooks.create', { url: hooks.url })
    await alice.event()
    await hooks.received(1)
    await alice.event()
    await move(service)
    clock.advance(60)
    t.equal(hooks.deliveries.length, 1)
    await move(service, 'DELETE')
    clock.advance(60)
    t.same(await hooks.received(2), [['eventsChanged'], ['eventsChanged']])
  })

  t.test('can be deleted only by the operator', async t => {
    const service = await coffer(t, { adminKey, userAccount: { delete: ['adminToken', 'personalToken'] } })
    await move(service)
    t.equal((await service.alice.http('GET', '/events')).status, 301)
    const remove = async (authorization: string): Promise<number> =>
      (await service.http('DELETE', '/users/alice', undefined, { authorization })).status
    t.equal(await remove(service.alice.token), 404)
    t.equal(await remove(adminKey), 200)
    t.equal((await service.alice.http('GET', '/events')).status, 404)
    t.ok(await service.user('alice'))
  })
})
