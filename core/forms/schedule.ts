/**
 * When reminders are due: by the clock in a time zone, so at the same local time in summer and winter. A time that does not exist on a
 * day, because clocks are set forward, is replaced by the next instant of that day; one that exists twice is due once, at the first.
 * (docs/api/reminders.md#schedules)
 */
import { Cron } from 'croner'
import type { Schedule } from '../../schemas/plans/reminder.js'
import { getDayStart, getLocalDay, getOffset, parseDate } from '../../schemas/zones.js'
import { refuseParams } from '../validation/params.js'

/** A schedule with the time zone in which it applies. */
export interface ZonedSchedule {
  readonly schedule: Schedule
  readonly zone: string
}

const daySeconds = 86_400
/** Maximum number of days that are searched: some days do not exist in a zone. */
const maxDays = 20
/** Maximum number of cached days, instants and patterns: computing one takes a fraction of a millisecond. */
const maxCached = 10_000
const instants = new Map<string, number | undefined>()
const plainDays = new Map<string, number | undefined>()
const patterns = new Map<string, Cron>()

/**
 * Returns the schedule with its times and days in order, each once. Throws `invalid-parameters-format` for dates that do not exist, and
 * contradictions.
 */
export function readSchedule(given: Schedule, path = '#/schedule'): Schedule {
  const { days, everyDays, from, startsOn, times, until } = given
  const refuse = (field: string, message: string): never =>
    refuseParams([{ code: 'INVALID', message, path: `${path}/${field}` }])
  for (const field of ['startsOn', 'from', 'until'] as const) {
    const date = given[field]
    if (date !== undefined && parseDate(date) === undefined)
      refuse(field, 'must be a date such as 2026-03-29')
  }
  if (days && everyDays !== undefined) refuse('everyDays', 'must not be given together with days')
  if (everyDays !== undefined && startsOn === undefined) refuse('startsOn', 'must be given with everyDays')
  if (startsOn !== undefined && everyDays === undefined)
    refuse('startsOn', 'must be given with everyDays only')
  if (from !== undefined && until !== undefined && until < from) refuse('until', 'must not be before from')
  return {
    times: [...new Set(times)].toSorted(),
    ...(days && { days: [...new Set(days)].toSorted((a, b) => a - b) }),
    ...(everyDays !== undefined && { everyDays }),
    ...(startsOn !== undefined && { startsOn }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until })
  }
}

/** Returns the first time after a time at which a schedule is due, in seconds; `undefined` if there is none. */
export function findNextDue(zoned: ZonedSchedule, after: number): number | undefined {
  for (const due of iterateDueTimes(zoned, after)) return due
  return undefined
}

/** Lists the times at which a schedule is due after `after` and until `until` (included), at most `limit`. */
export function listDueTimes(
  zoned: ZonedSchedule,
  { after, limit, until }: { readonly after: number; readonly until: number; readonly limit: number }
): number[] {
  const found: number[] = []
  for (const due of iterateDueTimes(zoned, after)) {
    if (due > until || found.length === limit) break
    found.push(due)
  }
  return found
}

/** Iterates over the times after a time at which a schedule is due, ascending, until there is none for many days. */
function* iterateDueTimes({ schedule, zone }: ZonedSchedule, after: number): Generator<number> {
  let day: number | undefined = getLocalDay(zone, after).number
  for (let count = 0; count < maxDays; count++) {
    day = findDay(schedule, day)
    if (day === undefined) return
    for (const due of listInstants(schedule, zone, day))
      if (due > after) {
        count = 0
        yield due
      }
    day++
  }
}

/** Returns the number of a day that exists, such as `2026-03-29`: days since 1970. */
export function toDayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000 / daySeconds
}

/** Returns the first day of a schedule that is not before a day; `undefined` if there is none. */
function findDay({ days, everyDays, from, startsOn, until }: Schedule, earliest: number): number | undefined {
  let day = Math.max(earliest, from === undefined ? -Infinity : toDayNumber(from))
  if (everyDays !== undefined && startsOn !== undefined) {
    const start = toDayNumber(startsOn)
    day = start + Math.max(0, Math.ceil((day - start) / everyDays)) * everyDays
  }
  // Day 0 was a Thursday.
  if (days) {
    const first = day
    while (day < first + 7 && !days.includes(((((day + 3) % 7) + 7) % 7) + 1)) day++
  }
  return until !== undefined && day > toDayNumber(until) ? undefined : day
}

/** Lists the instants of a day in order, each once. */
function listInstants({ times }: Schedule, zone: string, day: number): number[] {
  const plain = getPlainDay(zone, day)
  const found = times
    .map(time => (plain === undefined ? findInstant(zone, day, time) : plain + toSeconds(time)))
    .filter(due => due !== undefined)
  return [...new Set(found)].toSorted((a, b) => a - b)
}

/** Returns when a day begins whose clocks are not changed, as on most days; `undefined` for others. */
function getPlainDay(zone: string, day: number): number | undefined {
  const key = `${zone} ${day}`
  if (plainDays.has(key)) return plainDays.get(key)
  const start = getDayStart(zone, day)
  const isPlain =
    getDayStart(zone, day + 1) - start === daySeconds &&
    start + getOffset(zone, start) === day * daySeconds &&
    getOffset(zone, start) === getOffset(zone, start + daySeconds - 1)
  if (plainDays.size >= maxCached) plainDays.clear()
  plainDays.set(key, isPlain ? start : undefined)
  return isPlain ? start : undefined
}

/** Returns when clocks in a zone show a time on a day; `undefined` if the day does not exist there. */
function findInstant(zone: string, day: number, time: string): number | undefined {
  const key = `${zone} ${day} ${time}`
  if (instants.has(key)) return instants.get(key)
  const start = getDayStart(zone, day)
  const run = getPattern(zone, time).nextRun(new Date((start - 1) * 1000))
  const due = run ? Math.floor(run.getTime() / 1000) : Infinity
  const instant = due < getDayStart(zone, day + 1) ? due : undefined
  if (instants.size >= maxCached) instants.clear()
  instants.set(key, instant)
  return instant
}

/** Converts a time of day, as `08:30`, to seconds. */
function toSeconds(time: string): number {
  return Number(time.slice(0, 2)) * 3600 + Number(time.slice(3)) * 60
}

function getPattern(zone: string, time: string): Cron {
  const key = `${zone} ${time}`
  const known = patterns.get(key)
  if (known) return known
  const [hour, minute] = time.split(':')
  const pattern = new Cron(`0 ${Number(minute)} ${Number(hour)} * * *`, { timezone: zone })
  if (patterns.size >= maxCached) patterns.clear()
  patterns.set(key, pattern)
  return pattern
}
