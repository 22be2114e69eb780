/** `rules.update`: changes a rule, pauses it, or activates it again. (docs/api/rules.md) */
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { Condition, PublicRule, ruleFields, type Rule } from '../../../schemas/rule.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import type { StoredRule } from '../../../storage/rules/rule-repository.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { fail } from '../../errors.js'
import { restartState } from '../../rules/episodes.js'
import {
  assertChannels,
  assertRule,
  assertTellingTimes,
  requireOwnRule,
  toPublicRule
} from '../../rules/own-rules.js'
import { findAllowedTime } from '../../rules/telling-times.js'
import { createRuleCall } from '../../rules/rule-call.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'

/** Fields that only the service sets. */
const readOnlyFields = ['id', 'accessId', 'state', ...trackingFields] as const

const { days, quietHours, remindAfter, text, ...required } = ruleFields

/**
 * Returns the changed rule. With another condition, or activated again, it counts what happens from now on.
 * Throws `invalid-operation` if the access of the rule has ended, unless it is paused.
 */
export const update = method({
  id: 'rules.update',
  summary: 'Change a rule, pause it, or use it again',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        {
          condition: Type.Optional(Condition),
          ...Type.Partial(Type.Object(required)).properties,
          days: orNull(days),
          quietHours: orNull(quietHours),
          remindAfter: orNull(remindAfter),
          text: orNull(text),
          ...acceptProtectedFields(readOnlyFields)
        },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ rule: PublicRule }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  run(call, { id, update: given }) {
    const { caller, changes, now, store } = call
    const before = requireOwnRule(call, id)
    refuseProtected(call, readOnlyFields, given)
    const changed = Object.entries(given).filter(
      ([name]) => !(readOnlyFields as readonly string[]).includes(name)
    )
    const merged = { ...before.rule, ...Object.fromEntries(changed) }
    const rule = Object.fromEntries(
      Object.entries({ ...merged, modified: store.stamp(now), modifiedBy: caller.signature }).filter(
        ([, value]) => value !== null
      )
    ) as Rule
    assertTellingTimes(rule)
    const asRule = createRuleCall(call, rule)
    // A rule whose access has ended can only be paused.
    if (!asRule && rule.isActive) fail('invalid-operation', 'The access of this rule has ended')
    if (asRule && (rule.isActive || given.condition)) assertRule(asRule, rule)
    if (asRule && given.channelIds) assertChannels(asRule, rule.channelIds)
    const stored: StoredRule = { rule, state: chooseState(before, rule, now) }
    store.rules.put(stored)
    changes.add('timers')
    return { rule: toPublicRule(stored) }
  }
})

/**
 * Returns the state after a change: a rule with another condition, or that is paused or used again, begins
 * again; so does one on totals of days, in another time zone. Other changes move the message that waits.
 */
function chooseState({ rule: before, state }: StoredRule, rule: Rule, now: number): StoredRule['state'] {
  const hasOtherDays = rule.condition.kind === 'total' && before.zone !== rule.zone
  const isSame = isDeepStrictEqual(before.condition, rule.condition) && !hasOtherDays
  if (!isSame || before.isActive !== rule.isActive) return restartState(state, now)
  if (state.tellAt === undefined || !hasOtherTimes(before, rule)) return state
  // The message that waits follows the new times.
  const isRepeat = state.toldEpisode === state.episode
  const pause = isRepeat ? (rule.remindAfter ?? 0) : rule.atMostEvery
  const earliest = Math.max(now, (state.toldAt ?? -Infinity) + pause)
  return { ...state, tellAt: findAllowedTime(rule, earliest) }
}

const timeFields = [
  'atMostEvery',
  'days',
  'evenWhenQuiet',
  'quietHours',
  'remindAfter',
  'urgency',
  'zone'
] as const

function hasOtherTimes(before: Rule, rule: Rule): boolean {
  return timeFields.some(name => !isDeepStrictEqual(before[name], rule[name]))
}
