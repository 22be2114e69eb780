/** One attempt of a delivery: what is sent, and what its answer means. (docs/spec/consent.md#delivery) */
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import { getResponseStreamId } from '../cmc-ids.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { apiEndpoint } from '../service-info.js'
import { isObject } from '../validation/is-object.js'
import { completeAcceptance, failAcceptance, grantOffer, readOffer } from './acceptance.js'
import { types, type Content } from './contents.js'
import { PeerUnavailable, TriggerFailed } from './failures.js'
import { getOwnName } from './names.js'
import type { Acceptance, EventDelivery, QueuedDelivery } from './outbox.js'
import {
  describeAnswer,
  getErrorId,
  getReason,
  isTransient,
  parseEndpoint,
  type Endpoint,
  type PeerAnswer,
  type PeerCalls
} from './peers/peer-calls.js'
import { amendContent, recordAction, writeAsService, writeStepsAsService } from './service-calls.js'

/** Who delivers, and to whom. */
export interface DeliveryContext {
  readonly services: Services
  readonly peers: PeerCalls
  readonly account: Account
}

/**
 * Makes an attempt. Resolves once the delivery is done, has failed permanently, or has reached its next stage. Throws `PeerUnavailable` if
 * it is to be repeated.
 */
export async function makeAttempt(context: DeliveryContext, queued: QueuedDelivery): Promise<void> {
  const { body } = queued
  if (body.kind === 'event') return await attemptEvent(context, queued, body)
  const acceptance = { ...queued, body }
  try {
    if (body.granted) await attemptAcceptance(context, acceptance, body.granted)
    else await beginAcceptance(context, acceptance)
  } catch (error) {
    if (!(error instanceof TriggerFailed)) throw error
    await writeStepsAsService(context.services, context.account, call =>
      failAcceptance(call, acceptance, error)
    )
  }
}

/** Returns the host to which a delivery goes; empty if it has none. */
export function findTargetHost(services: Services, account: Account, { body }: QueuedDelivery): string {
  const store = services.accounts.openStore(account)
  return store.read(() => {
    const endpoint =
      body.kind === 'event'
        ? findEndpoint(services, account, body.to)
        : parseEndpoint(String(store.cmc.findSecrets(body.trigger)?.['capabilityUrl']))
    return endpoint?.host ?? ''
  })
}

/**
 * Ends a delivery that could not be made in time, and writes that into the event that caused it. What an
 * acceptance has granted ends.
 */
export async function giveUp({ account, services }: DeliveryContext, queued: QueuedDelivery): Promise<void> {
  const { body } = queued
  await writeStepsAsService(services, account, function* (call) {
    if (body.kind === 'event') fail(call, queued, body, 'cmc-handler-delivery-failed', undefined)
    else {
      const reason = body.granted ? 'cmc-handler-delivery-failed' : 'cmc-capability-timeout'
      yield* failAcceptance(call, { ...queued, body }, new TriggerFailed(reason))
    }
  })
}

async function beginAcceptance(
  { account, peers, services }: DeliveryContext,
  queued: QueuedDelivery & { readonly body: Acceptance }
): Promise<void> {
  const { trigger } = queued.body
  const store = services.accounts.openStore(account)
  const url = store.read(() => store.cmc.findSecrets(trigger)?.['capabilityUrl'])
  const offer = await readOffer(services, peers, account, url)
  await grantOffer(services, account, queued, offer)
}

/**
 * Tells the requester of the access that it has got, and completes the acceptance. Throws `PeerUnavailable`, or
 * `TriggerFailed` if the requester refuses or the access was revoked in the meantime.
 */
