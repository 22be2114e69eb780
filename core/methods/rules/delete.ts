/** `rules.delete`: removes a rule. (docs/api/rules.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { requireOwnRule } from '../../rules/own-rules.js'

/** Returns the deletion. Messages that are already on their way are still sent. */
export const deleteRule = method({
  id: 'rules.delete',
  summary: 'Remove a rule',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ ruleDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccessIfEnabled,
  run(call, { id }) {
    requireOwnRule(call, id)
    call.store.rules.remove(id)
    call.changes.add('timers')
    return { ruleDeletion: { id, deleted: call.now } }
  }
})
