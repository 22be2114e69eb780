/** The reminders of one account. */
import type { Database } from 'better-sqlite3'
import type { StoredReminder } from '../../schemas/plans/reminder.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** A reminder, and when it is next due by its schedule, in seconds; `null` if never. */
export interface ReminderRow {
  readonly reminder: StoredReminder
  readonly next: number | null
}

interface Row {
  readonly body: string
  readonly next: number | null
}

export class ReminderRepository {
  #isUsed: boolean | undefined

  constructor(private readonly db: Database) {}

  /** Whether the account has any reminders. Costs nothing once known. */
  get isUsed(): boolean {
    return (this.#isUsed ??= column(this.db, 'SELECT EXISTS (SELECT 1 FROM reminder)').get() === 1)
  }

  /** Number of reminders. */
  get size(): number {
    return column(this.db, 'SELECT count(*) FROM reminder').get() as number
  }

  /** Finds a reminder by its id. */
  find(id: string): ReminderRow | undefined {
    const row = statement(this.db, 'SELECT next, body FROM reminder WHERE id = ?').get(id)
    return row === undefined ? undefined : parseRow(row as Row)
  }

  /** Lists all reminders, in no particular order. */
  list(): ReminderRow[] {
    if (!this.isUsed) return []
    return (statement(this.db, 'SELECT next, body FROM reminder').all() as Row[]).map(parseRow)
  }

  /** Lists those that are due by their schedule, the first due first. */
  listDue(now: number, limit: number): ReminderRow[] {
    const sql = 'SELECT next, body FROM reminder WHERE next <= ? ORDER BY next LIMIT +?'
    return (statement(this.db, sql).all(now, limit) as Row[]).map(parseRow)
  }

  /** Returns when the first reminder is due by its schedule, or an occurrence is to be told; `undefined` if never. */
  findNext(): number | undefined {
    if (!this.isUsed) return undefined
    const sql = `SELECT min(next) FROM (
      SELECT min(next) AS next FROM reminder WHERE next IS NOT NULL
      UNION ALL SELECT min(next) FROM reminder_occurrence WHERE next IS NOT NULL)`
    return (column(this.db, sql).get() as number | null) ?? undefined
  }

  /** Adds a reminder, or replaces the one with its id. */
  put({ next, reminder }: ReminderRow): void {
    this.#write('INSERT OR REPLACE INTO reminder (id, access, next, body) VALUES (?, ?, ?, ?)', [
      reminder.id,
      reminder.accessId,
      next,
      JSON.stringify(reminder)
    ])
    this.#isUsed = true
  }

  /** Sets when a reminder is next due by its schedule. */
  setNext(id: string, next: number | null): void {
    this.#write('UPDATE reminder SET next = ? WHERE id = ?', [next, id])
  }

  /** Removes a reminder with its occurrences. */
  remove(id: string): void {
    this.#write('DELETE FROM reminder_occurrence WHERE reminder = ?', [id])
    this.#write('DELETE FROM reminder WHERE id = ?', [id])
    this.#isUsed = undefined
  }

  /** Removes the reminders of an access with their occurrences. */
  removeByAccess(access: string): void {
    for (const { reminder } of this.list()) if (reminder.accessId === access) this.remove(reminder.id)
  }

  /** Drops what is cached: it may be of what was rolled back. */
  invalidate(): void {
    this.#isUsed = undefined
  }

  #write(sql: string, values: readonly unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}

function parseRow({ body, next }: Row): ReminderRow {
  return { reminder: JSON.parse(body) as StoredReminder, next }
}
