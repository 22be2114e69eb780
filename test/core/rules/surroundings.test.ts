/** What rules depend on besides data: permissions, streams, own measures, time zones, and the clock. */
import t from 'tap'
import { until } from '../../support/socket.js'
import {
  addChannel,
  addRule,
  change,
  countMessages,
  evaluated,
  findLast,
  listMessages,
  measure,
  noon,
  pass,
  readState,
  startWorld
} from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const

t.test('a rule goes on when a permission is back', async t => {
  const { alice } = await startWorld(t, { accesses: { updates: true } })
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const channel = await addChannel(app)
  const id = await addRule(app, channel, { kind: 'missing', streamId: 'body', for: 3600 })
  await measure(alice, id, { content: 70 })
  const allow = async (streamId: string): Promise<void> => {
    const permissions = [{ streamId, level: 'read' }]
    const { accesses } = await alice.do('accesses.get')
    const { id: accessId } = accesses.find(({ name }: { name: string }) => name === 'app')
    await change(alice, id, 'accesses.update', { id: accessId, update: { permissions } })
  }
  await allow('diary')
  t.match(readState(app, id), { problem: 'forbidden' })
  await allow('body')
  t.match(readState(app, id), { problem: undefined, holdsSince: noon + 60 })
  t.match(await pass(app, id, 3600), { isFiring: true })
  t.equal(await countMessages(app, channel), 1)
})

t.test('what was hidden when it was stored does not count once it can be read', async t => {
  const { alice, clock } = await startWorld(t, { accesses: { updates: true } })
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const channel = await addChannel(app)
  const words = await addRule(app, channel, { kind: 'words', anyOf: ['dizzy'] })
  const arrived = await addRule(app, channel, { kind: 'arrived', accessId: alice.access.id })
  const note = { type: 'note/txt', streamIds: ['diary'] }
  await alice.event({ ...note, content: 'dizzy' })
  for (const id of [words, arrived]) await evaluated(app, id)
  clock.advance(3 * 86_400)
  const permissions = ['body', 'diary'].map(streamId => ({ streamId, level: 'read' }))
  await alice.do('accesses.update', { id: app.access.id, update: { permissions } })
  const other = await alice.grant('contribute', 'diary', { type: 'app', name: 'other' })
  await other.event({ ...note, content: 'fine' })
  for (const id of [words, arrived]) t.match(await evaluated(app, id), { episode: 0 })
  clock.advance(60)
  await alice.event({ ...note, content: 'dizzy' })
  for (const id of [words, arrived]) t.match(await evaluated(app, id), { episode: 1 })
})

t.test('notes in a stream that is gone', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'], streamIds: ['diary'] })
  t.match(await change(alice, id, 'streams.update', { id: 'diary', update: { trashed: true } }), {
    problem: 'forbidden'
  })
  t.match(await change(alice, id, 'streams.update', { id: 'diary', update: { trashed: false } }), {
    problem: undefined
  })
  t.match(await measure(alice, id, { type: 'note/txt', streamIds: ['diary'], content: 'dizzy' }), {
    episode: 1
  })
})

t.test('a silence without any data left', async t => {
  const { alice, channel } = await startWorld(t)
  const condition = { kind: 'missing', measure: 'heart-rate', for: 3600 }
  const id = await addRule(alice, channel, condition, { tellsRecovery: true })
  await measure(alice, id, { content: 70 })
  const { id: only } = await findLast(alice)
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 1 })
  t.match(await change(alice, id, 'events.update', { id: only, update: { trashed: true } }), {
    isFiring: false
  })
  t.match(await change(alice, id, 'events.update', { id: only, update: { trashed: false } }), {
    isFiring: true,
    episode: 1
  })
  t.equal(await countMessages(alice, channel), 2, 'it began, and was over')
  t.match(await measure(alice, id, { content: 71 }), { isFiring: false })
  const { id: last } = await findLast(alice)
  for (const each of [only, last])
    await change(alice, id, 'events.update', { id: each, update: { trashed: true } })
  alice.service.clock.advance(7200)
  await alice.service.server.settle()
  t.match(readState(alice, id), { isFiring: false })
  t.match(await measure(alice, id, { content: 72 }), { isFiring: false })
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 2 })
})

t.test('an own measure that gets other types', async t => {
  const { alice, channel } = await startWorld(t)
  const own = { id: 'ache', name: 'Ache', icon: 'smile', hue: 10, kind: 'level' }
  const define = async (...types: string[]): Promise<unknown> =>
    await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [{ ...own, types }] } })
  await define('count/generic')
  const clientData = { 'coffer:measure': 'ache' }
  await alice.do('streams.create', { id: 'ache', name: 'ache', clientData })
  const id = await addRule(alice, channel, { kind: 'above', measure: 'ache', value: 5 })
  await measure(alice, id, { type: 'count/generic', streamIds: ['ache'], content: 4 })
  await define('ratio/percent')
  alice.service.clock.advance(60)
  await alice.event({ streamIds: ['ache'], type: 'ratio/percent', content: 8 })
  await until(() => readState(alice, id)?.isFiring === true, 'an alarm')
  t.equal(await countMessages(alice, channel), 1)
})

