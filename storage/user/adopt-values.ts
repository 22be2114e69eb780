/** Migrates account fields in the format of earlier versions to events. */
import type { Database } from 'better-sqlite3'
import { olderValues } from '../repositories/account-fields.js'
import type { SystemStreams } from '../streams/system-streams.js'
import { statement } from '../sqlite/statements.js'
import type { Repositories } from './repositories.js'

/** The part of the store that the migration uses. */
interface Adopting extends Pick<Repositories, 'account' | 'confirmed' | 'events' | 'fields'> {
  stamp(now: number): number
}

/**
 * Migrates account fields to events, and hides or shows them as the settings say. `now` in seconds. `committed` is called
 * after each transaction: the next one may find the log finished, and restart it.
 */
export function bringUpToDate(
  db: Database,
  store: Adopting,
  system: SystemStreams,
  now: number,
  committed: () => void
): void {
  store.fields.fit()
  committed()
  adoptOlderValues(db, store, system, now)
  committed()
}

/** Makes events of values that are not events yet; `now` in seconds. */
function adoptOlderValues(db: Database, store: Adopting, { createEvent }: SystemStreams, now: number): void {
  const older = olderValues(db)
  if (older.size === 0) return
  const time = store.account.passwords(1)[0]?.created ?? now
  const adopt = (): void => {
    for (const [field, content] of older) {
      const event = createEvent(field, content, { time, at: store.stamp(now), by: 'system' })
      if (!event) continue
      if (content !== null) store.events.insert(event)
      if (field === 'email') store.confirmed.set(field, content)
      statement(db, 'DELETE FROM account_field WHERE name = ?').run(field)
    }
  }
  db.transaction(adopt).immediate()
}
