/**
 * Lanes: indexes that hold some of the events in order of time. Every query reads one lane or merges several lanes. All
 * their statements are built here, from six kinds of lanes and two orders: their number is bounded.
 */
import type { Database } from 'better-sqlite3'
import { column, raw, statement } from '../sqlite/statements.js'
import { pageBytes } from './bodies.js'
import { tryWithinBudget } from './query-budget.js'
import type { Key, Order, KeyRange } from './position.js'
import { runFiltered, rowCondition, type RowFilter } from './row-filter.js'
import { isOnMap } from './stream-map.js'

/**
 * `time`: all events; `own`: all events except the values of account fields; `type`: events of a type; `stream`: events
 * in a stream; `span`: all periods of a duration class; `streamSpan`: the periods of a duration class in a stream.
 */
type LaneKind = 'time' | 'own' | 'type' | 'stream' | 'span' | 'streamSpan'

/** One index and the values that select the lane in it. */
export interface Lane {
  readonly kind: LaneKind
  readonly values: readonly number[]
}

/** A lane and a range of it. */
export interface LanePart {
  readonly lane: Lane
  readonly range: KeyRange
}

interface Source {
  readonly from: string
  readonly where: string
  /** Joins the event's row, for indexes that are separate tables. */
  readonly join: string
  /** The alias of the table that holds the columns of the event's row. */
  readonly row: string
  readonly number: string
}

const sources: Readonly<Record<LaneKind, Source>> = {
  time: eventSource('event_time', 'l.trashed = ?'),
  own: eventSource('event_time', 'l.trashed = ? AND l.stream > 0'),
  type: eventSource('event_type_time', 'l.type = ? AND l.trashed = ?'),
  span: eventSource('event_span', 'l.trashed = ? AND l.span = ?'),
  stream: linkSource('', 'l.stream = ? AND l.trashed = ?'),
  streamSpan: linkSource('INDEXED BY event_stream_span', 'l.stream = ? AND l.trashed = ? AND l.span = ?')
}

function eventSource(index: string, where: string): Source {
  return { from: `event l INDEXED BY ${index}`, where, join: '', row: 'l', number: 'l.number' }
}

function linkSource(index: string, where: string): Source {
  const join = 'CROSS JOIN event e ON e.number = l.event'
  return { from: `event_stream l ${index}`, where, join, row: 'e', number: 'l.event' }
}

/** Reads the keys of the next rows. */
export function readKeys(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  range: KeyRange,
  limit: number,
  offset = 0
): Key[] {
  const sql = keysSql(kind, order, range)
  return statement(db, sql).all(...values, ...toBounds(order, range), limit, offset) as Key[]
}

const keysSql = createSqlBuilder(
  ({ from, number }, range) =>
    `SELECT l.time AS time, ${number} AS number FROM ${from} ${range} LIMIT +? OFFSET +?`
)

/**
 * Reads the keys of the rows that pass a filter, among the next `examined` rows; at most `limit` keys. Throws
 * `WorkLimitExceeded` if that exceeds the work limit.
 */
export function readMatchingKeys(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  range: KeyRange,
  filter: RowFilter,
  examined: number,
  limit: number
): Key[] {
  const sql = matchingKeysSql(kind, order, range)
  return runFiltered(db, filter, (modifiedAfter, endFrom) =>
    statement(db, sql).all(...values, ...toBounds(order, range), examined, modifiedAfter, endFrom, limit)
  ) as Key[]
}

const matchingKeysSql = createSqlBuilder(
  ({ from, join, number, row }, range) => `SELECT time, number FROM (
      SELECT l.time AS time, ${number} AS number, ${row}.modified AS modified, ${row}.until AS until,
        ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
      FROM ${from} ${join} ${range} LIMIT +?)
    WHERE ${rowCondition} LIMIT +?`
)

/** The joined bodies of some rows. */
interface Bodies {
  /** Absent if the bodies do not fit a page. */
  readonly text: string | undefined
  readonly count: number
  readonly bytes: number
}

/** Reads the bodies of the next rows; `undefined` if one of the events is large. */
export function readBodies(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  range: KeyRange,
  limit: number
): Bodies | undefined {
  const sql = bodiesSql(kind, order, range)
  return toBodies(raw(db, sql).get(...values, ...toBounds(order, range), limit) as BodiesRow)
}

const bodiesSql = createSqlBuilder(
  ({ from, join, row }, range) =>
    `SELECT ${joinedBodies} FROM (
        SELECT CASE WHEN ${row}.large IS NULL THEN ${row}.body END AS body, ${row}.large AS large
        FROM ${from} ${join} ${range} LIMIT +?))`
)

const joinedBodies = `CASE WHEN octet_length(text) <= ${pageBytes} THEN text END, rows, large, octet_length(text) FROM (
      SELECT group_concat(body) AS text, count(*) AS rows, count(large) AS large`

/**
 * Like {@link readBodies}, but of the next `examined` rows only those are read whose streams are on a map, or pass the test
 * on streams. `undefined` if that exceeds the work limit.
 */
export function readMatchingBodies(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  range: KeyRange,
  { filter, map }: { readonly filter: RowFilter; readonly map: Buffer },
  examined: number,
  limit: number
): Bodies | undefined {
  const sql = matchingBodiesSql(kind, order, range)
  const row = tryWithinBudget(() =>
    runFiltered(db, filter, () =>
      raw(db, sql).get(...values, ...toBounds(order, range), examined, map, limit)
    )
  )
  return row ? toBodies(row as BodiesRow) : undefined
}

