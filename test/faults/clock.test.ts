/** A clock that jumps back: `modifiedSince` misses nothing, and nothing expires or starts too early or late. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { countMessage } from '../../core/account/email/message-count.js'
import { PeerLimits } from '../../core/cmc/peers/peer-limits.js'
import { PeerPauses } from '../../core/cmc/peers/peer-pauses.js'
import { writeAsService } from '../../core/cmc/service-calls.js'
import type { ApiError } from '../../core/errors.js'
import { sweepAttachments } from '../../core/events/attachment-sweep.js'
import { countAttempt } from '../../core/sign-in/mfa/attempts.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { until } from '../support/socket.js'
import { addReminder } from '../core/reminders/world.js'
import { Client, methodModules, openCoffer, Service, testSettings, type Answer } from '../support/coffer.js'

/** Returns what has changed since a time, as a synchronising client sees it. */
async function since(client: Client, modifiedSince: number): Promise<string[]> {
  const query = { modifiedSince, includeDeletions: true, state: 'all', fromTime: -1e300, toTime: 1e300 }
  const { eventDeletions, events } = await client.do('events.get', query)
  return [...events, ...eventDeletions].map(({ id }: Answer) => id).toSorted()
}

/** Returns false if too many attempts have been made. */
function succeeds(run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    if ((error as ApiError).id === 'too-many-requests') return false
    throw error
  }
}

t.test('a clock that jumps back', async t => {
  const directory = t.testdir()
  const start = async (clock: ManualClock): Promise<Service> => {
    const server = await startServer(testSettings(directory), { clock, methodModules })
    t.teardown(() => server.close())
    return new Service(server, clock, directory)
  }
  const now = 1_700_000_000
  const first = await start(new ManualClock(now))
  const alice = await first.user('alice')
  await alice.stream('diary')
  const kept = await alice.event()
  const gone = await alice.event()
  let seen: number = gone.modified

  const step = async (client: Client, name: string): Promise<void> => {
    const made = await client.event({ content: name })
    const { event } = await client.do('events.update', { id: kept.id, update: { content: name } })
    t.ok(made.modified > seen && event.modified > made.modified, `${name}: times of changes go on rising`)
    t.same(
      await since(client, seen),
      [made.id, kept.id].toSorted(),
      `${name}: what changed is found by who synchronises`
    )
    seen = event.modified
  }

  await step(alice, 'before')
  first.clock.advance(-86_400)
  await step(alice, 'a day back')
  for (let n = 0; n < 2; n++) await alice.do('events.delete', { id: gone.id })
  t.same(await since(alice, seen), [gone.id], 'a deletion is found too')
  const [deletion] = (await alice.do('events.get', { modifiedSince: seen, includeDeletions: true }))
    .eventDeletions
  seen = deletion.deleted
  await first.server.close()

  const second = await start(new ManualClock(now - 10 * 86_400))
  const again = new Client(second, 'alice', alice.access)
  await step(again, 'ten days back, after a restart')
  second.clock.advance(12 * 86_400)
  t.ok((await again.event()).modified >= now + 2 * 86_400, 'and follow the clock once it is right')
})

t.test('a restart with the right time ends what waits for that of a clock that was ahead', async t => {
  const directory = t.testdir()
  const start = async (now: number): Promise<Service> => {
    const clock = new ManualClock(now)
    const server = await startServer(testSettings(directory, { auth: { sessionMaxAge: 1e9 } }), {
      clock,
      methodModules
    })
    t.teardown(() => server.close())
    return new Service(server, clock, directory)
  }
  const now = 1_700_000_000
  const ahead = await start(now + 1e8)
  const alice = await ahead.user('alice')
  await alice.stream('pills')
  const { id } = await addReminder(alice)
  await ahead.server.close()
  // It is noticed an hour after the reminder was due.
  const due = now + 35_200
  const right = await start(due + 3600)
  const again = new Client(right, 'alice', alice.access)
  await until(
    async () => (await again.do('reminders.getOne', { id })).reminder.next === due + 86_400,
    'the right time'
  )
  t.match((await again.do('reminders.getOne', { id })).occurrences, [{ due, state: 'open' }])
})

t.test('a clock that was ahead leaves no long waits', async t => {
  const { alice, clock, server } = await openCoffer(t)
  const { services } = server
  const { config } = services
  const account = services.accounts.find('alice')!
  const store = services.accounts.openStore(account)
  const limits = new PeerLimits()
  const pauses = new PeerPauses(services)
  const peer = { base: 'https://peer.example/', token: 'abc' }
  /** Returns which of the things that are limited may happen. */
  const attempt = async (): Promise<boolean[]> =>
    await writeAsService(services, account, call => {
      const { now } = call
      return [
        succeeds(() => countAttempt(config, store, 'mfa-failures', now)),
        countMessage(store, 'reset', now),
        succeeds(() => limits.count(call, 1)),
        pauses.getLeft(peer) === 0
      ]
    })
  clock.advance(1e8)
  for (let count = 0; count < config.services.mfa.maxFailures; count++) await attempt()
  pauses.note(peer, { status: 503, retryAfter: 600 })
  t.same(await attempt(), [false, false, false, false])
  clock.advance(-1e8)
  t.same(await attempt(), [true, true, true, true])
  t.equal((await attempt())[0], false, 'wrong codes still count')
  t.ok(await alice.stream('diary'))
})

t.test('modification times of files are ignored', async t => {
  const service = await openCoffer(t)
  const { alice, directory, server } = service
  await alice.stream('diary')
  const { id } = await alice.event()
  const form = new FormData()
  form.append('file', new Blob(['bytes']), 'a.txt')
  const [{ id: fileId }] = (await alice.http('POST', `/events/${id}`, form)).body.event.attachments
  const account = server.services.accounts.find('alice')!
  const path = join(new Layout(directory).attachmentsDirectory(account.id), fileId.slice(-2), fileId)
  for (const time of [1, 4_000_000_000]) {
    utimesSync(path, time, time)
    t.equal(await sweepAttachments(server.services, account, Infinity), 0)
    t.equal((await alice.http('GET', `/events/${id}/${fileId}`)).body, 'bytes')
  }
})
