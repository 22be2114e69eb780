/** The log of an open file is checkpointed by another thread, and does not grow without limit. */
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
import { inRotation } from '../../support/rotation.js'
import type { OwnedLog } from '../../../storage/wal/closed-file.js'

const megabyte = 1e6

type Carry = (log: OwnedLog) => Promise<void>

/** Opens a file whose log is checkpointed by `carry`, or by default as in production. */
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

/** Writes about this many bytes, a third of a megabyte per commit, each after the last is on disk. Returns the ids. */
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

/** Returns what the main file contains without its log. */
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

t.test('the log of a file that is written to continuously', async t => {
  t.test('is checkpointed and restarted meanwhile', async t => {
    const it = busyFile(t)
    const ids: string[] = []
    // How much is written by then depends on the disk, and on how long the thread takes to start.
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

  t.test('is restarted by the thread, and not before its owner permits it', async t => {
    const turns: string[] = []
    const it: Busy = busyFile(t, async log => {
      await it.checkpointer.checkpointNow('user', {
        ...log,
        owner: {
          preventRestart() {
            turns.push('hold')
            log.owner.preventRestart()
          },
          async pause(carryRest) {
            // Its content is checkpointed completely; even so, nothing restarts the log.
            turns.push('pause')
            const before = logPages(it.db)
            it.store.usage.record('access', 'events.get', 1)
            it.store.flushUsage()
            t.ok(logPages(it.db) > before)
            await log.owner.pause(carryRest)
            t.ok(logPages(it.db) < 3)
          },
          allowRestart() {
            turns.push('let go')
            log.owner.allowRestart()
          }
        }
      })
    })
    await write(it, 5 * megabyte)
    await Promise.all(it.carried)
    t.same(turns, ['hold', 'pause', 'let go'])
  })

  t.test('grows only while a reader uses it', async t => {
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

  const rarely = inRotation(t, 2)
  void rarely('is checkpointed within commits when the thread does not respond', async t => {
    const it = busyFile(t, async () => await new Promise(() => {}))
    const ids = await write(it, 80 * megabyte)
    t.ok(lengthOf(it) < 40 * megabyte, `${lengthOf(it)} bytes`)
    t.same(idsIn(it.file), ids)
  })

  void rarely('is checkpointed as often as before after failures', async t => {
    let failures = 3
    const it: Busy = busyFile(t, async log => {
      if (failures-- <= 0) await it.checkpointer.checkpointNow('user', log)
    })
    await write(it, 20 * megabyte)
    await Promise.all(it.carried)
    t.ok(logPages(it.db) < 2000)
  })

  t.test('is restarted while writes and counters are pending', async t => {
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

t.test('a file that is closed while its log is checkpointed', async t => {
  const oneOf = inRotation(t, 4)
  for (const turns of [0, 1, 5, 50])
    for (const way of ['close', 'leave', 'abandon'] as const)
      void oneOf(`after ${turns} turns loses nothing (${way})`, async t => {
        const it = busyFile(t)
        const ids = await write(it, 5 * megabyte)
        for (let left = turns; left > 0; left--) await new Promise(resolve => setImmediate(resolve))
        while (!it.store.isIdle) await it.store.waitUntilSettled()
        if (way === 'leave') it.store.closeWithoutSync(log => it.checkpointer.add('user', log))
        else if (way === 'abandon') it.store.closeForRemoval()
        else it.store.close()
        if (way === 'abandon') await it.checkpointer.discard('user')
        else await it.checkpointer.checkpoint('user')
        if (way === 'leave') t.notOk(existsSync(getLogPath(it.file)))
        t.same(idsIn(it.file), ids)
        await it.checkpointer.close(Infinity)
      })
})
