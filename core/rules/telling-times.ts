/** When messages may be sent: on chosen days, outside of quiet hours. (docs/api/rules.md#when-messages-are-sent) */
import type { Rule } from '../../schemas/rule.js'
import { findOffsetChange, getLocalDay, getOffset } from '../../schemas/zones.js'

/** What of a rule decides when messages are sent. */
export type TellingTimes = Pick<Rule, 'days' | 'evenWhenQuiet' | 'quietHours' | 'urgency' | 'zone'>

const daySeconds = 86_400
/** A week of days without messages, each with quiet hours. */
const maxTurns = 20

/**
 * Returns the first time at or after `time` at which messages may be sent, in seconds. Messages of high
 * urgency may be sent in quiet hours if the rule says so.
 */
export function findAllowedTime(times: TellingTimes, time: number): number {
  const { days, evenWhenQuiet, quietHours, urgency, zone } = times
  const isQuietIgnored = evenWhenQuiet && urgency === 'high'
  let at = time
  for (let turn = 0; turn < maxTurns; turn++) {
    const day = getLocalDay(zone, at)
    if (days && !days.includes(getWeekday(day.number))) {
      at = day.to
      continue
    }
    if (!quietHours || isQuietIgnored) return at
    const end = findQuietEnd(zone, quietHours, at)
    if (end === undefined) return at
    at = end
  }
  return at
}

/** Returns the weekday of a day (its number as in `schemas/zones.ts`): 1 is Monday, 7 is Sunday. */
export function getWeekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

/** Returns when clocks show a time of day (`07:00`), in seconds; the first time after it if they skip it. */
export function findClockTime(zone: string, day: number, text: string): number {
  const shown = day * daySeconds + parseTimeOfDay(text)
  const first = shown - getOffset(zone, shown)
  const second = shown - getOffset(zone, first)
  // Where clocks are set forward, one of the two is an hour before the gap.
  return second + getOffset(zone, second) === shown ? second : Math.max(first, second)
}

/**
 * Returns when the quiet hours end in which a time lies, in seconds, or when clocks are set before that, which may end them or not;
 * `undefined` if it lies in none.
 */
function findQuietEnd(
  zone: string,
  { from, to }: NonNullable<Rule['quietHours']>,
  time: number
): number | undefined {
  const offset = getOffset(zone, time)
  const shown = time + offset
  const day = Math.floor(shown / daySeconds)
  const clock = shown - day * daySeconds
  const [start, end] = [parseTimeOfDay(from), parseTimeOfDay(to)]
  const isQuiet = start < end ? clock >= start && clock < end : clock >= start || clock < end
  if (!isQuiet) return undefined
  const found = Math.round(time + (clock < end ? end : end + daySeconds) - clock)
  return getOffset(zone, found) === offset ? found : findOffsetChange(zone, Math.floor(time), found, offset)
}

function parseTimeOfDay(text: string): number {
  return Number(text.slice(0, 2)) * 3600 + Number(text.slice(3)) * 60
}
