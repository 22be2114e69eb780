/** Finds where periods must be read from, so that the result does not depend on where a range begins. */
import { column, raw } from '../sqlite/statements.js'
import { getEarliestStart, runningClass } from '../event-query/spans.js'
import type { MeasureSteps, Reading } from './reading.js'
import type { Source } from './sources.js'

interface Reach {
  readonly from: number
  /** Periods with less than this between them belong together, in seconds; with 0, only those that overlap. */
  readonly gap: number
}

/** The events of a stream that have a duration class. */
interface Lane {
  readonly stream: number
  readonly span: number
}

type Row = [time: number, event: number, until: number]

/** Number of steps back after which everything is read. */
const maxSteps = 64
const rowsPerRead = 256
const nextClassSql = `SELECT min(span) FROM event_stream INDEXED BY event_stream_span
  WHERE stream = ? AND trashed = 0 AND span > ?`
const rowsSql = `SELECT l.time, l.event, e.until
  FROM event_stream l INDEXED BY event_stream_span CROSS JOIN event e ON e.number = l.event
  WHERE l.stream = ? AND l.trashed = 0 AND l.span = ? AND l.time >= ? AND l.time < ? AND l.type = ?
    AND (l.time > ? OR l.event > ?)
  ORDER BY l.time, l.event LIMIT ${rowsPerRead}`

/**
 * Returns the time of the earliest event of the chain of periods that reaches `from`, directly or through
 * other periods; `from` if there is none; `-Infinity` if the chain is longer than 64 steps. Events without an
 * end are not considered.
 */
export function* findBeginning(
  reading: Reading,
  sources: ReadonlyMap<number, Source>,
  reach: Reach
): MeasureSteps<number> {
  let beginning = reach.from
  for (let step = 0; step < maxSteps; step++) {
    let first = beginning
    for (const source of sources.values())
      first = Math.min(first, yield* findFirstOfSource(reading, source, { ...reach, from: beginning }))
    if (first === beginning) return beginning
    beginning = first
  }
  return -Infinity
}

/** Returns the time of the first event of a source before `from` that reaches it; `from` if there is none. */
function* findFirstOfSource(reading: Reading, { stream, types }: Source, reach: Reach): MeasureSteps<number> {
  let first = reach.from
  const next = (after: number): number | null =>
    column(reading.store.db, nextClassSql).get(stream, after) as number | null
  // The classes are looked up in each step: those of thousands of streams would take much memory.
  for (let span = next(-1); span !== null && span < runningClass; span = next(span))
    for (const { number } of types)
      if (number !== undefined)
        first = Math.min(first, yield* findFirstReaching(reading, { stream, span }, number, reach))
  yield
  return first
}

/** Returns the time of the first event before `from` that reaches it; `from` if there is none. */
function* findFirstReaching(
  reading: Reading,
  { span, stream }: Lane,
  type: number,
  { from, gap }: Reach
): MeasureSteps<number> {
  let [time, after] = [getEarliestStart(span, from - gap), -1]
  for (;;) {
    const rows = raw(reading.store.db, rowsSql).all(stream, span, time, from, type, time, after) as Row[]
    const found = rows.find(([, , until]) => from - until < gap)
    // There may be thousands of streams with a few events each.
    yield
    if (found) return found[0]
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return from
    ;[time, after] = last
  }
}
