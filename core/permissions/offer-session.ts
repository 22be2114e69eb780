/**
 * Sessions of OAuth clients that the user has opened by accepting an offer: they can do no more, and last no longer, than the access
 * that the requester holds because of it. (docs/api/oauth.md#offers)
 */
import type { Access } from '../../schemas/access.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { isExpired } from './access.js'
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
  const mark = getOfferMark(access)
  if (!mark) return true
  const held = findOfferAccess(store, mark)
  return held !== undefined && !isExpired(held, now)
}

/** Calls `visit` with each session that belongs to the access of a requester. In steps, one at a time: each may have many permissions. */
export function* visitOfferSessions(
  { accesses }: UserStore,
  { id }: Pick<Access, 'id'>,
  visit: (session: Access) => Steps<void>
): Steps<void> {
  for (const sessionId of accesses.listIdsByPrefix('app', 'oauth:')) {
    const session = accesses.find(sessionId)
    if (session && getOfferMark(session)?.accessId === id) yield* visit(session)
    yield
  }
}
