/** Choices for the lanes of an import: another measure, an existing stream, none of it. (docs/api/imports.md#choosing-where-data-goes) */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, rested, sent, takenOut, written } from '../../support/importing.js'

t.setTimeout(600_000)

const weightKey = 'csv\nWeight\n\nmass/kg'
const rateKey = 'csv\nHeart rate\n\nfrequency/bpm'
const leftOutReason = 'of a kind that the user has excluded'

/** Returns a table of a weight a day, and a heart rate a second for `seconds`. */
function table(days: number, seconds = 0): string {
  const lines = ['time,weight (kg),heart rate']
  for (let at = 0; at < days; at++)
    lines.push(`${new Date((1.6e9 + at * 86_400) * 1000).toISOString()},${70 + at / 10},`)
  for (let at = 0; at < seconds; at++)
    lines.push(`${new Date((1.7e9 + at) * 1000).toISOString()},,${60 + (at % 40)}`)
  return `${lines.join('\n')}\n`
}

async function listEvents(client: Client, params: object = {}): Promise<Answer[]> {
  const { events } = await client.do('events.get', { fromTime: 0, toTime: 4e9, limit: 1000, ...params })
  return events
}

async function readAll(client: Client): Promise<Answer> {
  const { streams } = await client.do('streams.get', { state: 'all' })
  return { events: await listEvents(client, { state: 'all' }), streams }
}

function findLane({ look }: Answer, key: string): Answer {
  return look.lanes.find((lane: Answer) => lane.key === key)
}

async function countFacts(client: Client): Promise<Record<string, number>> {
  const { facts } = await client.do('measures.facts')
  return Object.fromEntries(facts.map(({ count, measure }: Answer) => [measure, count]))
}

t.test('the review says where data will go', async t => {
  const { alice } = await coffer(t)
  const { id, ...review } = await sent(alice, 'a.csv', table(3))
  t.match(findLane(review, weightKey), {
    measure: 'weight',
    choice: undefined,
    path: [{ name: 'CSV' }, { name: 'Weight' }]
  })
  await written(alice, id)
  const { path } = findLane(review, weightKey)
  const [event] = await listEvents(alice)
  t.equal(event!.streamIds[0], path[1].id, 'the stream that the review announced')
  await alice.do('streams.update', {
    id: path[1].id,
    update: { clientData: { 'coffer:measure': 'lean-body-mass' } }
  })
  const again = await sent(alice, 'a.csv', table(4))
  t.equal(findLane(again, weightKey).measure, 'lean-body-mass', 'as the user has marked the stream')
})

t.test('a kind is left out, in later imports too, until the choice is taken back', async t => {
  const { alice } = await coffer(t)
  const { id } = await sent(alice, 'a.csv', table(5, 600))
  const first = await written(alice, id, { lanes: { [rateKey]: { isLeftOut: true } } })
  t.equal(first.state, 'written', first.message)
  t.same(first.tally, { broughtIn: { 'mass/kg': 5 }, known: {}, leftOut: { [leftOutReason]: 600 } })
  t.same(findLane(first, rateKey).choice, { isLeftOut: true })
  const second = await broughtIn(alice, 'b.csv', table(6, 700))
  t.same(second.tally, {
    broughtIn: { 'mass/kg': 1 },
    known: { 'mass/kg': 5 },
    leftOut: { [leftOutReason]: 700 }
  })
  // The very same file, whose outcome is remembered.
  const same = await broughtIn(alice, 'a.csv', table(5, 600))
  t.same(same.tally, { broughtIn: {}, known: { 'mass/kg': 5 }, leftOut: { [leftOutReason]: 600 } })
  const third = await sent(alice, 'a.csv', table(5, 600))
  const last = await written(alice, third.id, { lanes: { [rateKey]: null } })
  t.same(last.tally, { broughtIn: { 'frequency/bpm': 600 }, known: { 'mass/kg': 5 }, leftOut: {} })
})

