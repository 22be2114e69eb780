/** What one account waits for, across tables. */
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

const daySeconds = 86_400
/** Clocks are corrected by a few seconds now and then. */
const tolerance = 60
/** The longest wait for an attempt: receivers can ask for a day. */
const isLate = `next > :now + ${daySeconds + tolerance}`
/** Users can answer a reminder a day before it is due, and put it off for another day. */
const near = `:now + ${daySeconds}`
const isLateOccurrence = `due <= ${near} AND next > ${near} + ${daySeconds + tolerance}`
/** It is sent again when it is due. */
const isToldEarly = `reminder IN (SELECT id FROM reminder) AND due > ${near} AND state = 'open' AND told > 0
  AND next IS NOT due`

/** What only a clock that was ahead can have stored: the table, the rows, and what changes in them; `null` removes them. */
const mends: readonly (readonly [table: string, condition: string, replacement: string | null])[] = [
  ['channel_message', isLate, 'next = :now'],
  ['channel_use', `time > :now + ${tolerance}`, null],
  ['mirror', isLate, 'next = :now'],
  ['mirror_part', isLate, 'next = :now'],
  ['reminder_occurrence', isLateOccurrence, 'next = :now'],
  ['reminder_occurrence', isToldEarly, 'next = due']
]

export class Waits {
  constructor(private readonly db: Database) {}

  /** Returns whether anything waits for longer than it can at `now` (seconds): the clock was ahead. Reads all that waits. */
  hasAhead(now: number): boolean {
    return mends.some(
      ([table, condition]) =>
        column(this.db, `SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${condition})`).get({ now }) === 1
    )
  }

  /** Makes all that due at once. */
  endAhead(now: number): void {
    try {
      for (const [table, condition, replacement] of mends) {
        const change = replacement === null ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${replacement}`
        statement(this.db, `${change} WHERE ${condition}`).run({ now })
      }
      // Those that were attempted then have left uses, which are found.
      const messages = 'UPDATE channel_message SET queued = min(queued, :now), last = min(last, :now)'
      statement(this.db, `${messages} WHERE max(queued, coalesce(last, 0)) > :now`).run({ now })
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}
