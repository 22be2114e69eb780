/** What goes on ends when its cause can no longer be read, and costs nothing after that. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../support/socket.js'
import { addRule, countMessages, evaluated, measure, pass, startWorld, type World } from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const
const repeating = { remindAfter: 600 }

/** Returns how often the file is read while the event loop turns some times. */
async function countReads({ alice }: World): Promise<number> {
  const { accounts } = alice.service.server.services
  const { measures } = accounts.openStore(accounts.find(alice.username)!)
  const createReadings = measures.createReadings.bind(measures)
  let count = 0
  measures.createReadings = query => {
    count++
    return createReadings(query)
  }
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  measures.createReadings = createReadings
  return count
}

t.test('a firing whose cause is in the trash is over, and goes on once it is restored', async t => {
  const world = await startWorld(t)
  const { alice, channel, clock } = world
  const id = await addRule(alice, channel, above, repeating)
  await measure(alice, id, { content: 120 })
  const [cause] = (await alice.do('events.get', { types: ['frequency/bpm'] })).events
  await alice.do('events.update', { id: cause.id, update: { trashed: true } })
  t.match(await evaluated(alice, id), { isFiring: false, tellAt: undefined })
  clock.advance(600)
  t.ok((await countReads(world)) < 10)
  t.equal(await countMessages(alice, channel), 1)
  await alice.do('events.update', { id: cause.id, update: { trashed: false } })
  t.match(await evaluated(alice, id), { isOpen: true, episode: 1 })
  await until(async () => (await countMessages(alice, channel)) === 2, 'the repeat that was due meanwhile')
  await measure(alice, id, { content: 80 })
  await measure(alice, id, { content: 120 })
  await pass(alice, id, 600)
  t.equal(await countMessages(alice, channel), 4, 'the next firing is told and repeated')
})

t.test('a repeat that the access may no longer read is not sent', async t => {
  const world = await startWorld(t)
  const { alice } = world
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const target = { url: 'http://127.0.0.1:9' }
  const { channel } = await app.do('channels.create', { type: 'webhook', name: 'app', target })
  const id = await addRule(app, channel.id, above, repeating)
  await measure(alice, id, { content: 120 })
  t.equal(await countMessages(app, channel.id), 1)
  const [cause] = (await alice.do('events.get', { types: ['frequency/bpm'] })).events
  await alice.do('events.update', { id: cause.id, update: { streamIds: ['diary'] } })
  t.match(await evaluated(alice, id), { isFiring: false })
  world.clock.advance(600)
  t.ok((await countReads(world)) < 10)
  t.equal(await countMessages(app, channel.id), 1)
})
