/** Lists webhooks, by time of modification. (docs/spec/notifications.md#webhook-methods) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { Webhook } from '../../../schemas/webhook.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'

/** Returns the webhooks that the caller created; for personal accesses all. */
export const get = method({
  id: 'webhooks.get',
  summary: 'List webhooks',
  params: Type.Object({}, closed),
  result: Type.Object({ webhooks: Type.Array(Webhook) }),
  mode: 'read',
  allow: anyAccess,
  run({ caller, store }) {
    const webhooks = Array.from(store.webhooks.list(), ({ webhook }) => webhook).toSorted(
      (a, b) => a.modified - b.modified
    )
    return {
      webhooks: caller.isPersonal ? webhooks : webhooks.filter(({ accessId }) => accessId === caller.accessId)
    }
  }
})
