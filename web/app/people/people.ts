/** People with whom the user has agreed to share, and the offers between them. (docs/api/consent.md) */
import { getLanguage, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Account } from '../data/account.js'
import type { Access, Event, Permission, Stream } from '../data/model.js'
import { getPersonName } from '../parts/access-name.js'

/** Types of the events with which apps ask, agree and write. */
export const types = {
  request: 'consent/request-cmc',
  accept: 'consent/accept-cmc',
  refuse: 'consent/refuse-cmc',
  revoke: 'consent/revoke-cmc',
  invalidate: 'consent/invalidate-link-cmc',
  chat: 'message/chat-cmc',
  alert: 'notification/alert-cmc',
  ack: 'notification/ack-cmc',
  scopeRequest: 'consent/scope-request-cmc',
  scopeUpdate: 'consent/scope-update-cmc'
} as const

/** The stream in which this app writes. */
export const ownScope = ':_cmc:apps:coffer'
const cmcRoot = ':_cmc:'
const appsRoot = ':_cmc:apps'

/** A permission that an offer asks for. */
export interface AskedPermission {
  readonly streamId?: string
  readonly level?: string
  readonly defaultName?: string
  readonly feature?: string
  readonly setting?: string
  readonly mandatory?: boolean
}

/** Texts by language. */
export type LocalTexts = Readonly<Record<string, string>>

/** What an event of a request says. */
export interface RequestContent {
  readonly request: {
    readonly title: LocalTexts
    readonly description: LocalTexts
    readonly consent: LocalTexts
    readonly permissions: readonly AskedPermission[]
    readonly allowUserChoice?: boolean
    readonly features?: { readonly chat?: boolean; readonly systemMessaging?: boolean }
  }
  readonly requesterMeta?: {
    readonly displayName?: string
    readonly appId?: string
    readonly appUrl?: string
  }
  readonly capability?: { readonly mode?: string }
  readonly capabilityId?: string
  readonly capabilityUrl?: string
  readonly capabilityExpiresAt?: number
  readonly invalidatedAt?: number
  readonly status?: string
  readonly acceptedBy?: Person
  readonly acceptedCount?: number
  readonly refusedBy?: Person
}

/** An account on this server or another. */
export interface Person {
  readonly username: string
  readonly host: string
}

/** An agreement with another account, by the access that it holds here. */
export interface Relationship {
  readonly access: Access
  readonly person: Person
  /** The name that the user has given them, or their username. */
  readonly name: string
  /** The stream of the app with which they agreed. */
  readonly scope: string
  /** Whether the other account may see data of this one; otherwise this one may see theirs. */
  readonly seesMine: boolean
  readonly canChat: boolean
  readonly canAlert: boolean
  /** Whether the other side no longer exists. */
  readonly isGone: boolean
  /** The API endpoint that the other account has granted. */
  readonly endpoint: string | undefined
}

/**
 * Returns the relationship of an access that the service has made for a consent; undefined for other
 * accesses.
 */
export function toRelationship(access: Access): Relationship | undefined {
  const mark = access.clientData?.['cmc'] as Readonly<Record<string, unknown>> | undefined
  if (mark?.['role'] !== 'counterparty') return undefined
  const peer = mark['counterparty'] as Person & { readonly apiEndpoint?: string }
  const features = mark['features'] as { readonly chat?: boolean; readonly systemMessaging?: boolean }
  return {
    access,
    person: { username: peer.username, host: peer.host },
    name: toPlainText(getPersonName(access.name, peer)),
    scope: String(mark['scopeStreamId']),
    seesMine: mark['acceptEventId'] !== undefined,
    canChat: features.chat !== false,
    canAlert: features.systemMessaging !== false,
    isGone: mark['peerGone'] === true,
    endpoint: peer.apiEndpoint
  }
}

/** Returns the ids of the streams that both sides write to. */
export function getStreams({ person, scope }: Relationship): {
  readonly chats: string
  readonly collectors: string
} {
  const slug = `${person.username}--${person.host.replaceAll('.', '-')}`.toLowerCase()
  return { chats: `${scope}:chats:${slug}`, collectors: `${scope}:collectors:${slug}` }
}

/** Returns the permissions on data, without those for messages. */
export function listDataPermissions(
  permissions: readonly Permission[]
): Extract<Permission, { readonly streamId: string }>[] {
  return permissions.filter(
    (each): each is Extract<Permission, { readonly streamId: string }> =>
      'streamId' in each && !each.streamId.startsWith(':')
  )
}

/**
 * Reads the requests and acceptances that the user has made, the latest first; none if this app has never
 * written any. Rejects with a `Refusal`.
 */
export async function readRequests(account: Account): Promise<readonly Event[]> {
  // Reading events there would create the streams.
  if (!(await hasStreams(account))) return []
  const { events } = await account.client.call<{ events: readonly Event[] }>('events.get', {
    streams: [appsRoot],
    types: [types.request, types.accept],
    limit: 200
  })
  return events
}

/** Returns whether anything has been asked or answered in this account. */
async function hasStreams({ client }: Account): Promise<boolean> {
  const { streams } = await client.call<{ streams: readonly Stream[] }>('streams.get')
  return streams.some(({ id }) => id === cmcRoot)
}

/**
 * Creates an event in a stream for consent. Returns the event as it was stored. The service then carries out
 * what it asks for. Rejects with a `Refusal`.
 */
export async function writeEvent(
  { client }: Account,
  streamId: string,
  type: string,
  content: object
): Promise<Event> {
  const { event } = await client.call<{ event: Event }>('events.create', {
    streamIds: [streamId],
    type,
    content
  })
  return event
}

/** What becomes of an event that the service carries out. */
export interface Outcome {
  readonly status: 'completed' | 'failed' | 'waiting'
  readonly event: Event
  /** Id of the reason of a failure. */
  readonly reason?: string
}

/** Milliseconds between two looks at an event, and after which the user sees that it takes longer. */
const lookIntervalMs = 300
const maxLookMs = 12_000

/**
 * Waits until the service has carried out what an event asks for, or has failed. If that takes long, resolves
 * with `waiting`: it goes on in the background. Rejects with a `Refusal`. A failure of the service is not a
 * rejection: it resolves with `failed` and the reason.
 */
export async function waitForOutcome({ client }: Account, id: string): Promise<Outcome> {
  for (const end = Date.now() + maxLookMs; ;) {
    const { event } = await client.call<{ event: Event }>('events.getOne', { id })
    const { failure, status } = event.content as {
      readonly status?: string
      readonly failure?: { readonly reason?: string }
    }
    if (status === 'completed') return { status, event }
    if (status === 'failed')
      return { status, event, ...(failure?.reason !== undefined && { reason: failure.reason }) }
    if (Date.now() > end) return { status: 'waiting', event }
    await new Promise(resolve => setTimeout(resolve, lookIntervalMs))
  }
}

/**
 * Returns the text in the user's language, else in English, else the first one; without markup. Returns an
 * empty text if there is none.
 */
export function pickText(texts: unknown): string {
  if (typeof texts === 'string') return toPlainText(texts)
  if (typeof texts !== 'object' || texts === null) return ''
  const own = texts as Readonly<Record<string, unknown>>
  const found = own[getLanguage()] ?? own['en'] ?? Object.values(own)[0]
  return typeof found === 'string' ? toPlainText(found) : ''
}

/** Returns a person in one line: `dr-weber on clinic.example`. */
export function formatPerson({ host, username }: Person): string {
  return t('people.person', { username: toPlainText(username), host: toPlainText(host) })
}
