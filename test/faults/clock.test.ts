/** A clock that jumps back: `modifiedSince` misses nothing, and nothing expires or starts too early or late. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sweepAttachments } from '../../core/events/attachment-sweep.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { Client, methodModules, openCoffer, Service, testSettings, type Answer } from '../support/coffer.js'

/** Returns what has changed since a time, as a synchronising client sees it. */
async function since(client: Client, modifiedSince: number): Promise<string[]> {
  const query = { modifiedSince, includeDeletions: true, state: 'all', fromTime: -1e300, toTime: 1e300 }
  const { eventDeletions, events } = await client.do('events.get', query)
  return [...events, ...eventDeletions].map(({ id }: Answer) => id).toSorted()
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
