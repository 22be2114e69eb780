/** Events with very many earlier versions, or points: removing them leaves time for other work. */
import t from 'tap'
import { removeExpired } from '../../../core/platform/retention.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { openCoffer, type Client } from '../../support/coffer.js'
import { sent, written } from '../../support/importing.js'
import { until } from '../../support/socket.js'

const versions = 1100

function getStore({ service, username }: Client): UserStore {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!)
}

/** Changes an event so often that it has {@link versions}, or as many as given. */
async function change(client: Client, id: string, times = versions): Promise<void> {
  const store = getStore(client)
  const event = store.events.find(id)!
  await store.write(() => {
    for (let count = 0; count < times; count++)
      store.events.update({ ...event, modified: store.stamp(client.service.clock.now()) })
  })
}

function countVersions(client: Client, id: string): number {
  const { history } = getStore(client)
  let count = 0
  for (let after = -Infinity; ;) {
    const page = history.listVersions(id, after)
    if (page.length === 0) return count
    count += page.length
    after = page.at(-1)!.modified
  }
}

/** Counts the writes from now on: those made in steps, or those that wait for the disk. */
function countWrites(store: UserStore, kind: 'write' | 'writeInSteps'): () => number {
  const write = store[kind].bind(store) as (...args: unknown[]) => unknown
  let count = 0
  store[kind] = ((...args: unknown[]): unknown => {
    count++
    return write(...args)
  }) as never
  return () => count
}

for (const deletionMode of ['keep-nothing', 'keep-authors', 'keep-everything'] as const)
  t.test(`an event with many versions is deleted in steps: ${deletionMode}`, async t => {
    const { alice } = await openCoffer(t, { versioning: { forceKeepHistory: true, deletionMode } })
    await alice.stream('diary')
    await alice.stream('other')
    const [first, second] = [(await alice.event()).id, (await alice.event({ streamIds: ['other'] })).id]
    for (const id of [first, second]) await change(alice, id)
    await alice.do('events.delete', { id: first })
    await alice.do('streams.delete', { id: 'other' })
    const count = countWrites(getStore(alice), 'writeInSteps')
    await alice.do('events.delete', { id: first })
    t.equal(count(), 1, 'alone')
    await alice.do('streams.delete', { id: 'other', mergeEventsWithParent: false })
    t.equal(count(), 2, 'with its stream')
    const kept = deletionMode === 'keep-nothing' ? 0 : versions + 1
    // The first one was moved to the trash before.
    t.equal(countVersions(alice, first), kept === 0 ? 0 : kept + 1)
    t.equal(countVersions(alice, second), kept)
    if (deletionMode === 'keep-authors')
      t.same(Object.keys(JSON.parse(getStore(alice).history.listVersions(first, 0)[700]!.body)).toSorted(), [
        'id',
        'integrity',
        'modified',
        'modifiedBy'
      ])
    t.same(getStore(alice).storageUsed(), getStore(alice).recountStorageUsed())
  })

t.test('an imported event with many versions is removed in steps', async t => {
  const { alice } = await openCoffer(t, { versioning: { forceKeepHistory: true } })
  const { id } = await sent(alice, 'a.csv', 'time,weight (kg)\n1000000000,70\n1000100000,71\n')
  await written(alice, id)
  const { events } = await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9 })
  t.equal(events.length, 2)
  await change(alice, events[1].id)
  const count = countWrites(getStore(alice), 'writeInSteps')
  await alice.do('imports.delete', { id })
  await until(async () => Boolean((await alice.call('imports.getOne', { id })).error), 'it is removed')
  t.equal(count(), 1)
  t.equal(getStore(alice).events.find(events[0].id), undefined)
  t.equal(getStore(alice).events.find(events[1].id), undefined)
  t.equal(countVersions(alice, events[1].id), 0)
})

t.test('events with few versions each, but many together, are removed in steps', async t => {
  const { alice } = await openCoffer(t, { versioning: { forceKeepHistory: true } })
  await alice.stream('diary')
  for (let index = 0; index < 3; index++) await change(alice, (await alice.event()).id, 200)
  const { id } = await sent(alice, 'a.csv', 'time,weight (kg)\n1000000000,70\n1000100000,71\n1000200000,71\n')
  await written(alice, id)
  const { events } = await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9 })
  for (const event of events) await change(alice, event.id, 200)
  await alice.do('streams.delete', { id: 'diary' })
  const count = countWrites(getStore(alice), 'writeInSteps')
  await alice.do('streams.delete', { id: 'diary', mergeEventsWithParent: false })
  t.equal(count(), 1, 'with their stream')
  await alice.do('imports.delete', { id })
  await until(async () => Boolean((await alice.call('imports.getOne', { id })).error), 'it is removed')
  t.equal(count(), 2, 'with their import')
  for (const event of events) t.equal(countVersions(alice, event.id), 0)
})

