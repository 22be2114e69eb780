/** Watches the total of a day: `total`. (docs/api/rules.md#conditions) */
import type { ConditionOf, Rule, RuleProblem, RuleState } from '../../schemas/rule.js'
import { getDayStart, getLocalDay } from '../../schemas/zones.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findLast, readTotal } from './readings.js'
import { findClockTime } from './telling-times.js'
import type { RuleCall, Watcher } from './rule-call.js'

/** Returns the watcher of a total, or why there is none. */
export function watchTotal(
  call: RuleCall,
  { zone }: Rule,
  condition: ConditionOf<'total'>
): Watcher | RuleProblem {
  const measure = findConditionMeasure(call, condition)
  if (!measure) return 'unknown-measure'
  const isReadable = (): boolean => findLast(call, measure) !== undefined
  return {
    isReadable,
    feed(episodes, { now }) {
      const { state } = episodes
      const { from, number } = getLocalDay(zone, now)
      if (state.day !== number) {
        if (state.day !== undefined) episodes.step(from, 'over', { now })
        state.day = number
      }
      const due = findClockTime(zone, number, condition.by)
      const isDue = 'atLeast' in condition ? now >= due && state.activeFrom <= due : now < due
      if (!isDue || state.checkedDay === number) return
      if ('atLeast' in condition) state.checkedDay = number
      if (!isReadable()) return
      const total = readTotal(call, { measure, unit: condition.unit }, { day: number, zone })
      const isMet = 'atLeast' in condition ? total < condition.atLeast : total > condition.atMost
      if (!isMet) return
      state.checkedDay = number
      episodes.step('atLeast' in condition ? due : now, 'met', { now, value: total })
    }
  }
}

/** Returns when a total has to be evaluated next, in seconds. */
export function findTotalTime(
  { condition, zone }: Rule,
  { activeFrom, checkedDay, day, isFiring }: RuleState,
  now: number
): number | undefined {
  if (condition.kind !== 'total') return undefined
  if (isFiring && day !== undefined) return getDayStart(zone, day + 1)
  const { number } = getLocalDay(zone, now)
  if ('atMost' in condition) return undefined
  const due = findClockTime(zone, number, condition.by)
  return checkedDay === number || activeFrom > due ? findClockTime(zone, number + 1, condition.by) : due
}
