/** What a rule says follows from the data as it stands: values may be changed, moved, removed and restored after they were seen. */
import t from 'tap'
import type { RuleState } from '../../../schemas/rule.js'
import type { Answer } from '../../support/coffer.js'
import {
  addRule,
  change,
  countMessages,
  findLast,
  measure,
  noon,
  pass,
  readState,
  startWorld
} from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const

const ways: readonly (readonly [string, (event: Answer) => readonly [string, object]])[] = [
  ['changed', ({ id }) => ['events.update', { id, update: { content: 80 } }]],
  ['moved to another time', ({ id }) => ['events.update', { id, update: { time: noon - 86_400 } }]],
  ['moved to another stream', ({ id }) => ['events.update', { id, update: { streamIds: ['diary'] } }]],
  ['moved to the trash', ({ id }) => ['events.update', { id, update: { trashed: true } }]],
  ['with its stream in the trash', () => ['streams.update', { id: 'pulse', update: { trashed: true } }]]
]
for (const [name, describe] of ways)
  t.test(`an alert is over when what has caused it is ${name}`, async t => {
    const { alice, channel } = await startWorld(t)
    await alice.stream('pulse', 'body')
    const condition = { ...above, streamIds: ['body'] }
    const id = await addRule(alice, channel, condition, { tellsRecovery: true, remindAfter: 600 })
    await measure(alice, id, { content: 80, streamIds: ['pulse'] })
    t.match(await measure(alice, id, { content: 120, streamIds: ['pulse'] }), { isFiring: true })
    await alice.do('rules.acknowledge', { id })
    const event = await findLast(alice)
    const state = await change(alice, id, ...describe(event))
    t.match(state, { isFiring: false, recoveredAt: alice.service.clock.now() })
    t.notOk('isOpen' in state)
    t.equal(await countMessages(alice, channel), 2, 'with the recovery')
    alice.service.clock.advance(1200)
    await alice.service.server.settle()
    t.equal(await countMessages(alice, channel), 2, 'and no repeat')
  })

t.test('an alert is over when a stream is deleted, or merged with one that does not count', async t => {
  for (const mergeEventsWithParent of [false, true]) {
    const { alice, channel } = await startWorld(t)
    await alice.stream('pulse', 'diary')
    await alice.stream('own', 'pulse')
    const id = await addRule(alice, channel, { ...above, streamIds: ['pulse', 'body'] })
    await measure(alice, id, { content: 120, streamIds: ['own'] })
    await change(alice, id, 'streams.update', { id: 'own', update: { parentId: 'diary' } })
    t.match(readState(alice, id), { isFiring: false }, 'moved')
    await change(alice, id, 'streams.update', { id: 'own', update: { parentId: 'body' } })
    t.match(readState(alice, id), { isFiring: true, episode: 1 }, 'and back')
    await change(alice, id, 'streams.delete', { id: 'own' })
    await change(alice, id, 'streams.delete', { id: 'own', mergeEventsWithParent })
    t.match(readState(alice, id), { isFiring: mergeEventsWithParent, episode: 1 })
    t.equal(await countMessages(alice, channel), 1)
  }
})

t.test('the alert goes on when what has ended it is removed, and when its cause is restored', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, { atMostEvery: 60 })
  const { firedAt } = await measure(alice, id, { content: 120 })
  await measure(alice, id, { content: 80, after: 7200 })
  const { id: eventId } = await findLast(alice)
  const trash = async (event: string, trashed: boolean): Promise<RuleState> => {
    await change(alice, id, 'events.update', { id: event, update: { trashed } })
    return readState(alice, id)!
  }
  const state = await trash(eventId, true)
  t.match(state, { isFiring: true, isOpen: true, firedAt, episode: 1 })
  t.notOk('recoveredAt' in state)
  const cause = await findLast(alice, 'frequency/bpm')
  t.equal(cause.id, eventId)
  const [, first] = (await alice.do('events.get', { types: ['frequency/bpm'], state: 'all' })).events
  t.match(await trash(first.id, true), { isFiring: false })
  t.match(await trash(first.id, false), { isFiring: true, episode: 1 })
  t.match(await trash(eventId, false), { isFiring: false })
  t.equal(await countMessages(alice, channel), 1, 'the same firing is told once')
})

