/** Accepting an offer of an app that asks by OAuth: the page waits for the outcome. (docs/api/oauth.md#offers) */
import type { Call } from '../call/method.js'
import { writeSeparately } from '../call/write-separately.js'
import { cmcApps, parseAppPlace } from '../cmc-ids.js'
import { isObject } from '../validation/is-object.js'
import { assertContent, types } from './contents.js'
import { refuse, refusePeerUnavailable } from './failures.js'
import { announceEnd, endRelationship, findRelationship } from './relationships.js'
import { insertEvent } from './service-calls.js'
import { assertEnabled, provideScope } from './streams.js'
import { actOn } from './triggers.js'

/** How the user accepts an offer that an app has published. */
interface AppAcceptance {
  /** Id of the event that says so: repeating the call does not accept twice. */
  readonly id: string
  readonly app: string
  readonly capabilityUrl: string
  /** The permissions that the user has chosen; all, if absent. */
  readonly grantedPermissions?: readonly unknown[] | undefined
}

/** How long the user waits for the other server, in milliseconds. */
const maxWaitMs = 20_000

/**
 * Accepts an offer, and returns the id of the access that the requester has got. A call that is repeated waits for the first acceptance.
 * Throws `invalid-operation` with the id of a reason.
 */
export async function acceptForApp(
  call: Call,
  { app, capabilityUrl, grantedPermissions, id }: AppAcceptance
): Promise<string> {
  const { account, services } = call
  assertEnabled(call)
  const content = { capabilityUrl, ...(grantedPermissions && { grantedPermissions }) }
  assertContent(types.accept, content)
  await writeSeparately(call, (store, inCall) => {
    if (store.events.findText(id)) return
    const streamId = getAppStreamId(app)
    provideScope(inCall, streamId)
    const place = parseAppPlace(streamId)!
    const written = actOn(inCall, { id, type: types.accept, streamId, place, content })
    insertEvent(inCall, { ...written, id, streamId, type: types.accept })
  })
  await services.waitForAccepted(account, id, maxWaitMs)
  const store = services.accounts.store(account)
  const event = store.read(() => store.events.find(id))
  const { dataGrantAccessId, failure, status } = isObject(event?.content) ? event.content : {}
  if (status === 'completed' && typeof dataGrantAccessId === 'string') return dataGrantAccessId
  if (event && status !== 'failed') refusePeerUnavailable()
  const reason = isObject(failure) ? failure['reason'] : undefined
  return refuse(
    typeof reason === 'string' ? reason : 'cmc-handler-delivery-failed',
    'The offer could not be accepted'
  )
}

/** Ends an access that a peer holds, if it has not ended yet, and tells the peer. Must run within a transaction. */
export function endPeerAccess(call: Call, accessId: string): void {
  const found = findRelationship(call, accessId)
  if (!found) return
  announceEnd(call, found, {})
  endRelationship(call, found)
}

/** Returns the id of the stream with the answers to an app's offers. */
function getAppStreamId(app: string): string {
  const segment = app.replaceAll(/[^A-Za-z0-9._~-]/g, '-')
  // Streams with these names belong to the service.
  const isReserved = segment === 'chats' || segment === 'collectors'
  return `${cmcApps}:oauth:${segment}${isReserved ? '-' : ''}`
}
