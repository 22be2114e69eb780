/** Revokes an access for good; its record is kept. (docs/spec/accesses.md#deleting-an-access) */
import type { Access } from '../../schemas/access.js'
import type { Call } from '../call/method.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import { isCreatedBy, isExpired, listStreamIds } from '../permissions/access.js'

/**
 * Marks an access as deleted, and with an app access the unexpired shared ones that it created. Returns the latter.
 */
export function revokeAccess(call: Call, access: Access): Access[] {
  return runSteps(revokeInSteps(call, access))
}

/** As {@link revokeAccess}, in steps. */
export function* revokeInSteps(call: Call, access: Access): Steps<Access[]> {
  const related = access.type === 'app' ? listSharedAccesses(call, access.id) : []
  // The access itself comes last: the audit record is about it.
  for (const each of [...related, access]) {
    call.store.accesses.update({ ...each, deleted: call.now })
    call.store.sessions.end(each.id)
    // Its webhooks must not be called any more. (docs/spec/accesses.md#deleting-an-access)
    call.store.webhooks.removeByAccess(each.id)
    call.changes.add('accesses', listStreamIds(each), each.id)
    yield
  }
  return related
}

function listSharedAccesses({ now, store }: Call, creator: string): Access[] {
  return store.accesses
    .listCreatedBy(creator)
    .filter(each => isCreatedBy(each, creator) && !isExpired(each, now))
}
