/** `rules.create`: adds a rule. (docs/api/rules.md) */
import { Type, type Static } from 'typebox'
import { Condition, PublicRule, ruleFields, type Rule } from '../../../schemas/rule.js'
import { closed } from '../../../schemas/scalars.js'
import { method, type Call } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'
import { createState } from '../../rules/episodes.js'
import { assertChannels, assertRule, toPublicRule } from '../../rules/own-rules.js'

/** Maximum number of rules of an account, and of one access that is not personal. */
const maxRules = 100
const maxOwnRules = 20

const { channelIds, name, ...optional } = ruleFields

/** A rule as callers give it. */
export const RuleForm = Type.Object(
  { name, condition: Condition, channelIds, ...Type.Partial(Type.Object(optional)).properties },
  closed
)
export type RuleForm = Static<typeof RuleForm>

/** Returns the rule. It counts what happens from now on. */
export const create = method({
  id: 'rules.create',
  summary: 'Add a rule',
  params: RuleForm,
  result: Type.Object({ rule: PublicRule }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  async prepare({ account, services }) {
    await services.timers.mark(account)
  },
  run(call, given) {
    const { caller, changes, now, store } = call
    const rule = buildRule(call, given, store.stamp(now))
    assertRule(call, rule)
    assertChannels(call, rule.channelIds)
    const own = [...store.rules.list()].filter(each => each.rule.accessId === caller.accessId)
    if (store.rules.size >= maxRules)
      fail('invalid-operation', `An account can have at most ${maxRules} rules`)
    if (!caller.isPersonal && own.length >= maxOwnRules)
      fail('invalid-operation', `An access can have at most ${maxOwnRules} rules`)
    const stored = { rule, state: createState(now) }
    store.rules.put(stored)
    changes.add('timers')
    return { rule: toPublicRule(stored) }
  }
})

/** Builds a rule of the caller, with defaults. `at`: when it is created, in seconds. */
export function buildRule({ caller }: Call, given: RuleForm, at: number): Rule {
  return {
    isActive: true,
    urgency: 'normal',
    showsValues: false,
    tellsRecovery: false,
    evenWhenQuiet: false,
    zone: 'UTC',
    atMostEvery: 3600,
    ...given,
    id: createId(),
    accessId: caller.accessId,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
}
