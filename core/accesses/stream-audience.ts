/**
 * What a user has to know about streams before granting them to an app: where each is, who created it, and who else can
 * see it. Another app may have created a stream with the same id before, within its own permissions.
 */
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import { isStreamPermission, Level } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getAuditedAccess } from '../audit-ids.js'
import type { RequestedPermission } from './granting.js'
import { allows } from '../permissions/levels.js'
import type { Call } from '../call/method.js'
import { toCurrentId } from '../account/older-ids.js'
import { isInForce, getEffectiveGrants } from '../permissions/effective-grants.js'
import { isRefreshable } from '../permissions/offer-session.js'
import { iterateAncestors } from '../streams/tree.js'
import { getCreatorId } from '../permissions/access.js'

const AudienceMember = Type.Object({
  type: Type.String(),
  name: Type.String(),
  deviceName: Type.Optional(Type.String())
})

export const StreamAudience = Type.Object({
  /** The id as requested. */
  streamId: Type.String(),
  /** From the root to the stream itself; empty if it does not exist yet. */
  path: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Whether the stream holds values of the account, such as the email address. */
  isOfAccount: Type.Boolean(),
  /** The app or shared access that created the stream; absent if the user created it. */
  creator: Type.Optional(AudienceMember),
  /** App and shared accesses that may list the stream, with their levels. */
  accesses: Type.Array(Type.Object({ ...AudienceMember.properties, level: Level })),
  /** Number of further accesses, beyond those listed. */
  more: Type.Integer()
})
export type StreamAudience = Static<typeof StreamAudience>

/** Limits on the streams described, and on the accesses listed for each. */
const maxStreams = 100
const maxAccesses = 20

/** The accesses found so far that may list a stream. */
interface AudienceList {
  readonly accesses: StreamAudience['accesses']
  more: number
}

/**
 * Finds the audience of each requested stream, at most 100 of them, without sessions and without `excluded`, the access
 * that is to be delivered or replaced. Requests for all streams (`*`), for the audit and for features have none. In
 * steps: there may be thousands of accesses, each with thousands of permissions. The caller's access may have changed
 * by the time the last step has run.
 */
export function* findAudiences(
  call: Call,
  requested: readonly RequestedPermission[],
  excluded: Access | undefined
): Steps<StreamAudience[]> {
  const asked = new Set(requested.flatMap(each => ('streamId' in each ? [each.streamId] : [])))
  const streamIds = [...asked]
    .filter(id => id !== '*' && getAuditedAccess(id) === undefined)
    .slice(0, maxStreams)
  const found = new Map(streamIds.map((id): [string, AudienceList] => [id, { accesses: [], more: 0 }]))
  // Other work runs between two steps, and may close the file.
  const getStore = (): UserStore => call.services.accounts.openStore(call.account)
  const relevantIds = listRelevantIds(call, getStore(), streamIds)
  for (let last: Access | undefined, isLast = found.size === 0; !isLast;) {
    const page = getStore().accesses.listAfter(last)
    for (const access of page.accesses) {
      const isOther = access.type !== 'personal' && access.id !== excluded?.id
      if (isOther && mayConcern(access, relevantIds)) addToAudiences(call, getStore(), access, found)
      yield
    }
    last = page.accesses.at(-1)
    isLast = page.isLast
  }
  return Array.from(found, ([id, holders]) => toStreamAudience(call, getStore(), id, holders))
}

/** Returns the ids by which a permission may apply to the streams: their own, those of their ancestors, and `*`. */
function listRelevantIds(
  { services }: Call,
  store: UserStore,
  streamIds: readonly string[]
): ReadonlySet<string> {
  const names = new Set(['*'])
  for (const streamId of streamIds) {
    const id = toCurrentId(services.config, streamId)
    const node = store.streams.find(id)
    names.add(id)
    if (node) for (const { stream } of iterateAncestors(node)) names.add(stream.id)
  }
  return names
}

/**
 * Returns whether an access may apply to the streams: a permission names one of the streams, or an ancestor. A cheap
 * first test; computing the access's levels takes far longer.
 */
function mayConcern({ permissions = [] }: Access, relevantIds: ReadonlySet<string>): boolean {
  return permissions.some(
    permission => isStreamPermission(permission) && relevantIds.has(permission.streamId)
  )
}

/** Adds an access to the audiences of the streams that it may list, if it is in force, or its client can refresh it. */
function addToAudiences(
  { now, services }: Call,
  store: UserStore,
  access: Access,
  found: ReadonlyMap<string, AudienceList>
): void {
  if (!isInForce(store, access, now) && !isRefreshable(store, access, now)) return
  const { grants } = getEffectiveGrants(store, access)
  for (const [streamId, holders] of found) {
    const level = grants.level(store.streams, toCurrentId(services.config, streamId))
    if (level === undefined || !allows(level, 'list')) continue
    if (holders.accesses.length < maxAccesses) holders.accesses.push({ ...toAudienceMember(access), level })
    else holders.more++
  }
}

/**
 * Combines what is known of a stream with those who can see it. `path` is empty if the stream does not exist;
 * `creator` is absent unless an app or a shared access created it.
 */
function toStreamAudience(
  { services }: Call,
  store: UserStore,
  streamId: string,
  found: AudienceList
): StreamAudience {
  const node = store.streams.find(toCurrentId(services.config, streamId))
  const creator = node && store.accesses.findEver(getCreatorId(node.stream))
  return {
    streamId,
    path: node
      ? Array.from(iterateAncestors(node), ({ stream: { id: each, name } }) => ({
          id: each,
          name
        })).toReversed()
      : [],
    isOfAccount: node?.system?.kind === 'account',
    ...(creator && creator.type !== 'personal' && { creator: toAudienceMember(creator) }),
    ...found
  }
}

function toAudienceMember({ deviceName, name, type }: Access): Static<typeof AudienceMember> {
  return { type, name, ...(deviceName !== undefined && { deviceName }) }
}
