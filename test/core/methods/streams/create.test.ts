import t from 'tap'
import { coffer, openCoffer, type Answer } from '../../../support/coffer.js'

t.test('streams.create', async t => {
  t.test('creates a stream and returns it', async t => {
    const { alice, clock } = await coffer(t)
    const { stream } = await alice.do('streams.create', {
      id: 'diary',
      name: 'My diary',
      clientData: { 'app:color': 'red', 'app:gone': null }
    })
    const by = alice.access.id
    t.same(stream, {
      id: 'diary',
      name: 'My diary',
      parentId: null,
      clientData: { 'app:color': 'red' },
      created: clock.now(),
      createdBy: by,
      modified: clock.now(),
      modifiedBy: by
    })
    t.same((await alice.do('streams.get')).streams[1], { ...stream, children: [] })
  })

  t.test('generates an id if it is missing or null', async t => {
    const { alice } = await coffer(t)
    for (const fields of [{ name: 'a' }, { name: 'b', id: null, parentId: null, clientData: null }]) {
      const { stream } = await alice.do('streams.create', fields)
      t.match(stream.id, /^c[a-z0-9]{24}$/)
      t.notOk('clientData' in stream)
    }
  })

  t.test('turns the id into a slug', async t => {
    const { alice } = await coffer(t)
    const ids = [
      ['size', 'size'],
      ['My_Stream', 'My_Stream'],
      ['été chaud', 'ete-chaud'],
      ['a/b?c', 'abc']
    ]
    for (const [id, slug] of ids)
      t.equal((await alice.do('streams.create', { id, name: id })).stream.id, slug)
  })

  const parent = { id: 'below', name: 'x', parentId: 'diary' }
  const refused: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['no name', { id: 'x' }, { id: 'invalid-parameters-format' }],
    ['an empty name', { name: '' }, { id: 'invalid-parameters-format' }],
    ['a name of null', { name: null }, { id: 'invalid-parameters-format' }],
    ['a name that is not a text', { name: 5 }, { id: 'invalid-parameters-format' }],
    ['children', { name: 'x', children: [] }, { id: 'invalid-parameters-format' }],
    ['singleActivity', { name: 'x', singleActivity: true }, { id: 'invalid-parameters-format' }],
    ['a time of deletion', { name: 'x', deleted: 5 }, { id: 'invalid-parameters-format' }],
    ['clientData that is not an object', { name: 'x', clientData: [] }, { id: 'invalid-parameters-format' }],
    ['trashed that is not a boolean', { name: 'x', trashed: 'yes' }, { id: 'invalid-parameters-format' }],
    ['an empty parentId', { name: 'x', parentId: '' }, { id: 'invalid-parameters-format' }],
    ['the id null', { id: 'null', name: 'x' }, { id: 'invalid-item-id' }],
    ['the id undefined', { id: 'undefined', name: 'x' }, { id: 'invalid-item-id' }],
    ['the id *', { id: '*', name: 'x' }, { id: 'invalid-item-id' }],
    ['an id of which nothing is left', { id: '//', name: 'x' }, { id: 'invalid-item-id' }],
    ['an id of half a character', { id: '\ud800', name: 'x' }, { id: 'invalid-item-id' }],
    ["an id of the service's own", { id: ':_system:x', name: 'x' }, { id: 'invalid-item-id' }],
    ["an id of the service's older own", { id: '.email', name: 'x' }, { id: 'invalid-item-id' }],
    ['its own id as parent', { ...parent, id: 'diary' }, { id: 'invalid-operation' }],
    [
      "one of the service's streams as parent",
      { ...parent, parentId: ':_system:account' },
      { id: 'invalid-operation' }
    ],
    [
      'an unknown parent',
      { ...parent, parentId: 'nowhere' },
      { id: 'unknown-referenced-resource', data: { parentId: 'nowhere' } }
    ],
    ['a trashed parent', { ...parent, parentId: 'bin' }, { id: 'invalid-operation' }],
    ['a parent below a trashed one', { ...parent, parentId: 'in-bin' }, { id: 'invalid-operation' }],
    ['a taken id', { id: 'diary', name: 'x' }, { id: 'item-already-exists', data: { id: 'diary' } }],
    [
      'the id and the name of a sibling',
      { id: 'diary', name: 'diary' },
      { id: 'item-already-exists', data: { id: 'diary', name: 'diary' } }
    ],
    ['the name of a sibling', { name: 'diary' }, { id: 'item-already-exists', data: { name: 'diary' } }],
    [
      'the name of a trashed sibling',
      { name: 'old', parentId: 'diary' },
      { id: 'item-already-exists', data: { name: 'old' } }
    ]
  ]
  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    for (const [id, above] of [
      ['diary', null],
      ['old', 'diary'],
      ['bin', null],
      ['in-bin', 'bin']
    ] as const)
      await alice.stream(id, above)
    for (const id of ['old', 'bin']) await alice.do('streams.update', { id, update: { trashed: true } })
    const before = await alice.do('streams.get', { state: 'all' })
    for (const [what, params, error] of refused) {
      const answer = await alice.call('streams.create', params)
      t.match(answer, { error }, what)
      t.equal(answer.status, error.id === 'item-already-exists' ? 409 : 400, what)
    }
    t.same(await alice.do('streams.get', { state: 'all' }), before, 'nothing has changed')
  })

  t.test('requires the manage level on the parent', async t => {
    const { alice } = await coffer(t)
    for (const id of ['diary', 'other']) await alice.stream(id)
    const outcomes = [
      ['manage', 'diary', 'diary', true],
      ['manage', 'diary', null, false],
      ['manage', 'diary', 'other', false],
      ['manage', '*', null, true],
      ['manage', '*', 'other', true],
      ['contribute', 'diary', 'diary', false],
      ['create-only', 'diary', 'diary', false],
      ['read', '*', null, false],
      ['none', 'diary', 'diary', false]
    ] as const
    for (const [index, [level, streamId, parentId, isAllowed]] of outcomes.entries()) {
      const caller = await alice.grant(level, streamId)
      const answer = await caller.call('streams.create', { name: `s${index}`, parentId })
      const what = `${level} on ${streamId}, below ${parentId}`
      if (isAllowed) t.match(answer, { stream: { parentId, createdBy: caller.access.id } }, what)
      else t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
    }
  })

  t.test('accepts the name of a stream with another parent, and the id of a deleted one', async t => {
    const { alice } = await coffer(t)
    await alice.stream('a')
    await alice.do('streams.create', { name: 'a', parentId: 'a' })
    t.match(await alice.call('streams.create', { name: 'A' }), { stream: { name: 'A' } })
  })

  t.test('enforces the maximum depth', async t => {
    const { alice } = await coffer(t, { limits: { streamDepth: 3 } })
    await alice.stream('a')
    await alice.stream('b', 'a')
    await alice.stream('c', 'b')
    const answer = await alice.call('streams.create', { name: 'd', parentId: 'c' })
    t.match(answer, { status: 400, error: { id: 'invalid-operation' } })
  })

  t.test('treats __proto__ like any other key', async t => {
    const { alice } = await coffer(t)
    const clientData = JSON.parse('{"__proto__":{"evil":true},"constructor":1}')
    await alice.do('streams.create', { id: '__proto__', name: '__proto__', clientData })
    const [, stream] = (await alice.do('streams.get')).streams
    t.equal(stream.id, '__proto__')
    t.equal(JSON.stringify(stream.clientData), JSON.stringify(clientData))
  })
})

