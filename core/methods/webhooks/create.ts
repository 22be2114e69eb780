/** Creates a webhook of the access that calls. (docs/spec/notifications.md#webhook-methods) */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { Scopes } from '../../../schemas/scope.js'
import { Webhook, WebhookUrl } from '../../../schemas/webhook.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'
import { method, type Call } from '../../call/method.js'
import { assertWebhookUrl, assertMayHaveScopes, writeWebhook } from '../../notifications/webhook-rules.js'

/**
 * Returns the webhook; with `signed`, also the `secret` that signs its calls, shown only here. Throws
 * `forbidden` for personal accesses, `invalid-operation` if there are too many, `item-already-exists` if the
 * access has one with this URL.
 */
export const create = method({
  id: 'webhooks.create',
  summary: 'Create a webhook',
  params: Type.Object({ url: WebhookUrl, scopes: orNull(Scopes), signed: orNull(Type.Boolean()) }, closed),
  result: Type.Object({
    webhook: Type.Object({ ...Webhook.properties, secret: Type.Optional(Type.String()) })
  }),
  mode: 'write',
  allow: anyAccess,
  async prepare({ account, caller, services: { platform } }) {
    // Recorded before the webhook exists: a superfluous account is checked at the next start, a missing one never is.
    if (!caller.isPersonal && !platform.isWebhookAccount(account.id))
      await platform.change('addWebhooks', account.id)
  },
  run(call, { scopes, signed, url }) {
    const { caller, services, store } = call
    if (caller.isPersonal) fail('forbidden', 'Personal accesses cannot create webhooks')
    assertWebhookUrl(url)
    if (scopes) assertMayHaveScopes(call, caller, scopes)
    if (store.webhooks.size >= services.config.webhooks.maxPerUser)
      fail('invalid-operation', `An account can have at most ${services.config.webhooks.maxPerUser} webhooks`)
    const webhook: Webhook = {
      ...buildWebhook(call, url),
      ...(scopes && { scopes }),
      ...(signed && { signed })
    }
    const secret = signed ? randomBytes(32).toString('base64url') : undefined
    const hidden = secret === undefined ? {} : { secret }
    writeWebhook(url, () => store.webhooks.insert({ webhook, ...hidden, owed: [], sending: [] }))
    return { webhook: { ...webhook, ...hidden } }
  }
})

/** Builds an active webhook that has not run yet. */
function buildWebhook({ caller, services, now, store }: Call, url: string): Webhook {
  const { maxRetries, minIntervalMs } = services.config.webhooks
  const at = store.stamp(now)
  return {
    id: createId(),
    accessId: caller.accessId,
    url,
    state: 'active',
    runCount: 0,
    failCount: 0,
    lastRun: { status: 0, timestamp: 0 },
    runs: [],
    currentRetries: 0,
    maxRetries,
    minIntervalMs,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
}
