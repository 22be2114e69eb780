/** When letters are due, and which week each is about. (docs/api/letter.md#when-it-is-sent) */
import type { LetterSettings, StoredLetter } from '../../schemas/plans/letter.js'
import { getLocalDay } from '../../schemas/zones.js'
import { findClockTime, getWeekday } from '../rules/telling-times.js'

type Rhythm = Pick<LetterSettings, 'time' | 'weekday' | 'zone'> & Pick<StoredLetter, 'last'>

const weekDays = 7

/**
 * Returns when the next letter after a time is due, in seconds. No day is in two letters, even if the user
 * has chosen another weekday since the last letter. A due time that has passed moves on by a week.
 */
export function findNextLetter(rhythm: Rhythm, after: number): number {
  const { last = -Infinity, time, weekday, zone } = rhythm
  let day = Math.max(getLocalDay(zone, after).number, last + 1 + weekDays)
  while (getWeekday(day) !== weekday) day++
  const due = findClockTime(zone, day, time)
  return due > after ? due : findClockTime(zone, day + weekDays, time)
}

/** Returns the last day of the week that the letter is about which is due at a time; days count from 1 January 1970. */
export function getLetterWeek({ weekday, zone }: Rhythm, time: number): number {
  let day = getLocalDay(zone, time).number
  while (getWeekday(day) !== weekday) day--
  return day - 1
}
