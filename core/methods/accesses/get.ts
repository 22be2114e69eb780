/** Lists accesses. (docs/spec/accesses.md#listing-accesses) */
import { Type } from 'typebox'
import { Access } from '../../../schemas/access.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import type { AccessPage } from '../../../storage/repositories/accesses.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import {
  addLastUse,
  limitToCaller,
  PublicAccess,
  toPublicAccess,
  type ViewContext
} from '../../accesses/public-access.js'
import { toWireAccess } from '../../access-ids.js'
import { notShared } from '../../auth/allow.js'
import type { Caller } from '../../permissions/caller.js'
import { describeOAuthGrant } from '../../oauth/token-grants.js'
import type { Listing } from '../../json/json-text.js'
import { method, type Call } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import { isCreatedBy, isExpired } from '../../permissions/access.js'
import { isRefreshable } from '../../permissions/offer-session.js'

/**
 * Returns accesses by name, without expired ones unless they are requested, or their clients can refresh them;
 * and if requested, deleted ones by time of deletion. An app sees only what it has shared.
 */
export const get = method({
  id: 'accesses.get',
  summary: 'List the accesses that the caller can manage',
  params: Type.Object(
    { includeExpired: orNull(Type.Boolean()), includeDeletions: orNull(Type.Boolean()) },
    closed
  ),
  result: Type.Object({
    accesses: Type.Array(PublicAccess),
    accessDeletions: Type.Optional(Type.Array(Access))
  }),
  mode: 'read',
  allow: notShared,
  run(call, { includeExpired, includeDeletions }) {
    const { now } = call
    const accesses = createListing(call, {
      page: (store, last) => store.accesses.listAfter(last),
      isWanted: (access, store) =>
        includeExpired === true || !isExpired(access, now) || isRefreshable(store, access, now),
      present: (viewing, access) => {
        const oauth = describeOAuthGrant(viewing.store, access, now)
        return { ...toPublicAccess(viewing, access), ...(oauth && { oauth }) }
      }
    })
    if (!includeDeletions) return { accesses }
    const accessDeletions = createListing(call, {
      page: (store, last) => store.accesses.listDeletedAfter(last),
      isWanted: () => true,
      present: (viewing, access) => toWireAccess(limitToCaller(viewing, addLastUse(viewing, access)))
    })
    return { accesses, accessDeletions }
  }
})

interface ListOptions {
  readonly page: (store: UserStore, last: Access | undefined) => AccessPage
  readonly isWanted: (access: Access, store: UserStore) => boolean
  readonly present: (call: ViewContext, access: Access) => object
}

/** Lists the accesses that the caller may see. */
function createListing(
  { account, credentials, now, services }: Call,
  { isWanted, page, present }: ListOptions
): Listing<Reader> {
  let last: Access | undefined
  return {
    next({ caller, store }) {
      const { accesses, isLast } = page(store, last)
      last = accesses.at(-1)
      const texts = accesses
        .filter(access => isWanted(access, store) && mayList(caller, access))
        .map(access =>
          JSON.stringify(present({ account, caller, credentials, now, services, store }, access))
        )
      return { text: texts.join(','), count: texts.length, done: isLast }
    }
  }
}

/**
 * Returns whether the caller may see an access: personal accesses see all accesses, apps see the accesses that they
 * shared and that still lie within their own permissions.
 */
function mayList(caller: Caller, access: Access): boolean {
  if (caller.isPersonal) return true
  return (
    access.type === 'shared' &&
    isCreatedBy(access, caller.accessId) &&
    caller.covers(access.permissions ?? [])
  )
}
