/** Reads the data of series in equal cells of time. */
import { listDays } from '../../core/measures/grids.js'
import { formatDate, getLocalDay } from '../../schemas/zones.js'
import type { UserCalls } from '../user-calls.js'
import { refuseUnsupported } from './query-error.js'
import type { Series } from './series-list.js'

/** The data of a cell. `mean`, `min` and `max` of readings, `sum` of what adds up; otherwise there is only a count. */
export interface Cell {
  readonly count: number
  readonly mean?: number
  readonly min?: number
  readonly max?: number
  readonly sum?: number
}

/** Equal cells of `width` seconds. Each includes its end, and not its beginning. */
export interface CellRange {
  readonly from: number
  readonly width: number
  readonly count: number
}

/** A local day with its value as mean. Unix seconds. */
export interface DayCell extends Cell {
  readonly from: number
  readonly to: number
}

type Numbers = number | readonly (number | null)[]

interface Sample {
  readonly time: number
  readonly count: number
  readonly mean?: Numbers
  readonly min?: Numbers
  readonly max?: Numbers
  readonly sum?: number
}

/** Number of cells that `measures.sample` returns at most. */
const maxParts = 4000
/** Maximum number of calls for a series. */
const maxCalls = 12
/** Maximum number of cells of a range. */
export const maxCells = maxParts * maxCalls
/** Seconds by which ranges of readings are moved, so that cells include their ends. What adds up lasts from its time on. */
const readingShift = 0.001
const daySeconds = 86_400
/** Longest range of days in seconds: less than that of `measures.days`. */
const maxDaysRange = 29 * 366 * daySeconds

export class CellReader {
  readonly #samples = new Map<string, Promise<Map<string | undefined, readonly Sample[]>>>()
  readonly #days = new Map<string, Promise<readonly { day: string; value?: unknown }[]>>()

  constructor(
    private readonly calls: UserCalls,
    /** Name of the time zone of days. */
    private readonly zone: string
  ) {}

  /**
   * Returns the cells of a series that have data, in order, each with its index. Throws a `QueryError` for
   * too many cells.
   */
  async read(series: Series, { count, from, width }: CellRange): Promise<(Cell & { readonly at: number })[]> {
    if (count > maxCells)
      refuseUnsupported(
        `The query has more than ${maxCells} steps. Use a longer step, or a longer range such as [$__interval]`
      )
    const cells: (Cell & { readonly at: number })[] = []
    const shift = series.measure.kind === 'sum' ? 0 : readingShift
    for (let done = 0; done < count; done += maxParts) {
      const parts = Math.min(maxParts, count - done)
      const fromTime = from + done * width + shift
      const samples = await this.#sample(series, { fromTime, toTime: fromTime + parts * width, parts })
      for (const sample of samples) {
        const at = Math.round((sample.time - fromTime) / width)
        if (at < parts) cells.push({ at: done + at, ...toCell(sample, series.index) })
      }
    }
    return cells
  }

  /** Reads samples once for all series of a measure. */
  async #sample(
    { measure, shape, streamId }: Series,
    range: { readonly fromTime: number; readonly toTime: number; readonly parts: number }
  ): Promise<readonly Sample[]> {
    const merge = shape === 'source' ? 'each' : 'preferred'
    const key = JSON.stringify([measure.id, merge, range])
    let reading = this.#samples.get(key)
    if (!reading) {
      reading = this.#load(measure.id, merge, range)
      this.#samples.set(key, reading)
    }
    return (await reading).get(streamId) ?? []
  }

  async #load(
    measure: string,
    merge: 'each' | 'preferred',
    range: { readonly fromTime: number; readonly toTime: number; readonly parts: number }
  ): Promise<Map<string | undefined, readonly Sample[]>> {
    const { samples = [], sources } = await this.calls.call<{
      samples?: readonly Sample[]
      sources?: readonly { readonly streamId: string; readonly samples: readonly Sample[] }[]
    }>('measures.sample', { measure, merge, zone: this.zone, ...range })
    return new Map<string | undefined, readonly Sample[]>(
      sources ? sources.map(source => [source.streamId, source.samples]) : [[undefined, samples]]
    )
  }

  /**
   * Returns the days of a series that overlap a range of times in seconds. Throws a `QueryError` for a range
   * that is too long.
   */
  async readDays({ index, measure }: Series, from: number, to: number): Promise<DayCell[]> {
    if (to - from > maxDaysRange) refuseUnsupported('The range of days can be at most 29 years')
    const [first, last] = [from, to].map(time => getLocalDay(this.zone, time).number) as [number, number]
    const key = JSON.stringify([measure.id, first, last])
    let reading = this.#days.get(key)
    if (!reading) {
      reading = this.calls
        .call<{ days: readonly { day: string; value?: unknown }[] }>('measures.days', {
          measure: measure.id,
          from: formatDate(first),
          to: formatDate(last),
          zone: this.zone
        })
        .then(({ days }) => days)
      this.#days.set(key, reading)
    }
    const days = await reading
    const { starts } = listDays(this.zone, first, last)
    return days.flatMap(({ day, value }) => {
      const number = index === undefined ? value : (value as readonly unknown[])[index]
      if (typeof number !== 'number') return []
      const at = Date.parse(day) / 1000 / daySeconds - first
      return [{ from: starts[at]!, to: starts[at + 1]!, count: 1, mean: number }]
    })
  }
}

function toCell({ count, max, mean, min, sum }: Sample, index: number | undefined): Cell {
  const pick = (numbers: Numbers | undefined): number | undefined => {
    const number = typeof numbers === 'object' ? numbers[index ?? 0] : numbers
    return number ?? undefined
  }
  const picked = { mean: pick(mean), min: pick(min), max: pick(max), sum }
  const known = Object.entries(picked).filter(([, value]) => value !== undefined)
  return { count, ...Object.fromEntries(known) }
}
