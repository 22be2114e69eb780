/** Offers: what a requester asks for, readable by strangers with a capability. (docs/spec/consent.md#offers) */
import { randomBytes } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import { getOfferStreamId, getResponseStreamId } from '../cmc-ids.js'
import type { Call } from '../call/method.js'
import type { PeerOffer } from '../call/services.js'
import { createId, createToken } from '../ids.js'
import { getCapability, type CapabilityMark, type Person } from '../permissions/peer-access.js'
import { apiEndpoint } from '../service-info.js'
import { types, type Content } from './contents.js'
import { PeerUnavailable, refuse, refusePeerUnavailable, TriggerFailed } from './failures.js'
import { getOwnName, isSamePerson, requireOwnName } from './names.js'
import { amendContent, insertAccess, recordAction, updateMark } from './service-calls.js'

const daySeconds = 86_400
const minTtl = 60
const maxTtl = 30 * daySeconds
/** Seconds for which a capability is kept after its end or consumption. */
const keptSeconds = 30 * daySeconds
/** Maximum length of an offer in bytes of JSON. Servers read at most 256 KiB of an answer. */
const maxOfferBytes = 250_000

/** A capability with its access. */
export interface HeldCapability {
  readonly access: Access
  readonly mark: CapabilityMark
}

/**
 * Publishes the offer of a request: creates its capability, with the access that the link of the offer holds,
 * and records that in the audit. Returns what the content of the request says of it. Throws
 * `invalid-operation` with the id of a reason.
 */
export function publishOffer(
  call: Call,
  requestId: string,
  scope: string,
  content: Content
): { readonly content: object; readonly secrets: object } {
  const { account, now, services, store } = call
  const { config } = services
  const self = requireOwnName(call, types.request)
  const request = content['request'] as Content
  const ends = getEnd(call, request['expiresAt'] as number | undefined)
  const capabilityId = randomBytes(16).toString('base64url')
  const streamId = getOfferStreamId(capabilityId)
  const { capabilityRequested: _requested, ...shown } = content
  const offer: Event = {
    id: createId(),
    streamIds: [streamId],
    streamId,
    time: now,
    type: types.request,
    content: {
      ...shown,
      capabilityId,
      originStreamId: scope,
      requesterUsername: self.username,
      requesterHost: self.host
    },
    created: now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system'
  }
  const text = JSON.stringify(offer)
  if (Buffer.byteLength(text) > maxOfferBytes)
    refuse('cmc-capability-offer-too-large', `An offer has at most ${maxOfferBytes} bytes`)
  const mode =
    (content['capability'] as Content | undefined)?.['mode'] === 'open-link' ? 'open-link' : 'single-use'
  const mark: CapabilityMark = {
    kind: 'capability',
    capabilityId,
    requestEventId: requestId,
    singleUse: mode === 'single-use',
    capability: { mode, state: 'open', stateChangedAt: now, acceptedBy: [] }
  }
  const access = insertAccess(call, {
    id: createId(),
    token: createToken(),
    type: 'shared',
    name: `__cmc-cap-${capabilityId.slice(0, 8)}`,
    permissions: [
      { streamId, level: 'read' },
      { streamId: getResponseStreamId(capabilityId), level: 'create-only' }
    ],
    expires: ends,
    clientData: { cmc: mark }
  })
  const removal = ends + keptSeconds
  store.cmc.addCapability({
    id: capabilityId,
    access: access.id,
    request: requestId,
    offer: text,
    removal
  })
  recordAction(call, 'cmc.offer.created', { accessId: access.id })
  return {
    content: { capabilityId, capabilityAccessId: access.id, capabilityExpiresAt: ends, status: 'pending' },
    secrets: { capabilityUrl: apiEndpoint(config, account.username, access.token) }
  }
}

/** Returns when a capability ends, in seconds. */
function getEnd({ now, services: { config } }: Call, expiresAt: number | undefined): number {
  const ends = expiresAt ?? now + config.cmc.capabilityDays * daySeconds
  const computedTtlSeconds = ends - now
  if (computedTtlSeconds < minTtl || computedTtlSeconds > maxTtl)
    refuse('cmc-capability-ttl-out-of-range', 'An offer lasts between a minute and 30 days', {
      expiresAt: ends,
      computedTtlSeconds,
      minTtlSeconds: minTtl,
      maxTtlSeconds: maxTtl
    })
  return ends
}

