/** A tree that is read after every change is the same as one that is read for the first time. */
import t from 'tap'
import { openCoffer, type Client } from '../../support/coffer.js'
import { Random } from '../../support/random.js'

const ids = Array.from({ length: 8 }, (_, index) => `s${index}`)
/** Created and deleted repeatedly. A permission ends with its stream, so none names one of these. */
const others = ['o0', 'o1', 'o2']
const levels = ['read', 'manage', 'none', 'create-only'] as const

t.test('trees read after each change', async t => {
  const seed = Date.now() % 1e6
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const { alice } = await openCoffer(t)
  const permissions = () => [
    ...(random.chance(0.3) ? [{ streamId: '*', level: 'read' as const }] : []),
    ...new Map(
      random.some(ids, 3).map(streamId => [streamId, { streamId, level: random.pick(levels) }])
    ).values()
  ]
  for (const id of ids) await alice.stream(id)
  let granted = [permissions(), permissions()]
  const readers = [alice, ...(await Promise.all(granted.map(each => alice.grantAll(each))))]

  const changes = {
    rename: (id: string) => alice.do('streams.update', { id, update: { name: `${random.below(1e9)} é` } }),
    move: (id: string) =>
      alice.do('streams.update', { id, update: { parentId: random.pick([null, ...ids]) } }),
    trash: (id: string) => alice.do('streams.update', { id, update: { trashed: random.chance(0.5) } }),
    remove: async () => {
      const id = random.pick(others)
      await alice.do('streams.delete', { id, mergeEventsWithParent: false })
      await alice.do('streams.delete', { id, mergeEventsWithParent: false })
    },
    create: () => alice.stream(random.pick(others), random.pick([null, ...ids])),
    undo: (id: string) =>
      alice.do('callBatch', [
        { method: 'streams.create', params: { id: `x${id}`, name: `x${id}` } },
        { method: 'streams.get', params: {} },
        { method: 'streams.delete', params: { id: `x${id}` } },
        { method: 'streams.update', params: { id, update: { parentId: id } } }
      ])
  }
  const kinds = Object.values(changes)
  let trees = 0

  for (let round = 0; round < 60; round++) {
    const state = random.pick(['default', 'all'])
    // Creating an access would reset the caches of all readers.
    for (const reader of readers) await read(reader, state)
    // Many of the changes are refused, such as moving a stream into itself.
    await random
      .pick(kinds)(random.pick(ids))
      .catch(() => undefined)
    const seen = []
    for (const reader of readers) seen.push(await read(reader, state))
    for (const [index, again] of seen.entries()) {
      const fresh = index === 0 ? alice : await alice.grantAll(granted[index - 1]!)
      if (index > 0) t.same(again, await read(fresh, state), `round ${round}, reader ${index}`)
      else t.equal(namesIn(again).length, await count(alice, state))
      trees += namesIn(again).length
    }
    if (random.chance(0.1)) {
      granted = [permissions(), permissions()]
      for (const [index, each] of granted.entries()) readers[index + 1] = await alice.grantAll(each)
    }
  }
  t.ok(trees > 100)
})

interface Tree {
  readonly id: string
  readonly children: readonly Tree[]
}

async function read(reader: Client, state: string): Promise<Tree[]> {
  const { streams } = await reader.do('streams.get', { state })
  return streams as Tree[]
}

function namesIn(trees: readonly Tree[]): string[] {
  return trees.flatMap(({ id, children }) => [id, ...namesIn(children)])
}

/** Returns the number of streams in a tree, by requesting the children of each. */
async function count(alice: Client, state: string, parentId?: string): Promise<number> {
  const { streams } = await alice.do('streams.get', { state, ...(parentId && { parentId }) })
  let sum = 0
  for (const { id } of streams as Tree[])
    sum += 1 + (id.startsWith(':_audit') ? 0 : await count(alice, state, id))
  return sum
}
