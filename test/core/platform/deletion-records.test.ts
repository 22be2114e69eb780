/** Deletion records: kept for a year or as configured, then removed. (docs/spec/conventions.md#trash-and-deletion) */
import t from 'tap'
import { removeExpired } from '../../../core/platform/retention.js'
import { createId } from '../../../core/ids.js'
import { startMaintenance } from '../../../core/platform/maintenance-jobs.js'
import { runSteps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const year = 31_536_000
/** Sessions outlast the advances of the clock. */
const auth = { sessionMaxAge: 100 * year }

const storeOf = ({ service, username }: Client): UserStore =>
  service.server.services.accounts.openStore(service.server.services.accounts.find(username)!)

/** Creates and deletes an event, a stream and an access; returns their ids. */
async function deleteThree(client: Client): Promise<{ event: string; stream: string; access: string }> {
  const event = (await client.event()).id
  const stream = (await client.stream(createId())).id
  const { access } = await client.grant('read', 'diary')
  await client.do('events.delete', { id: event })
  await client.do('events.delete', { id: event })
  await client.do('streams.delete', { id: stream })
  await client.do('streams.delete', { id: stream })
  await client.do('accesses.delete', { id: access.id })
  return { event, stream, access: access.id }
}

/** Returns the ids of all deletions that the client can see. */
async function told(client: Client): Promise<string[][]> {
  const answers = [
    (await client.do('events.get', { modifiedSince: 0, includeDeletions: true, limit: 100_000 }))
      .eventDeletions,
    (await client.do('streams.get', { includeDeletionsSince: 0 })).streamDeletions,
    (await client.do('accesses.get', { includeDeletions: true })).accessDeletions
  ]
  return answers.map((list: Answer[]) => list.map(({ id }) => id))
}

t.test('removing deletion records', async t => {
  const { alice, clock, server } = await openCoffer(t, { auth })
  const { services } = server
  const account = services.accounts.find('alice')!
  await alice.stream('diary')
  const old = await deleteThree(alice)
  clock.advance(year - 10)
  const young = await deleteThree(alice)

  t.test('keeps those younger than a year', async t => {
    t.equal(await removeExpired(services, account, { kind: 'deletions' }), 0)
    t.same(
      (await told(alice)).map(ids => ids.toSorted()),
      [
        [old.event, young.event],
        [old.stream, young.stream],
        [old.access, young.access]
      ].map(ids => ids.toSorted())
    )
  })

  t.test('removes older ones of every kind', async t => {
    clock.advance(11)
    t.equal(await removeExpired(services, account, { kind: 'deletions' }), 3)
    t.same(await told(alice), [[young.event], [young.stream], [young.access]])
    t.match(await alice.call('events.getOne', { id: old.event }), { error: { id: 'unknown-resource' } })
    t.match(await alice.do('events.getOne', { id: young.event }), { event: { id: young.event } })
    t.equal(await removeExpired(services, account, { kind: 'deletions' }), 0, 'nothing is left to do')
    t.same(storeOf(alice).storageUsed(), storeOf(alice).recountStorageUsed())
  })

  t.test('is one of the maintenance jobs', async t => {
    clock.advance(year)
    const jobs = startMaintenance(services)
    while ((await told(alice)).some(ids => ids.length > 0)) await new Promise(setImmediate)
    await jobs.stop()
    t.same(await told(alice), [[], [], []])
  })
})

t.test('removing thousands of records does not block other calls', async t => {
  const { alice, clock, server } = await openCoffer(t, { auth })
  const account = server.services.accounts.find('alice')!
  await alice.stream('diary')
  const event = await alice.event()
  const store = storeOf(alice)
  await store.write(() => {
    for (let count = 0; count < 5000; count++) {
      const id = createId()
      store.events.insert({ ...event, id })
      runSteps(store.events.remove(id, store.stamp(clock.now())))
    }
  })
  clock.advance(year + 1)
  const state = { isDone: false }
  const cleaning = removeExpired(server.services, account, { kind: 'deletions' }).finally(
    () => (state.isDone = true)
  )
  let answered = 0
  for (; !state.isDone; answered++) {
    await alice.do('events.getOne', { id: event.id })
    await new Promise(setImmediate)
  }
  t.equal(await cleaning, 5000)
  t.ok(answered >= 20, `${answered} calls were made meanwhile`)
  t.same((await told(alice))[0], [])
})

t.test('large records are removed a few at a time', async t => {
  const { alice, clock } = await openCoffer(t, { auth })
  const ids = Array.from({ length: 98 }, (_, n) => String(n).padStart(1000, 'x'))
  for (const [n, id] of ids.entries())
    await alice.do('streams.create', { id, name: id, parentId: n === 0 ? null : ids[n - 1] })
  const children = Array.from({ length: 100 }, () => createId())
  for (const id of children) await alice.stream(id, ids.at(-1))
  const store = storeOf(alice)
  const fields = { type: 'shared' as const, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
  await store.write(() => {
    for (const id of children) store.streams.remove(id, store.stamp(clock.now()))
    for (let n = 0; n < 20; n++) {
      const permissions = ids.map(streamId => ({ streamId, level: 'read' as const }))
      const access = { ...fields, id: createId(), token: createId(), name: createId(), permissions }
      const large = Array.from({ length: 10 }, () => permissions).flat()
      store.accesses.insert({ ...access, permissions: large, deleted: store.stamp(clock.now()) })
    }
  })
  clock.advance(year + 1)
  const removed: number[] = []
  while (store.deletions.hasBefore(clock.now() - year))
    removed.push(await store.commit(() => store.deletions.removeBefore(clock.now() - year, 1000)))
  t.equal(
    removed.reduce((sum, count) => sum + count),
    120
  )
  t.ok(Math.max(...removed) < 100, `${removed.join(', ')} at a time`)
})

t.test('retention of deletion records', async t => {
  t.test('can be set', async t => {
    const { alice, clock, server } = await openCoffer(t, { auth, deletions: { retention: 60 } })
    await alice.stream('diary')
    await deleteThree(alice)
    clock.advance(61)
    t.equal(
      await removeExpired(server.services, server.services.accounts.find('alice')!, { kind: 'deletions' }),
      3
    )
  })

  t.test('can be unlimited', async t => {
    const { alice, clock, server } = await openCoffer(t, { auth, deletions: { retention: 0 } })
    await alice.stream('diary')
    await deleteThree(alice)
    clock.advance(10 * year)
    t.equal(
      await removeExpired(server.services, server.services.accounts.find('alice')!, { kind: 'deletions' }),
      0
    )
  })

  t.test('stops when the job is stopped', async t => {
    const { alice, clock, server } = await openCoffer(t, { auth })
    await alice.stream('diary')
    await deleteThree(alice)
    clock.advance(2 * year)
    t.equal(
      await removeExpired(server.services, server.services.accounts.find('alice')!, {
        kind: 'deletions',
        isStopped: () => true
      }),
      0
    )
  })
})

t.test('maintenance goes on if the accounts cannot be listed', async t => {
  const { server } = await openCoffer(t)
  await server.close()
  await t.resolves(startMaintenance(server.services).stop())
})
