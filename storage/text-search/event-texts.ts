/**
 * The index of texts in one user's file. `event_text` says what there is to be found, in order of time; `event_word` leads
 * from words to events. Events are indexed some time after they have been added; until then a search reads them one by
 * one. What becomes of events that are indexed is followed at once. (docs/decisions/0018-search-in-texts.md)
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

/** Removals after which {@link EventTexts.beginBulkRemoval} begins the words again: each takes as long as adding many. */
const maxSingleRemovals = 1000
/** Texts that one step adds. */
const maxTextsPerStep = 50
/** Milliseconds of one look for texts that wait, and of one transaction that indexes them. */
const maxStepMs = 8
/** Turns without an event added after which texts are indexed that nobody has looked for. */
const quietTurns = 5
/** Numbers of events without texts after which that is written down: each time the file is opened they are looked at. */
const maxUnwrittenNumbers = 10_000

/** The next event after a number and up to another one that waits to be indexed. */
const pendingSql = `SELECT e.number AS number, time, body, stream, others FROM event e
  WHERE e.number > ? AND e.number <= ? AND CASE WHEN ${hasTime} THEN ${holdsText}
    AND NOT EXISTS (SELECT 1 FROM event_text WHERE start = e.time AND event = e.number) END
  ORDER BY e.number LIMIT 1`

/** Where an event stands in the index: its time, and its words, `null` for none. */
export interface IndexedText {
  readonly number: number
  readonly time: number
  readonly words: string | null
}

/** Where an event is. */
interface StreamsAndTime extends StreamSet {
  readonly time: number
}

/** What it takes of an event's row. */
interface TextRow extends StreamsAndTime {
  /** Whether it is large, or has files. */
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

export class EventTexts {
  /** Removals since {@link beginBulkRemoval}; `undefined` outside of it. */
  #removals: number | undefined
  /** Whether pages are being merged, some with each write. */
  #isMerging = false
  /** Whether no words lead anywhere at the moment. */
  #isCleared = false
  /** See {@link indexedTo}; `undefined` until it is read. */
  #indexedTo: number | undefined
  /** Whether events may wait to be indexed, whether some have been added since the last turn, and whether a search met many. */
  #isBehind = true
  #hasNew = false
  #isRequested = false
  #quietTurns = 0

  constructor(private readonly db: Database) {}

  /** The words of a text that is sought, as queries take them; none if it holds none. */
  toSearchWords(text: string): string[] {
    return toSearchWords(text)
  }

