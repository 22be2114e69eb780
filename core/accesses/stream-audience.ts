/**
 * What a user has to know about streams before granting them to an app: where each is, who created it, and who else sees
 * it. Another app may have created a stream with the same id before, within its own permissions.
 */
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import { Level } from '../../schemas/permission.js'
import { auditedAccess } from '../audit-ids.js'
import type { RequestedPermission } from './granting.js'
import { allows } from '../permissions/levels.js'
import type { Call } from '../call/method.js'
import { currentId } from '../account/older-ids.js'
import { isInForce, standingOf } from '../permissions/standing.js'
import { upwards } from '../streams/tree.js'
import { creatorOf } from '../permissions/access.js'

const Holder = Type.Object({
  type: Type.String(),
  name: Type.String(),
  deviceName: Type.Optional(Type.String())
})

export const StreamAudience = Type.Object({
  /** The id as requested. */
  streamId: Type.String(),
  /** From the root to the stream itself; empty if it does not exist yet. */
  path: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Whether it holds values of the account, such as its e-mail address. */
  isOfAccount: Type.Boolean(),
  /** The app or shared access that created it; absent if the user did. */
  creator: Type.Optional(Holder),
  /** App and shared accesses that may list it, with their levels. */
  accesses: Type.Array(Type.Object({ ...Holder.properties, level: Level })),
  /** Number of further accesses, beyond those listed. */
  more: Type.Integer()
})
export type StreamAudience = Static<typeof StreamAudience>

/** Limits on the streams described, and on the accesses listed for each: nobody reads more. */
const maxStreams = 100
const maxAccesses = 20

/** Returns the audience of each requested stream, without `own`, the access that is to be delivered or replaced. */
export function audienceOf(
  call: Call,
  requested: readonly RequestedPermission[],
  own: Access | undefined
): StreamAudience[] {
  const ids = new Set(requested.flatMap(each => ('streamId' in each ? [each.streamId] : [])))
  const named = [...ids].filter(id => id !== '*' && auditedAccess(id) === undefined).slice(0, maxStreams)
  if (named.length === 0) return []
  const others = call.store.accesses
    .list()
    .filter(({ id, type }) => type !== 'personal' && id !== own?.id)
    .filter(access => isInForce(call.store, access, call.now))
  return named.map(id => audience(call, id, others))
}

function audience({ services, store }: Call, streamId: string, others: readonly Access[]): StreamAudience {
  const id = currentId(services.config, streamId)
  const node = store.streams.find(id)
  const holders = others.flatMap(access => {
    const level = standingOf(store, access).grants.level(store.streams, id)
    return level !== undefined && allows(level, 'list') ? [{ ...holder(access), level }] : []
  })
  const maker = node && store.accesses.findEver(creatorOf(node.stream))
  return {
    streamId,
    path: node
      ? Array.from(upwards(node), ({ stream: { id: each, name } }) => ({ id: each, name })).toReversed()
      : [],
    isOfAccount: node?.system?.kind === 'account',
    ...(maker && maker.type !== 'personal' && { creator: holder(maker) }),
    accesses: holders.slice(0, maxAccesses),
    more: Math.max(0, holders.length - maxAccesses)
  }
}

function holder({ deviceName, name, type }: Access): Static<typeof Holder> {
  return { type, name, ...(deviceName !== undefined && { deviceName }) }
}
