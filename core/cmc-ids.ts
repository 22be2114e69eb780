/** Ids of the streams for consent and messages between accounts: `:_cmc:` and what lies below. (docs/spec/consent.md#streams) */

/** The root of these streams. */
export const cmcRoot = ':_cmc:'
export const cmcInbox = ':_cmc:inbox'
export const cmcApps = ':_cmc:apps'
const internalRoot = ':_cmc:_internal'

/** Returns whether an id is the id of a stream for consent and messages. */
export function isCmcId(id: string): boolean {
  return id.startsWith(cmcRoot)
}

/** Returns whether an id is hidden: such streams do not exist, and only name what a capability permits. */
export function isInternalCmcId(id: string): boolean {
  return id === internalRoot || id.startsWith(`${internalRoot}:`)
}

/** Returns the id of the stream from which a capability reads its offer. */
export function getOfferStreamId(capabilityId: string): string {
  return `${internalRoot}:offer:${capabilityId}`
}

/** Returns the id of the stream into which a capability writes its answer. */
export function getResponseStreamId(capabilityId: string): string {
  return `${internalRoot}:responses:${capabilityId}`
}

/** A stream below `:_cmc:apps`. */
export interface AppPlace {
  readonly app: string
  /** The stream in which the app writes its triggers: the stream itself, unless it is one of `machinery`. */
  readonly scope: string
  /** Set for streams that belong to the service. */
  readonly machinery?: 'chats' | 'collectors'
  /** The peer, for a stream of one relationship. */
  readonly slug?: string
}

const appPattern = /^[a-z0-9-]+$/

/** Parses the id of a stream below `:_cmc:apps`; `undefined` if it has another form. */
export function parseAppPlace(id: string): AppPlace | undefined {
  if (!id.startsWith(`${cmcApps}:`)) return undefined
  const segments = id.slice(cmcApps.length + 1).split(':')
  const [app = ''] = segments
  if (!appPattern.test(app) || segments.includes('')) return undefined
  const at = segments.findIndex((each, index) => index > 0 && (each === 'chats' || each === 'collectors'))
  if (at < 0) return { app, scope: id }
  if (segments.length > at + 2) return undefined
  const slug = segments[at + 1]
  return {
    app,
    scope: [cmcApps, ...segments.slice(0, at)].join(':'),
    machinery: segments[at] as 'chats' | 'collectors',
    ...(slug !== undefined && { slug })
  }
}

/** Returns the id of the parent of a stream; `null` for the root. */
export function getCmcParent(id: string): string | null {
  if (id === cmcRoot) return null
  const parent = id.slice(0, id.lastIndexOf(':'))
  return parent === ':_cmc' ? cmcRoot : parent
}

/** Returns whether only the service creates, renames and removes a stream. */
export function isReservedCmcId(id: string): boolean {
  if (!isCmcId(id)) return false
  const place = parseAppPlace(id)
  return place === undefined || place.machinery !== undefined
}
