/**
 * Lanes: indexes that hold some of the events in order of time. Every query reads one lane or merges several. All their
 * statements are made here, from six kinds of lanes and two orders: their number is bounded.
 */
import type { Database } from 'better-sqlite3'
import { column, raw, statement } from '../sqlite/statements.js'
import { pageBytes } from './bodies.js'
import { inBounds } from './effort.js'
import type { Key, Order, Stretch } from './position.js'
import { filtered, rowCondition, type RowFilter } from './row-filter.js'
import { isOnMap } from './stream-map.js'

/** `time`: all events; `own`: without the values of account fields; `type`: of a type; `stream`: in a stream; `span`, `streamSpan`: the periods of a class among them. */
export type LaneKind = 'time' | 'own' | 'type' | 'stream' | 'span' | 'streamSpan'

/** One index and the values that select the lane in it. */
export interface Lane {
  readonly kind: LaneKind
  readonly values: readonly number[]
}

/** A lane and a part of it. */
export interface LanePart {
  readonly lane: Lane
  readonly stretch: Stretch
}

interface Source {
  readonly from: string
  readonly where: string
  /** Brings in the event's row, for indexes that are tables of their own. */
  readonly join: string
  /** Where the columns of the event's row are. */
  readonly row: string
  readonly number: string
}

const sources: Readonly<Record<LaneKind, Source>> = {
  time: onEvent('event_time', 'l.trashed = ?'),
  own: onEvent('event_time', 'l.trashed = ? AND l.stream > 0'),
  type: onEvent('event_type_time', 'l.type = ? AND l.trashed = ?'),
  span: onEvent('event_span', 'l.trashed = ? AND l.span = ?'),
  stream: onLink('', 'l.stream = ? AND l.trashed = ?'),
  streamSpan: onLink('INDEXED BY event_stream_span', 'l.stream = ? AND l.trashed = ? AND l.span = ?')
}

function onEvent(index: string, where: string): Source {
  return { from: `event l INDEXED BY ${index}`, where, join: '', row: 'l', number: 'l.number' }
}

function onLink(index: string, where: string): Source {
  const join = 'CROSS JOIN event e ON e.number = l.event'
  return { from: `event_stream l ${index}`, where, join, row: 'e', number: 'l.event' }
}

/** The keys of the next rows. */
export function keys(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  stretch: Stretch,
  limit: number,
  offset = 0
): Key[] {
  const sql = keysSql(kind, order, stretch)
  return statement(db, sql).all(...values, ...bounds(order, stretch), limit, offset) as Key[]
}

const keysSql = texts(
  ({ from, number }, range) =>
    `SELECT l.time AS time, ${number} AS number FROM ${from} ${range} LIMIT +? OFFSET +?`
)

/** The keys of the rows that pass a filter, among the next `examined` ones; `limit` at most. */
export function matchingKeys(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  stretch: Stretch,
  filter: RowFilter,
  examined: number,
  limit: number
): Key[] {
  const sql = matchingKeysSql(kind, order, stretch)
  return filtered(db, filter, (modifiedAfter, endFrom) =>
    statement(db, sql).all(...values, ...bounds(order, stretch), examined, modifiedAfter, endFrom, limit)
  ) as Key[]
}

const matchingKeysSql = texts(
  ({ from, join, number, row }, range) => `SELECT time, number FROM (
      SELECT l.time AS time, ${number} AS number, ${row}.modified AS modified, ${row}.until AS until,
        ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
      FROM ${from} ${join} ${range} LIMIT +?)
    WHERE ${rowCondition} LIMIT +?`
)

/** The bodies of some rows, joined. */
export interface Bodies {
  /** Absent where they do not fit a page. */
  readonly text: string | undefined
  readonly count: number
  readonly bytes: number
}

/** The bodies of the next rows; `undefined` if one of them is large. */
export function bodies(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  stretch: Stretch,
  limit: number
): Bodies | undefined {
  const sql = bodiesSql(kind, order, stretch)
  return bodiesIn(raw(db, sql).get(...values, ...bounds(order, stretch), limit) as BodiesRow)
}

const bodiesSql = texts(
  ({ from, join, row }, range) =>
    `SELECT ${joinedBodies} FROM (
        SELECT CASE WHEN ${row}.large IS NULL THEN ${row}.body END AS body, ${row}.large AS large
        FROM ${from} ${join} ${range} LIMIT +?))`
)

const joinedBodies = `CASE WHEN octet_length(text) <= ${pageBytes} THEN text END, rows, large, octet_length(text) FROM (
      SELECT group_concat(body) AS text, count(*) AS rows, count(large) AS large`

/** As {@link bodies}, of the rows among the next `examined` ones whose streams are on a map, or that pass the test on streams. */
export function matchingBodies(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  stretch: Stretch,
  { filter, map }: { readonly filter: RowFilter; readonly map: Buffer },
  examined: number,
  limit: number
): Bodies | undefined {
  const sql = matchingBodiesSql(kind, order, stretch)
  const row = inBounds(() =>
    filtered(db, filter, () => raw(db, sql).get(...values, ...bounds(order, stretch), examined, map, limit))
  )
  return row ? bodiesIn(row as BodiesRow) : undefined
}

const matchingBodiesSql = texts(
  ({ from, join, row }, range) =>
    `SELECT ${joinedBodies} FROM (SELECT body, large FROM (
        SELECT CASE WHEN ${row}.large IS NULL THEN ${row}.body END AS body, ${row}.large AS large,
          ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
        FROM ${from} ${join} ${range} LIMIT +?)
      WHERE CASE WHEN others IS NULL THEN ${isOnMap} ELSE event_matches(stream, others, type) END LIMIT +?))`
)

