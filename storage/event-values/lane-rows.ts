/**
 * Reads the index of events by stream for samples and facts: a stream's events of one trash state, in order of time.
 * All statements are built here; their number is bounded.
 */
import type { Database } from 'better-sqlite3'
import { nextDouble, type Key } from '../event-query/position.js'
import { column, raw, statement } from '../sqlite/statements.js'
import type { FoundValue } from './time-buckets.js'

/** The events of a stream that have one trash state; see `State`. */
export interface StreamState {
  readonly stream: number
  readonly trashed: number
}

/** A position in the order of times, and for equal times after an event. */
export interface LanePosition {
  readonly time: number
  readonly after?: number
}

/** Selects rows of a lane. */
interface LaneRowsOptions {
  /** Path in contents, as `content_values` names it; absent: the content itself. */
  readonly field: string | undefined
  /** Numbers of types; absent: all types. */
  readonly types: readonly number[] | undefined
  /** Restricts to events that are in several streams. */
  readonly sharedOnly?: boolean
  /** True if rows of events with a duration are irregular, too. */
  readonly readsSpans?: boolean
}

/** A row with its number, if the index holds it. */
export interface LaneRow {
  readonly time: number
  readonly number: number
  readonly type: number
  readonly value: number | undefined
  /** The event's first stream, if it is in several. */
  readonly home: number | null
  /** The event's duration class, if it has a duration and `readsSpans` is set. */
  readonly span: number | null
  /** True if the number has to be read from the body. */
  readonly needsBody: boolean
}

/** Maximum number of rows returned by one read. */
export const maxRowsPerRead = 512

/** Each column costs time: the last ones are selected only if needed. */
type RawRow = [time: number, number, home: number | null, value: unknown, ...others: (number | null)[]]

/** Sums over the rows of a time range. */
interface Sums {
  /** Number of rows that have to be read one by one. */
  readonly irregular: number
  readonly count: number
  readonly min: number
  readonly max: number
  readonly sum: number
}

/** A time range: `from` is included, `before` is not. */
type TimeRange = readonly [from: number, before: number]

/** Reads the selected rows. The SQL is built once: a sample reads thousands of ranges. */
export class LaneRows {
  readonly #field: readonly string[]
  readonly #types: readonly (number | string)[]
  readonly #texts: ReturnType<typeof buildTexts>
  /** The only type, if there is one. */
  readonly #type: number | undefined
  /** Indexes of columns that are not always selected; -1 for missing ones. */
  readonly #spanAt: number
  readonly #typeAt: number
  readonly #needsBodyAt: number

  constructor(private readonly options: LaneRowsOptions) {
    const { field, types } = options
    this.#field = field === undefined ? [] : [`$."${field}"`]
    this.#types = !types ? [] : types.length === 1 ? [types[0]!] : [JSON.stringify(types)]
    this.#texts = buildTexts(options)
    this.#type = types?.length === 1 ? types[0] : undefined
    const others = listOthers(options)
    const find = (name: keyof LaneRow): number => {
      const index = others.findIndex(([other]) => other === name)
      return index < 0 ? -1 : fixedColumns + index
    }
    this.#spanAt = find('span')
    this.#typeAt = find('type')
    this.#needsBodyAt = find('needsBody')
  }

