/** Accepting an offer, as the accepter's server carries it out: reading, granting, telling the requester. (docs/spec/consent.md#accepting) */
import type { Access } from '../../schemas/access.js'
import type { Account } from '../../storage/platform/account.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import type { PeerOffer, Services } from '../call/services.js'
import { getResponseStreamId, parseAppPlace } from '../cmc-ids.js'
import { ApiError } from '../errors.js'
import { removeForm } from '../forms/offered-form.js'
import { createId, createToken } from '../ids.js'
import { isShallow } from '../json/depth.js'
import type { CounterpartyMark } from '../permissions/peer-access.js'
import { apiEndpoint } from '../service-info.js'
import { isObject } from '../validation/is-object.js'
import {
  assertOfferable,
  isPermissionForm,
  isStreamChoice,
  joinFeatures,
  readFeatures,
  types,
  type Content
} from './contents.js'
import { PeerUnavailable, TriggerFailed } from './failures.js'
import { addForm, checkForm, hasSchedule } from './offered-forms.js'
import { isWho } from './peers/identity.js'
import { getOwnName, isSamePerson, readPerson } from './names.js'
import { deriveEventId, type Acceptance, type QueuedDelivery } from './outbox.js'
import {
  describeAnswer,
  isTransient,
  parseEndpoint,
  type PeerAnswer,
  type PeerCalls
} from './peers/peer-calls.js'
import { addMachinery, replaceStreams, selectGranted } from './permissions.js'
import { addRelationship, endRelationship, findRelationship } from './relationships.js'
import { addSecrets, amendContent, insertAccess, recordAction, writeStepsAsService } from './service-calls.js'
import { isOwnerOfSlug, isPossibleScope, providePeerStreams } from './streams.js'

/** An offer that has been read and checked. */
interface CheckedOffer extends PeerOffer {
  readonly capabilityId: string
  readonly request: Content
  readonly scope: string
}

/** Reads the offer of an acceptance, and checks who makes it. Throws `TriggerFailed` or `PeerUnavailable`. */
export async function readOffer(
  services: Services,
  peers: PeerCalls,
  account: Account,
  capabilityUrl: unknown
): Promise<CheckedOffer> {
  if (typeof capabilityUrl !== 'string') throw new TriggerFailed('cmc-handler-missing-capability-url')
  const endpoint = parseEndpoint(capabilityUrl)
  if (!endpoint) throw new TriggerFailed('cmc-handler-offer-read-failed', { problem: 'invalid-url' })
  const answer = await peers.call(endpoint, 'events.get', { types: [types.request] })
  assertRead(answer)
  const events: unknown = answer.body['events']
  if (!Array.isArray(events)) throw new TriggerFailed('cmc-handler-offer-read-failed')
  if (events.length === 0) throw new TriggerFailed('cmc-capability-empty')
  if (events.length > 1) throw new TriggerFailed('cmc-capability-multiple-offers')
  const offer: unknown = events[0]
  const content = isObject(offer) ? offer['content'] : undefined
  const isRead = isObject(offer) && isObject(content) && isShallow(content, services.config.limits.jsonDepth)
  if (!isRead || typeof offer['id'] !== 'string') throw new TriggerFailed('cmc-handler-offer-read-failed')
  if (offer['type'] !== types.request) throw new TriggerFailed('cmc-handler-wrong-type')
  const { capabilityId, originStreamId, requesterHost, requesterUsername } = content
  if (typeof capabilityId !== 'string' || !/^[\w-]{8,64}$/.test(capabilityId))
    throw new TriggerFailed('cmc-handler-offer-missing-capability-id')
  const request = checkRequest(content['request'])
  const requester = readPerson({ username: requesterUsername, host: requesterHost })
  const place = typeof originStreamId === 'string' ? parseAppPlace(originStreamId) : undefined
  const isPossible = !requester || isPossibleScope({ services }, place?.scope ?? '', requester)
  if (!place || place.machinery || !isPossible) throw new TriggerFailed('cmc-handler-offer-read-failed')
  checkForm(content)
  const self = getOwnName(services.config, account.username)
  const isOther = requester && !isSamePerson(requester, self)
  if (!isOther || !(await isWho(peers, services.config, endpoint, { claimed: requester })))
    throw new TriggerFailed('cmc-handler-counterparty-unknown')
  return { offerId: offer['id'], capabilityId, content, request, scope: place.scope, requester }
}

