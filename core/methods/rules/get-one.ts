/** `rules.getOne`: returns a rule. (docs/api/rules.md) */
import { Type } from 'typebox'
import { PublicRule } from '../../../schemas/rule.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { requireOwnRule, toPublicRule } from '../../rules/own-rules.js'

/** Returns the rule with its state. */
export const getOne = method({
  id: 'rules.getOne',
  summary: 'Get a rule',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ rule: PublicRule }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run: (call, { id }) => ({ rule: toPublicRule(requireOwnRule(call, id)) })
})
