/**
 * Sessions of OAuth clients that the user has opened by accepting an offer: they can do no more, and last no longer, than the access
 * that the requester holds because of it. (docs/api/oauth.md#offers)
 */
import type { Access } from '../../schemas/access.js'
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

/** Lists the sessions that belong to the access of a requester. */
export function listOfferSessions(store: UserStore, { id }: Pick<Access, 'id'>): Access[] {
  const isOfOffer = (each: Access | undefined): each is Access =>
    each !== undefined && getOfferMark(each)?.accessId === id
  return store.accesses
    .listIdsByPrefix('app', 'oauth:')
    .map(each => store.accesses.find(each))
    .filter(isOfOffer)
}
