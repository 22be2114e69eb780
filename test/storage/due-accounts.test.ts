/** Accounts that are due for deletion are found without reading the others. */
import t from 'tap'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { InvitationRepository } from '../../storage/platform/invitations.js'
import { PlatformAccounts } from '../../storage/platform/platform-accounts.js'
import { TimedAccountRepository } from '../../storage/platform/timed-accounts.js'
import { UniqueFieldRepository } from '../../storage/platform/unique-fields.js'
import { UsernameRepository } from '../../storage/platform/usernames.js'
import { openInMemory } from '../../storage/sqlite/open.js'
import { listStatements } from '../../storage/sqlite/statements.js'

t.test('listDue', t => {
  const db = openInMemory(platformMigrations)
  t.teardown(() => db.close())
  const accounts = new PlatformAccounts(
    db,
    new InvitationRepository(db),
    new UniqueFieldRepository(db),
    new UsernameRepository(db),
    new TimedAccountRepository(db)
  )
  const insert = db.prepare(
    'INSERT INTO account (id, username, state, created, deletion, suspended) VALUES (?, ?, ?, 0, ?, ?)'
  )
  for (const [id, ...rest] of [
    ['open', 'active', null, null],
    ['due', 'active', 5, null],
    ['suspended', 'active', 5, 1],
    ['later', 'active', 7, null],
    ['removing', 'deleting', null, null]
  ] as const)
    insert.run(id, id, ...rest)
  t.same(
    accounts
      .listDue(6)
      .map(({ id }) => id)
      .toSorted(),
    ['due', 'removing']
  )
  const sql = listStatements(db).find(each => each.includes("state = 'deleting'"))!
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(6) as { detail: string }[]
  const details = plan.map(({ detail }) => detail).join('\n')
  // The index holds only accounts that are being removed.
  t.match(
    details,
    /SCAN account USING INDEX account_deleting\nUNION ALL\nSEARCH account USING INDEX account_deletion /
  )
  t.end()
})
