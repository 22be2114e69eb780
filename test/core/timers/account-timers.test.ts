import { mkdtempSync, rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Changes, LocalChangeBus, type ChangeKind } from '../../../core/changes.js'
import { createId } from '../../../core/ids.js'
import type { LogFields } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import { AccountTimers } from '../../../core/timers/account-timers.js'
import type { TimedTask } from '../../../core/timers/timed-task.js'
import { Accounts } from '../../../storage/accounts.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { createWalSyncs } from '../../../storage/wal/sync.js'
import { policies } from '../../support/keeping.js'

/** A data directory with one account, and timers for a task whose due times are given by the test. */
class World {
  readonly clock = new ManualClock()
  readonly warnings: [string, LogFields | undefined][] = []
  readonly bus = new LocalChangeBus(error => {
    throw error
  })
  readonly platform: PlatformStore
  readonly accounts: Accounts
  account!: Account
  /** When the task is due, in seconds. */
  due: number | undefined
  /** How often its due time was asked for. */
  lookups = 0
  /** When the task has run, in seconds since the start. */
  readonly runs: number[] = []
  /** What the task does. */
  work: () => Promise<boolean | void> = async () => void (this.due = undefined)
  readonly task: TimedTask = {
    name: 'test',
    kinds: ['events'],
    findNext: () => {
      this.lookups++
      return this.due
    },
    run: () => {
      this.runs.push(this.clock.now() - 1_700_000_000)
      return this.work()
    }
  }

  constructor(folder: string) {
    const layout = new Layout(folder)
    this.platform = new PlatformStore(layout)
    this.accounts = new Accounts(layout, this.platform, {
      owns: () => true,
      maxOpen: 10,
      idleSeconds: 60,
      closingSeconds: 60,
      cacheKiB: 64,
      policies,
      durability: createWalSyncs(layout, error => {
        throw error
      }),
      onError: (_id, error) => this.warnings.push([String(error), undefined])
    })
  }

