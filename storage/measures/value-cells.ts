/** Aggregates converted numbers by the cells of a grid. */
import type { BucketSummary, FoundValue } from '../event-values/time-buckets.js'
import type { Key } from '../event-query/position.js'
import type { SampleTarget } from '../event-values/sample-run.js'
import { SpreadRates } from './spread-rates.js'
import { findCell, getCellStart, measureWithin, type TimeGrid } from './time-grid.js'

export interface Cell {
  /** Number of events and points, and of those that have a number. */
  all: number
  count: number
  /** Number of those that began in an earlier cell and are spread over this one; not included in the others. */
  shares: number
  min: number
  max: number
  sum: number
}

/** Duration from which a number is the total of a day, in seconds. */
const dailyDuration = 43_200
const daySeconds = 86_400
/** Maximum number of further cells to which the shares of an event are added one by one. */
const maxDirectCells = 16

/** Converts a number to the unit of the measure. */
export type Convert = (value: number) => number

/** Values of about 150 bytes for which numbers take memory besides their cells, and for which each further map does. */
const [valuesPerNumbers, valuesPerMap] = [2, 1.5]
const none: ReadonlyMap<number, never> = new Map<number, never>()
const noDays: ReadonlySet<number> = new Set()

/** The numbers of one source by cell of the grid, counted from 0. There may be a hundred thousand sources with one number each. */
export class ValueCells {
  readonly #cells = new Map<number, Cell>()
  #dailyTotals: Map<number, Cell> | undefined
  #spills: Set<number> | undefined
  #lasts: Map<number, FoundValue> | undefined
  #rates: SpreadRates | undefined

  /** `keepsLasts`: whether `lasts` are kept. */
  constructor(
    readonly grid: TimeGrid,
    private readonly keepsLasts = false
  ) {}

  get cells(): ReadonlyMap<number, Cell> {
    return this.#cells
  }

  /** By cell in whose day they count: numbers that are totals of a day. */
  get dailyTotals(): ReadonlyMap<number, Cell> {
    return this.#dailyTotals ?? none
  }

  /** Days into which events and points are spread that began earlier. */
  get spills(): ReadonlySet<number> {
    return this.#spills ?? noDays
  }

  /** The number with the greatest time in each cell, and the event that it comes from, or whose points it is one of. */
  get lasts(): ReadonlyMap<number, FoundValue> {
    return this.#lasts ?? none
  }

  /** Number of values of about 150 bytes that are in memory. */
  get held(): number {
    let held = valuesPerNumbers + this.#cells.size
    for (const each of [this.#dailyTotals, this.#spills, this.#lasts, this.#rates])
      if (each) held += valuesPerMap + each.size
    return held
  }

  /** Returns the sums of the numbers that are spread over several cells, by cell in order. */
  *listSpread(): Generator<{ readonly cell: number; readonly sum: number }, void> {
    // In addition to `cells`: what is spread over many of them.
    for (const { cell, rate } of this.#rates?.cells() ?? []) {
      const seconds = measureWithin(this.grid, cell, -Infinity, Infinity)
      yield { cell, sum: seconds === 0 ? 0 : rate * seconds }
    }
  }

  /** Returns a view that takes numbers of one type. `spreads`: whether events are spread over their durations. */
  target(convert: Convert, spreads: boolean): SampleTarget {
    const { grid } = this
    return {
      getStart: cell => getCellStart(grid, cell),
      findBucket: time => findCell(grid, time),
      addSummary: (cell, summary) => this.#addSummary(cell, summary, convert),
      countEvent: (key, value, until) => {
        const number = value === undefined ? undefined : convert(value)
        this.#addEvent(key.time, number, until)
        if (number !== undefined) this.#addLast(findCell(grid, key.time), key, number)
      },
      ...(spreads && {
        reachesNextBucket: (time: number, duration: number) =>
          time + duration > getCellStart(grid, findCell(grid, time) + 1)
      })
    }
  }

  #addSummary(cell: number, { all, count, last, max, min, sum }: BucketSummary, convert: Convert): void {
    if (all === 0) return
    if (last) this.#addLast(cell, last, convert(last.value))
    if (count === 0) return addToCell(getCell(this.#cells, cell), all, 0, 0, 0, 0)
    // Conversions are linear.
    const total = convert(sum / count) * count
    addToCell(getCell(this.#cells, cell), all, count, convert(min), convert(max), total)
  }

  #addLast(cell: number, { number, time }: Key, value: number): void {
    if (!this.keepsLasts) return
    const known = this.#lasts?.get(cell)
    if (known && (known.time === time ? known.number > number : known.time > time)) return
    this.#lasts ??= new Map()
    this.#lasts.set(cell, { number, time, value })
  }

  /**
   * Counts an event, or a point. It is spread over the cells that it reaches if it has an end; from 12 hours
   * on, its number is the total of the day that holds its middle.
   */
  #addEvent(time: number, value: number | undefined, until: number | undefined): void {
    const { grid } = this
    const duration = (until ?? time) - time
    if (value === undefined) return addToCell(getCell(this.#cells, findCell(grid, time)), 1, 0, 0, 0, 0)
    if (duration <= 0 || duration === Infinity || until === undefined)
      return addToCell(getCell(this.#cells, findCell(grid, time)), 1, 1, value, value, value)
    if (duration >= dailyDuration) {
      const middle = time + Math.min(duration, daySeconds) / 2
      if (middle < grid.end)
        addToCell(
          getCell((this.#dailyTotals ??= new Map()), findCell(grid, middle)),
          1,
          1,
          value,
          value,
          value
        )
      return
    }
    this.#spread(time, value, until)
  }

  /** Divides a number among the cells that a period reaches. It is counted where it begins. */
  #spread(time: number, value: number, until: number): void {
    const { grid } = this
    const duration = until - time
    const first = findCell(grid, time)
    let last = findCell(grid, until)
    while (last > first && grid.starts[last]! >= until) last--
    const share = (cell: number): number => (value * measureWithin(grid, cell, time, until)) / duration
    addToCell(getCell(this.#cells, first), 1, 1, value, value, share(first))
    for (let day = grid.days![first]! + 1; day <= grid.days![last]!; day++)
      (this.#spills ??= new Set()).add(day)
    if (last - first > maxDirectCells) {
      this.#rates ??= new SpreadRates(grid.starts.length)
      this.#rates.add(first + 1, last, value / duration)
      addShare(getCell(this.#cells, last), share(last))
    } else for (let cell = first + 1; cell <= last; cell++) addShare(getCell(this.#cells, cell), share(cell))
  }
}

function addShare(cell: Cell, sum: number): void {
  cell.shares++
  cell.sum += sum
}

function getCell(cells: Map<number, Cell>, index: number): Cell {
  let cell = cells.get(index)
  if (!cell) cells.set(index, (cell = { all: 0, count: 0, shares: 0, min: Infinity, max: -Infinity, sum: 0 }))
  return cell
}

function addToCell(cell: Cell, all: number, count: number, min: number, max: number, sum: number): void {
  cell.all += all
  cell.count += count
  cell.sum += sum
  if (count === 0) return
  if (min < cell.min) cell.min = min
  if (max > cell.max) cell.max = max
}
