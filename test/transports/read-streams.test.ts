/** Walking the streams of an account: each is found with those above it, and other work has its turns. */
import t from 'tap'
import { placeStreams, readStreams, type PlacedStream } from '../../transports/user-calls.js'
import { UserCalls } from '../../transports/user-calls.js'
import { coffer, type Client } from '../support/coffer.js'

const [roots, perRoot] = [40, 600]

/** Makes streams below many roots, and a chain of a hundred. */
async function createStreams(alice: Client): Promise<void> {
  for (let root = 0; root < roots; root++) {
    const params = [
      { id: `r${root}`, name: `Root ${root}` },
      ...Array.from({ length: perRoot }, (_, n) => ({
        id: `r${root}-${n}`,
        name: `S${n}`,
        parentId: `r${root}`
      }))
    ]
    await alice.do(
      'callBatch',
      params.map(each => ({ method: 'streams.create', params: each }))
    )
  }
  for (let depth = 0; depth < 100; depth++) {
    const parent = depth === 0 ? {} : { parentId: `d${depth - 1}` }
    await alice.do('streams.create', { id: `d${depth}`, name: `Deep ${depth}`, ...parent })
  }
}

function listAbove(place: PlacedStream | undefined): string[] {
  return place ? [place.stream.id, ...listAbove(place.above)] : []
}

t.test('readStreams', async t => {
  const { alice } = await coffer(t)
  const { dispatcher } = alice.service.server
  await createStreams(alice)
  const read = async (token: string, params = {}): Promise<ReadonlyMap<string, PlacedStream>> =>
    await readStreams(
      new UserCalls(dispatcher, alice.username, { authorization: token, ip: '127.0.0.1', via: 'http' }),
      params
    )
  const { token } = await alice.grant('read', '*', { type: 'app' })

  t.test('finds each stream once, with those above it', async t => {
    const all = await read(token)
    const created = [...all.keys()].filter(id => /^[rd]\d/.test(id))
    t.equal(created.length, roots * (perRoot + 1) + 100)
    t.same(listAbove(all.get('r7-31')), ['r7-31', 'r7'])
    t.same(
      listAbove(all.get('d99')),
      Array.from({ length: 100 }, (_, at) => `d${99 - at}`)
    )
    for (const [id, { stream }] of all) if (stream.id !== id) t.fail(`${id} is ${stream.id}`)
  })

  t.test('shows an access nothing above its streams', async t => {
    const below = await alice.grant('read', 'd50', { type: 'shared' })
    const seen = await read(below.token)
    t.equal(seen.size, 50)
    t.same(listAbove(seen.get('d51')), ['d51', 'd50'])
  })

  t.test('finds those in the trash only if asked', async t => {
    await alice.do('streams.delete', { id: 'd99' })
    t.notOk((await read(token)).has('d99'))
    t.ok((await read(token, { state: 'all' })).has('d99'))
  })

  t.test('takes turns: a step looks at a limited number of streams, however they are nested', async t => {
    const { streams } = await alice.do('streams.get')
    const places = placeStreams(streams)
    let steps = 0
    for (;;) {
      const { done, value } = places.next()
      steps++
      if (done) {
        t.equal(steps, Math.floor(value.size / 1000) + 1)
        t.ok(steps > 20, `${steps}`)
        return
      }
    }
  })
})
