/** Watches the total of a day: `total`. (docs/api/rules.md#conditions) */
import type { ConditionOf, Rule, RuleProblem, RuleState } from '../../schemas/rule.js'
import { getDayStart, getLocalDay } from '../../schemas/zones.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findLast, readTotal } from './readings.js'
import { findClockTime } from './telling-times.js'
import { asUser, mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

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
  const isReadable = (reader: RuleCall): boolean => findLast(reader, { measure, streams }) !== undefined
  return {
    isReadable: () => isReadable(call),
    feed(episodes, { now }) {
      const { state } = episodes
      const { from, number } = getLocalDay(zone, now)
      if (state.day !== number) {
        if (state.day !== undefined) episodes.step(from, 'over', { now })
        state.day = number
      }
      /** Returns the total of a day until the time of the rule, if the condition is met by it. */
      const findMet = (day: number, reader = call): number | undefined => {
        if (!isReadable(reader)) return undefined
        const end = findClockTime(zone, day, condition.by)
        const total = readTotal(reader, { measure, streams, unit, from: getDayStart(zone, day), end })
        const isMet = 'atLeast' in condition ? total < condition.atLeast : total > condition.atMost
        return isMet ? total : undefined
      }
      const decide = (day: number, time: number): void => {
        const value = findMet(day)
        if (value !== undefined) episodes.step(time, 'met', { now, value })
      }
      // Data may have been changed or removed, or has arrived late.
      const firedDay = state.firedAt === undefined ? undefined : getLocalDay(zone, state.firedAt).number
      if (state.isFiring && firedDay !== undefined && findMet(firedDay) === undefined) {
        const isHidden = !call.caller.isPersonal && findMet(firedDay, asUser(call)) !== undefined
        episodes.correct(undefined, now, { isHidden })
        if ('atMost' in condition) delete state.checkedDay
      }
      if ('atLeast' in condition && hasMissed(state, zone, number, condition.by)) {
        state.checkedDay = number - 1
        decide(number - 1, findClockTime(zone, number - 1, condition.by))
      }
      const due = findClockTime(zone, number, condition.by)
      const isDue = 'atLeast' in condition ? now >= due && state.activeFrom <= due : now < due
      if (!isDue) return
      if ('atMost' in condition) {
        if (state.checkedDay === number) return
        const value = findMet(number)
        if (value === undefined) return
        // What has exceeded it before may have been restored.
        const isSame = firedDay === number && value === state.value
        if (isSame) episodes.correct({ time: state.firedAt!, value }, now)
        else episodes.step(now, 'met', { now, value })
        if (state.isFiring) state.checkedDay = number
      } else if (state.checkedDay !== number) {
        state.checkedDay = number
        // What was missed on the day before ends where the next day is decided.
        if (state.isFiring) episodes.step(due, 'over', { now })
        decide(number, due)
      } else if (!state.isFiring) {
        const value = findMet(number)
        if (value !== undefined) episodes.correct({ time: due, value }, now)
      }
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
