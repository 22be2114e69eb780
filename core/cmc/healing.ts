/** The daily check of relationships: peers that are gone, sides that never arrived, offers to remove. (docs/spec/consent.md#healing) */
import type { StoredRelationship } from '../../storage/cmc/cmc-repository.js'
import type { Steps } from '../../storage/steps.js'
import { createRevocationWork, revokeInSteps } from '../accesses/revoke-access.js'
import type { Call } from '../call/method.js'
import { isObject } from '../validation/is-object.js'
import { enqueueBackChannel } from './answers.js'
import type { DeliveryContext } from './attempts.js'
import { isServed } from './peers/moves.js'
import { getErrorId, parseEndpoint, type PeerAnswer } from './peers/peer-calls.js'
import { announceEnd, assertFewEnds, findRelationship } from './relationships.js'
import { updateMark, writeAsService, writeStepsAsService } from './service-calls.js'

/** Seconds between two checks of a relationship: a little less than a day. */
const checkSeconds = 20 * 3600

/** Number of relationships that are checked at a time. */
const concurrency = 8
/** Maximum number of offers that are removed in a transaction. */
const removedAtOnce = 10

/**
 * Removes what has ended, and checks the relationships of an account that have not been checked today, the longest unchecked first. Peers
 * that hang take their time: ends early if `isStopped` says so.
 */
export async function healAccount(context: DeliveryContext, isStopped: () => boolean): Promise<void> {
  const { account, services } = context
  const store = services.accounts.openStore(account)
  if (!store.read(() => store.cmc.isUsed)) return
  const now = services.clock.now()
  // By the clock of each transaction, which may have been set back since.
  const hasRemovable = (): boolean => {
    const { cmc } = services.accounts.openStore(account)
    return cmc.listRemovable(services.clock.now(), 1).length > 0
  }
  while (!isStopped() && hasRemovable()) await writeStepsAsService(services, account, removeCapabilities)
  while (!isStopped()) {
    const due = services.accounts.openStore(account).cmc.listUnchecked(now - checkSeconds, concurrency)
    if (due.length === 0) return
    await Promise.all(due.map(async found => await checkRelationship(context, found, now)))
  }
}

/** Removes some of the offers that are to be removed, with their links. */
function* removeCapabilities(call: Call): Steps<void> {
  const { now, store } = call
  const addWork = createRevocationWork(store)
  for (const { access, id } of store.cmc.listRemovable(now, removedAtOnce)) {
    const found = store.accesses.find(access)
    if (found) yield* revokeInSteps(call, found, addWork)
    store.cmc.removeCapability(id)
    yield
  }
}

/**
 * Checks one relationship by a call to the peer: notes whether the peer is gone (has refused for 20 hours), serves again, or
 * lacks our side, which is then sent again. Checks nothing while deliveries are pending.
 */
async function checkRelationship(
  { account, peers, services }: DeliveryContext,
  { access: accessId, refused }: StoredRelationship,
  now: number
): Promise<void> {
  const store = services.accounts.openStore(account)
  const call = { store }
  const mark = store.read(() => findRelationship(call, accessId)?.mark)
  const endpoint = parseEndpoint(mark?.counterparty.apiEndpoint ?? '')
  const isBusy = store.read(() => store.cmc.isPending(accessId))
  if (!mark || !endpoint || mark.peerGone || isBusy)
    return await writeAsService(services, account, current =>
      current.store.cmc.recordCheck({ access: accessId, checked: now, refused })
    )
  const answer = await peers.call(endpoint, 'getAccessInfo')
  const isRefused = isEnded(answer)
  const since = isRefused ? (refused ?? now) : null
  await writeAsService(services, account, current => {
    current.store.cmc.recordCheck({ access: accessId, checked: now, refused: since })
    const found = findRelationship(current, accessId)
    if (!found) return
    if (found.mark.silent && isServed(answer)) updateMark(current, found.access, { silent: undefined })
    if (since !== null && now - since >= checkSeconds) updateMark(current, found.access, { peerGone: true })
    // The peer has granted access, but does not have our side.
    if (found.mark.acceptEventId === undefined && isWithoutChannel(answer))
      enqueueBackChannel(current, accessId, found.mark, String(now))
  })
}

function isEnded(answer: PeerAnswer): boolean {
  const isRefused = answer.status === 401 || answer.status === 403
  return isRefused && getErrorId(answer) === 'invalid-access-token'
}

/** Returns whether an access says that the other side has never arrived. */
function isWithoutChannel({ body, status }: PeerAnswer): boolean {
  const data = status === 200 && isObject(body['clientData']) ? body['clientData']['cmc'] : undefined
  const peer = isObject(data) ? data['counterparty'] : undefined
  return isObject(peer) && peer['remoteChatStreamId'] === undefined
}

/** Queues the messages that tell all peers of the end of the account. In steps: see {@link assertFewEnds}. */
export function* announceAllEnds(call: Call): Steps<void> {
  for (let last = ''; ;) {
    const page = call.store.cmc.listRelationshipsAfter(last)
    assertFewEnds(call, page.length)
    for (const { access } of page) {
      const found = findRelationship(call, access)
      if (found) announceEnd(call, found, { reason: 'account-deleted' })
      yield
    }
    const end = page.at(-1)
    if (!end) return
    last = end.access
  }
}
