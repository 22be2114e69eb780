/** The rate limit of tokens: counting, then every transport. (docs/spec/limits.md#calls-of-a-token) */
import t, { type Test } from 'tap'
import { createCallLimit, type CallLimit } from '../../../core/security/call-limit.js'
import type { ApiError } from '../../../core/errors.js'
import { ManualClock } from '../../../core/time.js'
import type { Access } from '../../../schemas/access.js'
import { type Client, coffer, testConfig, type Overrides } from '../../support/coffer.js'
import { connect, socketOf } from '../../support/socket.js'
import type { Account } from '../../../storage/platform/account.js'

t.test('calls of a token', async t => {
  t.test('are not counted by default', async t => {
    t.equal(createCallLimit(testConfig('/nowhere'), new ManualClock()), undefined)
  })

  t.test('are allowed in a burst, then as fast as they leave the window', async t => {
    const { call, clock } = limited()
    t.same([call(), call(), call(), call(), call()], [0, 0, 0, 20, 20], 'a refused one is not counted')
    clock.advance(19)
    t.equal(call(), 1)
    clock.advance(1)
    t.same([call(), call()], [0, 20])
    clock.advance(1000)
    t.same([call(), call(), call(), call()], [0, 0, 0, 20], 'never more than fit into it')
  })

  t.test('are counted by access and account, with the limit of its type', async t => {
    const { call } = limited({ personal: 0, app: 1, shared: 2, window: 10 })
    const counts = (of: Access, by = account('alice')) => [call(of, by), call(of, by), call(of, by)]
    t.same(counts(access('a')), [0, 0, 5])
    t.same(counts(access('b')), [0, 0, 5])
    t.same(counts(access('a'), account('bobby')), [0, 0, 5])
    t.same(counts(access('c', 'app')), [0, 10, 10])
    t.same(counts(access('d', 'personal')), [0, 0, 0])
  })

  t.test('can be checked without being counted', async t => {
    const { call, limit } = limited()
    const check = () => waitOf(() => limit.check(account('alice'), access('a')))
    t.same([check(), check(), check(), check(), call(), call(), call(), check()], [0, 0, 0, 0, 0, 0, 0, 20])
  })

  t.test('are counted again when the clock jumps back', async t => {
    const { call, clock } = limited()
    for (let count = 0; count < 3; count++) call()
    clock.advance(-100_000)
    t.same([call(), call(), call(), call()], [0, 0, 0, 20])
  })
})

