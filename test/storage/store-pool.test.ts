/** How many files are open, and which close first. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { openFile } from '../../storage/open.js'
import { StorePool } from '../../storage/store-pool.js'
import { UserStore } from '../../storage/user-store.js'
import { WalSync } from '../../storage/wal-sync.js'
import { alone, keeping } from '../support/keeping.js'

function poolOf(t: Test, maxOpen: number) {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-pool-'))
  const opened: string[] = []
  const pool = new StorePool({
    maxOpen,
    idleSeconds: 60,
    open(account) {
      opened.push(account)
      const file = join(directory, `${account}.sqlite`)
      const db = openFile(file, { migrations: userMigrations, create: true, synchronous: 'NORMAL' })
      return new UserStore(db, new WalSync(file, error => t.fail(error.message)), keeping, alone)
    },
    onTrouble: (account, error) => t.fail(`${account}: ${String(error)}`)
  })
  t.teardown(async () => {
    await pool.closeAll()
    rmSync(directory, { recursive: true, force: true })
  })
  return { pool, opened }
}

t.test('a pool', async t => {
  t.test('opens a file once', async t => {
    const { pool, opened } = poolOf(t, 5)
    t.equal(pool.get('a'), pool.get('a'))
    t.same(opened, ['a'])
  })

  t.test('stays within its bound and closes the least recently opened first', async t => {
    const { pool } = poolOf(t, 2)
    const [a, b] = [pool.get('a'), pool.get('b')]
    const c = pool.get('c')
    t.equal(pool.size, 2)
    t.same([a.isOpen, b.isOpen, c.isOpen], [false, true, true])
  })

  t.test('does not close a file in the middle of a write', async t => {
    const { pool } = poolOf(t, 1)
    const a = pool.get('a')
    const written = a.write(() => 'done')
    pool.get('b')
    t.equal(a.isOpen, true)
    t.equal(await written, 'done')
    pool.get('c')
    t.equal(a.isOpen, false)
  })

  t.test('closes all, after what is being written', async t => {
    const { pool } = poolOf(t, 5)
    const a = pool.get('a')
    const written = a.write(() => 'done')
    await pool.closeAll()
    t.equal(await written, 'done')
    t.equal(a.isOpen, false)
  })
})
