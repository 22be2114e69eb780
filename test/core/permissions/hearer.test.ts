/** The subscribers of a change in thousands of streams are determined in slices, without blocking other calls. */
import t from 'tap'
import { Changes } from '../../../core/changes.js'
import { ChangeRecipient, mayNarrow } from '../../../core/permissions/change-recipient.js'
import { findMatchingKeys } from '../../../core/notifications/matching-scopes.js'
import type { Steps } from '../../../storage/steps.js'
import { openCoffer } from '../../support/coffer.js'

const many = 10_000

/** Runs all slices; returns their number and the result. */
function counted<T>(steps: Steps<T>): { count: number; value: T } {
  for (let count = 1; ; count++) {
    const { done, value } = steps.next()
    if (done) return { count, value }
  }
}

t.test('the scope of a change in thousands of streams is determined in slices', async t => {
  const { alice, server } = await openCoffer(t)
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const by = { created: 1, createdBy: 'system', modified: 1, modifiedBy: 'system' }
  await alice.stream('top')
  await alice.stream('other')
  await store.write(() => {
    for (let n = 0; n < many; n++)
      store.streams.insert({ id: `s${n}`, name: `s${n}`, parentId: 'top', ...by })
  })
  const ids = Array.from({ length: many }, (_, n) => `s${n}`)
  const changed = (kind: 'streams' | 'events', items: readonly string[][]) => {
    const changes = new Changes(store.streams)
    for (const item of items) changes.add(kind, item)
    return changes.list()[0]!
  }
  const hearer = async (
    level: 'read' | 'none',
    streamId: string,
    more: object[] = []
  ): Promise<ChangeRecipient> => {
    const permissions = [{ streamId, level }, ...more]
    const { access } = await alice.grantAll(permissions as never)
    return new ChangeRecipient(store, store.accesses.find(access.id)!)
  }
  const streams = changed(
    'streams',
    ids.map(id => [id])
  )
  const event = changed('events', [ids])
  const blind = await hearer('read', 'other')
  const seeing = await hearer('read', 'top')
  const shut = await hearer('read', 'top', [{ streamId: `s${many - 1}`, level: 'none' }])
  for (const [who, change, isHeard] of [
    [blind, streams, false],
    [blind, event, false],
    [seeing, event, true],
    [shut, event, false]
  ] as const) {
    const { count, value } = counted(who.mayReceive(change))
    t.equal(value, isHeard)
    t.ok(count >= many / 200, `${count} steps`)
    t.same(counted(who.mayReceive(change)), { count: 1, value: isHeard }, 'the answer is remembered')
  }
  t.same(
    counted(seeing.mayReceive(streams)),
    { count: 1, value: true },
    'the first one that is seen is enough'
  )
  const scopes = { 0: { kind: 'streams', query: { streams: ['s7'] } }, 1: { kind: 'events' } } as never
  const { count, value } = counted(findMatchingKeys(scopes, seeing, streams))
  t.same(value, ['0'])
  t.ok(count >= many / 200, `${count} steps`)
  const before = changed('streams', [['top'], ...ids.map(id => [id])])
  await alice.do('streams.update', { id: 'top', update: { parentId: 'other' } })
  const after = changed('streams', [['top'], ...ids.map(id => [id])])
  const moved = { ...before, places: [...before.places!, ...after.places!] }
  const found = counted(seeing.mayChangeVisibility({ ...moved, places: before.places }))
  t.equal(found.value, false)
  t.ok(found.count >= many / 200, `${found.count} steps`)
  t.equal(counted(blind.mayChangeVisibility(moved)).value, true, 'it has come into sight')
})

t.test('a change whose streams are too many to be kept is told to all', async t => {
  const { alice, server } = await openCoffer(t)
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  await alice.stream('other')
  const changes = new Changes(store.streams)
  for (let n = 0; n < 60; n++) {
    const ids = Array.from({ length: 5000 }, (_, at) => `${n}-${at}`)
    changes.addAccess({ id: `access-${n}`, type: 'shared' }, ids)
    changes.add('events', ids)
    changes.add('streams', ids)
  }
  const { access } = await alice.grant('read', 'other')
  const recipient = new ChangeRecipient(store, store.accesses.find(access.id)!)
  const query = { streams: ['other'] }
  const scopes = {
    0: { kind: 'streams', query },
    1: { kind: 'events', query: { ...query, types: ['note/txt'] } },
    2: { kind: 'accesses', query },
    3: { kind: 'accesses', query: { accessIds: ['access-7'], types: ['shared'] } },
    4: { kind: 'accesses', query: { accessIds: ['another'] } }
  } as never
  const keys = changes.list().map(change => counted(findMatchingKeys(scopes, recipient, change)).value)
  t.same(keys, [['0'], ['1'], ['2', '3']])
  for (const change of changes.list()) {
    const changesSight = change.kind === 'streams'
    t.equal(counted(recipient.mayChangeVisibility(change)).value, changesSight)
    const current = { access: store.accesses.find(access.id)!, store }
    t.equal(counted(mayNarrow(change, current)).value, changesSight)
  }
})
