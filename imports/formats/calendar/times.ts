/** Parses times and durations of calendar entries. */
import { localToUtc } from '../../text/times.js'
import type { ContentLine } from './lines.js'
import { parseLocalTime, type CalendarZones } from './zones.js'

/** A time in seconds; `NaN` if it is unreadable. */
export interface CalendarTime {
  readonly time: number
  /** True for a date without time; `time` is its beginning. */
  readonly isDay: boolean
  /** Beginning of the next day; `NaN` for a time. */
  readonly nextDay: number
  /** Name of the time zone, as written in the file. */
  readonly zone: string | undefined
  /** True if the time is unreadable because its zone is unknown. */
  readonly lacksZone: boolean
}

const secondsPerDay = 86_400

/**
 * Parses the time of a line. `zone` applies to times and dates without a zone. `time` is `NaN` if it is
 * unreadable, or if its zone is unknown, which `lacksZone` tells.
 */
export function parseCalendarTime(
  { parameters, value }: ContentLine,
  zones: CalendarZones,
  zone: string | undefined
): CalendarTime {
  const id = parameters.get('TZID')
  const local = parseLocalTime(value)
  const isDay = /^\s*\d{8}\s*$/.test(value)
  const toTime = (seconds: number): number => {
    if (/z\s*$/i.test(value)) return seconds
    if (id !== undefined && !isDay) return zones.toUtc(seconds, id)
    return zone === undefined ? seconds : localToUtc(seconds, zone)
  }
  const time = toTime(local)
  return {
    time,
    isDay,
    nextDay: isDay ? toTime(local + secondsPerDay) : NaN,
    zone: id === undefined || isDay ? undefined : zones.findName(id),
    lacksZone: Number.isNaN(time) && !Number.isNaN(local)
  }
}

/** Parses a duration such as `PT1H30M` or `P2D` into seconds; returns `NaN` if it is invalid. */
export function parseDuration(text: string): number {
  const parts = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i.exec(text.trim())
  if (!parts || /[PT]$/i.test(text.trim())) return NaN
  const factors = [7 * secondsPerDay, secondsPerDay, 3600, 60, 1]
  const seconds = factors.reduce((sum, factor, at) => sum + factor * Number(parts[at + 2] ?? 0), 0)
  return parts[1] === '-' ? -seconds : seconds
}
