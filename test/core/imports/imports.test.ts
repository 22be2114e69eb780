/** Imports: reviewed, run, recognised when imported again, and undone completely. (docs/api/imports.md) */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { createId } from '../../../core/ids.js'
import { coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, rested, sent, takenOut, total, written } from '../../support/importing.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(900_000)

const day = 86_400
/** Returns a table with a weight per day, and a heart rate per second for some minutes. */
function table(days: number, seconds: number): string {
  const lines = ['time,weight (kg),heart rate']
  for (let at = 0; at < days; at++)
    lines.push(`${new Date((1.6e9 + at * day) * 1000).toISOString()},${70 + at / 10},`)
  for (let at = 0; at < seconds; at++)
    lines.push(`${new Date((1.7e9 + at) * 1000).toISOString()},,${60 + (at % 40)}`)
  return `${lines.join('\n')}\n`
}

/** Returns everything in an account, without what only grows. */
async function answers(client: Client): Promise<Answer> {
  const { events } = await client.do('events.get', { state: 'all', limit: 100_000, fromTime: 0, toTime: 4e9 })
  const { streams } = await client.do('streams.get', { state: 'all' })
  return { events, streams }
}

/** Returns streams and all below them. */
function listStreams(streams: readonly Answer[]): Answer[] {
  return streams.flatMap(stream => [stream, ...listStreams(stream.children)])
}

t.test('a file is reviewed, imported, recognised when imported again, and removed completely', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.event({ time: 1.6e9 })
  const before = await answers(alice)
  const look = await sent(alice, 'a.csv', table(30, 1500))
  t.equal(look.state, 'looked', look.message)
  t.match(look.look, { format: 'csv', records: { row: 1530 }, from: 1.6e9, to: 1.7e9 + 1499 })
  t.match(look.tally, { broughtIn: { 'mass/kg': 30, 'frequency/bpm': 1500 }, known: {}, leftOut: {} })
  t.same(await answers(alice), before, 'looking writes nothing')
  const first = await written(alice, look.id)
  t.equal(first.state, 'written', first.message)
  t.same(first.tally, look.tally)
  const { events } = await alice.do('events.get', {
    types: ['mass/kg'],
    limit: 100,
    fromTime: 0,
    toTime: 4e9
  })
  t.equal(events.length, 30)
  t.match(events[0].clientData, { 'coffer:import': look.id })
  const { events: holders } = await alice.do('events.get', {
    types: ['series:frequency/bpm'],
    fromTime: 0,
    toTime: 4e9
  })
  t.equal(holders.length, 1)
  const { points } = await alice.do('hfs.get', { id: holders[0].id, toDeltaTime: 4e9 })
  t.equal(points.length, 1500)
  t.same(points[7], [1.7e9 + 7 - holders[0].time, 67])

  const again = await broughtIn(alice, 'b.csv', table(30, 1500))
  t.same(again.tally, { broughtIn: {}, known: { 'mass/kg': 30, 'frequency/bpm': 1500 }, leftOut: {} })
  const more = await broughtIn(alice, 'c.csv', table(31, 1510))
  t.same(more.tally, {
    broughtIn: { 'mass/kg': 1, 'frequency/bpm': 10 },
    known: { 'mass/kg': 30, 'frequency/bpm': 1500 },
    leftOut: {}
  })
  await takenOut(alice, first.id)
  const { events: left } = await alice.do('events.get', {
    types: ['mass/kg'],
    limit: 100,
    fromTime: 0,
    toTime: 4e9
  })
  t.equal(left.length, 1, 'what another import brought in stays')
  const rest = await alice.do('hfs.get', { id: holders[0].id, toDeltaTime: 4e9 })
  t.equal(rest.points.length, 10)
  await takenOut(alice, more.id)
  await takenOut(alice, again.id)
  t.same(await answers(alice), before)
  const back = await broughtIn(alice, 'a.csv', table(30, 1500))
  t.same(back.tally, look.tally, 'what was taken out can be brought in again')
})

const test = inRotation(t, 2)

test('a file reviewed before is compared with the current data', async t => {
  const { alice } = await coffer(t)
  const first = await broughtIn(alice, 'a.csv', table(30, 1500))
  const { events } = await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9 })
  const { id } = events[0]
  await alice.do('events.delete', { id })
  await alice.do('events.delete', { id })
  const again = await broughtIn(alice, 'a.csv', table(30, 1500))
  t.same(again.tally.known, { 'mass/kg': 29, 'frequency/bpm': 1500 })
  t.equal(total(again.tally.leftOut), 1)
  t.same(again.look, first.look)
  // More files than are remembered.
  for (let at = 0; at < 10; at++) await broughtIn(alice, `${at}.csv`, table(at + 1, 0))
  await takenOut(alice, first.id)
  const back = await broughtIn(alice, 'a.csv', table(30, 1500))
  t.equal(back.tally.broughtIn['frequency/bpm'], 1500)
  t.same(back.look, first.look)
})

