import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, events, look, points, send } from '../../transports/receive/connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400
const weight = { time: '/at', value: '/kg', type: 'mass/kg', stream: 'Scale', measure: 'weight' }

/** Returns the measure with which the stream of an event is marked. */
async function findMark(user: Client, { streamIds }: Answer): Promise<unknown> {
  const { streams } = await user.do('streams.get', {})
  const all: Answer[] = [...streams]
  for (const stream of all) all.push(...stream.children)
  return all.find(({ id }) => id === streamIds[0])!.clientData?.['coffer:measure']
}

t.test('waiting bodies are shown as a mapping reads them, then stored, and counted as a measure', async t => {
  const { alice, clock } = await coffer(t)
  const connection = await connect(alice, 'json', { name: 'hook' })
  await send(alice, 'json', connection, { at: noon, kg: '71.5' })
  clock.advance(60)
  await send(alice, 'json', connection, { at: noon + 60, kg: 72 })
  await send(alice, 'json', connection, { at: 'never', kg: 73 })
  const { values, notUnderstood } = await alice.do('connections.preview', {
    id: connection.id,
    mapping: weight
  })
  t.match(values, [
    { time: noon + 60, content: 72, type: 'mass/kg', stream: 'Scale', source: 'hook', measure: 'weight' },
    { time: noon, content: 71.5 }
  ])
  t.same(notUnderstood, { kg: 1 })
  t.same(await events(alice), [], 'nothing was stored')
  const updated = await alice.do('connections.update', { id: connection.id, update: { mapping: weight } })
  t.same(updated.connection.waiting, [])
  t.same(updated.connection.notUnderstood, { kg: 1 })
  const stored = await events(alice)
  t.same(
    stored.map(({ content }) => content),
    [71.5, 72]
  )
  t.equal(await findMark(alice, stored[0]), 'weight')
  const facts = await alice.do('measures.facts', { measures: ['weight'] })
  t.match(facts.facts, [{ measure: 'weight', count: 2 }])
})

t.test('another measure of the same field gets a stream of its own', async t => {
  const { alice } = await coffer(t)
  const mapping = { value: '/v', time: '/at', type: 'frequency/bpm', stream: 'Pulse' }
  const connection = await connect(alice, 'json', { mapping: { ...mapping, measure: 'heart-rate' } })
  await send(alice, 'json', connection, { at: noon, v: 60 })
  for (const measure of ['resting-heart-rate', 'heart-rate']) {
    await alice.do('connections.update', { id: connection.id, update: { mapping: { ...mapping, measure } } })
    await send(alice, 'json', connection, { at: noon + measure.length, v: 50 })
  }
  const stored = await events(alice)
  t.same(await Promise.all(stored.map(async event => await findMark(alice, event))), [
    'heart-rate',
    'heart-rate',
    'resting-heart-rate'
  ])
  t.equal(stored[0]!.streamIds[0], stored[1]!.streamIds[0])
})

t.test('dense values of two measures are two series', async t => {
  const { alice } = await coffer(t)
  const mapping = { items: '', value: '/v', time: '/at', type: 'frequency/bpm', stream: 'Pulse' }
  const connection = await connect(alice, 'json', { mapping: { ...mapping, measure: 'heart-rate' } })
  const list = Array.from({ length: 100 }, (_, index) => ({ at: noon + index, v: 60 }))
  await send(alice, 'json', connection, list)
  await alice.do('connections.update', {
    id: connection.id,
    update: { mapping: { ...mapping, measure: 'resting-heart-rate' } }
  })
  await send(alice, 'json', connection, list)
  t.equal((await points(alice)).length, 200)
  const { events: found } = await alice.do('events.get', { limit: 10, fromTime: 0, toTime: 1e10 })
  t.equal(new Set(found.map(({ streamIds }: Answer) => streamIds[0])).size, 2)
})

t.test('a measure must exist and have the type, and may be one of the user’s own', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'json')
  const own = {
    id: 'laps',
    name: 'Laps',
    icon: 'circle',
    hue: 10,
    kind: 'level',
    types: ['count/generic']
  }
  const mapping = { value: '/laps', type: 'count/generic', measure: 'laps' }
  const update = async (given: object): Promise<Answer> =>
    await alice.call('connections.update', { id: connection.id, update: { mapping: given } })
  t.equal((await update(mapping)).error?.id, 'invalid-parameters-format')
  t.equal((await update({ ...mapping, measure: '__proto__' })).error?.id, 'invalid-parameters-format')
  t.equal((await update({ ...weight, measure: 'heart-rate' })).error?.id, 'invalid-parameters-format')
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [own] } })
  t.match(await update(mapping), { connection: { mapping } })
  await send(alice, 'json', connection, { laps: 12 })
  const [event] = await events(alice)
  t.equal(await findMark(alice, event), 'laps')
})

t.test('a preview is bounded, whatever waits', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'json')
  const list = Array.from({ length: 10_000 }, (_, index) => index)
  t.equal((await send(alice, 'json', connection, list)).status, 200)
  t.equal((await send(alice, 'json', connection, { text: 'x'.repeat(50_000) })).status, 200)
  const all = Array.from({ length: 50 }, () => ({ value: '', type: 'count/generic' }))
  const preview = await alice.do('connections.preview', { id: connection.id, mapping: all })
  t.equal(preview.values.length, 20)
  const long = await alice.do('connections.preview', {
    id: connection.id,
    mapping: { value: '/text', type: 'note/txt', description: '/text' }
  })
  t.equal(long.values[0].content, undefined)
  t.equal(long.values[0].description.length, 200)
  const whole = await alice.do('connections.preview', {
    id: connection.id,
    mapping: { value: '/__proto__/constructor', type: 'note/txt' }
  })
  t.same(whole.values, [])
})

t.test('bodies that nest deeply do not break the service, nor those that wait', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'json')
  const deep = '['.repeat(40_000) + ']'.repeat(40_000)
  t.equal((await send(alice, 'json', connection, deep)).status, 400)
  const odd = '{"__proto__":{"a":1},"constructor":2,"":3}'
  t.equal((await send(alice, 'json', connection, odd)).status, 200)
  const { waiting } = await look(alice, connection)
  const body = waiting.at(-1).body as object
  t.same(Object.keys(body), ['__proto__', 'constructor', ''])
  const preview = await alice.do('connections.preview', {
    id: connection.id,
    mapping: [
      { value: '/__proto__/a', type: 'count/generic' },
      { value: '/', type: 'count/generic' }
    ]
  })
  t.same(
    preview.values.map(({ content }: Answer) => content),
    [1, 3]
  )
  t.ok((await alice.do('connections.get')).connections.length > 0)
})
