/**
 * OAuth scopes: permissions on streams, such as `diary:contribute`, and what a client may know of the user.
 * (docs/api/oauth.md#scopes)
 */
import type { Access } from '../../schemas/access.js'
import type { IdentityScope } from '../../schemas/oauth.js'
import type { Level, Permission } from '../../schemas/permission.js'
import type { RequestedPermission } from '../accesses/granting.js'
import { ranks } from '../permissions/levels.js'
import { truncateText } from '../truncate-text.js'
import { isSystemId } from '../system-ids.js'
import { getOfferMark } from '../permissions/offer-session.js'
import { failOAuth } from './errors.js'
import { isResourceScope, isResourceScopeAllowed, omitUnknownResources } from './smart-scope.js'

/** Scopes about the user, and for access while they are absent. */
export const identityScopes: readonly IdentityScope[] = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'fhirUser',
  'launch/patient'
]

/** A parsed scope. */
export interface Scope {
  readonly identity: readonly IdentityScope[]
  readonly permissions: readonly RequestedPermission[]
}

/** Maximum number of scopes in one request. */
const maxScopes = 1000
/** Features that can be switched off. */
const features: readonly string[] = ['selfRevoke', 'selfAudit']

/**
 * Parses scopes that are separated by spaces. Throws `invalid_scope` for unknown ones, for two scopes on the
 * same stream, and for more than 1000.
 */
export function parseScope(text: string): Scope {
  const tokens = text.split(' ').filter(token => token !== '')
  if (tokens.length > maxScopes) failOAuth('invalid_scope', `There can be at most ${maxScopes} scopes`)
  const permissions = new Map<string, RequestedPermission>()
  const identity = new Set<IdentityScope>()
  for (const token of tokens)
    if (isIdentity(token)) identity.add(token)
    else {
      const permission = parsePermission(token)
      const key = 'streamId' in permission ? `stream ${permission.streamId}` : permission.feature
      if (permissions.has(key))
        failOAuth('invalid_scope', `The scope ${shortenToken(token)} is repeated or contradicts another`)
      permissions.set(key, permission)
    }
  return { identity: [...identity], permissions: [...permissions.values()] }
}

/**
 * Parses a requested scope like {@link parseScope}. OpenID Connect clients routinely request `address`, `phone` or
 * `groups`, and those of SMART resources that are not served: such words are dropped, as the scope of the response
 * shows. (OpenID Connect Core, 3.1.2.1)
 */
export function parseAskedScope(text: string): Scope {
  const known = omitUnknownResources(text)
  return parseScope(known.split(' ').includes('openid') ? omitUnknownWords(known) : known)
}

/** Removes words that are not scopes and cannot be meant as a permission. */
export function omitUnknownWords(text: string): string {
  const tokens = text.split(' ').filter(token => token !== '')
  return tokens.filter(token => isIdentity(token) || /[:=]/.test(token)).join(' ')
}

/** Formats permissions as a scope. Stream names are omitted: they are only used to create streams. */
export function formatScope(permissions: readonly Permission[], identity: readonly IdentityScope[]): string {
  const tokens = permissions.map(permission =>
    'streamId' in permission
      ? `${permission.streamId === '*' ? '*' : encodeURIComponent(permission.streamId)}:${permission.level}`
      : `${permission.feature}=${permission.setting}`
  )
  return [...identity, ...tokens].join(' ')
}

/** Formats what an access permits as a scope: for the session of an accepted offer, the offer. */
export function formatAccessScope(access: Access, identity: readonly IdentityScope[]): string {
  const offer = getOfferMark(access)
  return offer ? formatOfferScope(offer.name) : formatScope(access.permissions ?? [], identity)
}

const offerPrefix = 'cmc:'

/** Formats the scope that asks the user to accept an offer of the client. */
export function formatOfferScope(name: string): string {
  return `${offerPrefix}${name}`
}