/**
 * Returns the offer of a capability, an event. It has the present name of the account, which may have been
 * renamed. `undefined` if it has been removed.
 */
export function findOffer(
  { account, services, store }: Pick<Call, 'account' | 'services' | 'store'>,
  { capabilityId }: CapabilityMark
): Event | undefined {
  const found = store.cmc.findCapability(capabilityId)
  if (!found) return undefined
  const offer = JSON.parse(found.offer) as Event
  const { host, username } = getOwnName(services.config, account.username)
  const content = { ...(offer.content as Content), requesterUsername: username, requesterHost: host }
  return { ...offer, content }
}

/**
 * Throws `invalid-operation` with the id of the reason if an offer is not open: `cmc-capability-consumed` once it was
 * answered, `cmc-capability-invalidated` once it was closed, and `cmc-capability-already-accepted-by-you` if `by` has
 * accepted it. Offers past their end are not refused here: their token has ended.
 */
export function assertOpen({ mark: { capability } }: HeldCapability, by?: Person): void {
  const { acceptedBy, state, stateChangedAt } = capability
  if (state === 'consumed')
    refuse('cmc-capability-consumed', 'The offer has been answered', { stateChangedAt })
  if (state === 'invalidated') refuse('cmc-capability-invalidated', 'The offer is closed', { stateChangedAt })
  const former = by && acceptedBy.find(each => isSamePerson(each, by))
  if (former)
    refuse('cmc-capability-already-accepted-by-you', 'This account has accepted the offer before', {
      acceptedAt: former.acceptedAt
    })
}

/**
 * Records that a capability has been accepted, or refused. A capability for a single use is consumed by that.
 * Returns its new state. Does not check that it is open: see {@link assertOpen}.
 */
export function useCapability(
  call: Call,
  { access, mark }: HeldCapability,
  by: Person,
  { isRefusal }: { readonly isRefusal: boolean }
): CapabilityMark['capability'] {
  const { now, store } = call
  const { capability, capabilityId, singleUse } = mark
  const acceptedBy = isRefusal
    ? capability.acceptedBy
    : [...capability.acceptedBy, { ...by, acceptedAt: now }]
  const changed = singleUse ? ({ state: 'consumed', stateChangedAt: now } as const) : {}
  const next = { ...capability, ...changed, acceptedBy }
  updateMark(call, access, { capability: next })
  if (singleUse) store.cmc.setRemoval(capabilityId, now + keptSeconds)
  return next
}

/**
 * Closes an offer to newcomers; does nothing if it is not open. Throws `invalid-operation` with the id
 * `capability-access-not-found` if there is no such offer. Notes the closing in the request; the capability is
 * removed after 30 days.
 */
export function invalidate(call: Call, capabilityId: string): void {
  const { now, store } = call
  const stored = store.cmc.findCapability(capabilityId)
  const access = stored && store.accesses.find(stored.access)
  const mark = getCapability(access)
  if (!stored || !access || !mark) refuse('capability-access-not-found', 'There is no such offer')
  if (mark.capability.state !== 'open') return
  updateMark(call, access, {
    capability: { ...mark.capability, state: 'invalidated', stateChangedAt: now, invalidatedAt: now }
  })
  store.cmc.setRemoval(capabilityId, now + keptSeconds)
  amendContent(call, stored.request, { invalidatedAt: now })
}

/**
 * Reads an offer of another account for a method. Throws `invalid-operation` with the id of a reason.
 * (docs/spec/consent.md#reading-an-offer)
 */
export async function readPeerOffer({ account, services }: Call, capabilityUrl: string): Promise<PeerOffer> {
  try {
    return await services.readOffer(account, capabilityUrl)
  } catch (error) {
    if (error instanceof TriggerFailed)
      refuse(error.reason, 'The offer cannot be accepted', error.detail ? { detail: error.detail } : {})
    if (error instanceof PeerUnavailable) refusePeerUnavailable()
    throw error
  }
}
