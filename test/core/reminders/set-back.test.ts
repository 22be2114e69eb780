/** Reminders once a clock that was ahead is right again. */
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { addChannel } from '../channels/world.js'
import { addReminder, becomesDue, start, startWorld } from './world.js'

const hour = 3600
const due = start + hour

t.test('a clock that was ahead', async t => {
  const { alice, clock } = await startWorld(t, { auth: { sessionMaxAge: 1e9 } })
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel] })
  const get = async (): Promise<Answer> => await alice.do('reminders.getOne', { id })
  const isNext = async (time: number): Promise<void> =>
    await until(async () => (await get()).reminder.next === time, 'the next time')
  const told = async (count: number): Promise<void> =>
    await until(() => server.deliveries.length === count, `notification ${count}`)
  /** Moves the clock, lets what is due happen there, and moves it back. */
  const jump = async (seconds: number, there: () => Promise<unknown> = async () => {}): Promise<void> => {
    clock.advance(seconds)
    await until(async () => (await get()).reminder.next > clock.now(), 'the next time there')
    await there()
    clock.advance(-seconds)
  }
  await jump(1095 * 24 * hour)
  await isNext(due)
  t.same((await get()).occurrences, [], 'what has not come yet is forgotten')
  clock.advance(hour)
  await told(1)
  t.match(server.deliveries[0]!.body, { text: 'Due at 09:00' })
  await isNext(due + 24 * hour)

  await jump(4 * 24 * hour + 60, () => told(2))
  await isNext(due + 24 * hour)
  for (let day = 1; day <= 5; day++) {
    clock.advance(24 * hour)
    await told(2 + day)
  }
  await isNext(due + 6 * 24 * hour)
  const later = { id, due: due + 5 * 24 * hour, answer: 'later' }
  await jump((1095 * 24 + 3) * hour, () => alice.do('reminders.answer', later))
  await told(8)
  t.equal((await alice.do('reminders.days', { id, from: '2023-11-15', to: '2023-12-30' })).days.length, 6)
  t.same((await alice.do('reminders.days', { id, from: '2026-10-01', to: '2026-12-30' })).days, [])
})

t.test('a reminder that was passed over while the clock was ahead comes at its time', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel], schedule: { times: ['09:00', '21:00'] } })
  const isNext = async (time: number): Promise<void> =>
    await until(
      async () => (await alice.do('reminders.getOne', { id })).reminder.next === time,
      'the next time'
    )
  clock.advance(10 * hour)
  await isNext(due + 12 * hour)
  clock.advance(-10 * hour)
  await isNext(due)
  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  t.match(server.deliveries[0]!.body, { text: 'Due at 09:00' })
})

t.test('a reminder that a clock that was ahead told early is not told again', async t => {
  const { alice, clock, server: service } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id } = await addReminder(alice, { channelIds: [channel] })
  const isNext = async (time: number): Promise<void> =>
    await until(
      async () => (await alice.do('reminders.getOne', { id })).reminder.next === time,
      'the next time'
    )
  clock.advance(hour)
  await until(() => server.deliveries.length === 1, 'the notification')
  clock.advance(-hour)
  await isNext(due)
  clock.advance(hour)
  await isNext(due + 24 * hour)
  await service.settle()
  t.equal(server.deliveries.length, 1)
  clock.advance(24 * hour)
  await until(() => server.deliveries.length === 2, 'the next day')
  t.match(await becomesDue(alice, id, 2), [{ due: due + 24 * hour }, { due }])
})

t.test('what is far ahead stays once the clock was set back', async t => {
  const { alice, clock, server } = await startWorld(t)
  const { id, next } = await addReminder(alice, { schedule: { times: ['09:00'], from: '2024-11-15' } })
  const { id: daily } = await addReminder(alice)
  clock.advance(hour)
  await becomesDue(alice, daily, 1)
  const again = { id: daily, due: due + 24 * hour, answer: 'later', laterBy: 86_400 }
  await alice.do('reminders.answer', again)
  clock.advance(61)
  clock.advance(-61)
  await server.settle()
  t.match(await alice.do('reminders.getOne', { id }), { reminder: { next } })
  t.equal(next, due + 366 * 24 * hour)
  clock.advance(24 * hour)
  t.match((await becomesDue(alice, daily, 2))[0], { again: due + 48 * hour })
})
