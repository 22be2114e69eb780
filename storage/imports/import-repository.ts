/**
 * Imports of foreign files, the items that each created, and data remembered for the next import.
 * (docs/decisions/0019-imports.md)
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** An import as stored. `body` is JSON. */
export interface ImportRow {
  readonly number: number
  readonly id: string
  readonly state: string
  readonly body: string
}

/** The import that created an item, and which of its attempts did. */
export interface ImportAttempt {
  readonly import: number
  readonly attempt: number
}

/** Points of one import, in deltaTimes, both ends inclusive. */
export interface ImportRange extends ImportAttempt {
  readonly number: number
  /** Number of the event that holds the points. */
  readonly event: number
  readonly first: number
  readonly last: number
  readonly count: number
  /** All deltaTimes, if points of other imports lie in between. */
  readonly times: readonly number[] | null
}

/**
 * An imported event, or a file of an imported event: `isHere` is 1 if it exists, `isDeleted` is 1 if there is a record
 * of its deletion.
 */
interface ImportedItemState {
  readonly id: string
  readonly isHere: 0 | 1
  readonly isDeleted: 0 | 1
}

type RangeRow = Omit<ImportRange, 'times'> & { readonly times: string | null }

const selectRow = 'SELECT number, id, state, body FROM import'

export class ImportRepository {
  constructor(private readonly db: Database) {}

  /** Finds an import by its id. */
  find(id: string): ImportRow | undefined {
    return statement(this.db, `${selectRow} WHERE id = ?`).get(id) as ImportRow | undefined
  }

  /** Returns the state of an import, without the rest of it. */
  getState(id: string): string | undefined {
    return column(this.db, 'SELECT state FROM import WHERE id = ?').get(id) as string | undefined
  }

  /** Finds the newest import with a lower number. */
  findBefore(number: number): ImportRow | undefined {
    return statement(this.db, `${selectRow} WHERE number < ? ORDER BY number DESC`).get(number) as
      | ImportRow
      | undefined
  }

  /** Lists the newest imports that are neither written nor unreadable. */
  listOpen(limit: number): ImportRow[] {
    const sql = `${selectRow} WHERE state NOT IN ('written', 'unreadable') ORDER BY number DESC LIMIT +?`
    return statement(this.db, sql).all(limit) as ImportRow[]
  }

  /** Lists the ids of the received files of all imports that may still be read. */
  listOpenFileIds(): string[] {
    const sql = `SELECT json_extract(body, '$.fileId') FROM import WHERE state NOT IN ('written', 'unreadable')`
    return column(this.db, sql).all() as string[]
  }

  /** Removes unreadable imports that created nothing, except for the newest. */
  removeUnreadable(keep: number): void {
    const sql = `DELETE FROM import WHERE state = 'unreadable'
      AND number NOT IN (SELECT number FROM import WHERE state = 'unreadable' ORDER BY number DESC LIMIT +?)
      AND NOT EXISTS (SELECT 1 FROM import_event WHERE import = import.number)
      AND NOT EXISTS (SELECT 1 FROM import_range WHERE import = import.number)`
    statement(this.db, sql).run(keep)
  }

  /** Adds an import. */
  insert(id: string, state: string, body: string): void {
    statement(this.db, 'INSERT INTO import (id, state, body) VALUES (?, ?, ?)').run(id, state, body)
  }

  /** Stores the state and the body of an import; does nothing if it is gone. */
  update(id: string, state: string, body: string): void {
    statement(this.db, 'UPDATE import SET state = ?, body = ? WHERE id = ?').run(state, body, id)
  }

  /** Removes the row of an import, whose events and ranges must be gone. */
  remove(id: string): void {
    statement(this.db, 'DELETE FROM import WHERE id = ?').run(id)
  }

  /**
   * Finds the attempt that created an event, a file of an event or a version of a record, even if that has been deleted
   * since.
   */
  findAttempt(event: string): ImportAttempt | undefined {
    const sql = 'SELECT import, attempt FROM import_event WHERE event = ?'
    return statement(this.db, sql).get(event) as ImportAttempt | undefined
  }

  /** Records which attempt created an event or a file of an event. */
  addEvent(event: string, { attempt, import: number }: ImportAttempt): void {
    const sql = 'INSERT OR REPLACE INTO import_event (event, import, attempt) VALUES (?, ?, ?)'
    statement(this.db, sql).run(event, number, attempt)
  }

  /** Removes the record of which attempt created an event. */
  removeEvent(event: string): void {
    statement(this.db, 'DELETE FROM import_event WHERE event = ?').run(event)
  }