t.test('another time zone', async t => {
  const { alice, channel } = await startWorld(t)
  // From 11:00 to 13:00 in UTC, but not in Tokyo, where it is evening.
  const quiet = { quietHours: { from: '11:00', to: '13:00' }, remindAfter: 600 }
  const id = await addRule(alice, channel, above, quiet)
  t.match(await measure(alice, id, { content: 120 }), { isFiring: true, tellAt: noon + 3600 })
  const state = await change(alice, id, 'rules.update', { id, update: { zone: 'Asia/Tokyo' } })
  t.match(state, { isFiring: true, episode: 1, isOpen: true }, 'the alarm goes on')
  await until(async () => (await countMessages(alice, channel)) === 1, 'the message')
  t.match(await measure(alice, id, { content: 130 }), { episode: 1 })
  const total = await addRule(alice, channel, { kind: 'total', measure: 'steps', atMost: 10, by: '23:00' })
  t.match(await measure(alice, total, { type: 'count/steps', content: 11 }), { isFiring: true })
  t.match(
    await change(alice, total, 'rules.update', { id: total, update: { zone: 'Asia/Tokyo' } }),
    { isFiring: true, episode: 2 },
    'days are others'
  )
})

t.test('a clock that is set back', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const high = await addRule(alice, channel, above)
  const words = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'] })
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const looked = await addRule(alice, channel, { kind: 'looked', accessId: app.access.id })
  t.match(await measure(alice, high, { content: 120 }), { isFiring: true })
  t.match(await measure(alice, high, { content: 80, after: 3 }), { isFiring: false })
  await measure(alice, words, { type: 'note/txt', streamIds: ['diary'], content: 'dizzy' })
  t.equal(await countMessages(alice, channel), 2)
  clock.advance(1)
  await app.do('events.get')
  await until(() => readState(alice, looked)?.episode === 1, 'a read')
  clock.advance(-7200)
  await app.do('events.get')
  await until(() => readState(alice, looked)?.episode === 2, 'another read')
  t.ok(readState(alice, looked)!.firedAt! <= clock.now(), 'not in the future')
  await alice.event({ streamIds: ['body'], type: 'frequency/bpm', content: 130 })
  await alice.event({ streamIds: ['diary'], content: 'dizzy' })
  await until(() => readState(alice, high)?.episode === 2, 'another alarm')
  await until(() => readState(alice, words)?.episode === 2, 'another note')
  clock.advance(61)
  await until(async () => (await countMessages(alice, channel)) === 6, 'the messages')
})

t.test('a rule that was paused while the clock was ahead', async t => {
  const { alice, channel, clock } = await startWorld(t, { auth: { sessionMaxAge: 1e9 } })
  const id = await addRule(alice, channel, above, { atMostEvery: 3600 })
  const ahead = 1000 * 86_400
  clock.advance(ahead)
  t.match(await measure(alice, id, { content: 120 }), { isFiring: true })
  await alice.do('rules.update', { id, update: { isActive: false } })
  clock.advance(-ahead)
  await alice.do('rules.update', { id, update: { isActive: true } })
  await measure(alice, id, { content: 120 })
  t.match(readState(alice, id), { isFiring: true, tellAt: Number })
  t.ok(readState(alice, id)!.tellAt! <= clock.now() + 3600)
})

t.test('messages that were planned while the clock was ahead', async t => {
  const { alice, channel, clock } = await startWorld(t, { auth: { sessionMaxAge: 1e9 } })
  const quiet = { quietHours: { from: '11:00', to: '13:00' } }
  const words = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'] }, quiet)
  const high = await addRule(alice, channel, above, { remindAfter: 600 })
  t.match(await measure(alice, high, { content: 120 }), { isFiring: true })
  const ahead = 1000 * 86_400
  t.match(await pass(alice, high, ahead), { repeats: 1 })
  await alice.event({ streamIds: ['diary'], content: 'dizzy' })
  await evaluated(alice, words)
  t.equal(await countMessages(alice, channel), 2, 'the note waits for the end of the quiet hours')
  clock.advance(-ahead)
  await until(() => readState(alice, words)!.evaluatedTo === clock.now(), 'an evaluation without new data')
  await until(() => readState(alice, high)!.evaluatedTo === clock.now(), 'an evaluation of what goes on')
  t.match(await pass(alice, high, 600), { repeats: 2 }, 'it is repeated')
  clock.advance(noon + 3600 - clock.now())
  await until(
    async () => (await listMessages(alice, channel)).some(({ source }) => source.id === words),
    'the note'
  )
})
