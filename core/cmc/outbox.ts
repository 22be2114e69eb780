/**
 * What is to be delivered to peers: queued in the transaction that causes it, and in order for each relationship.
 * (docs/spec/consent.md#delivery)
 */
import { createHash } from 'node:crypto'
import type { Account } from '../../storage/platform/account.js'
import type { StoredDelivery } from '../../storage/cmc/cmc-repository.js'
import type { Call } from '../call/method.js'
import type { Features, Person } from '../permissions/peer-access.js'
import type { Content } from './contents.js'

/** An event to post to a peer. */
export interface EventDelivery {
  readonly kind: 'event'
  /** The event that caused it, whose content says what becomes of it. */
  readonly trigger?: string | undefined
  /** Where to: the peer of an access of this account, or an endpoint. */
  readonly to: { readonly access: string } | { readonly endpoint: string }
  readonly event: { readonly streamIds: readonly string[]; readonly type: string; readonly content: Content }
  /** Id of the access whose endpoint the content carries. */
  readonly carries?: string
  /** Id of the event at the peer. */
  readonly id: string
}

/** An acceptance that is under way. (docs/spec/consent.md#accepting) */
export interface Acceptance {
  readonly kind: 'accept'
  readonly trigger: string
  /** What the user has decided: apps that may change the event must not change this. */
  readonly chosen: {
    readonly grantedPermissions?: unknown
    readonly features?: unknown
    readonly accessName?: unknown
    /** When the access ends, in seconds. */
    readonly expires?: unknown
    /** Ids of streams of the user by those that the offer names. */
    readonly ownStreams?: unknown
  }
  /** Set once the access for the requester exists. */
  readonly granted?: {
    readonly accessId: string
    readonly requester: Person
    readonly event: EventDelivery['event']
    readonly id: string
    readonly completed: Content
    readonly features: Features
  }
}

type Delivery = EventDelivery | Acceptance

/** A queued delivery with its body. */
export interface QueuedDelivery extends Omit<StoredDelivery, 'body'> {
  readonly body: Delivery
}

/** Parses the body of a stored delivery. */
export function parseDelivery(row: StoredDelivery): QueuedDelivery {
  return { ...row, body: JSON.parse(row.body) as Delivery }
}

/** Queues a delivery behind those of its relationship. Returns its number. */
export function enqueue({ now, store }: Call, relationship: string, body: Delivery): number {
  return store.cmc.addDelivery(relationship, JSON.stringify(body), now)
}

/** Returns the id of the event that a delivery creates: repeating the delivery repeats the id. */
export function deriveEventId(...of: readonly string[]): string {
  const hash = createHash('sha256').update(of.join('\n')).digest('hex')
  return `c${hash.slice(0, 24)}`
}

const delays = [1, 5, 60, 300, 1800, 7200, 21_600, 86_400]

/**
 * Returns the seconds until the next attempt, after a number of failed ones: at least `retryAfter` (seconds),
 * at most `maxDelayMs`.
 */
export function getDelay(attempts: number, maxDelayMs: number, retryAfter = 0): number {
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? 0
  return Math.min(Math.max(delay, retryAfter), maxDelayMs / 1000)
}

/** What is under way for an account. */
export interface DeliveryTask {
  /** With its present name, which peers see. */
  account: Account
  /** Relationships with a delivery under way. */
  readonly running: Set<string>
  cancelTimer: () => void
}
