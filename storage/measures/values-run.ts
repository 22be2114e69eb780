/** Aggregates the numbers of a measure by the cells of a grid, source by source. */
import { SampleRun, type SampleTarget } from '../event-values/sample-run.js'
import { nextDouble } from '../event-query/position.js'
import { ChunkWalk } from '../series/chunk-walk.js'
import type { Range } from '../series/page.js'
import type { Row } from '../series/rows.js'
import { countData, type CountQuery } from './facts-run.js'
import { findCells, type MeasuredType } from './measured-type.js'
import { MeasureStreams } from './measure-streams.js'
import { AggregatedPoints } from './point-sinks.js'
import type { MeasureSteps, Reading } from './reading.js'
import { findSources, type Source, type SourceSeries } from './sources.js'
import { findCell, type TimeGrid } from './time-grid.js'
import { ValueCells } from './value-cells.js'

export interface ValuesQuery extends CountQuery {
  /** The types whose values can be given in the unit. */
  readonly types: readonly MeasuredType[]
  /** Returns the grid, the same each time: a large one takes memory only from the first step on. */
  readonly getGrid: () => TimeGrid
  /** Number of cells of a grid with arrays of its own; 0 for small ones. */
  readonly gridCells: number
  /** Number of values in a content: 2 for pairs. */
  readonly width: number
  /** True to spread numbers over the durations of their events. */
  readonly spreads: boolean
  /** True to find the last number in each cell. Points before the last ones need not be counted. */
  readonly findsLasts: boolean
}

export interface SourceValues {
  /** Number of the stream. */
  readonly stream: number
  /** For each value of a content. */
  readonly values: readonly ValueCells[]
  /** How many events and points the source has in all; 0 if no order has to be chosen. */
  readonly count: number
}

/** Returns the values of each source that has data in the grid, in no particular order. */
export function* aggregateValues(reading: Reading, query: ValuesQuery): MeasureSteps<SourceValues[]> {
  const { measure, scope, types } = query
  const grid = query.getGrid()
  // Only the values are kept.
  let held = reading.held + (query.gridCells === 0 ? grid.starts.length / startsPerValue : 0)
  reading.held = held
  const streams = new MeasureStreams(scope, reading)
  const range = { from: grid.starts[0]!, end: grid.end }
  const sources = yield* findSources(reading, streams, { measure, types, ...range })
  const found = new Map<number, readonly ValueCells[]>()
  for (const source of sources.values()) {
    const fill = new SourceFill(reading, streams, query, source)
    const { values } = fill
    let counted = 0
    const count = (): void => {
      const own = countHeld(values)
      reading.held += own - counted
      counted = own
    }
    for (const steps = fill.aggregate(); !steps.next().done; yield) count()
    if (values.every(({ cells, dailyTotals }) => cells.size + dailyTotals.size === 0)) {
      reading.held -= counted
      continue
    }
    count()
    held += counted
    found.set(source.stream, values)
  }
  const counts = yield* countData(reading, query, found.keys())
  reading.held = held
  return [...found].map(([stream, values]) => ({ stream, values, count: counts.get(stream) ?? 0 }))
}

/** Values of about 150 bytes for which a source takes memory, besides its cells. */
const valuesPerSource = 1
/** Starts of cells that take as much memory as a value. */
const startsPerValue = 18
/** Seconds by which times may be rounded. */
const margin = 1e-6

/** Returns for how many values of about 150 bytes those of a source take memory. */
function countHeld(values: readonly ValueCells[]): number {
  return values.reduce((sum, { held }) => sum + held, valuesPerSource)
}

class SourceFill {
  /** One set of cells for each field. */
  readonly values: readonly ValueCells[]

  constructor(
    private readonly reading: Reading,
    private readonly streams: MeasureStreams,
    private readonly query: ValuesQuery,
    private readonly source: Source
  ) {
    const { findsLasts, getGrid, width } = query
    const grid = getGrid()
    this.values = Array.from({ length: width }, () => new ValueCells(grid, findsLasts))
  }

