/** `channels.delete`: removes a channel. (docs/api/channels.md) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled, requireOwnChannel } from '../../channels/rules.js'

/** Returns the deletion. What waits for the channel is not sent. */
export const deleteChannel = method({
  id: 'channels.delete',
  summary: 'Remove a channel',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ channelDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccessIfEnabled,
  run(call, { id }) {
    requireOwnChannel(call, id)
    call.store.channels.remove(id)
    return { channelDeletion: { id, deleted: call.now } }
  }
})
