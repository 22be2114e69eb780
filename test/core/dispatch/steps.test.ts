/** Long calls: others are handled meanwhile, and calls of the same account see the state before or after. */
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { matchesIntegrity } from '../../../core/integrity.js'
import { readJson } from '../../../core/json/reader.js'
import { runSteps } from '../../../storage/steps.js'
import {
  openCoffer,
  textsOf,
  type Answer,
  type Client,
  type Overrides,
  type Service
} from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.setTimeout(900_000)

const many = 1000

/** Starts a service with a trashed stream of many events, some of which are also in another stream. */
async function service(
  t: Test,
  overrides: Overrides = {}
): Promise<Service & { alice: Client; bob: Client }> {
  const coffer = await openCoffer(t, overrides)
  const { alice } = coffer
  for (const [id, parentId] of [
    ['home', null],
    ['going', 'home'],
    ['below', 'going'],
    ['other', null]
  ] as const)
    await alice.stream(id, parentId)
  const calls = Array.from({ length: many }, (_, i) => ({
    method: 'events.create',
    params: {
      streamIds: i % 10 === 0 ? ['going', 'below'] : i % 10 === 1 ? ['other', 'below'] : ['going'],
      type: 'count/generic',
      content: i,
      time: i
    }
  }))
  await alice.do('callBatch', calls)
  await alice.do('streams.delete', { id: 'going' })
  const bob = await coffer.user('bob')
  await bob.stream('diary')
  return Object.assign(coffer, { bob })
}

/** Makes a call; `isUnderWay` until it returns. */
function begun(
  client: Client,
  method: string,
  params: object
): { answer: Promise<Answer>; isUnderWay: boolean } {
  const call = {
    isUnderWay: true,
    answer: client.call(method, params).finally(() => {
      call.isUnderWay = false
    })
  }
  return call
}

const count = async (client: Client, streams: string[]): Promise<number> =>
  (await client.do('events.get', { streams, state: 'all', limit: 2 * many })).events.length

