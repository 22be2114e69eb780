/** Corrections that come together with something else: new values, moved streams, lost permissions, quiet hours. */
import t from 'tap'
import type { Client } from '../../support/coffer.js'
import { broughtIn, takenOut } from '../../support/importing.js'
import {
  addChannel,
  addRule,
  change,
  countMessages,
  evaluated,
  findLast,
  measure,
  noon,
  pass,
  readState,
  startWorld
} from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const
const note = { type: 'note/txt', streamIds: ['diary'] }

/** Moves an event to the trash and adds another number in one call, as devices do that replace what they have sent. */
async function replace(client: Client, id: string, content: number): Promise<void> {
  const { clock } = client.service
  const event = { streamIds: ['body'], type: 'frequency/bpm', content, time: clock.now() }
  await client.do('callBatch', [
    { method: 'events.update', params: { id, update: { trashed: true } } },
    { method: 'events.create', params: event }
  ])
}

t.test('a firing that goes on is not repeated in quiet hours', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const quietHours = { from: '15:00', to: '22:00' }
  const id = await addRule(alice, channel, above, { remindAfter: 3600, quietHours })
  await measure(alice, id, { content: 120 })
  await measure(alice, id, { content: 80 })
  const end = await findLast(alice)
  clock.advance(4 * 3600)
  const state = await change(alice, id, 'events.update', { id: end.id, update: { trashed: true } })
  t.match(state, { isFiring: true, tellAt: noon + 10 * 3600 })
  t.equal(await countMessages(alice, channel), 1)
  await pass(alice, id, noon + 10 * 3600 - clock.now())
  t.equal(await countMessages(alice, channel), 2)
})

t.test('turning a value on and off sends two messages, whatever it takes', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, { tellsRecovery: true })
  await measure(alice, id, { content: 120 })
  const cause = await findLast(alice)
  for (let count = 0; count < 10; count++) {
    const state = await change(alice, id, 'events.update', {
      id: cause.id,
      update: { trashed: count % 2 === 0 }
    })
    t.match(state, { isFiring: count % 2 === 1, episode: 1 })
  }
  t.equal(await countMessages(alice, channel), 2)
})

t.test('a limit that is exceeded by the same total is the same firing', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'total', measure: 'steps', atMost: 8000, by: '23:59' })
  const { firedAt } = await measure(alice, id, { type: 'count/steps', content: 50_000 })
  const typo = await findLast(alice, 'count/steps')
  for (const trashed of [true, false]) {
    clock.advance(120)
    const state = await change(alice, id, 'events.update', { id: typo.id, update: { trashed } })
    t.match(state, { isFiring: !trashed, episode: 1, firedAt })
  }
  t.equal(await countMessages(alice, channel), 1)
})

t.test('an import that is undone', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above, { tellsRecovery: true })
  clock.advance(60)
  const time = new Date((clock.now() - 10) * 1000).toISOString()
  const { id: imported } = await broughtIn(alice, 'a.csv', `time,heart rate\n${time},150\n`)
  t.match(await evaluated(alice, id), { isFiring: true })
  clock.advance(1)
  await takenOut(alice, imported)
  t.match(await evaluated(alice, id), { isFiring: false, recoveredAt: clock.now() })
  t.equal(await countMessages(alice, channel), 2)
})

t.test('a stream that is moved to where a rule looks, before it has ever fired', async t => {
  const { alice, channel, clock } = await startWorld(t)
  await alice.stream('own', 'diary')
  const id = await addRule(alice, channel, { ...above, streamIds: ['body'] })
  await measure(alice, id, { content: 70 })
  await measure(alice, id, { content: 130, streamIds: ['own'] })
  t.match(readState(alice, id), { isFiring: false })
  await change(alice, id, 'streams.update', { id: 'own', update: { parentId: 'body' } })
  t.match(readState(alice, id), { isFiring: true, firedAt: clock.now() - 1 })
})

t.test('a value that is replaced by another one', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, { ...above, for: 600 })
  await measure(alice, id, { content: 120 })
  const { id: first } = await findLast(alice)
  clock.advance(300)
  await replace(alice, first, 130)
  t.match(await evaluated(alice, id), { holdsSince: clock.now() }, 'it has to hold from then on')
  t.match(await pass(alice, id, 600), { isFiring: true })
  clock.advance(300)
  await replace(alice, (await findLast(alice)).id, 140)
  t.match(await evaluated(alice, id), { isFiring: false, holdsSince: clock.now() })
})

t.test('a message that waits is about the value that has replaced its cause', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above, { quietHours: { from: '11:00', to: '13:00' } })
  await measure(alice, id, { content: 120 })
  const { id: first } = await findLast(alice)
  clock.advance(60)
  await replace(alice, first, 130)
  t.match(await evaluated(alice, id), { isFiring: true, cause: clock.now(), value: 130 })
  await pass(alice, id, noon + 3600 - clock.now())
  t.equal(await countMessages(alice, channel), 1)
})

t.test('a message about several notes is sent while one of them still has the word', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const quietHours = { from: '11:00', to: '13:00' }
  const id = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'] }, { quietHours })
  await measure(alice, id, { ...note, content: 'dizzy' })
  await measure(alice, id, { ...note, content: 'dizzy again' })
  const { id: last } = await findLast(alice, 'note/txt')
  await change(alice, id, 'events.update', { id: last, update: { trashed: true } })
  await pass(alice, id, noon + 3600 - clock.now())
  t.equal(await countMessages(alice, channel), 1)
})

t.test('what is hidden from now on is not said to be over', async t => {
  const { alice, clock } = await startWorld(t)
  await alice.stream('shared')
  await alice.do('streams.update', { id: 'body', update: { parentId: 'shared' } })
  const app = await alice.grant('read', 'shared', { type: 'app', name: 'app' })
  const channel = await addChannel(app)
  const fields = { tellsRecovery: true }
  const number = await addRule(app, channel, above, fields)
  const total = await addRule(
    app,
    channel,
    { kind: 'total', measure: 'steps', atMost: 10, by: '23:59' },
    fields
  )
  await measure(alice, number, { content: 120 })
  await measure(alice, total, { type: 'count/steps', content: 100 })
  t.equal(await countMessages(app, channel), 2)
  clock.advance(1)
  await alice.do('streams.update', { id: 'body', update: { parentId: null } })
  for (const id of [number, total]) t.match(await evaluated(app, id), { isFiring: false })
  t.equal(await countMessages(app, channel), 2)
})

t.test('messages of channels do not end a silence of notes', async t => {
  const { alice, clock } = await startWorld(t)
  const target = { streamId: 'diary' }
  const { channel } = await alice.do('channels.create', { type: 'event', name: 'diary', target })
  await alice.event({ time: clock.now() })
  const condition = { kind: 'missing', measure: 'note', for: 3600 }
  const id = await addRule(alice, channel.id, condition)
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 1 })
  const clientData = { 'coffer:channel': { id: channel.id } }
  const events = Array.from({ length: 60 }, () => ({
    method: 'events.create',
    params: { ...note, content: 'x', clientData }
  }))
  await change(alice, id, 'callBatch', events)
  t.match(readState(alice, id), { isFiring: true, episode: 1 })
  t.match(await measure(alice, id, { ...note, content: 'well' }), { isFiring: false })
  await change(alice, id, 'callBatch', events)
  t.match(await pass(alice, id, 3600), { isFiring: true, episode: 2 }, 'however many there are')
})