  static async create(t: Test): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-timers-'))
    const world = new World(folder)
    t.teardown(async () => {
      await world.accounts.close()
      world.platform.close()
      rmSync(folder, { recursive: true })
    })
    world.account = await world.addAccount('alice')
    return world
  }

  async addAccount(username: string): Promise<Account> {
    await this.accounts.create({ id: createId(), username, created: 1, unique: {}, fill: () => {} })
    return this.accounts.find(username)!
  }

  /** Creates timers, as a process does when it starts. */
  start(t: Test, ...tasks: TimedTask[]): AccountTimers {
    const { accounts, bus, clock, platform } = this
    const warn = (message: string, fields?: LogFields): void => void this.warnings.push([message, fields])
    const timers = new AccountTimers({
      accounts,
      bus,
      clock,
      platform,
      log: { info() {}, warn, error: warn }
    })
    for (const task of [this.task, ...tasks]) timers.add(task)
    timers.open()
    t.teardown(() => timers.close())
    return timers
  }

  /** Publishes a change of the account, and waits until it has been noticed. */
  async change(kind: ChangeKind = 'timers'): Promise<void> {
    const changes = new Changes({ find: () => undefined })
    changes.add(kind)
    this.bus.publish(this.account, changes)
    await settle()
  }

  async advance(seconds: number): Promise<void> {
    this.clock.advance(seconds)
    await settle()
  }

  /** Sets the due time in seconds from now. */
  dueIn(seconds: number | undefined): void {
    this.due = seconds === undefined ? undefined : this.clock.now() + seconds
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

t.test('timers of accounts', async t => {
  t.test('run work when it is due, and plan it again after a change', async t => {
    const world = await World.create(t)
    world.start(t)
    await world.change()
    world.dueIn(100)
    await world.change()
    await world.advance(99)
    t.same(world.runs, [])
    world.dueIn(11)
    await world.change()
    await world.advance(10)
    t.same(world.runs, [], 'it is due later now')
    await world.advance(1)
    t.same(world.runs, [110])
    await world.advance(1000)
    t.same(world.runs, [110], 'once')
    world.dueIn(0)
    await world.change()
    t.same(world.runs, [110, 1110], 'at once')
  })

  t.test('look again only after changes that concern the work', async t => {
    const world = await World.create(t)
    world.start(t)
    world.dueIn(50)
    await world.change('events')
    t.equal(world.lookups, 1)
    world.dueIn(10)
    await world.change('streams')
    await world.advance(20)
    t.same([world.lookups, world.runs], [1, []])
    await world.change('events')
    t.same(world.runs, [20])
  })

  t.test('repeat work that fails after 30 seconds, whatever changes', async t => {
    const world = await World.create(t)
    world.start(t)
    world.work = () => Promise.reject(new Error('no'))
    world.dueIn(5)
    await world.change()
    await world.advance(5)
    await world.change()
    await world.advance(29)
    await world.change()
    t.same(world.runs, [5])
    await world.advance(1)
    t.same(world.runs, [5, 35])
    t.match(world.warnings, [
      ['timed work failed: test', { accountId: world.account.id, cause: { message: 'no' } }],
      ['timed work failed: test', {}]
    ])
    world.work = async () => void (world.due = undefined)
    await world.advance(30)
    await world.advance(1000)
    t.same(world.runs, [5, 35, 65])
  })

  t.test('put nothing off until a time of a clock that was ahead', async t => {
    const world = await World.create(t)
    world.start(t)
    await world.advance(1e8)
    world.work = () => Promise.reject(new Error('no'))
    world.dueIn(0)
    await world.change()
    world.work = async () => void (world.due = undefined)
    world.dueIn(20 - 1e8)
    await world.advance(-1e8)
    await world.advance(19)
    t.same(world.runs, [1e8])
    await world.advance(1)
    t.same(world.runs, [1e8, 20])
  })

  t.test('run one kind of work of an account one at a time, and wait for it when they stop', async t => {
    const world = await World.create(t)
    const timers = world.start(t)
    let finish: (() => void) | undefined
    world.work = () => new Promise<void>(resolve => (finish = resolve))
    world.dueIn(0)
    await world.change()
    await world.change()
    t.same(world.runs, [0])
    await world.advance(7)
    finish?.()
    await settle()
    t.same(world.runs, [0], 'it has achieved nothing, and pauses')
    world.dueIn(0)
    await world.change()
    await world.advance(30)
    t.same(world.runs, [0, 37], 'what is due by then follows')
    let isClosed = false
    const closing = timers.close().then(() => (isClosed = true))
    await settle()
    t.notOk(isClosed)
    finish?.()
    await closing
    await world.change()
    await world.advance(100)
    t.same(world.runs, [0, 37])
  })

  t.test('start other work that is due at the same time once work that was started ends', async t => {
    const world = await World.create(t)
    const timers = world.start(t)
    let left = 5
    // What was started ends before the next look, as a call that is refused at once may.
    world.work = async () => {
      if (--left === 0) world.due = undefined
      timers.wake(world.account)
      return true
    }
    world.dueIn(10)
    await world.change()
    await world.advance(10)
    await settle()
    t.same(world.runs, [10, 10, 10, 10, 10], 'without a pause')
  })

  t.test('are planned after a restart, until the account is served elsewhere', async t => {
    const world = await World.create(t)
    world.dueIn(50)
    const first = world.start(t)
    await first.resume()
    await first.close()
    await world.advance(50)
    t.same(world.runs, [], 'the account is not noted')
    world.dueIn(50)
    const second = world.start(t)
    await world.change()
    t.ok(world.platform.timedAccounts.has(world.account.id), 'it is noted with its first work')
    await second.close()
    await world.advance(60)
    const third = world.start(t)
    await third.resume(name => name !== 'alice')
    await settle()
    t.same(world.runs, [])
    await third.resume()
    await settle()
    t.same(world.runs, [110], 'what was missed is done at once')
    world.dueIn(10)
    await world.change()
    await world.accounts.handover.release(world.account)
    await world.advance(20)
    t.same(world.runs, [110])
    t.same(world.warnings, [])
  })

  t.test('are planned once an account is resumed that was suspended at the start', async t => {
    const world = await World.create(t)
    world.dueIn(50)
    const first = world.start(t)
    await world.change()
    await world.accounts.suspend(world.account, 1)
    await world.change('account')
    await first.close()
    const second = world.start(t)
    await second.resume()
    await world.accounts.resume(world.account)
    await world.change('account')
    await world.advance(50)
    t.same(world.runs, [50])
    t.same(world.warnings, [])
  })

  t.test('forget an account that was deleted', async t => {
    const world = await World.create(t)
    world.dueIn(50)
    const timers = world.start(t)
    await world.change()
    const { id } = world.account
    t.equal(timers.findDue(id), world.due)
    await world.accounts.remove(world.account)
    await world.change('account')
    t.equal(timers.findDue(id), undefined)
    await world.advance(100)
    t.same(world.runs, [])
    t.same(world.warnings, [])
  })

  t.test('stay noted if work comes while a start looks at the others', async t => {
    for (let turns = 0; turns < 8; turns++) {
      const world = await World.create(t)
      const others = await Promise.all(['bob', 'carol'].map(name => world.addAccount(name)))
      for (const { id } of [world.account, ...others]) await world.platform.change('markTimed', id)
      const timers = world.start(t)
      const resuming = timers.resume()
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      await timers.mark(world.account)
      world.dueIn(50)
      await world.change()
      await resuming
      await settle()
      t.ok(world.platform.timedAccounts.has(world.account.id), `after ${turns} turns`)
      await timers.close()
    }
  })

  t.test('note that work is due while it is under way elsewhere', async t => {
    const world = await World.create(t)
    let isBusy = false
    world.task.isBusy = () => isBusy
    // The work of another kind is due much later.
    const timers = world.start(t, { name: 'other', kinds: [], findNext: () => 1e10, run: async () => {} })
    world.work = async () => {
      isBusy = true
      world.due = undefined
    }
    world.dueIn(5)
    await world.change()
    t.equal(timers.findDue(world.account.id), world.clock.now() + 5)
    await world.advance(5)
    t.equal(timers.findDue(world.account.id), 0)
    isBusy = false
    await world.change()
    t.equal(timers.findDue(world.account.id), 1e10)
  })
})
