/** `rules.test`: returns when a rule would have fired. (docs/api/rules.md#testing-a-rule) */
import { Type } from 'typebox'
import type { Condition, Rule } from '../../../schemas/rule.js'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import { method, type Call } from '../../call/method.js'
import { describeQueryScope } from '../../audit/read-scope.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { fail } from '../../errors.js'
import { assertRule, requireOwnRule } from '../../rules/own-rules.js'
import { listPast } from '../../rules/past.js'
import { createRuleCall } from '../../rules/rule-call.js'
import { refuseParams } from '../../validation/params.js'
import { buildRule, RuleForm } from './create.js'

/** The longest range, in days. */
const maxDays = 400
const daySeconds = 86_400

const Firing = Type.Object({
  time: Timestamp,
  recovered: Type.Optional(Timestamp),
  told: Type.Optional(Timestamp)
})

/**
 * Returns at most 200 firings, earliest first. No message is sent, and the state of the rule does not change.
 * Throws `invalid-operation` for rules whose past is not recorded, or whose access has ended.
 */
export const test = method({
  id: 'rules.test',
  summary: 'Find out when a rule would have fired',
  params: Type.Object(
    {
      /** A rule, or else the id of one. */
      rule: orNull(RuleForm),
      id: orNull(Identifier),
      from: Timestamp,
      /** Excluded. */
      to: Timestamp
    },
    closed
  ),
  result: Type.Object({ firings: Type.Array(Firing) }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run(call, { from, id, rule: given, to }) {
    if ((id ?? undefined) === undefined && !given)
      refuseParams([{ code: 'MISSING', message: 'must have a rule, or the id of one', path: '#/rule' }])
    if (!(from < to) || to - from > maxDays * daySeconds)
      refuseParams([
        { code: 'INVALID', message: `must be after "from", by at most ${maxDays} days`, path: '#/to' }
      ])
    const rule = given ? buildRule(call, given, call.now) : requireOwnRule(call, id!).rule
    call.auditScope = describeQueryScope(call.caller, listWatchedStreams(rule.condition), {})
    assertTestable(call, rule)
    return { firings: listPast(call, rule, { from, to: Math.min(to, call.now) }) }
  }
})

/** Returns the streams that a condition names; `undefined` if there are none. */
function listWatchedStreams(condition: Condition): readonly string[] | undefined {
  if ('streamId' in condition) return [condition.streamId]
  return 'streamIds' in condition ? condition.streamIds : undefined
}

function assertTestable(call: Call, rule: Rule): void {
  const asRule = createRuleCall(call, rule) ?? fail('invalid-operation', 'The access of this rule has ended')
  assertRule(asRule, rule)
  if (rule.condition.kind === 'missing' && 'connectionId' in rule.condition)
    fail('invalid-operation', 'Connections do not record when they were heard of')
}
