/** Syncing the log in another thread. */
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WalSync } from '../../../storage/wal/sync.js'

function log(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-wal-'))
  writeFileSync(join(directory, 'x.sqlite-wal'), 'frames')
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'x.sqlite')
}

t.test('a sync', async t => {
  t.test('in progress is not joined: later commits share the next one', async t => {
    const sync = new WalSync(log(t), error => t.fail(error.message))
    const order: string[] = []
    const first = new Promise<void>(resolve =>
      sync.afterSync(() => {
        order.push('first')
        resolve()
      })
    )
    t.equal(sync.isBusy, true)
    const later = ['second', 'third'].map(
      name =>
        new Promise<void>(resolve =>
          sync.afterSync(() => {
            order.push(name)
            resolve()
          })
        )
    )
    await first
    t.same(order, ['first'], 'the first sync served only who waited when it began')
    t.equal(sync.isBusy, true, 'the next one has begun at once')
    await Promise.all(later)
    t.same(order, ['first', 'second', 'third'])
    t.equal(sync.isBusy, false)
    sync.close()
  })

  t.test('is not started for commits without waiters, once the name of the log is on disk', async t => {
    const sync = new WalSync(log(t), error => t.fail(error.message))
    sync.committed()
    t.equal(sync.isBusy, true)
    t.equal(sync.isNamed, false)
    await new Promise<void>(resolve => sync.afterSync(() => resolve()))
    t.equal(sync.isNamed, true)
    sync.committed()
    t.equal(sync.isBusy, false)
    sync.close()
    const again = new WalSync(log(t), error => t.fail(error.message), { isNew: false, isNamed: true })
    again.committed()
    t.equal(again.isBusy, false)
  })

  t.test('that fails is not reported as a success', async t => {
    const file = log(t)
    fs.rmSync(`${file}-wal`)
    let told = false
    const error = await new Promise<Error>(resolve => {
      const sync = new WalSync(file, resolve)
      sync.afterSync(() => (told = true))
    })
    t.match(error, { code: 'ENOENT' })
    t.equal(told, false)
  })
})