  /** Aggregates all events and series of the source. */
  *aggregate(): MeasureSteps<void> {
    const { values } = this
    const { findsLasts, spreads } = this.query
    const grid = this.query.getGrid()
    const isSpread = spreads && grid.days !== undefined
    for (const type of this.source.types) {
      const targets = values.map(cells => cells.target(type.convert, isSpread))
      for (const [index, field] of type.fields.entries())
        yield* this.#sampleEvents(type, field, grid, targets[index]!)
    }
    for (const series of this.source.series) {
      const targets = values.map(cells => cells.target(series.type.convert, isSpread))
      yield* findsLasts
        ? this.#findLastPoints(series, grid, targets)
        : this.#walkSeries(series, grid, targets)
      yield
    }
  }

  /** Aggregates the values of one field of the events of a type. */
  *#sampleEvents(
    type: MeasuredType,
    field: string | undefined,
    { end, starts }: TimeGrid,
    target: SampleTarget
  ): MeasureSteps<void> {
    const { reading, source } = this
    const { findsLasts, measure } = this.query
    const query = {
      streams: undefined,
      types: new Set([type.number!]),
      trashed: [0] as const,
      from: starts[0]!,
      to: end,
      buckets: starts.length,
      field,
      edges: findsLasts ? ('last' as const) : ('none' as const)
    }
    const membership = this.streams.sampleSource({ measure, source: source.stream }, type.name)
    const run = new SampleRun(query, target, membership)
    while (!run.next(reading.store.db, reading.store.summableRanges, body => body)) yield
    yield
  }

  /** Aggregates the points of a series within the grid; does nothing if there are none. */
  *#walkSeries(
    { event, time, type }: SourceSeries,
    grid: TimeGrid,
    targets: readonly SampleTarget[]
  ): MeasureSteps<void> {
    const { series } = this.reading.store
    const columns = series.getColumns(event)
    const from = Math.max(0, grid.starts[0]! - time)
    const bounds = series.getBounds(event)
    if (!columns || !bounds) return
    const to = Math.min(grid.end - time, nextDouble(bounds.until, 'ASC'))
    if (from >= to) return
    const walk = new ChunkWalk({ event, range: { from, to }, part: 'measures' })
    const sink = new AggregatedPoints({ time, number: event }, findCells(type, columns), targets)
    while (!walk.isDone) {
      this.reading.store.series.walk(walk, sink)
      yield
    }
  }

  /** Reads a series from its end on, and of each cell only the points from the last chunk with all values. */
  *#findLastPoints(
    { event, time, type }: SourceSeries,
    grid: TimeGrid,
    targets: readonly SampleTarget[]
  ): MeasureSteps<void> {
    let rest: Range | undefined = { from: Math.max(0, grid.starts[0]! - time), to: grid.end - time }
    while (rest && rest.from < rest.to) {
      const { series } = this.reading.store
      const columns = series.getColumns(event)
      if (!columns) return
      const cells = findCells(type, columns)
      const sink = new AggregatedPoints({ time, number: event }, cells, targets)
      const page = series.previous(event, rest, { width: columns.length + 1, isFine: true })
      const rows = JSON.parse(`[${page.text}]`) as Row[]
      const found = cells.values.map(() => -1)
      for (const row of rows) {
        sink.addRow(row)
        for (const [index, value] of cells.values.entries())
          if (typeof row[value] === 'number') found[index] = findCell(grid, time + row[0])
      }
      rest = page.rest
      const earliest = rows.at(-1)
      if (rest && earliest) {
        const cell = findCell(grid, time + earliest[0])
        // The times of cells and points are rounded.
        if (found.every((at, index) => at === cell || cells.values[index]! < 0))
          rest = { from: rest.from, to: Math.min(rest.to, grid.starts[cell]! - time + margin) }
      }
      yield
    }
  }
}
