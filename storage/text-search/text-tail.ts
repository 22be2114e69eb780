/**
 * Events that were not indexed when a search began: read one by one, in order of their numbers. Those that are found are
 * kept in the order of the search, the first ones if they are many.
 */
import type { Database } from 'better-sqlite3'
import { comesBefore, isBefore, type Key, type Order } from '../event-query/position.js'
import { tryWithinBudget } from '../event-query/effort.js'
import { filtered } from '../event-query/row-filter.js'
import { hasTime, inTime } from '../sqlite/in-time.js'
import { statement } from '../sqlite/statements.js'
import { holdsText, wordsIn } from '../texts/tables.js'
import { NumberSteps } from './number-steps.js'
import { eventCondition, ofEvent, type TextFilter } from './text-lane.js'

/** Found events that are kept at once. */
const mostKept = 50_000

interface Row extends Key {
  /** As the index has them; otherwise they are taken from the body. */
  readonly words: string | null
  readonly body: string | null
}

/** As in lanes, texts are only looked at where they may be read. */
const rowSql = `SELECT e.number AS number, time, words, CASE WHEN words IS NULL THEN body END AS body
  FROM event e LEFT JOIN event_text x ON x.start = e.time AND x.event = e.number
  WHERE e.number > ? AND e.number <= ?
    AND CASE WHEN ${eventCondition} THEN CASE WHEN ${hasTime} THEN words IS NOT NULL OR ${holdsText} END END
  ORDER BY e.number LIMIT 1`

export class TextTail {
  #steps: NumberSteps
  #kept: Key[] = []
  #isCut = false
  /** What has been gone through before. */
  #from: Key | undefined
  readonly #most: number

  /** Of the numbers after `first` up to `last`; `wanted`: how many are to be found. */
  constructor(
    private readonly first: number,
    private readonly last: number,
    private readonly order: Order,
    wanted: number
  ) {
    this.#steps = new NumberSteps(first, last)
    this.#most = Math.min(Math.max(wanted, 1), mostKept)
  }

  /** Whether there is nothing more to {@link read}. */
  get isRead(): boolean {
    return this.#steps.isDone
  }

  /** Reads on for a moment. */
  read(db: Database, filter: TextFilter): void {
    const row = tryWithinBudget(() => this.#steps.next(db, (after, to) => rowIn(db, filter, after, to)))
    if (row && meets(row, filter)) this.#keep({ time: row.time, number: row.number })
    if (this.isRead) this.#order()
  }

  /**
   * The next ones, which are not after `to` or, without it, begin until `end`: `most` of them. `isPart`: whether there may be more.
   */
  upTo(to: Key | undefined, end: number, most: number): { keys: readonly Key[]; isPart: boolean } {
    const isBeyond = (key: Key): boolean =>
      to ? isBefore(to, key, this.order) : comesBefore(end, key.time, this.order)
    const beyond = this.#kept.findIndex(isBeyond)
    const count = beyond === -1 ? this.#kept.length : beyond
    const isPart = count > most || (this.#isCut && beyond === -1)
    return { keys: this.#kept.slice(0, Math.min(count, most)), isPart }
  }

  /** Those that still are as they were found. */
  still(db: Database, filter: TextFilter, keys: readonly Key[]): Key[] {
    return keys.filter(({ number, time }) => {
      const row = inTime(db, 0, () => rowIn(db, filter, number - 1, number)).found
      return row?.time === time && meets(row, filter)
    })
  }

  /** Leaves out what has been gone through: to a key or, without it, to a time. */
  drop(to: Key | undefined, end: number): void {
    const { keys } = this.upTo(to, end, Infinity)
    this.#kept = this.#kept.slice(keys.length)
    if (this.#kept.length > 0 || !this.#isCut) return
    this.#from = keys.at(-1)
    this.#isCut = false
    this.#steps = new NumberSteps(this.first, this.last)
  }

  #keep(key: Key): void {
    if (this.#from && !isBefore(this.#from, key, this.order)) return
    this.#kept.push(key)
    if (this.#kept.length > 2 * this.#most) this.#order()
  }

  #order(): void {
    this.#kept.sort((a, b) => (isBefore(a, b, this.order) ? -1 : 1))
    if (this.#kept.length <= this.#most) return
    this.#isCut = true
    this.#kept.length = this.#most
  }
}

function rowIn(db: Database, filter: TextFilter, after: number, to: number): Row | undefined {
  return filtered(db, filter.rows, (...bounds) =>
    statement(db, rowSql).get(after, to, ...ofEvent(filter, bounds))
  ) as Row | undefined
}

function meets({ body, words }: Row, { text }: TextFilter): boolean {
  const all = words ?? wordsIn(body!)
  return text.words.every(word => all.includes(` ${word}`))
}
