/** The value of a measure on each day, by the aggregation of its kind. (docs/api/measure-methods.md#days) */
import type { ContentsQuery, MeasuredContent } from '../../storage/measures/contents-run.js'
import { convertUnit } from '../../schemas/units.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { DayWords } from './day-words.js'
import { createDayGrid, createSlotGrid, LargeGrid, type DayRange } from './grids.js'
import { KnownMeasures, type MeasureForm } from './known-measures.js'
import { addCounts, listFigures, mergeLevels, toFinite, type MergedLevel } from './merge-levels.js'
import { mergeSums } from './merge-sums.js'
import { orderSources } from './order-sources.js'
import { Pauses } from './pauses.js'
import { addPeriods, PeriodLists, type Period } from './periods.js'
import { readOwn } from './read-own.js'
import type { Items, StartedRun } from './run-listing.js'
import { createMeasureScope, listMeasuredTypes } from './scope.js'
import { startValues } from './values.js'

/** A day, by its index in the range. */
export interface DayValue {
  readonly day: number
  readonly value: unknown
  readonly min?: unknown
  readonly max?: unknown
  /** Number of events and points. */
  readonly count: number
  /** Id of the stream of the first source that it comes from. */
  readonly source: string
  /** Of periods: the longest that ends on this day, in seconds. */
  readonly longest?: { readonly from: number; readonly to: number }
}

interface DaysRequest {
  readonly measure: MeasureForm
  readonly streams: unknown
  /** As in `ValuesRequest`. */
  readonly unit: string | undefined
  readonly days: DayRange
  readonly format: (day: DayValue) => string
}

/** Periods of sleep with less than this between them, in seconds, are one night. */
const nightGap = 7200
/** Values of about 150 bytes for which a source takes memory, besides what it contains. */
const valuesPerSource = 2

/**
 * Starts reading the values of days, without days that have none: sums are added up, periods by the day on
 * which they end, of words the most frequent counts, of levels the mean. Places and texts are counted.
 */
export function startDays(call: Call, request: DaysRequest): StartedRun<unknown> {
  const { kind } = request.measure
  if (kind === 'sum') return startSums(call, request)
  if (kind === 'span') return startPeriods(call, request)
  if (kind === 'category') return startWords(call, request)
  return startLevels(call, request)
}

function startSums(call: Call, { days, format, measure, streams, unit }: DaysRequest): StartedRun<unknown> {
  const grid = new LargeGrid(...getRange(days), () => createSlotGrid(days))
  return startValues(call, { measure, streams, grid, unit }, function* (sources) {
    const merged = yield* mergeSums(sources, grid.get())
    yield* listDayValues(merged, format, ([day, { count, streamId, sum }]) => ({
      day,
      value: toFinite(sum),
      count,
      source: streamId
    }))
  })
}

/** Starts reading the mean, minimum and maximum of each day; only counts for measures without numbers. */
function startLevels(call: Call, { days, format, measure, streams, unit }: DaysRequest): StartedRun<unknown> {
  const { kind } = measure
  const request = { measure, streams, grid: createDayGrid(days), unit }
  const toDay = ([day, level]: [number, MergedLevel]): DayValue => {
    const { count, numbers, streamId: source } = level
    if (!numbers) return { day, value: count, count, source }
    const { max, mean, min } = listFigures(numbers, kind === 'pair')
    return { day, value: mean, min, max, count, source }
  }
  return startValues(call, request, function* (sources) {
    const hasLevels = kind === 'level' || kind === 'pair'
    const merged = yield* hasLevels ? mergeLevels(sources) : addCounts(sources)
    yield* listDayValues(merged, format, toDay)
  })
}

/** Lists the values of days in order. */
function* listDayValues<T>(
  byDay: ReadonlyMap<number, T>,
  format: DaysRequest['format'],
  toDay: (entry: [day: number, T]) => DayValue
): Items {
  for (const entry of [...byDay].toSorted(([a], [b]) => a - b))
    yield { key: entry[0], text: format(toDay(entry)) }
}

/**
 * Starts reading days of words: the most frequent word of each day, the latest of equally frequent ones, from the
 * first source that has any.
 */
function startWords(call: Call, { days, format, measure, streams }: DaysRequest): StartedRun<unknown> {
  const grid = createDayGrid(days)
  const findDay = createDayFinder(days)
  const bySource = new Map<number, Map<number, DayWords>>()
  let held = 0
  return startContents(
    call,
    { measure, streams, from: grid.starts[0]!, end: grid.end },
    {
      take({ content, source, time, type }) {
        const day = findDay(time)
        if (day === undefined) return
        const word = pickWord(content, type.fields[0])
        if (word === undefined) return
        let byDay = bySource.get(source)
        if (!byDay) {
          bySource.set(source, (byDay = new Map()))
          held += valuesPerSource
        }
        let words = byDay.get(day)
        if (!words) {
          byDay.set(day, (words = new DayWords()))
          held += DayWords.held
        }
        held += words.add(word, time)
      },
      countHeld: () => held,
      *finish(order) {
        const merged = new Map<number, DayValue>()
        const sources = [...bySource].map(([stream, byDay]) => ({ stream, byDay }))
        const pauses = new Pauses()
        for (const { byDay, streamId } of yield* order(sources))
          for (const [day, words] of byDay) {
            if (!merged.has(day)) {
              const { count, mostFrequent } = words
              merged.set(day, { day, value: JSON.parse(mostFrequent!), count, source: streamId })
            }
            if (pauses.isDue(1)) yield
          }
        yield* listDayValues(merged, format, ([, day]) => day)
      }
    }
  )
}

