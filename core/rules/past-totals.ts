/** Reads past totals, for the test of a rule. */
import type { ConditionOf, Rule } from '../../schemas/rule.js'
import { getLocalDay } from '../../schemas/zones.js'
import { startDays } from '../measures/day-values.js'
import type { Items, StartedRun } from '../measures/run-listing.js'
import { PastEpisodes, type PastSpan } from './past-episodes.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findClockTime } from './telling-times.js'
import type { RuleCall } from './rule-call.js'

/** A part of a day whose total is read. */
interface Part {
  readonly day: number
  readonly start: number
  /** True for the last part before the time of the rule. */
  readonly isLast: boolean
  /** True for what comes after that time. */
  readonly isAfter: boolean
}

const hourSeconds = 3600

/**
 * Starts to read totals: hour by hour for `atMost`, otherwise up to the time of the rule. `format` lists the
 * replayed episodes.
 */
export function startPastTotals(
  call: RuleCall,
  rule: Rule,
  span: PastSpan,
  format: (past: PastEpisodes) => Items
): StartedRun<unknown> {
  const condition = rule.condition as ConditionOf<'total'>
  const measure = findConditionMeasure(call, condition)!
  const { end, parts } = listParts(rule, condition, span)
  const starts = [...parts.map(({ start }) => start), end]
  const started = startDays(call, {
    measure,
    streams: condition.streamIds,
    unit: condition.unit,
    days: { starts },
    format: ({ day, value }) => JSON.stringify([day, value ?? 0])
  })
  return {
    run: started.run,
    *finish(getReader, result) {
      const totals = new Map<number, number>()
      for (const item of started.finish(getReader, result))
        if (item) totals.set(...(JSON.parse(item.text) as [number, number]))
        else yield
      yield* format(replay(rule, span, { parts, totals, end }))
    }
  }
}

/**
 * Lists the parts of the days in a span whose totals are added up, and the end of the last day, in seconds. With
 * `atMost`, parts are hours, since the limit can be exceeded at any time of the day.
 */
function listParts(
  { zone }: Rule,
  condition: ConditionOf<'total'>,
  { from, to }: PastSpan
): { readonly parts: Part[]; readonly end: number } {
  const parts: Part[] = []
  let at = from
  let end = from
  while (at < to) {
    const { from: start, number: day, to: next } = getLocalDay(zone, at)
    const by = Math.min(Math.max(findClockTime(zone, day, condition.by), start), next)
    const step = 'atMost' in condition ? hourSeconds : next - start
    for (let time = start; time < by; time += step)
      parts.push({ day, start: time, isLast: time + step >= by, isAfter: false })
    if (by < next) parts.push({ day, start: by, isLast: false, isAfter: true })
    at = end = next
  }
  return { parts, end }
}

/** Replays the totals of past days, and returns when the rule would have fired. */
function replay(
  rule: Rule,
  { from, to }: PastSpan,
  {
    end,
    parts,
    totals
  }: { readonly parts: readonly Part[]; readonly totals: ReadonlyMap<number, number>; readonly end: number }
): PastEpisodes {
  const condition = rule.condition as ConditionOf<'total'>
  const past = new PastEpisodes(rule, from)
  let [day, total] = [NaN, 0]
  for (const [index, part] of parts.entries()) {
    if (past.isFull) break
    if (part.day !== day) {
      ;[day, total] = [part.day, 0]
      past.step(Math.max(part.start, from), 'over')
    }
    if (part.isAfter) continue
    total += totals.get(index) ?? 0
    const time = parts[index + 1]?.start ?? end
    if (time < from || time > to) continue
    if ('atMost' in condition ? total > condition.atMost : part.isLast && total < condition.atLeast)
      past.step(time, 'met')
  }
  past.advance(to)
  return past
}
