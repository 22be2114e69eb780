import t from 'tap'
import {
  sortByName,
  getDepth,
  getHeight,
  isTrashed,
  isWithin,
  listSubtree,
  iterateAncestors
} from '../../../core/streams/tree.js'
import { openCoffer } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'

t.test('the tree of streams', async t => {
  const { alice, server } = await openCoffer(t)
  for (const [id, parentId] of [
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
    ['d', 'a'],
    ['e', null]
  ] as const)
    await alice.stream(id, parentId)
  await alice.do('streams.update', { id: 'b', update: { trashed: true } })
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const at = (id: string) => store.streams.find(id)!

  t.test('can be traversed in both directions', async t => {
    t.same(
      [...iterateAncestors(at('c'))].map(({ stream }) => stream.id),
      ['c', 'b', 'a']
    )
    const below = listSubtree(at('a')).map(({ stream }) => stream.id)
    t.same(below.toSorted(), ['a', 'b', 'c', 'd'])
    t.ok(below.indexOf('b') < below.indexOf('c'), 'what is above comes first')
    t.same(listSubtree(at('e')), [at('e')])
  })

  t.test('returns the depth and height of a stream', async t => {
    t.same(['a', 'b', 'c', 'e'].map(at).map(getDepth), [1, 2, 3, 1])
    t.same(['a', 'b', 'c', 'e'].map(at).map(getHeight), [3, 2, 1, 1])
  })

  t.test('returns whether a stream is trashed, or within another', async t => {
    t.same(['a', 'b', 'c', 'd'].map(at).map(isTrashed), [false, true, true, false])
    t.ok(isWithin(at('c'), at('a')) && isWithin(at('c'), at('c')))
    t.notOk(isWithin(at('a'), at('c')) || isWithin(at('e'), at('a')))
  })

  t.test('is sorted ignoring case and accents, by the beginning of names and then by id', async t => {
    const long = 'é'.repeat(9000)
    const names = {
      s5: `${long}b`,
      s6: `${long}a`,
      s1: 'ape',
      s2: 'Äpfel',
      s3: 'ΟΔΟΣ 3',
      s4: 'οδος 2',
      s7: '\u{1d49c}',
      s0: 'a\u0301\u0327'
    }
    const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
    const nodes = await store.write(() =>
      Object.entries(names).map(([id, name]) =>
        store.streams.insert({ id, name, parentId: 'd', ...tracking })
      )
    )
    const sorted = sortByName(nodes).map(({ stream }) => stream.id)
    t.same(sorted, ['s0', 's1', 's2', 's5', 's6', 's4', 's3', 's7'])
  })

  const test = inRotation(t, 2)
  test('supports 150,000 children', async t => {
    const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
    await store.write(() => {
      for (let index = 0; index < 150_000; index++)
        store.streams.insert({ id: `n${index}`, name: `n${index}`, parentId: 'e', ...tracking })
    })
    t.equal(listSubtree(at('e')).length, 150_001)
    t.equal(getHeight(at('e')), 2)
  })
})