/** Maximum length of a word, in characters: longer texts are not kept. */
const maxWordLength = 255

/** Returns the JSON of the word in a content; of an object its first text if no field is named. */
function pickWord(content: string | undefined, field: string | undefined): string | undefined {
  if (content === undefined) return undefined
  const value: unknown = JSON.parse(content)
  const isObject = typeof value === 'object' && value !== null
  const found = !isObject
    ? value
    : field === undefined
      ? Object.values(value).find(each => typeof each === 'string')
      : field.split('.').reduce(readOwn, value)
  if (found === undefined || typeof found === 'object') return undefined
  if (typeof found === 'string' && found.length > maxWordLength) return undefined
  return JSON.stringify(found)
}

/** Starts reading days of periods such as nights: their total length, on the day on which each ends. */
function startPeriods(call: Call, { days, format, measure, streams }: DaysRequest): StartedRun<unknown> {
  const [from, end] = getRange(days)
  const gap = measure.category === 'sleep' ? nightGap : 0
  const bySource = new Map<number, PeriodLists>()
  let held = 0
  return startContents(
    call,
    { measure, streams, from, end, gap },
    {
      take(content) {
        const period = toPeriod(content)
        if (!period) return
        let found = bySource.get(content.source)
        if (!found) {
          bySource.set(content.source, (found = new PeriodLists(gap)))
          held += valuesPerSource
        }
        held += found.add(period)
      },
      countHeld: () => held,
      *finish(order) {
        const sources = []
        const pauses = new Pauses()
        for (const [stream, periods] of bySource) {
          if (pauses.isDue(1)) yield
          sources.push({ stream, groups: yield* periods.group(pauses) })
          // Groups take their place in memory.
          bySource.delete(stream)
        }
        const merged = yield* addPeriods(yield* order(sources), createDayFinder(days, 'end'))
        yield* listDayValues(merged, format, ([day, { count, longest, streamId, value }]) => ({
          day,
          value,
          count,
          source: streamId,
          longest
        }))
      }
    }
  )
}

const statesByAnalysis: ReadonlyMap<unknown, Period['state']> = new Map([
  ['inBed', 'bed'],
  ['awake', 'awake']
])

/**
 * Returns the period of an event; `undefined` if it has no end. A duration that is a number begins at the
 * event's time. An event in progress has none.
 */
function toPeriod({ content, time, type, until }: MeasuredContent): Omit<Period, 'count'> | undefined {
  const value: unknown = content === undefined ? undefined : JSON.parse(content)
  if (until === undefined) {
    const seconds = typeof value === 'number' ? convertUnit(value, type.name, 'time/s') : undefined
    return seconds !== undefined && seconds > 0
      ? { from: time, to: time + seconds, state: 'full' }
      : undefined
  }
  if (until === Infinity || until <= time) return undefined
  const state = statesByAnalysis.get(readOwn(value, 'analysis')) ?? 'full'
  return { from: time, to: until, state }
}

interface ContentsRequest {
  readonly measure: MeasureForm
  readonly streams: unknown
  readonly from: number
  readonly end: number
  readonly gap?: number
}

type Order = <T extends { readonly stream: number }>(
  sources: readonly T[]
) => Steps<readonly (T & { readonly streamId: string })[]>

/** Starts reading contents: `take` gets each, `finish` lists the result and can order sources by preference. */
function startContents(
  call: Call,
  { measure, streams, ...range }: ContentsRequest,
  {
    finish,
    ...taken
  }: Pick<ContentsQuery, 'countHeld' | 'take'> & { readonly finish: (order: Order) => Items }
): StartedRun<ReadonlyMap<number, number>> {
  const scope = createMeasureScope(call, new KnownMeasures(call), streams)
  const types = listMeasuredTypes(call, measure, undefined)
  return {
    run: call.store.measures.createContents({ scope, measure: measure.id, types, ...range, ...taken }),
    finish: (getReader, counts) =>
      finish(sources =>
        orderSources(
          getReader,
          scope,
          measure.id,
          sources.map(source => ({ ...source, count: counts.get(source.stream) ?? 0 }))
        )
      )
  }
}

/** Returns the times of the first and the end of the last day, in seconds. */
function getRange({ starts }: DayRange): [from: number, end: number] {
  return [starts[0]!, starts.at(-1)!]
}

/** Returns a function that finds the index of the day in which a time lies; with `end`, a period that ends at it. */
function createDayFinder(
  { starts }: DayRange,
  edge: 'end' | 'start' = 'start'
): (time: number) => number | undefined {
  const isBefore = edge === 'end' ? (a: number, b: number) => a < b : (a: number, b: number) => a <= b
  return time => {
    if (!isBefore(starts[0]!, time) || isBefore(starts.at(-1)!, time)) return undefined
    let [low, high] = [0, starts.length - 2]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (isBefore(starts[middle]!, time)) low = middle
      else high = middle - 1
    }
    return low
  }
}
