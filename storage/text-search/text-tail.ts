/**
 * Events that were not indexed when a search began: read one by one, in order of their numbers. Matches are collected
 * in the order of the search; if they are many, only the first ones.
 */
import type { Database } from 'better-sqlite3'
import { comesBefore, isBefore, type Key, type Order } from '../event-query/position.js'
import { tryWithinBudget } from '../event-query/query-budget.js'
import { runFiltered } from '../event-query/row-filter.js'
import { hasTime, runWithTimeout } from '../sqlite/run-with-timeout.js'
import { statement } from '../sqlite/statements.js'
import { holdsText, extractBodyWords } from '../texts/tables.js'
import { NumberSteps } from './number-steps.js'
import { eventCondition, toEventBindings, type TextFilter } from './text-lane.js'

/** Maximum number of collected matches. */
const maxFound = 50_000

interface Row extends Key {
  /** The indexed words; `null` if they have to be extracted from the body. */
  readonly words: string | null
  readonly body: string | null
}

/** As in lanes, texts are only tested where they may be read. */
const rowSql = `SELECT e.number AS number, time, words, CASE WHEN words IS NULL THEN body END AS body
  FROM event e LEFT JOIN event_text x ON x.start = e.time AND x.event = e.number
  WHERE e.number > ? AND e.number <= ?
    AND CASE WHEN ${eventCondition} THEN CASE WHEN ${hasTime} THEN words IS NOT NULL OR ${holdsText} END END
  ORDER BY e.number LIMIT 1`

/** Finds matches among the events that are not indexed yet. */
export class TextTail {
  #steps: NumberSteps
  #found: Key[] = []
  #isTruncated = false
  /** Matches up to this key have been discarded. */
  #discardedTo: Key | undefined
  readonly #limit: number

  /** Scans the numbers after `first` up to `last`; `wanted`: how many matches are needed. */
  constructor(
    private readonly first: number,
    private readonly last: number,
    private readonly order: Order,
    wanted: number
  ) {
    this.#steps = new NumberSteps(first, last)
    this.#limit = Math.min(Math.max(wanted, 1), maxFound)
  }

  /** True once {@link read} has scanned everything. */
  get isComplete(): boolean {
    return this.#steps.isDone
  }

  /** Scans the next numbers. */
  read(db: Database, filter: TextFilter): void {
    const row = tryWithinBudget(() => this.#steps.next(db, (after, to) => findRow(db, filter, after, to)))
    if (row && containsWords(row, filter)) this.#add({ time: row.time, number: row.number })
    if (this.isComplete) this.#sortAndTruncate()
  }

  /**
   * Lists the next matches up to `to` or, without it, those that begin until `end`; at most `limit`. `isPart`: whether
   * there may be more.
   */
  listUpTo(to: Key | undefined, end: number, limit: number): { keys: readonly Key[]; isPart: boolean } {
    const isBeyond = (key: Key): boolean =>
      to ? isBefore(to, key, this.order) : comesBefore(end, key.time, this.order)
    const beyond = this.#found.findIndex(isBeyond)
    const count = beyond === -1 ? this.#found.length : beyond
    const isPart = count > limit || (this.#isTruncated && beyond === -1)
    return { keys: this.#found.slice(0, Math.min(count, limit)), isPart }
  }

  /** Returns the matches that are still valid. */
  recheck(db: Database, filter: TextFilter, keys: readonly Key[]): Key[] {
    return keys.filter(({ number, time }) => {
      const row = runWithTimeout(db, 0, () => findRow(db, filter, number - 1, number)).found
      return row?.time === time && containsWords(row, filter)
    })
  }

  /**
   * Discards the matches up to a key or, without it, up to a time. If these were all that was collected of
   * many, the scan begins again for the others.
   */
  discardUpTo(to: Key | undefined, end: number): void {
    const { keys } = this.listUpTo(to, end, Infinity)
    this.#found = this.#found.slice(keys.length)
    if (this.#found.length > 0 || !this.#isTruncated) return
    this.#discardedTo = keys.at(-1)
    this.#isTruncated = false
    this.#steps = new NumberSteps(this.first, this.last)
  }

  #add(key: Key): void {
    if (this.#discardedTo && !isBefore(this.#discardedTo, key, this.order)) return
    this.#found.push(key)
    if (this.#found.length > 2 * this.#limit) this.#sortAndTruncate()
  }

  #sortAndTruncate(): void {
    this.#found.sort((a, b) => (isBefore(a, b, this.order) ? -1 : 1))
    if (this.#found.length <= this.#limit) return
    this.#isTruncated = true
    this.#found.length = this.#limit
  }
}

function findRow(db: Database, filter: TextFilter, after: number, to: number): Row | undefined {
  return runFiltered(db, filter.rows, (...bounds) =>
    statement(db, rowSql).get(after, to, ...toEventBindings(filter, bounds))
  ) as Row | undefined
}

function containsWords({ body, words }: Row, { text }: TextFilter): boolean {
  const all = words ?? extractBodyWords(body!)
  return text.words.every(word => all.includes(` ${word}`))
}
