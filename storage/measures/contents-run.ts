/** Reads the contents of a measure's events and points one by one, for measures that are not numbers. */
import { raw } from '../sqlite/statements.js'
import { nextDouble } from '../event-query/position.js'
import { ChunkWalk } from '../series/chunk-walk.js'
import { findCells, type MeasuredType } from './measured-type.js'
import { MeasureStreams, type Assignment, type MeasureScope } from './measure-streams.js'
import { SinglePoints } from './point-sinks.js'
import type { MeasureSteps, Reading } from './reading.js'
import { findSources, type SourceSeries } from './sources.js'

/** An event or a point. */
export interface MeasuredContent {
  /** Number of the stream in which it counts. */
  readonly source: number
  readonly type: MeasuredType
  /** In seconds. */
  readonly time: number
  /** When it ends; infinite while it runs; `undefined` for a point in time. */
  readonly until: number | undefined
  /** JSON of the content, or of a point's first value; `undefined` if there is none, or a long one. */
  readonly content: string | undefined
}

export interface ContentsQuery {
  readonly scope: MeasureScope
  readonly measure: string
  readonly types: readonly MeasuredType[]
  readonly from: number
  /** Excluded. */
  readonly end: number
  /** Receives the contents: those of a source and type in order of time. */
  readonly take: (content: MeasuredContent) => void
}

type RawRow = [time: number, event: number, home: number | null, until: number | null, content: string | null]

const rowsPerRead = 256
/** Size of the largest body whose content is read, in bytes. */
const maxBodyBytes = 32 * 1024
const rowsSql = `SELECT l.time, l.event, l.home, e.until,
    CASE WHEN octet_length(e.body) <= ${maxBodyBytes} THEN e.body -> '$.content' END
  FROM event_stream l CROSS JOIN event e ON e.number = l.event
  WHERE l.stream = ? AND l.trashed = 0 AND l.time >= ? AND l.time < ? AND l.type = ?
    AND (l.time > ? OR l.event > ?)
  ORDER BY l.time, l.event LIMIT ${rowsPerRead}`

/** Passes all contents that begin in the range to `take`. */
export function* readContents(reading: Reading, query: ContentsQuery): MeasureSteps<true> {
  const streams = new MeasureStreams(query.scope)
  const sources = yield* findSources(reading, streams, query)
  for (const { series, stream, types } of sources.values()) {
    for (const type of types) yield* readEvents(reading, streams, query, { source: stream, type })
    for (const each of series) yield* readPoints(reading, query, { ...each, source: stream })
  }
  return true
}

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
    for (const [at, event, home, until, content] of rows) {
      const found =
        home === null ? streams.assign(source, null, type.name) : streams.assignEvent(db, event, type.name)
      if (isCounted(found))
        take({ source, type, time: at, until: until ?? undefined, content: content ?? undefined })
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return
    ;[time, after] = last
    yield
  }
}

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
  const sink = new SinglePoints(row => {
    const [at, length, value] = [time + row[0], row[duration], row[values[0]!]]
    const until = duration > 0 && typeof length === 'number' ? at + length : undefined
    take({ source, type, time: at, until, content: value === undefined ? undefined : JSON.stringify(value) })
  })
  const walk = new ChunkWalk({ event, range, part: 'measures' })
  while (!walk.isDone) {
    reading.store.series.walk(walk, sink)
    yield
  }
}