t.test('deleted events are not imported again', async t => {
  const { alice } = await coffer(t)
  const first = await broughtIn(alice, 'a.csv', table(3, 0))
  const { events } = await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9 })
  const { id } = events[0]
  await alice.do('events.delete', { id })
  await alice.do('events.delete', { id })
  const again = await broughtIn(alice, 'a.csv', table(3, 0))
  t.same(again.tally.known, { 'mass/kg': 2 })
  t.equal(total(again.tally.leftOut), 1)
  await takenOut(alice, first.id)
  t.same((await broughtIn(alice, 'a.csv', table(3, 0))).tally.broughtIn, { 'mass/kg': 3 })
})

/** Returns rows of heart rates. */
const rows = (from: number, to: number, step: number): string[] =>
  Array.from(
    { length: (to - from) / step },
    (_, at) => `${1.7e9 + from + at * step},${60 + ((from + at * step) % 7)}`
  )
const file = (lines: string[]): string => ['time,pulse', ...lines].join('\n')

test('data points that exist in part are distinguished, in any order', async t => {
  const { alice } = await coffer(t)
  const odd = await broughtIn(alice, 'odd.csv', file(rows(1, 3001, 2)))
  t.equal(odd.tally.broughtIn['frequency/bpm'], 1500)
  const all = await broughtIn(alice, 'all.csv', file(rows(0, 3000, 1).toReversed()))
  t.same(all.tally, {
    broughtIn: { 'frequency/bpm': 1500 },
    known: { 'frequency/bpm': 1500 },
    leftOut: {}
  })
  const { events } = await alice.do('events.get', {
    types: ['series:frequency/bpm'],
    fromTime: 0,
    toTime: 4e9
  })
  await takenOut(alice, odd.id)
  const { points } = await alice.do('hfs.get', { id: events[0].id, toDeltaTime: 4e9 })
  t.equal(points.length, 1500)
  t.ok(
    points.every(([time]: [number]) => (time + events[0].time - 1.7e9) % 2 === 0),
    'only its own are gone'
  )
  await takenOut(alice, all.id)
  t.same(
    (await alice.do('streams.get')).streams.filter(({ createdBy }: Answer) => createdBy !== 'system'),
    []
  )
})

test('different data points of the same time are all kept, duplicates are counted', async t => {
  const { alice } = await coffer(t)
  const rows = Array.from(
    { length: 200 },
    (_, at) => `${1.7e9 + Math.floor(at / 2)},${60 + (at % 4 === 3 ? 2 : at % 4)}`
  )
  const file = `time,pulse\n${rows.join('\n')}\n`
  const first = await broughtIn(alice, 'a.csv', file)
  t.equal(total(first.tally.broughtIn) + total(first.tally.leftOut), 200)
  t.equal(total(first.tally.leftOut), 50)
  const again = await broughtIn(alice, 'b.csv', file)
  t.same(again.tally.broughtIn, {})
  t.equal(again.tally.known['frequency/bpm'], 150)
})

t.test('an unknown file format is refused with a reason', async t => {
  const { alice } = await coffer(t)
  for (const [content, words] of [
    ['<!DOCTYPE html><html><body>Not found</body></html>', /web page/],
    ['', /empty/],
    ['%PDF-1.7 …', /PDF/],
    ['just a sentence', /no format/]
  ] as const) {
    const found = await sent(alice, 'data.csv', content)
    t.equal(found.state, 'unreadable')
    t.match(found.message, words)
    t.equal((await alice.call('imports.run', { id: found.id })).error.id, 'invalid-operation')
    await takenOut(alice, found.id)
  }
  t.same((await alice.do('imports.get')).imports, [])
})

test('waiting files count against the quota until they expire', async t => {
  const service = await coffer(t, { quota: { bytes: 100_000 } })
  const { clock, directory, server } = service
  // Sessions end earlier than waiting files.
  const app = await service.alice.grant('manage', '*', { type: 'app' })
  const file = table(800, 0)
  t.ok(file.length > 20_000 && file.length < 40_000)
  const ids: string[] = []
  for (;;) {
    const found = await sent(app, `${ids.length}.csv`, file)
    if (found.error) {
      t.match(found, {
        error: { id: 'user-intervention-required', message: /storage limit of 100000 bytes/ }
      })
      break
    }
    ids.push(found.id)
  }
  t.ok(ids.length > 1 && ids.length * file.length < 100_000)
  await takenOut(app, ids.pop()!)
  t.equal((await sent(app, 'small.csv', table(5, 0))).state, 'looked', 'there is room again')
  const files = (): string[] =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.parentPath.endsWith('imports'))
      .map(({ name }) => name)
  t.equal(files().length, ids.length + 1)
  const account = server.services.accounts.find('alice')!
  await server.services.imports.expireFiles(account)
  t.equal(files().length, ids.length + 1, 'they may wait for a month')
  clock.advance(31 * day)
  const late = await sent(app, 'late.csv', table(5, 0))
  await server.services.imports.expireFiles(account)
  t.same(files(), [late.id])
  const { imports } = await app.do('imports.get')
  t.same(
    imports.map(({ state }: Answer) => state),
    ['looked', ...ids.map(() => 'failed'), 'failed']
  )
  t.match(imports.at(-1).message, /was not imported within 30 days/)
  t.equal((await written(app, late.id)).state, 'written')
})