type BodiesRow = readonly [text: string | null, rows: number, large: number, bytes: number | null]

function bodiesIn([text, rows, large, bytes]: BodiesRow): Bodies | undefined {
  if (large > 0) return undefined
  return { text: text ?? (rows === 0 ? '' : undefined), count: rows, bytes: bytes ?? 0 }
}

/**
 * The keys of all rows of many lanes that pass a filter, in no particular order; `undefined` if more than `limit` rows
 * would have to be looked at, or that is too much work. The lanes are of one kind, and their stretches begin or end at the same time.
 */
export function sweep(
  db: Database,
  parts: readonly LanePart[],
  order: Order,
  filter: RowFilter,
  limit: number
): Key[] | undefined {
  const [first] = parts
  if (!first) return []
  const lanes = parts.map(({ lane, stretch }) => [
    ...lane.values,
    Math.max(bounds(order, stretch)[0], -Number.MAX_VALUE)
  ])
  const high = bounds(order, first.stretch)[1]
  const rows = inBounds(() =>
    filtered(db, filter, (modifiedAfter, endFrom) =>
      raw(db, sweepSql(first.lane.kind, order, first.stretch)).all(
        modifiedAfter,
        endFrom,
        JSON.stringify(lanes),
        high,
        limit + 1
      )
    )
  ) as [time: number, number: number, passes: 0 | 1][] | undefined
  if (!rows || rows.length > limit) return undefined
  // An event in several streams comes once from each.
  const found = new Map<number, Key>()
  for (const [time, number, passes] of rows) if (passes) found.set(number, { time, number })
  return [...found.values()]
}

const sweepSql = texts(({ from, join, row, number, where }) => {
  let values = 0
  const lane = where.replace(/\?/g, () => `(j.value ->> ${values++})`)
  return `SELECT time, number, ${rowCondition} FROM (
      SELECT l.time AS time, ${number} AS number, ${row}.modified AS modified, ${row}.until AS until,
        ${row}.stream AS stream, ${row}.others AS others, ${row}.type AS type
      FROM (SELECT value FROM json_each(?)) j CROSS JOIN ${from} ${join}
      WHERE ${lane} AND l.time BETWEEN (j.value ->> ${values}) AND ? LIMIT +?)`
})

/** The number of rows in a stretch, counted up to a limit. */
export function count(
  db: Database,
  { kind, values }: Lane,
  order: Order,
  stretch: Stretch,
  limit: number
): number {
  const sql = countSql(kind, order, stretch)
  return column(db, sql).get(...values, ...bounds(order, stretch), limit) as number
}

const countSql = texts(({ from }, range) => `SELECT count(*) FROM (SELECT 1 FROM ${from} ${range} LIMIT +?)`)

/** The times at which many lanes begin within a stretch: one for each of `firsts`, `null` where there is nothing. */
export function heads(
  db: Database,
  kind: 'stream' | 'type',
  firsts: readonly number[],
  trashed: number,
  order: Order,
  { start, end }: Stretch
): (number | null)[] {
  const limits = bounds(order, { start, end })
  return column(db, headsSql(kind, order, { start, end })).all(
    trashed,
    ...limits,
    JSON.stringify(firsts)
  ) as (number | null)[]
}

const headsSql = texts(
  ({ from }, range) =>
    `SELECT (SELECT l.time FROM ${from} ${range.replace('?', 'j.value')} LIMIT 1) FROM json_each(?) j`
)

/** The number of rows of many lanes within a stretch, each counted up to a limit. */
export function countTogether(
  db: Database,
  kind: 'stream' | 'type',
  firsts: readonly number[],
  trashed: number,
  order: Order,
  { start, end }: Stretch,
  limit: number
): number {
  const limits = bounds(order, { start, end })
  const sql = countTogetherSql(kind, order, { start, end })
  return column(db, sql).get(trashed, ...limits, limit, JSON.stringify(firsts)) as number
}

const countTogetherSql = texts(
  ({ from }, range) => `SELECT total((SELECT count(*) FROM
    (SELECT 1 FROM ${from} ${range.replace('?', 'j.value')} LIMIT +?))) FROM json_each(?) j`
)

/** Makes the SQL of one purpose for every kind of lane, order and stretch: each text once. */
function texts(
  build: (source: Source, range: string) => string
): (kind: LaneKind, order: Order, stretch: Stretch) => string {
  const made = new Map<LaneKind, (string | undefined)[]>()
  return (kind, order, { after }) => {
    let list = made.get(kind)
    if (!list) made.set(kind, (list = []))
    const isRest = after !== undefined
    const place = (order === 'ASC' ? 0 : 1) + (isRest ? 2 : 0)
    return (list[place] ??= build(sources[kind], within(sources[kind], order, isRest)))
  }
}

function within({ where, number }: Source, order: Order, isRest: boolean): string {
  if (!isRest) return `WHERE ${where} AND l.time BETWEEN ? AND ? ORDER BY l.time ${order}, ${number} ${order}`
  return `WHERE ${where} AND l.time = ? AND ${number} ${order === 'ASC' ? '>' : '<'} ? ORDER BY ${number} ${order}`
}

function bounds(order: Order, { start, end, after }: Stretch): [number, number] {
  if (after !== undefined) return [start, after]
  return order === 'ASC' ? [start, end] : [end, start]
}
