/** Times and lengths of entries of a calendar. */
import { fromLocal } from '../../text/times.js'
import type { ContentLine } from './lines.js'
import { localTime, type CalendarZones } from './zones.js'

/** A time in seconds, `NaN` if it cannot be read. */
export interface CalendarTime {
  readonly time: number
  /** A day rather than a time: its beginning. */
  readonly isDay: boolean
  /** The next day's beginning; `NaN` for a time. */
  readonly nextDay: number
  /** Name of its zone, as the file has it. */
  readonly zone: string | undefined
  /** Whether it is its zone that is not known. */
  readonly lacksZone: boolean
}

const dayLength = 86_400

/** Returns the time of a line; `zone` is that of times and days that name none. */
export function calendarTime(
  { parameters, value }: ContentLine,
  zones: CalendarZones,
  zone: string | undefined
): CalendarTime {
  const id = parameters.get('TZID')
  const local = localTime(value)
  const isDay = /^\s*\d{8}\s*$/.test(value)
  const timeIn = (seconds: number): number => {
    if (/z\s*$/i.test(value)) return seconds
    if (id !== undefined && !isDay) return zones.timeIn(seconds, id)
    return zone === undefined ? seconds : fromLocal(seconds, zone)
  }
  const time = timeIn(local)
  return {
    time,
    isDay,
    nextDay: isDay ? timeIn(local + dayLength) : NaN,
    zone: id === undefined || isDay ? undefined : zones.nameOf(id),
    lacksZone: Number.isNaN(time) && !Number.isNaN(local)
  }
}

/** Returns seconds of a length such as `PT1H30M` or `P2D`; `NaN` if it is none. */
export function durationIn(text: string): number {
  const parts = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i.exec(text.trim())
  if (!parts || /[PT]$/i.test(text.trim())) return NaN
  const factors = [7 * dayLength, dayLength, 3600, 60, 1]
  const seconds = factors.reduce((sum, factor, at) => sum + factor * Number(parts[at + 2] ?? 0), 0)
  return parts[1] === '-' ? -seconds : seconds
}
