/** Watches the total of a day: `total`. (docs/api/rules.md#conditions) */
import type { ConditionOf, Rule, RuleProblem, RuleState } from '../../schemas/rule.js'
import { getDayStart, getLocalDay } from '../../schemas/zones.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findLast, readTotal } from './readings.js'
import { findClockTime } from './telling-times.js'
import { mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

/**
 * Returns the watcher of a total, or why there is none. Days that were missed while the service was down
 * count, but only the last one.
 */
export function watchTotal(
  call: RuleCall,
  { zone }: Rule,
  condition: ConditionOf<'total'>
): Watcher | RuleProblem {
  const measure = findConditionMeasure(call, condition)
  if (!measure) return 'unknown-measure'
  const { streamIds: streams, unit } = condition
  if (!mayReadAll(call, streams)) return 'forbidden'
  const isReadable = (): boolean => findLast(call, { measure, streams }) !== undefined
  return {
    isReadable,
    feed(episodes, { now }) {
      const { state } = episodes
      const { from, number } = getLocalDay(zone, now)
      if (state.day !== number) {
        if (state.day !== undefined) episodes.step(from, 'over', { now })
        state.day = number
      }
      const find = (day: number): number => readTotal(call, { measure, streams, unit }, { day, zone })
      if ('atLeast' in condition && hasMissed(state, zone, number, condition.by)) {
        state.checkedDay = number - 1
        const total = isReadable() ? find(number - 1) : Infinity
        const missed = findClockTime(zone, number - 1, condition.by)
        if (total < condition.atLeast) episodes.step(missed, 'met', { now, value: total })
      }
      const due = findClockTime(zone, number, condition.by)
      const isDue = 'atLeast' in condition ? now >= due && state.activeFrom <= due : now < due
      if (!isDue || state.checkedDay === number) return
      if ('atLeast' in condition) {
        state.checkedDay = number
        // What was missed on the day before ends where the next day is decided.
        if (state.isFiring) episodes.step(due, 'over', { now })
      }
      if (!isReadable()) return
      const total = find(number)
      const isMet = 'atLeast' in condition ? total < condition.atLeast : total > condition.atMost
      if (!isMet) return
      state.checkedDay = number
      episodes.step('atLeast' in condition ? due : now, 'met', { now, value: total })
    }
  }
}

/** Returns whether nothing was evaluated from the hour of the day before until now: the service was down. */
function hasMissed(
  { activeFrom, checkedDay, evaluatedTo }: RuleState,
  zone: string,
  day: number,
  by: string
): boolean {
  const due = findClockTime(zone, day - 1, by)
  return checkedDay !== day - 1 && checkedDay !== day && activeFrom <= due && evaluatedTo < due
}

/**
 * Returns when a total has to be evaluated next, in seconds; `undefined` if nothing but data can change it.
 */
export function findTotalTime(
  { condition, zone }: Rule,
  { activeFrom, checkedDay, day, isFiring }: RuleState,
  now: number
): number | undefined {
  if (condition.kind !== 'total') return undefined
  const end = isFiring && day !== undefined ? getDayStart(zone, day + 1) : undefined
  if ('atMost' in condition) return end
  const { number } = getLocalDay(zone, now)
  const due = findClockTime(zone, number, condition.by)
  const isDone = checkedDay === number || activeFrom > due
  const next = isDone ? findClockTime(zone, number + 1, condition.by) : due
  return Math.min(next, end ?? Infinity)
}