async function attemptAcceptance(
  context: DeliveryContext,
  queued: QueuedDelivery & { readonly body: Acceptance },
  { accessId, event, id }: NonNullable<Acceptance['granted']>
): Promise<void> {
  const { account, peers, services } = context
  const store = services.accounts.openStore(account)
  const [url, access] = store.read(() => [
    store.cmc.findSecrets(queued.body.trigger)?.['capabilityUrl'],
    store.accesses.find(accessId)
  ])
  // Revoked while the requester could not be reached.
  if (!access) throw new TriggerFailed('cmc-handler-data-grant-create-failed', { reason: 'revoked' })
  const endpoint = parseEndpoint(String(url))
  if (!endpoint) throw new TriggerFailed('cmc-handler-missing-capability-url')
  const grantedAccess = { apiEndpoint: apiEndpoint(services.config, account.username, access.token) }
  // The name may have changed since the grant.
  const from = getOwnName(services.config, account.username)
  const content = { ...event.content, from, grantedAccess }
  const answer = await postEvent(peers, endpoint, { ...event, content }, id)
  if (isTransient(answer)) throw toUnavailable(answer)
  if (!isAccepted(answer)) {
    const mark = getCounterparty(store.read(() => store.accesses.find(accessId)))
    // An earlier attempt has arrived, although its answer was lost.
    const isKnown = getReason(answer) === 'cmc-capability-consumed' && mark?.backChannelApiEndpoint
    if (!isKnown) throw new TriggerFailed('cmc-handler-delivery-rejected', describeAnswer(answer))
  }
  await writeAsService(services, account, call => completeAcceptance(call, queued))
}

/**
 * Sends an event to a peer, and records whether it has arrived. An answer to an offer first reads the offer, for the
 * stream that takes it. Throws `PeerUnavailable`.
 */
async function attemptEvent(
  { account, peers, services }: DeliveryContext,
  queued: QueuedDelivery,
  body: EventDelivery
): Promise<void> {
  const store = services.accounts.openStore(account)
  const endpoint = store.read(() => findEndpoint(services, account, body.to))
  const finish = async (answer: PeerAnswer | undefined, reason: string): Promise<void> => {
    await writeAsService(services, account, call => {
      if (answer === undefined || !isDelivered(body, answer)) fail(call, queued, body, reason, answer)
      else complete(call, queued, body)
    })
  }
  if (!endpoint) return await finish(undefined, 'cmc-handler-delivery-failed')
  let { event } = body
  if (event.streamIds.length === 0) {
    const read = await peers.call(endpoint, 'events.get', { types: [types.request] })
    if (isTransient(read)) throw toUnavailable(read)
    const capabilityId = readCapabilityId(read)
    if (capabilityId === undefined) return await finish(read, 'cmc-handler-offer-read-failed')
    const capabilityUrl = 'endpoint' in body.to ? body.to.endpoint : undefined
    const content = { ...event.content, capabilityId, capabilityUrl }
    event = { ...event, streamIds: [getResponseStreamId(capabilityId)], content }
  }
  if (body.carries !== undefined) {
    const carried = store.read(() => store.accesses.find(body.carries!))
    // Ended since: there is nothing to give.
    if (!carried) return await finish({ status: 200, body: {} }, '')
    const apiEndpointText = apiEndpoint(services.config, account.username, carried.token)
    event = { ...event, content: { ...event.content, apiEndpoint: apiEndpointText } }
  }
  const answer = await postEvent(peers, endpoint, event, body.id)
  if (isTransient(answer)) throw toUnavailable(answer)
  await finish(answer, 'cmc-handler-delivery-rejected')
}

/** Returns where a delivery goes, also for an access that has ended since. */
function findEndpoint(services: Services, account: Account, to: EventDelivery['to']): Endpoint | undefined {
  if ('endpoint' in to) return parseEndpoint(to.endpoint)
  const mark = getCounterparty(services.accounts.openStore(account).accesses.findEver(to.access))
  const { apiEndpoint: text } = mark?.counterparty ?? {}
  return text === undefined ? undefined : parseEndpoint(text)
}

/**
 * Returns the capability of the offer in an answer to `events.get`; `undefined` if there is none, or not a valid one.
 */
function readCapabilityId({ body }: PeerAnswer): string | undefined {
  const events: unknown = body['events']
  const offer: unknown = Array.isArray(events) ? events[0] : undefined
  const content = isObject(offer) ? offer['content'] : undefined
  const id = isObject(content) ? content['capabilityId'] : undefined
  return typeof id === 'string' && /^[\w-]{8,64}$/.test(id) ? id : undefined
}

