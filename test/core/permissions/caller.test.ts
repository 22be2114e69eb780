import t from 'tap'
import { Caller } from '../../../core/permissions/caller.js'
import type { Access } from '../../../schemas/access.js'
import type { Level, Permission } from '../../../schemas/permission.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { openCoffer } from '../../support/coffer.js'

const tracking = { created: 1, createdBy: 'system', modified: 1, modifiedBy: 'system' }
const levels: readonly Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

function callerOf(store: UserStore, permissions: Permission[], type: Access['type'] = 'shared'): Caller {
  return new Caller(store, { id: 'a', token: 't', type, name: 'n', permissions, ...tracking })
}

/** Returns a seeded generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return sides => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % sides
  }
}

/** The rule for levels in its simplest form: up the tree, then `*`. */
function expectedLevel(
  parents: ReadonlyMap<string, string | null>,
  granted: ReadonlyMap<string, Level>,
  id: string
): Level | undefined {
  if (granted.has(id)) return granted.get(id)
  const parent = parents.get(id)
  return parent ? expectedLevel(parents, granted, parent) : granted.get('*')
}

t.test('a caller', async t => {
  const { server } = await openCoffer(t)
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)

  t.test('has the level of the nearest permission above, for any tree', async t => {
    const roll = dice(7)
    const parents = new Map<string, string | null>()
    for (let round = 0; round < 300; round++) {
      const id = `s${parents.size}`
      const parentId = parents.size === 0 || roll(6) === 0 ? null : `s${roll(parents.size)}`
      if (parents.size < 60) {
        await store.write(() => store.streams.insert({ id, name: id, parentId, ...tracking }))
        parents.set(id, parentId)
      }
      const granted = new Map<string, Level>()
      for (let count = roll(5); count > 0; count--)
        granted.set(roll(4) === 0 ? '*' : `s${roll(parents.size)}`, levels[roll(levels.length)]!)
      const caller = callerOf(
        store,
        [...granted].map(([streamId, level]) => ({ streamId, level }))
      )
      const wrong = [...parents.keys()].filter(
        stream => caller.level(stream) !== expectedLevel(parents, granted, stream)
      )
      if (wrong.length > 0) t.same(wrong, [], JSON.stringify([...granted]))

      const { visibility } = caller
      for (let count = 0; count < 10; count++) {
        const streamIds = Array.from({ length: 1 + roll(3) }, () => `s${roll(parents.size)}`)
        const numbers = streamIds.map(each => store.streams.find(each)!.number)
        const isSeen =
          visibility.everything ||
          (numbers.some(number => visibility.readable.has(number)) &&
            !numbers.some(number => visibility.closed.has(number)))
        const expected = streamIds.map(each => expectedLevel(parents, granted, each))
        const mayRead =
          expected.some(level => level !== undefined && !['none', 'create-only'].includes(level)) &&
          !expected.some(level => level === 'none' || level === 'create-only')
        if (isSeen !== mayRead || caller.mayReadEvent(streamIds) !== mayRead)
          t.fail(JSON.stringify([...granted, streamIds]))
      }
    }
  })

  t.test('sees a moved stream according to its new parent', async t => {
    await store.write(() => {
      for (const id of ['open', 'shut']) store.streams.insert({ id, name: id, parentId: null, ...tracking })
      store.streams.insert({ id: 'moved', name: 'moved', parentId: 'shut', ...tracking })
    })
    const caller = callerOf(store, [{ streamId: 'open', level: 'read' }])
    t.equal(caller.may('read', 'moved'), false)
    await store.write(() =>
      store.streams.update({ id: 'moved', name: 'moved', parentId: 'open', ...tracking })
    )
    t.equal(caller.may('read', 'moved'), true)
    t.match(caller.visibility, { everything: false, closed: new Set() })
  })

  t.test('may do what its level permits, and no more', async t => {
    const table: Record<Level, string> = {
      none: '',
      read: 'list read',
      'create-only': 'list create',
      contribute: 'list read create contribute',
      manage: 'list read create contribute manage'
    }
    const actions = ['list', 'read', 'create', 'contribute', 'manage'] as const
    for (const level of levels) {
      const caller = callerOf(store, [{ streamId: 'open', level }])
      t.equal(actions.filter(action => caller.may(action, 'open')).join(' '), table[level], level)
      t.same(
        actions.filter(action => caller.may(action, '*') || caller.may(action, 'shut')),
        [],
        `${level} elsewhere`
      )
    }
  })

  t.test('without an access has no permissions', async t => {
    const caller = new Caller(store, undefined)
    t.equal(caller.may('list', 'open') || caller.may('list', '*'), false)
    t.equal(caller.mayReadEvent(['open']), false)
    t.same(caller.visibility, { everything: false, readable: new Set(), closed: new Set() })
    t.throws(() => caller.accessId, /token/)
  })

  t.test('who is signed in has all permissions', async t => {
    const caller = callerOf(store, [], 'personal')
    t.ok(caller.may('manage', '*') && caller.may('manage', 'open') && caller.mayReadEvent(['open']))
    t.same(caller.visibility, { everything: true })
    t.ok(caller.couldList(['gone']))
  })

  t.test('has the higher of two levels on one stream', async t => {
    for (const pair of [
      ['read', 'manage'],
      ['manage', 'none']
    ] as const) {
      const caller = callerOf(
        store,
        pair.map(level => ({ streamId: 'open', level }))
      )
      t.equal(caller.level('open'), 'manage')
    }
  })

  t.test('treats a deleted stream according to its former parents', async t => {
    const caller = callerOf(store, [
      { streamId: 'open', level: 'read' },
      { streamId: 'gone', level: 'none' }
    ])
    t.equal(caller.couldList(['child', 'open']), true)
    t.equal(caller.couldList(['gone', 'open']), false)
    t.equal(caller.couldList(['child', 'gone', 'open']), false)
    t.equal(caller.couldList(['child', 'shut']), false)
  })
})