t.test('streams.create refuses more streams than the memory limit of an account permits', async t => {
  const { alice } = await coffer(t, { limits: { streamsBytes: 20_000 } })
  const refusal = { status: 400, error: { id: 'invalid-operation', message: /20000 characters/ } }
  await alice.stream('diary')
  const create = (id: string): Promise<Answer> =>
    alice.call('streams.create', { id, name: id, clientData: { text: 'x'.repeat(5000) } })
  for (const id of ['a', 'b', 'c']) t.notOk((await create(id)).error)
  t.match(await create('d'), refusal)
  t.match(await create('a'), { status: 409 }, 'as clients that create their streams at each start expect')
  t.match(await alice.call('streams.create', { name: 'a', clientData: { text: 'x'.repeat(5000) } }), {
    status: 409,
    error: { id: 'item-already-exists', data: { name: 'a' } }
  })
  t.notOk((await alice.do('streams.get')).streams.find(({ id }: Answer) => id === 'd'))
  const update = { clientData: { more: 'x'.repeat(5000) } }
  t.match(await alice.call('streams.update', { id: 'a', update }), refusal)
  const sensor = await alice.grant('create-only', 'diary')
  const tags = Array.from({ length: 100 }, (_, n) => `tag ${n}`)
  const tagged = { streamIds: ['diary'], type: 'note/txt', content: 'x', tags }
  t.match(await sensor.call('events.create', tagged), refusal)
  t.same((await alice.do('events.get')).events, [])
  // Updates that free memory are still allowed.
  t.notOk((await alice.call('streams.update', { id: 'a', update: { clientData: { text: null } } })).error)
  t.notOk((await create('d')).error)
})

