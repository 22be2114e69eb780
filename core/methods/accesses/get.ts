/** Lists accesses. (service.md, Accesses; supplement 26) */
import { Type } from 'typebox'
import { Access } from '../../../schemas/access.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { isCreatedBy, isExpired, PublicAccess, publicAccess, withLastUse } from '../../access-view.js'
import { notShared } from '../../allow.js'
import type { Caller } from '../../caller.js'
import { method } from '../../method.js'

/** Accesses by name; those deleted by time of deletion, if asked for. */
export const get = method({
  id: 'accesses.get',
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
    const { caller, now, store } = call
    const accesses = store.accesses
      .list()
      .filter(access => (includeExpired || !isExpired(access, now)) && mayList(caller, access))
      .map(access => publicAccess(call, access))
    if (!includeDeletions) return { accesses }
    const accessDeletions = store.accesses
      .listDeleted()
      .filter(access => mayList(caller, access))
      .map(access => withLastUse(call, access))
    return { accesses, accessDeletions }
  }
})

/** Personal accesses see all; apps see what they shared, as far as it still lies within what they hold. */
function mayList(caller: Caller, access: Access): boolean {
  if (caller.isPersonal) return true
  return (
    access.type === 'shared' &&
    isCreatedBy(access, caller.accessId) &&
    caller.covers(access.permissions ?? [])
  )
}
