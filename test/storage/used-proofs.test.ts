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
