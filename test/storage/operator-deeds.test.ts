/** The activity log of operators in the platform file. (docs/spec/administration.md#activity-log) */
import t from 'tap'
import { AdminActionRepository, type AdminAction } from '../../storage/platform/admin-actions.js'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { openInMemory } from '../../storage/sqlite/open.js'

const deed = (time: number): AdminAction => ({
  time,
  method: 'system.suspendUser',
  operator: null,
  target: 'c-target',
  detail: { bytes: time },
  error: null,
  ip: '127.0.0.1'
})

t.test('AdminActionRepository', async t => {
  const db = openInMemory(platformMigrations)
  t.teardown(() => db.close())
  const deeds = new AdminActionRepository(db, 5, 2)

  t.test('keeps only the latest actions, and never reuses a number', async t => {
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

  t.test('keeps successful actions, however many are refused', async t => {
    for (let time = 13; time <= 40; time++) deeds.add({ ...deed(time), error: 'unknown-resource' })
    t.same(
      deeds.list(Number.MAX_SAFE_INTEGER, 100).map(({ time }) => time),
      [40, 39, 12, 11, 10, 9, 8]
    )
  })

  t.test('keeps as many actions from another file', async t => {
    const other = openInMemory(platformMigrations)
    t.teardown(() => other.close())
    const restored = new AdminActionRepository(other, 5, 2)
    const saved = Array.from({ length: 9 }, (_, at) => ({ ...deed(at), detail: `{"bytes":${at}}` }))
    restored.restore([...saved, ...saved.map(each => ({ ...each, error: 'forbidden' }))])
    t.same(
      restored.list(100, 100).map(({ detail, error }) => [detail.bytes, error]),
      [8, 7].map(at => [at, 'forbidden']).concat([8, 7, 6, 5, 4].map(at => [at, null]) as never)
    )
  })

  t.test('lists actions with unreadable details', async t => {
    const other = openInMemory(platformMigrations)
    t.teardown(() => other.close())
    const sql = "INSERT INTO operator_deed (time, method, detail, ip) VALUES (1, 'm', ?, '')"
    for (const detail of ['{', '12', 'null']) other.prepare(sql).run(detail)
    const forged = new AdminActionRepository(other)
    t.same(
      forged.list(100, 100).map(({ detail }) => detail),
      [{}, {}, {}]
    )
  })

  t.test('refuses to change actions', async t => {
    t.throws(() => db.prepare("UPDATE operator_deed SET method = 'other'").run(), /cannot be changed/)
  })
})
