/** How far goals have been reached. */
import { isReached, type Goal } from '../../../schemas/measures/goals.js'
import { getWeekday } from '../lanes/calendar.js'

/** A day with its value. `number` counts from 1 January 1970. */
export interface DayValue {
  readonly number: number
  readonly value: number
}

interface GoalProgress {
  /** The value so far: of today, or of this week. Undefined without data. */
  readonly value: number | undefined
  readonly isReached: boolean
  /** Whether the goal applies today. */
  readonly isToday: boolean
  /** Days or weeks before the current one on which it was reached, and on which it applied. */
  readonly reached: number
  readonly total: number
}

/** Days before today, or weeks before this one, that count. */
const dayCount = 28
const weekCount = 4

/**
 * Returns the first of the days whose values {@link getProgress} needs: four weeks before this one. `today` and the result count from
 * 1 January 1970.
 */
export function getFirstDay(today: number): number {
  return getMonday(today) - 7 * weekCount
}

/**
 * Returns how far a goal has been reached today or in this week, and how often it was reached before.
 * `isTotal`: whether the value of a week is the sum of its days rather than their mean.
 */
export function getProgress(
  goal: Goal,
  days: readonly DayValue[],
  today: number,
  isTotal: boolean
): GoalProgress {
  const isOnDay = (number: number): boolean => goal.weekdays?.includes(getIsoWeekday(number)) ?? true
  const getWeek = (monday: number): number | undefined => {
    const values = days
      .filter(({ number }) => number >= monday && number < monday + 7)
      .map(({ value }) => value)
    if (values.length === 0) return undefined
    const sum = values.reduce((total, value) => total + value, 0)
    return isTotal ? sum : sum / values.length
  }
  const getDay = (number: number): number | undefined => days.find(each => each.number === number)?.value
  const isWeekly = goal.period === 'week'
  const value = isWeekly ? getWeek(getMonday(today)) : getDay(today)
  const before = isWeekly
    ? Array.from({ length: weekCount }, (_, index) => getWeek(getMonday(today) - 7 * (index + 1)))
    : Array.from({ length: dayCount }, (_, index) => today - index - 1)
        .filter(isOnDay)
        .map(getDay)
  return {
    value,
    isReached: isReached(goal, value),
    isToday: isWeekly || isOnDay(today),
    reached: before.filter(each => isReached(goal, each)).length,
    total: before.length
  }
}

/** Returns the Monday of the week in which a day lies. */
function getMonday(number: number): number {
  return number - (getIsoWeekday(number) - 1)
}

function getIsoWeekday(number: number): number {
  return getWeekday(number) || 7
}
