import t from 'tap'
import { coffer, type Client } from '../../../support/coffer.js'

async function tree(alice: Client): Promise<void> {
  const streams = [
    ['diary', null],
    ['day', 'diary'],
    ['hour', 'day'],
    ['other', null],
    ['night', 'other'],
    ['bin', null],
    ['in-bin', 'bin']
  ] as const
  for (const [id, parentId] of streams) await alice.stream(id, parentId)
  await alice.do('streams.update', { id: 'bin', update: { trashed: true } })
}

t.test('streams.update', async t => {
  t.test('changes only the given fields and returns the stream without children', async t => {
    const { alice, clock } = await coffer(t)
    await tree(alice)
    const { streams } = await alice.do('streams.get')
    const { children: _, ...before } = streams[1]
    clock.advance(10)
    const sensor = await alice.grant('manage', 'diary')
    const { stream } = await sensor.do('streams.update', { id: 'diary', update: { name: 'Journal' } })
    t.same(stream, {
      ...before,
      name: 'Journal',
      modified: clock.now(),
      modifiedBy: sensor.access.id
    })
  })

  t.test('keeps a name from before the length limit until it is changed', async t => {
    const { alice, server } = await coffer(t)
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    const name = 'é'.repeat(9000)
    const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
    await store.write(() => store.streams.insert({ id: 'old', name, parentId: null, ...tracking }))
    const update = (change: object) => alice.call('streams.update', { id: 'old', update: change })
    t.match(await update({ name, trashed: true }), { stream: { name, trashed: true } })
    t.match(await update({ name: `${name}!` }), { error: { id: 'invalid-parameters-format' } })
    t.match(await update({ name: 'é'.repeat(1024) }), { stream: { name: 'é'.repeat(1024) } })
    t.match(await update({ name }), { error: { id: 'invalid-parameters-format' } }, 'not back to it')
  })

  t.test('merges client data key by key', async t => {
    const { alice } = await coffer(t)
    await alice.stream('a')
    const steps: [unknown, unknown][] = [
      [
        { x: 1, y: { z: 2 } },
        { x: 1, y: { z: 2 } }
      ],
      [{ y: 3 }, { x: 1, y: 3 }],
      [
        { x: null, w: 'new' },
        { y: 3, w: 'new' }
      ],
      [JSON.parse('{"__proto__":5}'), JSON.parse('{"y":3,"w":"new","__proto__":5}')],
      [null, undefined]
    ]
    for (const [clientData, result] of steps) {
      const { stream } = await alice.do('streams.update', { id: 'a', update: { clientData } })
      t.equal(JSON.stringify(stream.clientData), JSON.stringify(result))
    }
  })

  t.test('trashes and restores', async t => {
    const { alice } = await coffer(t)
    await alice.stream('a')
    const states = [
      [true, true],
      [true, true],
      [false, undefined],
      [true, true],
      [null, undefined]
    ]
    for (const [trashed, result] of states) {
      const { stream } = await alice.do('streams.update', { id: 'a', update: { trashed } })
      t.equal(stream.trashed, result)
    }
  })

  t.test('moves a stream with its substreams', async t => {
    const { alice } = await coffer(t)
    await tree(alice)
    const { stream } = await alice.do('streams.update', { id: 'day', update: { parentId: 'night' } })
    t.equal(stream.parentId, 'night')
    const { streams } = await alice.do('streams.get', { parentId: 'night' })
    t.match(streams, [{ id: 'day', children: [{ id: 'hour' }] }])
    await alice.do('streams.update', { id: 'day', update: { parentId: null } })
    t.same(
      (await alice.do('streams.get')).streams.map((each: { id: string }) => each.id),
      [':_audit:', 'day', 'diary', 'other', ':_system:account', ':_system:helpers']
    )
  })

  t.test('accepts the current parent, even a trashed one', async t => {
    const { alice } = await coffer(t)
    await tree(alice)
    const answer = await alice.call('streams.update', {
      id: 'in-bin',
      update: { parentId: 'bin', name: 'new' }
    })
    t.match(answer, { stream: { name: 'new' } })
  })

  const refused: [string, string, Record<string, unknown>, string, unknown?][] = [
    ['an unknown stream', 'nowhere', { name: 'x' }, 'unknown-resource'],
    ['an unknown key', 'day', { singleActivity: true }, 'invalid-parameters-format'],
    ['a name of null', 'day', { name: null }, 'invalid-parameters-format'],
    ['an empty name', 'day', { name: '' }, 'invalid-parameters-format'],
    ['an empty parentId', 'day', { parentId: '' }, 'invalid-parameters-format'],
    ['clientData that is not an object', 'day', { clientData: 5 }, 'invalid-parameters-format'],
    [
      'an unknown parent',
      'day',
      { parentId: 'nowhere' },
      'unknown-referenced-resource',
      { parentId: 'nowhere' }
    ],
    ['itself as parent', 'day', { parentId: 'day' }, 'invalid-operation'],
    ['a parent below itself', 'diary', { parentId: 'hour' }, 'invalid-operation'],
    ['a trashed parent', 'day', { parentId: 'bin' }, 'invalid-operation'],
    ['a parent below a trashed one', 'day', { parentId: 'in-bin' }, 'invalid-operation'],
    ["one of the service's streams", ':_system:account', { name: 'x' }, 'invalid-operation'],
    ["one of the service's streams as parent", 'day', { parentId: ':_system:account' }, 'invalid-operation'],
    ['the name of a sibling', 'diary', { name: 'other' }, 'item-already-exists', { name: 'other' }],
    [
      'a move beside one of its name',
      'night',
      { name: 'day', parentId: 'diary' },
      'item-already-exists',
      { name: 'day' }
    ],
    ['the id', 'day', { id: 'day2' }, 'forbidden'],
    ['children', 'day', { children: [] }, 'forbidden'],
    ['created', 'day', { created: 5 }, 'forbidden'],
    ['createdBy', 'day', { createdBy: 'x' }, 'forbidden'],
    ['modified', 'day', { modified: 5 }, 'forbidden'],
    ['modifiedBy', 'day', { modifiedBy: 'x' }, 'forbidden']
  ]
  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    await tree(alice)
    const before = await alice.do('streams.get', { state: 'all' })
    for (const [what, id, update, error, data] of refused) {
      const answer = await alice.call('streams.update', { id, update })
      t.equal(answer.error?.id, error, what)
      if (data) t.same(answer.error.data, data, what)
    }
    for (const params of [{ id: 'day' }, { update: { name: 'x' } }, { id: 'day', update: [] }])
      t.match(await alice.call('streams.update', params), { error: { id: 'invalid-parameters-format' } })
    t.same(await alice.do('streams.get', { state: 'all' }), before, 'nothing has changed')
  })

  t.test('ignores protected fields if the setting says so', async t => {
    const { alice } = await coffer(t, { ignoreProtectedFieldUpdates: true })
    await alice.stream('a')
    const { stream } = await alice.do('streams.update', {
      id: 'a',
      update: { id: 'b', created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x', children: [1], name: 'A' }
    })
    t.match(stream, { id: 'a', name: 'A', createdBy: alice.access.id, modifiedBy: alice.access.id })
    t.notOk('children' in stream)
    const unknown = await alice.call('streams.update', { id: 'a', update: { singleActivity: true } })
    t.match(unknown, { error: { id: 'invalid-parameters-format' } })
  })

  t.test('requires the manage level on the stream and on its new parent', async t => {
    const outcomes = [
      [{ day: 'manage' }, { name: 'new' }, true],
      [{ day: 'contribute' }, { name: 'new' }, false],
      [{ diary: 'manage' }, { name: 'new' }, true],
      [{ diary: 'manage', day: 'read' }, { name: 'new' }, false],
      [{ other: 'manage' }, { name: 'new' }, false],
      [{ day: 'create-only' }, { name: 'new' }, false],
      [{ day: 'manage' }, { parentId: 'other' }, false],
      [{ day: 'manage', other: 'contribute' }, { parentId: 'other' }, false],
      [{ day: 'manage', other: 'manage' }, { parentId: 'other' }, true],
      [{ day: 'manage', other: 'manage' }, { parentId: null }, false],
      [{ '*': 'manage' }, { parentId: null }, true],
      [{ '*': 'manage', other: 'read' }, { parentId: 'other' }, false],
      [{ day: 'read', other: 'manage' }, { parentId: 'other' }, false]
    ] as const
    const service = await coffer(t)
    for (const [at, [levels, update, isAllowed]] of outcomes.entries()) {
      const alice = await service.user(`alice${at}`)
      await tree(alice)
      const permissions = Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
      const caller = await alice.grantAll(permissions)
      const before = await alice.do('streams.get')
      const answer = await caller.call('streams.update', { id: 'day', update })
      const what = JSON.stringify([levels, update])
      if (isAllowed) t.match(answer, { stream: update }, what)
      else {
        t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
        t.same((await alice.do('streams.get')).streams, before.streams)
      }
    }
  })

  t.test('enforces the maximum depth', async t => {
    const { alice } = await coffer(t, { limits: { streamDepth: 4 } })
    await tree(alice)
    await alice.do('streams.update', { id: 'day', update: { parentId: 'night' } })
    const answer = await alice.call('streams.update', { id: 'diary', update: { parentId: 'hour' } })
    t.match(answer, { status: 400, error: { id: 'invalid-operation' } })
  })
})
