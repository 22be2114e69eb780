/** Used proofs: each is remembered until it expires, and no more than a limit. (docs/api/oauth.md#proof-of-possession) */
import t from 'tap'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { UsedProofRepository } from '../../storage/oauth/used-proofs.js'
import { openInMemory } from '../../storage/sqlite/open.js'

for (const [name, migrations] of Object.entries({ platformMigrations, userMigrations }))
  t.test(name, async t => {
    const db = openInMemory(migrations)
    t.teardown(() => db.close())
    const proofs = new UsedProofRepository(db)
    const use = (key: string, now: number): string => proofs.use({ key, expires: now + 300 }, now, 3)
    t.same([use('a', 0), use('a', 299), use('b', 10), use('c', 20)], ['first', 'used', 'first', 'first'])
    t.same([use('d', 30), use('b', 30)], ['full', 'used'], 'no more than the limit, and none is forgotten')
    t.same([use('d', 300), use('a', 300)], ['first', 'full'], 'those that have expired make room')
  })

t.test('one owner fills no more than its share', t => {
  const db = openInMemory(platformMigrations)
  t.teardown(() => db.close())
  const proofs = new UsedProofRepository(db)
  const use = (owner: string | undefined, key: string, now = 0): string =>
    proofs.use({ key, expires: now + 300, ...(owner !== undefined && { owner, share: 2 }) }, now, 5)
  t.same([use('one', 'a'), use('one', 'b'), use('one', 'c')], ['first', 'first', 'full'])
  t.same([use('two', 'a'), use('two', 'd'), use('two', 'e')], ['first', 'first', 'full'])
  t.same([use('one', 'a'), use('two', 'a')], ['used', 'used'], 'none is forgotten')
  t.same([use(undefined, 'f'), use('three', 'g')], ['first', 'full'], 'all together fill the limit')
  t.equal(use('one', 'c', 300), 'first', 'those that have expired make room')
  t.end()
})
