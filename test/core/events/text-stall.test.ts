/** Texts as long and unusual as possible: other calls are handled while they are stored, sorted and searched. */
import t, { type Test } from 'tap'
import { maxNameLength } from '../../../schemas/scalars.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { Probe } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(900_000)

/** Longest permitted wait of another user, in milliseconds. */
const patience = 400
/** The same for a search, which takes longer than that as a whole. */
const patienceOfStep = 120

async function people(t: Test): Promise<{ alice: Client; probe: Probe }> {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bobby')
  await bob.stream('diary')
  await bob.http('GET', '/streams')
  await alice.stream('diary')
  return { alice, probe: new Probe(bob) }
}

const test = inRotation(t, 2)

test('countless marks on one letter do not block other users', async t => {
  const { alice, probe } = await people(t)
  // Two alternating kinds: normalization groups each kind.
  const marks = `a${'\u0301\u0316'.repeat(50_000)}`
  const others = `a${'\uff9e\u0316'.repeat(50_000)}`

  for (const content of [marks, others])
    await probe.assertServed(t, patience, async () => alice.event({ content }))
  const { events } = await alice.do('events.get', { text: 'á' })
  for (const content of [marks, others])
    t.ok(
      events.some((event: Answer) => event.content === content),
      'and are found by the letter'
    )

  for (const id of ['x', 'y'])
    await alice.do('streams.create', { id, name: `${id}${marks}`.slice(0, maxNameLength), parentId: 'diary' })
  await probe.assertServed(t, patience, async () => alice.do('streams.get'))
  const { streams } = await alice.do('streams.get')
  const { children } = streams.find(({ id }: { id: string }) => id === 'diary')
  t.same(
    children.map(({ id }: { id: string }) => id),
    ['x', 'y']
  )
})

test('a search for many words in long texts does not block other users', async t => {
  const { alice, probe } = await people(t)
  const words = Array.from({ length: 70 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const before = Array.from({ length: 20_000 }, (_, index) => `q${index.toString(36)}`).join(' ')
  const content = `${before.slice(0, 90_000)} ${words.slice(0, -1).join(' ')}`
  // Short texts first: they let slices grow.
  for (let time = 0; time < 2; time++)
    await alice.do(
      'callBatch',
      Array.from({ length: 1000 }, (_, index) => ({
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(5), time: time + index / 1e3 }
      }))
    )
  await alice.do('events.get', { text: 'x', fromTime: 0, toTime: 1e3 })
  for (let time = 10; time < 26; time++) await alice.event({ content, time })
  const reader = await alice.grant('read', 'diary')

  for (const client of [alice, reader])
    for (const order of [{ sortAscending: true }, {}])
      await probe.assertServed(t, patienceOfStep, async () => {
        const asked = { text: words.join(' '), fromTime: 0, toTime: 1e3, ...order }
        t.same((await client.do('events.get', asked)).events, [])
      })
  const text = words.slice(0, -1).join(' ')
  t.equal((await reader.do('events.get', { text, fromTime: 0, toTime: 1e3 })).events.length, 16)
})

test('a search that must read unindexed texts does not block other users', async t => {
  const { alice, probe } = await people(t)
  await alice.do(
    'callBatch',
    Array.from({ length: 1500 }, (_, time) => ({
      method: 'events.create',
      params: { streamIds: ['diary'], type: 'mass/kg', content: 1, time }
    }))
  )
  const content = 'x'.repeat(9e6)
  for (let time = 0; time < 5; time++) await alice.event({ type: 'test/any', content, time })
  await probe.assertServed(t, patienceOfStep, async () => {
    t.same((await alice.do('events.get', { text: 'nothing', fromTime: 0, toTime: 1e4 })).events, [])
  })
})
