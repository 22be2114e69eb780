/** Changes a webhook: its state above all. (service.md, Webhooks; supplement 17.2, 26) */
import { Type } from 'typebox'
import { Identifier, orNull, closed } from '../../../schemas/scalars.js'
import { Scopes } from '../../../schemas/scope.js'
import { Webhook, WebhookState, WebhookUrl } from '../../../schemas/webhook.js'
import { anyAccess } from '../../allow.js'
import { method } from '../../method.js'
import { refuseProtected } from '../../protected-fields.js'
import { mustBeCallable, mustMayHave, orTaken, ownWebhook } from '../../webhooks/rules.js'

const alterable = new Set(['state', 'url', 'scopes'])

/** The webhook as changed; `state: 'active'` lets an inactive one begin anew. */
export const update = method({
  id: 'webhooks.update',
  params: Type.Object(
    {
      id: Identifier,
      // Every other key is a read-only one: `forbidden`.
      update: Type.Object({
        state: Type.Optional(WebhookState),
        url: Type.Optional(WebhookUrl),
        scopes: orNull(Scopes)
      })
    },
    closed
  ),
  result: Type.Object({ webhook: Webhook }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, now, store } = call
    const kept = ownWebhook(call, id)
    refuseProtected(
      call,
      Object.keys(given).filter(name => !alterable.has(name)),
      given
    )
    const { scopes: oldScopes, ...rest } = kept.webhook
    const { scopes = oldScopes, state = rest.state, url = rest.url } = given
    mustBeCallable(url)
    if (given.scopes) mustMayHave(call, rest.accessId, given.scopes)
    const webhook: Webhook = {
      ...rest,
      state,
      url,
      ...(given.state === 'active' && { currentRetries: 0 }),
      ...(scopes && { scopes }),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    // What an inactive one would have been told is not told later either.
    const owed = state === 'active' ? kept.owed : []
    orTaken(url, () => store.webhooks.update({ ...kept, webhook, owed }))
    return { webhook }
  }
})
