/** What a rule watches, as its access sees it. Created for each evaluation: permissions are those of the moment. */
import type { Condition, Rule, RuleProblem } from '../../schemas/rule.js'
import { isClientRevoked } from '../auth/oauth-marks.js'
import type { Call } from '../call/method.js'
import { findAccessInForce } from '../channels/account-messages.js'
import { Caller } from '../permissions/caller.js'
import { watchArrivals, watchWords } from './event-watchers.js'
import type { Cause, Episodes } from './episodes.js'
import { watchLooks } from './look-watcher.js'
import { watchReadings } from './reading-watcher.js'
import { watchSilence } from './silence-watcher.js'
import { watchTotal } from './total-watcher.js'

/** What an evaluation covers. Times in seconds. */
export interface Span {
  /** When the oldest change happened that has not been evaluated. */
  readonly since: number
  readonly now: number
}

export interface Watcher {
  /** Returns whether the rule's access can still read what has caused an episode. */
  isReadable(cause: Cause): boolean
  /** Adds what has happened to the episodes. */
  feed(episodes: Episodes, span: Span): void
}

/** A call made by the access of a rule. */
export type RuleCall = Call

/** Returns the watcher of a rule, or why there is none. */
export function createWatcher(call: Call, rule: Rule): Watcher | RuleProblem {
  const asRule = createRuleCall(call, rule)
  return asRule ? watch(asRule, rule, rule.condition) : 'access-ended'
}

/** Returns the call with the access of a rule as its caller; `undefined` if the access has ended. */
export function createRuleCall(call: Call, { accessId }: Pick<Rule, 'accessId'>): RuleCall | undefined {
  const { services, store } = call
  const access = findAccessInForce(call, accessId)
  if (!access || isClientRevoked(services, store, access)) return undefined
  return { ...call, caller: new Caller(store, access) }
}

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
