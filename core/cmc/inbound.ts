/** Events that the servers of peers write, with the accesses that they hold. (docs/spec/consent.md#delivered-events) */
import { cmcInbox, type AppPlace } from '../cmc-ids.js'
import type { Call } from '../call/method.js'
import type { Peer, Person } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { isTexts, types, withoutServiceKeys, type Content } from './contents.js'
import { refuse, refuseContent } from './failures.js'
import { isHostOf } from './peers/moves.js'
import { createSlug, isSamePerson, readPerson } from './names.js'
import { parseEndpoint } from './peers/peer-calls.js'
import { endRelationship, type Relationship } from './relationships.js'
import { recordAction, updateMark } from './service-calls.js'
import type { Written } from './triggers.js'

/** An event that a peer delivers. */
interface Delivered {
  readonly type: string
  readonly streamId: string
  readonly place: AppPlace | undefined
  readonly content: Content
  /** Who the peer is if it has moved to another server, and that was checked. */
  readonly movedTo?: Person | undefined
}

const lifecycleTypes: ReadonlySet<string> = new Set([
  types.accept,
  types.refuse,
  types.revoke,
  types.backChannel
])

/**
 * Receives an event of a peer, within the transaction that writes it. Returns the content to store. A back
 * channel also stores the peer's side in the access; a revocation ends the relationship. Throws
 * `invalid-operation` with the id of a reason.
 */
export function receive(call: Call, found: Relationship, delivered: Delivered): Written {
  const { content: given, movedTo, streamId, type } = delivered
  const { counterparty } = found.mark
  if (createSlug(counterparty) === undefined)
    refuse('cmc-counterparty-identity-missing', 'The access names no peer')
  const isInbox = streamId === cmcInbox
  if (type === types.backChannel && !isInbox)
    refuse('cmc-back-channel-wrong-stream', 'A back channel is delivered to the inbox')
  const isAllowed = isInbox ? lifecycleTypes.has(type) : isMessage(delivered)
  if (!isAllowed)
    refuse('cmc-event-type-not-allowed', `${type} cannot be delivered there`, { eventType: type })
  const { delivery: _delivery, failure: _failure, status: _status, ...rest } = given
  const content = { ...rest, from: { username: counterparty.username, host: counterparty.host } }
  if (type === types.backChannel) {
    const from = readPerson(given['from'])
    // Sent with the access of another peer, the message is not about this relationship.
    const isKnown = [counterparty, counterparty.movedTo, movedTo].some(
      each => each && from && isSamePerson(from, each)
    )
    if (from && !isKnown) refuse('cmc-handler-counterparty-unknown', 'This access is that of another account')
    return receiveBackChannel(call, found, { content, movedTo })
  }
  if (type === types.revoke) return receiveRevoke(call, found, content)
  assertFeature(found, type)
  return withoutEndpoints(isInbox ? limitAnswer(found, type, content) : content)
}

/** Returns whether the event is a message in the stream for its kind. */
function isMessage({ place, type }: Delivered): boolean {
  if (type === types.chat) return place?.machinery === 'chats'
  const isSystem =
    type === types.alert || type === types.ack || type === types.scopeRequest || type === types.scopeUpdate
  return isSystem && place?.machinery === 'collectors'
}

/**
 * Returns the content of an answer that a peer delivers to the inbox, without the members that only the service may
 * write. Those that say to which offer and app it belongs are this account's own. Refuses an access that leads to another
 * host than the peer's.
 */
function limitAnswer({ mark }: Relationship, type: string, content: Content): Content {
  // Only answers that came with the link of an offer have these.
  const { inviteEventId: _invite, originalEventId: _offer, ...rest } = content
  const granted = isObject(rest['grantedAccess']) ? rest['grantedAccess']['apiEndpoint'] : undefined
  if (granted !== undefined) {
    const endpoint = typeof granted === 'string' ? parseEndpoint(granted) : undefined
    if (!endpoint || !isHostOf(mark, endpoint.host))
      refuse('cmc-handler-counterparty-unknown', 'The access leads to another host')
  }
  return {
    ...withoutServiceKeys(type, rest),
    from: content['from'],
    requesterAppCode: mark.appCode,
    requesterOriginStreamId: mark.scopeStreamId
  }
}

