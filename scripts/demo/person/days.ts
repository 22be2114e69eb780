/** The days of the invented person: where they are, when they sleep, whether they run or have a cold. */
import { formatDate, getDayStart, getLocalDay, type ZonePeriod } from '../../../schemas/zones.js'
import { Random } from './random.js'

/** What the data is made from: the same plan, the same data. Times in seconds. */
export interface Plan {
  readonly seed: number
  /** Number of days, the last one included. */
  readonly days: number
  /** Nothing is later than this. */
  readonly until: number
}

/** A stretch of time, in seconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A run. */
export interface Run extends Span {
  readonly metres: number
}

/** A day as it is lived, from midnight to midnight where the person is: flights make days shorter or longer. */
export interface Day extends Span {
  /** Days since 1 January 1970. */
  readonly number: number
  readonly date: string
  readonly zone: string
  /** How many days before the last one. */
  readonly ago: number
  /** How much of the year is over, from 0 to 1. */
  readonly progress: number
  readonly isWeekend: boolean
  /** Whether the person is on holiday, far from home. */
  readonly isAway: boolean
  /** How ill they are, from 0 to 1. */
  readonly illness: number
  /** Whether the watch lies in a drawer. */
  readonly isUnworn: boolean
  /** The night before the day. */
  readonly night: Span
  readonly run?: Run | undefined
}

export const homeZone = 'Europe/Zurich'
export const holidayZone = 'Asia/Tokyo'

/** Days before the last one, both included, on which something else happens. */
export const coldBegins = 15
const coldEnds = 11
const [holidayBegins, holidayEnds] = [140, 129]
const [drawerBegins, drawerEnds] = [220, 207]
/** After a cold nobody runs for a few days. */
const recovery = 3
const [hour, minute] = [3600, 60]

/** All days, the first one first. */
export function daysOf(plan: Plan): Day[] {
  const last = getLocalDay(homeZone, plan.until).number
  return Array.from({ length: plan.days }, (_, index) => dayOf(plan, last, plan.days - 1 - index))
}

/** The zones that the person has been in, as the private profile set has them. */
export function zonePeriods(days: readonly Day[]): ZonePeriod[] {
  return days
    .filter((day, index) => day.zone !== days[index - 1]?.zone)
    .map(({ from, zone }) => ({ from, zone }))
}

/** When the night after a day begins. */
export function bedtime(plan: Plan, { ago, number }: Day): number {
  return nightOf(plan, number + 1, ago - 1).from
}

function dayOf(plan: Plan, last: number, ago: number): Day {
  const number = last - ago
  const zone = zoneOf(ago)
  const from = getDayStart(zone, number)
  const isAway = zone === holidayZone
  const random = new Random(plan.seed, number, 'day')
  const illness = within(ago, coldBegins, coldEnds) ? [0.6, 1, 0.9, 0.6, 0.3][coldBegins - ago]! : 0
  const progress = 1 - ago / Math.max(plan.days, 365)
  return {
    number,
    date: formatDate(number),
    zone,
    from,
    to: getDayStart(zoneOf(ago - 1), number + 1),
    ago,
    progress,
    isWeekend: isWeekend(number),
    isAway,
    illness,
    isUnworn: within(ago, drawerBegins, drawerEnds) || random.chance(0.03),
    night: nightOf(plan, number, ago),
    run: within(ago, coldBegins, coldEnds - recovery)
      ? undefined
      : runOn(number, from, progress, isAway, random)
  }
}

function nightOf({ seed }: Plan, number: number, ago: number): Span {
  const random = new Random(seed, number, 'night')
  const midnight = getDayStart(zoneOf(ago), number)
  const isFree = isWeekend(number) || zoneOf(ago) === holidayZone
  const isIll = within(ago, coldBegins, coldEnds)
  const from = midnight + random.normal(isFree ? 0.1 : -0.9, 0.4) * hour - (isIll ? 1.5 * hour : 0)
  const to =
    midnight + random.normal(isFree ? 8.1 : 6.7, isFree ? 0.6 : 0.25) * hour + (isIll ? 1.3 * hour : 0)
  return { from: Math.round(from), to: Math.round(to) }
}

/** Tuesdays and Thursdays after work, Sundays in the morning; on holiday whenever it suits. */
function runOn(
  number: number,
  midnight: number,
  progress: number,
  isAway: boolean,
  random: Random
): Run | undefined {
  const weekday = weekdayOf(number)
  const wanted = isAway ? 0.25 : [0.85, 0, 0.75, 0, 0.7, 0, 0][weekday]!
  if (!random.chance(wanted)) return undefined
  const isMorning = isAway || weekday === 0
  const from = Math.round(midnight + random.normal(isMorning ? 9.4 : 18.2, 0.25) * hour)
  const metres = Math.round(random.normal(weekday === 0 ? 9800 : 6600, 900) * (0.85 + 0.2 * progress))
  const secondsPerKilometre = random.normal(365 - 30 * progress, 9)
  return { from, to: Math.round(from + (metres / 1000) * secondsPerKilometre + minute), metres }
}

function zoneOf(ago: number): string {
  return within(ago, holidayBegins, holidayEnds) ? holidayZone : homeZone
}

function within(ago: number, begins: number, ends: number): boolean {
  return ago <= begins && ago >= ends
}

/** 0 is Sunday. */
function weekdayOf(number: number): number {
  return (number + 4) % 7
}

function isWeekend(number: number): boolean {
  return weekdayOf(number) % 6 === 0
}
