/** Reminders that become due: notifications, repetitions, answers, and what ends them. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { addChannel } from '../channels/world.js'
import { addReminder, becomesDue, start, startWorld } from './world.js'

const hour = 3600
const due = start + hour

t.test('a reminder tells its channels without its name', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id, next } = await addReminder(alice, { channelIds: [channel] })
  t.equal(next, due)
  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  const { body } = server.deliveries[0]!
  t.match(body, {
    title: 'A reminder is due',
    text: 'Due at 09:00',
    source: { kind: 'reminder', id },
    url: new RegExp(`/app/alice/today\\?reminder=${id}&due=${due}$`)
  })
  t.notMatch(JSON.stringify(body), 'pill')
  t.match(await becomesDue(alice, id, 1), [{ due, day: '2023-11-15', state: 'open' }])

  await alice.do('reminders.update', { id, update: { showsName: true } })
  clock.advance(24 * hour)
  await until(() => server.deliveries.length === 2, 'the next notification')
  t.match(server.deliveries[1]!.body, { title: 'Blood pressure pill' })
})

t.test('a reminder is repeated until it is answered', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel], repeats: 2, repeatAfter: 600 })
  clock.advance(hour)
  for (let count = 1; count <= 3; count++) {
    await until(() => server.deliveries.length === count, `notification ${count}`)
    clock.advance(601)
  }
  clock.advance(hour)
  await becomesDue(alice, id, 1)
  t.equal(server.deliveries.length, 3)

  clock.advance(due + 24 * hour - clock.now())
  await until(() => server.deliveries.length === 4, 'the next day')
  await alice.do('reminders.answer', { id, due: due + 24 * hour, answer: 'skipped' })
  clock.advance(hour)
  await becomesDue(alice, id, 2)
  t.equal(server.deliveries.length, 4, 'an answer ends it')
})

t.test('an answer records an event once', async t => {
  const { alice, clock } = await startWorld(t)
  const { id } = await addReminder(alice)
  clock.advance(hour)
  await becomesDue(alice, id, 1)
  const { event, occurrence } = await alice.do('reminders.answer', { id, due, answer: 'done' })
  t.match(event, {
    type: 'note/txt',
    content: '5 mg',
    streamIds: ['pills'],
    clientData: { 'coffer:reminder': { id, due }, 'coffer:zone': 'Europe/Zurich' }
  })
  t.match(occurrence, { state: 'done', eventId: event.id })
  const again = await alice.do('reminders.answer', { id, due, answer: 'done' })
  t.same(again, { ...again, occurrence })
  t.notOk(again.event)
  t.equal((await alice.do('events.get', { streams: ['pills'] })).events.length, 1)
  t.match(await alice.call('reminders.answer', { id, due, answer: 'skipped' }), {
    error: { id: 'invalid-operation' }
  })

  await alice.do('events.delete', { id: event.id })
  t.match(await becomesDue(alice, id, 1), [{ state: 'open' }], 'without its event it is open again')
  await alice.do('reminders.answer', { id, due, answer: 'skipped' })
  t.match(await alice.do('reminders.answer', { id, due, answer: 'done', time: due + 60 }), {
    event: { time: due + 60 }
  })
  await alice.do('reminders.delete', { id })
  t.equal((await alice.do('events.get', { streams: ['pills'] })).events.length, 1, 'events stay')
})

t.test('later', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel] })
  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  const answer = { id, due, answer: 'later', laterBy: 1200 }
  const { occurrence } = await alice.do('reminders.answer', answer)
  t.match(occurrence, { state: 'later', again: clock.now() + 1200 })
  clock.advance(60)
  t.same((await alice.do('reminders.answer', answer)).occurrence, occurrence, 'is idempotent')
  clock.advance(1140)
  await until(() => server.deliveries.length === 2, 'the notification again')
  t.match(await becomesDue(alice, id, 1), [{ state: 'open' }])
})

t.test('an answer before the time', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel] })
  t.match((await alice.do('reminders.get')).occurrences, [{ reminderId: id, due, state: 'upcoming' }])
  await alice.do('reminders.answer', { id, due, answer: 'done' })
  for (const other of [due + 1, due + 48 * hour, due - 24 * hour, 0, -1e300])
    t.match(
      await alice.call('reminders.answer', { id, due: other, answer: 'done' }),
      { error: { id: 'unknown-resource' } },
      `${other} is refused`
    )
  clock.advance(25 * hour)
  await until(() => server.deliveries.length === 1, 'the notification of the next day')
  t.match(await becomesDue(alice, id, 2), [{ due: due + 24 * hour }, { due, state: 'done' }])
})

t.test('days', async t => {
  const { alice, clock } = await startWorld(t)
  const { id } = await addReminder(alice, { schedule: { times: ['09:00', '21:00'] } })
  const pass = async (count: number): Promise<void> => {
    clock.advance(12 * hour)
    await becomesDue(alice, id, count)
  }
  clock.advance(hour)
  await becomesDue(alice, id, 1)
  await alice.do('reminders.answer', { id, due, answer: 'done' })
  await pass(2)
  await alice.do('reminders.answer', { id, due: due + 12 * hour, answer: 'skipped' })
  await pass(3)
  await pass(4)
  await pass(5)
  const { days } = await alice.do('reminders.days', { id, from: '2023-11-01', to: '2023-11-30' })
  t.same(days, [
    { day: '2023-11-15', due: 2, done: 1, skipped: 1, missed: 0 },
    { day: '2023-11-16', due: 2, done: 0, skipped: 0, missed: 2 },
    { day: '2023-11-17', due: 1, done: 0, skipped: 0, missed: 0 }
  ])
})

t.test('a service that was down tells late only what is less than two hours old', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const schedule = { times: ['09:00', '10:00', '11:30'] }
  const { id } = await addReminder(alice, { channelIds: [channel], schedule })
  clock.advance(72 * hour + 4 * hour)
  await becomesDue(alice, id, 12)
  await until(() => server.deliveries.length === 1, 'the last one')
  t.match(server.deliveries[0]!.body, { text: 'Due at 11:30' })
  clock.advance(hour)
  await alice.do('reminders.get')
  t.equal(server.deliveries.length, 1)
})

t.test('reminders that are turned off', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel], repeats: 5 })
  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  const { reminder } = await alice.do('reminders.update', { id, update: { isActive: false } })
  t.notOk(reminder.next)
  clock.advance(24 * hour)
  t.equal((await alice.do('reminders.getOne', { id })).occurrences.length, 1)
  t.equal(server.deliveries.length, 1)
  t.match((await alice.do('reminders.update', { id, update: { isActive: true } })).reminder, {
    next: due + 48 * hour
  })
})

t.test('permissions are checked when a reminder is due, and when it is answered', async t => {
  const { alice, clock } = await startWorld(t, { accesses: { updates: true } })
  const server = await receiver(t)
  await alice.stream('other')
  const app = await alice.grant('contribute', 'pills', { type: 'app' })
  const reader = await alice.grant('read', 'pills', { type: 'app' })
  t.equal(await refused(reader, {}), 'forbidden')
  t.equal(await refused(app, { streamId: 'other' }), 'forbidden')
  t.equal(await refused(alice, { streamId: ':_system:email' }), 'invalid-operation')
  t.equal(await refused(alice, { streamId: 'nowhere' }), 'unknown-referenced-resource')
  const own = await addChannel(alice, 'webhook', { url: `${server.url}/alice` })
  t.equal(await refused(app, { channelIds: [own.id] }), 'forbidden')
  const channel = await addChannel(app, 'webhook', { url: `${server.url}/app` })
  const reminder = await addReminder(app, { channelIds: [channel.id] })
  const { id } = reminder
  const other = await alice.grant('manage', 'pills', { type: 'app' })
  for (const [method, params] of [
    ['getOne', { id }],
    ['delete', { id }],
    ['update', { id, update: { name: 'x' } }],
    ['answer', { id, due, answer: 'done' }],
    ['days', { id, from: '2026-03-01', to: '2026-03-02' }]
  ] as const)
    t.match(await other.call(`reminders.${method}`, params), { error: { id: 'forbidden' } }, method)
  t.same((await other.do('reminders.get')).reminders, [])
  t.same((await alice.do('reminders.get')).reminders.length, 1)

  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  await alice.do('accesses.update', {
    id: app.access.id,
    update: { permissions: [{ streamId: 'pills', level: 'read' }] }
  })
  t.match(await app.call('reminders.answer', { id, due, answer: 'done' }), { error: { id: 'forbidden' } })
  t.match(await app.call('reminders.answer', { id, due, answer: 'skipped' }), { error: { id: 'forbidden' } })
  clock.advance(24 * hour)
  await until(
    async () => (await alice.do('reminders.getOne', { id })).reminder.next > clock.now(),
    'the next day'
  )
  t.equal(server.deliveries.length, 1, 'without the permission, nothing is told')
  await alice.do('accesses.delete', { id: `${app.access.id}:1` })
  t.match(await alice.call('reminders.getOne', { id }), { error: { id: 'unknown-resource' } })
})

t.test('a change at the time itself loses nothing', async t => {
  const { alice, clock } = await startWorld(t)
  const { id } = await addReminder(alice)
  clock.advance(hour)
  const { reminder } = await alice.do('reminders.update', { id, update: { name: 'Pill' } })
  t.equal(reminder.name, 'Pill')
  t.match(await becomesDue(alice, id, 1), [{ due, state: 'open' }])
  const changed = await alice.do('reminders.update', { id, update: { schedule: { times: ['10:00'] } } })
  t.equal(changed.reminder.next, due + hour)
})

t.test('a stream in the trash silences its reminders', async t => {
  const { alice, clock } = await startWorld(t)
  const { id } = await addReminder(alice)
  await alice.do('streams.delete', { id: 'pills' })
  clock.advance(hour)
  await until(async () => (await alice.do('reminders.getOne', { id })).reminder.next > due, 'the next day')
  t.same((await alice.do('reminders.getOne', { id })).occurrences, [])
})

const template = {
  name: 'x',
  kind: 'habit',
  schedule: { times: ['09:00'] },
  zone: 'UTC',
  streamId: 'pills',
  event: { type: 'note/txt', content: 'x' }
}

/** Returns the error of a call that creates a reminder. */
async function refused(client: Client, fields: object): Promise<string> {
  return (await client.call('reminders.create', { ...template, ...fields })).error?.id
}