const matchingBodiesSql = createSqlBuilder(
  ({ from, join, row }, range) =>
    `SELECT ${joinedBodies} FROM (SELECT body, large FROM (
        SELECT CASE WHEN ${row}.large IS NULL THEN ${row}.body END AS body, ${row}.large AS large,
          ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
        FROM ${from} ${join} ${range} LIMIT +?)
      WHERE CASE WHEN others IS NULL THEN ${isOnMap} ELSE event_matches(stream, others, type) END LIMIT +?))`
)

type BodiesRow = readonly [text: string | null, rows: number, large: number, bytes: number | null]

function toBodies([text, rows, large, bytes]: BodiesRow): Bodies | undefined {
  if (large > 0) return undefined
  return { text: text ?? (rows === 0 ? '' : undefined), count: rows, bytes: bytes ?? 0 }
}

/**
 * Collects the keys of all rows of many lanes that pass a filter, in no particular order; `undefined` if more than
 * `limit` rows would have to be examined, or if examining them exceeds the work limit. The lanes are of one kind, and
 * their ranges begin or end at the same time.
 */
export function collectMatchingKeys(
  db: Database,
  parts: readonly LanePart[],
  order: Order,
  filter: RowFilter,
  limit: number
): Key[] | undefined {
  const [first] = parts
  if (!first) return []
  const lanes = parts.map(({ lane, range }) => [
    ...lane.values,
    Math.max(toBounds(order, range)[0], -Number.MAX_VALUE)
  ])
  const high = toBounds(order, first.range)[1]
  const rows = tryWithinBudget(() =>
    runFiltered(db, filter, (modifiedAfter, endFrom) =>
      raw(db, collectMatchingKeysSql(first.lane.kind, order, first.range)).all(
        modifiedAfter,
        endFrom,
        JSON.stringify(lanes),
        high,
        limit + 1
      )
    )
  ) as [time: number, number, passes: 0 | 1][] | undefined
  if (!rows || rows.length > limit) return undefined
  // The query returns an event in several streams once for each stream.
  const found = new Map<number, Key>()
  for (const [time, number, passes] of rows) if (passes) found.set(number, { time, number })
  return [...found.values()]
}

const collectMatchingKeysSql = createSqlBuilder(({ from, join, row, number, where }) => {
  let values = 0
  const lane = where.replace(/\?/g, () => `(j.value ->> ${values++})`)
  return `SELECT time, number, ${rowCondition} FROM (
      SELECT l.time AS time, ${number} AS number, ${row}.modified AS modified, ${row}.until AS until,
        ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
      FROM (SELECT value FROM json_each(?)) j CROSS JOIN ${from} ${join}
      WHERE ${lane} AND l.time BETWEEN (j.value ->> ${values}) AND ? LIMIT +?)`
})

/** Counts the rows in a range, up to a limit. */
export function countRows(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  range: KeyRange,
  limit: number
): number {
  const sql = countSql(kind, order, range)
  return column(db, sql).get(...values, ...toBounds(order, range), limit) as number
}

const countSql = createSqlBuilder(
  ({ from }, range) => `SELECT count(*) FROM (SELECT 1 FROM ${from} ${range} LIMIT +?)`
)

/** Reads the time of the first row within a range for many lanes: one for each of `firsts`, `null` if there is none. */
export function readFirstTimes(
  db: Database,
  kind: 'stream' | 'type',
  firsts: readonly number[],
  trashed: number,
  order: Order,
  { start, end }: KeyRange
): (number | null)[] {
  const limits = toBounds(order, { start, end })
  return column(db, firstTimesSql(kind, order, { start, end })).all(
    trashed,
    ...limits,
    JSON.stringify(firsts)
  ) as (number | null)[]
}

const firstTimesSql = createSqlBuilder(
  ({ from }, range) =>
    `SELECT (SELECT l.time FROM ${from} ${range.replace('?', 'j.value')} LIMIT 1) FROM json_each(?) j`
)

/** Counts the rows of many lanes within a range, each up to a limit. */
export function countRowsOfLanes(
  db: Database,
  kind: 'stream' | 'type',
  firsts: readonly number[],
  trashed: number,
  order: Order,
  { start, end }: KeyRange,
  limit: number
): number {
  const limits = toBounds(order, { start, end })
  const sql = countRowsOfLanesSql(kind, order, { start, end })
  return column(db, sql).get(trashed, ...limits, limit, JSON.stringify(firsts)) as number
}

const countRowsOfLanesSql = createSqlBuilder(
  ({ from }, range) => `SELECT total((SELECT count(*) FROM
    (SELECT 1 FROM ${from} ${range.replace('?', 'j.value')} LIMIT +?))) FROM json_each(?) j`
)

/** Creates a function that builds the SQL of one purpose for a kind of lane, order and range; each text is built once. */
function createSqlBuilder(
  build: (source: Source, range: string) => string
): (kind: LaneKind, order: Order, range: KeyRange) => string {
  const sqlByKind = new Map<LaneKind, (string | undefined)[]>()
  return (kind, order, { after }) => {
    let list = sqlByKind.get(kind)
    if (!list) sqlByKind.set(kind, (list = []))
    const isRemainder = after !== undefined
    const place = (order === 'ASC' ? 0 : 1) + (isRemainder ? 2 : 0)
    return (list[place] ??= build(sources[kind], buildRangeClause(sources[kind], order, isRemainder)))
  }
}

function buildRangeClause({ where, number }: Source, order: Order, isRemainder: boolean): string {
  if (!isRemainder)
    return `WHERE ${where} AND l.time BETWEEN ? AND ? ORDER BY l.time ${order}, ${number} ${order}`
  return `WHERE ${where} AND l.time = ? AND ${number} ${order === 'ASC' ? '>' : '<'} ? ORDER BY ${number} ${order}`
}

function toBounds(order: Order, { start, end, after }: KeyRange): [number, number] {
  if (after !== undefined) return [start, after]
  return order === 'ASC' ? [start, end] : [end, start]
}
