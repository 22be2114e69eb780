/**
 * What a user has to know about streams before granting them to an app: where each is, who created it, and who else sees
 * it. Another app may have created a stream with the same id before, within its own permissions.
 */
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import { isStreamPermission, Level } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
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

/** The accesses found so far that may list a stream. */
interface Found {
  readonly accesses: StreamAudience['accesses']
  more: number
}

/**
 * Returns the audience of each requested stream, without `own`, the access that is to be delivered or replaced. In steps:
 * there may be thousands of accesses, each with thousands of permissions. The caller may have changed by the end.
 */
export function* audienceOf(
  call: Call,
  requested: readonly RequestedPermission[],
  own: Access | undefined
): Steps<StreamAudience[]> {
  const asked = new Set(requested.flatMap(each => ('streamId' in each ? [each.streamId] : [])))
  const streamIds = [...asked]
    .filter(id => id !== '*' && auditedAccess(id) === undefined)
    .slice(0, maxStreams)
  const found = new Map(streamIds.map((id): [string, Found] => [id, { accesses: [], more: 0 }]))
  // Others have their turn between two steps, and may close the file.
  const present = (): UserStore => call.services.accounts.store(call.account)
  const named = namesAbout(call, present(), streamIds)
  for (let last: Access | undefined, isLast = found.size === 0; !isLast;) {
    const page = present().accesses.listAfter(last)
    for (const access of page.accesses) {
      const isOther = access.type !== 'personal' && access.id !== own?.id
      if (isOther && isAbout(access, named)) note(call, present(), access, found)
      yield
    }
    last = page.accesses.at(-1)
    isLast = page.isLast
  }
  return Array.from(found, ([id, holders]) => audience(call, present(), id, holders))
}

/** The ids by which a permission may be about the streams: their own, those above them, and `*` for all. */
function namesAbout({ services }: Call, store: UserStore, streamIds: readonly string[]): ReadonlySet<string> {
  const names = new Set(['*'])
  for (const streamId of streamIds) {
    const id = currentId(services.config, streamId)
    const node = store.streams.find(id)
    names.add(id)
    if (node) for (const { stream } of upwards(node)) names.add(stream.id)
  }
  return names
}

/** Whether an access may be about streams: it names one of them, or one above. To look at its levels takes far longer. */
function isAbout({ permissions = [] }: Access, named: ReadonlySet<string>): boolean {
  return permissions.some(permission => isStreamPermission(permission) && named.has(permission.streamId))
}

/** Notes which of the streams an access may list, if it is in force. */
function note(
  { now, services }: Call,
  store: UserStore,
  access: Access,
  found: ReadonlyMap<string, Found>
): void {
  if (!isInForce(store, access, now)) return
  const { grants } = standingOf(store, access)
  for (const [streamId, holders] of found) {
    const level = grants.level(store.streams, currentId(services.config, streamId))
    if (level === undefined || !allows(level, 'list')) continue
    if (holders.accesses.length < maxAccesses) holders.accesses.push({ ...holder(access), level })
    else holders.more++
  }
}

function audience({ services }: Call, store: UserStore, streamId: string, found: Found): StreamAudience {
  const node = store.streams.find(currentId(services.config, streamId))
  const maker = node && store.accesses.findEver(creatorOf(node.stream))
  return {
    streamId,
    path: node
      ? Array.from(upwards(node), ({ stream: { id: each, name } }) => ({ id: each, name })).toReversed()
      : [],
    isOfAccount: node?.system?.kind === 'account',
    ...(maker && maker.type !== 'personal' && { creator: holder(maker) }),
    ...found
  }
}

function holder({ deviceName, name, type }: Access): Static<typeof Holder> {
  return { type, name, ...(deviceName !== undefined && { deviceName }) }
}
