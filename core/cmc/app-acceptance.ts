/** Accepting an offer of an app that asks by OAuth: the page waits for the outcome. (docs/api/oauth.md#offers) */
import type { Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import type { PeerOffer } from '../call/services.js'
import { writeStepsSeparately } from '../call/write-separately.js'
import { cmcApps, parseAppPlace } from '../cmc-ids.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { assertContent, types, type Content } from './contents.js'
import { refuse, refusePeerUnavailable, TriggerFailed } from './failures.js'
import { deriveEventId } from './outbox.js'
import { selectGranted } from './permissions.js'
import { announceEnd, endRelationship, findRelationship } from './relationships.js'
import { insertEvent } from './service-calls.js'
import { assertEnabled, provideScope } from './streams.js'
import { actOn } from './triggers.js'

/** How the user accepts an offer that an app has published. */
interface AppAcceptance {
  /** The request of the app: repeating the call does not accept twice. */
  readonly request: string
  readonly app: string
  readonly capabilityUrl: string
  /** What the user has chosen: members of the content of `consent/accept-cmc`. */
  readonly chosen: Content
}

/** How long the user waits for the other server, in milliseconds. */
const maxWaitMs = 20_000
/** Maximum number of times that a request can be accepted in vain. */
const maxAttempts = 20

/**
 * Accepts an offer, which has been read, and returns the id of the access that the requester has got. A call
 * that is repeated waits for the first acceptance, unless that has failed. Throws `invalid-operation` with the
 * id of a reason: `cmc-peer-unavailable` if the other server has not answered within 20 seconds. Error:
 * `unavailable-method` while consent is switched off.
 */
export async function acceptForApp(call: Call, offer: PeerOffer, acceptance: AppAcceptance): Promise<string> {
  const { account, services } = call
  assertEnabled(call)
  const id = await writeStepsSeparately(call, (_store, inCall) => writeAnswer(inCall, offer, acceptance))
  await services.waitForAccepted(account, id, maxWaitMs)
  const store = services.accounts.openStore(account)
  const { dataGrantAccessId, failure, status } = store.read(() => readContent(store, id))
  if (status === 'completed' && typeof dataGrantAccessId === 'string') {
    // The mark of the access is the service's alone; what an event says is not.
    const mark = getCounterparty(store.read(() => store.accesses.find(dataGrantAccessId)))
    return mark?.acceptEventId === id ? dataGrantAccessId : refuseOffer('cmc-handler-delivery-failed')
  }
  if (status === 'pending' || status === 'delivered') refusePeerUnavailable()
  const reason = isObject(failure) ? failure['reason'] : undefined
  return refuseOffer(typeof reason === 'string' ? reason : 'cmc-handler-delivery-failed')
}

/** Writes the event that accepts an offer, unless there is one. Returns its id. */
function* writeAnswer(
  call: Call,
  { content: { request } }: PeerOffer,
  { app, capabilityUrl, chosen, request: key }: AppAcceptance
): Steps<string> {
  const { store } = call
  const content = { ...chosen, capabilityUrl }
  assertContent(types.accept, content)
  try {
    selectGranted(store.streams, Object(request) as Content, chosen['grantedPermissions'])
  } catch (error) {
    if (error instanceof TriggerFailed) refuseOffer(error.reason)
    throw error
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const id = deriveEventId('app', key, String(attempt))
    if (!store.events.findText(id)) {
      const streamId = getAppStreamId(app)
      yield* provideScope(call, streamId)
      const place = parseAppPlace(streamId)!
      const written = actOn(call, { id, type: types.accept, streamId, place, content })
      insertEvent(call, { ...written, id, streamId, type: types.accept })
      return id
    }
    if (isAnswer(store.events.find(id), app) && readContent(store, id)['status'] !== 'failed') return id
  }
  return refuseOffer('cmc-handler-delivery-failed')
}

/** Returns whether an event is one that accepts an offer of an app: others may have chosen its id, too. */
function isAnswer(event: Event | undefined, app: string): boolean {
  return event?.type === types.accept && event.streamId === getAppStreamId(app)
}

function readContent(store: Call['store'], id: string): Content {
  const content = store.events.find(id)?.content
  return isObject(content) ? content : {}
}

function refuseOffer(reason: string): never {
  refuse(reason, 'The offer could not be accepted')
}

/** Ends an access that a peer holds, if it has not ended yet, and tells the peer. Must run within a transaction. */
export function* endPeerAccess(call: Call, accessId: string): Steps<void> {
  const found = findRelationship(call, accessId)
  if (!found) return
  announceEnd(call, found, {})
  yield* endRelationship(call, found)
}

/** Returns the id of the stream with the answers to an app's offers. */
function getAppStreamId(app: string): string {
  const segment = app.replaceAll(/[^A-Za-z0-9._~-]/g, '-')
  // Streams with these names belong to the service.
  const isReserved = segment === 'chats' || segment === 'collectors'
  return `${cmcApps}:oauth:${segment}${isReserved ? '-' : ''}`
}