  /** Returns the next rows before a time, and the position after them; `undefined` if there are no more rows. */
  next(
    db: Database,
    lane: StreamState,
    { after, time }: LanePosition,
    before: number
  ): { rows: LaneRow[]; position: LanePosition | undefined } {
    const isRest = after !== undefined
    const bound = this.#bind(lane, [time, isRest ? after : before])
    const found = raw(db, isRest ? this.#texts.sameTime : this.#texts.rows).all(...bound) as RawRow[]
    const rows = found.map(row => this.#toRow(row))
    if (rows.length === maxRowsPerRead) {
      const last = rows.at(-1)!
      return { rows, position: { time: last.time, after: last.number } }
    }
    const later = nextDouble(time, 'ASC')
    return { rows, position: isRest && later < before ? { time: later } : undefined }
  }

  /**
   * Sums the rows of a range. The sums are valid only if no row is irregular: rows of events in several streams, or
   * with `excludesOwnHome` only rows of events whose first stream is another stream.
   */
  sumRange(db: Database, lane: StreamState, range: TimeRange, excludesOwnHome: boolean): Sums {
    const sql = excludesOwnHome ? this.#texts.homeSums : this.#texts.sums
    const found = raw(db, sql).get(...this.#bind(lane, range)) as [number, ...unknown[]]
    if (this.options.field !== undefined)
      return { irregular: found[0], ...sumValues(found[1] as string | null) }
    const [irregular, count, min, max, sum] = found as [number, number, number | null, number | null, number]
    return { irregular, count, min: min ?? Infinity, max: max ?? -Infinity, sum }
  }

  /** Counts the rows of a range. */
  countRange(db: Database, { stream, trashed }: StreamState, range: TimeRange): number {
    return column(db, this.#texts.count).get(stream, trashed, ...range, ...this.#types) as number
  }

  /** Returns the first or the last row of a range that has a number. */
  findEdge(db: Database, lane: StreamState, range: TimeRange, order: 'ASC' | 'DESC'): FoundValue | undefined {
    const bound = this.#bind(lane, range)
    const found = raw(db, this.#texts[order]).get(...bound) as [number, number, unknown] | undefined
    return found && { time: found[0], number: found[1], value: Number(found[2]) }
  }

  #bind({ stream, trashed }: StreamState, range: TimeRange): unknown[] {
    return [...this.#field, stream, trashed, ...range, ...this.#types]
  }

  /** JavaScript parses the numbers: SQLite may round the last bit differently. */
  #toRow(row: RawRow): LaneRow {
    const value = row[3]
    return {
      time: row[0],
      number: row[1],
      type: this.#type ?? (row[this.#typeAt] as number),
      home: row[2],
      span: this.#spanAt < 0 ? null : (row[this.#spanAt] as number | null),
      value: value === null ? undefined : Number(value),
      needsBody: this.#needsBodyAt >= 0 && row[this.#needsBodyAt] === 1
    }
  }
}

/** Number of columns of {@link RawRow} that are always selected. */
const fixedColumns = 4

/** Lists the columns that are selected only if needed. */
function listOthers({
  field,
  readsSpans,
  types
}: LaneRowsOptions): (readonly [name: keyof LaneRow, sql: string])[] {
  return [
    ...(readsSpans ? [['span', 'l.span'] as const] : []),
    ...(types?.length === 1 ? [] : [['type', 'l.type'] as const]),
    ...(field === undefined ? [] : [['needsBody', needsBodySql] as const])
  ]
}

const needsBodySql = "l.fields = ''"

/** Builds the texts of the statements for a set of options. */
function buildTexts(options: LaneRowsOptions) {
  const { sharedOnly, field, readsSpans, types } = options
  const value = field === undefined ? 'l.value' : "CASE WHEN l.fields <> '' THEN l.fields -> ? END"
  const needsBody = field === undefined ? '' : needsBodySql
  const typeIn = !types
    ? ''
    : types.length === 1
      ? ' AND l.type = ?'
      : ' AND l.type IN (SELECT value FROM json_each(?))'
  const within = `FROM event_stream l WHERE l.stream = ? AND l.trashed = ? AND l.time >= ? AND l.time < ?${typeIn}`
  const some = sharedOnly ? ' AND l.home IS NOT NULL' : ''
  const row = `SELECT ${['l.time', 'l.event', 'l.home', value, ...listOthers(options).map(([, sql]) => sql)].join(', ')}`
  const sums = (home: string): string => {
    const single = readsSpans ? `coalesce(l.span, ${home})` : home
    const irregular = needsBody === '' ? single : `CASE WHEN ${needsBody} THEN 1 ELSE ${single} END`
    const rest =
      field === undefined
        ? 'count(l.value), min(l.value), max(l.value), total(l.value)'
        : `group_concat(${value})`
    return `SELECT count(${irregular}), ${rest} ${within}`
  }
  const edge = (
    order: string
  ): string => `SELECT l.time, l.event, ${value} AS found ${within} AND found IS NOT NULL
    ORDER BY l.time ${order}, l.event ${order} LIMIT 1`
  return {
    rows: `${row} ${within}${some} ORDER BY l.time, l.event LIMIT ${maxRowsPerRead}`,
    sameTime: `${row} FROM event_stream l WHERE l.stream = ? AND l.trashed = ? AND l.time = ? AND l.event > ?${typeIn}${some}
      ORDER BY l.event LIMIT ${maxRowsPerRead}`,
    count: `SELECT count(*) ${within}`,
    sums: sums('l.home'),
    homeSums: sums('CASE WHEN l.home <> l.stream THEN 1 END'),
    ASC: edge('ASC'),
    DESC: edge('DESC')
  }
}

/** Sums numbers given as a comma-separated list. */
function sumValues(texts: string | null): Pick<Sums, 'count' | 'min' | 'max' | 'sum'> {
  const values = texts === null ? [] : (JSON.parse(`[${texts}]`) as number[])
  let [min, max, sum] = [Infinity, -Infinity, 0]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
    sum += value
  }
  return { count: values.length, min, max, sum }
}

/** Summary of the rows in a time range. */
interface RangeSummary {
  readonly count: number
  /** The least and the greatest number of a type. */
  readonly minType: number | null
  readonly maxType: number | null
  /** Number of events that are in several streams. */
  readonly shared: number
}

/**
 * Counts the events of a stream within a time range, and how many of them are in several streams; finds their lowest and
 * highest type numbers.
 */
export function summarizeRange(
  db: Database,
  { stream, trashed }: StreamState,
  [from, before]: TimeRange
): RangeSummary {
  const sql = `SELECT count(*), min(l.type), max(l.type), count(l.home) FROM event_stream l
    WHERE l.stream = ? AND l.trashed = ? AND l.time >= ? AND l.time < ?`
  const [count, minType, maxType, shared] = raw(db, sql).get(stream, trashed, from, before) as [
    number,
    number | null,
    number | null,
    number
  ]
  return { count, minType, maxType, shared }
}

/** Returns the key of the first or the last row in a time range. */
export function findEdgeKey(
  db: Database,
  { stream, trashed }: StreamState,
  [from, before]: TimeRange,
  order: 'ASC' | 'DESC'
): Key | undefined {
  const sql = `SELECT l.time AS time, l.event AS number FROM event_stream l
    WHERE l.stream = ? AND l.trashed = ? AND l.time >= ? AND l.time < ?
    ORDER BY l.time ${order}, l.event ${order} LIMIT 1`
  return statement(db, sql).get(stream, trashed, from, before) as Key | undefined
}

/** Returns the time of the row `rows` ahead within a range; `undefined` if the range has fewer rows. */
export function findTimeAhead(
  db: Database,
  { stream, trashed }: StreamState,
  [from, before]: TimeRange,
  rows: number
): number | undefined {
  const sql = `SELECT l.time FROM event_stream l WHERE l.stream = ? AND l.trashed = ? AND l.time >= ? AND l.time < ?
    ORDER BY l.time, l.event LIMIT 1 OFFSET +?`
  return column(db, sql).get(stream, trashed, from, before, rows) as number | undefined
}

/** Returns the next stream by number that holds events; `undefined` after the last. */
export function findNextStream(db: Database, number: number): number | undefined {
  const found = column(db, 'SELECT min(stream) FROM event_stream WHERE stream > ?').get(number)
  return (found as number | null) ?? undefined
}
