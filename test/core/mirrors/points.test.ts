/** The points of series in copies. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { contact, follow, root, startWorld, type World } from './world.js'

t.setTimeout(180_000)

type Row = readonly (number | null)[]

/** Reads all points of an event, as exact as they are stored. */
async function readPoints(client: Client, id: string): Promise<{ fields: string[]; points: Row[] }> {
  const { fields, points } = await client.do('hfs.get', { id, toDeltaTime: 1e12, resolution: 'ns' })
  return { fields, points }
}

async function createSeries(client: Client, more: object = {}): Promise<string> {
  const event = { streamIds: ['health'], type: 'series:frequency/bpm', time: 1e9, ...more }
  return (await client.do('events.create', event)).event.id
}

async function add(
  client: Client,
  id: string,
  points: readonly Row[],
  fields: readonly string[] = ['deltaTime', 'value']
): Promise<void> {
  for (let at = 0; at < points.length; at += 20_000)
    await client.do('hfs.add', { id, format: 'flatJSON', fields, points: points.slice(at, at + 20_000) })
}

const range = (from: number, to: number, toValue: (at: number) => number): Row[] =>
  Array.from({ length: to - from }, (_, at) => [from + at, toValue(from + at)])

/** The streams of a copy have other ids. */
const withoutSource = (samples: Answer[]): Answer[] => samples.map(({ source: _source, ...rest }) => rest)

/** Finds the copy of an event. */
async function findCopy({ dora }: World, id: string): Promise<Answer> {
  const params = { streams: [root], state: 'all', fromTime: -1e12, toTime: 1e12 }
  const { events } = await dora.do('events.get', params)
  return events.find((each: Answer) => each.clientData['coffer:followed'].id === id)
}

/** Makes contacts until the points of an event and of its copy are the same: the owner's event shows a write within seconds. */
async function copied(world: World, mirror: string, id: string): Promise<void> {
  const expected = await readPoints(world.paul, id)
  let found: Answer
  for (const end = performance.now() + 20_000; performance.now() < end;) {
    await contact(world, mirror)
    const copy = await findCopy(world, id)
    found = copy && (await readPoints(world.dora, copy.id))
    if (JSON.stringify(found) === JSON.stringify(expected)) return
  }
  throw new Error(`${id}: ${expected.points.length} points, but the copy has ${found?.points.length}`)
}

for (const isShared of rotate(t, [false, true]))
  t.test(`points ${isShared ? 'of another account here' : 'of another server'}`, async t => {
    const world = await startWorld(t, {}, { isShared })
    const { dora, paul } = world
    const small = await createSeries(paul)
    await add(
      paul,
      small,
      range(0, 100, at => 60 + (at % 7))
    )
    const large = await createSeries(paul)
    await add(
      paul,
      large,
      range(0, 30_000, at => 60 + ((at * 7919) % 50))
    )
    const pressure = await createSeries(paul, { type: 'series:blood-pressure/mmhg-bpm', time: 2e9 })
    const fields = ['deltaTime', 'systolic', 'diastolic', 'rate']
    await add(
      paul,
      pressure,
      Array.from({ length: 50 }, (_, at) => [at + 1e-9, 120 + at, 80, at % 3 === 0 ? null : 60]),
      fields
    )
    const empty = await createSeries(paul)
    const mirror = await follow(world)

    t.test('are copied', async t => {
      for (const id of [small, large, pressure, empty]) await copied(world, mirror, id)
      const copy = await findCopy(world, large)
      t.match(copy, { type: 'series:frequency/bpm', streamIds: [`${root}:health`], time: 1e9 })
      t.equal((await readPoints(dora, copy.id)).points.length, 30_000)
    })

    t.test('follow what changes', async () => {
      // Appended, overwritten, in between, removed from the middle, removed from the end.
      await add(
        paul,
        large,
        range(30_000, 30_050, () => 99)
      )
      await copied(world, mirror, large)
      await add(paul, large, [[12_345, 200]])
      await copied(world, mirror, large)
      await add(paul, large, [[12_345.5, 201]])
      await copied(world, mirror, large)
      await paul.do('hfs.deletePoints', { id: large, fromDeltaTime: 7000, toDeltaTime: 21_000 })
      await copied(world, mirror, large)
      await paul.do('hfs.deletePoints', { id: large, fromDeltaTime: 28_000 })
      await copied(world, mirror, large)
      // Also where there was nothing, and with a column that is new.
      await add(
        paul,
        empty,
        range(5, 6, () => 50)
      )
      await copied(world, mirror, empty)
      await paul.do('hfs.add', {
        id: small,
        format: 'flatJSON',
        fields: ['deltaTime', 'value', 'duration'],
        points: [[50, 61, 30]]
      })
      await copied(world, mirror, small)
      await paul.do('hfs.deletePoints', { id: large })
      await copied(world, mirror, large)
      await add(
        paul,
        large,
        range(0, 9000, at => at % 100)
      )
      await copied(world, mirror, large)
    })

    t.test('the daily comparison finds what summaries do not show', async t => {
      // Two values are exchanged: count, least, greatest and mean stay the same.
      const { points } = await readPoints(paul, large)
      await add(paul, large, [
        [6001, points[6002]![1]!],
        [6002, points[6001]![1]!]
      ])
      await contact(world, mirror)
      await contact(world, mirror)
      world.requesterService.clock.advance(86_400)
      await copied(world, mirror, large)
      t.pass()
    })

    t.test('measures see them', async t => {
      const [{ facts: theirs }, { facts: own }] = await Promise.all([
        dora.do('measures.facts', { streams: [root] }),
        paul.do('measures.facts', { streams: ['health'] })
      ])
      t.same(
        theirs.map(({ measure, count, first, last }: Answer) => ({ measure, count, first, last })),
        own.map(({ measure, count, first, last }: Answer) => ({ measure, count, first, last }))
      )
      t.ok(own.length >= 2)
      const query = { measure: own[0].measure, fromTime: 1e9, toTime: 1e9 + 10_000, parts: 10 }
      const [sampled, original] = await Promise.all([
        dora.do('measures.sample', { ...query, streams: [root] }),
        paul.do('measures.sample', { ...query, streams: ['health'] })
      ])
      t.same(withoutSource(sampled.samples), withoutSource(original.samples))
      t.ok(original.samples.length > 0)
    })

    t.test('nobody changes them', async t => {
      const { id } = await findCopy(world, small)
      const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
      t.match((await dora.call('hfs.add', { id, ...points })).error, { id: 'forbidden' })
      t.match((await dora.call('hfs.deletePoints', { id })).error, { id: 'forbidden' })
    })

    t.test('they are erased with the copy', async t => {
      const copy = await findCopy(world, large)
      const before = (await dora.do('account.get')).account.storageUsed
      await dora.do('mirrors.delete', { id: mirror })
      await until(
        async () => (await dora.do('mirrors.getOne', { id: mirror })).mirror.state === 'erased',
        'the erasure'
      )
      t.match((await dora.call('hfs.get', { id: copy.id })).error, { id: 'unknown-resource' })
      t.ok((await dora.do('account.get')).account.storageUsed.dbDocuments < before.dbDocuments - 50_000)
    })
  })