  /** The greatest number up to which all events are indexed; of others, those that have words in `event_text`. */
  get indexedTo(): number {
    return (this.#indexedTo ??= this.#storedIndexedTo)
  }

  want(): void {
    this.#isRequested = true
  }

  /**
   * Asked once a second: whether it is time to index what waits, since nothing has been added for some turns, or somebody
   * searches.
   */
  isDue(): boolean {
    if (this.#hasNew) {
      this.#hasNew = false
      this.#isBehind = true
      this.#quietTurns = 0
    }
    return this.#isBehind && (++this.#quietTurns > quietTurns || this.#isRequested)
  }

  /** Looks for a text to be indexed; answers whether there is one, or more to look at. */
  hasPending(): boolean {
    const last = this.#lastNumber
    const until = performance.now() + maxStepMs
    const steps = new NumberSteps(this.indexedTo, last)
    while (!steps.isDone) {
      if (steps.next(this.db, (after, to) => this.#findPending(after, to)) || performance.now() > until)
        return true
      this.#indexedTo = steps.at
    }
    if (last - this.#storedIndexedTo > maxUnwrittenNumbers) return true
    this.#isBehind = this.#isRequested = false
    return false
  }

  /** Indexes what waits, for some milliseconds. Within a write. */
  indexPending(): void {
    const until = performance.now() + maxStepMs
    const steps = new NumberSteps(this.indexedTo, this.#lastNumber)
    do {
      const row = steps.next(this.db, (after, to) => this.#findPending(after, to))
      const words = row ? extractBodyWords(row.body) : ''
      if (row && words !== '') this.#add(row.number, row, words)
    } while (!steps.isDone && performance.now() < until)
    this.#indexedTo = steps.at
    statement(this.db, 'UPDATE event_text_end SET number = ?').run(steps.at)
    if (this.#isMerging) this.#mergePages([])
  }

  /** Adds an event: no value of an account field, as those are not searched. Only a large one is indexed at once: it is not parsed again. */
  insert(number: number, row: TextRow, event: Event): void {
    this.#hasNew = true
    const words = row.large ? extractWords(event) : ''
    if (words !== '') this.#add(number, row, words)
  }

  /** Follows a change of an event; `event` is absent for values of account fields. */
  replace(before: IndexedText & StreamSet, row: TextRow, event: Event | undefined): void {
    const { number } = before
    // Of one that waits what it has become is going to be indexed.
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

  /** Takes an event out. */
  remove(indexed: IndexedText): void {
    if (indexed.words === null) return
    const place = this.#deleteWords(indexed)
    if (this.#removals !== undefined && ++this.#removals > maxSingleRemovals) this.#clear()
    this.#replaceWords(indexed.number, listIndexedWords(indexed.words, place), [])
  }

  /** As {@link remove}, of an event by its number and time. */
  removeByNumber(number: number, time: number): void {
    const sql = 'SELECT words FROM event_text WHERE start = ? AND event = ?'
    const words = column(this.db, sql).get(time, number) as string | undefined
    if (words !== undefined) this.remove({ number, time, words })
  }

  /** Begins the removal of a great many: {@link endBulkRemoval} has to follow in the same transaction. */
  beginBulkRemoval(): void {
    this.#removals = 0
  }

  *endBulkRemoval(): Steps<void> {
    this.#removals = undefined
    if (!this.#isCleared) return
    yield* addAllWords(this.db)
    this.#isCleared = false
  }

  /** Follows events that have all been moved out of streams: to another one, or to none. */
  moveAll(from: readonly number[], to: number | undefined): void {
    movePlaces(this.db, from, to)
  }

  /** Drops what is remembered: it may have been rolled back. */
  invalidate(): void {
    this.#removals = undefined
    this.#isCleared = false
    this.#indexedTo = undefined
    this.#isBehind = true
  }

  /** What {@link indexedTo} is when the file is opened. */
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

  /** Keeps words; answers the place that leads to them: the one that is known, if any. */
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

  /** Drops words that are kept; answers their place. */
  #deleteWords({ number, time }: IndexedText): number | null {
    const sql = 'DELETE FROM event_text WHERE start = ? AND event = ? RETURNING place'
    return column(this.db, sql).get(time, number) as number | null
  }

  /** Lets other words lead to an event than before: only what differs is written. */
  #replaceWords(number: number, before: readonly string[], after: readonly string[]): void {
    if (this.#isCleared) return
    const [former, current] = [new Set(before), new Set(after)]
    const removed = before.filter(word => !current.has(word))
    const added = after.filter(word => !former.has(word))
    // SQLite counts rows: one more and one less, however few words change.
    if (before.length > 0) statement(this.db, removeWordsSql).run(number, joinWords(removed))
    if (after.length > 0) statement(this.db, addWordsSql).run(number, joinWords(added))
    this.#mergePages(removed)
  }

  /** Merges pages, some with each write, once they would show what words have been taken out. */
  #mergePages(removed: readonly string[]): void {
    const begin = removed.length > 0 && leavesPageKeys(this.db, removed)
    if (begin || this.#isMerging) this.#isMerging = mergePages(this.db, begin)
  }

  #clear(): void {
    if (this.#isCleared) return
    this.#isCleared = true
    statement(this.db, clearWordsSql).run()
  }
}

/** Lets words lead to all texts. */
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