t.test('a stream with many events', async t => {
  const test = inRotation(t, 2)
  for (const mergeEventsWithParent of rotate(t, [true, false]))
    t.test(`is deleted while other calls are handled, merged: ${mergeEventsWithParent}`, async t => {
      const { alice, bob, server } = await service(t)
      const heard: string[] = []
      server.services.bus.subscribe(({ username }, { kind }) => {
        if (username === 'alice') heard.push(kind)
      })
      const deletion = begun(alice, 'streams.delete', { id: 'going', mergeEventsWithParent })
      let answers = 0
      while (deletion.isUnderWay) {
        await bob.do('events.get')
        answers++
        await turn()
      }
      const { streamDeletion, updatedEvents } = await deletion.answer
      t.ok(answers > 3, `${answers} answers meanwhile`)
      t.same(streamDeletion, { id: 'going' })
      t.equal(updatedEvents.length, many)
      t.same(heard, ['streams', 'events'], 'told once')
      t.equal(await count(alice, ['other']), many / 10)
      t.equal(await count(alice, ['home']), mergeEventsWithParent ? many : 0)
      const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
      t.same(store.storageUsed(), store.recountStorageUsed())
      t.equal(store.streams.find('going'), undefined)
      const { events } = await alice.do('events.get', { streams: [':_audit:action-streams.delete'] })
      t.equal(events.filter((event: Answer) => event.content.query?.id === 'going').length, 0)
      t.equal(events.length, 2, 'recorded once each')
    })

  for (const isBatch of [false, true])
    test(`is deleted with a result however many events it had, in a batch: ${isBatch}`, async t => {
      const { alice, server } = await service(t, { limits: { batchResultItems: 10 } })
      const params = { id: 'going', mergeEventsWithParent: true }
      const outcome = await server.dispatcher.call({
        user: 'alice',
        method: isBatch ? 'callBatch' : 'streams.delete',
        params: isBatch ? [{ method: 'streams.delete', params }] : params,
        credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
      })
      const texts: string[] = []
      for await (const more of textsOf(outcome)) texts.push(more)
      const answer: Answer = JSON.parse(`{${texts.join('')}}`)
      const { updatedEvents } = isBatch ? answer.results[0] : answer
      t.equal(updatedEvents.length, many)
    })

  test('exists until it is deleted: reads see the state before, writes come after', async t => {
    const { alice } = await service(t)
    const deletion = begun(alice, 'streams.delete', { id: 'going', mergeEventsWithParent: false })
    const late = alice.call('events.create', { streamIds: ['going'], type: 'count/generic', content: 1 })
    const elsewhere = alice.call('events.create', { streamIds: ['home'], type: 'count/generic', content: 1 })
    let looks = 0
    for (; deletion.isUnderWay; await turn()) {
      // Two calls with nothing in between.
      const { streams } = await alice.do('streams.get', { parentId: 'home', state: 'all' })
      const events = await alice.call('events.get', { streams: ['going'], state: 'all', limit: 1 })
      t.equal(streams.length === 1, events.events?.length === 1, 'stream and events go together')
      looks++
    }
    t.ok(looks > 0)
    t.notOk((await deletion.answer).error)
    t.match(await late, { error: { id: 'unknown-referenced-resource' } })
    t.notOk((await elsewhere).error)
    t.match(await alice.do('streams.get', { parentId: 'home', state: 'all' }), { streams: [] })
    t.equal(await count(alice, ['home']), 1)
  })

  t.test('is protected by the usual checks, and unchanged after a refusal', async t => {
    const { alice } = await service(t)
    const before = await count(alice, ['going'])
    t.match(await alice.call('streams.delete', { id: 'going' }), {
      error: { id: 'invalid-parameters-format' }
    })
    const reader = await alice.grant('read', 'going')
    const refused = await reader.call('streams.delete', { id: 'going', mergeEventsWithParent: false })
    t.match(refused, { error: { id: 'forbidden' } })
    t.equal(await count(alice, ['going']), before)
  })

  test('is deleted within a batch, in order', async t => {
    const { alice } = await service(t)
    const { results } = await alice.do('callBatch', [
      { method: 'events.create', params: { streamIds: ['home'], type: 'count/generic', content: 1 } },
      { method: 'streams.delete', params: { id: 'going', mergeEventsWithParent: false } },
      { method: 'streams.delete', params: { id: 'going', mergeEventsWithParent: false } },
      { method: 'events.get', params: { streams: ['home'] } }
    ])
    t.equal(results[1].updatedEvents.length, many)
    t.match(results[2], { error: { id: 'unknown-resource' } })
    t.equal(results[3].events.length, 1)
  })

  test('leaves history and deletions as configured', async t => {
    const { alice } = await service(t, {
      versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' }
    })
    await alice.do('streams.delete', { id: 'going', mergeEventsWithParent: false })
    const since = { modifiedSince: 0, includeDeletions: true, limit: many }
    const { eventDeletions, events } = await alice.do('events.get', since)
    t.equal(eventDeletions.length, many - many / 10)
    const { id } = events.find((event: Answer) => event.streamIds[0] === 'other')
    const { history } = await alice.do('events.getOne', { id, includeHistory: true })
    t.match(history, [{ streamIds: ['other', 'below'] }])
  })

  test('is deleted before its account is, and before the service stops', async t => {
    const { alice, server } = await service(t, { adminKey: 'key' })
    const deletion = begun(alice, 'streams.delete', { id: 'going', mergeEventsWithParent: false })
    await turn()
    const { accounts } = server.services
    await accounts.remove(accounts.find('alice')!)
    t.notOk(deletion.isUnderWay && (await deletion.answer).ok)
    t.equal(accounts.find('alice'), undefined)
  })
})

