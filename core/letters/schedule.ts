/** When letters are due, and which week each is about. (docs/api/letter.md#when-it-is-sent) */
import type { LetterSettings, StoredLetter } from '../../schemas/plans/letter.js'
import { getLocalDay } from '../../schemas/zones.js'
import { findClockTime, getWeekday } from '../rules/telling-times.js'
import { limitWait } from '../time.js'

type Rhythm = Pick<LetterSettings, 'time' | 'weekday' | 'zone'> & Pick<StoredLetter, 'last'>

const weekDays = 7
/** Seconds from a failed mail to each further attempt; then the letter of the week is given up. */
export const retryDelays = [300, 1800, 7200, 21_600, 43_200]

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

/**
 * Returns a letter as it is once the clock is right again; the given one if it was not ahead. A week that has not begun yet is not done, and
 * none is due later than it could be by now.
 */
export function moveBack(letter: StoredLetter, now: number): StoredLetter {
  const { attempts: _attempts, last = -Infinity, retry: _retry, ...plan } = letter
  const hasBegun = last - weekDays < getLocalDay(letter.zone, now).number
  const latest = findNextLetter(hasBegun ? letter : plan, now)
  if (hasBegun && letter.next <= latest) {
    const retry = letter.retry && limitWait(letter.retry, now, Math.max(...retryDelays))
    return retry === letter.retry ? letter : { ...letter, retry: now }
  }
  return {
    ...plan,
    ...(hasBegun && letter.last !== undefined && { last }),
    next: Math.min(letter.next, latest)
  }
}

/** Returns the last day of the week that the letter is about which is due at a time; days count from 1 January 1970. */
export function getLetterWeek({ weekday, zone }: Rhythm, time: number): number {
  let day = getLocalDay(zone, time).number
  while (getWeekday(day) !== weekday) day--
  return day - 1
}
