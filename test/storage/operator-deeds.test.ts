/** The deeds of operators in the platform file: added, never changed, bounded. (docs/spec/administration.md#deeds) */
import t from 'tap'
import { DeedRepository, type Deed } from '../../storage/platform/operator-deeds.js'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { openInMemory } from '../../storage/sqlite/open.js'

const deed = (time: number): Deed => ({
  time,
  method: 'system.suspendUser',
  operator: null,
  target: 'c-target',
  detail: { bytes: time },
  error: null,
  ip: '127.0.0.1'
})

t.test('DeedRepository', async t => {
  const db = openInMemory(platformMigrations)
  t.teardown(() => db.close())
  const deeds = new DeedRepository(db, work => db.transaction(work).immediate(), 5)

  t.test('keeps the latest only, and numbers none twice', async t => {
    for (let time = 1; time <= 12; time++) deeds.add(deed(time))
    t.same(
      deeds.list(Number.MAX_SAFE_INTEGER, 100).map(({ number, time }) => [number, time]),
      [12, 11, 10, 9, 8].map(each => [each, each])
    )
    t.same(
      deeds.list(10, 1).map(({ detail }) => detail),
      [{ bytes: 9 }]
    )
  })

  t.test('lists those whose details cannot be read', async t => {
    const other = openInMemory(platformMigrations)
    t.teardown(() => other.close())
    const sql = "INSERT INTO operator_deed (time, method, detail, ip) VALUES (1, 'm', ?, '')"
    for (const detail of ['{', '12', 'null']) other.prepare(sql).run(detail)
    const forged = new DeedRepository(other, work => work())
    t.same(
      forged.list(100, 100).map(({ detail }) => detail),
      [{}, {}, {}]
    )
  })

  t.test('lets nothing that was done be changed', async t => {
    t.throws(() => db.prepare("UPDATE operator_deed SET method = 'other'").run(), /cannot be changed/)
  })
})
