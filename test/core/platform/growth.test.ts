/** Growth of the service: what is counted, measured and stored. (docs/spec/administration.md#growth) */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { countEvents } from '../../../core/platform/maintenance-jobs.js'
import { GrowthLog } from '../../../server/growth-log.js'
import { DiskUsageMeter } from '../../../server/disk-usage.js'
import { platformMigrations } from '../../../storage/migrations/platform/index.js'
import { GrowthRepository, maxDays } from '../../../storage/platform/growth.js'
import { openInMemory } from '../../../storage/sqlite/open.js'
import { openCoffer } from '../../support/coffer.js'

const day = 86_400

t.test('events are counted once, after they were added', async t => {
  const { alice, clock, server } = await openCoffer(t)
  const { services } = server
  const account = services.accounts.find('alice')!
  const events = (): number[] => {
    countEvents(services, account)
    return services.platform.growth.list().map(each => each.events)
  }
  await alice.stream('diary')
  const first = await alice.event()
  await alice.event()
  const counted = events()
  t.equal(counted.length, 1)
  t.ok(counted[0]! >= 2, 'those of a new account')
  t.same(events(), counted, 'once')
  await alice.event()
  for (const _ of [1, 2]) await alice.do('events.delete', { id: first.id })
  t.same(events(), [counted[0]! + 1], 'whatever has been deleted')
  clock.advance(3 * day)
  await alice.event()
  t.same(events(), [counted[0]! + 1, 1], 'on the day on which they are counted')
})

t.test('GrowthRepository', async t => {
  const db = openInMemory(platformMigrations)
  t.teardown(() => db.close())
  const growth = new GrowthRepository(db)
  db.exec("INSERT INTO account (id, username, state, created) VALUES ('a', 'anna', 'active', 0)")
  const measured = { accounts: 1, documents: 2, attachments: 3, previews: 4, others: 5 }

  t.test('does not count what existed before the first count', async t => {
    growth.count(day, 'a', 1000, false)
    t.same(growth.list(), [])
    growth.count(2 * day, 'a', 1010, false)
    t.match(growth.list(), [{ day: 2, events: 10, accounts: null, documents: null }])
  })

  t.test('removes the count of a deleted account', async t => {
    db.exec("DELETE FROM account WHERE id = 'a'")
    growth.count(2 * day, 'a', 1020, false)
    growth.count(2 * day, 'nobody', 5, true)
    t.equal(db.prepare('SELECT count(*) FROM counted_events').pluck().get(), 0)
  })

  t.test('stores the measurements of a day with its events', async t => {
    t.notOk(growth.isMeasured(2 * day + 5))
    growth.measure(2 * day + 5, measured)
    t.ok(growth.isMeasured(3 * day - 1))
    t.notOk(growth.isMeasured(3 * day))
    const [first] = growth.list()
    t.match(first, { day: 2, ...measured })
  })

  t.test('keeps a limited number of days', async t => {
    for (let at = 3; at < maxDays + 50; at++) growth.measure(at * day, measured)
    const days = growth.list()
    t.equal(days.length, maxDays)
    t.equal(days.at(-1)?.day, maxDays + 49)
    const other = openInMemory(platformMigrations)
    t.teardown(() => other.close())
    const restored = new GrowthRepository(other)
    restored.restore(days)
    t.same(restored.list(), days)
  })
})

t.test('GrowthLog', async t => {
  const { clock, directory, server } = await openCoffer(t)
  const { services } = server
  const files = join(directory, 'elsewhere', 'users', 'ab', 'account')
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, 'user.sqlite'), 'x'.repeat(1234))
  const space = new DiskUsageMeter(join(directory, 'elsewhere'), () => clock.now())
  const log = new GrowthLog(services, space)
  t.teardown(() => log.close())
  const { growth } = services.platform

  t.test('measures once a day', async t => {
    await log.check()
    t.match(growth.list(), [{ documents: 1234, attachments: 0, accounts: 1 }])
    writeFileSync(join(files, 'user.sqlite'), 'x'.repeat(2000))
    await log.check()
    t.match(growth.list(), [{ documents: 1234 }])
    clock.advance(day)
    await log.check()
    t.match(growth.list(), [{ documents: 1234 }, { documents: 2000 }])
  })

  t.test('stores nothing once it is closed', async t => {
    clock.advance(day)
    await Promise.all([log.check(), log.close()])
    t.equal(growth.list().length, 2)
  })
})