t.test('a token above its rate limit', async t => {
  const limits = { callsPerToken: { app: 2, shared: 4, window: 60 } }

  t.test('gets the time after which to retry, without affecting others or changing data', async t => {
    const { alice, clock, service } = await start(t, { limits })
    const sensor = await alice.grant('contribute', 'diary')
    const other = await alice.grant('contribute', 'diary')
    const bobby = await service.user('bobby')
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'hello' }
    for (let count = 0; count < 4; count++) t.equal((await sensor.http('POST', '/events', event)).status, 201)
    const refused = await sensor.http('POST', '/events', event)
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '15')
    t.equal(refused.headers.get('access-id'), sensor.access.id)
    t.match(refused.body, {
      error: { id: 'too-many-requests', data: { calls: 4, window: 60, retryAfter: 15 } },
      meta: Object
    })
    const { events } = await alice.do('events.get', { fromTime: 0 })
    t.equal(events.length, 4)
    for (const client of [alice, other, bobby]) t.match(await client.call('getAccessInfo'), { type: String })
    clock.advance(15)
    t.match(await sensor.call('getAccessInfo'), { calls: { 'events.create': 4 } })
    t.equal((await sensor.http('POST', '/events', event)).status, 429)
  })

  t.test('is recognised however it is sent, over any transport', async t => {
    const { alice, service } = await start(t, { limits: { callsPerToken: { shared: 1 } }, hf: { port: 0 } })
    const seriesId = (await alice.event({ type: 'series:mass/kg', content: undefined, time: 0 })).id
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
    const info = '/alice/access-info'
    type Way = (client: Client) => Promise<number>
    const ways: Record<string, Way> = {
      header: async ({ token }) => await statusOf(info, { authorization: token }),
      'with a caller id': async ({ token }) => await statusOf(info, { authorization: `${token} somebody` }),
      bearer: async ({ token }) => await statusOf(info, { authorization: `Bearer ${token}` }),
      basic: async ({ token }) => await statusOf(info, { authorization: basic(token) }),
      query: async ({ token }) => await statusOf(`${info}?auth=${token}`),
      batch: async client => (await client.http('POST', '/', [])).status,
      upload: async client => {
        const form = new FormData()
        form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
        form.append('file', new Blob(['bytes']), 'a.txt')
        return (await client.http('POST', '/events', form)).status
      },
      series: async client => (await client.http('POST', `/events/${seriesId}/series`, points)).status,
      'port for series': async ({ token }) => {
        const url = `${service.server.seriesUrl}/alice/events/${seriesId}/series`
        return (await fetch(url, { headers: { authorization: token } })).status
      },
      socket: async ({ token }) => {
        const opened = await connect(t, service.server.url, 'alice', token).catch((error: Error) => error)
        return opened instanceof Error &&
          opened.message.startsWith('This access has reached its call limit (1 per')
          ? 429
          : 200
      }
    }
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await service.http('GET', path, undefined, headers)).status
    for (const [name, way] of Object.entries(ways)) {
      const client = await alice.grant('contribute', 'diary')
      t.not(await way(client), 429, name)
      for (const [other, next] of Object.entries(ways))
        t.equal(await next(client), 429, `${name}, then ${other}`)
    }
  })

  t.test('has each call of a batch counted, and those above the limit refused one by one', async t => {
    const { alice } = await start(t, { limits })
    const sensor = await alice.grant('contribute', 'diary')
    const call = { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'x' } }
    const { results } = await sensor.do('callBatch', [call, call, call, call, call])
    const tooMany = { error: { id: 'too-many-requests', data: { retryAfter: Number } } }
    t.match(
      results,
      [{ event: {} }, { event: {} }, { event: {} }, tooMany, tooMany],
      'the batch is a call too'
    )
    t.equal((await alice.do('events.get', { fromTime: 0 })).events.length, 3)
    t.equal((await sensor.http('POST', '/', [call])).status, 429)
  })

  t.test('has the calls of a batch counted once, even if they are retried', async t => {
    const { alice } = await start(t, { limits: { callsPerToken: { app: 8, window: 60 } } })
    const app = await alice.grant('contribute', ':system:email', { type: 'app' })
    const calls = ['a', 'b', 'c', 'd', 'e'].map(name => ({
      method: 'events.create',
      params: { streamIds: [':system:email'], type: 'email/string', content: `${name}@example.org` }
    }))
    const { results } = await app.do('callBatch', calls)
    t.match(
      results,
      calls.map(() => ({ event: { id: String } }))
    )
    t.match(await app.call('getAccessInfo'), { calls: { 'events.create': 5 } })
    t.match(await app.call('getAccessInfo'), { type: 'app' })
    t.match(await app.call('getAccessInfo'), { error: { id: 'too-many-requests' } }, 'eight calls, no more')
  })

  t.test('gets errors over an open socket, which stays open', async t => {
    const { alice, clock } = await start(t, { limits })
    const socket = await socketOf(t, await alice.grant('read', 'diary'))
    const scope = { key: 'k', kind: 'events', query: { streams: ['diary'] } }
    t.match(await socket.call('subscribe', scope), { ok: true })
    for (let count = 0; count < 2; count++) t.match(await socket.call('getAccessInfo'), { type: 'shared' })
    for (const method of ['getAccessInfo', 'events.get', 'getSubscriptions'])
      t.match(await socket.call(method), { error: { id: 'too-many-requests', data: { retryAfter: 15 } } })
    await alice.event()
    clock.advance(15)
    t.match(await socket.call('getSubscriptions'), { scopes: { k: {} } })
    t.same(socket.heard, ['notificationsChanged'])
  })

  t.test('leaves one trace in the audit log, however many calls follow', async t => {
    const { alice } = await start(t, { limits })
    const sensor = await alice.grant('read', 'diary')
    for (let count = 0; count < 300; count++) await sensor.call('events.get')
    const streams = [`:_audit:access-${sensor.access.id}`]
    const { events } = await alice.do('events.get', { streams, limit: 1000 })
    const { true: refused, false: made } = countBy(events as { type: string }[], ({ type }) =>
      type.endsWith('-error')
    )
    t.equal(made, 4)
    t.equal(refused, 101)
    t.match(events[0].content, {
      id: 'too-many-requests',
      message: /^Calls not recorded individually: 196\./
    })
  })

  t.test('is recognised by the thread that owns its user', async t => {
    const { alice, service } = await start(t, { limits, workers: 2 })
    const sensors = await Promise.all(
      ['bobby', 'carol', 'david'].map(async name => {
        const owner = await service.user(name)
        await owner.stream('diary')
        return await owner.grant('read', 'diary')
      })
    )
    const all = [...sensors, await alice.grant('read', 'diary')]
    for (const sensor of all) {
      const statuses = []
      for (let count = 0; count < 5; count++) statuses.push((await sensor.http('GET', '/events')).status)
      t.same(statuses, [200, 200, 200, 200, 429], sensor.username)
    }
    service.clock.advance(15)
    for (const sensor of all) t.equal((await sensor.http('GET', '/events')).status, 200)
  })
})

function limited(callsPerToken: object = { shared: 3, window: 60 }) {
  const clock = new ManualClock()
  const limit = createCallLimit(testConfig('/nowhere', { limits: { callsPerToken } }), clock)!
  const call = (of: Access = access('a'), by = account('alice')) => waitOf(() => limit.count(by, of))
  return { clock, limit, call }
}

async function start(t: Test, overrides: Overrides) {
  const service = await coffer(t, overrides)
  await service.alice.stream('diary')
  return { alice: service.alice, clock: service.clock, service }
}

function account(id: string): Account {
  return { id } as Account
}

function access(id: string, type: Access['type'] = 'shared'): Access {
  return { id, type } as Access
}

function basic(token: string): string {
  return `Basic ${Buffer.from(`${token}:`).toString('base64')}`
}

function waitOf(attempt: () => ReturnType<CallLimit['count']>): number {
  try {
    attempt()
    return 0
  } catch (error) {
    return (error as ApiError).details.retryAfter ?? Number.NaN
  }
}

function countBy<T>(items: readonly T[], of: (item: T) => boolean): Record<'true' | 'false', number> {
  const trues = items.filter(of).length
  return { true: trues, false: items.length - trues }
}
