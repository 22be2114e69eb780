/** `channels.update`: renames a channel, changes its target, or uses it again. (docs/api/channels.md) */
import { Type } from 'typebox'
import { Channel } from '../../../schemas/channel.js'
import { closed, Identifier, KeyValue, Name } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import {
  anyAccessIfEnabled,
  assertNotSubscribed,
  readTarget,
  requireOwnChannel
} from '../../channels/rules.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'

/** Fields that only the service sets. */
const readOnlyFields = ['id', 'type', 'accessId', 'reason', ...trackingFields] as const

/**
 * Returns the changed channel. A target replaces the former one, with its secrets. With `state: 'active'`, a
 * channel that has ended is used again.
 */
export const update = method({
  id: 'channels.update',
  summary: 'Change a channel, or use it again',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        {
          name: Type.Optional(Name),
          target: Type.Optional(KeyValue),
          state: Type.Optional(Type.Literal('active')),
          ...acceptProtectedFields(readOnlyFields)
        },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ channel: Channel }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  run(call, { id, update: given }) {
    const { caller, now, store } = call
    const { channel: before, secrets } = requireOwnChannel(call, id)
    refuseProtected(call, readOnlyFields, given)
    const { name = before.name, state = before.state, target } = given
    const read =
      target === undefined
        ? { target: before.target, secrets }
        : readTarget(call, { type: before.type, target })
    if (state === 'active') assertNotSubscribed(call, read.target, id)
    const { reason, ...rest } = before
    const channel: Channel = {
      ...rest,
      name,
      state,
      target: read.target,
      ...(state === 'ended' && reason !== undefined && { reason }),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    store.channels.put({ channel, secrets: read.secrets })
    return { channel }
  }
})
