/** Deletes an access: its token is void at once, its record stays. (service.md, Accesses; supplement 13.2) */
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { isCreatedBy } from '../../access-view.js'
import { anyAccess } from '../../allow.js'
import { fail } from '../../errors.js'
import { method, type Call, type Result } from '../../method.js'
import { revoking } from '../../revoke.js'
import { atOnce, type Steps } from '../../steps.js'

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
  run: (call, params) => atOnce(deletion(call, params)),
  steps: {
    areMany: ({ accesses }, { id }) => accesses.hasMoreCreatedBy(id, few),
    run: deletion
  }
})

/** Accesses that are deleted at once. */
const few = 100

function* deletion(call: Call, { id }: { readonly id: string }): Steps<Result> {
  const access = call.store.accesses.find(id) ?? fail('unknown-resource', `Unknown access "${id}"`)
  mustMayDelete(call, access)
  const related = yield* revoking(call, access)
  return {
    accessDeletion: { id },
    ...(access.type === 'app' && { relatedDeletions: related.map(each => ({ id: each.id })) })
  }
}

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
