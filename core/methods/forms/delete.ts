/** `forms.delete`: removes a form. (docs/api/forms.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { removeForm } from '../../forms/offered-form.js'
import { requireOwnForm } from '../../forms/rules.js'

/** Returns the deletion. Reminders of the form are removed, too. Responses stay: they are events. */
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
    removeForm(call, id)
    return { formDeletion: { id, deleted: call.now } }
  }
})
