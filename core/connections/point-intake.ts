/** Stores received records as data points of series. */
import { PointRows } from '../../imports/pipeline/point-rows.js'
import { getSeriesStart } from '../../imports/pipeline/record-ids.js'
import type { TouchedRange } from '../../storage/connections/received-repository.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { Row } from '../../storage/series/rows.js'
import type { Steps } from '../../storage/steps.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { getStreamIds } from '../events/event-permissions.js'
import { comparePoints, getTimeRange, type DraftRows } from '../imports/compare-points.js'
import { planColumns } from '../series/column-plan.js'
import { roundToMicroseconds } from '../time.js'
import { restoreStream } from './ensure-streams.js'
import type { IntakeContext, ReceivedLane, ReceivedRecord } from './intake-context.js'
import { getStreamPath } from './record-ids.js'

/** Maximum number of chunks that are read at a time: points that arrive one by one have small chunks. */
const maxChunks = 128

/** Points of one lane and year, or of one track. */
interface SeriesRows {
  readonly seriesId: string
  /** A record of the series: all have its type and streams. */
  readonly record: ReceivedRecord
  /** Seconds; used if the series does not exist yet. */
  readonly origin: number
  /** Several different points may share a time. */
  readonly rows: PointRows
  /** Points with an identity, of which there is one for each time: later values replace it. */
  readonly replacing: Map<number, ReceivedRecord>
}

/**
 * Collects received records, and stores them as data points of series: one for each lane and year, or for each
 * track.
 */
export class PointIntake {
  readonly #series = new Map<string, SeriesRows>()

  constructor(private readonly context: IntakeContext) {}

  /**
   * Adds a record whose content is a number, or an object of numbers. A record whose shape differs from that
   * of its series is counted as refused.
   */
  add({ key }: ReceivedLane, record: ReceivedRecord): void {
    const { format, ids, refuse } = this.context
    const { content, duration, identity, replaces, time, track } = record
    const ownYear = new Date(time * 1000).getUTCFullYear()
    const year = track === undefined ? ownYear : 0
    const name = `${key}\n${year}`
    let series = this.#series.get(name)
    if (!series) {
      const seriesId = ids.getSeriesId(format.id, key, year)
      const origin = getSeriesStart(ownYear)
      series = { seriesId, record, origin, rows: new PointRows(), replacing: new Map() }
      this.#series.set(name, series)
    }
    if (!series.rows.fits(content)) refuse(record.kind)
    else if (identity === undefined && !replaces) series.rows.add(time, content, duration)
    else series.replacing.set(time, record)
  }

  /**
   * Stores all points, without those that users have changed or removed. Those that cannot be stored are
   * counted as refused. Creates series that do not exist, and restores the streams of the others from the
   * trash.
   */
  *store(): Steps<void> {
    for (const series of this.#series.values()) {
      if (!this.context.call.services.eventTypes.isKnown(series.record.type)) {
        this.context.refuse(series.record.kind, series.rows.size + series.replacing.size)
        continue
      }
      // Others of the same time are stored beside those that replace.
      if (series.replacing.size > 0) {
        const rows = new PointRows()
        for (const { content, duration, time } of series.replacing.values()) rows.add(time, content, duration)
        yield* this.#write(series, rows, true)
      }
      if (series.rows.size > 0) yield* this.#write(series, series.rows, false)
    }
  }