t.test('hostile input', async t => {
  const { alice } = await startWorld(t)
  const times = Array.from({ length: 10_000 }, () => '08:00')
  const cases: [string, object][] = [
    ['10,000 times', { schedule: { times } }],
    ['no time', { schedule: { times: [] } }],
    ['a time that is none', { schedule: { times: ['24:00'] } }],
    ['a pattern instead of a time', { schedule: { times: ['* * * * *'] } }],
    ['an unknown zone', { zone: 'Mars/Olympus' }],
    ['an offset as a zone', { zone: '+02:00' }],
    ['a zone with a null character', { zone: 'UTC\0' }],
    ['until before from', { schedule: { times: ['08:00'], from: '2026-03-02', until: '2026-03-01' } }],
    ['a year of five digits', { schedule: { times: ['08:00'], from: '20260-01-01' } }],
    ['every 0 days', { schedule: { times: ['08:00'], everyDays: 0, startsOn: '2026-01-01' } }],
    ['every 1e9 days', { schedule: { times: ['08:00'], everyDays: 1e9, startsOn: '2026-01-01' } }],
    ['an eighth day', { schedule: { times: ['08:00'], days: [8] } }],
    ['1,000 repetitions', { repeats: 1000 }],
    ['a repetition every second', { repeats: 1, repeatAfter: 1 }],
    ['11 channels', { channelIds: Array.from({ length: 11 }, (_, n) => `c${n}`) }],
    ['content of another type', { event: { type: 'mass/kg', content: 'heavy' } }],
    ['a long content', { event: { type: 'note/txt', content: 'x'.repeat(10_001) } }],
    ['a series', { event: { type: 'series:mass/kg', content: null } }],
    ['an unknown field', { unheardOf: 1 }]
  ]
  for (const [what, fields] of cases) {
    const answer: Answer = await alice.call('reminders.create', { ...template, ...fields })
    t.equal(answer.error?.id, 'invalid-parameters-format', what)
  }
  t.same((await alice.do('reminders.get')).reminders, [], 'nothing is stored')
  for (let count = 0; count < 100; count++) await alice.do('reminders.create', template)
  t.match(await alice.call('reminders.create', template), { error: { id: 'invalid-operation' } })
})

t.test('a reminder of an app uses no channels of the user', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const app = await alice.grant('contribute', 'pills', { type: 'app', name: 'app' })
  const { id: own } = await addChannel(app, 'webhook', { url: server.url })
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(app, { channelIds: [own] })
  const update = { channelIds: [own, channel] }
  t.match(await alice.call('reminders.update', { id, update }), { error: { id: 'forbidden' } })
  await alice.do('reminders.update', { id, update: { channelIds: [own] } })
  // As an archive could have it.
  const { accounts } = alice.service.server.services
  const store = accounts.openStore(accounts.find(alice.username)!)
  const row = store.reminders.find(id)!
  await store.write(() => store.reminders.put({ ...row, reminder: { ...row.reminder, ...update } }))
  clock.advance(hour)
  await until(() => server.deliveries.length >= 1, 'the notification')
  t.same((await alice.do('channels.getOne', { id: channel })).deliveries, [])
})
