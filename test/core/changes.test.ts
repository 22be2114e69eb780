/** Changes noted by a call, compared with a plain list of them. */
import t from 'tap'
import { Changes, changeKinds, type Change } from '../../core/changes.js'
import type { StreamNode } from '../../storage/streams/node.js'
import { Random } from '../support/random.js'

const seed = Date.now() % 1e6
t.comment(`seed ${seed}`)
const random = new Random(seed)
const ids = ['a', 'b', 'c', 'd', 'gone', '*']

t.test('changes contain each kind once, with the paths at the time and the accesses', async t => {
  for (let round = 0; round < 2000; round++) {
    const parents = new Map<string, string | undefined>([['a', undefined]])
    for (const id of ['b', 'c', 'd']) parents.set(id, random.pick([...parents.keys(), undefined]))
    const changes = new Changes({ find: id => node(parents, id) })
    t.equal(changes.isEmpty, true)
    const expected: Change[] = []
    for (let count = random.below(4); count > 0; count--) {
      const kind = random.pick(changeKinds)
      const streamIds = random.chance(0.2) ? [] : [...new Set(random.some(ids, 3))]
      const accessId = random.chance(0.3) ? random.pick(['x', 'y']) : undefined
      changes.add(kind, streamIds, accessId)
      expected.push({
        kind,
        places: streamIds.length > 0 ? [streamIds.map(id => pathOf(parents, id))] : [],
        accessIds: accessId === undefined ? [] : [accessId]
      })
      if (random.chance(0.3)) parents.set('d', random.pick(['a', undefined]))
    }
    t.same(changes.list(), inKinds(expected), `round ${round}`)
    t.equal(changes.isEmpty, expected.length === 0)
    if (expected.length === 1) t.equal(changes.size, sizeOf(expected[0]!))
  }
})

t.test('changes stay small for many items in the same streams', async t => {
  const changes = new Changes({ find: () => undefined })
  for (let count = 0; count < 1000; count++) changes.add('events', ['a', 'b'])
  t.same(changes.list(), [{ kind: 'events', places: [[['a'], ['b']]], accessIds: [] }])
  t.equal(changes.size, 4)
})

t.test('changes stay small for very many items in different streams', async t => {
  const changes = new Changes({ find: () => undefined })
  const ids = Array.from({ length: 60 }, (_, n) => `access-${n}`)
  for (const [n, id] of ids.entries()) changes.addAccess({ id, type: 'shared' }, listIds(n))
  changes.add('streams', ['a'])
  const [streams, accesses] = changes.list()
  t.same(streams, { kind: 'streams', places: [[['a']]], accessIds: [] })
  t.equal(accesses!.places?.length, undefined)
  t.same(accesses!.accessIds, ids)
  t.equal(changes.size, 2, 'only the ids of the accesses are kept')
})

function listIds(n: number): string[] {
  return Array.from({ length: 5000 }, (_, at) => `${n}-${at}`)
}

function node(parents: ReadonlyMap<string, string | undefined>, id: string): StreamNode | undefined {
  if (!parents.has(id)) return undefined
  const parentId = parents.get(id)
  return { stream: { id }, parent: parentId && node(parents, parentId) } as unknown as StreamNode
}

function pathOf(parents: ReadonlyMap<string, string | undefined>, id: string): string[] {
  const parentId = parents.get(id)
  return parentId === undefined ? [id] : [id, ...pathOf(parents, parentId)]
}

/** Returns one change per kind, with its places and accesses once each. */
function inKinds(changes: readonly Change[]): Change[] {
  return changeKinds.flatMap(kind => {
    const those = changes.filter(change => change.kind === kind)
    const places = new Map(
      those.flatMap(change => change.places ?? []).map(place => [JSON.stringify(place), place])
    )
    const accessIds = [...new Set(those.flatMap(change => change.accessIds))]
    return those.length === 0 ? [] : [{ kind, places: [...places.values()], accessIds }]
  })
}

function sizeOf({ places = [] }: Change): number {
  return places.flat().reduce((sum, path) => sum + 1 + path.length, 0)
}
