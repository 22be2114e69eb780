/** Calls that have much to do: others are answered meanwhile, the account's own see the state before or after. (issue 8.3) */
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from '../support/coffer.js'
import type { Test } from 'tap'

const many = 2000

/** A stream in the trash with many events: some in another one too. */
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

/** Makes a call; `isUnderWay` until it is answered. */
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
  for (const mergeEventsWithParent of [true, false])
    t.test(`is deleted while others are answered, merged: ${mergeEventsWithParent}`, async t => {
      const { alice, bob, server } = await service(t)
      const heard: string[] = []
      server.core.bus.subscribe((username, { kind }) => {
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
      const store = server.core.accounts.store(server.core.accounts.find('alice')!)
      t.same(store.storageUsed(), store.recountStorageUsed())
      t.equal(store.streams.find('going'), undefined)
      const { events } = await alice.do('events.get', { streams: [':_audit:action-streams.delete'] })
      t.equal(events.filter((event: Answer) => event.content.query?.id === 'going').length, 0)
      t.equal(events.length, 2, 'recorded once each')
    })

  t.test('is there until it is gone: reads see what was before, writes come after', async t => {
    const { alice } = await service(t)
    const deletion = begun(alice, 'streams.delete', { id: 'going', mergeEventsWithParent: false })
    const late = alice.call('events.create', { streamIds: ['going'], type: 'count/generic', content: 1 })
    const elsewhere = alice.call('events.create', { streamIds: ['home'], type: 'count/generic', content: 1 })
    let looks = 0
    for (; deletion.isUnderWay; await turn()) {
      // Two calls that nothing comes between.
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

  t.test('is refused as any other, and nothing has changed', async t => {
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

  t.test('is deleted within a batch, in its place', async t => {
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

  t.test('leaves what history and deletions are to keep', async t => {
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

  t.test('is deleted before its account is, and before the service ends', async t => {
    const { alice, server } = await service(t, { adminKey: 'key' })
    const deletion = begun(alice, 'streams.delete', { id: 'going', mergeEventsWithParent: false })
    await turn()
    const { accounts } = server.core
    await accounts.remove(accounts.find('alice')!)
    t.notOk(deletion.isUnderWay && (await deletion.answer).ok)
    t.equal(accounts.find('alice'), undefined)
  })
})
