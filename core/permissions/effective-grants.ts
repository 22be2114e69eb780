/**
 * The effective grants and lifetime of an access: an access shared by an app lasts no longer than the app's access, and
 * grants no more. The same holds for the session of an accepted offer, and the access of the requester.
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Grants } from './grants.js'
import { getCreatorId } from './access.js'
import { findOfferAccess, getOfferMark } from './offer-session.js'

interface EffectiveGrants {
  readonly grants: Grants
  /**
   * Time at which the access ends, in seconds: `Infinity` if it never ends, `-Infinity` if it is void. Sessions are checked
   * elsewhere.
   */
  readonly ends: number
  /** Time at which the effective grants of the access last changed through a write to an access, in seconds. */
  readonly modified: number
}

/** Effective grants of a missing or void access: nothing is granted. */
export const noGrants: EffectiveGrants = { grants: new Grants(), ends: -Infinity, modified: 0 }

const cache = new WeakMap<Access, EffectiveGrants>()

/**
 * Returns the effective grants of an access, computed once per access object. The store replaces all access
 * objects whenever any access changes, so that a change to the creator is noticed. Expiry is not considered.
 */
export function getEffectiveGrants(store: UserStore, access: Access): EffectiveGrants {
  let effective = cache.get(access)
  if (!effective)
    cache.set(
      access,
      (effective = access.type === 'shared' ? createShared(store, access) : createUnshared(store, access))
    )
  return effective
}

/**
 * Returns whether neither an access nor the access that limits it has expired or ended: that of the app that
 * shared it, or of the requester of an offer. Whether a session is open is checked elsewhere. `now` in
 * seconds.
 */
export function isInForce(store: UserStore, access: Access, now: number): boolean {
  return getEffectiveGrants(store, access).ends > now
}

function createOwn(access: Access, limit?: EffectiveGrants): EffectiveGrants {
  const { expires = Infinity, modified } = access
  if (!limit) return { grants: new Grants(access), ends: expires, modified }
  return {
    grants: new Grants(access, limit.grants),
    ends: Math.min(expires, limit.ends),
    modified: Math.max(modified, limit.modified)
  }
}

/**
 * Computes the grants of an access that no app has shared. An access from an accepted offer is limited by what the requester
 * holds.
 */
function createUnshared(store: UserStore, access: Access): EffectiveGrants {
  const mark = getOfferMark(access)
  if (!mark) return createOwn(access)
  const held = findOfferAccess(store, mark)
  return held ? createOwn(access, createOwn(held)) : noGrants
}

/**
 * Computes the grants of a shared access. Accesses that the owner or the service created are not limited by another access.
 * Any other access grants nothing unless its creator is known and has not ended.
 */
function createShared(store: UserStore, access: Access): EffectiveGrants {
  const { accesses } = store
  const id = getCreatorId(access)
  if (id === 'system') return createOwn(access)
  const creator = accesses.find(id) ?? accesses.findEver(id)
  if (creator?.type === 'personal') return createOwn(access)
  return creator?.type === 'app' && creator.deleted === undefined
    ? createOwn(access, getEffectiveGrants(store, creator))
    : noGrants
}
