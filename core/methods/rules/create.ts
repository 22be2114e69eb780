/** `rules.create`: adds a rule. (docs/api/rules.md) */
import { Type, type Static } from 'typebox'
import { Condition, PublicRule, ruleFields, type Rule } from '../../../schemas/rule.js'
import { closed } from '../../../schemas/scalars.js'
import { assertRoom } from '../../accesses/room.js'
import { method, type Call } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { createId } from '../../ids.js'
import { createState } from '../../rules/episodes.js'
import { assertChannels, assertRule, toPublicRule } from '../../rules/own-rules.js'

const room = { name: 'rules', max: 100, maxOwn: 20 }

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
    const { changes, now, store } = call
    const rule = buildRule(call, given, store.stamp(now))
    assertRule(call, rule)
    assertChannels(call, rule.channelIds)
    const creators = Array.from(store.rules.list(), each => each.rule.accessId)
    assertRoom(call, room, creators)
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
