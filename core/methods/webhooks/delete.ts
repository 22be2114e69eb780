/** Deletes a webhook, which is no longer called. (docs/spec/notifications.md#webhook-methods) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnWebhook } from '../../notifications/webhook-rules.js'

/** Returns the deletion. */
export const deleteWebhook = method({
  id: 'webhooks.delete',
  summary: 'Delete a webhook',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ webhookDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    requireOwnWebhook(call, id)
    call.store.webhooks.remove(id)
    return { webhookDeletion: { id, deleted: call.now } }
  }
})
