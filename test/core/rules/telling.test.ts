/** When messages are sent: quiet hours, chosen days, and not too often; and what messages tell. */
import t from 'tap'
import { findAllowedTime, findClockTime, getWeekday } from '../../../core/rules/telling-times.js'
import { addRule, countMessages, evaluated, listMessages, measure, noon, pass, startWorld } from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const
const at = (text: string): number => Date.parse(text) / 1000
const basic = { urgency: 'normal', evenWhenQuiet: false, zone: 'Europe/Zurich' } as const

t.test('quiet hours over midnight, and when clocks change', async t => {
  const night = { ...basic, quietHours: { from: '22:00', to: '07:00' } }
  const find = (text: string): number => findAllowedTime(night, at(text))
  t.equal(find('2023-11-15T20:59:59Z'), at('2023-11-15T20:59:59Z'))
  t.equal(find('2023-11-15T21:00:00Z'), at('2023-11-16T06:00:00Z'))
  t.equal(find('2023-11-16T05:59:59Z'), at('2023-11-16T06:00:00Z'))
  t.equal(find('2023-11-16T06:00:00Z'), at('2023-11-16T06:00:00Z'))
  t.equal(find('2024-03-30T23:00:00Z'), at('2024-03-31T05:00:00Z'), 'clocks set forward')
  t.equal(find('2024-10-26T22:00:00Z'), at('2024-10-27T06:00:00Z'), 'clocks set back')
  const gap = { ...basic, quietHours: { from: '01:00', to: '02:30' } }
  t.equal(findAllowedTime(gap, at('2024-03-31T00:30:00Z')), at('2024-03-31T01:00:00Z'), 'skipped time')
  t.equal(findAllowedTime(gap, at('2024-10-26T23:10:00Z')), at('2024-10-27T00:30:00Z'), 'the first 02:30')
  const twice = findAllowedTime(gap, at('2024-10-27T01:10:00Z'))
  t.equal(twice, at('2024-10-27T01:30:00Z'), 'the second 02:10')
  t.equal(findClockTime('Europe/Zurich', 19_676, '20:00'), at('2023-11-15T19:00:00Z'))
  const urgent = { ...night, urgency: 'high', evenWhenQuiet: true } as const
  t.equal(findAllowedTime(urgent, at('2023-11-15T22:00:00Z')), at('2023-11-15T22:00:00Z'))
})

t.test('chosen days', async t => {
  t.equal(getWeekday(0), 4, '1 January 1970 was a Thursday')
  t.equal(getWeekday(-1), 3)
  const weekdays = { ...basic, days: [1, 2, 3, 4, 5], quietHours: { from: '22:00', to: '07:00' } }
  t.equal(findAllowedTime(weekdays, at('2023-11-18T12:00:00Z')), at('2023-11-20T06:00:00Z'))
  t.equal(findAllowedTime({ ...basic, days: [7] }, at('2023-11-18T12:00:00Z')), at('2023-11-18T23:00:00Z'))
})

t.test('a message waits for the end of the quiet hours', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const quiet = { quietHours: { from: '11:00', to: '13:00' } }
  const [id, short] = [
    await addRule(alice, channel, above, quiet),
    await addRule(alice, channel, { ...above, value: 110 }, quiet)
  ]
  await measure(alice, id, { content: 120 })
  t.match(await measure(alice, id, { content: 105 }), { isFiring: true, tellAt: noon + 3600 })
  t.equal(await countMessages(alice, channel), 0)
  await pass(alice, id, noon + 3600 - clock.now())
  await evaluated(alice, id)
  t.match(await listMessages(alice, channel), [{ source: { id } }], 'but not of what is over by then')
  t.match((await alice.do('rules.getOne', { id: short })).rule.state, {
    isFiring: false,
    recoveredAt: noon + 120
  })
})

t.test('not too often', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above, { atMostEvery: 3600 })
  for (const content of [120, 80, 120, 80, 120]) await measure(alice, id, { content })
  t.equal(await countMessages(alice, channel), 1)
  await pass(alice, id, 3600)
  t.equal(await countMessages(alice, channel), 2, 'it still fires')
})

t.test('what messages tell', async t => {
  const { alice, channel } = await startWorld(t)
  await alice.do('account.update', { update: { language: 'de' } })
  const silent = await addRule(alice, channel, above, { name: 'Puls über 100' })
  await measure(alice, silent, { content: 120 })
  t.match(await listMessages(alice, channel), [{ title: 'Warnung' }])
  await alice.do('rules.delete', { id: silent })
  const open = await addRule(alice, channel, above, { name: 'Puls', showsValues: true, text: 'Setzen!' })
  await measure(alice, open, { content: 80 })
  await measure(alice, open, { content: 120.25 })
  const [, { title }] = await listMessages(alice, channel)
  t.equal(title, 'Puls')
  const { accounts } = alice.service.server.services
  const { messages } = accounts.openStore(accounts.find('alice')!)
  const bodies = messages.listOfChannel(channel).map(({ body }) => JSON.parse(body))
  t.equal(bodies[0].text, 'Setzen!\nHerzfrequenz: 120,3 bpm')
  t.match(bodies[0], { page: `alerts/${open}`, urgency: 'normal' })
  t.notMatch(JSON.stringify(bodies[1]), /Puls|120|Herz/, 'nothing of the data')
})

t.test('a paused rule', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, above)
  const other = await addRule(alice, channel, { ...above, value: 500 })
  await alice.do('rules.update', { id, update: { isActive: false } })
  await measure(alice, other, { content: 120 })
  await alice.do('rules.update', { id, update: { isActive: true, name: 'again', text: null } })
  await measure(alice, other, { content: 80 })
  t.equal(await countMessages(alice, channel), 0, 'what it has missed does not count')
  await measure(alice, id, { content: 120 })
  t.equal(await countMessages(alice, channel), 1)
})
