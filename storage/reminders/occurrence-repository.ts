/** The times at which reminders of one account were due, and the answers. */
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import { statement } from '../sqlite/statements.js'

/** A time at which a reminder was due. Times in seconds. */
export interface OccurrenceRow {
  readonly reminder: string
  readonly due: number
  /** Days since 1970, in the zone of the reminder. */
  readonly day: number
  /** `done` becomes `open` when its event is deleted or in the trash. */
  readonly state: 'open' | 'later' | 'done' | 'skipped'
  readonly answered: number | null
  /** Id of the event that "done" has created. */
  readonly event: string | null
  /** How often the user was told. */
  readonly told: number
  /** How often the user may be told again. */
  readonly repeats: number
  /** When to tell next; `null` if never. */
  readonly next: number | null
}

/** The occurrences of one day, by state. */
interface DayCounts {
  readonly day: number
  readonly due: number
  readonly done: number
  readonly skipped: number
}

/** The columns of a row, with the state by what has become of the event. */
const state = `CASE WHEN state = 'done' AND NOT EXISTS
  (SELECT 1 FROM event WHERE event.id = o.event AND event.trashed = 0) THEN 'open' ELSE state END`
const columns = `reminder, due, day, ${state} AS state, answered, o.event AS event, told, repeats, next`

export class OccurrenceRepository {
  constructor(private readonly db: Database) {}

  /** Finds the occurrence of a reminder that was due at a time, in seconds. */
  find(reminder: string, due: number): OccurrenceRow | undefined {
    const sql = `SELECT ${columns} FROM reminder_occurrence AS o WHERE reminder = ? AND due = ?`
    return statement(this.db, sql).get(reminder, due) as OccurrenceRow | undefined
  }

  /** Lists at most 1000 occurrences of a reminder since a time, oldest first. */
  listSince(reminder: string, since: number): OccurrenceRow[] {
    const sql = `SELECT ${columns} FROM reminder_occurrence AS o
      WHERE reminder = ? AND due >= ? ORDER BY due LIMIT 1000`
    return statement(this.db, sql).all(reminder, since) as OccurrenceRow[]
  }

  /** Lists the last ones of a reminder, latest first. */
  listLast(reminder: string, limit: number): OccurrenceRow[] {
    const sql = `SELECT ${columns} FROM reminder_occurrence AS o
      WHERE reminder = ? ORDER BY due DESC LIMIT +?`
    return statement(this.db, sql).all(reminder, limit) as OccurrenceRow[]
  }

  /** Lists those that are to be told, the first first. */
  listToTell(now: number, limit: number): OccurrenceRow[] {
    const sql = `SELECT ${columns} FROM reminder_occurrence AS o
      WHERE next <= ? ORDER BY next, reminder, due LIMIT +?`
    return statement(this.db, sql).all(now, limit) as OccurrenceRow[]
  }

  /**
   * Counts the occurrences of a reminder on each day of a range, first and last day included. Days without any are not
   * listed.
   */
  countByDay(reminder: string, from: number, to: number): DayCounts[] {
    const sql = `SELECT day, count(*) AS due, sum(state = 'done') AS done, sum(state = 'skipped') AS skipped
      FROM (SELECT day, ${state} AS state FROM reminder_occurrence AS o
        WHERE reminder = ? AND day BETWEEN ? AND ?)
      GROUP BY day ORDER BY day`
    return statement(this.db, sql).all(reminder, from, to) as DayCounts[]
  }

  /** Adds an occurrence unless it is known: users may answer before the time. */
  add({
    day,
    due,
    next,
    reminder,
    repeats
  }: Omit<OccurrenceRow, 'answered' | 'event' | 'state' | 'told'>): void {
    const sql = `INSERT OR IGNORE INTO reminder_occurrence (reminder, due, day, state, told, repeats, next)
      VALUES (?, ?, ?, 'open', 0, ?, ?)`
    this.#write(sql, [reminder, due, day, repeats, next])
  }

  /** Adds an occurrence, or replaces it. */
  put({ answered, day, due, event, next, reminder, repeats, state: is, told }: OccurrenceRow): void {
    const sql = `INSERT OR REPLACE INTO reminder_occurrence
      (reminder, due, day, state, answered, event, told, repeats, next) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    this.#write(sql, [reminder, due, day, is, answered, event, told, repeats, next])
  }

  /** Sends no more messages about the occurrences of a reminder before a time, unless the user has asked to be told later. */
  silenceBefore(reminder: string, due: number): void {
    const sql = `UPDATE reminder_occurrence SET next = NULL
      WHERE reminder = ? AND due < ? AND next IS NOT NULL AND state <> 'later'`
    this.#write(sql, [reminder, due])
  }

  /** Removes the occurrences of a reminder after a time (seconds) of which the user was not told, and which are not answered. */
  removeUntold(reminder: string, after: number): void {
    const sql = `DELETE FROM reminder_occurrence
      WHERE reminder = ? AND due > ? AND state = 'open' AND told = 0`
    this.#write(sql, [reminder, after])
  }

  /** Stops telling of all of a reminder. */
  silence(reminder: string): void {
    const sql = 'UPDATE reminder_occurrence SET next = NULL WHERE reminder = ? AND next IS NOT NULL'
    this.#write(sql, [reminder])
  }

  /** Removes the occurrences of a reminder before a time. */
  removeBefore(reminder: string, due: number): void {
    this.#write('DELETE FROM reminder_occurrence WHERE reminder = ? AND due < ?', [reminder, due])
  }

  #write(sql: string, values: readonly unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}
