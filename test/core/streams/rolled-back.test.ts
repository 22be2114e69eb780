/** What is cached of the tree is what is stored, after writes that were rolled back. */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }

t.test('refused changes of a large tree do not block other calls', async t => {
  // The tree below has more.
  const { alice, server } = await openCoffer(t, { limits: { streamsBytes: 4_000_000 } })
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  await alice.stream('top')
  await store.write(() => {
    for (let n = 0; n < 50_000; n++)
      store.streams.insert({ id: `s${n}`, name: `n${n}`, parentId: null, ...tracking })
  })
  const refused = [
    ['streams.create', { id: 'top', name: 'other' }],
    ['streams.create', { name: 'top' }],
    ['streams.create', { name: 'one more' }],
    ['streams.update', { id: 's2', update: { name: 'a longer name' } }],
    ['streams.update', { id: 's1', update: { name: 'top' } }],
    ['streams.delete', { id: 'nowhere' }]
  ] as const
  for (const [method, params] of refused)
    await assertTakesLessThan(t, 40, async () =>
      longestTurn(async () => t.ok((await alice.call(method, params)).error, method))
    )
})

t.test('a change that is rolled back is forgotten, alone or beside others', async t => {
  const { alice, server } = await openCoffer(t)
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  for (const id of ['a', 'b']) await alice.stream(id)
  const changes = [
    () => store.streams.insert({ id: 'c', name: 'c', parentId: 'a', ...tracking }),
    () => store.streams.update({ ...store.streams.find('b')!.stream, parentId: 'a' }),
    () => store.streams.remove('b', 2)
  ]
  const shape = (): unknown[] =>
    ['a', 'b', 'c', 'kept'].map(id => {
      const node = store.streams.find(id)
      return node && [id, node.parent?.stream.id, node.children.size]
    })
  const before = shape()
  for (const change of changes) {
    const failing = store.write(() => {
      change()
      throw new Error('refused')
    })
    await t.rejects(failing, { message: 'refused' })
    t.same(shape(), before)
  }
  const kept = store.write(() =>
    store.streams.insert({ id: 'kept', name: 'kept', parentId: 'b', ...tracking })
  )
  const failing = store.write(() => {
    changes[0]!()
    throw new Error('refused')
  })
  await Promise.all([kept, t.rejects(failing, { message: 'refused' })])
  t.same(shape(), [['a', undefined, 0], ['b', undefined, 1], undefined, ['kept', 'b', 0]])
})
