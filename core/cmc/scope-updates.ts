/** Changes of what a peer may do, asked for by the peer or made by the user. (docs/spec/consent.md#changes-of-permissions) */
import type { Permission } from '../../schemas/permission.js'
import type { Call } from '../call/method.js'
import { formatWireId, getBaseId } from '../access-ids.js'
import { assertPermissionsFit } from '../accesses/granting.js'
import { updateAccess } from '../accesses/update-access.js'
import { getCreatorId } from '../permissions/access.js'
import { ApiError } from '../errors.js'
import { assertOfferable, types, type Content } from './contents.js'
import { TriggerFailed } from './failures.js'
import { deriveEventId, enqueue } from './outbox.js'
import { replaceGranted, toStoredPermissions, withoutMachinery } from './permissions.js'
import type { Relationship } from './relationships.js'
import { insertEvent, recordAction } from './service-calls.js'

/** What a change of permissions comes to. */
interface ScopeUpdate {
  /** What the trigger says. */
  readonly content: Content
  /** What the peer gets. */
  readonly delivered: Content
}

/** Carries out the answer of the user to a request for other permissions, or a change without a request. Throws `TriggerFailed`. */
export function updateScope(
  call: Call,
  found: Relationship,
  streamId: string,
  content: Content
): ScopeUpdate {
  const { accept, accessId, reason, scopeRequestEventId } = content
  // Back channels grant nothing but messages.
  if (found.mark.acceptEventId === undefined) return failApply('not-a-grant')
  if (typeof scopeRequestEventId !== 'string') {
    if (getBaseId(String(accessId)) !== found.access.id) return failApply('other-access')
    const { expires, newPermissions } = content
    const change = changeGrant(call, found, newPermissions as unknown[], expires)
    // The peer learns the end as well: it has to be told before, not when the access is gone.
    const told = { ...change, accessId: undefined, ...(expires !== undefined && { expires }) }
    return { content: change, delivered: told }
  }
  const request = call.store.events.find(scopeRequestEventId)
  const isTheirs =
    request?.type === types.scopeRequest &&
    request.streamIds.includes(streamId) &&
    getCreatorId(request) === found.access.id &&
    !request.trashed
  if (!isTheirs) return failApply('unknown-request')
  const told = { scopeRequestEventId, accept, ...(reason !== undefined && { reason }) }
  if (accept !== true) return { content: {}, delivered: told }
  const { expires, newPermissions } = request.content as Content
  const change = changeGrant(call, found, newPermissions as unknown[], expires)
  return { content: change, delivered: { ...told, ...change, newAccessId: undefined } }
}

function failApply(reason: string): never {
  throw new TriggerFailed('cmc-scope-update-local-apply-failed', { reason })
}

/** Replaces the permissions that the user has granted; those for messages stay. */
function changeGrant(
  call: Call,
  { access, mark }: Relationship,
  newPermissions: readonly unknown[],
  expires: unknown
): Content {
  try {
    assertOfferable(newPermissions)
    assertPermissionsFit(toStoredPermissions(newPermissions), access)
  } catch (error) {
    throw new TriggerFailed('cmc-scope-update-local-apply-failed', (error as ApiError).details.data)
  }
  // An access ends by a revocation, which tells the peer at once.
  if (typeof expires === 'number' && expires <= call.now) return failApply('end-in-past')
  const granted = toStoredPermissions(newPermissions)
  const former = access.permissions ?? []
  const kept = updateAccess(call, access, {
    permissions: replaceGranted(granted, former),
    ...(expires !== undefined && { expires: expires as number | null })
  })
  const newAccessId = formatWireId(kept)
  recordAction(call, 'cmc.scopeUpdate', { peer: mark.counterparty, accessId: access.id })
  return { newAccessId, newPermissions: granted, previousPermissions: withoutMachinery(former) }
}

/** Tells the peer that the user has changed its permissions in another way, and notes it in the account. */
export function announceChange(
  call: Call,
  { access, mark }: Relationship,
  former: readonly Permission[],
  newAccessId: string
): void {
  const content = {
    source: 'post-hook',
    previousPermissions: withoutMachinery(former),
    newPermissions: withoutMachinery(access.permissions ?? []),
    newAccessId
  }
  const own = access.permissions?.find(
    each => 'streamId' in each && each.streamId.startsWith(`${mark.scopeStreamId}:collectors:`)
  )
  if (own && 'streamId' in own && call.store.streams.find(own.streamId))
    insertEvent(call, {
      streamId: own.streamId,
      type: types.scopeUpdate,
      content: { ...content, status: 'completed' }
    })
  const { apiEndpoint, remoteCollectorStreamId } = mark.counterparty
  if (apiEndpoint === undefined || remoteCollectorStreamId === undefined) return
  enqueue(call, access.id, {
    kind: 'event',
    to: { access: access.id },
    event: { streamIds: [remoteCollectorStreamId], type: types.scopeUpdate, content },
    id: deriveEventId(access.id, newAccessId, String(access.modified))
  })
}
