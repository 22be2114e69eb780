import t from 'tap'
import type { Level } from '../../../../schemas/permission.js'
import { type Answer, type Client, coffer, openCoffer } from '../../../support/coffer.js'

/** Creates top(middle(low)) and other; events are named after their streams. */
async function plant(alice: Client): Promise<Record<string, string>> {
  const streams = [
    ['top', null],
    ['middle', 'top'],
    ['low', 'middle'],
    ['other', null]
  ] as const
  for (const [id, parentId] of streams) await alice.stream(id, parentId)
  const ids: Record<string, string> = {}
  for (const name of ['top', 'middle', 'low', 'other', 'middle low', 'top low', 'low other'])
    ids[name] = (await alice.event({ streamIds: name.split(' ') })).id
  ids['trashed'] = (await alice.event({ streamIds: ['low'] })).id
  await alice.do('events.delete', { id: ids['trashed'] })
  return ids
}

async function trash(alice: Client, id: string): Promise<void> {
  await alice.do('streams.delete', { id })
}

/** Returns all data, to verify that nothing has changed. */
async function everything(alice: Client): Promise<Answer> {
  const { streams } = await alice.do('streams.get', { state: 'all' })
  const { events } = await alice.do('events.get', { state: 'all', limit: 1000, modifiedSince: 0 })
  return { streams, events }
}

