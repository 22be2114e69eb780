/** Long batch results are sent in chunks: sending them as a whole blocked the event loop. */
import t from 'tap'
import { Changes } from '../../../core/changes.js'
import { BatchResults } from '../../../core/dispatch/batch-results.js'
import { ReadAuthorization } from '../../../core/dispatch/read-authorization.js'
import { openCoffer, textsOf } from '../../support/coffer.js'
import type { Credentials } from '../../../core/call/credentials.js'
import { inRotation } from '../../support/rotation.js'

const credentials: Credentials = { ip: '127.0.0.1', via: 'http' }

const create = (_: unknown, i: number): object => ({
  method: 'events.create',
  params: { streamIds: ['diary'], type: 'note/txt', content: 'a'.repeat(200), time: i }
})

t.test('results of a batch', async t => {
  const { services } = (await openCoffer(t)).server
  const account = services.accounts.find('alice')!
  const reading = new ReadAuthorization(services, account, credentials, undefined)
  for (const { name, given, count } of [
    { name: 'none', given: [], count: 1 },
    { name: 'short ones', given: [['{"a":1}'], ['{"b":', '[2]', '}']], count: 1 },
    { name: 'a long one', given: [['{"a":"', 'x'.repeat(250_000), '€'.repeat(250_000), '"}']], count: 2 },
    {
      name: 'many',
      given: Array.from({ length: 50 }, (_, i) => [`{"a":"${String(i).repeat(10_000)}"}`]),
      count: 2
    }
  ])
    t.test(`are complete: ${name}`, async t => {
      const results = new BatchResults(services.spools, services.config.limits)
      for (const texts of given) {
        results.begin()
        for (const text of texts) results.add(text)
      }
      const texts: string[] = []
      for await (const text of textsOf(await results.createOutcome(reading, 'access'))) texts.push(text)
      t.same(
        JSON.parse(`{${texts.join('')}}`).results,
        given.map(each => JSON.parse(each.join('')))
      )
      t.ok(texts.length >= count, String(texts.length))
      for (const text of texts) t.ok(text.length < 300_000)
    })

  t.test('can be replaced, whatever their length', async t => {
    for (const [first, second] of [
      [10, 10],
      [10, 900_000],
      [900_000, 900_000],
      [200_000, 200_000]
    ] as const) {
      const results = new BatchResults(services.spools, services.config.limits)
      for (const [text, length] of [
        ['x', first],
        ['y', second],
        ['z', second]
      ] as const) {
        results.begin()
        results.add(`"${text.repeat(length)}`)
        if (text === 'y') results.replace('"another"')
        else results.add('"')
      }
      let all = ''
      for await (const text of textsOf(await results.createOutcome(reading, 'access'))) all += text
      t.same(JSON.parse(`{${all}}`).results, ['x'.repeat(first), 'another', 'z'.repeat(second)])
    }
  })
})

const test = inRotation(t, 2)

test('a batch of long lists', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  await alice.do('callBatch', Array.from({ length: 1500 }, create))
  const gets = Array.from({ length: 4 }, () => ({ method: 'events.get', params: { limit: 1500 } }))
  const list = await alice.do('events.get', { limit: 1500 })
  const outcome = await server.dispatcher.call({
    user: 'alice',
    method: 'callBatch',
    params: [...gets, { method: 'nothing', params: {} }],
    credentials: { ...credentials, authorization: alice.token }
  })
  t.ok(outcome.ok && outcome.accessId === alice.access.id)
  const texts: string[] = []
  for await (const text of textsOf(outcome)) texts.push(text)
  t.ok(texts.length >= 8, `${texts.length} pieces`)
  for (const text of texts) t.ok(text.length < 800_000, String(text.length))
  const { results } = JSON.parse(`{${texts.join('')}}`)
  t.equal(results.length, 5)
  for (const { events } of results.slice(0, 4)) t.same(events, list.events)
  t.match(results[4], { error: { id: 'invalid-method' } })
})

t.test('asynchronous calls of a batch yield to others even if they did not wait', async t => {
  const { alice } = await openCoffer(t)
  for (const call of [
    { method: 'service.info', params: {} },
    { method: 'webhooks.test', params: { id: 'none' } }
  ]) {
    let turns = 0
    let timer = setImmediate(function turn() {
      turns++
      timer = setImmediate(turn)
    })
    const { results } = await alice.call('callBatch', Array<object>(500).fill(call))
    clearImmediate(timer)
    t.equal(results.length, 500)
    t.ok(turns > 100, `${turns} turns in ${call.method}`)
  }
})

t.test('changes of many calls in a batch are published before its end', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('s0')
  const ids = Array.from({ length: 300 }, (_, at) => `s${at}`)
  const streams = ids.slice(1).map((id, at) => ({
    method: 'streams.create',
    params: { id, name: id, parentId: at % 60 === 0 ? null : `s${at}` }
  }))
  await alice.do('callBatch', streams)
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const total = 100
  const last = 'c000000000000000000000099'
  const told: boolean[] = []
  server.services.bus.subscribe(() => told.push(store.read(() => store.events.find(last)) !== undefined))
  const calls = Array.from({ length: total }, (_, at) => ({
    method: 'events.create',
    params: { id: `c${String(at).padStart(24, '0')}`, streamIds: ids, type: 'note/txt', content: 'x' }
  }))
  await alice.do('callBatch', calls)
  t.equal(told.length, total, 'one by one')
  t.equal(told[0], false, 'the first before the last has been made')
  t.equal(told.at(-1), true)
})

test('changes of many items in many streams use little memory', t => {
  const path = Array.from({ length: 100 }, (_, at) => ({ stream: { id: `stream ${at}` } }))
  const nodes = new Map(
    Array.from({ length: 1000 }, (_, at) => {
      const [first, ...rest] = [{ stream: { id: `s${at}` } }, ...path] as {
        stream: { id: string }
        parent?: unknown
      }[]
      let node: { stream: { id: string }; parent?: unknown } | undefined
      for (const { stream } of [first!, ...rest].toReversed()) node = { stream, parent: node }
      return [`s${at}`, node]
    })
  )
  const changes = new Changes({ find: id => nodes.get(id) as never })
  const ids = [...nodes.keys()]
  for (let at = 0; at < 60; at++) changes.add('events', ids.slice(at))
  const [change] = changes.list()
  t.equal(change?.places?.length, 60)
  t.same(change?.places?.[59]?.[0]?.slice(0, 2), ['s59', 'stream 0'])
  t.equal(new Set(change?.places?.flat()).size, 1000, 'each path is there once')
  t.ok(changes.size < 400_000, String(changes.size))
  t.end()
})