/** Members that people read, which some servers take by language only. */
const textKeys: ReadonlySet<string> = new Set(['reason', 'message', 'title', 'body'])

/**
 * Posts an event under its id. Servers that do not let clients choose ids get it without, and servers that refuse texts get them
 * by language.
 */
export async function postEvent(
  peers: PeerCalls,
  endpoint: Endpoint,
  event: EventDelivery['event'],
  id: string
): Promise<PeerAnswer> {
  const answer = await peers.call(endpoint, 'events.create', { id, ...event })
  if (answer.status !== 400) return answer
  if (getErrorId(answer) === 'invalid-parameters-format' && JSON.stringify(answer.body).includes('#/id'))
    return await peers.call(endpoint, 'events.create', event)
  const content = withTextsByLanguage(event.content)
  if (getReason(answer) !== 'cmc-invalid-event-content' || !content) return answer
  return await postEvent(peers, endpoint, { ...event, content }, id)
}

/** Returns a content with texts by language instead of text; `undefined` if it has no text. */
function withTextsByLanguage(content: Content): Content | undefined {
  const texts = Object.entries(content).filter(
    ([key, value]) => textKeys.has(key) && typeof value === 'string'
  )
  if (texts.length === 0) return undefined
  return { ...content, ...Object.fromEntries(texts.map(([key, text]) => [key, { en: text }])) }
}

/** Returns whether an event has arrived, now or before. */
function isAccepted(answer: PeerAnswer): boolean {
  const { status } = answer
  return (status >= 200 && status <= 299) || (status === 409 && getErrorId(answer) === 'item-already-exists')
}

/** Returns whether nothing is left to do: a peer that no longer knows our access needs not be told that it has ended. */
function isDelivered({ event }: EventDelivery, answer: PeerAnswer): boolean {
  if (isAccepted(answer)) return true
  const { status } = answer
  return (
    event.type === types.revoke &&
    (status === 401 || status === 403) &&
    getErrorId(answer) === 'invalid-access-token'
  )
}

function toUnavailable(answer: PeerAnswer): PeerUnavailable {
  return new PeerUnavailable(answer.problem ?? `status ${answer.status}`, answer.retryAfter)
}

type WriteCall = Parameters<Parameters<typeof writeAsService>[2]>[0]

function complete(call: WriteCall, { number }: QueuedDelivery, { event, trigger }: EventDelivery): void {
  call.store.cmc.removeDelivery(number)
  if (trigger === undefined) return
  const told = event.type === types.revoke ? { peerNotified: true } : {}
  amendContent(call, trigger, { ...told, status: 'completed', delivery: undefined })
}

/** Gives up a delivery: removes it from the queue, and records the failure in the audit and in the event that asked for it. */
function fail(
  call: WriteCall,
  { number }: QueuedDelivery,
  { event, to, trigger }: EventDelivery,
  reason: string,
  answer: PeerAnswer | undefined
): void {
  call.store.cmc.removeDelivery(number)
  recordAction(call, 'cmc.delivery.failed', 'access' in to ? { accessId: to.access } : {})
  if (trigger === undefined) return
  const detail = answer && describeAnswer(answer)
  amendContent(call, trigger, describeFailure(event, answer, { reason, ...(detail && { detail }) }))
}

/** Returns what a trigger says of a delivery that has failed. */
function describeFailure(
  { type }: EventDelivery['event'],
  answer: PeerAnswer | undefined,
  failure: object
): Content {
  if (type === types.revoke)
    return {
      status: 'completed',
      peerNotified: false,
      deliveryFailure: { ...failure, reason: 'cmc-revoke-delivery-failed' },
      delivery: undefined
    }
  // A refusal takes effect without the requester.
  if (type === types.refuse && answer && answer.status !== 0)
    return { status: 'completed', delivery: undefined }
  return { status: 'failed', failure, delivery: undefined }
}
