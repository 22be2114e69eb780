/** How many files are open, and which close first. */
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { createFile, getLogPath, openFile, openReadOnly } from '../../../storage/sqlite/open.js'
import { maxWarm, StorePool } from '../../../storage/user/store-pool.js'
import { UserStore } from '../../../storage/user/user-store.js'
import { detectLog, WalSync } from '../../../storage/wal/sync.js'
import { alone, policies } from '../../support/keeping.js'
import { until } from '../../support/socket.js'

const steps = userMigrations.length
const templates = mkdtempSync(join(tmpdir(), 'coffer-pool-'))
const template = join(templates, 'template.sqlite')
createFile(template, userMigrations)
t.teardown(() => rmSync(templates, { recursive: true, force: true }))

/** Reports everything as durable immediately. */
class Prompt extends WalSync {
  override afterSync(done: () => void): void {
    queueMicrotask(done)
  }
}

function poolOf(t: Test, maxOpen: number, closingSeconds = 60, Durability = WalSync) {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-pool-'))
  const opened: string[] = []
  const released: string[] = []
  const fileOf = (account: string): string => join(directory, `${account}.sqlite`)
  const pool = new StorePool({
    maxOpen,
    idleSeconds: 60,
    closingSeconds,
    open(account, left) {
      opened.push(account)
      const file = fileOf(account)
      if (!existsSync(file)) copyFileSync(template, file)
      const wasThere = existsSync(getLogPath(file))
      const db = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL' })
      const durability = new Durability(file, error => t.fail(error.message), detectLog(file, wasThere, left))
      const store = new UserStore(db, durability, policies, alone)
      const release = store.releaseMemory.bind(store)
      store.releaseMemory = () => {
        released.push(account)
        release()
      }
      return store
    },
    onError: (account, error) => t.fail(`${account}: ${String(error)}`)
  })
  t.teardown(async () => {
    await pool.closeAll()
    rmSync(directory, { recursive: true, force: true })
  })
  return { pool, opened, released, directory, fileOf }
}

type Pool = ReturnType<typeof poolOf>

