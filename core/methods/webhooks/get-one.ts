/** Reads one webhook. (docs/spec/notifications.md#webhook-methods) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { Webhook } from '../../../schemas/webhook.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnWebhook } from '../../notifications/webhook-rules.js'

/** Returns the webhook, to its creator and to personal accesses. */
export const getOne = method({
  id: 'webhooks.getOne',
  summary: 'Get a webhook',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ webhook: Webhook }),
  mode: 'read',
  allow: anyAccess,
  run: (call, { id }) => ({ webhook: requireOwnWebhook(call, id).webhook })
})
