/** Reads the contents of a measure's events and points one by one, for measures that are not numbers. */
import { column, raw } from '../sqlite/statements.js'
import { nextDouble } from '../event-query/position.js'
import { ChunkWalk } from '../series/chunk-walk.js'
import { durationColumn, findCells, type MeasuredType } from './measured-type.js'
import { MeasureStreams, type Assignment, type MeasureScope } from './measure-streams.js'
import { findBeginning } from './period-beginnings.js'
import { SinglePoints } from './point-sinks.js'
import type { MeasureSteps, Reading } from './reading.js'
import type { Row } from '../series/rows.js'
import { findSources, type SourceSeries } from './sources.js'

/** An event or a point. */
export interface MeasuredContent {
  /** Number of the stream in which it counts. */
  readonly source: number
  readonly type: MeasuredType
  /** In seconds. */
  readonly time: number
  /** Time at which the event ends; infinite while it runs; `undefined` for a point in time. */
  readonly until: number | undefined
  /** JSON of the content, or of a point's first value or all of its named ones; `undefined` if there is none, or a long one. */
  readonly content: string | undefined
}

export interface ContentsQuery {
  readonly scope: MeasureScope
  readonly measure: string
  readonly types: readonly MeasuredType[]
  readonly from: number
  /** Excluded. */
  readonly end: number
  /**
   * For periods: also those that begin up to two days before `from`, or after `end`, since they may belong together; and events that
   * begin earlier and reach these, or reach others that do, with less than this between them, in seconds.
   */
  readonly gap?: number
  /** Receives the contents. Contents of the same source and type come in order of time. */
  readonly take: (content: MeasuredContent) => void
  /** Returns how many values `take` keeps by now, of about 150 bytes each. */
  readonly countHeld?: () => number
}

type RawRow = [
  time: number,
  event: number,
  home: number | null,
  until: number | null,
  content: string | null,
  isLong: 0 | 1
]

const rowsPerRead = 256
/** Size of the largest body whose content is read together with others, and of the longest content, in bytes. */
const maxBodyBytes = 32 * 1024
/** How far around the range all periods are read, in seconds. */
const periodMargin = 2 * 86_400
const rowsSql = `SELECT l.time, l.event, l.home, e.until,
    CASE WHEN octet_length(e.body) <= ${maxBodyBytes} THEN e.body -> '$.content' END, octet_length(e.body) > ${maxBodyBytes}
  FROM event_stream l CROSS JOIN event e ON e.number = l.event
  WHERE l.stream = ? AND l.trashed = 0 AND l.time >= ? AND l.time < ? AND l.type = ?
    AND (l.time > ? OR l.event > ?)
  ORDER BY l.time, l.event LIMIT ${rowsPerRead}`
/** Reads the content of an event with a long body, unless the content itself is long. */
const longSql = `SELECT iif(octet_length(body -> '$.content') <= ${maxBodyBytes}, body -> '$.content', NULL)
  FROM event WHERE number = ?`

/** Passes the contents in the range to `take`. */
export function* readContents(reading: Reading, query: ContentsQuery): MeasureSteps<true> {
  const { gap } = query
  const streams = new MeasureStreams(query.scope, reading)
  const margin = gap === undefined ? 0 : periodMargin
  const range = { ...query, from: query.from - margin, end: query.end + margin }
  const sources = yield* findSources(reading, streams, range)
  const from =
    gap === undefined ? range.from : yield* findBeginning(reading, sources, { from: range.from, gap })
  const read = { ...range, from }
  for (const { series, stream, types } of sources.values()) {
    for (const type of types) yield* readEvents(reading, streams, read, { source: stream, type })
    for (const each of series) {
      yield* readPoints(reading, read, { ...each, source: stream })
      yield
    }
  }
  return true
}

/**
 * Passes the events of one stream and type to `take`, in order of time, if they count for the measure and this
 * source.
 */
function* readEvents(
  reading: Reading,
  streams: MeasureStreams,
  { end, from, measure, take }: ContentsQuery,
  { source, type }: { source: number; type: MeasuredType }
): MeasureSteps<void> {
  const isCounted = (found: Assignment | undefined): boolean =>
    found?.measure === measure && found.source === source
  let [time, after] = [from, -1]
  for (;;) {
    const { db } = reading.store
    const rows = raw(db, rowsSql).all(source, time, end, type.number, time, after) as RawRow[]
    for (const [at, event, home, until, content, isLong] of rows) {
      const found =
        home === null ? streams.assign(source, null, type.name) : streams.assignEvent(db, event, type.name)
      if (!isCounted(found)) continue
      const text = isLong ? (column(db, longSql).get(event) as string | null | undefined) : content
      take({ source, type, time: at, until: until ?? undefined, content: text ?? undefined })
    }
    // Also after the last ones: there may be thousands of streams with a few events each.
    yield
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return
    ;[time, after] = last
  }
}

/** Passes the points of one series within the range to `take`, in order. */
function* readPoints(
  reading: Reading,
  { end, from, take }: ContentsQuery,
  { event, source, time, type }: SourceSeries & { source: number }
): MeasureSteps<void> {
  const { series } = reading.store
  const columns = series.getColumns(event)
  const bounds = series.getBounds(event)
  if (!columns || !bounds) return
  const range = { from: Math.max(0, from - time), to: Math.min(end - time, nextDouble(bounds.until, 'ASC')) }
  if (range.from >= range.to) return
  const { duration, values } = findCells(type, columns)
  const [first] = values
  // Points of objects, such as stages of sleep, have their properties as columns.
  const isObject = first! < 0 && type.fields[0] === undefined
  const sink = new SinglePoints(row => {
    const [at, length] = [time + row[0], row[duration]]
    const value = isObject ? toContent(columns, row) : row[first!]
    const until = duration > 0 && typeof length === 'number' ? at + length : undefined
    take({ source, type, time: at, until, content: value === undefined ? undefined : JSON.stringify(value) })
  })
  const walk = new ChunkWalk({ event, range, part: 'measures' })
  while (!walk.isDone) {
    reading.store.series.walk(walk, sink)
    yield
  }
}

/** Returns the object that a point of a series without a column of values stands for. */
function toContent(columns: readonly string[], row: Row): object {
  return Object.fromEntries(
    columns.flatMap((name, index) => (name === durationColumn ? [] : [[name, row[index + 1]]]))
  )
}