/** Creates a stream with this id, and with a text that makes the log grow. */
async function write({ pool }: Pool, account: string, id: string, bytes = 10): Promise<void> {
  const stream = { id, name: id, parentId: null, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
  await pool.get(account).write(() => {
    pool.get(account).streams.insert({ ...stream, clientData: { text: 'x'.repeat(bytes) } })
  })
}

/** Returns the ids of the user's streams in a file. */
function streamsIn(file: string): string[] {
  const db = openReadOnly(file, steps)
  const ids = db.prepare('SELECT id FROM stream ORDER BY number').pluck().all() as string[]
  db.close()
  return ids
}

/** Returns what the main file contains without its log. */
function withoutLog({ directory, fileOf }: Pool, account: string): string[] {
  const copy = join(directory, 'copy')
  copyFileSync(fileOf(account), copy)
  return streamsIn(copy)
}

t.test('a pool', async t => {
  t.test('opens a file once', async t => {
    const { pool, opened } = poolOf(t, 5)
    t.equal(pool.get('a'), pool.get('a'))
    t.same(opened, ['a'])
  })

  t.test('stays within its limit, and closes the least recently used file first', async t => {
    const { pool } = poolOf(t, 2)
    const [a, b] = [pool.get('a'), pool.get('b')]
    const c = pool.get('c')
    t.equal(pool.size, 2)
    t.same([a.isOpen, b.isOpen, c.isOpen], [false, true, true])
  })

  t.test('releases the page caches of all but the most recently used files', async t => {
    const { pool, released } = poolOf(t, 2 * maxWarm)
    const accounts = Array.from({ length: maxWarm }, (_, i) => `a${i}`)
    for (const account of accounts) pool.get(account)
    t.same(released, [])
    const store = pool.get('b')
    t.same(released, ['a0'])
    // Used again, it has a page cache again.
    pool.get('a0')
    t.same(released, ['a0', 'a1'])
    t.equal(store.isOpen, true)
    t.equal(pool.size, maxWarm + 1, 'they stay open')
  })

  t.test('releases it again after counters were written to an idle file', async t => {
    const { pool, released } = poolOf(t, 2 * maxWarm)
    const first = pool.get('a')
    for (let i = 0; i < maxWarm; i++) pool.get(`b${i}`)
    t.same(released, ['a'])
    first.usage.record('access', 'events.get', 1)
    await until(() => released.filter(account => account === 'a').length === 2, 'the memory to be released')
  })

  t.test('does not close a file during a write', async t => {
    const { pool } = poolOf(t, 1)
    const a = pool.get('a')
    const written = a.write(() => 'done')
    pool.get('b')
    t.equal(a.isOpen, true)
    t.equal(await written, 'done')
    pool.get('c')
    t.equal(a.isOpen, false)
  })

  t.test('closes all files after pending writes', async t => {
    const { pool } = poolOf(t, 5)
    const a = pool.get('a')
    const written = a.write(() => 'done')
    await pool.closeAll()
    t.equal(await written, 'done')
    t.equal(a.isOpen, false)
  })
})

t.test('a file with pending writes is closed after them, even if syncing takes no time', async t => {
  const pool = poolOf(t, 2, 60, Prompt)
  const written = write(pool, 'a', 'late')
  await pool.pool.close('a')
  await written
  t.same(streamsIn(pool.fileOf('a')).includes('late'), true)
})

t.test('a file that is evicted', async t => {
  t.test('is closed without a sync: its log remains, and the next opening continues it', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first')
    it.pool.get('b')
    const log = getLogPath(it.fileOf('a'))
    t.ok(statSync(log).size > 0)
    t.same(withoutLog(it, 'a'), [], 'nothing has been carried over')
    t.same(streamsIn(it.fileOf('a')), ['first'])
    const { ino, size } = statSync(log)
    await write(it, 'a', 'second')
    t.equal(statSync(log).ino, ino)
    t.ok(statSync(log).size > size)
    it.pool.get('b')
    t.same(streamsIn(it.fileOf('a')), ['first', 'second'])
  })

  t.test('saves its usage counters', async t => {
    const { pool } = poolOf(t, 1)
    pool.get('a').usage.record('access', 'events.get', 5)
    pool.get('b')
    t.same({ ...pool.get('a').usage.countCalls('access') }, { 'events.get': 1 })
  })

  t.test('leaves no log when nothing was written', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first')
    await it.pool.close('a')
    it.pool.get('a').streams.roots()
    it.pool.get('b')
    t.notOk(existsSync(getLogPath(it.fileOf('a'))))
  })

  t.test('has a long log checkpointed soon, by another thread', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first', 300_000)
    it.pool.get('b')
    await until(() => !existsSync(getLogPath(it.fileOf('a'))), 'the log is gone')
    t.same(withoutLog(it, 'a'), ['first'])
  })

  t.test('may be opened while its log is checkpointed', async t => {
    const it = poolOf(t, 1)
    const ids = Array.from({ length: 30 }, (_, i) => `stream-${i}`)
    for (const [i, id] of ids.entries()) {
      await write(it, 'a', id, 300_000)
      it.pool.get('b')
      // Gives the other thread a different head start each time.
      for (let turns = 0; turns < i % 15; turns++) await new Promise(resolve => setImmediate(resolve))
    }
    t.same(
      [...it.pool.get('a').streams.list()].filter(node => !node.system).map(({ stream }) => stream.id),
      ids
    )
    await it.pool.closeAll()
    t.same(withoutLog(it, 'a'), ids)
  })
})

t.test('closing one file', async t => {
  t.test('leaves no log', async t => {
    const it = poolOf(t, 5)
    await write(it, 'a', 'first')
    await it.pool.close('a')
    t.notOk(existsSync(getLogPath(it.fileOf('a'))))
    t.same(withoutLog(it, 'a'), ['first'])
  })

  t.test('checkpoints the log of an earlier eviction', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first')
    it.pool.get('b')
    await it.pool.close('a')
    t.same(withoutLog(it, 'a'), ['first'])
  })

  t.test('for removal leaves its log', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first', 300_000)
    it.pool.get('b')
    await it.pool.discard('a')
    await write(it, 'c', 'first')
    await it.pool.discard('c')
    t.ok(existsSync(getLogPath(it.fileOf('c'))))
    t.same(withoutLog(it, 'c'), [])
  })

  t.test('is not affected if the file has been moved meanwhile', async t => {
    const it = poolOf(t, 1)
    await write(it, 'a', 'first')
    it.pool.get('b')
    renameSync(it.fileOf('a'), join(it.directory, 'moved'))
    await it.pool.close('a')
    t.ok(existsSync(getLogPath(it.fileOf('a'))))
  })
})

t.test('closing all files', async t => {
  for (const closingSeconds of [60, 0])
    t.test(`within ${closingSeconds} seconds loses nothing`, async t => {
      const it = poolOf(t, 2, closingSeconds)
      for (const account of ['a', 'b', 'c']) await write(it, account, 'first')
      await it.pool.closeAll()
      for (const account of ['a', 'b', 'c']) {
        t.equal(existsSync(getLogPath(it.fileOf(account))), closingSeconds === 0)
        t.same(withoutLog(it, account), closingSeconds === 0 ? [] : ['first'])
        t.same(streamsIn(it.fileOf(account)), ['first'])
      }
    })
})
