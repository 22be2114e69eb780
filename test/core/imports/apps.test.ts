/** Imports of apps: they neither see nor change what others have imported, or what they may no longer see. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, sent, takenOut, written } from '../../support/importing.js'

t.setTimeout(900_000)

const always = { state: 'all', fromTime: 0, toTime: 4e9, limit: 10_000 }

/** Returns weights, one per day. */
function weights(from: number, count: number): string {
  const lines = ['time,weight (kg)']
  for (let at = from; at < from + count; at++)
    lines.push(`${new Date((1.6e9 + at * 86_400) * 1000).toISOString()},${70 + at / 10}`)
  return `${lines.join('\n')}\n`
}

/** Returns heart rates, one per second: they become data points of a series. */
function beats(from: number, count: number): string {
  const lines = ['time,heart rate']
  for (let at = from; at < from + count; at++)
    lines.push(`${new Date((1.7e9 + at) * 1000).toISOString()},${60 + (at % 40)}`)
  return `${lines.join('\n')}\n`
}

async function account(t: Parameters<typeof coffer>[0]): Promise<{ alice: Client; app: Client }> {
  const { alice } = await coffer(t)
  for (const id of ['body', 'private']) await alice.stream(id)
  return { alice, app: await alice.grant('manage', 'body', { type: 'app', name: 'some-app' }) }
}

/** Returns what a caller can read: events, and data points below them. */
async function read(client: Client): Promise<{ events: Answer[]; points: Answer[] }> {
  // Series events follow their series within a second.
  await client.service.server.settle()
  const { events } = await client.do('events.get', always)
  const points: Answer[] = []
  for (const { id, type } of events as Answer[])
    if (type.startsWith('series:'))
      points.push(...(await client.do('hfs.get', { id, toDeltaTime: 4e9 })).points)
  return { events, points }
}

t.test('an app cannot find out by guessing what others have imported', async t => {
  const { alice, app } = await account(t)
  await broughtIn(alice, 'weights.csv', weights(0, 30), { parentId: 'private' })
  await broughtIn(alice, 'beats.csv', beats(0, 400), { parentId: 'private' })
  for (const [name, file] of [
    ['weights.csv', weights(0, 30)],
    ['beats.csv', beats(0, 400)]
  ] as const) {
    const { tally } = await sent(app, name, file, { parentId: 'body' })
    t.same(tally.known, {}, `${name} is new to the app`)
    t.same(tally.leftOut, {}, 'nothing is left out')
  }
})

t.test('imports of others do not write to the series of an app', async t => {
  const { alice, app } = await account(t)
  await broughtIn(app, 'beats.csv', beats(0, 400), { parentId: 'body' })
  const before = await read(app)
  t.equal(before.points.length, 400)
  const own = await broughtIn(alice, 'beats.csv', beats(1000, 300), { parentId: 'private' })
  t.same(own.tally.broughtIn, { 'frequency/bpm': 300 })
  t.same(await read(app), before, 'the app sees what it saw')
  const other = await alice.grant('manage', 'private', { type: 'app', name: 'other-app' })
  await broughtIn(other, 'beats.csv', beats(2000, 300), { parentId: 'private' })
  t.same(await read(app), before, 'nor does it see what another app has')
})

t.test('the mappings of an app do not apply to tables of others', async t => {
  const { alice, app } = await account(t)
  const found = await sent(app, 'weights.csv', weights(0, 3), { parentId: 'body' })
  const [table] = found.look.tables
  const mapping = { time: 0, values: [{ column: 1, type: 'length/cm', stream: 'Other', factor: 2 }] }
  await written(app, found.id, { mappings: { [table.header]: mapping } })
  const own = await sent(alice, 'weights.csv', weights(10, 3))
  t.same(own.look.types, { 'mass/kg': 3 })
  const again = await sent(app, 'weights.csv', weights(10, 3), { parentId: 'body' })
  t.same(again.look.types, { 'length/cm': 3 }, 'the app itself is remembered')
})

t.test('an app can only manage its own imports', async t => {
  const { alice, app } = await account(t)
  const own = await sent(alice, 'weights.csv', weights(0, 3), { parentId: 'body' })
  t.same((await app.do('imports.get')).imports, [])
  for (const method of ['getOne', 'look', 'run', 'cancel', 'delete'])
    t.equal((await app.call(`imports.${method}`, { id: own.id })).error.id, 'unknown-resource', method)
  const other = await sent(app, 'weights.csv', weights(0, 3), { parentId: 'body' })
  t.equal((await alice.do('imports.get')).imports.length, 2)
  await alice.do('accesses.delete', { id: app.access.id })
  const again = await alice.grant('manage', 'body', { type: 'app', name: 'some-app' })
  t.equal((await written(again, other.id)).state, 'written', 'the app is known by its name')
})

t.test('an app that undoes its import leaves what it may no longer change', async t => {
  const { alice, app } = await account(t)
  const first = await broughtIn(app, 'weights.csv', weights(0, 3), { parentId: 'body' })
  const second = await broughtIn(app, 'beats.csv', beats(0, 400), { parentId: 'body' })
  const { events } = await read(app)
  const moved = events.find(({ type }) => type === 'mass/kg')
  const holder = events.find(({ type }) => type.startsWith('series:'))
  for (const { id } of [moved, holder])
    await alice.do('events.update', { id, update: { streamIds: ['private'] } })
  const before = await read(await alice.grant('read', 'private'))
  t.equal(before.points.length, 400)
  await takenOut(app, first.id)
  await takenOut(app, second.id)
  t.same((await app.do('imports.get')).imports, [], 'the imports are gone')
  t.same(await read(app), { events: [], points: [] }, 'and what the app could change')
  t.same(await read(await alice.grant('read', 'private')), before, 'what was moved is there')
})

t.test('an app cannot probe its own series after they were hidden', async t => {
  const { alice, app } = await account(t)
  await broughtIn(app, 'beats.csv', beats(0, 400), { parentId: 'body' })
  const { events } = await read(app)
  await alice.do('events.update', { id: events[0].id, update: { streamIds: ['private'] } })
  const tallies = []
  for (const file of [beats(0, 400), beats(500, 400)])
    tallies.push((await sent(app, 'beats.csv', file, { parentId: 'body' })).tally)
  t.same(tallies[0], tallies[1], 'points that are there read like those that are not')
  t.same(tallies[0].known, {})
})
