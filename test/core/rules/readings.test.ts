/** Rules on numbers and positions: when they fire, when they are over, and what does not count. */
import t from 'tap'
import { until } from '../../support/socket.js'
import {
  addRule,
  countMessages,
  evaluated,
  listMessages,
  measure,
  noon,
  pass,
  readState,
  startWorld
} from './world.js'

t.test('a rule fires once until it is over', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, {
    kind: 'above',
    measure: 'heart-rate',
    value: 100,
    recoverAt: 90
  })
  t.match(await measure(alice, id, { content: 80 }), { isFiring: false })
  t.match(await measure(alice, id, { content: 120 }), { isFiring: true, firedAt: noon + 120 })
  await measure(alice, id, { content: 130 })
  t.match(await measure(alice, id, { content: 95 }), { isFiring: true }, 'between the value and recovery')
  t.equal(await countMessages(alice, channel), 1)
  t.match(await measure(alice, id, { content: 90 }), { isFiring: false, recoveredAt: noon + 300 })
  t.match(await measure(alice, id, { content: 95 }), { isFiring: false })
  await measure(alice, id, { content: 101 })
  t.equal(await countMessages(alice, channel), 2)
  t.match((await alice.do('rules.getOne', { id })).rule.state, { isFiring: true, toldAt: noon + 420 })
})

t.test('a rule on low numbers in another unit', async t => {
  const { alice, channel } = await startWorld(t)
  await alice.do('streams.update', { id: 'body', update: { clientData: { 'coffer:measure': 'glucose' } } })
  const { types } = (await alice.do('measures.get')).measures.find(
    ({ id }: { id: string }) => id === 'glucose'
  )
  const [molar, mass] = ['density/mmol-l', 'density/mg-dl']
  t.ok(
    [molar, mass].every(type => types.includes(type)),
    types.join()
  )
  const condition = { kind: 'below', measure: 'glucose', unit: mass, value: 72 }
  const id = await addRule(alice, channel, condition, {
    showsValues: true,
    name: 'Low',
    text: 'Eat something'
  })
  await measure(alice, id, { type: molar, content: 4.1 })
  t.equal(await countMessages(alice, channel), 0)
  await measure(alice, id, { type: molar, content: 3.8 })
  t.match(await listMessages(alice, channel), [{ title: 'Low', source: { kind: 'rule', id } }])
})

t.test('a condition that has to hold', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100, for: 600 })
  await measure(alice, id, { content: 120 })
  await measure(alice, id, { content: 99, after: 300 })
  await measure(alice, id, { content: 120, after: 300 })
  t.match(await measure(alice, id, { content: 130, after: 300 }), { isFiring: false })
  t.match(await pass(alice, id, 300), { isFiring: true }, 'without another number')
  t.equal(await countMessages(alice, channel), 1)
})

t.test('numbers that arrive together', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100, for: 600 })
  clock.advance(900)
  const calls = [
    [0, 120],
    [300, 130],
    [720, 80]
  ].map(([after = 0, content]) => ({
    method: 'events.create',
    params: { streamIds: ['body'], type: 'frequency/bpm', content, time: noon + 60 + after }
  }))
  await alice.do('callBatch', calls)
  await until(() => readState(alice, id)?.recoveredAt !== undefined, 'the last number')
  t.match(readState(alice, id), { isFiring: false, firedAt: noon + 660, recoveredAt: noon + 780 })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('old numbers, and numbers of other measures, do not count', async t => {
  const { alice, channel, clock } = await startWorld(t)
  clock.advance(86_400)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100 })
  await measure(alice, id, { content: 120, age: 80_000 })
  await measure(alice, id, { content: 120, age: 30, after: 3600 })
  t.equal(await countMessages(alice, channel), 1, 'only the one of half a minute ago')
  await measure(alice, id, { content: 80 })
  await measure(alice, id, { content: 120, age: 3600, after: 7200 })
  t.equal(await countMessages(alice, channel), 1, 'an hour old')
  clock.advance(60)
  await alice.event({ streamIds: ['body'], type: 'mass/kg', content: 300 })
  const event = await alice.event({ streamIds: ['body'], type: 'frequency/bpm', content: 70 })
  await evaluated(alice, id)
  await alice.do('events.update', { id: event.id, update: { content: 180 } })
  await measure(alice, id, { content: 70 })
  t.equal(await countMessages(alice, channel), 1, 'a number that was changed later')
})

t.test('points of series count', async t => {
  const { alice, channel, clock, server } = await startWorld(t)
  const { id: holder } = await alice.event({
    streamIds: ['body'],
    type: 'series:frequency/bpm',
    content: null
  })
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100 })
  const add = async (points: number[][]): Promise<void> => {
    await alice.do('hfs.add', { id: holder, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    await server.settle()
    await evaluated(alice, id)
  }
  clock.advance(60)
  await add([
    [10, 80],
    [20, 120],
    [30, 90],
    [40, 125]
  ])
  t.equal(await countMessages(alice, channel), 1, 'the second one comes within a minute')
  t.match(await pass(alice, id, 60), { isFiring: true, firedAt: noon + 40 })
  t.equal(await countMessages(alice, channel), 2)
})

