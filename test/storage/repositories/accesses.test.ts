/** Accesses are listed in pages, by an index and in its order. */
import t, { type Test } from 'tap'
import type { Access } from '../../../schemas/access.js'
import { LastWritten } from '../../../storage/audit/last-written.js'
import { AccessRepository, type AccessPage } from '../../../storage/repositories/accesses.js'
import { listStatements } from '../../../storage/sqlite/statements.js'
import { eventFile } from '../../support/event-file.js'
import { unsealed } from '../../support/keeping.js'

t.test('pages of accesses', async t => {
  const { accesses, db } = repository(t)
  for (let i = 0; i < 350; i++) accesses.insert(access(i))
  for (let i = 0; i < 350; i += 2) accesses.update({ ...access(i), deleted: i < 300 ? 1000 : 1000 - i })

  await t.test('are limited in number of accesses', async t => {
    const live = pages(last => accesses.listAfter(last))
    t.same(live.flat(), accesses.list())
    t.same(
      live.map(({ length }) => length),
      [100, 75]
    )
    const deleted = pages(last => accesses.listDeletedAfter(last))
    const all = deleted.flat()
    t.equal(new Set(all.map(({ id }) => id)).size, 175)
    t.same(
      all,
      all.toSorted((a, b) => a.deleted! - b.deleted! || (a.id < b.id ? -1 : 1))
    )
    t.same(
      deleted.map(({ length }) => length),
      [100, 75]
    )
  })

  await t.test('list names, including those of deleted accesses', async t => {
    const names = accesses.listNamesAfter('', 200)
    names.push(...accesses.listNamesAfter(names.at(-1)!.id, 200))
    const all = Array.from({ length: 350 }, (_, n) => access(n))
    t.same(
      names,
      all.map(({ id, name, type }) => ({ id, name, type })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    )
  })

  await t.test('are limited in size', async t => {
    const clientData = { text: 'a'.repeat(50_000) }
    for (let i = 0; i < 3; i++) accesses.insert({ ...access(1000 + i), name: 'a', clientData })
    t.equal(accesses.listAfter(undefined).accesses.length, 2)
    t.same(pages(last => accesses.listAfter(last)).flat(), accesses.list())
  })

  await t.test('need no sorting or scanning', async t => {
    const texts = listStatements(db).filter(sql => sql.includes('INDEXED BY access_'))
    t.equal(texts.length, 2)
    for (const sql of texts) {
      const [step, ...others] = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('', '') as { detail: string }[]
      t.match(step?.detail, /^SEARCH access USING INDEX access_/)
      t.same(others, [])
    }
  })
})

t.test('cached accesses', async t => {
  const { accesses } = repository(t)
  for (let i = 0; i < 5; i++) {
    const clientData = { text: 'a'.repeat(i === 0 ? 10 : 1024 * 1024) }
    accesses.insert({ ...access(i), clientData })
  }
  const first = accesses.find(access(0).id)
  await t.test('are limited in total size', async t => {
    for (let i = 1; i < 4; i++) accesses.find(access(i).id)
    t.equal(accesses.findByToken('token-0'), first)
    accesses.find(access(4).id)
    t.not(accesses.findByToken('token-0'), first)
    t.same(accesses.findByToken('token-0'), first)
  })
})

function repository(t: Test): { accesses: AccessRepository; db: ReturnType<typeof eventFile>['db'] } {
  const { db } = eventFile(t)
  return { accesses: new AccessRepository(db, unsealed.digests, new LastWritten()), db }
}

/** Creates an access; names recur, and ids are not in order. */
function access(i: number): Access {
  return {
    id: `id-${(i * 7) % 1000}-${i}`,
    token: `token-${i}`,
    type: 'shared',
    name: `name ${i % 9}`,
    deviceName: String(i),
    permissions: [],
    created: 1,
    createdBy: 'system',
    modified: 1,
    modifiedBy: 'system'
  }
}

function pages(next: (last: Access | undefined) => AccessPage): (readonly Access[])[] {
  const all: (readonly Access[])[] = []
  for (;;) {
    const { accesses, isLast } = next(all.at(-1)?.at(-1))
    all.push(accesses)
    if (isLast) return all
  }
}
