/**
 * The index of texts in one user's file. `event_text` holds the words of each event, in order of time; `event_word` finds events
 * by words. New events are indexed some time after they were added; until then a search reads them one by one. Changes of indexed
 * events are indexed immediately. (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { hasTime } from '../sqlite/run-with-timeout.js'
import { column, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'
import { extractWords } from '../texts/event-words.js'
import { NumberSteps } from './number-steps.js'
import {
  addWordsSql,
  clearWordsSql,
  holdsText,
  insertSql,
  toLongFlag,
  removeWordsSql,
  extractBodyWords,
  listIndexedWords
} from '../texts/tables.js'
import { leavesPageKeys, mergePages } from './page-keys.js'
import { movePlaces, ensurePlace, type StreamSet } from './text-places.js'
import { joinWords, toSearchWords } from '../texts/words.js'

/** Number of removals after which {@link EventTexts.beginBulkRemoval} rebuilds `event_word`, which is faster. */
const maxSingleRemovals = 1000
/** Number of texts added per step. */
const maxTextsPerStep = 50
/** Duration of one search for pending texts, and of one transaction that indexes them, in milliseconds. */
const maxStepMs = 8
/** Turns without an added event after which pending texts are indexed even if no search has requested it. */
const quietTurns = 5
/** Numbers of events without texts after which the position is stored: events after it are scanned whenever the file is opened. */
const maxUnwrittenNumbers = 10_000

/** Selects the next pending event after a number and up to another one. */
const pendingSql = `SELECT e.number AS number, time, body, stream, others FROM event e
  WHERE e.number > ? AND e.number <= ? AND CASE WHEN ${hasTime} THEN ${holdsText}
    AND NOT EXISTS (SELECT 1 FROM event_text WHERE start = e.time AND event = e.number) END
  ORDER BY e.number LIMIT 1`

/** An event in the index: its time, and its words, `null` for none. */
interface IndexedText {
  readonly number: number
  readonly time: number
  readonly words: string | null
}

/** The streams and the time of an event. */
interface StreamsAndTime extends StreamSet {
  readonly time: number
}

/** The columns of an event's row that the index uses. */
interface TextRow extends StreamsAndTime {
  /** 1 if it is large, or has files. */
  readonly large: 1 | null
}

interface PendingRow extends StreamsAndTime {
  readonly number: number
  readonly body: string
}

interface TextEntry {
  readonly start: number
  readonly event: number
  readonly words: string
  readonly place: number | null
}

/** The text index of one file. All changes must run within a transaction. */
export class EventTexts {
  /** Removals since {@link beginBulkRemoval}; `undefined` outside of it. */
  #removals: number | undefined
  /** True while pages are being merged, some with each write. */
  #isMerging = false
  /** True while `event_word` is empty, until it is rebuilt. */
  #isCleared = false
  /** See {@link indexedTo}; `undefined` until it is read. */
  #indexedTo: number | undefined
  /** Whether events may be pending, whether some were added since the last turn, and whether a search has requested indexing. */
  #isBehind = true
  #hasNew = false
  #isRequested = false
  #quietTurns = 0

  constructor(private readonly db: Database) {}

  /** Converts a search text to words, as queries take them; empty if it contains none. */
  toSearchWords(text: string): string[] {
    return toSearchWords(text)
  }

