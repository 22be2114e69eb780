/** `channels.get`: lists channels, and what browsers need to subscribe. (docs/api/channels.md) */
import { Type } from 'typebox'
import { Channel } from '../../../schemas/channel.js'
import { closed } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { getPushKeys } from '../../channels/web-push.js'

/** Returns the channels that the caller created, oldest first; for personal accesses all. */
export const get = method({
  id: 'channels.get',
  summary: 'List channels for notifications',
  params: Type.Object({}, closed),
  result: Type.Object({
    channels: Type.Array(Channel),
    /** The public key with which browsers subscribe to Web Push, in base64url. */
    webPushKey: Type.String()
  }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run({ caller, services, store }) {
    const channels = Array.from(store.channels.list(), ({ channel }) => channel)
      .filter(({ accessId }) => caller.isPersonal || accessId === caller.accessId)
      .toSorted((a, b) => a.created - b.created)
    return { channels, webPushKey: getPushKeys(services).publicKey }
  }
})
