/**
 * What somebody has to know of streams before an app gets them: where each lies, who made it, and who else sees it. Another
 * app may have been there before, with a stream of the same id in its own reach.
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
  /** As it was asked for. */
  streamId: Type.String(),
  /** From the root to the stream itself; empty if it does not exist yet. */
  path: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Whether it holds values of the account, such as its e-mail address. */
  isOfAccount: Type.Boolean(),
  /** The app, or the share, that has made it; the person's own are not mentioned. */
  creator: Type.Optional(Holder),
  /** Apps and shares with a level on it, or on one above it. */
  accesses: Type.Array(Type.Object({ ...Holder.properties, level: Level })),
  /** How many more of them there are. */
  more: Type.Integer()
})
export type StreamAudience = Static<typeof StreamAudience>

/** Streams of which so much is told, and accesses of each: more would be read by nobody. */
const mostStreams = 100
const mostAccesses = 20

/** The audience of each stream asked for, but for the access that is to be handed out or replaced. */
export function audienceOf(
  call: Call,
  requested: readonly RequestedPermission[],
  own: Access | undefined
): StreamAudience[] {
  const ids = new Set(requested.flatMap(each => ('streamId' in each ? [each.streamId] : [])))
  const named = [...ids].filter(id => id !== '*' && auditedAccess(id) === undefined).slice(0, mostStreams)
  if (named.length === 0) return []
  const others = call.store.accesses
    .list()
    .filter(({ id, type }) => type !== 'personal' && id !== own?.id)
    .filter(access => isInForce(call.store, access, call.now))
  return named.map(id => audience(call, id, others))
}

function audience({ core, store }: Call, streamId: string, others: readonly Access[]): StreamAudience {
  const id = currentId(core.config, streamId)
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
    accesses: holders.slice(0, mostAccesses),
    more: Math.max(0, holders.length - mostAccesses)
  }
}

function holder({ deviceName, name, type }: Access): Static<typeof Holder> {
  return { type, name, ...(deviceName !== undefined && { deviceName }) }
}
