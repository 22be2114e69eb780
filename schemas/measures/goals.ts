/** Goals: what the user wants a measure to be each day or week. They are kept in the private profile set. Used by pages as well. */

/** Key in the private profile set: goals by id of the measure. */
export const goalsKey = 'coffer:goals'

/**
 * Numbers are in the first type of the measure; durations of periods are in seconds. At least one of `min` and `max` is
 * given.
 */
export interface Goal {
  readonly period: 'day' | 'week'
  readonly min?: number
  readonly max?: number
  /** Days of the week on which a daily goal applies, from 1 (Monday) to 7. Default: all. */
  readonly weekdays?: readonly number[]
}

/** Reads the goals from the private profile set, by measure; malformed ones are ignored. */
export function parseGoals(profile: Readonly<Record<string, unknown>>): ReadonlyMap<string, Goal> {
  const stored = Object.hasOwn(profile, goalsKey) ? profile[goalsKey] : undefined
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return new Map()
  return new Map(
    Object.entries(stored).flatMap(([measure, value]) => {
      const goal = parseGoal(value)
      return goal ? [[measure, goal]] : []
    })
  )
}

/** Returns whether a value reaches a goal. A day without data reaches none, not even one of at most a number. */
export function isReached({ min = -Infinity, max = Infinity }: Goal, value: number | undefined): boolean {
  return value !== undefined && value >= min && value <= max
}

/** Returns a goal that was stored; `undefined` if it has no limit. Invalid weekdays are omitted, and all of them mean none. */
function parseGoal(value: unknown): Goal | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { min, max, period, weekdays } = value as Readonly<Record<string, unknown>>
  if (!isNumber(min) && !isNumber(max)) return undefined
  const days = Array.isArray(weekdays)
    ? weekdays.filter((each): each is number => [1, 2, 3, 4, 5, 6, 7].includes(each as number))
    : []
  return {
    period: period === 'week' ? 'week' : 'day',
    ...(isNumber(min) ? { min } : {}),
    ...(isNumber(max) ? { max } : {}),
    ...(days.length > 0 && days.length < 7 ? { weekdays: days } : {})
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
