/**
 * Tells which written numbers change nothing for a rule: one that is not firing, and a number within its limits, for example. Most
 * writes are such, and need no evaluation, whatever the rule's access may read. (docs/api/rules.md#firing)
 */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import type { Rule, RuleState } from '../../schemas/rule.js'
import type { MeasuredType } from '../../storage/measures/measured-type.js'
import type { EventState } from '../changed-item.js'
import { listMeasuredTypes } from '../measures/scope.js'
import type { Judge } from './judges.js'
import { createJudge, findPlausibleRange } from './reading-watcher.js'
import { findLast, maxAhead, readNumber } from './readings.js'
import { mayReadAll, type RuleCall } from './rule-call.js'

/** Judges numbers of events by the condition of one rule. */
export class NumberTest {
  private constructor(
    private readonly types: ReadonlyMap<string, MeasuredType>,
    private readonly judge: Judge
  ) {}

  /**
   * Returns the test of a rule; `undefined` if its condition depends on more than one number, or if there is data of the future, which
   * will count.
   */
  static create(call: RuleCall, { condition }: Rule): NumberTest | undefined {
    const { kind } = condition
    const isSimple =
      kind === 'above' || kind === 'below' || (kind === 'outside' && condition.range === 'plausible')
    // The user's own measures may change.
    const measure = isSimple ? findMeasure(condition.measure) : undefined
    if (!isSimple || !measure) return undefined
    const range = kind === 'outside' ? findPlausibleRange(measure) : undefined
    if (kind === 'outside' && !range) return undefined
    const { streamIds: streams } = condition
    if (!mayReadAll(call, streams)) return undefined
    if ((findLast(call, { measure, streams }) ?? -Infinity) > call.now + maxAhead) return undefined
    const unit = 'unit' in condition ? condition.unit : undefined
    const types = listMeasuredTypes(call, measure, unit ?? measure.types[0]!)
    return new NumberTest(
      new Map(types.map(type => [type.name, type])),
      createJudge(condition, () => range)
    )
  }

  /** Returns whether a rule with a state does nothing if an event is in this state, or no longer is. */
  isNeutral(state: RuleState, { data, time = NaN, type: name }: EventState): boolean {
    const { holdsSince, isFiring, problem, tellAt } = state
    if (holdsSince !== undefined || tellAt !== undefined || problem !== undefined) return false
    if (!data || Number.isNaN(time)) return false
    const type = this.types.get(name)
    const number = type && readNumber(data.content, type)
    if (!number) return true
    const verdict = this.judge.judge({ time, ...number })
    return isFiring ? verdict !== 'over' : verdict !== 'met'
  }
}