function assertFeature({ mark: { features } }: Relationship, type: string): void {
  if (type === types.chat && !features.chat) refuse('cmc-chat-disabled', 'This relationship has no chat')
  if ((type === types.alert || type === types.ack) && !features.systemMessaging)
    refuse('cmc-system-messaging-disabled', 'This relationship has no notices')
}

/** Stores the peer's side of the relationship. */
function receiveBackChannel(
  call: Call,
  { access, mark }: Relationship,
  { content, movedTo }: Pick<Delivered, 'content' | 'movedTo'>
): Written {
  const { apiEndpoint, remoteChatStreamId, remoteCollectorStreamId, ...rest } = content
  const endpoint = typeof apiEndpoint === 'string' ? parseEndpoint(apiEndpoint) : undefined
  const areStreams = isStreamOf(remoteChatStreamId) && isStreamOf(remoteCollectorStreamId)
  if (!endpoint || !areStreams)
    refuseContent(types.backChannel, [
      'apiEndpoint, remoteChatStreamId and remoteCollectorStreamId are required'
    ])
  if (!movedTo && !isHostOf(mark, endpoint.host))
    refuse('cmc-handler-counterparty-unknown', 'The back channel leads to another host')
  const counterparty = {
    ...mark.counterparty,
    apiEndpoint,
    remoteChatStreamId,
    remoteCollectorStreamId,
    ...(movedTo && { movedTo })
  } as Peer
  // The requester has no back channel, but the grant of the peer.
  const isGrant = mark.acceptEventId !== undefined
  updateMark(call, access, {
    ...(isGrant && { backChannelApiEndpoint: apiEndpoint }),
    counterparty,
    peerGone: undefined,
    silent: undefined
  })
  recordAction(call, 'cmc.backChannel', { peer: mark.counterparty, accessId: access.id })
  const told = { ...rest, remoteChatStreamId, remoteCollectorStreamId, ...(movedTo && { movedTo }) }
  return { content: told, secrets: { apiEndpoint } }
}

function isStreamOf(id: unknown): id is string {
  return typeof id === 'string' && id.length <= 1024 && id.startsWith(':_cmc:apps:')
}

/** Ends the relationship: the peer has ended its side. */
function receiveRevoke(call: Call, found: Relationship, content: Content): Written {
  call.mayExceedQuota = true
  const { mark } = found
  const { accessId, offerEventId, reason, scopeStreamId } = content
  // The peer has accepted another offer since, and this access answers that one.
  const isFormer =
    mark.offerEventId !== undefined &&
    typeof offerEventId === 'string' &&
    mark.acceptEventId === undefined &&
    mark.offerEventId !== offerEventId
  recordAction(call, 'cmc.revoke.received', { peer: mark.counterparty, accessId: found.access.id })
  return {
    content: {
      from: content['from'],
      accessId,
      ...(isTexts(reason) && { reason }),
      appCode: mark.appCode,
      scopeStreamId: scopeStreamId ?? mark.scopeStreamId,
      offerEventId: offerEventId ?? mark.offerEventId,
      acceptEventId: content['acceptEventId'],
      status: 'completed'
    },
    ...(!isFormer && { work: endRelationship(call, found) })
  }
}

/** Takes endpoints, which only some callers see, out of a content. */
function withoutEndpoints(content: Content): Written {
  const { apiEndpoint, capabilityUrl, grantedAccess, ...rest } = content
  const secrets = {
    ...(apiEndpoint !== undefined && { apiEndpoint }),
    ...(capabilityUrl !== undefined && { capabilityUrl }),
    ...(isObject(grantedAccess) && { grantedAccess })
  }
  return Object.keys(secrets).length === 0 ? { content } : { content: rest, secrets }
}
