/** Values of account fields that are kept as earlier versions did become events. */
import type { Database } from 'better-sqlite3'
import { olderValues } from '../repositories/account-fields.js'
import type { SystemStreams } from '../streams/system-streams.js'
import { statement } from '../sqlite/statements.js'
import type { Repositories } from './repositories.js'

/** The store that the values are in. */
interface Adopting extends Pick<Repositories, 'account' | 'confirmed' | 'events'> {
  stamp(now: number): number
}

/** Makes events of the values that are not yet; `now` in seconds. */
export function adoptOlderValues(
  db: Database,
  store: Adopting,
  { eventOf }: SystemStreams,
  now: number
): void {
  const older = olderValues(db)
  if (older.size === 0) return
  const time = store.account.passwords(1)[0]?.created ?? now
  const adopt = (): void => {
    for (const [field, content] of older) {
      const event = eventOf(field, content, { time, at: store.stamp(now), by: 'system' })
      if (!event) continue
      if (content !== null) store.events.insert(event)
      if (field === 'email') store.confirmed.set(field, content)
      statement(db, 'DELETE FROM account_field WHERE name = ?').run(field)
    }
  }
  db.transaction(adopt).immediate()
}
