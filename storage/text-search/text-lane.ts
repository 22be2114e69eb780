/** Events by their texts: found by words, or scanned in order of time. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Key, Order, KeyRange } from '../event-query/position.js'
import type { TextSearch } from '../event-query/query.js'
import { runFiltered, rowCondition, type RowFilter } from '../event-query/row-filter.js'

/** The conditions for every row. */
export interface TextFilter {
  readonly rows: RowFilter
  readonly trashed: readonly number[]
  readonly to: number
  readonly text: TextSearch
}

/** Maximum number of events found by a word that are tested one by one; with more a scan in order of time is faster. */
const maxFound = 4000
/** Maximum number of words by which that is tried. */
export const maxTriedWords = 4
/** Sorts after every word that begins with what precedes it. */
export const wordEnd = '\u{10ffff}'

/** Returns the numbers of all events that may have these words, and of some others; `undefined` if they are many. */
export function findByWords(db: Database, words: readonly string[]): number[] | undefined {
  const sql = 'SELECT doc FROM event_vocabulary WHERE term >= ? AND term < ? LIMIT +?'
  for (const word of words.slice(0, maxTriedWords)) {
    const found = column(db, sql).all(word, word + wordEnd, maxFound + 1) as number[]
    if (found.length > maxFound) continue
    const long = column(
      db,
      'SELECT event FROM event_text INDEXED BY event_text_long WHERE long IS NOT NULL LIMIT +?'
    ).all(maxFound + 1) as number[]
    return long.length > maxFound ? undefined : [...new Set(found), ...long]
  }
  return undefined
}

/** Reads the keys of events, without those that no longer exist. */
export function readKeys(db: Database, numbers: readonly number[]): Key[] {
  const sql = `SELECT e.time AS time, e.number AS number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value`
  return statement(db, sql).all(JSON.stringify(numbers)) as Key[]
}

/** Returns which of the first keys pass, in the same order; `scanned`: how many there was time for. */
export function filterKeys(
  db: Database,
  filter: TextFilter,
  keys: readonly Key[]
): { keys: Key[]; scanned: number } {
  const sql = `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
      CROSS JOIN event_text t ON t.start = e.time AND t.event = e.number
    WHERE CASE WHEN ${eventCondition} THEN ${wordsCondition} END`
  const { found, rows } = filter.rows.budget.runWithinBudget(keys.length, allowed =>
    runFiltered(db, filter.rows, (...bounds) =>
      column(db, sql).all(
        JSON.stringify(keys.slice(0, allowed).map(({ number }) => number)),
        ...toEventBindings(filter, bounds),
        ...toWordBindings(filter)
      )
    )
  )
  const pass = new Set(found as number[])
  return { keys: keys.filter(({ number }) => pass.has(number)), scanned: rows }
}

/**
 * Returns the keys of the events that pass, at most `limit`, among the next `rows` ones of a range, or as many as there
 * is time for.
 */
export function findInRange(
  db: Database,
  filter: TextFilter,
  order: Order,
  stretch: KeyRange,
  rows: number,
  limit: number
): { keys: Key[]; scanned: number } {
  const { mayUseIndex } = filter.text
  const sql = buildLaneSql(order, stretch, mayUseIndex)
  const { found, rows: scanned } = filter.rows.budget.runWithinBudget(rows, allowed =>
    runFiltered(db, filter.rows, (...bounds) => {
      const [event, words] = [toEventBindings(filter, bounds), toWordBindings(filter)]
      const conditions = mayUseIndex ? [...words, ...event] : [...event, ...words]
      return statement(db, sql).all(...toBounds(order, stretch), allowed, ...conditions, limit)
    })
  )
  return { keys: found as Key[], scanned }
}

/**
 * Returns how many of the next rows of a range hold a number of bytes of words; at least one, and `rows` if these hold
 * fewer.
 */
export function countRowsHolding(
  db: Database,
  order: Order,
  stretch: KeyRange,
  rows: number,
  bytes: number
): number {
  const sql = `SELECT octet_length(words) FROM event_text ${buildRangeClause(order, stretch)} LIMIT +?`
  const sizes = column(db, sql).all(...toBounds(order, stretch), rows) as number[]
  return countHolding(sizes, bytes) ?? rows
}

/** Like {@link countRowsHolding}, for the first of these keys. */
export function countKeysHolding(db: Database, keys: readonly Key[], bytes: number): number {
  const sql = `SELECT ifnull(octet_length(words), 0) FROM (SELECT value FROM json_each(?)) j
    CROSS JOIN event e ON e.number = j.value LEFT JOIN event_text t ON t.start = e.time AND t.event = e.number`
  const sizes = column(db, sql).all(JSON.stringify(keys.map(({ number }) => number))) as number[]
  // Removed events have no row.
  return countHolding(sizes, bytes) ?? keys.length
}

function countHolding(sizes: readonly number[], bytes: number): number | undefined {
  let remaining = bytes
  const end = sizes.findIndex(size => (remaining -= size) < 0)
  return end < 0 ? undefined : Math.max(end, 1)
}

/** Returns the key `offset` events ahead in a range; `undefined` beyond its end. */
export function findTextKeyAt(
  db: Database,
  order: Order,
  stretch: KeyRange,
  offset: number
): Key | undefined {
  const sql = `SELECT start AS time, event AS number FROM event_text ${buildRangeClause(order, stretch)} LIMIT 1 OFFSET +?`
  return statement(db, sql).get(...toBounds(order, stretch), offset) as Key | undefined
}

/** The conditions for every row of `event`; bind the values of {@link toEventBindings}. */
export const eventCondition = `${rowCondition} AND time <= ? AND trashed BETWEEN ? AND ?`
/** The first word is the most selective; the others are only tested if it is found. */
const wordsCondition = `instr(words, ?) > 0
  AND NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(words, w.value) = 0)`

/** Returns the values to bind in {@link eventCondition}; `bounds` come first. */
export function toEventBindings(
  { to, trashed }: TextFilter,
  bounds: readonly number[]
): (number | undefined)[] {
  return [...bounds, to, trashed[0], trashed.at(-1)]
}

function toWordBindings({ text: { words } }: TextFilter): string[] {
  const [first, ...others] = words.map(word => ` ${word}`)
  return [first!, JSON.stringify(others)]
}

/**
 * For callers that do not see everything, words are tested only where they may be read: otherwise the duration would
 * reveal the contents of other texts. For others words are tested first, which saves reading rows of events.
 */
function buildLaneSql(order: Order, stretch: KeyRange, mayUseIndex: boolean): string {
  const condition = mayUseIndex
    ? `${wordsCondition} AND ${eventCondition}`
    : `CASE WHEN ${eventCondition} THEN ${wordsCondition} END`
  return `SELECT e.time AS time, e.number AS number FROM (
      SELECT start, event, words FROM event_text ${buildRangeClause(order, stretch)} LIMIT +?) t
    CROSS JOIN event e ON e.number = t.event WHERE ${condition} LIMIT +?`
}

function buildRangeClause(order: Order, { after }: KeyRange): string {
  return after === undefined
    ? `WHERE start BETWEEN ? AND ? ORDER BY start ${order}, event ${order}`
    : `WHERE start = ? AND event ${order === 'ASC' ? '>' : '<'} ? ORDER BY event ${order}`
}

function toBounds(order: Order, { start, end, after }: KeyRange): [number, number] {
  if (after !== undefined) return [start, after]
  return order === 'ASC' ? [start, end] : [end, start]
}