function assertRead(answer: PeerAnswer): void {
  const { problem, status } = answer
  if (status >= 200 && status <= 299) return
  if (isTransient(answer)) throw new PeerUnavailable(problem ?? `status ${status}`, answer.retryAfter)
  if (problem === 'too-long') throw new TriggerFailed('cmc-capability-offer-too-large')
  const isRefused = status === 401 || status === 403 || status === 404
  throw new TriggerFailed(
    isRefused ? 'cmc-capability-invalid' : 'cmc-handler-offer-read-failed',
    describeAnswer(answer)
  )
}

/** Returns the request of an offer after checking its permissions and access type. Throws `TriggerFailed`. */
function checkRequest(request: unknown): Content {
  const permissions = isObject(request) ? request['permissions'] : undefined
  if (!isObject(request) || !Array.isArray(permissions))
    throw new TriggerFailed('cmc-offer-invalid-permissions')
  if (permissions.length > 1000 || !permissions.every(isPermissionForm))
    throw new TriggerFailed('cmc-offer-invalid-permissions')
  try {
    assertOfferable(permissions)
  } catch (error) {
    const { data } = (error as ApiError).details
    throw new TriggerFailed(String((data as Content)['id']))
  }
  const { accessType } = request
  if (accessType !== undefined && accessType !== 'shared' && accessType !== 'app')
    throw new TriggerFailed('cmc-offer-invalid-access-type')
  return request
}

/**
 * Grants what an offer asks for: creates the access of the requester, the streams for messages and the offered form, records the
 * acceptance in the audit, and notes in the queued delivery how it goes on. Removes the delivery if its event is gone; does nothing if
 * the delivery is. Rejects with `TriggerFailed`.
 */
export async function grantOffer(
  services: Services,
  account: Account,
  { body, ...row }: QueuedDelivery & { readonly body: Acceptance },
  offer: CheckedOffer
): Promise<void> {
  if (hasSchedule(offer.content)) await services.timers.mark(account)
  await writeStepsAsService(services, account, function* (call) {
    const { now: next, store } = call
    const queued = store.cmc.findDelivery(row)
    const trigger = store.events.find(body.trigger)
    if (!queued) return
    // The user has deleted the event: nothing is accepted.
    if (!trigger) {
      store.cmc.removeDelivery(row.number)
      return
    }
    const granted = yield* createGrant(call, body.chosen, body.trigger, offer)
    store.cmc.updateDelivery({ ...queued, attempts: 0, next, body: JSON.stringify({ ...body, granted }) })
  })
}

/**
 * Creates the access that an acceptance gives to the requester, with its streams, relationship and form. Returns what
 * is to be sent to the requester. Throws `TriggerFailed` if the grant has expired or the name belongs to another
 * peer.
 */
