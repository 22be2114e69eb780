/** The days of the fictional person: where the person is, when they sleep, whether they run or have a cold. */
import { formatDate, getDayStart, getLocalDay, type ZonePeriod } from '../../../schemas/zones.js'
import { Random } from './random.js'

/** The input of the generator: the same plan produces the same data. */
export interface Plan {
  readonly seed: number
  /** Number of days, including the last one. */
  readonly days: number
  /** End of the data, in seconds. */
  readonly until: number
}

/** A range of time, in seconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** A run. */
export interface Run extends TimeSpan {
  readonly metres: number
}

/** A day from midnight to midnight in the local time zone. Flights make days shorter or longer. */
export interface Day extends TimeSpan {
  /** Days since 1 January 1970. */
  readonly number: number
  readonly date: string
  readonly zone: string
  /** Number of days before the last day. */
  readonly ago: number
  /** Elapsed part of the year, from 0 to 1. */
  readonly progress: number
  readonly isWeekend: boolean
  /** True if the person is on holiday abroad. */
  readonly isAway: boolean
  /** Severity of an illness, from 0 to 1. */
  readonly illness: number
  /** True if the watch is not worn. */
  readonly isUnworn: boolean
  /** The night before this day. */
  readonly night: TimeSpan
  readonly run?: Run | undefined
}

export const homeZone = 'Europe/Zurich'
const holidayZone = 'Asia/Tokyo'

/** First and last days of special periods, as days before the last day. */
export const coldBegins = 15
const coldEnds = 11
const [holidayBegins, holidayEnds] = [140, 129]
const [drawerBegins, drawerEnds] = [220, 207]
/** Days without runs after a cold. */
const recovery = 3
const [hour, minute] = [3600, 60]

/** Returns all days in order. */
export function createDays(plan: Plan): Day[] {
  const last = getLocalDay(homeZone, plan.until).number
  return Array.from({ length: plan.days }, (_, index) => createDay(plan, last, plan.days - 1 - index))
}

/** Returns the time zones that the person was in, as stored in the private profile set. */
export function getZonePeriods(days: readonly Day[]): ZonePeriod[] {
  return days
    .filter((day, index) => day.zone !== days[index - 1]?.zone)
    .map(({ from, zone }) => ({ from, zone }))
}

/** Returns when the night after a day begins, in seconds. */
export function getBedtime(plan: Plan, { ago, number }: Day): number {
  return createNight(plan, number + 1, ago - 1).from
}

/** Creates the day that lies `ago` days before the last one. `last` is its number. */
function createDay(plan: Plan, last: number, ago: number): Day {
  const number = last - ago
  const zone = getZone(ago)
  const from = getDayStart(zone, number)
  const isAway = zone === holidayZone
  const random = new Random(plan.seed, number, 'day')
  const illness = isBetween(ago, coldBegins, coldEnds) ? [0.6, 1, 0.9, 0.6, 0.3][coldBegins - ago]! : 0
  const progress = 1 - ago / Math.max(plan.days, 365)
  return {
    number,
    date: formatDate(number),
    zone,
    from,
    to: getDayStart(getZone(ago - 1), number + 1),
    ago,
    progress,
    isWeekend: isWeekend(number),
    isAway,
    illness,
    isUnworn: isBetween(ago, drawerBegins, drawerEnds) || random.chance(0.03),
    night: createNight(plan, number, ago),
    run: isBetween(ago, coldBegins, coldEnds - recovery)
      ? undefined
      : createRun(number, from, progress, isAway, random)
  }
}

function createNight({ seed }: Plan, number: number, ago: number): TimeSpan {
  const random = new Random(seed, number, 'night')
  const midnight = getDayStart(getZone(ago), number)
  const isFree = isWeekend(number) || getZone(ago) === holidayZone
  const isIll = isBetween(ago, coldBegins, coldEnds)
  const from = midnight + random.normal(isFree ? 0.1 : -0.9, 0.4) * hour - (isIll ? 1.5 * hour : 0)
  const to =
    midnight + random.normal(isFree ? 8.1 : 6.7, isFree ? 0.6 : 0.25) * hour + (isIll ? 1.3 * hour : 0)
  return { from: Math.round(from), to: Math.round(to) }
}

/** Runs take place on Tuesdays and Thursdays after work and on Sunday mornings, on holiday on any day. */
function createRun(
  number: number,
  midnight: number,
  progress: number,
  isAway: boolean,
  random: Random
): Run | undefined {
  const weekday = getWeekday(number)
  const wanted = isAway ? 0.25 : [0.85, 0, 0.75, 0, 0.7, 0, 0][weekday]!
  if (!random.chance(wanted)) return undefined
  const isMorning = isAway || weekday === 0
  const from = Math.round(midnight + random.normal(isMorning ? 9.4 : 18.2, 0.25) * hour)
  const metres = Math.round(random.normal(weekday === 0 ? 9800 : 6600, 900) * (0.85 + 0.2 * progress))
  const secondsPerKilometre = random.normal(365 - 30 * progress, 9)
  return { from, to: Math.round(from + (metres / 1000) * secondsPerKilometre + minute), metres }
}

function getZone(ago: number): string {
  return isBetween(ago, holidayBegins, holidayEnds) ? holidayZone : homeZone
}

function isBetween(ago: number, begins: number, ends: number): boolean {
  return ago <= begins && ago >= ends
}

/** Returns the weekday; 0 is Sunday. */
function getWeekday(number: number): number {
  return (number + 4) % 7
}

function isWeekend(number: number): boolean {
  return getWeekday(number) % 6 === 0
}
