/** Accounts with rules whose files a start leaves closed, until something is due or happens there. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { startServer } from '../../../server/server.js'
import { Client, methodModules, Service, testSettings, type Overrides } from '../../support/coffer.js'
import { ManualClock } from '../../../core/time.js'
import type { AccountTimers } from '../../../core/timers/account-timers.js'
import { until } from '../../support/socket.js'
import { addChannel, addRule, countMessages, measure, noon, readState } from './world.js'

/** The times of files, which are those of the system's clock, cannot be set: instead, time passes for the service. */
let passedMs = 0
const getNow = Date.now
Date.now = () => getNow() + passedMs
t.teardown(() => {
  Date.now = getNow
})

const above = { kind: 'above', measure: 'heart-rate', value: 100 }

/** A service with two users. Of the second one, each start opens the file, after that of the first. */
class World {
  readonly clock = new ManualClock(noon)
  readonly directory: string
  service!: Service
  alice!: Client
  bob!: Client

  private constructor(t: Test) {
    this.directory = t.testdir({})
    t.teardown(async () => await this.service.server.close())
  }

  static async create(t: Test): Promise<World> {
    // Files of this world are written by the system's clock.
    passedMs = 0
    const world = new World(t)
    await world.start()
    for (const name of ['alice', 'bob'] as const) {
      const { access } = await world.service.user(name)
      world[name] = new Client(world.service, name, access)
      await world[name].stream('body')
    }
    await addRule(world.bob, await addChannel(world.bob), above)
    return world
  }

  /**
   * Stops the service for some seconds. `isLater`: whether all files were last written long before it was stopped; `isSetBack`: whether the
   * clock was set back by hours after due times were last noted.
   */
  async restart({
    isLater = true,
    isSetBack = false,
    seconds = 1,
    ...overrides
  }: Restart = {}): Promise<void> {
    // What has been planned so far is noted, and no evaluation is put off.
    this.service.server.services.timers.catchUp()
    await until(() => (this.#findDue('alice') ?? 0) > 0, 'a plan')
    await this.service.server.close()
    const platform = new SQLite(join(this.directory, 'platform.sqlite'))
    if (isLater || isSetBack) platform.exec('UPDATE timed_account_note SET at = at + 3600')
    if (isLater && !isSetBack) passedMs += 3600 * 1000
    platform.exec(
      "UPDATE timed_account SET due = NULL WHERE account = (SELECT id FROM account WHERE username = 'bob')"
    )
    platform.close()
    this.clock.advance(seconds)
    await this.start(overrides)
    this.alice = new Client(this.service, 'alice', this.alice.access)
    this.bob = new Client(this.service, 'bob', this.bob.access)
    await until(() => (this.#findDue('bob') ?? 0) > 0, 'the start')
  }

  /** Waits until the work of the first user has been planned, from the file. */
  async untilPlanned(): Promise<void> {
    await until(() => this.#findDue('alice') !== undefined, 'a plan')
  }

  /** Waits until the file of the first user is closed, since daily jobs open it for a moment; no work is planned. */
  async untilResting(): Promise<void> {
    const { accounts } = this.service.server.services
    const alice = accounts.find('alice')
    await until(
      () => [...accounts.listOpen()].every(({ account }) => account !== alice),
      'the end of daily jobs'
    )
    if (this.#findDue('alice') !== undefined) throw new Error('the file was opened to plan work')
  }

  /** Returns when a user has work next, as far as it is planned. Files that are planned may be closed again by daily jobs. */
  #findDue(username: string): number | undefined {
    const { accounts, timers } = this.service.server.services
    return (timers as AccountTimers).findDue(accounts.find(username)!.id)
  }

  async start(overrides: Overrides = {}): Promise<void> {
    const { clock, directory } = this
    const settings = testSettings(directory, { workers: 0, ...overrides })
    this.service = new Service(await startServer(settings, { clock, methodModules }), clock, directory)
  }
}

type Restart = Overrides & {
  readonly isLater?: boolean
  readonly isSetBack?: boolean
  readonly seconds?: number
}

t.test('a start', async t => {
  t.test('opens no file before something is due there', async t => {
    const world = await World.create(t)
    const channel = await addChannel(world.alice)
    const silent = await addRule(world.alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
    await world.restart()
    await world.untilResting()
    world.clock.advance(3500)
    await world.untilResting()
    world.clock.advance(200)
    await world.untilPlanned()
    await until(() => readState(world.alice, silent)?.isFiring === true, 'an alarm')
    t.equal(await countMessages(world.alice, channel), 1)
  })

  t.test('opens files in which something has become due', async t => {
    const world = await World.create(t)
    const channel = await addChannel(world.alice)
    const silent = await addRule(world.alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
    await world.restart({ seconds: 3700 })
    await world.untilPlanned()
    await until(() => readState(world.alice, silent)?.isFiring === true, 'an alarm')
    t.equal(await countMessages(world.alice, channel), 1)
  })

  t.test('opens files that have changed since it was noted when something is due', async t => {
    const world = await World.create(t)
    await addRule(world.alice, await addChannel(world.alice), above)
    await world.restart({ isLater: false })
    await world.untilPlanned()
  })

  t.test('opens all files if the clock was set back since then', async t => {
    const world = await World.create(t)
    await addRule(world.alice, await addChannel(world.alice), above)
    await world.restart({ isSetBack: true })
    await world.untilPlanned()
  })

  t.test('opens all files after a change of settings', async t => {
    const world = await World.create(t)
    await addRule(world.alice, await addChannel(world.alice), above)
    await world.restart({ service: { name: 'Another name' } })
    await world.untilPlanned()
  })
})

t.test('rules of an account that rests', async t => {
  t.test('fire for what is written', async t => {
    const world = await World.create(t)
    const channel = await addChannel(world.alice)
    const id = await addRule(world.alice, channel, above)
    await world.restart()
    await world.untilResting()
    t.match(await measure(world.alice, id, { content: 120 }), { isFiring: true })
    t.equal(await countMessages(world.alice, channel), 1)
  })

  t.test('fire for what is read', async t => {
    const world = await World.create(t)
    const app = await world.alice.grant('read', 'body')
    const channel = await addChannel(world.alice)
    const id = await addRule(world.alice, channel, { kind: 'looked', accessId: app.access.id })
    await world.restart()
    await world.untilResting()
    await new Client(world.service, 'alice', app.access).do('events.get')
    await until(() => readState(world.alice, id)?.episode === 1, 'an alarm')
    t.equal(await countMessages(world.alice, channel), 1)
  })
})
