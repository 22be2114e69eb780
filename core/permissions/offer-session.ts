/**
 * Sessions of OAuth clients that the user has opened by accepting an offer: they can do no more, and last no longer, than the access
 * that the requester holds because of it. (docs/api/oauth.md#offers)
 */
import type { Access } from '../../schemas/access.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getCounterparty } from './peer-access.js'

/** The member of an access's client data that names the offer. Only the service sets it. */
export const offerKey = 'coffer:offer'

/** What a session belongs to. */
export interface OfferMark {
  /** The name of the offer among those of the client. */
  readonly name: string
  /** Id of the access that the requester holds. */
  readonly accessId: string
}

/** Returns the mark of a session that belongs to an offer; `undefined` for other accesses. */
export function getOfferMark({
  clientData,
  type
}: Pick<Access, 'clientData' | 'type'>): OfferMark | undefined {
  const mark = type === 'app' ? clientData?.[offerKey] : undefined
  if (mark === undefined) return undefined
  const { accessId, name } = Object(mark) as Partial<OfferMark>
  return { name: String(name), accessId: String(accessId) }
}

/** Returns the access that the requester holds, whether or not it has expired; `undefined` once it has been revoked. */
export function findOfferAccess(store: UserStore, { accessId }: OfferMark): Access | undefined {
  const access = store.accesses.find(accessId)
  return getCounterparty(access) ? access : undefined
}

/**
 * Returns whether the offer to which an access belongs, if any, is still accepted. `now` in seconds. True for
 * accesses that belong to none.
 */
export function isOfferInForce(store: UserStore, access: Access, now: number): boolean {
  return getOfferEnd(store, access) > now
}

/**
 * Returns when the offer to which an access belongs is over, in seconds: `Infinity` if it has no end, or the access belongs to none,
 * `-Infinity` once it has been revoked.
 */
export function getOfferEnd(store: UserStore, access: Pick<Access, 'clientData' | 'type'>): number {
  const mark = getOfferMark(access)
  if (!mark) return Infinity
  const held = findOfferAccess(store, mark)
  return held ? (held.expires ?? Infinity) : -Infinity
}

/** Returns whether the client of an access can refresh it, also once it has expired. `now` in seconds. */
export function isRefreshable(store: UserStore, access: Access, now: number): boolean {
  return store.oauthGrants.isRefreshable(access.id, now) && isOfferInForce(store, access, now)
}

/** Maximum number of sessions that are read without yielding. */
const maxAtOnce = 100

/**
 * Calls `visit` with each access of a client whose name begins with `prefix`. In steps, one at a time: each may have thousands of
 * permissions. Throws `NeedsSteps` if that takes long, unless the store is a draft.
 */
export function* visitSessions(
  { accesses, isDraft }: UserStore,
  visit: (session: Access) => void,
  prefix = 'oauth:'
): Steps<void> {
  if (!isDraft && accesses.hasMoreByPrefix('app', prefix, maxAtOnce)) throw new NeedsSteps()
  for (const id of accesses.listIdsByPrefix('app', prefix)) {
    const session = accesses.find(id)
    if (session) visit(session)
    yield
  }
}

/** Lists the ids of the sessions that belong to the access of a requester. In steps: see {@link visitSessions}. */
export function* listOfferSessions(store: UserStore, { id }: Pick<Access, 'id'>): Steps<string[]> {
  const ids: string[] = []
  yield* visitSessions(store, session => {
    if (getOfferMark(session)?.accessId === id) ids.push(session.id)
  })
  return ids
}
