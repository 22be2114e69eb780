/** Answers to an offer, as the requester's server receives them: acceptance and refusal. (docs/spec/consent.md#accepting) */
import { createHash } from 'node:crypto'
import { cmcInbox, getResponseStreamId, parseAppPlace } from '../cmc-ids.js'
import type { StoredAnswer } from '../../storage/cmc/cmc-repository.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { ApiError, fail } from '../errors.js'
import { createId, createToken } from '../ids.js'
import { getCapability, type CounterpartyMark, type Person } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { isTexts, joinFeatures, readFeatures, types, type Content } from './contents.js'
import { PeerUnavailable, refuse, refuseContent } from './failures.js'
import { isWho } from './peers/identity.js'
import { createSlug, getOwnName, isSamePerson, readPerson } from './names.js'
import { assertOpen, findOffer, useCapability, type HeldCapability } from './offers.js'
import { enqueue, deriveEventId } from './outbox.js'
import { parseEndpoint, type PeerCalls } from './peers/peer-calls.js'
import { addMachinery } from './permissions.js'
import { addRelationship } from './relationships.js'
import { amendContent, insertAccess, insertEvent, recordAction } from './service-calls.js'
import { isOwnerOfSlug, providePeerStreams } from './streams.js'

/** The event by which an answer comes. */
export interface AnswerParams {
  readonly id?: string | null
  readonly type: string
  readonly content?: unknown
}

interface ParsedAcceptance {
  readonly content: Content
  readonly from: Person
  readonly endpoint: string
}

/** Reads an acceptance. Throws `cmc-invalid-event-content`. */
function parseAcceptance({ content }: AnswerParams): ParsedAcceptance {
  const from = isObject(content) ? readPerson(content['from']) : undefined
  const granted = isObject(content) ? content['grantedAccess'] : undefined
  const endpoint = isObject(granted) ? granted['apiEndpoint'] : undefined
  if (!isObject(content) || !from || typeof endpoint !== 'string')
    refuseContent(types.accept, ['from and grantedAccess.apiEndpoint are required'])
  return { content, from, endpoint }
}

/**
 * Checks who accepts, before the transaction. Returns the error to refuse the acceptance with; `undefined` if
 * the peer is who it claims to be, or if the same acceptance was processed before.
 */
export async function checkAcceptance(
  peers: PeerCalls,
  call: Call,
  params: AnswerParams
): Promise<ApiError | undefined> {
  try {
    const { endpoint: text, from } = parseAcceptance(params)
    const held = requireHeld(call)
    // Answered without asking anyone: the answer is known.
    if (findFormer(call, held, params, text)) return undefined
    assertOpen(held, from)
    const endpoint = parseEndpoint(text)
    const { config } = call.services
    const self = getOwnName(config, call.account.username)
    const isSelf = isSamePerson(from, self)
    if (!endpoint || isSelf || !(await isWho(peers, config, endpoint, { claimed: from, holder: self })))
      refuse('cmc-handler-counterparty-unknown', 'The account that accepts could not be verified')
    return undefined
  } catch (error) {
    if (error instanceof PeerUnavailable)
      return new ApiError('api-unavailable', 'The server of the account that accepts cannot be reached', {
        retryAfter: error.retryAfter ?? 60
      })
    if (error instanceof ApiError) return error
    throw error
  }
}

function requireHeld({ caller: { access } }: Call): HeldCapability {
  const mark = getCapability(access)
  return access && mark ? { access, mark } : fail('forbidden')
}

function hashEndpoint(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('base64url')
}

function findFormer({ store }: Call, { mark }: HeldCapability, { id }: AnswerParams, endpoint: string) {
  return store.cmc.findAnswer(id ?? '', mark.capabilityId, hashEndpoint(endpoint))
}

/** Records that an answer has been processed. Its id, which the peer chooses, must not be that of an answer to another offer. */
function addAnswer({ store }: Call, answer: StoredAnswer): void {
  if (store.cmc.findAccessOfAnswer(answer.event) !== undefined)
    fail('item-already-exists', `An event with the ID "${answer.event}" already exists`, { id: answer.event })
  store.cmc.addAnswer(answer)
}

