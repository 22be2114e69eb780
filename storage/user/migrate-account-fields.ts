/** Migrates account fields in the format of earlier versions to events. */
import type { Database } from 'better-sqlite3'
import { readUnmigratedValues } from '../repositories/account-fields.js'
import type { SystemStreams } from '../streams/system-streams.js'
import { statement } from '../sqlite/statements.js'
import type { Repositories } from './repositories.js'

/** The part of the store that the migration uses. */
interface MigrationTarget extends Pick<Repositories, 'account' | 'confirmed' | 'events' | 'fields'> {
  stamp(now: number): number
}

/**
 * Migrates account fields to events, and hides or shows them as the settings say. `now` in seconds. `onCommit` is
 * called after each transaction: the next one may find the log complete, and restart it.
 */
export function migrateAccountFields(
  db: Database,
  store: MigrationTarget,
  system: SystemStreams,
  now: number,
  onCommit: () => void
): void {
  store.fields.applyVisibility()
  onCommit()
  migrateOlderValues(db, store, system, now)
  onCommit()
}

/** Creates events for values that are not events yet; `now` in seconds. */
function migrateOlderValues(
  db: Database,
  store: MigrationTarget,
  { createEvent }: SystemStreams,
  now: number
): void {
  const values = readUnmigratedValues(db)
  if (values.size === 0) return
  const time = store.account.passwords(1)[0]?.created ?? now
  const adopt = (): void => {
    for (const [field, content] of values) {
      const event = createEvent(field, content, { time, at: store.stamp(now), by: 'system' })
      if (!event) continue
      if (content !== null) store.events.insert(event)
      if (field === 'email') store.confirmed.set(field, content)
      statement(db, 'DELETE FROM account_field WHERE name = ?').run(field)
    }
  }
  db.transaction(adopt).immediate()
}