t.test('streams.delete', async t => {
  t.test('moves a stream to the trash first', async t => {
    const { alice, clock } = await coffer(t)
    await plant(alice)
    clock.advance(5)
    const answer = await alice.do('streams.delete', { id: 'middle' })
    t.match(answer.stream, { id: 'middle', parentId: 'top', trashed: true, modified: clock.now() })
    t.notOk('children' in answer.stream)
    t.match(await alice.do('streams.get', { parentId: 'top' }), { streams: [] })
    t.match(await alice.do('streams.get', { parentId: 'top', state: 'all' }), {
      streams: [{ id: 'middle', trashed: true, children: [{ id: 'low', trashed: undefined }] }]
    })
  })

  t.test('deletes a trashed stream without events, with its substreams', async t => {
    const { alice, clock } = await coffer(t)
    for (const [id, parentId] of [
      ['a', null],
      ['b', 'a'],
      ['c', 'b']
    ] as const)
      await alice.stream(id, parentId)
    await trash(alice, 'b')
    const since = clock.now()
    clock.advance(1)
    const { accessId: _, ...answer } = await alice.do('streams.delete', { id: 'b' })
    t.same(answer, { updatedEvents: [], streamDeletion: { id: 'b' } })
    const { streams, streamDeletions } = await alice.do('streams.get', {
      state: 'all',
      includeDeletionsSince: since
    })
    t.match(streams, [{ id: 'a', children: [] }])
    t.same(streamDeletions.map(({ id }: { id: string }) => id).toSorted(), ['b', 'c'])
    t.ok(streamDeletions.every(({ deleted }: { deleted: number }) => deleted > since))
    t.match(await alice.call('streams.delete', { id: 'b' }), { status: 404 })
    await alice.stream('b')
    const again = await alice.do('streams.get', { includeDeletionsSince: since })
    t.match(again.streamDeletions, [{ id: 'c' }], 'an id that is in use again is not a deletion')
    t.equal(again.streamDeletions.length, 1)
  })

  t.test('requires a decision about the events', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    await trash(alice, 'middle')
    const before = await everything(alice)
    for (const params of [{}, { mergeEventsWithParent: null }])
      t.match(await alice.call('streams.delete', { id: 'middle', ...params }), {
        status: 400,
        error: { id: 'invalid-parameters-format' }
      })
    t.same(await everything(alice), before)
  })

  t.test('moves events to the parent', async t => {
    const { alice, clock } = await coffer(t)
    const ids = await plant(alice)
    await trash(alice, 'middle')
    const { events: before } = await everything(alice)
    clock.advance(5)
    const answer = await alice.do('streams.delete', { id: 'middle', mergeEventsWithParent: true })
    const moved = ['middle', 'low', 'middle low', 'top low', 'low other', 'trashed']
    t.same(
      answer.updatedEvents.toSorted(byId),
      moved.map(name => ({ id: ids[name], action: 'mergedToParent' })).toSorted(byId)
    )
    t.same(answer.streamDeletion, { id: 'middle' })
    const { events } = await everything(alice)
    const streamIds = (name: string): string[] =>
      events.find((event: { id: string }) => event.id === ids[name]).streamIds
    for (const name of ['top', 'middle', 'low', 'middle low', 'top low', 'trashed'])
      t.same(streamIds(name), ['top'], name)
    t.same(streamIds('low other'), ['top', 'other'])
    t.same(streamIds('other'), ['other'])
    for (const event of events) {
      const isMoved = moved.some(name => ids[name] === event.id)
      const was = before.find((each: { id: string }) => each.id === event.id)
      t.equal(event.streamId, event.streamIds[0])
      t.equal(event.modified > was.modified, isMoved, 'pollers see what has moved')
    }
    const { events: polled } = await alice.do('events.get', { modifiedSince: clock.now() - 1, state: 'all' })
    t.equal(polled.length, moved.length)
  })

  t.test('deletes events that are in no other stream', async t => {
    const { alice, clock } = await coffer(t)
    const ids = await plant(alice)
    await trash(alice, 'middle')
    clock.advance(5)
    const since = clock.now() - 1
    const answer = await alice.do('streams.delete', { id: 'middle', mergeEventsWithParent: false })
    const expected = [
      ...['middle', 'low', 'middle low', 'trashed'].map(name => ({ id: ids[name], action: 'deleted' })),
      ...['top low', 'low other'].map(name => ({ id: ids[name], action: 'updatedStreamIds' }))
    ]
    t.same(answer.updatedEvents.toSorted(byId), expected.toSorted(byId))
    const { events } = await everything(alice)
    t.same(
      events.map(({ id, streamIds }: { id: string; streamIds: string[] }) => [id, streamIds]).toSorted(),
      [
        [ids['top'], ['top']],
        [ids['other'], ['other']],
        [ids['top low'], ['top']],
        [ids['low other'], ['other']]
      ].toSorted()
    )
    const { eventDeletions } = await alice.do('events.get', { modifiedSince: since, includeDeletions: true })
    t.equal(eventDeletions.length, 4)
  })

  t.test('refuses to merge the events of a root stream', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    await trash(alice, 'top')
    const before = await everything(alice)
    const answer = await alice.call('streams.delete', { id: 'top', mergeEventsWithParent: true })
    t.match(answer, { status: 400, error: { id: 'invalid-operation', data: { streamId: 'top' } } })
    t.same(await everything(alice), before)
  })

  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    const before = await everything(alice)
    const cases: [Record<string, unknown>, string][] = [
      [{ id: 'nowhere' }, 'unknown-resource'],
      [{ id: '__proto__' }, 'unknown-resource'],
      [{ id: ':_system:account' }, 'invalid-operation'],
      [{ id: '.email' }, 'invalid-operation'],
      [{}, 'invalid-parameters-format'],
      [{ id: 5 }, 'invalid-parameters-format'],
      [{ id: 'top', mergeEventsWithParent: 'yes' }, 'invalid-parameters-format'],
      [{ id: 'top', force: true }, 'invalid-parameters-format']
    ]
    for (const [params, id] of cases)
      t.equal((await alice.call('streams.delete', params)).error?.id, id, JSON.stringify(params))
    t.same(await everything(alice), before)
  })

  t.test('requires the manage level on the stream and its substreams', async t => {
    const merge = { mergeEventsWithParent: true }
    const cases: [Record<string, Level>, Record<string, unknown>, 'trashed' | 'deleted' | 'refused'][] = [
      [{ middle: 'contribute' }, {}, 'refused'],
      [{ top: 'manage', middle: 'read' }, {}, 'refused'],
      [{ middle: 'create-only' }, {}, 'refused'],
      [{ middle: 'none', low: 'manage' }, {}, 'refused'],
      [{ other: 'manage' }, {}, 'refused'],
      [{ middle: 'manage' }, {}, 'trashed'],
      [{ top: 'manage' }, {}, 'trashed'],
      [{ middle: 'manage', low: 'none' }, {}, 'refused'],
      [{ middle: 'manage', low: 'read' }, {}, 'refused'],
      [{ middle: 'manage' }, { mergeEventsWithParent: false }, 'deleted'],
      [{ middle: 'manage', low: 'none' }, { mergeEventsWithParent: false }, 'refused'],
      [{ middle: 'manage', low: 'contribute' }, { mergeEventsWithParent: false }, 'refused'],
      [{ middle: 'manage' }, merge, 'refused'],
      [{ middle: 'manage', top: 'read' }, merge, 'refused'],
      [{ middle: 'manage', top: 'contribute' }, merge, 'deleted'],
      [{ '*': 'manage' }, merge, 'deleted']
    ]
    const service = await coffer(t)
    for (const [at, [held, params, outcome]] of cases.entries()) {
      const alice = await service.user(`alice${at}`)
      await plant(alice)
      const caller = await alice.grantAll(
        Object.entries(held).map(([streamId, level]) => ({ streamId, level }))
      )
      if ('mergeEventsWithParent' in params) await trash(alice, 'middle')
      const before = await everything(alice)
      const answer = await caller.call('streams.delete', { id: 'middle', ...params })
      const what = JSON.stringify([held, params])
      if (outcome === 'trashed') t.match(answer, { stream: { modifiedBy: caller.access.id } }, what)
      else if (outcome === 'deleted') t.match(answer, { streamDeletion: { id: 'middle' } }, what)
      else {
        t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
        t.same(await everything(alice), before, 'nothing has changed')
      }
    }
  })

  t.test('reports deletions only to accesses that could see the stream', async t => {
    const { alice, clock } = await coffer(t)
    for (const [id, parentId] of [
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
      ['d', null]
    ] as const)
      await alice.stream(id, parentId)
    const since = clock.now() - 1
    for (const id of ['b', 'b', 'd', 'd']) await alice.do('streams.delete', { id })
    const cases: [Record<string, Level>, string[]][] = [
      [{ '*': 'read' }, ['b', 'c', 'd']],
      [{ '*': 'read', b: 'none' }, ['d']],
      [{ a: 'read' }, ['b', 'c']],
      [{ a: 'read', c: 'none' }, ['b']],
      [{ c: 'create-only' }, ['c']],
      [{ d: 'read' }, ['d']],
      [{ e: 'read' }, []]
    ]
    for (const [held, seen] of cases) {
      const caller = await alice.grantAll(
        Object.entries(held).map(([streamId, level]) => ({ streamId, level }))
      )
      const answer = await caller.do('streams.get', { includeDeletionsSince: since })
      const ids = answer.streamDeletions.map(({ id }: { id: string }) => id)
      t.same(ids.toSorted(), seen, JSON.stringify(held))
    }
    const all = (await alice.do('streams.get', { includeDeletionsSince: 0 })).streamDeletions
    t.equal(all[0].id, 'd', 'newest first')
    const after = await alice.do('streams.get', { includeDeletionsSince: all[0].deleted })
    t.same(after.streamDeletions, [], 'what was deleted later than the time given')
  })

  t.test('publishes one change of streams and one of events, with the old and new streams', async t => {
    const { alice, server } = await openCoffer(t)
    await plant(alice)
    await trash(alice, 'low')
    const told: Answer[] = []
    server.services.bus.subscribe((_, { kind, places = [] }) =>
      told.push([kind, places.map(paths => paths.join(' '))])
    )
    await alice.do('streams.delete', { id: 'low', mergeEventsWithParent: true })
    const low = 'low,middle,top'
    const middle = 'middle,top'
    t.same(told, [
      ['streams', [low]],
      [
        'events',
        [low, middle, `${middle} ${low}`, `top ${low}`, `top ${middle}`, `${low} other`, `${middle} other`]
      ]
    ])
    told.length = 0
    await alice.call('streams.delete', { id: 'middle' })
    await alice.call('streams.delete', { id: 'top', mergeEventsWithParent: 5 })
    t.same(told, [['streams', [middle]]], 'a refusal tells nothing')
  })
})

function byId(a: { id?: string | undefined }, b: { id?: string | undefined }): number {
  return String(a.id) < String(b.id) ? -1 : 1
}
