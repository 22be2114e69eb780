/** Reads one event. (docs/spec/events.md#reading-one-event) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier, ItemDeletion, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { getAuditEvent } from '../../audit/events.js'
import { describeItemScope } from '../../audit/read-scope.js'
import { isAuditId } from '../../audit-ids.js'
import { fail } from '../../errors.js'
import { assertReadable } from '../../events/event-permissions.js'
import { listEventVersions } from '../../events/event-history.js'
import { toPublicEvent } from '../../events/public-event.js'
import { maySeeSecret, toSecretEvent } from '../../shared-secrets/state.js'
import { JsonText } from '../../json/json-text.js'
import { method, type Call, type Result } from '../../call/method.js'

/**
 * Returns the event, or the record of a deleted one, with its earlier versions on request. Also finds audit
 * records and shared secrets, which have no versions. Errors: `unknown-resource`, `forbidden`.
 */
export const getOne = method({
  id: 'events.getOne',
  summary: 'Get an event, optionally with its earlier versions',
  params: Type.Object({ id: Identifier, includeHistory: orNull(Type.Boolean()) }, closed),
  result: Type.Object({
    event: Type.Union([Event, ItemDeletion]),
    history: Type.Optional(Type.Array(Type.Union([Event, ItemDeletion])))
  }),
  mode: 'read',
  allow: anyAccess,
  run(call, { id, includeHistory }) {
    const { caller, now, store } = call
    if (isAuditId(id)) return { event: getAuditEvent(call, id), ...(includeHistory && { history: [] }) }
    const found = store.events.findText(id)
    const secret = found ? undefined : store.sharedSecrets.find(id)
    if (secret && maySeeSecret(caller, secret))
      return { event: toSecretEvent(secret, now), ...(includeHistory && { history: [] }) }
    const history = includeHistory ? listEventVersions(call, id) : undefined
    if (!found) return { event: getDeletion(call, id), history }
    assertReadable(call, found)
    call.auditScope = describeItemScope(call, found.streams)
    return { event: toPublicEvent(call, found.body), history }
  }
})

/**
 * Returns the deletion of an event, with what is left of the event if that was stored. For callers who could
 * not have read the event, it counts as unknown: `unknown-resource`.
 */
function getDeletion({ caller, store }: Call, id: string): Result {
  const found = store.history.findDeletion(id)
  if (!found || !caller.couldReadEvent(found.paths, found.deleted))
    fail('unknown-resource', `No event "${id}"`)
  const residue = store.history.findResidue(id)
  if (residue !== undefined) return new JsonText(residue)
  const { paths: _paths, ...left } = found
  return left
}