t.test('a write of many data points', async t => {
  const fields = ['deltaTime', 'value']

  t.test('runs while other calls are handled, and becomes visible as a whole', async t => {
    const { alice, user } = await withSeries(t)
    const bob = await user('bob')
    const id = (await alice.event({ type: 'series:count/generic', content: undefined, time: 0 })).id
    const rows = points(0, 24_000)
    // Out of order, with one duplicate.
    const shuffled = [...rows.slice(12_000), ...rows.slice(0, 12_000), [5, 100]]
    const writing = begun(alice, 'hfs.add', { id, format: 'flatJSON', fields, points: shuffled })
    let answers = 0
    const seen = new Set<number>()
    for (; writing.isUnderWay; await turn(), answers++) {
      await bob.do('events.get')
      const sample = await alice.do('hfs.get', { id, limit: 10, toDeltaTime: 1e6 })
      seen.add(sample.points.length)
    }
    t.ok(answers > 3, `${answers} answers meanwhile`)
    t.ok([...seen].every(length => length === 0 || length === 10))
    t.same((await writing.answer).status, 'ok')
    const { points: kept } = await alice.do('hfs.get', { id, toDeltaTime: 1e6 })
    t.ok(isDeepStrictEqual(kept, rows.with(5, [5, 100])))
    const over = points(0.5, 20_000)
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points: over })
    const { points: both } = await alice.do('hfs.get', { id, toDeltaTime: 1e6 })
    const expected = [...rows.with(5, [5, 100]), ...over].toSorted(([a], [b]) => a! - b!)
    t.ok(isDeepStrictEqual(both, expected))
  })

  t.test('changes nothing if its end is invalid', async t => {
    const { alice } = await withSeries(t)
    const ids = []
    for (let i = 0; i < 2; i++)
      ids.push((await alice.event({ type: 'series:count/generic', content: undefined, time: 0 })).id)
    const rows = points(0, 5000)
    const data = ids.map((eventId, i) => ({
      eventId,
      data: { format: 'flatJSON', fields, points: i === 0 ? rows : [...rows, ['no number', 1]] }
    }))
    t.match(await alice.call('hfs.addBatch', { format: 'seriesBatch', data }), {
      error: { id: 'invalid-request-structure', data: { entry: 1, row: 5000, rule: 'type' } }
    })
    for (const id of ids) t.same((await alice.do('hfs.get', { id })).points, [])
    t.match(await alice.do('hfs.addBatch', { format: 'seriesBatch', data: data.slice(0, 1) }), {
      status: 'ok'
    })
    t.equal((await alice.do('hfs.get', { id: ids[0], toDeltaTime: 1e6 })).points.length, 5000)
  })

  t.test('counts against the quota as a whole', async t => {
    const { alice } = await withSeries(t, { quota: { bytes: 50_000 } })
    const id = (await alice.event({ type: 'series:count/generic', content: undefined, time: 0 })).id
    const refused = await alice.call('hfs.add', {
      id,
      format: 'flatJSON',
      fields,
      points: points(0, 20_000)
    })
    t.match(refused, { error: { id: 'user-intervention-required' } })
    t.same((await alice.do('hfs.get', { id })).points, [])
  })
})

function points(from: number, count: number): number[][] {
  return Array.from({ length: count }, (_, i) => [from + i, i % 7])
}

async function withSeries(
  t: Test,
  overrides: Overrides = {}
): Promise<{ alice: Client; server: Service['server']; user: (name: string) => Promise<Client> }> {
  const coffer = await openCoffer(t, overrides)
  await coffer.alice.stream('diary')
  return { alice: coffer.alice, server: coffer.server, user: name => coffer.user(name) }
}

t.test('an app with many accesses is deleted with them while other calls are handled', async t => {
  const { alice, server, user } = await withSeries(t)
  const bob = await user('bob')
  const app = await alice.grant('manage', 'diary', { type: 'app' })
  const permissions = [{ streamId: 'diary', level: 'read' }]
  const calls = Array.from({ length: 600 }, (_, i) => ({
    method: 'accesses.create',
    params: { name: `shared ${i}`, permissions }
  }))
  const { results } = await app.do('callBatch', calls)
  const heard: string[] = []
  server.services.bus.subscribe(({ username }, { kind }) => heard.push(`${username} ${kind}`))
  const deletion = begun(alice, 'accesses.delete', { id: app.access.id })
  let answers = 0
  for (; deletion.isUnderWay; await turn(), answers++) await bob.do('events.get')
  t.ok(answers > 2, `${answers} answers meanwhile`)
  const { relatedDeletions } = await deletion.answer
  t.equal(relatedDeletions.length, 600)
  t.same(heard, ['alice accesses'])
  t.match(await app.call('events.get'), { error: { id: 'invalid-access-token' } })
  const { token } = results[0].access
  const refused = await alice.service.call('alice', 'events.get', {}, token)
  t.match(refused, { error: { id: 'invalid-access-token' } })
})

