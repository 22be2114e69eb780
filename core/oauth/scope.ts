/**
 * The scopes of OAuth: permissions on streams, such as `diary:contribute`, and what a client may know of the person.
 * (docs/api/oauth.md#scopes)
 */
import type { IdentityScope } from '../../schemas/oauth.js'
import type { Level, Permission } from '../../schemas/permission.js'
import type { RequestedPermission } from '../accesses/granting.js'
import { ranks } from '../permissions/levels.js'
import { truncateText } from '../truncate-text.js'
import { isSystemId } from '../system-ids.js'
import { failOAuth } from './errors.js'

/** Scopes about the person, and for going on without them. */
export const identityScopes: readonly IdentityScope[] = ['openid', 'profile', 'email', 'offline_access']

/** What a client asks for. */
export interface Scope {
  readonly identity: readonly IdentityScope[]
  readonly permissions: readonly RequestedPermission[]
}

/** Most scopes of one request. */
const maxScopes = 1000
/** Features that can be switched off. */
const features: readonly string[] = ['selfRevoke', 'selfAudit']

/** Parses scopes that are separated by blanks. Throws `invalid_scope` for what is none, and for two on the same stream. */
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
 * Parses what a client asks for, as {@link parseScope}. Those of OpenID Connect ask for `address`, `phone` or `groups` as a
 * matter of course: such words are left out, which the scope of the answer tells. (OpenID Connect Core, 3.1.2.1)
 */
export function parseAskedScope(text: string): Scope {
  return parseScope(text.split(' ').includes('openid') ? omitUnknownWords(text) : text)
}

/** Leaves out words that are no scope here and cannot be meant as a permission. */
export function omitUnknownWords(text: string): string {
  const tokens = text.split(' ').filter(token => token !== '')
  return tokens.filter(token => isIdentity(token) || /[:=]/.test(token)).join(' ')
}

/** The scopes that permissions stand for. The names of streams are left out: they are of use only while streams are made. */
export function formatScope(permissions: readonly Permission[], identity: readonly IdentityScope[]): string {
  const tokens = permissions.map(permission =>
    'streamId' in permission
      ? `${permission.streamId === '*' ? '*' : encodeURIComponent(permission.streamId)}:${permission.level}`
      : `${permission.feature}=${permission.setting}`
  )
  return [...identity, ...tokens].join(' ')
}

/**
 * Throws `invalid_scope` unless what is asked for lies within the scopes that a client is allowed: the same stream, or all of
 * them, with the same level or one above it. Account fields and the audit, which `*` never reaches, have to be named.
 */
export function assertScopeAllowed(asked: Scope, allowed: readonly string[]): void {
  const { identity, permissions } = parseScope(allowed.join(' '))
  const levels = new Map(
    permissions.flatMap(each => ('streamId' in each ? [[each.streamId, each.level] as const] : []))
  )
  for (const each of asked.identity)
    if (!identity.includes(each)) failOAuth('invalid_scope', `This client cannot request ${each}`)
  for (const each of asked.permissions) {
    // What takes something away from the client needs no permission.
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

/** Whether a level allows all that another does: reading and adding allow nothing of each other. */
function includesLevel(level: Level, asked: Level): boolean {
  return level === asked || (ranks[level] > ranks[asked] && level !== 'create-only')
}

function isIdentity(token: string): token is IdentityScope {
  return (identityScopes as readonly string[]).includes(token)
}

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

/** Odd ids and names are percent-encoded. */
function decodePart(part: string, token: string): string {
  try {
    const text = decodeURIComponent(part)
    return text.trim() === '' || text.length > maxLength ? refuseToken(token) : text
  } catch {
    return refuseToken(token)
  }
}

/** Characters of an id or a name. */
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