/**
 * Returns the name of the offer that a scope requests; `undefined` if it requests permissions. `offers`: the
 * offers of the client. Throws `invalid_scope` for an unknown offer, and for one beside another scope.
 */
export function parseOfferScope(text: string, offers: object = {}): string | undefined {
  const tokens = text.split(' ').filter(token => token !== '')
  const [name] = tokens.flatMap(token => {
    const named = token.startsWith(offerPrefix) ? token.slice(offerPrefix.length) : ''
    // A stream may have the id `cmc`.
    const isPermission = named === '' || named.includes(':') || Object.hasOwn(ranks, named)
    return Object.hasOwn(offers, named) || !isPermission ? [named] : []
  })
  if (name === undefined) return undefined
  if (!Object.hasOwn(offers, name))
    failOAuth('invalid_scope', `This client has no offer ${shortenToken(name)}`)
  if (tokens.length > 1) failOAuth('invalid_scope', 'The scope of an offer cannot be combined with others')
  return name
}

/**
 * Throws `invalid_scope` unless the requested scope lies within the client's allowed scopes: the client is
 * allowed the same stream, or all streams, with the same level or a higher one. Account fields and the audit,
 * which `*` never covers, have to be named. Levels of `none` are always allowed.
 */
export function assertScopeAllowed(asked: Scope, allowed: readonly string[]): void {
  const { identity, permissions } = parseScope(allowed.join(' '))
  const levels = new Map(
    permissions.flatMap(each => ('streamId' in each ? [[each.streamId, each.level] as const] : []))
  )
  for (const each of asked.identity)
    if (!identity.includes(each) && !isResourceScopeAllowed(each, identity))
      failOAuth('invalid_scope', `This client cannot request ${each}`)
  for (const each of asked.permissions) {
    // Withholding something needs no permission.
    if (!('streamId' in each) || each.level === 'none') continue
    const isWithin = [
      levels.get(each.streamId),
      isSystemId(each.streamId) ? undefined : levels.get('*')
    ].some(level => level && includesLevel(level, each.level))
    if (!isWithin)
      failOAuth(
        'invalid_scope',
        `This client cannot request ${shortenToken(each.streamId)} with the level ${each.level}`
      )
  }
}

/** Returns whether a level includes another: reading and adding do not include each other. */
function includesLevel(level: Level, asked: Level): boolean {
  return level === asked || (ranks[level] > ranks[asked] && level !== 'create-only')
}

function isIdentity(token: string): token is IdentityScope {
  return (identityScopes as readonly string[]).includes(token) || isResourceScope(token)
}

/** Parses a scope on a stream, or one that switches a feature off. Throws `invalid_scope`. */
function parsePermission(token: string): RequestedPermission {
  const [feature = '', setting] = token.split('=', 2)
  if (setting === 'forbidden' && features.includes(feature))
    return { feature: feature as 'selfRevoke', setting }
  const parts = token.split(':')
  const [stream = '', level = '', name = stream] = parts
  if (parts.length > 3 || stream === '' || name === '' || !Object.hasOwn(ranks, level)) refuseToken(token)
  if (stream === '*')
    return parts.length === 2 ? { streamId: '*', level: level as Level } : refuseToken(token)
  return { streamId: decodePart(stream, token), level: level as Level, defaultName: decodePart(name, token) }
}

/**
 * Decodes an id or name, which may be percent-encoded. Throws `invalid_scope` for text that is malformed,
 * empty or too long.
 */
function decodePart(part: string, token: string): string {
  try {
    const text = decodeURIComponent(part)
    return text.trim() === '' || text.length > maxLength ? refuseToken(token) : text
  } catch {
    return refuseToken(token)
  }
}

/** Maximum length of an id or a name, in characters. */
const maxLength = 1000

function refuseToken(token: string): never {
  failOAuth(
    'invalid_scope',
    `Unknown scope ${shortenToken(token)}. Write permissions as stream:level or stream:level:name`
  )
}

function shortenToken(token: string): string {
  return token.length > 60 ? `${truncateText(token, 60)}…` : token
}
