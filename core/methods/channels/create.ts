/** `channels.create`: adds a place where notifications go. (docs/api/channels.md) */
import { Type, type Static } from 'typebox'
import { Channel, channelTypes } from '../../../schemas/channel.js'
import { closed, KeyValue, Name } from '../../../schemas/scalars.js'
import { assertRoom } from '../../accesses/room.js'
import { method, type Call } from '../../call/method.js'
import { anyAccessIfEnabled, assertNotSubscribed, readTarget } from '../../channels/rules.js'
import { createId } from '../../ids.js'

const room = { name: 'channels', max: 50, maxOwn: 10 }

const Params = Type.Object(
  {
    type: Type.Enum(channelTypes),
    name: Name,
    /** The target. What it has depends on the type of the channel. */
    target: KeyValue
  },
  closed
)

/**
 * Returns the channel, without what is secret in its target. Throws `invalid-operation` if there are too many
 * channels, or another one has the same target.
 */
export const create = method({
  id: 'channels.create',
  summary: 'Add a channel for notifications',
  params: Params,
  result: Type.Object({ channel: Channel }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  async prepare({ account, services }) {
    await services.timers.mark(account)
  },
  run(call, given) {
    const { store } = call
    const read = readTarget(call, given)
    assertNotSubscribed(call, read.target)
    const creators = Array.from(store.channels.list(), each => each.channel.accessId)
    assertRoom(call, room, creators)
    const channel = buildChannel(call, given, read.target)
    store.channels.put({ channel, secrets: read.secrets })
    return { channel }
  }
})

/** Returns a new active channel of the calling access. */
function buildChannel(
  { caller, now, store }: Call,
  { name, type }: Static<typeof Params>,
  target: Channel['target']
): Channel {
  const at = store.stamp(now)
  return {
    id: createId(),
    type,
    name,
    accessId: caller.accessId,
    target,
    state: 'active',
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
}
