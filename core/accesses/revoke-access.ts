/** Revokes an access permanently; its record is kept. (docs/spec/accesses.md#deleting-an-access) */
import type { Access } from '../../schemas/access.js'
import { connectionField } from '../../schemas/connection.js'
import type { Call } from '../call/method.js'
import type { Steps } from '../../storage/steps.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { formatWireId } from '../access-ids.js'
import { releaseAlias } from './aliases.js'
import { listStreamIds } from '../permissions/access.js'
import { listOfferSessions } from '../permissions/offer-session.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { removeNotice } from './notices.js'
import { visitChildren } from './chain-rules.js'

/** Maximum accesses that are revoked without yielding. */
const maxAtOnce = 100

/** Returns whether an access has created so many, or so large ones, that it cannot be revoked with these in one piece. */
export function isLongToRevoke({ accesses }: Pick<UserStore, 'accesses'>, id: string): boolean {
  return accesses.measureCreatedBy(id, maxAtOnce) > 1
}

/**
 * Returns a function to call before an access is revoked. It throws `NeedsSteps` once the accesses, with those that they have created,
 * are more or larger than may be revoked at once, unless the store is a draft.
 */
export function createRevocationWork({ accesses, isDraft }: UserStore): (access: Access) => void {
  let share = 0
  return ({ id, type }) => {
    if (isDraft) return
    share += 1 / maxAtOnce + (type === 'app' ? accesses.measureCreatedBy(id, maxAtOnce) : 0)
    if (share > 1) throw new NeedsSteps()
  }
}

/**
 * Marks an access as deleted, and with an app access the unexpired shared accesses that it created, with the
 * access of a requester the sessions of its app. Returns the ids of the versions of these related accesses. For each,
 * releases its alias, ends its session and connection, removes its webhooks and its notice, has the copies of
 * what its holder has shared erased, and unless it is personal removes its channels, rules, reminders and
 * forms. Throws `NeedsSteps` if that takes long, unless the store is a draft. Calls that revoke several accesses pass the same `addWork`.
 */
export function* revokeInSteps(
  call: Call,
  access: Access,
  addWork = createRevocationWork(call.store)
): Steps<string[]> {
  addWork(access)
  const related: string[] = []
  for (const id of getCounterparty(access) ? yield* listOfferSessions(call.store, access) : []) {
    const session = call.store.accesses.find(id)
    if (!session) continue
    for (const each of yield* revokeInSteps(call, session, addWork)) related.push(each)
    related.push(formatWireId(session))
  }
  if (access.type === 'app')
    yield* visitChildren(call, access.id, child => {
      revokeOne(call, child)
      related.push(formatWireId(child))
    })
  // The access itself comes last: the audit record is about it.
  revokeOne(call, access)
  yield
  return related
}

function revokeOne(call: Call, access: Access): void {
  const { id, type } = access
  const { accesses, channels, forms, mirrors, reminders, rules, sessions, webhooks } = call.store
  accesses.update({ ...access, deleted: call.now })
  releaseAlias(call, access)
  sessions.end(id)
  removeNotice(call.store, id)
  // The webhooks of the access must no longer be called. (docs/spec/accesses.md#deleting-an-access)
  webhooks.removeByAccess(id)
  // What users create while they are signed in belongs to the account, not to the session.
  if (type !== 'personal') {
    channels.removeByAccess(id)
    rules.removeByAccess(id)
    reminders.removeByAccess(id)
    forms.removeByAccess(id)
  }
  // The copies of what its holder has shared are erased.
  if (mirrors.wakeByAccess(id, call.now)) call.changes.add('timers')
  endConnection(call.store, id)
  call.changes.addAccess(access, listStreamIds(access))
}

/** Ends the connection of an access, if it has one. Another connection may then use its secret. */
export function endConnection({ connections, unique }: Call['store'], accessId: string): void {
  const found = connections.findByAccess(accessId)
  if (!found) return
  const { secretKey } = found.connection
  if (secretKey !== undefined) unique.release(connectionField, secretKey)
  connections.removeByAccess(accessId)
}
