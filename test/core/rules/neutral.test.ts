/** Numbers that change nothing for a rule are not evaluated one by one; what follows is the same. */
import t from 'tap'
import type { RuleState } from '../../../schemas/rule.js'
import { addRule, countMessages, evaluated, measure, noon, readState, startWorld } from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 }

t.test('a number that changes nothing does not have the file read', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  const { accounts } = alice.service.server.services
  const { measures } = accounts.openStore(accounts.find(alice.username)!)
  let count = 0
  const createReadings = measures.createReadings.bind(measures)
  measures.createReadings = query => {
    count++
    return createReadings(query)
  }
  for (const content of [80, 90, 100]) await measure(alice, id, { content })
  t.equal(count, 0)
  t.match(await measure(alice, id, { content: 101 }), { isFiring: true, value: 101 })
  t.ok(count > 0)
  count = 0
  for (const content of [120, 130]) await measure(alice, id, { content })
  t.equal(count, 0, 'while it fires')
  t.match(await measure(alice, id, { content: 99 }), { isFiring: false })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('older numbers than one that changed nothing do not count', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  await measure(alice, id, { content: 80, after: 600 })
  await measure(alice, id, { content: 120, after: 60, age: 120 })
  t.match(readState(alice, id), { isFiring: false, episode: 0 })
  t.equal(await countMessages(alice, channel), 0)
  t.match(await measure(alice, id, { content: 120, after: 1 }), { isFiring: true })
})

t.test('a number that the access cannot read does not make older ones count less', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('hidden')
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const id = await addRule(app, await appChannel(), above)
  const { clock } = alice.service
  clock.advance(600)
  await alice.event({ streamIds: ['hidden'], type: 'frequency/bpm', content: 80, time: clock.now() })
  await evaluated(alice, id)
  const state: RuleState = await measure(alice, id, { content: 120, after: 60, age: 120 })
  t.match(state, { isFiring: true })

  async function appChannel(): Promise<string> {
    const target = { url: 'http://127.0.0.1:9' }
    return (await app.do('channels.create', { type: 'webhook', name: 'app', target })).channel.id
  }
})

t.test('numbers of the future count once their time has come', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  await measure(alice, id, { content: 80 })
  await measure(alice, id, { content: 120, age: -1000 })
  t.match(readState(alice, id), { isFiring: false })
  await measure(alice, id, { content: 80 })
  clock.advance(noon + 1300 - clock.now())
  t.match(await measure(alice, id, { content: 80 }), { firedAt: noon + 1120, isFiring: false })
})

t.test('many numbers that change nothing', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  for (let count = 0; count < 130; count++) await measure(alice, id, { content: 80, after: 1 })
  t.match(readState(alice, id), { isFiring: false, episode: 0 })
  t.match(await measure(alice, id, { content: 120, after: 1 }), { isFiring: true, episode: 1 })
})
