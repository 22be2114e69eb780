/** Events by their texts: those that words lead to, and all that have any, in order of time. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Key, Order, KeyRange } from '../event-query/position.js'
import type { TextSearch } from '../event-query/query.js'
import { runFiltered, rowCondition, type RowFilter } from '../event-query/row-filter.js'

/** What every row has to meet. */
export interface TextFilter {
  readonly rows: RowFilter
  readonly trashed: readonly number[]
  readonly to: number
  readonly text: TextSearch
}

/** Events that words may lead to, to be taken up one by one; with more it is quicker to go through all in order of time. */
const maxFound = 4000
/** Words by which that is tried. */
export const maxTriedWords = 4
/** Follows every word that begins with what is before it. */
export const wordEnd = '\u{10ffff}'

/** Numbers of all events that may have these words, and of some that do not; `undefined` if they are many. */
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

/** Where events stand; those that are no more are left out. */
export function readKeys(db: Database, numbers: readonly number[]): Key[] {
  const sql = `SELECT e.time AS time, e.number AS number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value`
  return statement(db, sql).all(JSON.stringify(numbers)) as Key[]
}

/** Those of the first keys whose events pass, in the same order; `looked`: how many there was time for. */
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

/** The keys of the events that pass, `limit` at most, among the next `rows` ones of a stretch, or as many as there is time for. */
export function findInRange(
  db: Database,
  filter: TextFilter,
  order: Order,
  stretch: KeyRange,
  rows: number,
  limit: number
): { keys: Key[]; scanned: number } {
  const { mayUseIndex: byIndex } = filter.text
  const sql = buildLaneSql(order, stretch, byIndex)
  const { found, rows: scanned } = filter.rows.budget.runWithinBudget(rows, allowed =>
    runFiltered(db, filter.rows, (...bounds) => {
      const [event, words] = [toEventBindings(filter, bounds), toWordBindings(filter)]
      const conditions = byIndex ? [...words, ...event] : [...event, ...words]
      return statement(db, sql).all(...toBounds(order, stretch), allowed, ...conditions, limit)
    })
  )
  return { keys: found as Key[], scanned }
}

/** How many of the next rows of a stretch hold so many bytes of words; one at least, and `rows` where these hold fewer. */
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

/** As {@link countRowsHolding}, of the first of these keys. */
export function countKeysHolding(db: Database, keys: readonly Key[], bytes: number): number {
  const sql = `SELECT ifnull(octet_length(words), 0) FROM (SELECT value FROM json_each(?)) j
    CROSS JOIN event e ON e.number = j.value LEFT JOIN event_text t ON t.start = e.time AND t.event = e.number`
  const sizes = column(db, sql).all(JSON.stringify(keys.map(({ number }) => number))) as number[]
  // Of those that are gone there is no row.
  return countHolding(sizes, bytes) ?? keys.length
}

function countHolding(sizes: readonly number[], bytes: number): number | undefined {
  let remaining = bytes
  const end = sizes.findIndex(size => (remaining -= size) < 0)
  return end < 0 ? undefined : Math.max(end, 1)
}

/** The key so many events on in a stretch; `undefined` beyond its end. */
export function findTextKeyAt(
  db: Database,
  order: Order,
  stretch: KeyRange,
  offset: number
): Key | undefined {
  const sql = `SELECT start AS time, event AS number FROM event_text ${buildRangeClause(order, stretch)} LIMIT 1 OFFSET +?`
  return statement(db, sql).get(...toBounds(order, stretch), offset) as Key | undefined
}

/** What every row of `event` has to meet; binds what {@link toEventBindings} answers. */
export const eventCondition = `${rowCondition} AND time <= ? AND trashed BETWEEN ? AND ?`
/** The first word tells most; the others are only asked for where it is. */
const wordsCondition = `instr(words, ?) > 0
  AND NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(words, w.value) = 0)`

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
 * Who does not see everything has the words looked at only where they may be read: otherwise the time that this takes would
 * tell what stands in other texts. Who does has them looked at first: that spares the rows of events.
 */
function buildLaneSql(order: Order, stretch: KeyRange, byIndex: boolean): string {
  const condition = byIndex
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