/** Maximum length of an answer, as JSON: anyone with the link can write one. */
const maxAnswerLength = 65_536

/**
 * Processes an answer. Returns the event that the peer gets as the result; the same one for an answer that was
 * processed before. An acceptance creates or updates the access for the peer, and queues the message with our
 * side. Both answers write an event to the inbox, note the answer in the request, and consume an offer for a
 * single use. Errors: `invalid-request-structure`, `forbidden`, `unknown-resource`, `item-already-exists` for
 * an id that answers another offer, and `invalid-operation` with the id of a reason.
 */
export function* receiveAnswer(call: Call, params: AnswerParams): Steps<object> {
  if (call.files.length > 0) fail('invalid-request-structure', 'Answers have no files')
  if ((JSON.stringify(params.content) ?? '').length > maxAnswerLength)
    refuseContent(params.type, [`content must have at most ${maxAnswerLength} characters`])
  if (params.type === types.accept) return yield* receiveAcceptance(call, params)
  if (params.type === types.refuse) return receiveRefusal(call, params)
  return refuse('cmc-event-type-not-allowed', 'An offer can be accepted or refused', {
    eventType: params.type
  })
}

/**
 * Receives an acceptance: creates the access for messages from the accepter, stores the event in the inbox, and marks
 * the request. Returns the answer; for one that has arrived before, the same without effects. Refuses offers that are
 * used, expired or gone.
 */
function* receiveAcceptance(call: Call, params: AnswerParams): Steps<object> {
  const { account, now, services } = call
  const { content, endpoint, from } = parseAcceptance(params)
  const held = requireHeld(call)
  const former = findFormer(call, held, params, endpoint)
  if (former) return toAnswer(call, held, { ...params, id: former.event }, content)
  assertOpen(held, from)
  const offer = findOffer(call, held.mark) ?? fail('unknown-resource', 'There is no such offer')
  const asked = offer.content as Content
  const scope = String(asked['originStreamId'])
  const slug = createSlug(from)!
  if (!isOwnerOfSlug(call, scope, from))
    refuse('cmc-handler-counterparty-unknown', 'Another account has messages under the same slug')
  const streams = yield* providePeerStreams(call, scope, from)
  const self = getOwnName(services.config, account.username)
  const ownSlug = createSlug(self)!
  const features = joinFeatures(
    readFeatures((asked['request'] as Content)['features']),
    readFeatures(content['features'])
  )
  const mark: CounterpartyMark = {
    role: 'counterparty',
    appCode: parseAppPlace(scope)?.app ?? '',
    scopeStreamId: scope,
    features,
    counterparty: {
      ...from,
      apiEndpoint: endpoint,
      remoteChatStreamId: `${scope}:chats:${ownSlug}`,
      remoteCollectorStreamId: `${scope}:collectors:${ownSlug}`
    },
    self,
    offerEventId: offer.id
  }
  const access = putBackChannel(call, mark, slug, addMachinery([], streams))
  const { capabilityId, requestEventId } = held.mark
  const id = params.id ?? createId()
  addAnswer(call, {
    event: id,
    capability: capabilityId,
    endpoint: hashEndpoint(endpoint),
    access: access.id
  })
  const { grantedAccess: _endpoint, ...delivered } = content
  insertEvent(call, {
    streamId: cmcInbox,
    type: types.accept,
    content: {
      ...delivered,
      from,
      capabilityId,
      features,
      requesterAppCode: mark.appCode,
      requesterOriginStreamId: scope,
      originalEventId: offer.id,
      grantedAccess: {},
      backChannelAccessId: access.id,
      inviteEventId: requestEventId
    },
    secrets: { grantedAccess: { apiEndpoint: endpoint } }
  })
  const { acceptedBy } = useCapability(call, held, from, { isRefusal: false })
  amendContent(
    call,
    requestEventId,
    held.mark.singleUse
      ? { status: 'completed', acceptedBy: from, acceptedAt: now, accessId: access.id }
      : { status: 'completed', acceptedCount: acceptedBy.length, acceptedAt: now }
  )
  enqueueBackChannel(call, access.id, { ...mark, self })
  recordAction(call, 'cmc.backChannel', { peer: from, accessId: access.id })
  return toAnswer(call, held, { ...params, id }, { ...content, from })
}

