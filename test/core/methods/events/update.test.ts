/** `events.update`. */
import t from 'tap'
import { coffer, type Answer } from '../../../support/coffer.js'

t.test('events.update', async t => {
  const { alice, clock } = await coffer(t)
  for (const id of ['diary', 'work', 'other', 'bin']) await alice.stream(id)
  const binned = await alice.event({ streamIds: ['bin', 'diary'] })
  await alice.do('streams.update', { id: 'bin', update: { trashed: true } })
  const full = {
    streamIds: ['diary', 'work'],
    duration: 10,
    description: 'text',
    clientData: { a: 1, b: { c: 2 } }
  }
  const gone = await alice.event()
  await alice.do('events.delete', { id: gone.id })
  await alice.do('events.delete', { id: gone.id })

  t.test('changes only the given fields', async t => {
    const event = await alice.event(full)
    clock.advance(5)
    const { event: changed } = await alice.do('events.update', { id: event.id, update: { content: 'new' } })
    t.same(changed, { ...event, content: 'new', ...stampOf(changed) })
    t.equal(changed.modified, clock.now())
    t.same((await alice.do('events.getOne', { id: event.id })).event, changed)
  })

  const changes: [what: string, update: Record<string, unknown>, fields: Record<string, unknown>][] = [
    ['time', { time: 5 }, { time: 5 }],
    ['a duration', { duration: 7 }, { duration: 7 }],
    ['a period into a point', { duration: 0 }, { duration: undefined }],
    ['a period into a running one', { duration: null }, { duration: null }],
    ['the type, which converts content', { type: 'mass/kg', content: '3' }, { type: 'mass/kg', content: 3 }],
    ['a description into none', { description: null }, { description: undefined }],
    ['clientData key by key', { clientData: { a: null, d: 4 } }, { clientData: { b: { c: 2 }, d: 4 } }],
    ['clientData into none', { clientData: null }, { clientData: undefined }],
    ['streams', { streamIds: ['work', 'other', 'work'] }, { streamIds: ['work', 'other'], streamId: 'work' }],
    ['the one stream', { streamId: 'other' }, { streamIds: ['other'], streamId: 'other' }],
    ['the state: into the trash', { trashed: true }, { trashed: true }],
    ['nothing for null where there must be a value', { time: null, streamIds: null }, {}]
  ]
  for (const [what, update, fields] of changes)
    t.test(`changes ${what}`, async t => {
      const event = await alice.event(full)
      const { event: changed } = await alice.do('events.update', { id: event.id, update })
      const expected = JSON.parse(JSON.stringify({ ...event, ...fields, ...stampOf(changed) }))
      t.same(changed, expected)
      t.same((await alice.do('events.getOne', { id: event.id })).event, changed)
    })

  t.test('limits client data to the size of a body, also over several calls', async t => {
    const { alice } = await coffer(t, { limits: { bodyBytes: 1024 } })
    await alice.stream('diary')
    const { id } = await alice.event({ clientData: { a: 'x'.repeat(600) } })
    const more = { b: 'x'.repeat(600) }
    const refusal = { status: 400, error: { id: 'invalid-operation' } }
    t.match(await alice.call('events.update', { id, update: { clientData: more } }), refusal)
    t.same(Object.keys((await alice.do('events.getOne', { id })).event.clientData), ['a'])
    t.notOk((await alice.call('events.update', { id, update: { clientData: { ...more, a: null } } })).error)
    await alice.do('streams.update', { id: 'diary', update: { clientData: more } })
    const other = { clientData: { c: 'x'.repeat(600) } }
    t.match(await alice.call('streams.update', { id: 'diary', update: other }), refusal)
  })

  t.test('restores from the trash', async t => {
    const event = await alice.event({ trashed: true })
    const { event: restored } = await alice.do('events.update', { id: event.id, update: { trashed: false } })
    t.notOk('trashed' in restored)
  })

  t.test('accepts a trashed stream that the event is already in', async t => {
    const update = { streamIds: ['bin', 'work'] }
    t.same((await alice.do('events.update', { id: binned.id, update })).event.streamIds, ['bin', 'work'])
  })

  const refusals: [what: string, update: unknown, error: object][] = [
    ['streamId and streamIds', { streamId: 'diary', streamIds: ['diary'] }, { id: 'invalid-operation' }],
    [
      'unknown streams',
      { streamIds: ['diary', 'x'] },
      { id: 'unknown-referenced-resource', data: { streamIds: ['x'] } }
    ],
    [
      'a trashed stream',
      { streamIds: ['bin'] },
      { id: 'invalid-operation', data: { trashedReference: 'streamIds' } }
    ],
    ['no stream', { streamIds: [] }, { id: 'invalid-parameters-format' }],
    ['a negative duration', { duration: -1 }, { id: 'invalid-parameters-format' }],
    ['a type of null', { type: null }, { id: 'invalid-parameters-format' }],
    ['a malformed type', { type: 'x' }, { id: 'invalid-parameters-format' }],
    ['content that does not fit', { content: 5 }, { id: 'invalid-parameters-format' }],
    ['a type that content does not fit', { type: 'mass/kg' }, { id: 'invalid-parameters-format' }],
    ['a series of a normal event', { type: 'series:mass/kg', content: null }, { id: 'invalid-operation' }],
    ['a long tag', { tags: ['x'.repeat(501)] }, { id: 'invalid-parameters-format' }],
    ['an update that is not an object', 5, { id: 'invalid-parameters-format' }],
    ...['more', 'deleted', 'headId', '__proto__', 'constructor'].map((name): [string, unknown, object] => [
      `the unknown field ${name}`,
      JSON.parse(`{ "content": "new", "id": "x", "${name}": 1 }`),
      {
        id: 'invalid-parameters-format',
        data: [{ code: 'OBJECT_ADDITIONAL_PROPERTIES', path: '#/update', params: [name] }]
      }
    ]),
    ...['id', 'attachments', 'created', 'createdBy', 'modified', 'modifiedBy', 'integrity'].map(
      (name): [string, unknown, object] => [
        `the protected field ${name}`,
        { content: 'new', [name]: 'x' },
        { id: 'forbidden', message: new RegExp(name) }
      ]
    )
  ]
  for (const [what, update, error] of refusals)
    t.test(`refuses ${what}`, async t => {
      const event = await alice.event(full)
      t.match(await alice.call('events.update', { id: event.id, update }), { error })
      t.same((await alice.do('events.getOne', { id: event.id })).event, event)
    })

  t.test('refuses to turn a series into a normal event', async t => {
    const event = await alice.event({ type: 'series:mass/kg', content: undefined })
    const update = { type: 'mass/kg', content: 5 }
    t.match(await alice.call('events.update', { id: event.id, update }), {
      error: { id: 'invalid-operation' }
    })
  })

  t.test('refuses deleted events and unknown ids', async t => {
    for (const id of [gone.id, 'nope'])
      t.match(await alice.call('events.update', { id, update: {} }), { error: { id: 'unknown-resource' } })
  })

  const rights: [permissions: Record<string, string>, update: object, isAllowed: boolean][] = [
    [{ work: 'contribute' }, { content: 'new' }, true],
    [{ work: 'read', diary: 'create-only' }, { content: 'new' }, false],
    [{ other: 'manage' }, { content: 'new' }, false],
    [{ work: 'contribute' }, { streamIds: ['diary'] }, true],
    [{ work: 'contribute' }, { streamIds: ['work'] }, false],
    [{ work: 'contribute' }, { streamIds: ['diary', 'work', 'other'] }, false],
    [{ work: 'contribute', other: 'create-only' }, { streamIds: ['diary', 'other'] }, false],
    [{ work: 'contribute', other: 'contribute' }, { streamIds: ['diary', 'other'] }, true]
  ]
  for (const [permissions, update, isAllowed] of rights)
    t.test(
      `${isAllowed ? 'lets' : 'refuses'} ${JSON.stringify(permissions)} ${JSON.stringify(update)}`,
      async t => {
        const client = await alice.grantAll(
          Object.entries(permissions).map(([streamId, level]) => ({ streamId, level: level as 'read' }))
        )
        const event = await alice.event(full)
        const answer = await client.call('events.update', { id: event.id, update })
        if (isAllowed) t.match(answer.event, { ...update, modifiedBy: client.access.id })
        else t.match(answer, { error: { id: 'forbidden' } })
        const { event: kept } = await alice.do('events.getOne', { id: event.id })
        t.same(kept, isAllowed ? answer.event : event)
      }
    )
})

t.test('events.update ignores protected fields if the setting says so', async t => {
  const { alice } = await coffer(t, { ignoreProtectedFieldUpdates: true })
  await alice.stream('diary')
  const event = await alice.event()
  const update = { ...event, content: 'new', streamId: undefined, id: 'other' }
  const { event: changed } = await alice.do('events.update', { id: event.id, update })
  t.same(changed, { ...event, content: 'new', ...stampOf(changed) })
  t.match(await alice.call('events.update', { id: event.id, update: { ...update, more: 1 } }), {
    error: { id: 'invalid-parameters-format' }
  })
})

/** Returns the fields that every update changes. */
function stampOf({ integrity, modified }: Answer): object {
  return { integrity, modified }
}
