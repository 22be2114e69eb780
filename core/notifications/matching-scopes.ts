/** Which scopes of a subscriber a change matches. (docs/spec/notifications.md#scopes) */
import type { AccessScope, EventScope, Scope, Scopes } from '../../schemas/scope.js'
import type { Steps } from '../../storage/steps.js'
import { getBaseId } from '../access-ids.js'
import type { Path } from '../changed-item.js'
import type { Change } from '../changes.js'
import type { ChangeRecipient } from '../permissions/change-recipient.js'
import { findEventMatcher } from './event-matcher.js'

/** Number of items that are compared with a scope in a step. */
const itemsPerStep = 100

/**
 * Returns the keys of the scopes that a change matches, if the recipient may be notified of it. In steps, as the change
 * may be long.
 */
export function* findMatchingKeys(
  scopes: Scopes,
  recipient: ChangeRecipient,
  change: Change
): Steps<string[]> {
  if (!(yield* recipient.mayReceive(change))) return []
  const keys: string[] = []
  for (const [key, scope] of Object.entries(scopes))
    if ((scope.kind ?? 'events') === change.kind && (yield* matchesScope(scope, recipient, change)))
      keys.push(key)
  return keys
}

function* matchesScope(scope: Scope, recipient: ChangeRecipient, change: Change): Steps<boolean> {
  if (scope.kind === 'accesses') return matchesAccesses(scope, change)
  if (!change.places) return true
  if (scope.kind !== 'streams') return yield* matchesEvents(scope, recipient, change)
  const streams = scope.query?.streams ?? []
  if (streams.length === 0 || streams.includes('*')) return true
  const ids = yield* recipient.listVisibleStreams(change)
  return streams.some(id => ids.has(id))
}

/** Returns whether the scope selects one of the events before or after the change. */
function* matchesEvents(scope: EventScope, recipient: ChangeRecipient, change: Change): Steps<boolean> {
  const items = yield* recipient.listReadable(change)
  const matcher = findEventMatcher(scope)
  if (!matcher) return items.length > 0
  let count = 0
  for (const item of items) {
    if (matcher.matches(item, recipient)) return true
    if (++count % itemsPerStep === 0) yield
  }
  return false
}

/** Returns whether the scope selects one of the accesses. Of very many accesses, the types are not known, nor all streams. */
function matchesAccesses(
  { query = {} }: AccessScope,
  { accessIds: changed, items, places }: Change
): boolean {
  const { streams, types } = query
  // Clients name an access by the id of any of its versions.
  const accessIds = query.accessIds?.map(getBaseId)
  const isIn = (paths: readonly Path[]): boolean =>
    !streams || paths.some(path => streams.includes('*') || path.some(id => streams.includes(id)))
  if (!items)
    return (
      (!accessIds || changed.some(id => accessIds.includes(id))) && (!streams || !places || places.some(isIn))
    )
  return items.some(
    ({ access, paths }) =>
      access !== undefined &&
      (!accessIds || accessIds.includes(access.id)) &&
      (!types || types.includes(access.type)) &&
      isIn(paths)
  )
}
