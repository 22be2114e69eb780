/** Reads the data of series in equal cells of time. */
import { listDays } from '../../core/measures/grids.js'
import { Pauses } from '../../core/measures/pauses.js'
import { formatDate, getLocalDay } from '../../schemas/zones.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import type { UserCalls } from '../user-calls.js'
import { refuseUnsupported } from './query-error.js'
import { isNumeric, type Series } from './series-list.js'

/**
 * The data of a cell. Readings have `min` and `max`; events without numbers only their count, which is the sum. If only the last
 * numbers are read, there is only `last`.
 */
export interface Cell {
  readonly count: number
  readonly sum: number
  readonly min?: number
  readonly max?: number
  readonly last?: number
}

/** A cell and the end of its time, in Unix seconds. */
export interface TimedCell extends Cell {
  readonly end: number
}

/** Equal cells of `width` seconds. Each includes its end, and not its beginning. */
export interface CellRange {
  readonly from: number
  readonly width: number
  readonly count: number
}

/** A local day and its value. Unix seconds. */
export interface DayValue {
  readonly from: number
  readonly to: number
  readonly value: number
}

type Numbers = number | readonly (number | null)[]

interface Sample {
  readonly time: number
  readonly count?: number
  readonly mean?: Numbers
  readonly min?: Numbers
  readonly max?: Numbers
  readonly sum?: number
  readonly last?: Numbers
}

/** Parameters of `measures.sample`. */
interface SampleRange {
  readonly fromTime: number
  readonly toTime: number
  readonly parts: number
  readonly last: boolean
}

type Samples = ReadonlyMap<string | undefined, readonly Sample[]>

/** A day with data, counted from the first one that was asked for. */
interface DayNumbers {
  readonly at: number
  readonly numbers: Numbers
}

/** Maximum number of calls of a query, each of which the audit records. */
const maxQueryCalls = 300
/** Number of cells that `measures.sample` returns at most. */
const maxParts = 4000
/** Maximum number of calls for a range. */
const maxCalls = 12
/** Maximum number of cells and days with data that the series of a query read together: they are in memory until it has been evaluated. */
const maxRead = 500_000
/** Maximum number of cells of a range, and of one that does not fit its steps otherwise. */
export const [maxCells, maxFineCells] = [maxParts * maxCalls, maxParts * 100]
/** Seconds by which ranges of readings are moved, so that cells include their ends. What adds up lasts from its time on. */
const readingShift = 0.001
const daySeconds = 86_400
/** Longest range of sums that is read at once, in seconds: that of `measures.sample`. */
const maxSumRange = 10_958 * daySeconds
/** Longest cell of sums, and longest range of all calls together. */
const [maxSumCell, maxSumTotal] = [maxSumRange / 10, maxSumRange * 13]
/** Numbers of the days that have a date of four digits of the year: 0000-01-01 to 9999-12-31. */
const [firstDay, lastDay] = [-719_528, 2_932_896]
/** Longest range of days in seconds: less than that of `measures.days`. */
const maxDaysRange = 29 * 366 * daySeconds

export class CellReader {
  readonly #samples = new Map<string, Promise<Samples>>()
  readonly #days = new Map<string, Promise<readonly DayNumbers[]>>()
  readonly #starts = new Map<string, readonly number[]>()
  /** Ids of streams, each once: results of all calls have them, and they may be long. */
  readonly #streamIds = new Map<string, string>()
  #read = 0
  #calls = 0

  constructor(
    private readonly calls: UserCalls,
    /** Name of the time zone of days. */
    private readonly zone: string
  ) {}

  /**
   * Returns the cells of a series that have data, in order; of a range of {@link maxFineCells} at most. Cells of several years of what
   * adds up are returned in equal parts. `readsLast`: whether only the last numbers are read. Throws a `QueryError` if what adds up is
   * in too long a range, or if the query reads too many cells.
   */
  async read(series: Series, range: CellRange, readsLast: boolean): Promise<TimedCell[]> {
    const cells: TimedCell[] = []
    const isSpread = series.measure.kind === 'sum' && !readsLast
    const divisor = isSpread ? Math.ceil(range.width / maxSumCell) : 1
    const { from } = range
    const [count, width] = [range.count * divisor, range.width / divisor]
    if (isSpread && count * width > maxSumTotal) {
      const years = Math.floor(maxSumTotal / (365 * daySeconds))
      refuseUnsupported(`The steps of what adds up can cover at most ${years} years. Use a later "start"`)
    }
    // The last part includes its end, with which the next cell begins.
    const most = isSpread ? Math.min(maxParts, Math.floor(maxSumRange / width)) - 1 : maxParts
    for (let done = 0; done < count; done += most) {
      const parts = Math.min(most, count - done)
      const fromTime = from + done * width + (isSpread ? 0 : readingShift)
      const part = isSpread
        ? { parts: parts + 1, toTime: fromTime + (parts + 1) * width }
        : { parts, toTime: previousNumber(fromTime + parts * width) }
      const samples = await this.#sample(series, { fromTime, ...part, last: readsLast })
      const read = function* (): Steps<void> {
        const pauses = new Pauses()
        for (const sample of samples) {
          if (pauses.isDue(1)) yield
          const at = Math.round((sample.time - fromTime) / width)
          const cell = at < parts && toCell(sample, series)
          if (cell) cells.push({ ...cell, end: from + (done + at + 1) * width })
        }
      }
      await runInTurns(read())
    }
    return cells
  }

