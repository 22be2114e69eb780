/** Calls a webhook with the message `test`, at once; no run is counted. (docs/spec/notifications.md#webhook-methods) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { Webhook } from '../../../schemas/webhook.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { requireOwnWebhook } from '../../notifications/webhook-rules.js'
import { isSuccess } from '../../outgoing/webhook-sender.js'

/**
 * Returns the webhook if its URL responds; else throws `unknown-referenced-resource`. The response itself is
 * not shown.
 */
export const test = method({
  id: 'webhooks.test',
  summary: 'Test a webhook',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ webhook: Webhook }),
  mode: 'read',
  allow: anyAccess,
  async prepare(call, { id }) {
    const kept = requireOwnWebhook(call, id)
    const status = await call.services.webhookSender.test(call.account.id, kept)
    if (!isSuccess(status))
      fail('unknown-referenced-resource', 'The URL of the webhook did not respond as expected', {
        url: kept.webhook.url
      })
  },
  run: (call, { id }) => ({ webhook: requireOwnWebhook(call, id).webhook })
})
