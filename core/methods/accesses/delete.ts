/** Deletes an access: its token is void at once, its record stays. (service.md, Accesses; supplement 13.2) */
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { isCreatedBy } from '../../access-view.js'
import { anyAccess } from '../../allow.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../method.js'
import { revoke } from '../../revoke.js'

/** The deletion; for an app access also those of the accesses it shared. */
export const deleteAccess = method({
  id: 'accesses.delete',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({
    accessDeletion: ItemDeletion,
    relatedDeletions: Type.Optional(Type.Array(ItemDeletion))
  }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run(call, { id }) {
    const access = call.store.accesses.find(id) ?? fail('unknown-resource', `Unknown access "${id}"`)
    mustMayDelete(call, access)
    const related = revoke(call, access)
    return {
      accessDeletion: { id },
      ...(access.type === 'app' && { relatedDeletions: related.map(each => ({ id: each.id })) })
    }
  }
})

/** Personal accesses delete any, apps what they shared, and everyone themselves unless `selfRevoke` is forbidden. */
function mustMayDelete({ caller }: Call, access: Access): void {
  if (access.id === caller.accessId) {
    if (caller.isForbidden('selfRevoke')) fail('forbidden', 'This access must not delete itself')
    return
  }
  if (caller.isPersonal) return
  const isOwn =
    caller.access?.type === 'app' && access.type === 'shared' && isCreatedBy(access, caller.accessId)
  if (!isOwn) fail('forbidden')
}