  /** Lists the ids of events, and of files of events, that an import created, after the id `after`. */
  listEvents(number: number, after: string, limit: number): string[] {
    const sql = 'SELECT event FROM import_event WHERE import = ? AND event > ? ORDER BY event LIMIT +?'
    return column(this.db, sql).all(number, after, limit) as string[]
  }

  /** Returns the highest number of an import that has created an event or a file; 0 if no import has. */
  getLatestNumber(): number {
    return column(this.db, 'SELECT coalesce(max(import), 0) FROM import_event').get() as number
  }

  /** Lists the states of events and files that imports up to a number created, by id, after the id `after`. */
  listItemStates(number: number, after: string, limit: number): ImportedItemState[] {
    const sql = `SELECT i.event AS id, e.id IS NOT NULL OR a.id IS NOT NULL AS isHere, d.id IS NOT NULL AS isDeleted
      FROM import_event i LEFT JOIN event e ON e.id = i.event LEFT JOIN attachment a ON a.id = i.event
      LEFT JOIN event_deletion d ON d.id = i.event
      WHERE i.event > ? AND i.import <= ? ORDER BY i.event LIMIT +?`
    return statement(this.db, sql).all(after, number, limit) as ImportedItemState[]
  }

  /** Lists the first ranges of points that an import created. */
  listRanges(number: number, limit: number): ImportRange[] {
    const sql = 'SELECT * FROM import_range WHERE import = ? ORDER BY event, first LIMIT +?'
    return (statement(this.db, sql).all(number, limit) as RangeRow[]).map(toRange)
  }

  /** Lists the ranges of a series that overlap the range from `from` to `to`. */
  listRangesWithin(event: number, from: number, to: number): ImportRange[] {
    const sql = 'SELECT * FROM import_range WHERE event = ? AND first <= ? AND last >= ? ORDER BY first'
    return (statement(this.db, sql).all(event, to, from) as RangeRow[]).map(toRange)
  }

  /** Finds another import that created points of a series. */
  findOtherAttempt(event: number, number: number): ImportAttempt | undefined {
    const sql = 'SELECT import, attempt FROM import_range WHERE event = ? AND import <> ? LIMIT 1'
    return statement(this.db, sql).get(event, number) as ImportAttempt | undefined
  }

  /** Records which attempt created a range of points. */
  addRange({ attempt, count, event, first, import: number, last, times }: Omit<ImportRange, 'number'>): void {
    const sql = `INSERT INTO import_range (event, first, last, count, times, import, attempt)
      VALUES (?, ?, ?, ?, ?, ?, ?)`
    const text = times && JSON.stringify(times)
    statement(this.db, sql).run(event, first, last, count, text, number, attempt)
  }

  /** Sets the deltaTimes of a range, because other points lie in between now. */
  setRangeTimes(number: number, times: readonly number[]): void {
    const sql = 'UPDATE import_range SET times = ? WHERE number = ?'
    statement(this.db, sql).run(JSON.stringify(times), number)
  }

  /** Removes the record of a range. Its points stay. */
  removeRange(number: number): void {
    statement(this.db, 'DELETE FROM import_range WHERE number = ?').run(number)
  }

  /** Returns the value remembered under a name. */
  getMemory(name: string): string | undefined {
    return column(this.db, 'SELECT value FROM import_memory WHERE name = ?').get(name) as string | undefined
  }

  /** Lists the values remembered under names with a prefix. */
  listMemory(prefix: string): { name: string; value: string }[] {
    const sql = 'SELECT name, value FROM import_memory WHERE name >= ? AND name < ?'
    return statement(this.db, sql).all(prefix, `${prefix}\uffff`) as { name: string; value: string }[]
  }

  /** Returns the total length of what {@link listMemory} returns, in characters. */
  getMemorySize(prefix: string): number {
    const sql = `SELECT coalesce(sum(length(name) + length(value)), 0) FROM import_memory
      WHERE name >= ? AND name < ?`
    return column(this.db, sql).get(prefix, `${prefix}\uffff`) as number
  }

  /** Removes what {@link listMemory} returns. */
  removeMemoryWithPrefix(prefix: string): void {
    statement(this.db, 'DELETE FROM import_memory WHERE name >= ? AND name < ?').run(
      prefix,
      `${prefix}\uffff`
    )
  }

  /** Forgets the value remembered under a name. */
  removeMemory(name: string): void {
    statement(this.db, 'DELETE FROM import_memory WHERE name = ?').run(name)
  }

  /** Remembers a value under a name, in place of a former one. */
  setMemory(name: string, value: string): void {
    statement(this.db, 'INSERT OR REPLACE INTO import_memory (name, value) VALUES (?, ?)').run(name, value)
  }
}

function toRange(row: RangeRow): ImportRange {
  return { ...row, times: row.times === null ? null : (JSON.parse(row.times) as number[]) }
}
