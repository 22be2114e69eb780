/** The accesses that peers hold, and how to find the one for a stream. (docs/spec/consent.md#accesses-of-peers) */
import type { Access } from '../../schemas/access.js'
import type { Call } from '../call/method.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import { revokeInSteps } from '../accesses/revoke-access.js'
import { parseAppPlace } from '../cmc-ids.js'
import { isExpired } from '../permissions/access.js'
import { getCounterparty, type CounterpartyMark } from '../permissions/peer-access.js'
import { types, type Texts } from './contents.js'
import { createSlug, getOwnName } from './names.js'
import { deriveEventId, enqueue } from './outbox.js'
import { recordAction } from './service-calls.js'

/** An access that a peer holds, and its mark. */
export interface Relationship {
  readonly access: Access
  readonly mark: CounterpartyMark
}

/** Returns the relationship of an access; `undefined` if no peer holds it. */
export function findRelationship({ store }: Pick<Call, 'store'>, accessId: string): Relationship | undefined {
  const access = store.accesses.find(accessId)
  const mark = getCounterparty(access)
  return access && mark ? { access, mark } : undefined
}

/**
 * Finds the relationship with a peer in a scope; else one of the same app without a scope of its own. Latest
 * first. Those whose access has expired, or whose peer is gone, do not count.
 */
export function findWithPeer(call: Call, scope: string, slug: string): Relationship | undefined {
  const { now, store } = call
  const live = store.cmc
    .listWithPeer(slug)
    .flatMap(each => findRelationship(call, each.access) ?? [])
    .filter(({ access, mark }) => !isExpired(access, now) && !mark.peerGone)
  const app = parseAppPlace(scope)?.app
  return (
    live.find(({ mark }) => mark.scopeStreamId === scope) ??
    live.find(({ mark }) => mark.scopeStreamId === '' && mark.appCode === app)
  )
}

/** Records that a peer holds an access. */
export function addRelationship({ store }: Call, { access, mark }: Relationship): void {
  store.cmc.putRelationship({
    access: access.id,
    scope: mark.scopeStreamId,
    slug: createSlug(mark.counterparty) ?? ''
  })
}

/**
 * Ends a relationship of this account: deletes the access, with all that {@link revokeInSteps} ends. What is
 * queued for the peer is still delivered.
 */
export function* endRelationship(call: Call, { access }: Relationship): Steps<void> {
  yield* revokeInSteps(call, access)
  call.store.cmc.removeRelationship(access.id)
}

/** Maximum number of ends that are announced without yielding: each access may have a thousand permissions. */
const maxAtOnce = 10

/** Throws `NeedsSteps` if more ends are to be announced than may be at once, unless the store is a draft. */
export function assertFewEnds({ store }: Pick<Call, 'store'>, count: number): void {
  if (!store.isDraft && count > maxAtOnce) throw new NeedsSteps()
}

/** What a revocation says. */
interface Revocation {
  readonly reason?: Texts | undefined
  /** The event that caused it. */
  readonly trigger?: string
}

/**
 * Queues the message that tells the peer that an access has ended, and records it in the audit. Returns false
 * if there is no endpoint to send it to.
 */
export function announceEnd(
  call: Call,
  { access, mark }: Relationship,
  { reason, trigger }: Revocation
): boolean {
  const endpoint = mark.counterparty.apiEndpoint ?? mark.backChannelApiEndpoint
  if (!endpoint) return false
  const { account, services } = call
  const { acceptEventId, appCode, counterparty, offerEventId, scopeStreamId } = mark
  const content = {
    accessId: access.id,
    from: mark.self ?? getOwnName(services.config, account.username),
    ...(reason !== undefined && { reason }),
    appCode,
    scopeStreamId,
    offerEventId,
    acceptEventId
  }
  enqueue(call, access.id, {
    kind: 'event',
    trigger,
    to: { endpoint },
    event: { streamIds: [':_cmc:inbox'], type: types.revoke, content },
    id: deriveEventId(access.id, 'revoke')
  })
  recordAction(call, 'cmc.revoke.sent', { peer: counterparty, accessId: access.id })
  return true
}