t.test('numbers that change', async t => {
  const { alice, channel } = await startWorld(t)
  const condition = { kind: 'changing', measure: 'heart-rate', by: 30, within: 600, direction: 'up' }
  const id = await addRule(alice, channel, condition)
  for (const content of [60, 70, 75]) await measure(alice, id, { content, after: 300 })
  t.equal(await countMessages(alice, channel), 0)
  await measure(alice, id, { content: 98, after: 300 })
  t.equal(await countMessages(alice, channel), 0, 'thirty more, but not within ten minutes')
  t.match(await measure(alice, id, { content: 105, after: 300 }), { isFiring: true })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('numbers that change within hours, among many points', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const start = clock.now() - 86_400
  const params = { streamIds: ['body'], type: 'series:frequency/bpm', time: start, content: null }
  const { id: holder } = await alice.event(params)
  const points = Array.from({ length: 8640 }, (_, at) => [at * 10, at === 1000 ? 40 : 100 + (at % 7)])
  await alice.do('hfs.add', { id: holder, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const add = async (direction: string, by: number, within: number): Promise<string> =>
    await addRule(alice, channel, { kind: 'changing', measure: 'heart-rate', by, within, direction })
  const day = await add('up', 55, 86_400)
  const half = await add('up', 55, 43_200)
  const down = await add('down', 20, 86_400)
  for (const id of [day, half, down]) t.match(readState(alice, id), { isFiring: false })
  t.match(await measure(alice, day, { content: 100 }), { isFiring: true })
  t.match(await evaluated(alice, half), { isFiring: false }, 'the lowest is older')
  t.match(await evaluated(alice, down), { isFiring: false })
  t.match(await measure(alice, down, { content: 86 }), { isFiring: true })
  t.match(await evaluated(alice, day), { isFiring: false })
  t.match(await measure(alice, day, { content: 95, after: 9800 }), { isFiring: true })
  t.match(await measure(alice, day, { content: 96, after: 300 }), { isFiring: false }, 'a day later')
})

t.test('numbers outside of a range', async t => {
  const { alice, channel } = await startWorld(t)
  const plausible = await addRule(alice, channel, {
    kind: 'outside',
    measure: 'heart-rate',
    range: 'plausible'
  })
  const usual = await addRule(alice, channel, { kind: 'outside', measure: 'heart-rate', range: 'usual' })
  t.match(await measure(alice, usual, { content: 70 }), { problem: 'no-range' })
  const calls = Array.from({ length: 60 }, (_, index) => ({
    method: 'events.create',
    params: {
      streamIds: ['body'],
      type: 'frequency/bpm',
      content: 70 + (index % 5),
      time: noon - 3600 * (24 + 6 * index)
    }
  }))
  await alice.do('callBatch', calls)
  const { clock } = alice.service
  clock.advance(86_400)
  await alice.do('rules.update', { id: usual, update: { isActive: false } })
  await alice.do('rules.update', { id: usual, update: { isActive: true } })
  t.match(await measure(alice, usual, { content: 76 }), { isFiring: false })
  t.match(await measure(alice, usual, { content: 110 }), { isFiring: true })
  t.equal(await countMessages(alice, channel), 1)
  await measure(alice, plausible, { content: 250 })
  t.equal(await countMessages(alice, channel), 2)
  const refused = await alice.call('rules.create', {
    name: 'x',
    channelIds: [],
    condition: { kind: 'outside', measure: 'position', range: 'usual' }
  })
  t.ok(refused.error, 'a measure without numbers')
})

t.test('places', async t => {
  const { alice, channel } = await startWorld(t)
  const home = { latitude: 46.52, longitude: 6.63, radius: 100 }
  const [enters, leaves] = [
    await addRule(alice, channel, { kind: 'place', direction: 'enters', ...home }),
    await addRule(alice, channel, { kind: 'place', direction: 'leaves', ...home })
  ]
  const go = async (latitude: number): Promise<void> => {
    await measure(alice, enters, { type: 'position/wgs84', content: { latitude, longitude: 6.63 } })
    await evaluated(alice, leaves)
  }
  await go(46.52)
  t.equal(await countMessages(alice, channel), 0, 'the first position')
  await go(46.521)
  t.equal(await countMessages(alice, channel), 0, 'just outside of the radius')
  await go(46.53)
  t.match(await listMessages(alice, channel), [{ source: { id: leaves } }])
  await go(46.5201)
  t.match(await listMessages(alice, channel), [{ source: { id: leaves } }, { source: { id: enters } }])
})
