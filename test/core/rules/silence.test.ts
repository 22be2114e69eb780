/** Rules on data that does not come, totals, words, arrivals and reads. */
import t from 'tap'
import { addRule, countMessages, evaluated, listMessages, measure, noon, pass, startWorld } from './world.js'

t.test('data that is missing', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(
    alice,
    channel,
    { kind: 'missing', measure: 'heart-rate', for: 3600 },
    { tellsRecovery: true }
  )
  await measure(alice, id, { content: 70, after: 1800 })
  alice.service.clock.advance(3599)
  t.equal(await countMessages(alice, channel), 0)
  t.match(await pass(alice, id, 1), { isFiring: true, firedAt: noon + 5400 })
  t.equal(await countMessages(alice, channel), 1)
  t.match(await measure(alice, id, { content: 70 }), { isFiring: false })
  t.equal(await countMessages(alice, channel), 2, 'with the recovery')
  t.match(await pass(alice, id, 3600), { isFiring: true })
})

t.test('a stream without data, and messages that do not count', async t => {
  const { alice, channel } = await startWorld(t)
  const { channel: diary } = await alice.do('channels.create', {
    type: 'event',
    name: 'diary',
    target: { streamId: 'diary' }
  })
  await alice.event()
  const id = await addRule(
    alice,
    channel,
    { kind: 'missing', streamId: 'diary', for: 3600 },
    { channelIds: [diary.id, channel] }
  )
  t.match(await pass(alice, id, 3600), { isFiring: true })
  await alice.event({ streamIds: ['body'], type: 'mass/kg', content: 70 })
  t.match(await measure(alice, id, { streamIds: ['body'], type: 'mass/kg', content: 70 }), { isFiring: true })
  t.match(await measure(alice, id, { streamIds: ['diary'], type: 'note/txt', content: 'x' }), {
    isFiring: false
  })
})

t.test('a goal that is not reached by an hour of the day', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const condition = { kind: 'total', measure: 'steps', atLeast: 8000, by: '20:00' }
  const id = await addRule(alice, channel, condition, { zone: 'Europe/Zurich' })
  await measure(alice, id, { type: 'count/steps', content: 5000 })
  clock.advance(noon + 7 * 3600 - 1 - clock.now())
  t.equal(await countMessages(alice, channel), 0, '19:59 in Zürich')
  t.match(await pass(alice, id, 1), { isFiring: true })
  t.equal(await countMessages(alice, channel), 1)
  t.match(await pass(alice, id, 4 * 3600), { isFiring: false }, 'the day is over')
  await measure(alice, id, { type: 'count/steps', content: 9000, after: 3600 })
  clock.advance(noon + 31 * 3600 - clock.now())
  await evaluated(alice, id)
  t.equal(await countMessages(alice, channel), 1, 'reached on the next day')
})

t.test('a limit that is exceeded', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'total', measure: 'steps', atMost: 8000, by: '23:59' })
  await measure(alice, id, { type: 'count/steps', content: 5000 })
  t.equal(await countMessages(alice, channel), 0)
  await measure(alice, id, { type: 'count/steps', content: 5000 })
  await measure(alice, id, { type: 'count/steps', content: 5000 })
  t.equal(await countMessages(alice, channel), 1, 'once a day')
})

t.test('words in notes', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'words', anyOf: ['Migräne', 'a+b (c)'] })
  const write = async (content: string, streamId = 'diary'): Promise<number> => {
    await measure(alice, id, { streamIds: [streamId], type: 'note/txt', content })
    return await countMessages(alice, channel)
  }
  t.equal(await write('Keine Kopfmigräne.'), 0, 'part of another word')
  t.equal(await write('Heute MIGRÄNE!'), 1)
  t.equal(await write('so: a+b (c)'), 2)
  t.equal(await write('aab c'), 2)
})

t.test('a rule whose message has the words that it watches', async t => {
  const { alice, clock } = await startWorld(t)
  const { channel } = await alice.do('channels.create', {
    type: 'event',
    name: 'diary',
    target: { streamId: 'diary' }
  })
  const id = await addRule(alice, channel.id, { kind: 'words', anyOf: ['pain'] }, { text: 'pain again' })
  await measure(alice, id, { streamIds: ['diary'], type: 'note/txt', content: 'pain' })
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(60)
    await alice.event({ content: 'nothing' })
    await evaluated(alice, id)
  }
  t.equal(await countMessages(alice, channel.id), 1)
})

t.test('data from an access, and reads of an access', async t => {
  const { alice, channel } = await startWorld(t)
  const app = await alice.grant('manage', 'body', { type: 'app', name: 'sensor' })
  const arrived = await addRule(alice, channel, { kind: 'arrived', accessId: app.access.id })
  await measure(alice, arrived, { content: 70 })
  t.equal(await countMessages(alice, channel), 0, 'from the user')
  await measure(app, arrived, { content: 70 })
  t.match(await listMessages(alice, channel), [{ source: { id: arrived } }])
  await alice.do('rules.delete', { id: arrived })

  const looked = await addRule(alice, channel, { kind: 'looked' })
  alice.service.clock.advance(60)
  await alice.do('events.get')
  await evaluated(alice, looked)
  t.equal(await countMessages(alice, channel), 1, 'the user')
  alice.service.clock.advance(60)
  await app.do('events.get')
  await evaluated(alice, looked)
  t.match(await listMessages(alice, channel), [{}, { source: { id: looked } }])
})

t.test('data of the future ends no silence', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  await measure(alice, id, { content: 80 })
  await measure(alice, id, { content: 80, after: 1, age: -10 * 366 * 86_400 })
  const last = noon + 60
  t.match(await pass(alice, id, last + 3600 - clock.now()), { isFiring: true, firedAt: last + 3600 })
  t.equal(await countMessages(alice, channel), 1)
  t.match(await measure(alice, id, { content: 81 }), { isFiring: false }, 'present data does')
  t.match(await measure(alice, id, { content: 81, after: 1800 }), { isFiring: false })
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 2 })
})

t.test('data of the future only', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  await measure(alice, id, { content: 80, after: 1, age: -10 * 366 * 86_400 })
  t.match(await pass(alice, id, noon + 3600 - clock.now()), { isFiring: true, firedAt: noon + 3600 })
  t.match(await pass(alice, id, 0), { isFiring: true, episode: 1 })
})

t.test('a connection that was last heard while the clock was ahead', async t => {
  const { alice, channel, clock, server } = await startWorld(t)
  const { connection } = await alice.do('connections.create', { dialect: 'owntracks', name: 'phone' })
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const stored = store.connections.find(connection.id)!
  const arrivals = { ...stored.arrivals, lastHeard: clock.now() + 1e8 }
  await store.write(() => store.connections.updateArrivals({ ...stored, arrivals }))
  const id = await addRule(alice, channel, { kind: 'missing', connectionId: connection.id, for: 3600 })
  t.match(await pass(alice, id, 3600), { isFiring: true })
})
