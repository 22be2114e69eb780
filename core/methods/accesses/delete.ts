/** Deletes an access: its token becomes invalid at once, its record is kept. (docs/spec/accesses.md#deleting-an-access) */
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { getBaseId } from '../../access-ids.js'
import { requireCurrentAccess } from '../../accesses/wire-id.js'
import { mayManage } from '../../accesses/public-access.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { methodInSteps, type Call, type Result } from '../../call/method.js'
import { isLongToRevoke, revokeInSteps } from '../../accesses/revoke-access.js'
import type { Steps } from '../../../storage/steps.js'

/**
 * Deletes an access with the accesses that it created, and returns the deletion; for an app access also those
 * of the accesses that it shared. Throws `forbidden` for accesses that the caller does not manage, except
 * itself.
 */
export const deleteAccess = methodInSteps({
  id: 'accesses.delete',
  summary: 'Delete an access and the accesses it created',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({
    accessDeletion: ItemDeletion,
    relatedDeletions: Type.Optional(Type.Array(ItemDeletion))
  }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  run: deleteInSteps,
  isLong: (store, { id }) => isLongToRevoke(store, getBaseId(id))
})

function* deleteInSteps(call: Call, { id }: { readonly id: string }): Steps<Result> {
  const access = requireCurrentAccess(call, id)
  assertMayDelete(call, access)
  const related = yield* revokeInSteps(call, access)
  return {
    accessDeletion: { id },
    ...(access.type === 'app' && { relatedDeletions: related.map(each => ({ id: each })) })
  }
}

/**
 * Throws `forbidden` unless the caller may delete the access: besides what {@link mayManage} allows, every access may
 * delete itself unless `selfRevoke` is forbidden.
 */
function assertMayDelete(call: Call, access: Access): void {
  const { caller } = call
  if (access.id !== caller.accessId) {
    if (!mayManage(call, access)) fail('forbidden')
  } else if (caller.isForbidden('selfRevoke'))
    fail('forbidden', 'This access is not allowed to delete itself')
}
