/** Acknowledging: what goes on stays open until someone acknowledges it, and its message is repeated. */
import t from 'tap'
import { addRule, countMessages, listMessages, measure, pass, readState, startWorld } from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const
const repeating = { remindAfter: 600 }

t.test('what goes on is open until someone acknowledges it', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  t.match(await alice.call('rules.acknowledge', { id }), { error: { id: 'invalid-operation' } })
  const { firedAt } = await measure(alice, id, { content: 120 })
  t.match((await alice.do('rules.getOne', { id })).rule.state, { isFiring: true, isOpen: true })
  clock.advance(30)
  const { rule } = await alice.do('rules.acknowledge', { id, firedAt })
  t.match(rule.state, { isFiring: true, acknowledgedAt: clock.now(), acknowledgedBy: alice.access.id })
  t.notOk('isOpen' in rule.state)
  clock.advance(30)
  const again = await alice.do('rules.acknowledge', { id })
  t.equal(again.rule.state.acknowledgedAt, rule.state.acknowledgedAt, 'the first time counts')
  await measure(alice, id, { content: 80 })
  t.match(readState(alice, id), { isFiring: false, acknowledgedAt: rule.state.acknowledgedAt })
  await measure(alice, id, { content: 120 })
  const state = readState(alice, id)!
  t.match(state, { isFiring: true, isOpen: true })
  t.equal(state.acknowledgedAt, undefined, 'the next firing is another one')
  t.match(await alice.call('rules.acknowledge', { id, firedAt }), { error: { id: 'invalid-operation' } })
  await measure(alice, id, { content: 80 })
  t.notOk('isOpen' in readState(alice, id)!, 'what is over is not open')
})

t.test('the message has a button, which only what goes on has', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, { tellsRecovery: true })
  const { firedAt } = await measure(alice, id, { content: 120 })
  await measure(alice, id, { content: 80 })
  const note = await addRule(alice, channel, { kind: 'words', anyOf: ['dizzy'] })
  await measure(alice, note, { content: 'dizzy', type: 'note/txt', streamIds: ['diary'] })
  const { accounts } = alice.service.server.services
  const { messages } = accounts.openStore(accounts.find('alice')!)
  const actions = messages.listOfChannel(channel).map(({ body }) => JSON.parse(body).actions)
  t.match(actions.map(list => list.map((each: { id: string }) => each.id)).toSorted(), [
    ['acknowledge', 'open'],
    ['open'],
    ['open']
  ])
  const button = actions.flat().find((each: { id: string }) => each.id === 'acknowledge')
  t.match(button, { page: `alerts/${id}?acknowledge=${firedAt}` })
})

t.test('a message is repeated until someone acknowledges it', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above, { ...repeating, atMostEvery: 3600 })
  await measure(alice, id, { content: 120 })
  t.equal(await countMessages(alice, channel), 1)
  t.match((await alice.do('rules.getOne', { id })).rule.state, { tellAt: clock.now() + 600 })
  await measure(alice, id, { content: 120, after: 599 })
  t.equal(await countMessages(alice, channel), 1)
  await pass(alice, id, 1)
  t.equal(await countMessages(alice, channel), 2)
  await alice.do('rules.acknowledge', { id })
  for (let turn = 0; turn < 3; turn++) await measure(alice, id, { content: 120, after: 600 })
  t.equal(await countMessages(alice, channel), 2)
})

t.test('what is over is not repeated', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, repeating)
  await measure(alice, id, { content: 120 })
  for (const after of [60, 1200]) await measure(alice, id, { content: 80, after })
  t.equal(await countMessages(alice, channel), 1)
})

t.test('a message is repeated ten times at most', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, repeating)
  await measure(alice, id, { content: 120 })
  for (let turn = 0; turn < 12; turn++) await measure(alice, id, { content: 120, after: 600 })
  t.equal(await countMessages(alice, channel), 11)
  await measure(alice, id, { content: 80 })
  await measure(alice, id, { content: 120 })
  await pass(alice, id, 600)
  t.equal(await countMessages(alice, channel), 13, 'the next firing begins again')
})

t.test('repeats wait for the end of quiet hours, and follow changes of the rule', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  await measure(alice, id, { content: 120 })
  const start = clock.now()
  const update = async (change: object) => (await alice.do('rules.update', { id, update: change })).rule.state
  await update(repeating)
  t.match(
    await measure(alice, id, { content: 120 }),
    { tellAt: start + 600 },
    'what is open already is repeated'
  )
  const quiet = await update({ quietHours: { from: '12:05', to: '14:00' } })
  t.equal(new Date(quiet.tellAt * 1000).toISOString().slice(11, 16), '14:00')
  await measure(alice, id, { content: 120, after: 3600 })
  t.equal(await countMessages(alice, channel), 1)
  await update({ quietHours: null, remindAfter: null })
  await measure(alice, id, { content: 120, after: 3600 })
  t.equal(await countMessages(alice, channel), 1)
  t.notOk('tellAt' in readState(alice, id)!)
})

t.test('acknowledged before a message could be sent, none is sent', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, { quietHours: { from: '11:00', to: '13:00' } })
  await measure(alice, id, { content: 120 })
  await alice.do('rules.acknowledge', { id })
  await measure(alice, id, { content: 120, after: 7200 })
  t.same(await listMessages(alice, channel), [])
})

t.test('a rule that is tested or paused is not open', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const id = await addRule(alice, channel, above, repeating)
  await measure(alice, id, { content: 120 })
  clock.advance(1)
  const [from, to] = [clock.now() - 3600, clock.now()]
  const { firings } = await alice.do('rules.test', { id, from, to })
  t.match(firings, [{ told: firings[0].time }], 'repeats are not firings')
  await alice.do('rules.update', { id, update: { isActive: false } })
  t.notOk('isOpen' in readState(alice, id)!)
})
