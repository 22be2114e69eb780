/** Group commits, savepoints and durability of one user's file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { UniqueViolation } from '../../../storage/errors.js'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { UserStore } from '../../../storage/user/user-store.js'
import { WalSync } from '../../../storage/wal/sync.js'
import { alone, policies } from '../../support/keeping.js'

function openStore(t: Test): { store: UserStore; file: string } {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-store-'))
  const file = join(directory, 'user.sqlite')
  const db = openFile(file, { migrations: userMigrations, create: true, synchronous: 'NORMAL' })
  const store = new UserStore(db, new WalSync(file, error => t.fail(error.message)), policies, alone)
  t.teardown(async () => {
    if (store.isOpen) await store.durable()
    store.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { store, file }
}

function stream(id: string, name = id) {
  return { id, name, parentId: null, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
}

t.test('a write', async t => {
  t.test('returns its value', async t => {
    const { store } = openStore(t)
    t.equal(await store.write(() => store.streams.insert(stream('diary')).stream.id), 'diary')
  })

  t.test('is visible to another connection once it resolves', async t => {
    const { store, file } = openStore(t)
    await store.write(() => store.streams.insert(stream('diary')))
    const other = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL' })
    t.same(other.prepare('SELECT id FROM stream').pluck().all(), ['diary'])
    other.close()
  })

  t.test('that takes long leaves waiting writes to the next turn, in order', async t => {
    const { store } = openStore(t)
    const turns: number[] = []
    let turn = 0
    const counting = setInterval(() => turn++, 0)
    const slow = (): void => {
      turns.push(turn)
      for (const end = performance.now() + 20; performance.now() < end;);
    }
    const order: number[] = []
    await Promise.all([0, 1, 2, 3].map(async n => order.push(await store.write(() => (slow(), n)))))
    clearInterval(counting)
    t.same(order, [0, 1, 2, 3])
    t.equal(new Set(turns).size, 4, 'others had their turn in between')
  })

  t.test('that throws is rolled back alone, whatever shares its commit', async t => {
    const { store } = openStore(t)
    const results = await Promise.allSettled([
      store.write(() => store.streams.insert(stream('a')).stream.id),
      store.write(() => {
        store.streams.insert(stream('half'))
        store.streams.insert(stream('a', 'another name'))
      }),
      store.write(() => store.streams.insert(stream('b')).stream.id)
    ])
    t.match(results, [
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: new UniqueViolation('stream.id') },
      { status: 'fulfilled', value: 'b' }
    ])
    const own = [...store.streams.list()].filter(node => !node.system)
    t.same(own.map(node => node.stream.id).toSorted(), ['a', 'b'])
  })

  t.test('that throws leaves nothing behind, not even in memory', async t => {
    const { store } = openStore(t)
    await t.rejects(
      store.write(() => {
        store.streams.insert(stream('half'))
        throw new Error('no')
      }),
      { message: 'no' }
    )
    t.equal(store.streams.find('half'), undefined)
    t.equal(store.isInTransaction, false)
  })

  t.test('sees the results of earlier writes in the same commit', async t => {
    const { store } = openStore(t)
    const first = store.write(() => store.streams.insert(stream('parent')))
    const second = store.write(
      () => store.streams.insert({ ...stream('child'), parentId: 'parent' }).parent?.stream.id
    )
    await first
    t.equal(await second, 'parent')
  })

  t.test('keeps its order, even if there are more than fit into a commit', async t => {
    const { store } = openStore(t)
    const order: number[] = []
    await Promise.all(Array.from({ length: 1000 }, (_, i) => store.write(() => order.push(i))))
    t.same(
      order,
      order.toSorted((a, b) => a - b)
    )
    t.equal(order.length, 1000)
  })
})

t.test('a store', async t => {
  t.test('returns strictly increasing timestamps, even when the clock goes backwards', async t => {
    const { store } = openStore(t)
    const stamps = [
      store.stamp(100.123),
      store.stamp(100.123),
      store.stamp(99),
      store.stamp(100.123001),
      store.stamp(101)
    ]
    t.same(stamps, [100.123, 100.123001, 100.123002, 100.123003, 101])
    t.same(JSON.parse(JSON.stringify(stamps)), stamps)
  })

  t.test('saves its usage counters when it closes', async t => {
    const { store, file } = openStore(t)
    store.usage.record('access', 'events.get', 5)
    store.usage.record('access', 'events.get', 7)
    t.same({ ...store.usage.countCalls('access') }, { 'events.get': 2 })
    store.flushUsage()
    store.usage.record('access', 'events.get', 9)
    t.same(
      { ...store.usage.countCalls('access') },
      { 'events.get': 3 },
      'what is written and what is not add up'
    )
    await store.durable()
    store.close()
    const again = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL' })
    t.same(again.prepare('SELECT * FROM access_calls').all(), [
      { access: 'access', method: 'events.get', count: 3 }
    ])
    t.same(again.prepare('SELECT * FROM access_use').all(), [{ access: 'access', lastUsed: 9 }])
    again.close()
  })

  t.test('is busy until its writes are on disk', async t => {
    const { store } = openStore(t)
    const written = store.write(() => store.streams.insert(stream('diary')))
    t.equal(store.isIdle, false)
    await written
    t.equal(store.isIdle, true)
  })
})

t.test('a write in slices', async t => {
  t.test('is visible only as a whole, and makes other writes wait', async t => {
    const { store } = openStore(t)
    await store.write(() => store.streams.insert(stream('first')))
    const seen: string[] = []
    const look = (): number =>
      seen.push([...store.streams.list()].filter(node => !node.system).length.toString())
    const long = store.writeInSteps(function* (draft) {
      draft.streams.insert(stream('a'))
      look()
      yield
      draft.streams.insert(stream('b'))
      look()
      return 'done'
    })
    t.notOk(store.isIdle)
    const next = store.write(() => store.streams.insert(stream('c')) && look())
    t.equal(await long, 'done')
    await next
    t.same(seen, ['1', '1', '4'])
    await store.waitUntilSettled()
    t.ok(store.isIdle)
  })

  t.test('that fails has no effect, and does not block the next one', async t => {
    const { store } = openStore(t)
    const failing = store.writeInSteps(function* (draft) {
      draft.streams.insert(stream('a'))
      yield
      draft.streams.insert(stream('a', 'another name'))
    })
    const next = store.write(() => store.streams.insert(stream('b')).stream.id)
    await t.rejects(failing, new UniqueViolation('stream.id'))
    t.equal(await next, 'b')
    t.equal(store.streams.find('a'), undefined)
    t.same(store.storageUsed(), store.recountStorageUsed())
  })

  t.test('takes over the stream tree, and returns it', async t => {
    const { store } = openStore(t)
    await store.write(() => {
      store.streams.insert(stream('first'))
      store.streams.insert({ ...stream('below'), parentId: 'first' })
    })
    // Parsed again whenever the tree is read from the file.
    const { stream: kept } = store.streams.find('below')!
    const own = store.streams.find('first')!
    await store.writeInSteps(function* (draft) {
      t.equal(draft.streams.find('below')!.stream, kept)
      t.equal(draft.streams.find('below')!.parent, draft.streams.find('first'))
      t.not(draft.streams.find('first'), own)
      yield
      draft.streams.remove('below', 2)
      draft.streams.insert({ ...stream('other'), parentId: 'first' })
      t.equal(own.children.size, 1)
      t.ok(store.streams.find('below'))
    })
    const { version } = store.streams
    const [other] = store.streams.find('first')!.children
    t.equal(other!.stream.id, 'other')
    t.equal(store.streams.find('below'), undefined)
    t.equal(store.streams.find('first')!.stream, own.stream)
    await t.rejects(
      store.writeInSteps(function* (draft) {
        draft.streams.remove('other', 3)
        yield
        throw new Error('no')
      }),
      { message: 'no' }
    )
    t.equal(store.streams.find('other'), other)
    t.equal(store.streams.version, version)
    await store.write(() => store.streams.remove('other', 4))
    t.equal(store.streams.find('first')!.children.size, 0)
  })

  t.test('continues the strictly increasing timestamps', async t => {
    const { store } = openStore(t)
    const stamps = [await store.write(() => store.stamp(1000))]
    stamps.push(
      await store.writeInSteps(function* (draft) {
        yield
        return draft.stamp(1000)
      }),
      await store.write(() => store.stamp(1000))
    )
    t.same(stamps, [1000, 1000.000001, 1000.000002])
  })
})
