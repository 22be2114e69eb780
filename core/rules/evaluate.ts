/** Evaluates one rule: reads what is new, and returns the state that follows. Writes nothing. (docs/api/rules.md#firing) */
import type { Rule, RuleProblem, RuleState } from '../../schemas/rule.js'
import type { StoredRule } from '../../storage/rules/rule-repository.js'
import type { Call } from '../call/method.js'
import { Episodes, findNextTime, type Telling } from './episodes.js'
import { maxAhead } from './readings.js'
import { findTotalTime } from './total-watcher.js'
import type { Span, Unseen } from './rule-call.js'
import { createWatcher } from './watcher.js'

/** What follows from an evaluation. */
export interface Evaluation {
  readonly state: RuleState
  readonly tellings: readonly Telling[]
  /** True if the state has to be stored: otherwise, the stored state leads to the same. */
  readonly isChanged: boolean
  /** True if there is more data than is read at once: the rule has to be evaluated again. */
  readonly hasMore?: boolean
}

/**
 * Evaluates a rule. A paused one does nothing; one that can no longer be evaluated stops firing without a
 * message, and says why.
 */
export function evaluateRule(call: Call, { rule, state }: StoredRule, unseen: Unseen): Evaluation {
  const { now } = call
  if (!rule.isActive) return { state, tellings: [], isChanged: false }
  const watcher = createWatcher(call, rule)
  if (typeof watcher === 'string') return stop(state, watcher, { now, rule })
  const { problem: _solved, ...before } = moveBack(rule, state, now)
  const episodes = new Episodes(rule, before, cause => watcher.isReadable(cause))
  const span: Span = { ...unseen, since: Math.min(unseen.since, now), now }
  watcher.feed(episodes, span)
  if (watcher.hasMore) {
    // What is due by now depends on data that has not been read.
    const { state: part, tellings } = episodes
    return { state: part, tellings, isChanged: hasChanged(state, part, rule), hasMore: true }
  }
  episodes.advance(now)
  const after: RuleState = { ...episodes.state, evaluatedTo: now }
  const isChanged = isAhead(state, now) || hasChanged(state, after, rule)
  return { state: after, tellings: episodes.tellings, isChanged }
}

/** Returns when a rule is due without new data, in seconds; `undefined` if never. */
export function findRuleTime(rule: Rule, state: RuleState, now: number): number | undefined {
  if (!rule.isActive || state.problem !== undefined) return undefined
  if (isAhead(state, now)) return now
  const next = Math.min(findNextTime(rule, state) ?? Infinity, findTotalTime(rule, state, now) ?? Infinity)
  return next === Infinity ? undefined : next
}

/** Seconds within which data is evaluated once it is stored. */
const maxWait = 60

/** Returns whether the rule was evaluated before the clock was set back. */
function isAhead({ evaluatedTo }: RuleState, now: number): boolean {
  return evaluatedTo > now + maxAhead
}

/** Returns the state as it is once the clock has been set back: otherwise the rule would wait until the clock is there again. */
function moveBack({ atMostEvery, remindAfter = 0 }: Rule, state: RuleState, now: number): RuleState {
  if (!isAhead(state, now)) return state
  const { holdsSince, seenTo, tellAt, toldAt } = state
  return {
    ...state,
    activeFrom: Math.min(state.activeFrom, now - maxWait),
    ...(seenTo !== undefined && { seenTo: Math.min(seenTo, now - maxWait) }),
    ...(holdsSince !== undefined && { holdsSince: Math.min(holdsSince, now) }),
    ...(tellAt !== undefined && { tellAt: Math.min(tellAt, now + Math.max(atMostEvery, remindAfter)) }),
    ...(toldAt !== undefined && { toldAt: Math.min(toldAt, now) })
  }
}

/** Ends what a rule does that cannot be evaluated. What it has missed until it can be again does not count. */
function stop(
  state: RuleState,
  problem: RuleProblem,
  { now, rule }: { readonly now: number; readonly rule: Rule }
): Evaluation {
  const { holdsSince: _holds, isOpen: _open, tellAt: _tell, ...rest } = state
  const after: RuleState = { ...rest, activeFrom: now, evaluatedTo: now, isFiring: false, problem }
  return { state: after, tellings: [], isChanged: hasChanged(state, after, rule) }
}

/** Members that differ after each evaluation. */
const passing: ReadonlySet<string> = new Set(['activeFrom', 'evaluatedTo', 'modifiedTo', 'seenTo'])

/** Of silences: the last data, which is read again each time. */
const passingOfSilence: ReadonlySet<string> = new Set([...passing, 'cause', 'holdsSince'])

function hasChanged(before: RuleState, after: RuleState, { condition }: Rule): boolean {
  const isSilence =
    condition.kind === 'missing' && before.holdsSince !== undefined && after.holdsSince !== undefined
  const ignored = isSilence ? passingOfSilence : passing
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof RuleState>
  return [...keys].some(key => !ignored.has(key) && before[key] !== after[key])
}
