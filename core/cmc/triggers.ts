/** Triggers: events by which the user and apps act, and what the service does because of them. (docs/spec/consent.md#event-types) */
import type { AppPlace } from '../cmc-ids.js'
import type { Steps } from '../../storage/steps.js'
import { getBaseId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { mayManage } from '../accesses/public-access.js'
import { types, withoutServiceKeys, type Content, type Texts } from './contents.js'
import { refuse, refuseContent, TriggerFailed } from './failures.js'
import { requireOwnName } from './names.js'
import { invalidate, publishOffer } from './offers.js'
import { assertForm } from './offered-forms.js'
import { deriveEventId, enqueue } from './outbox.js'
import {
  announceEnd,
  endRelationship,
  findRelationship,
  findWithPeer,
  type Relationship
} from './relationships.js'
import { ApiError } from '../errors.js'
import { updateScope } from './scope-updates.js'

/** A trigger that is being written. */
interface Trigger {
  readonly id: string
  readonly type: string
  readonly streamId: string
  readonly place: AppPlace
  readonly content: Content
}

/** The content to store, and the members of it that only some callers see. */
export interface Written {
  readonly content: Content
  readonly secrets?: object
  /** Work that remains to be done in the same transaction, before the event is stored. */
  readonly work?: Steps<void>
}

/**
 * Acts on a trigger, within its transaction: publishes an offer, ends an access, or queues what peers are
 * told. Returns the content to store; of a trigger that fails, it says why. Errors: `invalid-operation` with
 * the id of a reason.
 */
export function actOn(call: Call, trigger: Trigger): Written {
  const given = { ...trigger, content: withoutServiceKeys(trigger.type, trigger.content) }
  try {
    return actions[trigger.type]?.(call, given) ?? { content: given.content }
  } catch (error) {
    if (!(error instanceof TriggerFailed)) throw error
    const { detail, reason } = error
    const { capabilityUrl: _url, ...content } = given.content
    return {
      content: { ...content, status: 'failed', failure: { reason, ...(detail !== undefined && { detail }) } }
    }
  }
}

type Act = (call: Call, trigger: Trigger) => Written

const actions: Readonly<Record<string, Act>> = {
  [types.request]: actOnRequest,
  [types.accept]: actOnAnswer,
  [types.refuse]: actOnAnswer,
  [types.revoke]: actOnRevoke,
  [types.invalidate]: actOnInvalidate,
  [types.chat]: (call, trigger) => actOnMessage(call, trigger, chatReasons),
  [types.alert]: (call, trigger) => actOnMessage(call, trigger, systemReasons),
  [types.ack]: (call, trigger) => actOnMessage(call, trigger, systemReasons),
  [types.scopeRequest]: (call, trigger) => actOnMessage(call, trigger, systemReasons),
  [types.scopeUpdate]: (call, trigger) => actOnMessage(call, trigger, systemReasons)
}

function actOnRequest(call: Call, { content, id, place, streamId, type }: Trigger): Written {
  if (content['capabilityRequested'] !== true) return { content }
  if (place.machinery) refuseContent(type, ['requests are written in the stream of an app'])
  assertForm(content)
  const { content: added, secrets } = publishOffer(call, id, streamId, content)
  return { content: { ...content, ...added }, secrets }
}

/**
 * Queues an acceptance or a refusal of an offer. Returns what is stored: the link of the offer goes to the secrets.
 * Refuses what assistants and apps may not do (only the user can accept an offer), and an `expires` in the past.
 */
function actOnAnswer(call: Call, { content: given, id, place, type }: Trigger): Written {
  const { caller } = call
  if (type === types.accept && !caller.isPersonal)
    refuse('cmc-accept-requires-personal-token', 'Only the user can accept an offer', { eventType: type })
  if (place.machinery) refuseContent(type, ['answers are written in the stream of an app'])
  const self = requireOwnName(call, type)
  const { capabilityUrl, ...content } = given
  const { accessName, expires, features, grantedPermissions, ownStreams } = content
  if (typeof expires === 'number' && expires <= call.now)
    refuseContent(type, ['expires must be in the future'])
  if (type === types.accept)
    enqueue(call, `accept ${id}`, {
      kind: 'accept',
      trigger: id,
      chosen: { accessName, expires, features, grantedPermissions, ownStreams }
    })
  else
    enqueue(call, `refuse ${id}`, {
      kind: 'event',
      trigger: id,
      to: { endpoint: String(capabilityUrl) },
      // The stream of responses is known once the offer has been read.
      event: { streamIds: [], type, content: { reason: content['reason'], from: self } },
      id: deriveEventId(id, 'refuse')
    })
  return { content: { ...content, status: 'pending' }, secrets: { capabilityUrl } }
}

/** Ends a relationship and queues the message to the peer. Throws `TriggerFailed` if the caller may not. */
function actOnRevoke(call: Call, { content, id, place }: Trigger): Written {
  const { caller } = call
  const found = findRevoked(call, place, content['accessId'])
  const isOwn = found.access.id === caller.access?.id
  if (isOwn ? caller.isForbidden('selfRevoke') : !mayManage(call, found.access))
    throw new TriggerFailed('cmc-revoke-forbidden')
  const reason = content['reason'] as Texts | undefined
  const isTold = announceEnd(call, found, { reason, trigger: id })
  const work = endRelationship(call, found)
  if (isTold) return { content: { ...content, status: 'pending' }, work }
  const deliveryFailure = { reason: 'cmc-revoke-no-peer-endpoint' }
  return { content: { ...content, status: 'completed', peerNotified: false, deliveryFailure }, work }
}

function findRevoked(call: Call, { scope, slug }: AppPlace, accessId: unknown): Relationship {
  if (typeof accessId === 'string') {
    const found = findRelationship(call, getBaseId(accessId))
    if (!found) throw new TriggerFailed('cmc-revoke-counterparty-access-not-found')
    return found
  }
  const found = slug === undefined ? undefined : findWithPeer(call, scope, slug)
  if (!found) throw new TriggerFailed('cmc-revoke-counterparty-missing')
  return found
}

function actOnInvalidate(call: Call, { content, place, type }: Trigger): Written {
  if (place.machinery) refuseContent(type, ['links are closed in the stream of an app'])
  try {
    invalidate(call, String(content['capabilityId']))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new TriggerFailed(String((error.details.data as Content)['id']))
  }
  return { content: { ...content, status: 'completed' } }
}

/** What is said of a message that cannot be sent. */
interface Reasons {
  readonly stream: 'chats' | 'collectors'
  readonly feature: 'chat' | 'systemMessaging'
  readonly wrongStream: string
  readonly noAccess: string
  readonly noEndpoint: string
  readonly noStream: string
  readonly disabled: string
}

const chatReasons: Reasons = {
  stream: 'chats',
  feature: 'chat',
  wrongStream: 'cmc-chat-stream-not-chat',
  noAccess: 'cmc-chat-counterparty-access-not-found',
  noEndpoint: 'cmc-chat-no-remote-apiendpoint',
  noStream: 'cmc-chat-no-remote-chat-stream',
  disabled: 'cmc-chat-disabled'
}

const systemReasons: Reasons = {
  stream: 'collectors',
  feature: 'systemMessaging',
  wrongStream: 'cmc-system-stream-not-collector',
  noAccess: 'cmc-system-counterparty-access-not-found',
  noEndpoint: 'cmc-system-no-remote-apiendpoint',
  noStream: 'cmc-system-no-remote-collector-stream',
  disabled: 'cmc-system-messaging-disabled'
}

/** Types that are sent whatever features both sides have agreed on. */
const unconditionalTypes: ReadonlySet<string> = new Set([types.scopeRequest, types.scopeUpdate])

/**
 * Queues a message or a change of permissions for the peer of the stream. Returns what is stored. Throws
 * `TriggerFailed` with one of `reasons` if the peer cannot get it; only the user can change permissions.
 */
function actOnMessage(call: Call, trigger: Trigger, reasons: Reasons): Written {
  const { content, id, place, streamId, type } = trigger
  if (type === types.scopeUpdate && !call.caller.isPersonal)
    refuse('cmc-accept-requires-personal-token', 'Only the user can change permissions', { eventType: type })
  if (place.machinery !== reasons.stream || place.slug === undefined)
    throw new TriggerFailed(reasons.wrongStream)
  const found = findWithPeer(call, place.scope, place.slug)
  if (!found) throw new TriggerFailed(reasons.noAccess)
  const { access, mark } = found
  const { apiEndpoint, remoteChatStreamId, remoteCollectorStreamId } = mark.counterparty
  if (!mark.features[reasons.feature] && !unconditionalTypes.has(type))
    throw new TriggerFailed(reasons.disabled)
  if (apiEndpoint === undefined) throw new TriggerFailed(reasons.noEndpoint)
  const target = reasons.stream === 'chats' ? remoteChatStreamId : remoteCollectorStreamId
  if (target === undefined) throw new TriggerFailed(reasons.noStream)
  const update = type === types.scopeUpdate ? updateScope(call, found, streamId, content) : undefined
  enqueue(call, access.id, {
    kind: 'event',
    trigger: id,
    to: { access: access.id },
    event: { streamIds: [target], type, content: update?.delivered ?? content },
    id: deriveEventId(access.id, id)
  })
  return { content: { ...content, ...update?.content, status: 'pending' } }
}