/**
 * Queues the message that gives the peer our side of the relationship. `turn` tells messages apart: one with
 * the same turn is the same event at the peer.
 */
export function enqueueBackChannel(call: Call, accessId: string, mark: CounterpartyMark, turn = ''): void {
  const { appCode, counterparty, scopeStreamId, self } = mark
  const own = self ?? getOwnName(call.services.config, call.account.username)
  const slug = createSlug(counterparty)!
  enqueue(call, accessId, {
    kind: 'event',
    to: { access: accessId },
    carries: accessId,
    event: {
      streamIds: [cmcInbox],
      type: types.backChannel,
      content: {
        from: own,
        remoteChatStreamId: `${scopeStreamId}:chats:${slug}`,
        remoteCollectorStreamId: `${scopeStreamId}:collectors:${slug}`,
        appCode,
        scopeStreamId
      }
    },
    id: deriveEventId(accessId, 'back-channel', counterparty.apiEndpoint ?? '', turn)
  })
}

/** Creates the access for a peer, or gives the one it has a new counterpart. */
function putBackChannel(
  call: Call,
  mark: CounterpartyMark,
  slug: string,
  permissions: ReturnType<typeof addMachinery>
) {
  const { store } = call
  const { appCode, scopeStreamId } = mark
  const isRoot = scopeStreamId === `:_cmc:apps:${appCode}`
  const suffix = isRoot ? '' : `--${createHash('sha1').update(scopeStreamId).digest('hex').slice(0, 12)}`
  const name = `cmc-back-channel-${appCode}--${slug}${suffix}`
  const former = store.accesses.findByName('shared', name)
  const isOurs = former?.createdBy === 'system'
  const clientData = { cmc: mark }
  const access = isOurs
    ? store.accesses.update({ ...former, permissions, clientData, modified: call.now, modifiedBy: 'system' })
    : insertAccess(call, {
        id: createId(),
        token: createToken(),
        type: 'shared',
        name: former ? `${name} (${createId().slice(-8)})` : name,
        permissions,
        clientData
      })
  if (isOurs) call.changes.addAccess(access, [])
  addRelationship(call, { access, mark })
  return access
}

/**
 * Receives a refusal: stores it in the inbox, and marks the request. Returns the answer; for one that has arrived
 * before, the same without effects. Refuses malformed contents, and offers that are used or expired.
 */
function receiveRefusal(call: Call, params: AnswerParams): object {
  const { now } = call
  const content = isObject(params.content) ? params.content : {}
  const from = readPerson(content['from'])
  if (!from) refuseContent(types.refuse, ['from is required'])
  const held = requireHeld(call)
  const { reason } = content
  if (reason !== undefined && !isTexts(reason))
    refuseContent(types.refuse, ['reason must be text, or texts by language'])
  const { capabilityId, requestEventId, singleUse } = held.mark
  const id = params.id ?? createId()
  const former = call.store.cmc.findAnswer(id, capabilityId, '')
  if (former) return toAnswer(call, held, { ...params, id }, content)
  assertOpen(held, from)
  useCapability(call, held, from, { isRefusal: true })
  addAnswer(call, { event: id, capability: capabilityId, endpoint: `refused ${id}`, access: '' })
  insertEvent(call, {
    streamId: cmcInbox,
    type: types.refuse,
    content: { capabilityId, from, ...(reason !== undefined && { reason }), inviteEventId: requestEventId }
  })
  const told = { refusedBy: from, refusedAt: now }
  amendContent(call, requestEventId, singleUse ? { status: 'completed', ...told } : told)
  return toAnswer(call, held, { ...params, id }, content)
}

/** Returns the event that the peer gets, which is stored nowhere. */
function toAnswer(
  { caller, now }: Call,
  { mark }: HeldCapability,
  { id, type }: AnswerParams,
  content: Content
): object {
  const { capabilityUrl: _url, grantedAccess: _granted, ...shown } = content
  const streamId = getResponseStreamId(mark.capabilityId)
  const tracking = { created: now, createdBy: caller.signature, modified: now, modifiedBy: caller.signature }
  return { event: { id, streamIds: [streamId], streamId, time: now, type, content: shown, ...tracking } }
}
