/** Days, weeks and months in the time zones in which the user was. (docs/spec/events.md#time-zones) Times are in seconds. */
import { getDayStart, getLocalDay, getOffset, resolveZone, type ZonePeriod } from '../../../schemas/zones.js'
import type { View } from './view.js'

const day = 86_400

/** Returns the user's time zone at a time, or `fallback`. */
export function getZoneAt(time: number, periods: readonly ZonePeriod[], fallback: string): string {
  return periods.length === 0 ? fallback : resolveZone({ time }, periods)
}

export interface Day {
  readonly from: number
  readonly to: number
  /** Days since 1 January 1970, by the calendar of the zone. */
  readonly number: number
  readonly zone: string
}

/** The user's time zones, and that of the device for times without one. */
export interface Zones {
  readonly periods: readonly ZonePeriod[]
  readonly fallback: string
}

/** Maximum cached days. */
const maxCached = 4000
const dayCache = new Map<string, Day>()

/** Returns the day that contains a time. */
export function getDayAt(time: number, { periods, fallback }: Zones): Day {
  const zone = getZoneAt(time, periods, fallback)
  // Computing the bounds of a day takes about 50 microseconds, and a year has 365.
  const key = `${zone} ${Math.floor((time + getCachedOffset(zone, time)) / day)}`
  const cached = dayCache.get(key)
  if (cached && cached.from <= time && time < cached.to) return cached
  const found = { ...getLocalDay(zone, time), zone }
  if (dayCache.size >= maxCached) dayCache.clear()
  dayCache.set(key, found)
  return found
}

/**
 * Returns the days that a view touches, whole also at its ends, split where the user changed time zones; at
 * most `maxDays`.
 */
export function listDays(view: View, zones: Zones, maxDays = 400): Day[] {
  const days: Day[] = []
  let time = view.from
  while (time < view.to && days.length < maxDays) {
    const { from, to, ...rest } = getDayAt(time, zones)
    const begin = days.length === 0 ? from : time
    // When the user changes time zones, the day ends and continues in the other zone.
    const moved = zones.periods.find(
      period => period.from > time && period.from < to && period.zone !== rest.zone
    )
    const end = moved ? moved.from : to
    days.push({ ...rest, from: begin, to: end })
    time = end
  }
  return days
}

/** Returns the weekends of a view; adjacent days are merged. */
export function listWeekends(view: View, zones: Zones): View[] {
  const weekends: { from: number; to: number }[] = []
  for (const { from, number, to } of listDays(view, zones)) {
    if (getWeekday(number) !== 6 && getWeekday(number) !== 0) continue
    const last = weekends.at(-1)
    if (last && last.to === from) last.to = to
    else weekends.push({ from, to })
  }
  return weekends
}

/** Returns the day of the week of a day, counted from 1970; 0 is Sunday. */
export function getWeekday(number: number): number {
  return (((number + 4) % 7) + 7) % 7
}

/**
 * Returns the start of a month in the user's zone at that time, in seconds. `month` counts from January 1970.
 */
export function getMonthStart(month: number, zones: Zones): number {
  const number = Math.floor(Date.UTC(1970, 0, 1) / 1000 / day + countDaysBefore(month))
  const near = number * day
  return getDayStart(getZoneAt(near, zones.periods, zones.fallback), number)
}

/** Returns the month of a day, counted from January 1970. */
export function getMonth(number: number): number {
  const date = new Date(number * day * 1000)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** Returns the hour of the day at a time, with its fraction. */
export function getHourAt(time: number, zone: string): number {
  const seconds = time + getOffset(zone, time)
  return (((seconds % day) + day) % day) / 3600
}

/** Returns the number of days from 1970 to the start of a month. */
function countDaysBefore(month: number): number {
  const date = new Date(0)
  date.setUTCFullYear(1970 + Math.floor(month / 12), month - Math.floor(month / 12) * 12, 1)
  return date.getTime() / 1000 / day
}

const offsetCache = new Map<string, number>()

/** Returns the UTC offset of the hour that contains a time. Cached, because it is needed repeatedly while the user drags. */
function getCachedOffset(zone: string, time: number): number {
  const hour = Math.floor(time / 3600)
  const key = `${zone} ${hour}`
  const cached = offsetCache.get(key)
  if (cached !== undefined) return cached
  if (offsetCache.size >= maxCached) offsetCache.clear()
  const offset = getOffset(zone, hour * 3600)
  offsetCache.set(key, offset)
  return offset
}
