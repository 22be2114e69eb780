/** `forms.delete`: removes a form. (docs/api/forms.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnForm } from '../../forms/rules.js'

/** Returns the deletion. Responses stay: they are events. */
export const deleteForm = method({
  id: 'forms.delete',
  summary: 'Remove a form',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ formDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    requireOwnForm(call, id)
    call.store.forms.remove(id)
    return { formDeletion: { id, deleted: call.now } }
  }
})
