/** The log of an open file is carried over by another thread, and does not grow. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Checkpointer } from '../../../storage/wal/checkpointer.js'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { holdState, getLogPath, logPages, openFile } from '../../../storage/sqlite/open.js'
import { UserStore } from '../../../storage/user/user-store.js'
import { WalSync } from '../../../storage/wal/sync.js'
import { alone, policies } from '../../support/keeping.js'
import type { OwnedLog } from '../../../storage/wal/closed-log.js'

const megabyte = 1e6

type Carry = (log: OwnedLog) => Promise<void>

/** An open file, whose log is carried over by `carry`, or else as it should be. */
function busyFile(t: Test, carry?: Carry) {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-log-'))
  const file = join(directory, 'user.sqlite')
  const db = openFile(file, { migrations: userMigrations, create: true, synchronous: 'NORMAL' })
  const store = new UserStore(db, new WalSync(file, error => t.fail(error.message)), policies, alone)
  const checkpointer = new Checkpointer({ idleSeconds: 60, onError: (_, error) => t.fail(String(error)) })
  const carried: Promise<void>[] = []
  store.delegateCheckpoints(async log => {
    const done = carry ? carry(log) : checkpointer.checkpointNow('user', log)
    carried.push(done)
    await done
  })
  t.teardown(async () => {
    if (store.isOpen) await store.waitUntilSettled()
    store.close()
    await checkpointer.close(Infinity)
    rmSync(directory, { recursive: true, force: true })
  })
  return { carried, checkpointer, db, directory, file, store }
}

type Busy = ReturnType<typeof busyFile>

let count = 0

/** Writes about as many bytes, a third of a megabyte at a time, as soon as the last is on disk. Answers what. */
async function write({ store }: Busy, bytes: number): Promise<string[]> {
  const ids: string[] = []
  for (let left = bytes; left > 0; left -= megabyte / 3) {
    const id = `stream-${count++}`
    const tracking = { created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    const clientData = { text: 'x'.repeat(megabyte / 3) }
    await store.write(() => {
      store.streams.insert({ id, name: id, parentId: null, ...tracking, clientData })
    })
    ids.push(id)
  }
  return ids
}

/** What would be there if the main file were all there is. */
function withoutLog({ directory, file }: Busy): string[] {
  const copy = join(directory, 'copy')
  copyFileSync(file, copy)
  return idsIn(copy)
}

function idsIn(file: string): string[] {
  const db = openFile(file, { migrations: userMigrations, synchronous: 'NORMAL' })
  const ids = db.prepare('SELECT id FROM stream ORDER BY number').pluck().all() as string[]
  db.close()
  return ids
}

const lengthOf = ({ file }: Busy): number => statSync(getLogPath(file)).size

t.test('the log of somebody who writes all the time', async t => {
  t.test('is carried over and begun again while that goes on', async t => {
    const it = busyFile(t)
    const ids: string[] = []
    // How much is written until then is up to the disk, and to how long the thread takes to start.
    while (it.carried.length < 4) ids.push(...(await write(it, 10 * megabyte)))
    await Promise.all(it.carried)
    t.ok(logPages(it.db) < 2000)
    const length = lengthOf(it)
    for (let times = 0; times < 3; times++) {
      ids.push(...(await write(it, 5 * megabyte)))
      await Promise.all(it.carried)
    }
    t.equal(lengthOf(it), length, 'the same log is written over')
    const carried = withoutLog(it)
    t.ok(carried.length > 10)
    t.same(ids.slice(0, carried.length), carried)
    t.same(idsIn(it.file), ids)
  })

  t.test('is not begun again before its owner lets go of it, and then by the thread', async t => {
    const turns: string[] = []
    const it: Busy = busyFile(t, async log => {
      await it.checkpointer.checkpointNow('user', {
        ...log,
        owner: {
          hold() {
            turns.push('hold')
            log.owner.hold()
          },
          async pause(carryRest) {
            // What was there is carried over, as a whole; nobody begins the log again even so.
            turns.push('pause')
            const before = logPages(it.db)
            it.store.usage.record('access', 'events.get', 1)
            it.store.flushUsage()
            t.ok(logPages(it.db) > before)
            await log.owner.pause(carryRest)
            t.ok(logPages(it.db) < 3)
          },
          release() {
            turns.push('let go')
            log.owner.release()
          }
        }
      })
    })
    await write(it, 5 * megabyte)
    await Promise.all(it.carried)
    t.same(turns, ['hold', 'pause', 'let go'])
  })

  t.test('grows while somebody reads from it, and no longer', async t => {
    const it = busyFile(t)
    const letGo = holdState(it.file)
    const ids = await write(it, 15 * megabyte)
    await Promise.all(it.carried)
    t.ok(lengthOf(it) > 14 * megabyte)
    t.ok(it.carried.length < 5, 'nor is it tried with every commit')
    letGo()
    ids.push(...(await write(it, 5 * megabyte)))
    await Promise.all(it.carried)
    t.ok(logPages(it.db) < 2000)
    const length = lengthOf(it)
    ids.push(...(await write(it, 10 * megabyte)))
    t.equal(lengthOf(it), length)
    t.same(idsIn(it.file), ids)
  })

  t.test('is carried over within commits when nobody else does it', async t => {
    const it = busyFile(t, async () => await new Promise(() => {}))
    const ids = await write(it, 80 * megabyte)
    t.ok(lengthOf(it) < 40 * megabyte, `${lengthOf(it)} bytes`)
    t.same(idsIn(it.file), ids)
  })

  t.test('is carried over as often as before when that has failed', async t => {
    let failures = 3
    const it: Busy = busyFile(t, async log => {
      if (failures-- <= 0) await it.checkpointer.checkpointNow('user', log)
    })
    await write(it, 20 * megabyte)
    await Promise.all(it.carried)
    t.ok(logPages(it.db) < 2000)
  })

  t.test('is begun again while writes wait, and counters too', async t => {
    const it: Busy = busyFile(t, async log => {
      const { store } = it
      let isWritten = false
      const written = (): void => {
        isWritten = true
      }
      let later: Promise<void> | undefined
      await log.owner.pause(async () => {
        later = store.write(written)
        store.usage.record('access', 'events.get', 1)
        store.flushUsage()
        await new Promise(resolve => setImmediate(resolve))
        t.same([isWritten, store.usage.isDirty, store.isHeld, store.isIdle], [false, true, true, false])
      })
      store.flushUsage()
      await later
      t.same([isWritten, store.usage.isDirty, store.isHeld], [true, false, false])
    })
    await write(it, 5 * megabyte)
    await Promise.all(it.carried)
    t.equal(it.carried.length, 1)
  })
})

t.test('a file that is closed while its log is carried over', async t => {
  for (const turns of [0, 1, 5, 50])
    for (const way of ['close', 'leave', 'abandon'] as const)
      t.test(`after ${turns} turns loses nothing (${way})`, async t => {
        const it = busyFile(t)
        const ids = await write(it, 5 * megabyte)
        for (let left = turns; left > 0; left--) await new Promise(resolve => setImmediate(resolve))
        while (!it.store.isIdle) await it.store.waitUntilSettled()
        if (way === 'leave') it.store.closeWithoutSync(log => it.checkpointer.add('user', log))
        else it.store[way]()
        if (way === 'abandon') await it.checkpointer.discard('user')
        else await it.checkpointer.checkpoint('user')
        if (way === 'leave') t.notOk(existsSync(getLogPath(it.file)))
        t.same(idsIn(it.file), ids)
        await it.checkpointer.close(Infinity)
      })
})
