/**
 * Values of account fields that the user has confirmed: password reset links are sent to the confirmed email address.
 * An existing address counts as confirmed if a signed-in user or the service has set it.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../../schemas/event.js'

/** Constants as of the time at which this migration was written: later changes of the ids must not affect it. */
const emailStream = -1_305_039_041_528
const activeId = ':_system:active'

const schema = `
CREATE TABLE confirmed_value (
  field TEXT PRIMARY KEY,              -- name of the account field
  value TEXT                           -- JSON; NULL if there is a value that nobody has confirmed
) WITHOUT ROWID;
`

/** Adds the table of confirmed values. The current email address counts as confirmed if its owner set it. */
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