  /** The greatest number up to which all events are indexed; later events are indexed if they have a row in `event_text`. */
  get indexedTo(): number {
    return (this.#indexedTo ??= this.#storedIndexedTo)
  }

  requestIndexing(): void {
    this.#isRequested = true
  }

  /** Returns whether to index pending events: after some turns without new ones, or on request. Called once a second: each call is a turn. */
  isDue(): boolean {
    if (this.#hasNew) {
      this.#hasNew = false
      this.#isBehind = true
      this.#quietTurns = 0
    }
    return this.#isBehind && (++this.#quietTurns > quietTurns || this.#isRequested)
  }

  /** Looks for an event to be indexed, passing over those without texts. Returns whether there is one, or more events remain to be scanned. */
  hasPending(): boolean {
    const last = this.#lastNumber
    const untilMs = performance.now() + maxStepMs
    const steps = new NumberSteps(this.indexedTo, last)
    while (!steps.isDone) {
      if (steps.next(this.db, (after, to) => this.#findPending(after, to)) || performance.now() > untilMs)
        return true
      this.#indexedTo = steps.at
    }
    if (last - this.#storedIndexedTo > maxUnwrittenNumbers) return true
    this.#isBehind = this.#isRequested = false
    return false
  }

  /** Indexes pending events for a few milliseconds. Must run within a transaction. */
  indexPending(): void {
    const untilMs = performance.now() + maxStepMs
    const steps = new NumberSteps(this.indexedTo, this.#lastNumber)
    do {
      const row = steps.next(this.db, (after, to) => this.#findPending(after, to))
      const words = row ? extractBodyWords(row.body) : ''
      if (row && words !== '') this.#add(row.number, row, words)
    } while (!steps.isDone && performance.now() < untilMs)
    this.#indexedTo = steps.at
    statement(this.db, 'UPDATE event_text_end SET number = ?').run(steps.at)
    if (this.#isMerging) this.#mergePages([])
  }

  /**
   * Adds an event that is not a value of an account field. Only large events are indexed at once, so that they need not be parsed
   * again.
   */
  insert(number: number, row: TextRow, event: Event): void {
    this.#hasNew = true
    const words = row.large ? extractWords(event) : ''
    if (words !== '') this.#add(number, row, words)
  }

  /** Updates the index after a change of an event; `event` is absent for values of account fields. */
  replace(before: IndexedText & StreamSet, row: TextRow, event: Event | undefined): void {
    const { number } = before
    // A pending event will be indexed in its new state.
    if (before.words === null && number > this.indexedTo && !row.large) return void (this.#hasNew = true)
    const words = event ? extractWords(event) : ''
    const former = before.words ?? ''
    if (former === '' && words === '') return
    if (former === '') {
      this.#add(number, row, words)
      if (this.#isMerging) this.#mergePages([])
      return
    }
    if (words === '') return this.remove(before)
    const isInPlace = row.stream === before.stream && row.others === before.others
    if (former === words && isInPlace) return this.#updateTime(before, row.time)
    const from = this.#deleteWords(before)
    const to = this.#insertWords(number, row, words, isInPlace ? from : null)
    this.#replaceWords(number, listIndexedWords(former, from), listIndexedWords(words, to))
  }

  /** Removes an event. */
  remove(indexed: IndexedText): void {
    if (indexed.words === null) return
    const place = this.#deleteWords(indexed)
    if (this.#removals !== undefined && ++this.#removals > maxSingleRemovals) this.#clearIndexedWords()
    this.#replaceWords(indexed.number, listIndexedWords(indexed.words, place), [])
  }

  /** Removes an event by its number and time. */
  removeByNumber(number: number, time: number): void {
    const sql = 'SELECT words FROM event_text WHERE start = ? AND event = ?'
    const words = column(this.db, sql).get(time, number) as string | undefined
    if (words !== undefined) this.remove({ number, time, words })
  }

  /** Begins a bulk removal: {@link endBulkRemoval} has to follow in the same transaction. */
  beginBulkRemoval(): void {
    this.#removals = 0
  }

  /** Ends a bulk removal: if so many events were removed that their words were cleared, adds the words of all remaining ones. */
  *endBulkRemoval(): Steps<void> {
    this.#removals = undefined
    if (!this.#isCleared) return
    yield* addAllWords(this.db)
    this.#isCleared = false
  }

  /** Updates the index after all events of streams have been moved to another one, or removed. */
  moveAll(from: readonly number[], to: number | undefined): void {
    movePlaces(this.db, from, to)
  }

  /** Clears the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#removals = undefined
    this.#isCleared = false
    this.#indexedTo = undefined
    this.#isBehind = true
  }

  /** The stored value of {@link indexedTo}. */
  get #storedIndexedTo(): number {
    return column(this.db, 'SELECT number FROM event_text_end').get() as number
  }

  get #lastNumber(): number {
    return column(this.db, 'SELECT ifnull(max(number), 0) FROM event').get() as number
  }

  #findPending(after: number, to: number): PendingRow | undefined {
    return statement(this.db, pendingSql).get(after, to) as PendingRow | undefined
  }

  #add(number: number, row: StreamsAndTime, words: string): void {
    const place = this.#insertWords(number, row, words, null)
    const leading = listIndexedWords(words, place)
    if (leading.length > 0 && !this.#isCleared)
      statement(this.db, addWordsSql).run(number, joinWords(leading))
  }

  /** Stores words. Returns the place under which they are indexed; `known` if given. */
  #insertWords(number: number, row: StreamsAndTime, words: string, known: number | null): number | null {
    const long = toLongFlag(words)
    const place = long ? null : (known ?? ensurePlace(this.db, row))
    statement(this.db, insertSql).run(row.time, number, words, long, place)
    return place
  }

  #updateTime({ number, time: from }: IndexedText, to: number): void {
    if (from !== to)
      statement(this.db, 'UPDATE event_text SET start = ? WHERE start = ? AND event = ?').run(
        to,
        from,
        number
      )
  }

  /** Deletes stored words. Returns their place. */
  #deleteWords({ number, time }: IndexedText): number | null {
    const sql = 'DELETE FROM event_text WHERE start = ? AND event = ? RETURNING place'
    return column(this.db, sql).get(time, number) as number | null
  }

  /** Replaces the indexed words of an event; only the differences are written. */
  #replaceWords(number: number, before: readonly string[], after: readonly string[]): void {
    if (this.#isCleared) return
    const [former, current] = [new Set(before), new Set(after)]
    const removed = before.filter(word => !current.has(word))
    const added = after.filter(word => !former.has(word))
    // SQLite counts rows: the row has to be deleted and inserted, even if few words change.
    if (before.length > 0) statement(this.db, removeWordsSql).run(number, joinWords(removed))
    if (after.length > 0) statement(this.db, addWordsSql).run(number, joinWords(added))
    this.#mergePages(removed)
  }

  /** Merges pages, some with each write, if their keys would reveal removed words. */
  #mergePages(removed: readonly string[]): void {
    const begin = removed.length > 0 && leavesPageKeys(this.db, removed)
    if (begin || this.#isMerging) this.#isMerging = mergePages(this.db, begin)
  }

  #clearIndexedWords(): void {
    if (this.#isCleared) return
    this.#isCleared = true
    statement(this.db, clearWordsSql).run()
  }
}

/** Rebuilds `event_word` from all texts. */
function* addAllWords(db: Database): Steps<void> {
  const sql = `SELECT start, event, words, place FROM event_text
    WHERE long IS NULL AND (start, event) > (?, ?) ORDER BY start, event LIMIT ${maxTextsPerStep}`
  for (let last: readonly [number, number] = [-Infinity, -Infinity]; ;) {
    const rows = statement(db, sql).all(...last) as TextEntry[]
    for (const { event, place, words } of rows)
      statement(db, addWordsSql).run(event, joinWords(listIndexedWords(words, place)))
    if (rows.length < maxTextsPerStep) return
    const { event, start } = rows.at(-1)!
    last = [start, event]
    yield
  }
}