t.test('an account above the memory limit for streams can still be cleaned up', async t => {
  const { alice, clock, server } = await openCoffer(t, {
    limits: { streamsBytes: 2000, clientDataBytes: 500 }
  })
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  for (const id of ['a', 'b']) await alice.stream(id)
  const text = 'x'.repeat(2000)
  const clientData = { text, more: text, little: 'y' }
  await store.write(() => store.streams.update({ ...store.streams.find('a')!.stream, clientData }))
  // Times with fractions need more memory.
  clock.advance(0.123456)
  const refusal = { status: 400, error: { id: 'invalid-operation', message: /2000 characters/ } }
  t.match(await alice.call('streams.create', { id: 'c', name: 'c' }), refusal)
  t.match(await alice.call('streams.update', { id: 'b', update: { name: 'longer' } }), refusal)
  for (const update of [{ name: 'B' }, { parentId: 'a' }, { parentId: null }, { trashed: true }])
    t.notOk((await alice.call('streams.update', { id: 'b', update })).error, JSON.stringify(update))
  const change = (update: object): Promise<Answer> =>
    alice.call('streams.update', { id: 'a', update: { clientData: update } })
  t.match(await change({ little: 'yy' }), { error: { message: /500 characters/ } })
  t.notOk((await change({ more: null })).error, 'less, though too much still')
  t.notOk((await change({ text: 'x', little: 'yyy' })).error)
  t.notOk((await alice.call('streams.create', { id: 'c', name: 'c' })).error)
  await store.write(() => store.profile.update('public', { text, more: text }))
  t.ok((await alice.call('profile.updatePublic', { update: { other: 1 } })).error)
  t.notOk((await alice.call('profile.updatePublic', { update: { more: null } })).error)
  t.same((await alice.do('profile.getPublic')).profile, { text })
})

t.test('streams.create accepts the id of a deleted stream, however many accesses there are', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const permissions = [{ streamId: 'diary', level: 'read' }]
  await alice.do(
    'callBatch',
    Array.from({ length: 1100 }, (_, n) => ({
      method: 'accesses.create',
      params: { name: `${n}`, permissions }
    }))
  )
  await alice.stream('going')
  const reader = await alice.grant('read', 'going')
  for (let times = 0; times < 2; times++) await alice.do('streams.delete', { id: 'going' })
  t.match(await alice.stream('going'), { id: 'going', parentId: null })
  t.match(await alice.call('streams.create', { id: 'going', name: 'x' }), {
    error: { id: 'item-already-exists', data: { id: 'going' } }
  })
  t.match(await alice.call('streams.create', { id: '*', name: 'x' }), { error: { id: 'invalid-item-id' } })
  t.same((await reader.do('streams.get')).streams, [], 'what was granted on the former one has ended')
})