  /** Makes a call. Throws a `QueryError` after too many. */
  async #call<T>(method: string, params: object): Promise<T> {
    if (++this.#calls > maxQueryCalls)
      refuseUnsupported(
        `The query takes more than ${maxQueryCalls} reads. Select fewer measures, or use a longer step`
      )
    return await this.calls.call<T>(method, params)
  }

  /** Reads samples once for all series of a measure. */
  async #sample({ measure, shape, streamId }: Series, range: SampleRange): Promise<readonly Sample[]> {
    const merge = shape === 'source' ? 'each' : 'preferred'
    const key = JSON.stringify([measure.id, merge, range])
    let reading = this.#samples.get(key)
    if (!reading) {
      reading = this.#load(measure.id, merge, range)
      this.#samples.set(key, reading)
    }
    return (await reading).get(streamId) ?? []
  }

  /** Reads the samples of a measure, by stream or merged. Throws `QueryError` if the query reads too many in all. */
  async #load(measure: string, merge: 'each' | 'preferred', range: SampleRange): Promise<Samples> {
    const { samples = [], sources } = await this.#call<{
      samples?: readonly (Sample & { readonly source: string })[]
      sources?: readonly { readonly streamId: string; readonly samples: readonly Sample[] }[]
    }>('measures.sample', { measure, merge, zone: this.zone, ...range })
    const loaded = new Map<string | undefined, readonly Sample[]>(
      sources
        ? sources.map(({ streamId: id, samples: own }) => [this.#keepStreamId(id), own])
        : // Without their sources: ids of streams may be long.
          [[undefined, samples.map(({ source: _source, ...sample }) => sample)]]
    )
    for (const { length } of loaded.values()) this.#countRead(length)
    return loaded
  }

  /** Returns the text that is kept of an id of a stream. */
  #keepStreamId(id: string): string {
    const kept = this.#streamIds.get(id)
    if (kept === undefined) this.#streamIds.set(id, id)
    return kept ?? id
  }

  /** Counts what has been read. Throws a `QueryError` if it is too much. */
  #countRead(steps: number): void {
    this.#read += steps
    if (this.#read > maxRead)
      refuseUnsupported(
        `The query reads more than ${maxRead} steps or days with data, of all series. Select fewer measures, or use a longer step`
      )
  }

  /**
   * Returns the days of a series that overlap a range of times in seconds; none before year 0 or after 9999. Throws a `QueryError` for
   * a range that is too long.
   */
  async readDays({ index, measure }: Series, from: number, to: number): Promise<DayValue[]> {
    if (to - from > maxDaysRange) refuseUnsupported('The range of days can be at most 29 years')
    const first = Math.max(getLocalDay(this.zone, from).number, firstDay)
    const last = Math.min(getLocalDay(this.zone, to).number, lastDay)
    if (first > last) return []
    const key = JSON.stringify([measure.id, first, last])
    let reading = this.#days.get(key)
    if (!reading) {
      reading = this.#loadDays(measure.id, first, last)
      this.#days.set(key, reading)
    }
    const days = await reading
    const starts = this.#listStarts(first, last)
    return days.flatMap(({ at, numbers }) => {
      const value = typeof numbers === 'number' ? numbers : numbers[index ?? 0]
      return typeof value === 'number' ? [{ from: starts[at]!, to: starts[at + 1]!, value }] : []
    })
  }

  /** Reads the numbers of days, from one to another. Throws a `QueryError` if the query reads too many in all. */
  async #loadDays(measure: string, first: number, last: number): Promise<DayNumbers[]> {
    const { days } = await this.#call<{ days: readonly { day: string; value?: unknown }[] }>(
      'measures.days',
      {
        measure,
        from: formatDate(first),
        to: formatDate(last),
        zone: this.zone
      }
    )
    this.#countRead(days.length)
    // Of a day only what is used, not its source, whose id may be long.
    return days.flatMap(({ day, value }) => {
      const numbers = toNumbers(value)
      return numbers === undefined ? [] : [{ at: Date.parse(day) / 1000 / daySeconds - first, numbers }]
    })
  }

  /** Returns when each day begins, and when the last one ends. All series of a query have the same days. */
  #listStarts(first: number, last: number): readonly number[] {
    const key = `${first} ${last}`
    const starts = this.#starts.get(key) ?? listDays(this.zone, first, last).starts
    this.#starts.set(key, starts)
    return starts
  }
}

/** Returns the numbers of a day: yes or no, as of a medicine or a habit, is 1 or 0; `undefined` for words. */
function toNumbers(value: unknown): Numbers | undefined {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' || Array.isArray(value) ? value : undefined
}

/** Returns the cell of a sample; `undefined` if it has no number and its series consists of numbers. */
function toCell(sample: Sample, { index, measure }: Series): Cell | undefined {
  const last = pick(sample.last, index)
  if (last !== undefined) return { count: 1, sum: last, last }
  const count = sample.count ?? 0
  const max = pick(sample.max, index)
  const mean = pick(sample.mean, index)
  const min = pick(sample.min, index)
  if (mean !== undefined && min !== undefined && max !== undefined)
    return { count, sum: mean * count, min, max }
  if (sample.sum !== undefined) return { count, sum: sample.sum }
  return isNumeric(measure) || count === 0 ? undefined : { count, sum: count }
}

/** Returns a number, or one of a pair. */
function pick(numbers: Numbers | undefined, index = 0): number | undefined {
  return (typeof numbers === 'object' ? numbers[index] : numbers) ?? undefined
}

/** Returns a number that is less by no more than rounding errors. */
function previousNumber(number: number): number {
  return number - Math.max(Math.abs(number), Number.MIN_VALUE) * Number.EPSILON
}
