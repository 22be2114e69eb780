/** Calls that ask for the same numbers in short succession get those of the moment, and only what each of them may read. */
import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const hour = 3600
/** Midnight of 1 March 2026 in UTC. */
const midnight = Date.UTC(2026, 2, 1) / 1000
const range = { measure: 'weight', fromTime: midnight, toTime: midnight + 24 * hour, parts: 1 }

async function sample(client: Client): Promise<Answer> {
  return (await client.do('measures.sample', range)).samples
}

async function count(client: Client): Promise<number> {
  return (await client.do('measures.facts', { measures: ['weight'] })).facts[0]?.count ?? 0
}

t.test('every write counts in the next call', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('scale')
  const weigh = async (content: number, time = midnight + hour): Promise<Answer> =>
    await alice.event({ streamIds: ['scale'], type: 'mass/kg', content, time })
  const isFound = async (what: string, ...values: readonly number[]): Promise<void> => {
    for (const again of ['', ', again']) {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const expected = values.length === 0 ? [] : [{ count: values.length, mean }]
      t.match(await sample(alice), expected, what + again)
      t.equal((await sample(alice)).length, expected.length, what + again)
      t.equal(await count(alice), values.length, what + again)
    }
  }
  await isFound('nothing')
  const { id } = await weigh(70)
  await isFound('created', 70)
  await alice.do('events.update', { id, update: { content: 80 } })
  await isFound('updated', 80)
  await alice.do('events.update', { id, update: { trashed: true } })
  await isFound('trashed')
  await alice.do('events.update', { id, update: { trashed: false } })
  await isFound('restored', 80)
  const { event: holder } = await alice.do('events.create', {
    streamIds: ['scale'],
    type: 'series:mass/kg',
    time: midnight
  })
  const points = { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'] }
  await alice.do('hfs.add', { ...points, points: [[60, 90]] })
  await isFound('points added', 80, 90)
  await alice.do('hfs.deletePoints', { id: holder.id, fromDeltaTime: 0, toDeltaTime: 100 })
  await isFound('points removed', 80)
  await alice.do('streams.update', { id: 'scale', update: { trashed: true } })
  await alice.do('streams.update', { id: 'scale', update: { trashed: false } })
  await isFound('stream restored', 80)
  await alice.do('streams.update', {
    id: 'scale',
    update: { clientData: { 'coffer:measure': 'unheard-of' } }
  })
  await isFound('assigned to another measure')
})

t.test('the order of sources counts at once', async t => {
  const { alice } = await openCoffer(t)
  for (const [id, content] of [
    ['old', 70],
    ['new', 80]
  ] as const) {
    await alice.stream(id)
    await alice.event({ streamIds: [id], type: 'mass/kg', content, time: midnight + hour })
  }
  for (const source of ['old', 'new', 'old']) {
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { weight: [source] } } })
    t.match(await sample(alice), [{ source }])
    t.match(await sample(alice), [{ source }])
  }
})

t.test('accesses with other permissions get what they may read, at the same time', async t => {
  const { alice } = await openCoffer(t)
  for (const [id, content] of [
    ['scale', 70],
    ['secret', 80]
  ] as const) {
    await alice.stream(id)
    await alice.event({ streamIds: [id], type: 'mass/kg', content, time: midnight + hour })
  }
  await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { weight: ['secret', 'scale'] } } })
  const guest = await alice.grantAll([{ streamId: 'scale', level: 'read' }])
  const other = await alice.grantAll([{ streamId: 'secret', level: 'read' }])
  const readers = [alice, guest, other, guest, alice, other]
  const means = (await Promise.all(readers.map(sample))).map(([{ mean }]) => mean)
  t.same(means, [80, 70, 80, 70, 80, 80])
  t.same(await Promise.all(readers.map(count)), [2, 1, 1, 1, 2, 1])
  await alice.do('accesses.delete', { id: guest.access.id })
  t.match(await guest.call('measures.sample', range), { error: { id: 'invalid-access-token' } })
  t.match(await sample(alice), [{ mean: 80 }])
})

t.test('calls on other units, ranges and numbers of parts do not get in each other’s way', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('scale')
  await alice.event({ streamIds: ['scale'], type: 'mass/kg', content: 70, time: midnight + hour })
  await alice.event({ streamIds: ['scale'], type: 'mass/kg', content: 72, time: midnight + 13 * hour })
  const ask = async (params: object): Promise<number[]> =>
    (await alice.do('measures.sample', { ...range, ...params })).samples.map(({ mean }: Answer) => mean)
  const [whole, halves, morning, grams] = await Promise.all(
    [{}, { parts: 2 }, { toTime: midnight + 12 * hour }, { unit: 'mass/g' }].map(ask)
  )
  t.same([whole, halves, morning, grams], [[71], [70, 72], [70], [71_000]])
})
