/** Groups sleep periods into nights, from noon to noon in local time. */
import { getDayStart } from '../../../schemas/zones.js'
import { dayAt, hourAt, type Zones } from './calendar.js'
import type { Nights, Stretch } from './data.js'

export interface Night {
  /** Midnight, in seconds. */
  readonly time: number
  readonly stretches: readonly Stretch[]
  /** Hours of day, counted beyond 24 after midnight. */
  readonly bed: number
  readonly up: number
  readonly zone: string
}

const halfDay = 43_200
const cache = new WeakMap<Nights, readonly Night[]>()

/** Returns the nights of a lane, in order of time. */
export function nightsOf(data: Nights, zones: Zones): readonly Night[] {
  const cached = cache.get(data)
  if (cached) return cached
  const byNumber = new Map<string, { stretches: Stretch[]; zone: string; number: number }>()
  for (const stretch of data.stretches) {
    const { number, zone } = dayAt(stretch.from + halfDay, zones)
    const key = `${number} ${zone}`
    const night = byNumber.get(key)
    if (night) night.stretches.push(stretch)
    else byNumber.set(key, { stretches: [stretch], zone, number })
  }
  const nights = Array.from(byNumber.values(), ({ number, stretches, zone }): Night => {
    const time = getDayStart(zone, number)
    const hours = (at: number): number => hourOfNight(at, zone, time)
    return {
      time,
      zone,
      stretches,
      bed: Math.min(...stretches.map(({ from }) => hours(from))),
      up: Math.max(...stretches.map(({ to }) => hours(to)))
    }
  })
  cache.set(data, nights)
  return nights
}

/** Returns the hour of day, counted beyond 24 after midnight: 23, 24, 25. */
export function hourOfNight(time: number, zone: string, midnight: number): number {
  const hour = hourAt(time, zone)
  return time < midnight ? hour : hour + 24 * (1 + Math.floor((time - midnight) / 86_400))
}

/** Returns the seconds asleep in a night; the time in bed if sleep was not recorded. */
export function asleepIn({ stretches }: Pick<Night, 'stretches'>): number {
  const sum = (depths: readonly string[]): number =>
    stretches.reduce((total, { depth, from, to }) => (depths.includes(depth) ? total + to - from : total), 0)
  return sum(['asleep', 'deep']) || sum(['bed'])
}
