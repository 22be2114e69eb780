/** Groups sleep periods into nights, from noon to noon in local time. */
import { formatDate, getDayStart } from '../../../schemas/zones.js'
import { getDayAt, getHourAt, type Zones } from './calendar.js'
import type { NightData, SleepPeriod } from './lane-data.js'
import { overlaps, type View } from './view.js'

interface Night {
  /** Midnight, in seconds. */
  readonly time: number
  /** Seconds asleep, as the service counts them; absent if they are not known. */
  readonly total?: number
  readonly periods: readonly SleepPeriod[]
  /** Hours of day, counted beyond 24 after midnight. */
  readonly bed: number
  readonly up: number
  readonly zone: string
}

const halfDay = 43_200
const cache = new WeakMap<NightData, readonly Night[]>()

/** Returns the nights of a lane, in order of time. */
export function groupNights(data: NightData, zones: Zones): readonly Night[] {
  const cached = cache.get(data)
  if (cached) return cached
  const byNumber = new Map<string, { stretches: SleepPeriod[]; zone: string; number: number }>()
  for (const stretch of data.periods) {
    const { number, zone } = getDayAt(stretch.from + halfDay, zones)
    const key = `${number} ${zone}`
    const night = byNumber.get(key)
    if (night) night.stretches.push(stretch)
    else byNumber.set(key, { stretches: [stretch], zone, number })
  }
  const nights = Array.from(byNumber.values(), ({ number, stretches, zone }): Night => {
    const time = getDayStart(zone, number)
    const hours = (at: number): number => getNightHour(at, zone, time)
    const total = data.totals?.get(formatDate(number))
    return {
      time,
      ...(total === undefined ? {} : { total }),
      zone,
      periods: stretches,
      bed: Math.min(...stretches.map(({ from }) => hours(from))),
      up: Math.max(...stretches.map(({ to }) => hours(to)))
    }
  })
  cache.set(data, nights)
  return nights
}

/** Returns whether any part of a night is in view. */
export function isNightVisible({ periods }: Night, view: View): boolean {
  return periods.some(({ from, to }) => overlaps(from, to, view))
}

/** Returns the hour of day, counted beyond 24 after midnight: 23, 24, 25. */
export function getNightHour(time: number, zone: string, midnight: number): number {
  const hour = getHourAt(time, zone)
  return time < midnight ? hour : hour + 24 * (1 + Math.floor((time - midnight) / 86_400))
}

/** Returns the seconds asleep in a night; the time in bed if sleep was not recorded. */
export function getSleepDuration({ periods, total }: Pick<Night, 'periods' | 'total'>): number {
  if (total !== undefined) return total
  const sum = (depths: readonly string[]): number =>
    periods.reduce(
      (seconds, { stage, from, to }) => (depths.includes(stage) ? seconds + to - from : seconds),
      0
    )
  return sum(['asleep', 'deep']) || sum(['bed'])
}