t.test('an app imports only below the stream that it manages', async t => {
  const { alice } = await coffer(t)
  for (const id of ['body', 'diary']) await alice.stream(id)
  const app = await alice.grant('manage', 'body', { type: 'app' })
  const reader = await alice.grant('read', 'body', { type: 'app' })
  const shared = await alice.grant('manage', 'body')
  for (const [client, params] of [
    [app, {}],
    [app, { parentId: 'diary' }],
    [reader, { parentId: 'body' }],
    [shared, { parentId: 'body' }]
  ] as const)
    t.equal((await sent(client, 'a.csv', table(3, 0), params)).error.id, 'forbidden')
  const found = await broughtIn(app, 'a.csv', table(3, 0), { parentId: 'body' })
  t.equal(found.state, 'written', found.message)
  const { streams } = await alice.do('streams.get', { parentId: 'body' })
  t.equal(streams[0].name, 'CSV')
  t.equal((await alice.do('imports.get')).imports.length, 1)
  t.equal((await reader.do('imports.get')).imports.length, 0)
  t.equal((await reader.call('imports.delete', { id: found.id })).error.id, 'unknown-resource')
  const again = await sent(app, 'b.csv', table(4, 0), { parentId: 'body' })
  await alice.do('accesses.delete', { id: app.access.id })
  t.equal((await app.call('imports.run', { id: again.id })).error.id, 'invalid-access-token')
  t.equal((await written(alice, again.id)).tally.broughtIn['mass/kg'], 1)
  await takenOut(alice, found.id)
  t.equal(await rested(alice, found.id), undefined)
})

t.test('new streams are marked with the measure of their records', async t => {
  const { alice } = await coffer(t)
  await broughtIn(alice, 'a.csv', 'time,weight (kg),resting heart rate (bpm),Something\n2024-01-01,70,55,7\n')
  const { streams } = await alice.do('streams.get')
  const marks = Object.fromEntries(
    listStreams(streams).flatMap(({ clientData, id, name }) =>
      id === 'import' || !clientData ? [] : [[name, clientData]]
    )
  )
  t.same(marks, {
    Weight: { 'coffer:measure': 'weight' },
    'Resting heart rate': { 'coffer:measure': 'resting-heart-rate' }
  })
  const changed = listStreams(streams).find(({ name }) => name === 'Weight')!
  await alice.do('streams.update', {
    id: changed.id,
    update: { clientData: { 'coffer:measure': 'lean-body-mass' } }
  })
  await broughtIn(alice, 'b.csv', 'time,weight (kg)\n2024-01-02,71\n')
  const { streams: kept } = await alice.do('streams.get')
  t.match(
    listStreams(kept).find(({ id }) => id === changed.id),
    { clientData: { 'coffer:measure': 'lean-body-mass' } },
    'a mark that the user has changed is kept'
  )
})

test('waiting files count against the quota', async t => {
  const { alice } = await coffer(t, { quota: { bytes: 300_000 } })
  const padded = `${table(3, 0)}${'x'.repeat(120_000)}\n`
  const first = await sent(alice, 'a.csv', padded)
  t.equal(first.state, 'looked', first.message)
  t.equal((await sent(alice, 'b.csv', padded)).state, 'looked')
  const third = await sent(alice, 'c.csv', padded)
  t.match(third.error, { id: 'user-intervention-required', data: { quota: 300_000 } })
  await takenOut(alice, first.id)
  t.equal((await sent(alice, 'c.csv', padded)).state, 'looked')
})

test('many imports are listed in pages, and only the latest unreadable ones are kept', async t => {
  const { alice, server } = await openCoffer(t)
  const send = async (at: number): Promise<void> => {
    t.equal((await sent(alice, `${at}.txt`, 'nothing')).state, 'unreadable')
  }
  await send(0)
  // Copies of its row, since a hundred files would take a thread each.
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const { body } = store.imports.findBefore(Infinity)!
  await store.write(() => {
    for (let at = 1; at < 100; at++)
      store.imports.insert(createId(), 'unreadable', body.replace('0.txt', `${at}.txt`))
  })
  for (let at = 100; at < 105; at++) await send(at)
  const { imports } = await alice.do('imports.get')
  t.equal(imports.length, 101)
  t.same(
    imports.map(({ fileName }: Answer) => fileName),
    Array.from({ length: 101 }, (_, at) => `${104 - at}.txt`)
  )
})