function* createGrant(
  call: Call,
  chosen: Acceptance['chosen'],
  triggerId: string,
  { capabilityId, content, offerId, request, requester, scope }: CheckedOffer
): Steps<NonNullable<Acceptance['granted']>> {
  const { account, services, store } = call
  const self = getOwnName(services.config, account.username)
  const selected = selectGranted(store.streams, request, chosen.grantedPermissions)
  const permissions = isStreamChoice(chosen.ownStreams)
    ? replaceStreams(selected, chosen.ownStreams)
    : selected
  const { expires } = chosen
  // It took so long to reach the requester that the access would be of no use.
  if (typeof expires === 'number' && expires <= call.now)
    throw new TriggerFailed('cmc-handler-build-data-grant-failed', { reason: 'expired' })
  const features = joinFeatures(readFeatures(request['features']), readFeatures(chosen.features))
  if (!isOwnerOfSlug(call, scope, requester)) throw new TriggerFailed('cmc-handler-counterparty-unknown')
  const streams = yield* providePeerStreams(call, scope, requester)
  const appCode = parseAppPlace(scope)!.app
  const mark: CounterpartyMark = {
    role: 'counterparty',
    appCode,
    scopeStreamId: scope,
    counterparty: requester,
    self,
    offerEventId: offerId,
    acceptEventId: triggerId,
    backChannelApiEndpoint: null,
    features
  }
  const meta = isObject(content['requesterMeta']) ? content['requesterMeta'] : {}
  const { accessName } = chosen
  const appId = typeof meta['appId'] === 'string' && meta['appId'] !== '' ? meta['appId'] : 'app'
  const name =
    typeof accessName === 'string' ? accessName : `cmc:${appId}:${requester.username}@${requester.host}`
  const access = insertNamed(
    call,
    {
      id: createId(),
      token: createToken(),
      type: request['accessType'] === 'app' ? 'app' : 'shared',
      name: name.slice(0, 1000),
      permissions: addMachinery(permissions, streams),
      ...(typeof expires === 'number' && { expires }),
      clientData: { cmc: mark }
    },
    triggerId
  )
  addRelationship(call, { access, mark })
  recordAction(call, 'cmc.accept', { peer: requester, accessId: access.id })
  const { ownStreams } = chosen
  const author = store.events.find(triggerId)?.createdBy ?? ''
  const formId = yield* addForm(call, { content, permissions, ownStreams, author })
  const endpoint = apiEndpoint(services.config, account.username, access.token)
  addSecrets(call, triggerId, { acceptedBy: { apiEndpoint: endpoint } })
  return {
    accessId: access.id,
    requester,
    features,
    id: deriveEventId(access.id, triggerId, 'accept'),
    event: {
      streamIds: [getResponseStreamId(capabilityId)],
      type: types.accept,
      content: {
        from: self,
        capabilityId,
        features,
        requesterAppCode: appCode,
        requesterOriginStreamId: scope,
        originalEventId: offerId
      }
    },
    completed: {
      acceptedBy: {},
      dataGrantAccessId: access.id,
      offerEventId: offerId,
      capabilityId,
      from: requester,
      anchorStreamIds: [streams.chats, streams.collectors],
      appCode,
      features,
      ...(formId !== undefined && { formId }),
      notice: toNotice(request)
    }
  }
}

/** Maximum length of each text of a notice, in characters. */
const maxNoticeLength = 5000

function cutText([language, text]: [string, unknown]): [string, string][] {
  return typeof text === 'string' ? [[language.slice(0, 3), text.slice(0, maxNoticeLength)]] : []
}

/** Returns the texts that the user has agreed to, for the receipt. (docs/spec/receipts.md) */
function toNotice(request: Content): Content {
  return Object.fromEntries(
    ['title', 'description', 'consent'].map(key => {
      const texts = isObject(request[key]) ? Object.entries(request[key]) : []
      return [key, Object.fromEntries(texts.slice(0, 20).flatMap(cutText))]
    })
  )
}

/** Inserts the access under its name or, if that is taken, under another. */
function insertNamed(call: Call, access: Parameters<typeof insertAccess>[1], triggerId: string): Access {
  const names = [access.name, `${access.name} (${triggerId.slice(-8)})`]
  const free = names.find(name => !call.store.accesses.findByName(access.type, name))
  if (free === undefined) throw new TriggerFailed('cmc-handler-data-grant-name-conflict')
  return insertAccess(call, { ...access, name: free })
}

/** Completes an acceptance that the requester has received: removes the delivery, and writes the outcome into its event. */
export function completeAcceptance(
  call: Call,
  { body, number }: QueuedDelivery & { readonly body: Acceptance }
): void {
  const { now, store } = call
  const { completed } = body.granted!
  store.cmc.removeDelivery(number)
  amendContent(call, body.trigger, {
    ...completed,
    status: 'completed',
    acceptedAt: now,
    delivery: undefined,
    failure: undefined
  })
}

/**
 * Fails an acceptance: ends what has been granted, removes its form, its delivery and the endpoint in its
 * event, which says why.
 */
export function* failAcceptance(
  call: Call,
  { body, number }: QueuedDelivery & { readonly body: Acceptance },
  { detail, reason }: TriggerFailed
): Steps<void> {
  const { store } = call
  const found = body.granted && findRelationship(call, body.granted.accessId)
  if (found) yield* endRelationship(call, found)
  const formId = body.granted?.completed['formId']
  if (typeof formId === 'string') removeForm(call, formId)
  store.cmc.removeDelivery(number)
  const { acceptedBy: _access, ...secrets } = store.cmc.findSecrets(body.trigger) ?? {}
  store.cmc.setSecrets(body.trigger, secrets)
  amendContent(call, body.trigger, {
    status: 'failed',
    delivery: undefined,
    failure: { reason, ...(detail !== undefined && { detail }) }
  })
}
