/** Revokes an access permanently; its record is kept. (docs/spec/accesses.md#deleting-an-access) */
import type { Access } from '../../schemas/access.js'
import { connectionField } from '../../schemas/connection.js'
import type { Call } from '../call/method.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import { releaseAlias } from './aliases.js'
import { listStreamIds } from '../permissions/access.js'
import { listOfferSessions } from '../permissions/offer-session.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { removeNotice } from './notices.js'
import { listChildren } from './chain-rules.js'

/**
 * Marks an access as deleted, and with an app access the unexpired shared accesses that it created, with the
 * access of a requester the sessions of its app. Returns these related accesses. For each, releases its
 * alias, ends its session and connection, removes its webhooks and its notice, has the copies of what its
 * holder has shared erased, and unless it is personal removes its channels, rules, reminders and forms.
 */
export function revokeAccess(call: Call, access: Access): Access[] {
  return runSteps(revokeInSteps(call, access))
}

/** Does the same as {@link revokeAccess}, in steps. */
export function* revokeInSteps(call: Call, access: Access): Steps<Access[]> {
  const sessions = getCounterparty(access) ? listOfferSessions(call.store, access) : []
  const owners = [access, ...sessions].filter(each => each.type === 'app')
  const related = [...owners.flatMap(({ id }) => listChildren(call, id)), ...sessions]
  // The access itself comes last: the audit record is about it.
  for (const each of [...related, access]) {
    call.store.accesses.update({ ...each, deleted: call.now })
    releaseAlias(call, each)
    call.store.sessions.end(each.id)
    removeNotice(call.store, each.id)
    // The webhooks of the access must no longer be called. (docs/spec/accesses.md#deleting-an-access)
    call.store.webhooks.removeByAccess(each.id)
    // What users create while they are signed in belongs to the account, not to the session.
    if (each.type !== 'personal') {
      call.store.channels.removeByAccess(each.id)
      call.store.rules.removeByAccess(each.id)
      call.store.reminders.removeByAccess(each.id)
      call.store.forms.removeByAccess(each.id)
    }
    // The copies of what its holder has shared are erased.
    if (call.store.mirrors.wakeByAccess(each.id, call.now)) call.changes.add('timers')
    endConnection(call.store, each.id)
    call.changes.addAccess(each, listStreamIds(each))
    yield
  }
  return related
}

/** Ends the connection of an access, if it has one. Another connection may then use its secret. */
export function endConnection({ connections, unique }: Call['store'], accessId: string): void {
  const found = connections.findByAccess(accessId)
  if (!found) return
  const { secretKey } = found.connection
  if (secretKey !== undefined) unique.release(connectionField, secretKey)
  connections.removeByAccess(accessId)
}
