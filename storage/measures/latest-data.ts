/** Reads the data of the event, or of the series, that is the latest of a measure. */
import { raw } from '../sqlite/statements.js'
import { parseTime, splitRows, type Row } from '../series/rows.js'
import { durationColumn } from './measured-type.js'
import type { Assignment, MeasureStreams } from './measure-streams.js'
import type { MeasureStore } from './reading.js'

/** Where the latest data of a source was found; see `MeasureFact`. */
interface LatestKey extends Assignment {
  readonly type: string
  readonly last: number
  readonly lastEvent: number
}

/** The latest data of a source. */
export interface LatestData {
  /** JSON of an event's content, if it is short. */
  readonly content?: string | undefined
  /** An event's end in seconds, if it has one; infinite while it runs. */
  readonly until?: number | undefined
  readonly point?: LatestPoint
}

/** The last point of a series that has a value. */
interface LatestPoint {
  /** Those of the series, without deltaTime. */
  readonly columns: readonly string[]
  /** `undefined` if there is none, or a long one. */
  readonly row?: Row
  /** Seconds between it and the last row. */
  readonly age: number
}

type RawEvent = [
  time: number,
  stream: number,
  others: string | null,
  until: number | null,
  content: string | null
]

const seriesPrefix = 'series:'
/** Maximum length of a returned content, in characters, and maximum size of a body that is read for it, in bytes. */
const maxContentLength = 256
const maxBodyBytes = 32 * 1024
/** Maximum number of points in which the last value of a series is looked for, and maximum length of a returned one, in characters. */
const [maxPoints, maxPointLength] = [100, 1024]
/** Characters that take as much memory as a value of about 150 bytes, and values for which the cell of a point takes memory. */
const [charactersPerValue, valuesPerCell] = [100, 0.25]
const eventSql = `SELECT time, stream, others, until,
    CASE WHEN octet_length(body) <= ${maxBodyBytes} THEN body -> '$.content' END
  FROM event WHERE number = ? AND trashed = 0 AND type = (SELECT number FROM event_type WHERE name = ?)`

/** Returns the latest data of a fact; `undefined` if the fact is no longer true: the event may have left the source. */
export function readLatestData(
  { db, series }: MeasureStore,
  streams: MeasureStreams,
  { last, lastEvent, measure, source, type }: LatestKey
): LatestData | undefined {
  const row = raw(db, eventSql).get(lastEvent, type) as RawEvent | undefined
  if (!row) return undefined
  const [time, stream, others, until, content] = row
  const isSeries = type.startsWith(seriesPrefix)
  const found = streams.assign(stream, others, isSeries ? type.slice(seriesPrefix.length) : type)
  if (found?.measure !== measure || found.source !== source) return undefined
  if (!isSeries) {
    if (time !== last) return undefined
    const isShort = content !== null && content.length <= maxContentLength
    return { content: isShort ? content : undefined, until: until ?? undefined }
  }
  const extent = series.getExtent(lastEvent)
  if (!extent || time + extent.until !== last) return undefined
  return { point: readLastPoint(series, lastEvent) }
}

/** Returns for how many values of about 150 bytes the data takes memory. */
export function countLatest({ content = '', point }: LatestData): number {
  let held = 1 + content.length / charactersPerValue
  for (const cell of [...(point?.columns ?? []), ...(point?.row ?? [])])
    held += valuesPerCell + (typeof cell === 'string' ? cell.length / charactersPerValue : 0)
  return held
}

/** Reads the last point that has a value besides its duration. Many sources may have one: nothing else is kept. */
function readLastPoint(series: MeasureStore['series'], event: number): LatestPoint {
  const columns = series.getColumns(event) ?? []
  const form = { width: columns.length + 1, isFine: true }
  const { count, text } = series.previous(event, { from: 0, to: Infinity }, form, maxPoints)
  let last: number | undefined
  for (const rowText of splitRows(text, count)) {
    const time = parseTime(rowText)
    last ??= time
    const age = last - time
    if (rowText.length > maxPointLength) return { columns, age }
    const row = JSON.parse(`[${rowText}]`) as Row
    const hasValue = columns.some(
      (name, index) => name !== durationColumn && (row[index + 1] ?? null) !== null
    )
    if (hasValue) return { columns, row, age }
  }
  return { columns, age: 0 }
}
