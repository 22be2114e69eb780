/** Accounts that have moved to another server: how they tell their peers, and what peers check. (docs/spec/consent.md#moves) */
import type { Call } from '../../call/method.js'
import { ApiError } from '../../errors.js'
import type { CounterpartyMark, Person } from '../../permissions/peer-access.js'
import { parseUrl } from '../../parse-url.js'
import { isObject } from '../../validation/is-object.js'
import { enqueueBackChannel } from '../answers.js'
import { PeerUnavailable } from '../failures.js'
import { getOwnName, readPerson } from '../names.js'
import { isWho, isWithin } from './identity.js'
import {
  findNewEndpoint,
  getErrorId,
  isTransient,
  parseEndpoint,
  type Endpoint,
  type PeerAnswer,
  type PeerCalls
} from './peer-calls.js'
import { findRelationship } from '../relationships.js'
import { updateMark, writeAsService } from '../service-calls.js'

/** Seconds for which the former server of a peer must be down until its account counts as gone from there. */
const silentSeconds = 86_400
/** Seconds after which a peer whose former server still serves it may ask again. */
const retrySeconds = 3600

/**
 * Queues the messages that give all peers the address at which this account is now. Peers that are gone, or
 * have given no endpoint, are skipped.
 */
export function announceAddress(call: Call): void {
  const { account, now, services, store } = call
  const self = getOwnName(services.config, account.username)
  for (let last = ''; ;) {
    const page = store.cmc.listRelationshipsAfter(last)
    for (const { access } of page) {
      const mark = findRelationship(call, access)?.mark
      if (mark?.counterparty.apiEndpoint !== undefined && !mark.peerGone)
        enqueueBackChannel(call, access, { ...mark, self }, `moved ${now}`)
    }
    const end = page.at(-1)
    if (!end) return
    last = end.access
  }
}

/** Statuses of a server that is up, but does not serve a call at the moment. */
const busyStatuses = new Set([402, 408, 425, 429, 507])

/**
 * Returns whether a host is that of the peer, or lies below it. Once the peer has moved, its former host is
 * like any other.
 */
export function isHostOf({ counterparty }: CounterpartyMark, host: string): boolean {
  return isWithin(host, (counterparty.movedTo ?? counterparty).host)
}

/** Returns whether an answer shows that a server serves an access, even if it is busy. */
export function isServed({ status }: PeerAnswer): boolean {
  return (status >= 200 && status <= 299) || busyStatuses.has(status)
}

/** Returns whether a server says that it does not serve an access. Pages and redirects of a proxy say nothing. */
function isGone(answer: PeerAnswer): boolean {
  const id = getErrorId(answer)
  return id === 'user-account-relocated' || (id !== undefined && !isTransient(answer))
}

/** Where the content of a back channel leads, if the peer is not known to be there. */
function findNewAddress(mark: CounterpartyMark, content: unknown) {
  const text = isObject(content) ? content['apiEndpoint'] : undefined
  const endpoint = typeof text === 'string' ? parseEndpoint(text) : undefined
  return endpoint && !isHostOf(mark, endpoint.host) ? endpoint : undefined
}

/** Returns whether a back channel says that the peer is on another server now. */
export function isMove(mark: CounterpartyMark | undefined, content: unknown): boolean {
  return mark !== undefined && findNewAddress(mark, content) !== undefined
}

/**
 * Checks what a peer says that is on another server now. It has to know the token that it gave, the new
 * server has to confirm account and access, and the former one must no longer serve it: with the data of an
 * account alone, such as an old archive, no one becomes this peer. Returns who the peer is now, or the error.
 * Records in the access since when the former server has been silent.
 */
export async function checkMove(
  peers: PeerCalls,
  call: Call,
  mark: CounterpartyMark,
  content: unknown
): Promise<Person | ApiError> {
  const { account, now, services } = call
  const endpoint = findNewAddress(mark, content)
  const former = parseEndpoint(mark.counterparty.apiEndpoint ?? '')
  const from = isObject(content) ? readPerson(content['from']) : undefined
  const unknown = new ApiError('invalid-operation', 'The new address of this account could not be verified', {
    data: { id: 'cmc-handler-counterparty-unknown' }
  })
  if (!endpoint || !former || !from || endpoint.token !== former.token) return unknown
  const holder = mark.self ?? getOwnName(services.config, account.username)
  try {
    if (!(await isWho(peers, services.config, endpoint, { claimed: from, holder }))) return unknown
  } catch (error) {
    if (error instanceof PeerUnavailable) return createUnavailableError(error.retryAfter)
    throw error
  }
  const answer = await peers.callOnce(former, 'getAccessInfo')
  const setSilent = async (silent: CounterpartyMark['silent']): Promise<void> =>
    await writeAsService(services, account, current => {
      const found = findRelationship(current, call.caller.access?.id ?? '')
      if (found) updateMark(current, found.access, { silent })
    })
  const { silent } = mark
  if (isServed(answer)) {
    // It was silent for a while only: another silence counts from its own beginning.
    if (silent) await setSilent(undefined)
    return createUnavailableError(retrySeconds)
  }
  if (isGone(answer)) {
    const named = findNewEndpoint(former, answer)
    const isThere = !named || (await isSamePlace(peers, { named, endpoint, from }))
    return isThere ? from : createUnavailableError(retrySeconds)
  }
  if (silent?.host === endpoint.host && now - silent.since >= silentSeconds) return from
  if (silent?.host !== endpoint.host) await setSilent({ host: endpoint.host, since: now })
  return createUnavailableError(retrySeconds)
}

/** Returns whether the address that a former server names is that of an endpoint, or a server that calls the account so. */
async function isSamePlace(
  peers: PeerCalls,
  { endpoint, from, named }: { readonly endpoint: Endpoint; readonly from: Person; readonly named: Endpoint }
): Promise<boolean> {
  if (named.base === endpoint.base) return true
  const { body } = await peers.callOnce(named, 'service.info')
  const { api } = body
  return typeof api === 'string' && parseUrl(api.replace('{username}', from.username))?.href === endpoint.base
}

function createUnavailableError(retryAfter = 60): ApiError {
  return new ApiError('api-unavailable', 'The new address of this account cannot be verified yet', {
    retryAfter
  })
}
