/** Finds the sources of a measure: the streams in which its events count, with their types and series. */
import { raw } from '../sqlite/statements.js'
import type { MeasuredType } from './measured-type.js'
import type { MeasureStreams } from './measure-streams.js'
import type { MeasureSteps, Reading } from './reading.js'

/** A holder event whose series counts in a source. */
export interface SourceSeries {
  readonly type: MeasuredType
  /** The holder's number. */
  readonly event: number
  /** The time of the event in seconds, to which deltaTimes are added. */
  readonly time: number
}

export interface Source {
  readonly stream: number
  readonly types: Set<MeasuredType>
  readonly series: SourceSeries[]
}

/** A measure, and the range in which data is looked for, in seconds. */
interface SourceQuery {
  readonly measure: string
  readonly types: readonly MeasuredType[]
  readonly from: number
  /** Excluded. */
  readonly end: number
}

type RawHolder = [number: number, time: number, stream: number, others: string | null, until: number]

/** Values of about 150 bytes for which a source, and a series of it, take memory. */
const [valuesPerSource, valuesPerSeries] = [3, 0.5]
/** Number of holders read by one statement. */
const holdersPerRead = 256
const holdersSql = `SELECT e.number, e.time, e.stream, e.others, s.until
  FROM event e INDEXED BY event_type_time JOIN series s ON s.event = e.number
  WHERE e.type = ? AND e.trashed = 0 AND (e.time > ? OR e.time = ? AND e.number > ?) AND e.time < ?
  ORDER BY e.time, e.number LIMIT ${holdersPerRead}`

/** Returns the sources by stream number. Some may have no data in the range. */
export function* findSources(
  reading: Reading,
  streams: MeasureStreams,
  query: SourceQuery
): MeasureSteps<Map<number, Source>> {
  const sources = new Map<number, Source>()
  yield* findEventSources(reading, streams, query, sources)
  for (const type of query.types)
    if (type.seriesNumber !== undefined) yield* findSeries(reading, streams, query, type, sources)
  return sources
}

function getSource(reading: Reading, sources: Map<number, Source>, stream: number): Source {
  let source = sources.get(stream)
  if (!source) {
    sources.set(stream, (source = { stream, types: new Set(), series: [] }))
    reading.held += valuesPerSource
  }
  return source
}

/**
 * Adds the streams in which events of the types count for the measure, or may do so where what a stream holds is not
 * known.
 */
function* findEventSources(
  reading: Reading,
  streams: MeasureStreams,
  { measure, types }: SourceQuery,
  sources: Map<number, Source>
): MeasureSteps<void> {
  const byNumber = new Map(types.flatMap(type => (type.number === undefined ? [] : [[type.number, type]])))
  if (byNumber.size === 0) return
  const walk = streams.walkStreams()
  for (let stream = walk.next(reading.store.db); stream !== undefined;) {
    if (streams.has(stream)) {
      const lane = reading.store.facts.get(stream)
      // What a stream holds may not be known yet. Finding that out takes longer than looking for each type.
      if (!lane.isComplete || lane.hasTooManyGroups)
        for (const type of byNumber.values()) getSource(reading, sources, stream).types.add(type)
      for (const { others, stream: first, type } of lane.groups.values()) {
        const measured = byNumber.get(type)
        if (!measured) continue
        const found = streams.assign(first, others, measured.name)
        if (found?.measure === measure && found.source === stream)
          getSource(reading, sources, stream).types.add(measured)
      }
    }
    // A stream may have a thousand groups.
    yield
    stream = walk.next(reading.store.db)
  }
}

/** Adds the series of a type that count for the measure and reach into the range. */
function* findSeries(
  reading: Reading,
  streams: MeasureStreams,
  { end, from, measure }: SourceQuery,
  type: MeasuredType,
  sources: Map<number, Source>
): MeasureSteps<void> {
  let [lastTime, lastNumber] = [-Infinity, 0]
  for (;;) {
    const bound = [type.seriesNumber, lastTime, lastTime, lastNumber, end]
    const rows = raw(reading.store.db, holdersSql).all(...bound) as RawHolder[]
    for (const [event, time, stream, others, until] of rows) {
      if (time + until < from) continue
      const found = streams.assign(stream, others, type.name)
      if (found?.measure !== measure) continue
      getSource(reading, sources, found.source).series.push({ type, event, time })
      reading.held += valuesPerSeries
    }
    const last = rows.at(-1)
    if (!last || rows.length < holdersPerRead) return
    ;[lastNumber, lastTime] = last
    yield
  }
}
