/** Changes a webhook, mostly its state. (docs/spec/notifications.md#webhook-methods) */
import { Type } from 'typebox'
import { Identifier, orNull, closed } from '../../../schemas/scalars.js'
import { Scopes } from '../../../schemas/scope.js'
import { Webhook, WebhookState, WebhookUrl } from '../../../schemas/webhook.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
import {
  assertWebhookUrl,
  assertMayHaveScopes,
  writeWebhook,
  requireOwnWebhook
} from '../../notifications/webhook-rules.js'

/** Fields that only the service sets, or that stay as they were. */
const readOnlyFields = [
  'id',
  'accessId',
  'runCount',
  'failCount',
  'lastRun',
  'runs',
  'currentRetries',
  'maxRetries',
  'minIntervalMs',
  'signed',
  'secret',
  ...trackingFields
] as const

/**
 * Returns the changed webhook; `state: 'active'` reactivates an inactive one. What waits for one that becomes
 * inactive is never sent.
 */
export const update = method({
  id: 'webhooks.update',
  summary: 'Update or reactivate a webhook',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        {
          state: Type.Optional(WebhookState),
          url: Type.Optional(WebhookUrl),
          scopes: orNull(Scopes),
          ...acceptProtectedFields(readOnlyFields)
        },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ webhook: Webhook }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, now, store } = call
    const kept = requireOwnWebhook(call, id)
    refuseProtected(call, readOnlyFields, given)
    const { scopes: oldScopes, ...rest } = kept.webhook
    const { scopes = oldScopes, state = rest.state, url = rest.url } = given
    assertWebhookUrl(url)
    if (given.scopes) assertMayHaveScopes(call, rest, given.scopes)
    const webhook: Webhook = {
      ...rest,
      state,
      url,
      ...(given.state === 'active' && { currentRetries: 0 }),
      ...(scopes && { scopes }),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    // Messages that an inactive webhook has missed are not sent later.
    const owed = state === 'active' ? kept.owed : []
    writeWebhook(url, () => store.webhooks.update({ ...kept, webhook, owed }))
    return { webhook }
  }
})
