/**
 * Values of account fields that their person stands by: where links to set a new password go. Of what is there already, a
 * value counts that was set by somebody who had signed in, or by the service.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../../schemas/event.js'

/** As they were when this step was written: later ones change nothing of it. */
const emailStream = -1_305_039_041_528
const activeId = ':_system:active'

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
  const bodies = db.prepare(sql).pluck().all(emailStream) as string[]
  const active = bodies
    .map(body => JSON.parse(body) as Event)
    .find(({ streamIds }) => streamIds.includes(activeId))
  if (!active) return
  const by = active.modifiedBy.split(' ')[0]
  const type = db.prepare('SELECT type FROM access WHERE id = ?').pluck().get(by) as string | undefined
  const isOwn = by === 'system' || type === 'personal'
  db.prepare("INSERT INTO confirmed_value (field, value) VALUES ('email', ?)").run(
    isOwn ? JSON.stringify(active.content) : null
  )
}
