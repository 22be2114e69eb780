/** Deletes a webhook: nothing more is sent. (service.md, Webhooks; supplement 17.2) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { anyAccess } from '../../allow.js'
import { method } from '../../method.js'
import { ownWebhook } from '../../webhooks/rules.js'

/** The deletion. */
export const deleteWebhook = method({
  id: 'webhooks.delete',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ webhookDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    ownWebhook(call, id)
    call.store.webhooks.remove(id)
    return { webhookDeletion: { id, deleted: call.now } }
  }
})
