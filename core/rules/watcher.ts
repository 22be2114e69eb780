/** What a rule watches, as its access sees it. Created for each evaluation: permissions are those of the moment. */
import type { Condition, Rule, RuleProblem } from '../../schemas/rule.js'
import type { Call } from '../call/method.js'
import { watchArrivals, watchWords } from './event-watchers.js'
import { watchLooks } from './look-watcher.js'
import { watchReadings } from './reading-watcher.js'
import { createRuleCall, type RuleCall, type Watcher } from './rule-call.js'
import { watchSilence } from './silence-watcher.js'
import { watchTotal } from './total-watcher.js'

/** Returns the watcher of a rule, or why there is none. */
export function createWatcher(call: Call, rule: Rule): Watcher | RuleProblem {
  const asRule = createRuleCall(call, rule)
  return asRule ? watch(asRule, rule, rule.condition) : 'access-ended'
}

/** Creates the watcher for a kind of condition. */
function watch(call: RuleCall, rule: Rule, condition: Condition): Watcher | RuleProblem {
  switch (condition.kind) {
    case 'missing':
      return watchSilence(call, condition)
    case 'total':
      return watchTotal(call, rule, condition)
    case 'words':
      return watchWords(call, condition)
    case 'arrived':
      return watchArrivals(call, condition)
    case 'looked':
      return watchLooks(call, rule, condition)
    default:
      return watchReadings(call, condition)
  }
}
