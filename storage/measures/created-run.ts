/** Finds the events and points that have been created since a time. */
import { column, raw } from '../sqlite/statements.js'
import { nextDouble } from '../event-query/position.js'
import { ChunkWalk } from '../series/chunk-walk.js'
import { PointCounter } from './point-sinks.js'
import type { MeasureSteps, Reading } from './reading.js'

/** Events of one type with the same streams (as in events), or points of a series. */
interface Created {
  readonly stream: number
  readonly others: string | null
  /** Without `series:`. */
  readonly type: string
  readonly isSeries: boolean
  readonly count: number
  /** Times of the first and the last, in seconds. */
  readonly first: number
  readonly last: number
  /** Number of the last event, or of the holder. */
  readonly lastEvent: number
}

interface CreatedQuery {
  /** In seconds. */
  readonly since: number
  /** Names of types by number, of events and of series, without `series:`. */
  readonly events: ReadonlyMap<number, string>
  readonly series: ReadonlyMap<number, string>
  readonly take: (created: Created) => void
}

type RawEvent = [
  modified: number,
  event: number,
  time: number,
  type: number,
  trashed: number,
  stream: number,
  others: string | null,
  created: number | null,
  isLong: 0 | 1
]
type RawHolder = [
  event: number,
  time: number,
  stream: number,
  others: string | null,
  written: number,
  created: number | null
]

const rowsPerRead = 256
/** Size of the largest body that is read together with others, in bytes. */
const maxBodyBytes = 32 * 1024
/** Reads the events in order of modification: an event that was created since a time was also modified since then. */
const eventsSql = `SELECT modified, number, time, type, trashed, stream, others,
    CASE WHEN octet_length(body) <= ${maxBodyBytes} THEN body ->> '$.created' END, octet_length(body) > ${maxBodyBytes}
  FROM event INDEXED BY event_modified WHERE modified >= ? AND (modified > ? OR number > ?)
  ORDER BY modified, number LIMIT ${rowsPerRead}`
const longSql = "SELECT body ->> '$.created' FROM event WHERE number = ?"
const holdersSql = `SELECT e.number, e.time, e.stream, e.others, s.written,
    CASE WHEN s.written >= ? THEN e.body ->> '$.created' END
  FROM event e INDEXED BY event_type_time JOIN series s ON s.event = e.number
  WHERE e.type = ? AND e.trashed = 0 AND (e.time > ? OR e.time = ? AND e.number > ?)
  ORDER BY e.time, e.number LIMIT ${rowsPerRead}`

/**
 * Passes on what has been created. All points of a series count that has been created since then. Of an older one that
 * has been written since then, those count that lie after that time: when a point was written is not known.
 */
export function* findCreated(reading: Reading, query: CreatedQuery): MeasureSteps<void> {
  yield* findEvents(reading, query)
  for (const [number, type] of query.series) yield* findPoints(reading, query, { number, type })
}

/** Passes the events created at or after `since` to `take`, without those in the trash. */
function* findEvents(reading: Reading, { events, since, take }: CreatedQuery): MeasureSteps<void> {
  let [modified, after] = [since, -1]
  for (;;) {
    const { db } = reading.store
    const rows = raw(db, eventsSql).all(modified, modified, after) as RawEvent[]
    for (const [, number, time, typeNumber, trashed, stream, others, found, isLong] of rows) {
      const type = events.get(typeNumber)
      if (type === undefined || trashed !== 0) continue
      const created = isLong ? (column(db, longSql).get(number) as number) : found!
      if (created < since) continue
      take({ stream, others, type, isSeries: false, count: 1, first: time, last: time, lastEvent: number })
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return
    ;[modified, after] = last
    yield
  }
}

/**
 * Passes the series of a type with points created at or after `since` to `take`, each with the number and times of
 * these points.
 */
function* findPoints(
  reading: Reading,
  { since, take }: CreatedQuery,
  { number, type }: { readonly number: number; readonly type: string }
): MeasureSteps<void> {
  let [lastTime, lastNumber] = [-Infinity, 0]
  for (;;) {
    const { db } = reading.store
    const rows = raw(db, holdersSql).all(since, number, lastTime, lastTime, lastNumber) as RawHolder[]
    for (const [event, time, stream, others, written, created] of rows) {
      if (written < since || created === null) continue
      const found = yield* countPoints(reading, event, created >= since ? 0 : Math.max(0, since - time))
      if (!found) continue
      const { count, first, last } = found
      take({
        stream,
        others,
        type,
        isSeries: true,
        count,
        lastEvent: event,
        first: time + first,
        last: time + last
      })
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return
    ;[lastNumber, lastTime] = last
    yield
  }
}

/** Counts the points of a series from a deltaTime on; `undefined` if there are none. */
function* countPoints(
  reading: Reading,
  event: number,
  from: number
): MeasureSteps<{ readonly count: number; readonly first: number; readonly last: number } | undefined> {
  const bounds = reading.store.series.getBounds(event)
  if (!bounds || from > bounds.until) return undefined
  const counter = new PointCounter()
  const walk = new ChunkWalk({
    event,
    range: { from, to: nextDouble(bounds.until, 'ASC') },
    part: 'measures'
  })
  while (!walk.isDone) {
    reading.store.series.walk(walk, counter)
    yield
  }
  const { count, first } = counter
  return first === undefined ? undefined : { count, first, last: bounds.until }
}
