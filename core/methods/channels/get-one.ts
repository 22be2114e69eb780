/** `channels.getOne`: returns a channel with what was sent to it. (docs/api/channels.md) */
import { Type, type Static } from 'typebox'
import { Channel, ChannelDelivery, type DeliveryError } from '../../../schemas/channel.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import type { StoredMessage } from '../../../storage/channels/message-repository.js'
import { method } from '../../call/method.js'
import type { QueuedMessage } from '../../channels/queue-message.js'
import { getMessageId } from '../../channels/requests.js'
import { anyAccessIfEnabled, requireOwnChannel } from '../../channels/rules.js'

/** Returns the channel and its last 50 messages, latest first. */
export const getOne = method({
  id: 'channels.getOne',
  summary: 'Get a channel with its last messages',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ channel: Channel, deliveries: Type.Array(ChannelDelivery) }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run(call, { id }) {
    const { channel } = requireOwnChannel(call, id)
    return { channel, deliveries: call.store.messages.listOfChannel(id).map(toDelivery) }
  }
})

/** Returns a queued message as callers see it, without its text. */
function toDelivery(row: StoredMessage): Static<typeof ChannelDelivery> {
  const { attempts, error, last, next, queued, state } = row
  const { source, title } = JSON.parse(row.body) as QueuedMessage
  return {
    id: getMessageId(row),
    title,
    source,
    state,
    attempts,
    queued,
    ...(last !== null && { lastAttempt: last }),
    ...(next !== null && { nextAttempt: next }),
    ...(error !== null && { error: JSON.parse(error) as DeliveryError })
  }
}
