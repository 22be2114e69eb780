/** `rules.get`: lists rules. (docs/api/rules.md) */
import { Type } from 'typebox'
import { PublicRule } from '../../../schemas/rule.js'
import { closed } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { toPublicRule } from '../../rules/own-rules.js'

/** Returns the rules that the caller created, oldest first; for personal accesses all. */
export const get = method({
  id: 'rules.get',
  summary: 'List rules',
  params: Type.Object({}, closed),
  result: Type.Object({ rules: Type.Array(PublicRule) }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run({ caller, store }) {
    const rules = [...store.rules.list()]
      .filter(({ rule }) => caller.isPersonal || rule.accessId === caller.accessId)
      .toSorted((a, b) => a.rule.created - b.rule.created)
    return { rules: rules.map(toPublicRule) }
  }
})
