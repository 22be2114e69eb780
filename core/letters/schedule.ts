/** When letters are due, and which week each is about. (docs/api/letter.md#when-it-is-sent) */
import type { LetterSettings, StoredLetter } from '../../schemas/plans/letter.js'
import { getDayStart, getLocalDay, getOffset } from '../../schemas/zones.js'

type Rhythm = Pick<LetterSettings, 'time' | 'weekday' | 'zone'> & Pick<StoredLetter, 'last'>

const daySeconds = 86_400
const weekDays = 7

/**
 * Returns when the next letter after a time is due, in seconds. No day is in two letters, even if the user
 * has chosen another weekday since the last letter. A due time that has passed moves on by a week.
 */
export function findNextLetter(rhythm: Rhythm, after: number): number {
  const { last = -Infinity, weekday, zone } = rhythm
  let day = Math.max(getLocalDay(zone, after).number, last + 1 + weekDays)
  while (getIsoWeekday(day) !== weekday) day++
  const due = getDueTime(rhythm, day)
  return due > after ? due : getDueTime(rhythm, day + weekDays)
}

/** Returns the last day of the week that the letter is about which is due at a time; days count from 1 January 1970. */
export function getLetterWeek({ weekday, zone }: Rhythm, time: number): number {
  let day = getLocalDay(zone, time).number
  while (getIsoWeekday(day) !== weekday) day--
  return day - 1
}

function getDueTime({ time, zone }: Rhythm, day: number): number {
  const [hours, minutes] = time.split(':').map(Number)
  const local = day * daySeconds + hours! * 3600 + minutes! * 60
  const near = local - getOffset(zone, getDayStart(zone, day) + hours! * 3600)
  // Clocks may skip the time, or show it twice: then one of both is taken.
  return local - getOffset(zone, near)
}

function getIsoWeekday(number: number): number {
  return ((((number + 3) % 7) + 7) % 7) + 1
}
