/** What a week was like by one measure. (docs/api/measure-methods.md#a-week) */
import { Type, type Static } from 'typebox'
import { isReached, type Goal } from '../../schemas/measures/goals.js'
import { getOffset } from '../../schemas/zones.js'
import type { DayValue } from './day-values.js'
import type { MeasureForm } from './known-measures.js'
import { compareWeek, describeUsual, getMedian } from './week-statistics.js'

const NumberOrPair = Type.Union([Type.Number(), Type.Array(Type.Number())])
/** Times of day, such as `23:10`. */
const Times = Type.Object({ median: Type.String(), earliest: Type.String(), latest: Type.String() })

/** A measure in a week. Numbers are in the first type of the measure, periods in seconds. */
export const MeasureWeek = Type.Object({
  measure: Type.String(),
  /** Number of days with data. */
  days: Type.Integer(),
  /** Median of the days; of words, the most frequent one. */
  value: Type.Optional(Type.Unknown()),
  /** Of what adds up: of all days. */
  total: Type.Optional(Type.Number()),
  usual: Type.Optional(
    Type.Object({ days: Type.Integer(), median: NumberOrPair, low: NumberOrPair, high: NumberOrPair })
  ),
  /** Of a pair, by its first number. */
  position: Type.Enum(['lower', 'usual', 'higher', 'unknown']),
  goal: Type.Optional(
    Type.Object({
      period: Type.Enum(['day', 'week']),
      min: Type.Optional(Type.Number()),
      max: Type.Optional(Type.Number()),
      reached: Type.Integer(),
      total: Type.Integer()
    })
  ),
  night: Type.Optional(Type.Object({ begin: Times, end: Times })),
  places: Type.Optional(
    Type.Object({
      count: Type.Integer(),
      most: Type.Object({ latitude: Type.Number(), longitude: Type.Number(), seconds: Type.Number() })
    })
  )
})
export type MeasureWeek = Static<typeof MeasureWeek>

/** The days of a week, after those with which it is compared. */
export interface WeekDays {
  readonly zone: string
  /** Number of the first day of the range, counted from 1 January 1970. */
  readonly first: number
  /** Index of the first day of the week in the range. */
  readonly start: number
}

/** Number of days in a week, and of those with which it is compared. */
export const weekDays = 7
export const usualDays = 28

const daySeconds = 86_400

/** Summarises a measure. `values` are those of the whole range, by index of the day. Returns `undefined` without values. */
export function summariseWeek(
  measure: MeasureForm,
  values: ReadonlyMap<number, DayValue>,
  week: WeekDays,
  goal?: Goal
): MeasureWeek | undefined {
  if (values.size === 0) return undefined
  const all = [...values.values()]
  const [former, days] = [
    all.filter(({ day }) => day < week.start),
    all.filter(({ day }) => day >= week.start)
  ]
  const head = { measure: measure.id, days: days.length }
  const { kind } = measure
  if (kind === 'category')
    return { ...head, ...(days.length > 0 && { value: findMostFrequent(days) }), position: 'unknown' }
  if (kind === 'text' || kind === 'place')
    return { ...head, total: sumNumbers(listNumbers(days, 0)), position: 'unknown' }
  const [numbers, formerNumbers] = [listNumbers(days, 0), listNumbers(former, 0)]
  const usual = describeUsual(formerNumbers)
  const median = getMedian(numbers)
  const position = compareWeek(numbers, usual)
  if (kind === 'pair') return { ...head, ...summarisePair(days, former), position }
  const isTotal = kind === 'sum' || kind === 'span'
  const total = sumNumbers(numbers)
  const progress = goal && countReached(goal, days, week, isTotal)
  const night = measure.id === 'sleep' ? describeNights(days, week) : undefined
  return {
    ...head,
    ...(median !== undefined && { value: median }),
    ...(isTotal && Number.isFinite(total) && { total }),
    ...(usual && { usual }),
    position,
    ...(progress && { goal: progress }),
    ...(night && { night })
  }
}

/** Lists the numbers of days; of pairs, those at an index. */
function listNumbers(days: readonly DayValue[], index: number): number[] {
  return days
    .map(({ value }): unknown => (Array.isArray(value) ? value[index] : index === 0 ? value : undefined))
    .filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
}

function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Returns the value of most days; of equally frequent ones, that of the later day. */
function findMostFrequent(days: readonly DayValue[]): unknown {
  const counts = new Map<unknown, number>()
  let best: unknown
  for (const { value } of days) {
    const count = (counts.get(value) ?? 0) + 1
    counts.set(value, count)
    if (count >= (counts.get(best) ?? 0)) best = value
  }
  return best
}

/** Summarises both numbers of a pair; without those that have no data. */
function summarisePair(
  days: readonly DayValue[],
  former: readonly DayValue[]
): Pick<MeasureWeek, 'usual' | 'value'> {
  const value = [0, 1].map(index => getMedian(listNumbers(days, index)))
  const [first, second] = [0, 1].map(index => describeUsual(listNumbers(former, index)))
  return {
    ...(value.every(each => each !== undefined) && { value }),
    ...(first &&
      second && {
        usual: {
          days: first.days,
          median: [first.median, second.median],
          low: [first.low, second.low],
          high: [first.high, second.high]
        }
      })
  }
}

/**
 * Counts the days of the week on which a goal has been reached, of those for which it is set; for a goal of a
 * week, 1 or 0 of 1.
 */
function countReached(
  goal: Goal,
  days: readonly DayValue[],
  { first, start }: WeekDays,
  isTotal: boolean
): MeasureWeek['goal'] {
  const { max, min, period, weekdays } = goal
  const head = { period, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
  const numbers = listNumbers(days, 0)
  if (period === 'week') {
    const value = numbers.length === 0 ? undefined : sumNumbers(numbers) / (isTotal ? 1 : numbers.length)
    return { ...head, reached: isReached(goal, value) ? 1 : 0, total: 1 }
  }
  const applies = (day: number): boolean => weekdays?.includes(getIsoWeekday(first + day)) ?? true
  const reached = days.filter(
    ({ day, value }) => applies(day) && typeof value === 'number' && isReached(goal, value)
  )
  const total = Array.from({ length: weekDays }, (_, index) => start + index).filter(applies).length
  return { ...head, reached: reached.length, total }
}

/** Returns the day of the week, from 1 (Monday) to 7. */
function getIsoWeekday(number: number): number {
  return ((((number + 3) % 7) + 7) % 7) + 1
}

/** Returns when the nights began and ended, by the clock; `undefined` without nights. */
function describeNights(days: readonly DayValue[], { first, zone }: WeekDays): MeasureWeek['night'] {
  // Seconds since the midnight before the night ended, as clocks show them.
  const begins: number[] = []
  const ends: number[] = []
  for (const { day, longest } of days) {
    if (!longest) continue
    const midnight = (first + day) * daySeconds
    begins.push(longest.from + getOffset(zone, longest.from) - midnight)
    ends.push(longest.to + getOffset(zone, longest.to) - midnight)
  }
  return begins.length === 0 ? undefined : { begin: describeTimes(begins), end: describeTimes(ends) }
}

function describeTimes(times: readonly number[]): Static<typeof Times> {
  return {
    median: formatTimeOfDay(getMedian(times)!),
    earliest: formatTimeOfDay(Math.min(...times)),
    latest: formatTimeOfDay(Math.max(...times))
  }
}

function formatTimeOfDay(seconds: number): string {
  const within = ((seconds % daySeconds) + daySeconds) % daySeconds
  const minutes = Math.floor(within / 60)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}
