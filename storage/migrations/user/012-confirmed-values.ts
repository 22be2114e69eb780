/**
 * Values of account fields that their person stands by: where links to set a new password go. Of what is there already, a
 * value counts that was set by somebody who had signed in, or by the service.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../../schemas/event.js'
import { column, statement } from '../../sqlite/statements.js'
import { activeId, systemNumber } from '../../repositories/system-streams.js'

const schema = `
CREATE TABLE confirmed_value (
  field TEXT PRIMARY KEY,              -- name of the account field
  value TEXT                           -- JSON; NULL if there is a value that nobody has confirmed
) WITHOUT ROWID;
`

export function confirmedValues(db: Database): void {
  db.exec(schema)
  const sql = `SELECT body FROM event_stream l JOIN event e ON e.number = l.event
    WHERE l.stream = ? AND l.trashed IN (0, 2)`
  const bodies = column(db, sql).all(systemNumber(':system:email', 'account')) as string[]
  const active = bodies
    .map(body => JSON.parse(body) as Event)
    .find(({ streamIds }) => streamIds.includes(activeId))
  if (!active) return
  const by = active.modifiedBy.split(' ')[0]
  const type = column(db, 'SELECT type FROM access WHERE id = ?').get(by) as string | undefined
  const isOwn = by === 'system' || type === 'personal'
  statement(db, "INSERT INTO confirmed_value (field, value) VALUES ('email', ?)").run(
    isOwn ? JSON.stringify(active.content) : null
  )
}