t.test('another value for which the condition holds keeps the alert', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { ...above, recoverAt: 90 }, { remindAfter: 600 })
  await measure(alice, id, { content: 120 })
  const { id: first } = await findLast(alice)
  await measure(alice, id, { content: 110 })
  await measure(alice, id, { content: 95 })
  t.match(await change(alice, id, 'events.delete', { id: first }), { isFiring: true })
  await pass(alice, id, 600)
  t.equal(await countMessages(alice, channel), 2, 'it is repeated')
  t.match(readState(alice, id), { cause: noon + 120, value: 110 })
  const events = (await alice.do('events.get', { types: ['frequency/bpm'] })).events
  const { id: second } = events.find(({ content }: Answer) => content === 110)
  t.match(await change(alice, id, 'events.update', { id: second, update: { trashed: true } }), {
    isFiring: false
  })
})

t.test('a recent value that is corrected is one that counts, an old one is not', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  await measure(alice, id, { content: 70 })
  const { id: typo } = await findLast(alice)
  t.match(await change(alice, id, 'events.update', { id: typo, update: { content: 170 } }), {
    isFiring: true,
    value: 170
  })
  await measure(alice, id, { content: 80 })
  const { id: last } = await findLast(alice)
  alice.service.clock.advance(3600)
  await alice.do('events.update', { id: typo, update: { trashed: true } })
  await change(alice, id, 'events.update', { id: last, update: { content: 180 } })
  t.match(readState(alice, id), { isFiring: false, episode: 1 })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('how long a condition holds', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { ...above, for: 600 })
  await measure(alice, id, { content: 120 })
  const { id: first } = await findLast(alice)
  await measure(alice, id, { content: 130, after: 300 })
  const { id: second } = await findLast(alice)
  t.match(await change(alice, id, 'events.delete', { id: first }), { holdsSince: noon + 360 })
  t.match(await pass(alice, id, noon + 960 - alice.service.clock.now()), {
    isFiring: true,
    firedAt: noon + 960
  })
  await measure(alice, id, { content: 140 })
  t.match(await change(alice, id, 'events.update', { id: second, update: { content: 90 } }), {
    isFiring: false,
    holdsSince: noon + 1020
  })
})

t.test('a change, and a position', async t => {
  const { alice, channel } = await startWorld(t)
  const changing = await addRule(alice, channel, {
    kind: 'changing',
    measure: 'heart-rate',
    by: 30,
    within: 600,
    direction: 'up'
  })
  await measure(alice, changing, { content: 60 })
  const { id: low } = await findLast(alice)
  t.match(await measure(alice, changing, { content: 95 }), { isFiring: true })
  t.match(await change(alice, changing, 'events.update', { id: low, update: { content: 80 } }), {
    isFiring: false
  })
  const home = { latitude: 46.52, longitude: 6.63, radius: 100 }
  const place = await addRule(alice, channel, { kind: 'place', direction: 'leaves', ...home })
  const go = async (latitude: number): Promise<RuleState> =>
    await measure(alice, place, { type: 'position/wgs84', content: { latitude, longitude: 6.63 } })
  await go(46.52)
  t.match(await go(46.6), { isFiring: true })
  const { id: wrong } = await findLast(alice, 'position/wgs84')
  t.match(await change(alice, place, 'events.delete', { id: wrong }), { isFiring: false })
})

t.test('points of a series that are changed or deleted', async t => {
  const { alice, channel } = await startWorld(t)
  const holder = await alice.event({ streamIds: ['body'], type: 'series:frequency/bpm', content: null })
  const id = await addRule(alice, channel, above)
  const add = async (points: number[][]): Promise<RuleState> =>
    await change(alice, id, 'hfs.add', {
      id: holder.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points
    })
  alice.service.clock.advance(60)
  t.match(
    await add([
      [30, 80],
      [40, 120]
    ]),
    { isFiring: true }
  )
  t.match(await add([[40, 90]]), { isFiring: false })
  t.match(await add([[50, 120]]), { isFiring: true })
  t.match(await change(alice, id, 'events.delete', { id: holder.id }), {})
  t.match(await change(alice, id, 'events.delete', { id: holder.id }), { isFiring: false })
})