t.test('events that are large together are moved in steps', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  await alice.stream('below', 'diary')
  const content = 'é words '.repeat(70_000)
  const { id } = await alice.event({ streamIds: ['below'], content })
  const move = async (): Promise<void> => {
    await alice.do('streams.delete', { id: 'below' })
    await alice.do('streams.delete', { id: 'below', mergeEventsWithParent: true })
  }
  const count = countWrites(getStore(alice), 'writeInSteps')
  await move()
  t.equal(count(), 0)
  await alice.stream('below', 'diary')
  const { id: other } = await alice.event({ streamIds: ['below'], content })
  await alice.do('events.update', { id, update: { streamIds: ['below'] } })
  const before = count()
  await move()
  t.equal(count(), before + 1)
  for (const each of [id, other]) {
    const { event } = await alice.do('events.getOne', { id: each })
    t.same(event.streamIds, ['diary'])
    t.equal(event.content, content)
    t.equal(event.integrity, getStore(alice).events.find(each)!.integrity)
  }
})

t.test('an import is undone without a wait for the disk after each part', async t => {
  const { alice } = await openCoffer(t)
  const rows = Array.from({ length: 500 }, (_, at) => `${1_000_000_000 + at * 1000},note ${at}`)
  const { id } = await sent(alice, 'a.csv', `time,note\n${rows.join('\n')}\n`)
  await written(alice, id)
  const countWaits = countWrites(getStore(alice), 'write')
  await alice.do('imports.delete', { id })
  await until(async () => Boolean((await alice.call('imports.getOne', { id })).error), 'it is removed')
  t.ok(countWaits() < 10, `${countWaits()} waits for ten parts`)
})

t.test('expired records of deletions take few versions with them at a time', async t => {
  const { alice, clock } = await openCoffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' },
    deletions: { retention: 60 }
  })
  await alice.stream('diary')
  const ids = [(await alice.event()).id, (await alice.event()).id]
  for (const id of ids) {
    await change(alice, id)
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
  }
  clock.advance(3600)
  const store = getStore(alice)
  const count = (): number => ids.reduce((sum, id) => sum + countVersions(alice, id), 0)
  const before = count()
  t.equal(await store.write(() => store.deletions.removeBefore(clock.now(), 100)), 0, 'the first goes on')
  t.ok(before - count() <= 500, `${before - count()} versions at once`)
  const { services } = alice.service.server
  t.equal(await removeExpired(services, services.accounts.find('alice')!, { kind: 'deletions' }), 2)
  t.equal(count(), 0)
  for (const id of ids) t.equal(store.history.findDeletion(id), undefined)
  t.same(store.storageUsed(), store.recountStorageUsed())
})

t.test('expired records of large events are removed a few at a time', async t => {
  const { alice, clock } = await openCoffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' },
    deletions: { retention: 60 }
  })
  await alice.stream('diary')
  for (let index = 0; index < 4; index++) {
    const { id } = await alice.event({ content: 'words '.repeat(170_000) })
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
  }
  clock.advance(3600)
  const store = getStore(alice)
  t.equal(
    await store.write(() => store.deletions.removeBefore(clock.now(), 100)),
    3,
    'each has three megabytes'
  )
  t.equal(await store.write(() => store.deletions.removeBefore(clock.now(), 100)), 1)
  t.same(store.storageUsed(), store.recountStorageUsed())
})

t.test('an expired record of an access takes few versions with it at a time', async t => {
  const { alice, clock } = await openCoffer(t, { deletions: { retention: 60 } })
  const { access } = await alice.do('accesses.create', { name: 'app', permissions: [] })
  const store = getStore(alice)
  const stored = store.accesses.find(access.id)!
  await store.write(() => {
    for (let serial = 0; serial < versions; serial++) store.accesses.insertVersion({ ...stored, serial })
  })
  const count = (): number => {
    let [found, after] = [0, -1]
    for (let isLast = false; !isLast;) {
      const page = store.accesses.listVersionsAfter(access.id, after)
      isLast = page.isLast
      found += page.versions.length
      after = page.versions.at(-1)?.serial ?? after
    }
    return found
  }
  await alice.do('accesses.delete', { id: access.id })
  t.equal(count(), versions)
  clock.advance(3600)
  t.equal(await store.write(() => store.deletions.removeBefore(clock.now(), 100)), 0, 'it goes on')
  t.equal(count(), versions - 500)
  const { services } = alice.service.server
  t.equal(await removeExpired(services, services.accounts.find('alice')!, { kind: 'deletions' }), 1)
  t.equal(count(), 0)
  t.equal(store.accesses.findEver(access.id), undefined)
  t.same(store.storageUsed(), store.recountStorageUsed())
})

t.test('a series with many points is deleted in steps', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const { id } = await alice.event({ type: 'series:frequency/bpm', content: null })
  for (let from = 0; from < 500_000; from += 50_000) {
    const points = Array.from({ length: 50_000 }, (_, at) => [from + at, 60])
    await alice.do('series.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  }
  await alice.do('events.delete', { id })
  const count = countWrites(getStore(alice), 'writeInSteps')
  await alice.do('events.delete', { id })
  t.equal(count(), 1)
  t.same(getStore(alice).storageUsed(), getStore(alice).recountStorageUsed())
})

t.test('a series with large points is deleted in steps', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const { id } = await alice.event({ type: 'series:note/txt', content: null })
  const text = 'word '.repeat(50_000)
  for (let from = 0; from < 36; from += 12) {
    const points = Array.from({ length: 12 }, (_, at) => [from + at, text])
    await alice.do('series.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  }
  await alice.do('events.delete', { id })
  const count = countWrites(getStore(alice), 'writeInSteps')
  await alice.do('events.delete', { id })
  t.equal(count(), 1)
  t.same(getStore(alice).storageUsed(), getStore(alice).recountStorageUsed())
})
