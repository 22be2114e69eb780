/** Facts of measures while events change between the slices of a call, and the units of latest values. */
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const start = Date.UTC(2026, 2, 1) / 1000
const streams = 400
/** After how many turns of the event loop the latest event is changed. */
const turns = [0, 1, 2, 3, 5, 8, 13]

/** Opens an account with steps in many streams, and a guest who may read all but one stream. */
async function openWorld(t: Test): Promise<{ alice: Client; guest: Client }> {
  const { alice } = await openCoffer(t)
  const ids = Array.from({ length: streams }, (_, index) => `s${index}`)
  await alice.do('callBatch', [
    ...['hidden', ...ids].map(id => ({ method: 'streams.create', params: { id, name: id } })),
    ...ids.map((id, index) => ({
      method: 'events.create',
      params: { streamIds: [id], type: 'count/steps', content: 1, time: start + index }
    }))
  ])
  const guest = await alice.grantAll([
    { streamId: '*', level: 'read' },
    { streamId: 'hidden', level: 'none' }
  ])
  return { alice, guest }
}

/** Reads the steps of a guest; `change` is called after some turns. The streams are read again. */
async function readWhile(
  { alice, guest }: { alice: Client; guest: Client },
  turn: number,
  change: (event: Answer) => Promise<unknown>
): Promise<Answer> {
  const event = await alice.event({
    streamIds: ['s0'],
    type: 'count/steps',
    content: 123,
    time: start + 90_000
  })
  const reading = guest.call('measures.facts', { measures: ['steps'] })
  for (let count = 0; count < turn; count++) await setImmediate()
  await change(event)
  const { error, facts } = await reading
  await alice.call('events.delete', { id: event.id })
  await alice.call('events.delete', { id: event.id })
  return error ?? facts[0].latest
}

t.test('the latest value is one that the caller may read, whatever changes meanwhile', async t => {
  const before = { content: 123, streamId: 's0', time: start + 90_000 }
  const after = { content: 1, streamId: `s${streams - 1}`, time: start + streams - 1 }
  const expect = (t: Test, latest: Answer, what: string): void => {
    const { content, streamId, time } = latest
    const found = JSON.stringify({ content, streamId, time })
    t.ok(
      [before, after].map(each => JSON.stringify(each)).includes(found),
      `${what}: ${JSON.stringify(latest)}`
    )
  }

  await t.test('moved to a hidden stream', async t => {
    for (const turn of turns) {
      // What is known of the streams is read again in a file that has just been opened.
      const world = await openWorld(t)
      const update = { streamIds: ['hidden'], content: 666 }
      const latest = await readWhile(world, turn, ({ id }) => world.alice.do('events.update', { id, update }))
      expect(t, latest, `after ${turn} turns`)
    }
  })

  await t.test('deleted, and its number used by another event', async t => {
    for (const turn of turns) {
      const world = await openWorld(t)
      const latest = await readWhile(world, turn, async ({ id }) => {
        await world.alice.do('events.delete', { id })
        await world.alice.do('events.delete', { id })
        const secret = { streamIds: ['hidden'], type: 'count/steps', content: 31_337, time: start }
        await world.alice.event(secret)
      })
      expect(t, latest, `after ${turn} turns`)
    }
  })
})

t.test('createdSince counts what has been created since then, whatever its time', async t => {
  const { alice, clock } = await openCoffer(t)
  for (const id of ['watch', 'phone', 'hidden']) await alice.stream(id)
  const addSteps = async (streamId: string, time: number): Promise<Answer> =>
    await alice.event({ streamIds: [streamId], type: 'count/steps', content: 10, time })
  const createSeries = async (time: number): Promise<string> => {
    const fields = { streamIds: ['watch'], type: 'series:frequency/bpm', time, content: null }
    return (await alice.event(fields)).id
  }
  const addPoints = async (id: string, times: readonly number[]): Promise<Answer> =>
    await alice.do('hfs.add', {
      id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: times.map(each => [each, 60])
    })

  const before = clock.now()
  const old = await addSteps('watch', before)
  const series = await createSeries(before - 100)
  await addPoints(series, [0, 50])
  const untouched = await createSeries(before - 200)
  await addPoints(untouched, [0, 20_000])
  clock.advance(10_000)
  const since = clock.now()
  await alice.do('events.update', { id: old.id, update: { description: 'changed since' } })
  await addSteps('watch', before - 1e6)
  await addSteps('phone', since - 5)
  await alice.do('events.delete', { id: (await addSteps('phone', since)).id })
  await addSteps('hidden', since + 7)
  // A long text, in which the time of creation comes late.
  await alice.event({ streamIds: ['watch'], content: 'x'.repeat(40_000) })
  await addPoints(series, [60, 10_150, 10_200])
  await addPoints(await createSeries(before - 5000), [0, 1, 2])

  const guest = await alice.grantAll([
    { streamId: '*', level: 'read' },
    { streamId: 'hidden', level: 'none' }
  ])
  const { facts } = await guest.do('measures.facts', { createdSince: since })
  const counted = facts.map(({ count, first, last, measure, sources }: Answer) => [
    measure,
    count,
    first,
    last,
    sources.map(({ count: own, streamId }: Answer) => [streamId, own])
  ])
  t.strictSame(counted, [
    // Of the older series the two points after that time, all of the new one.
    ['heart-rate', 5, before - 5000, before + 10_100, [['watch', 5]]],
    [
      'steps',
      2,
      before - 1e6,
      since - 5,
      [
        ['phone', 1],
        ['watch', 1]
      ]
    ],
    ['note', 1, since, since, [['watch', 1]]]
  ])
  t.equal(facts[1].latest.streamId, 'phone')
  const { facts: all } = await guest.do('measures.facts', { measures: ['steps'], createdSince: before - 1 })
  t.equal(all[0].count, 3)
  t.strictSame((await guest.do('measures.facts', { createdSince: since + 1e6 })).facts, [])
})

t.test('long points are not kept, of which many sources may have one', async t => {
  const { alice, server } = await openCoffer(t)
  const long = 'x'.repeat(100_000)
  const write = async (id: string, type: string, rows: readonly (readonly unknown[])[]): Promise<void> => {
    await alice.stream(id)
    const { event } = await alice.do('events.create', {
      streamIds: [id],
      type: `series:${type}`,
      time: start
    })
    const fields = ['deltaTime', 'value', ...(rows[0]!.length > 2 ? ['duration'] : [])]
    await alice.do('hfs.add', { id: event.id, format: 'flatJSON', fields, points: rows })
  }
  for (let index = 0; index < 20; index++)
    await write(`diary${index}`, 'note/txt', [
      [0, long],
      [60, long]
    ])
  const { measures } = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const createFacts = measures.createFacts.bind(measures)
  const runs: ReturnType<typeof createFacts>[] = []
  measures.createFacts = (...query) => {
    const run = createFacts(...query)
    runs.push(run)
    return run
  }
  const [{ latest: diary }] = (await alice.do('measures.facts', { measures: ['note'] })).facts
  measures.createFacts = createFacts
  t.match(diary, { time: start + 60, streamId: 'diary0', type: 'series:note/txt' })
  t.notOk('content' in diary)
  const kept = measures.next(runs[0]!)
  t.equal(kept?.length, 20)
  t.ok(JSON.stringify(kept).length < 10_000, 'kept')

  await write('scale', 'mass/kg', [
    [0, 70, 5],
    [60, 71, 6]
  ])
  const [{ latest: weight }] = (await alice.do('measures.facts', { measures: ['weight'] })).facts
  t.match(weight, { time: start + 60, value: 71, content: 71, duration: 6 })
})
