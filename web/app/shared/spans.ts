/** Ranges of the time axis: a week, a month or a year that ends with a day. Times are in seconds. */
import { parseDate } from '../../../schemas/zones.js'

export const spans = ['week', 'month', 'year'] as const
export type Span = (typeof spans)[number]

export interface Range {
  readonly from: number
  /** The end of a day. */
  readonly to: number
}

const days: Readonly<Record<Span, number>> = { week: 7, month: 31, year: 365 }

/** Returns the span given by a query; a month by default. */
export function parseSpan(query: URLSearchParams): Span {
  return spans.find(each => each === query.get('span')) ?? 'month'
}

/** Returns the range that ends with the day given by a query, or today if the day is missing or not valid. */
export function parseRange(query: URLSearchParams): Range {
  const text = query.get('to') ?? ''
  const end = parseDate(text) === undefined ? new Date() : new Date(`${text}T00:00`)
  return createRange(end, days[parseSpan(query)])
}

/** Returns the query value of the previous or next range; undefined for the one that ends today or later. */
export function stepRange(range: Range, span: Span, direction: 1 | -1): string | undefined {
  const end = new Date((range.to - 1) * 1000)
  end.setDate(end.getDate() + direction * days[span])
  return end.getTime() >= Date.now() ? undefined : formatDate(end)
}

/** Returns starts of days in a range, at equal intervals, at most `most`. */
export function createDayTicks({ from, to }: Range, most: number): number[] {
  const count = Math.round((to - from) / 86_400)
  const interval = Math.max(1, Math.ceil(count / most))
  const ticks: number[] = []
  const day = new Date(from * 1000)
  for (let index = 0; index < count; index += interval) {
    const tick = new Date(day)
    tick.setDate(day.getDate() + index)
    ticks.push(tick.getTime() / 1000)
  }
  return ticks
}

/** Returns starts of months in a range, at equal intervals, at most about `most`. */
export function createMonthTicks({ from, to }: Range, most: number): number[] {
  const first = new Date(from * 1000)
  const months = Math.round((to - from) / 86_400 / 30.4)
  const interval = Math.max(1, Math.ceil(months / most))
  const ticks: number[] = []
  for (let index = 1; index <= months; index += interval) {
    const tick = new Date(first.getFullYear(), first.getMonth() + index).getTime() / 1000
    if (tick < to) ticks.push(tick)
  }
  return ticks
}

/** Returns the days of the weekends in a range. */
export function listWeekendDays({ from, to }: Range): Range[] {
  const found: Range[] = []
  const day = new Date(from * 1000)
  for (; day.getTime() / 1000 < to; day.setDate(day.getDate() + 1)) {
    if (day.getDay() !== 6 && day.getDay() !== 0) continue
    const next = new Date(day)
    next.setDate(day.getDate() + 1)
    found.push({ from: day.getTime() / 1000, to: next.getTime() / 1000 })
  }
  return found
}

function createRange(day: Date, length: number): Range {
  const end = new Date(day)
  end.setHours(0, 0, 0, 0)
  end.setDate(end.getDate() + 1)
  const start = new Date(end)
  start.setDate(start.getDate() - length)
  return { from: start.getTime() / 1000, to: end.getTime() / 1000 }
}

function formatDate(day: Date): string {
  return `${day.getFullYear()}-${padTwo(day.getMonth() + 1)}-${padTwo(day.getDate())}`
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0')
}
