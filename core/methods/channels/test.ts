/** `channels.test`: sends a test notification to a channel. (docs/api/channels.md) */
import { Type } from 'typebox'
import { Channel } from '../../../schemas/channel.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { queueMessage } from '../../channels/queue-message.js'
import { getMessageId } from '../../channels/requests.js'
import { anyAccessIfEnabled, requireOwnChannel } from '../../channels/rules.js'
import { getChannelTexts } from '../../channels/texts.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'

/**
 * Queues the notification like any other. Returns its id, under which `channels.getOne` shows what became of
 * it. Throws `invalid-operation` if the channel has ended, or too many messages wait.
 */
export const test = method({
  id: 'channels.test',
  summary: 'Send a test notification to a channel',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ channel: Channel, deliveryId: Type.String() }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  run(call, { id }) {
    const { channel } = requireOwnChannel(call, id)
    const texts = getChannelTexts(call.store)
    const key = `test:${createId()}`
    const count = queueMessage(call, {
      key,
      channelIds: [id],
      title: texts.test,
      text: texts.testText(call.services.config.service.name),
      urgency: 'normal',
      page: 'channels',
      source: { kind: 'test', id }
    })
    if (count === 0) fail('invalid-operation', 'This channel has ended, or too many messages wait')
    return { channel, deliveryId: getMessageId({ channel: id, key }) }
  }
})