t.test('data goes to a stream of the user, is known there, and is removed from it', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'scale', name: 'Scale' })
  await alice.do('events.create', { streamIds: ['scale'], type: 'mass/kg', content: 80, time: 1.5e9 })
  const before = await readAll(alice)
  const { id } = await sent(alice, 'a.csv', table(3, 600))
  const lanes = { [weightKey]: { streamId: 'scale' }, [rateKey]: { streamId: 'scale' } }
  const first = await written(alice, id, { lanes })
  t.same(first.tally.broughtIn, { 'mass/kg': 3, 'frequency/bpm': 600 }, first.message)
  t.match(findLane(first, weightKey), { measure: 'weight', path: [{ id: 'scale' }] })
  t.equal((await listEvents(alice, { streams: ['scale'] })).length, 5, 'with the series')
  const { streams } = await alice.do('streams.get')
  t.same(
    streams.map((stream: Answer) => stream.id).filter((each: string) => !each.startsWith(':')),
    ['scale'],
    'no stream was created'
  )
  const again = await broughtIn(alice, 'b.csv', table(4, 610))
  t.same(again.tally, {
    broughtIn: { 'mass/kg': 1, 'frequency/bpm': 10 },
    known: { 'mass/kg': 3, 'frequency/bpm': 600 },
    leftOut: {}
  })
  await takenOut(alice, again.id)
  // Elsewhere, the same records are known, too.
  const third = await sent(alice, 'c.csv', table(3, 600))
  const elsewhere = await written(alice, third.id, { lanes: { [weightKey]: null, [rateKey]: null } })
  t.same(elsewhere.tally.known, { 'mass/kg': 3, 'frequency/bpm': 600 })
  await takenOut(alice, elsewhere.id)
  await takenOut(alice, first.id)
  t.same(await readAll(alice), before)
})

t.test('data goes to another measure, or to none', async t => {
  const { alice } = await coffer(t)
  await broughtIn(alice, 'a.csv', table(2))
  const before = await readAll(alice)
  const { id } = await sent(alice, 'b.csv', table(5))
  const first = await written(alice, id, { lanes: { [weightKey]: { measure: 'lean-body-mass' } } })
  t.same(first.tally, { broughtIn: { 'mass/kg': 3 }, known: { 'mass/kg': 2 }, leftOut: {} }, first.message)
  t.equal(findLane(first, weightKey).measure, 'lean-body-mass')
  t.same(await countFacts(alice), { weight: 2, 'lean-body-mass': 3 }, 'earlier data stays what it was')
  const second = await sent(alice, 'c.csv', table(7))
  const none = await written(alice, second.id, { lanes: { [weightKey]: { measure: null } } })
  t.same(none.tally.broughtIn, { 'mass/kg': 2 })
  t.equal(findLane(none, weightKey).measure, undefined)
  t.same(await countFacts(alice), { weight: 2, 'lean-body-mass': 3 })
  await takenOut(alice, none.id)
  await takenOut(alice, first.id)
  t.same(await readAll(alice), before)
})

t.test('a chosen stream that has been deleted is refused, and forgotten by later imports', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'scale', name: 'Scale' })
  const { id } = await sent(alice, 'a.csv', table(2))
  await alice.do('imports.look', { id, lanes: { [weightKey]: { streamId: 'scale' } } })
  t.same(findLane(await rested(alice, id), weightKey).choice, { streamId: 'scale' })
  await alice.do('streams.delete', { id: 'scale' })
  const trashed = await alice.call('imports.run', { id, lanes: { [weightKey]: { streamId: 'scale' } } })
  t.equal(trashed.error.id, 'invalid-operation')
  await alice.do('streams.delete', { id: 'scale' })
  const gone = await alice.call('imports.run', { id, lanes: { [weightKey]: { streamId: 'scale' } } })
  t.equal(gone.error.id, 'unknown-referenced-resource')
  t.match(gone.error.message, 'scale')
  const done = await written(alice, id)
  t.same(done.tally.broughtIn, { 'mass/kg': 2 }, done.message)
  t.equal(findLane(done, weightKey).choice, undefined)
  t.equal((await listEvents(alice))[0]!.streamIds[0], findLane(done, weightKey).path[1].id)
})