t.test('an event with large content', async t => {
  const test = inRotation(t, 2)
  const content = { list: Array.from({ length: 150_000 }, (_, i) => i / 8), text: '\n'.repeat(500_000) }

  /** Returns params as a transport parses them. */
  const large = (fields: object): object => {
    const text = JSON.stringify({ streamIds: ['diary'], type: 'own/thing', content, ...fields })
    return runSteps(readJson(text, { jsonDepth: 100, jsonKeys: 1000 })) as object
  }

  test('is created while other calls are handled', async t => {
    const { alice, user } = await withSeries(t)
    const bob = await user('bob')
    const creation = begun(alice, 'events.create', large({ id: 'cthelargeone0000000000000' }))
    let answers = 0
    for (; creation.isUnderWay; await turn(), answers++) await bob.do('events.get')
    t.ok(answers > 6, `${answers} answers meanwhile`)
    const { event } = await creation.answer
    t.equal(matchesIntegrity(event), true)
    t.same((await alice.do('events.getOne', { id: event.id })).event, event)
    t.ok(JSON.stringify(event.content) === JSON.stringify(content))
    const again = await alice.call('events.create', large({ id: event.id }))
    t.match(again, { error: { id: 'item-already-exists' } })
  })

  test('is changed, trashed and deleted while other calls are handled, however small the change', async t => {
    const { alice, user } = await withSeries(t, { versioning: { forceKeepHistory: true } })
    const bob = await user('bob')
    const { event } = await alice.do('events.create', large({}))
    const { id } = event
    for (const [method, params] of [
      ['events.update', { id, update: { description: 'short' } }],
      [
        'events.update',
        { id, update: large({ content: { ...content, text: 'another' }, streamIds: undefined }) }
      ],
      ['events.delete', { id }]
    ] as const) {
      const change = begun(alice, method, params)
      let answers = 0
      for (; change.isUnderWay; await turn(), answers++) await bob.do('events.get')
      t.ok(answers > 6, `${answers} answers during ${method}`)
      const answer = await change.answer
      t.equal(matchesIntegrity(answer.event), true)
    }
    const { event: kept, history } = await alice.do('events.getOne', { id, includeHistory: true })
    t.match(kept, { description: 'short', trashed: true, content: { text: 'another' } })
    t.equal(history.length, 3)
    const refused = await bob.call('events.update', { id, update: {} })
    t.match(refused, { error: { id: 'unknown-resource' } })
    t.same((await alice.do('events.delete', { id })).eventDeletion, { id })
    t.match(await alice.call('events.delete', { id }), { error: { id: 'unknown-resource' } })
  })

  test('is created within a batch, in order', async t => {
    const { alice } = await withSeries(t)
    const { results } = await alice.do('callBatch', [
      { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'before' } },
      { method: 'events.create', params: large({}) },
      { method: 'events.create', params: large({ streamIds: ['unknown'] }) },
      { method: 'events.get', params: {} }
    ])
    t.equal(results[1].event.content.list.length, content.list.length)
    t.match(results[2], { error: { id: 'unknown-referenced-resource' } })
    t.equal(results[3].events.length, 2)
  })

  test('is created with its files', async t => {
    const { alice } = await withSeries(t)
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'own/thing', content }))
    form.append('file', new Blob(['of bytes']), 'a.txt')
    const { body, status } = await alice.http('POST', '/events', form)
    t.equal(status, 201)
    t.match(body.event.attachments, [{ fileName: 'a.txt', size: 8 }])
    t.equal(matchesIntegrity(body.event), true)
  })
})