t.test('a silence is as long as the data that is left says', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  await measure(alice, id, { content: 70 })
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 1 })
  t.match(await measure(alice, id, { content: 70, after: 10 }), { isFiring: false })
  const { id: last } = await findLast(alice)
  t.match(await change(alice, id, 'events.update', { id: last, update: { trashed: true } }), {
    isFiring: true,
    episode: 1
  })
  t.match(await change(alice, id, 'events.update', { id: last, update: { trashed: false } }), {
    isFiring: false
  })
  await measure(alice, id, { content: 71, after: 1800 })
  const { id: later } = await findLast(alice)
  await change(alice, id, 'events.delete', { id: later })
  t.match(readState(alice, id), { holdsSince: noon + 60 + 3610 })
  t.match(await pass(alice, id, noon + 60 + 3610 + 3600 - alice.service.clock.now()), {
    isFiring: true,
    episode: 2
  })
  t.equal(await countMessages(alice, channel), 2)
})

t.test('a goal, when values of the day are changed after its hour', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const condition = { kind: 'total', measure: 'steps', atLeast: 8000, by: '20:00' }
  const id = await addRule(alice, channel, condition)
  await measure(alice, id, { type: 'count/steps', content: 5000 })
  const { id: steps } = await findLast(alice, 'count/steps')
  await change(alice, id, 'events.update', { id: steps, update: { content: 9000 } })
  t.match(await pass(alice, id, noon + 8 * 3600 - clock.now()), { isFiring: false })
  t.match(await change(alice, id, 'events.update', { id: steps, update: { content: 6000 } }), {
    isFiring: true,
    firedAt: noon + 8 * 3600
  })
  t.match(await measure(alice, id, { type: 'count/steps', content: 5000, age: 30 }), { isFiring: true })
  t.match(await measure(alice, id, { type: 'count/steps', content: 2500, age: 4 * 3600 }), {
    isFiring: false
  })
  const { id: late } = (await alice.do('events.get', { types: ['count/steps'] })).events.find(
    ({ content }: Answer) => content === 2500
  )
  t.match(await change(alice, id, 'events.update', { id: late, update: { trashed: true } }), {
    isFiring: true,
    episode: 1
  })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('a limit that was exceeded by mistake', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'total', measure: 'steps', atMost: 8000, by: '23:59' })
  t.match(await measure(alice, id, { type: 'count/steps', content: 50_000 }), { isFiring: true })
  const { id: typo } = await findLast(alice, 'count/steps')
  t.match(await change(alice, id, 'events.update', { id: typo, update: { content: 5000 } }), {
    isFiring: false
  })
  t.match(await measure(alice, id, { type: 'count/steps', content: 5000 }), { isFiring: true, episode: 2 })
})

t.test('a message that waits is not sent once its cause is gone', async t => {
  const { alice, channel } = await startWorld(t)
  const quiet = { quietHours: { from: '11:00', to: '13:00' } }
  const id = await addRule(alice, channel, above, quiet)
  const words = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'] }, quiet)
  const note = { type: 'note/txt', streamIds: ['diary'], content: 'dizzy' }
  await measure(alice, words, note)
  const { id: text } = await findLast(alice, 'note/txt')
  await measure(alice, id, { content: 120 })
  const { id: cause } = await findLast(alice)
  t.match(await change(alice, id, 'events.update', { id: cause, update: { content: 80 } }), {
    tellAt: undefined
  })
  await change(alice, words, 'events.update', { id: text, update: { content: 'fine' } })
  await pass(alice, words, 3600)
  t.equal(await countMessages(alice, channel), 0)
})
