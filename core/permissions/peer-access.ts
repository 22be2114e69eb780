/** The accesses that the service gives to peers, by the mark in their client data. (docs/spec/consent.md#accesses-of-peers) */
import type { Access } from '../../schemas/access.js'

/** Someone at another account, as this account knows them. */
export interface Person {
  readonly username: string
  readonly host: string
}

export interface Peer extends Person {
  /** The endpoint of the access that the peer has given. */
  readonly apiEndpoint?: string
  readonly remoteChatStreamId?: string
  readonly remoteCollectorStreamId?: string
  /** Who the peer is since its account has moved to another server. Streams keep the former name. */
  readonly movedTo?: Person
}

export interface Features {
  readonly chat: boolean
  readonly systemMessaging: boolean
}

/** The mark of an access that a peer holds: a data grant, or the back channel that answers one. */
export interface CounterpartyMark {
  readonly role: 'counterparty'
  readonly appCode: string
  readonly scopeStreamId: string
  readonly features: Features
  readonly counterparty: Peer
  /** The name under which this account took part. */
  readonly self?: Person
  readonly offerEventId?: string
  /** Set for data grants. */
  readonly acceptEventId?: string
  readonly backChannelApiEndpoint?: string | null
  /** Since when the server of the peer has been down, in seconds, while the peer says that it is on another host. */
  readonly silent?: { readonly host: string; readonly since: number }
  /** Set once the peer no longer holds its side. */
  readonly peerGone?: true
  /** Set once the peer has been told that the access has expired. */
  readonly expiryTold?: true
}

/** The mark of an access with which strangers read an offer and answer it. */
export interface CapabilityMark {
  readonly kind: 'capability'
  readonly capabilityId: string
  readonly requestEventId: string
  readonly singleUse: boolean
  readonly capability: {
    readonly mode: 'single-use' | 'open-link'
    readonly state: 'open' | 'consumed' | 'invalidated'
    readonly stateChangedAt: number
    readonly invalidatedAt?: number
    readonly acceptedBy: readonly (Person & { readonly acceptedAt: number })[]
  }
}

/** An access, or a former version of one. */
type MarkedAccess = Omit<Access, 'token'>

/** Returns the mark of an access that a peer holds; `undefined` for other accesses. */
export function getCounterparty(access: MarkedAccess | undefined): CounterpartyMark | undefined {
  const mark = getMark(access)
  return mark?.['role'] === 'counterparty' ? (mark as unknown as CounterpartyMark) : undefined
}

/** Returns the mark of a capability; `undefined` for other accesses. */
export function getCapability(access: MarkedAccess | undefined): CapabilityMark | undefined {
  const mark = getMark(access)
  return mark?.['kind'] === 'capability' ? (mark as unknown as CapabilityMark) : undefined
}

/**
 * Returns an access as all callers but the account's owner see it: without the endpoints of peers, and who
 * else has used a link. Other accesses are returned as they are.
 */
export function withoutPeerEndpoints<A extends MarkedAccess>(access: A): A {
  const link = getCapability(access)
  if (link) return withMark(access, { ...link, capability: { ...link.capability, acceptedBy: [] } })
  const mark = getCounterparty(access)
  if (!mark) return access
  const { backChannelApiEndpoint: _channel, counterparty, ...rest } = mark
  const { apiEndpoint: _endpoint, ...peer } = counterparty
  return withMark(access, { ...rest, counterparty: peer })
}

/** Returns an access with another mark, without its integrity value, which covers the client data. */
function withMark<A extends MarkedAccess>(access: A, mark: object): A {
  const { integrity: _integrity, ...shown } = access
  return { ...shown, clientData: { ...access.clientData, cmc: mark } } as unknown as A
}

/**
 * Returns the mark of an access, if the service has created it: a mark that someone else has written counts
 * for nothing.
 */
function getMark(access: MarkedAccess | undefined): Record<string, unknown> | undefined {
  if (access?.createdBy !== 'system') return undefined
  const mark = access.clientData?.['cmc']
  return typeof mark === 'object' && mark !== null ? (mark as Record<string, unknown>) : undefined
}
