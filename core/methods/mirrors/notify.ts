/** `mirrors.notify`: another server tells that something has changed there. (docs/api/mirrors.md#notices) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { receiveNotice } from '../../mirrors/notices.js'

/**
 * Lets the mirror be read again soon. Needs the secret of the URL that the other server was given. What
 * webhooks send along is ignored.
 */
export const notify = method({
  id: 'mirrors.notify',
  summary: 'Tell that a mirror is out of date',
  params: Type.Object(
    {
      id: Identifier,
      key: Type.String({ pattern: '^[A-Za-z0-9_-]{32}$' }),
      messages: Type.Optional(Type.Unknown()),
      meta: Type.Optional(Type.Unknown())
    },
    closed
  ),
  result: Type.Object({ received: Type.Literal(true) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyone,
  auditActor: 'public',
  isRemoved: config => !config.cmc.enabled,
  run(call, { id, key }) {
    receiveNotice(call, id, key)
    return { received: true }
  }
})