  *#write(series: SeriesRows, rows: PointRows, isReplacing: boolean): Steps<void> {
    const { cells } = rows.getSorted()
    yield* this.#writeRows(series, { columns: rows.columns, cells, origin: series.origin }, isReplacing)
  }

  /**
   * Writes the rows that are new, or have new values where `isReplacing`; halves them first if too much is stored in
   * their range. Rows that the user has touched, that do not fit, or that lie too early are omitted; the last two are
   * counted as refused.
   */
  *#writeRows(series: SeriesRows, draft: DraftRows, isReplacing: boolean): Steps<void> {
    yield
    const { call, refuse } = this.context
    const { caller, now, services, store } = call
    const { kind, track, type } = series.record
    const known = store.series.findHolder(series.seriesId)
    const rows = { ...draft, origin: known?.time ?? this.#findOrigin(series) }
    const span = getTimeRange(rows)
    const stored = known ? store.series.readWithin(known.number, span.from, span.to, maxChunks) : []
    if (!stored) {
      for (const half of halveRows(draft)) yield* this.#writeRows(series, half, isReplacing)
      return
    }
    if (known)
      rows.cells = omitTouched(rows, stored, store.received.listTouched(known.number, span.from, span.to))
    if (rows.cells.length === 0) return
    const layout = (known && store.series.getColumns(known.number)) ?? []
    const plan = planColumns(services.eventTypes, `series:${type}`)
    const { early, fresh, unfit } = comparePoints(rows, plan, isReplacing ? [] : stored, layout)
    if (unfit > 0) refuse(kind, unfit)
    // Series of years begin late only if the user has deleted what was before.
    if (early > 0 && track !== undefined) refuse(kind, early)
    const changed = isReplacing ? omitStored(fresh, stored, rows.columns, layout) : fresh
    if (changed.length === 0) return
    if (known) yield* this.#restoreStreams(known)
    const { number } = known ?? (yield* this.#createHolder(series, rows.origin))
    store.received.addSeries(series.seriesId)
    const points = omitEmptyColumns(rows.columns, changed)
    yield* store.series.add(number, points, { writer: caller.signature, written: now })
  }

  /**
   * Returns the start of a series that does not exist. If the user has deleted it, but not its stream, the new one starts where it was
   * deleted: what it held does not come back.
   */
  #findOrigin({ origin, record, seriesId }: SeriesRows): number {
    const { call, format, ids } = this.context
    const deletion = call.store.history.findDeletion(seriesId)
    const isStreamKept = call.store.streams.find(getStreamPath(ids, format, record).at(-1)!.id) !== undefined
    return deletion?.deleted !== undefined && isStreamKept
      ? Math.max(origin, Math.floor(deletion.deleted))
      : origin
  }

  /** Restores the streams of a series from the trash. A series that is in the trash itself stays there, and grows there. */
  *#restoreStreams({ isTrashed, streams }: Holder): Steps<void> {
    const { call } = this.context
    if (isTrashed) return
    for (const id of getStreamIds(call.store, streams)) {
      const node = call.store.streams.find(id)
      if (node) yield* restoreStream(call, node)
    }
  }

  *#createHolder({ record, seriesId }: SeriesRows, time: number): Steps<Holder> {
    const { call, methods, provideStream } = this.context
    const streamIds = [yield* provideStream(record)]
    if (call.store.history.findDeletion(seriesId)) call.store.history.removeDeletion(seriesId)
    const type = `series:${record.type}`
    runUninterrupted(methods.createEvent, { ...call, files: [] }, { id: seriesId, streamIds, type, time })
    return call.store.series.findHolder(seriesId)!
  }
}

/**
 * Returns the cells of rows that users have not changed: without those in ranges that they have removed, and without those to which
 * they have given another value.
 */
function omitTouched(
  { cells, columns, origin }: DraftRows,
  stored: readonly Row[],
  touched: readonly TouchedRange[]
): Float64Array {
  if (touched.length === 0) return cells
  const width = columns.length + 1
  const storedTimes = new Set(stored.map(([time]) => time))
  const kept: number[] = []
  for (let at = 0; at < cells.length; at += width) {
    const time = roundToMicroseconds(cells[at]! - origin)
    const isKept = touched.some(
      ({ first, isRemoved, last }) =>
        time >= first && time <= last && (isRemoved === 1 || storedTimes.has(time))
    )
    if (!isKept) for (let cell = at; cell < at + width; cell++) kept.push(cells[cell]!)
  }
  return Float64Array.from(kept)
}

/** Splits rows into two with half of them each. */
function halveRows({ cells, columns, origin }: DraftRows): DraftRows[] {
  const width = columns.length + 1
  const middle = Math.ceil(cells.length / width / 2) * width
  return [cells.subarray(0, middle), cells.subarray(middle)].map(half => ({ cells: half, columns, origin }))
}

/** Returns the rows that differ from the stored row of the same time. */
function omitStored(
  rows: readonly Row[],
  stored: readonly Row[],
  columns: readonly string[],
  layout: readonly string[]
): Row[] {
  const byTime = new Map(stored.map(row => [row[0], row]))
  const places = columns.map(name => layout.indexOf(name) + 1)
  return rows.filter(row => {
    const before = byTime.get(row[0])
    return (
      !before ||
      places.some((place, index) => row[index + 1] !== (place > 0 ? (before[place] ?? null) : null))
    )
  })
}

/** Returns points without the columns that have no value. */
function omitEmptyColumns(
  columns: readonly string[],
  rows: readonly Row[]
): { columns: readonly string[]; rows: readonly Row[] } {
  const used = columns.flatMap((_name, index) => (rows.some(row => row[index + 1] !== null) ? [index] : []))
  if (used.length === columns.length) return { columns, rows }
  return {
    columns: used.map(index => columns[index]!),
    rows: rows.map(row => [row[0], ...used.map(index => row[index + 1])] as unknown as Row)
  }
}
