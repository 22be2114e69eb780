/** Access tokens, refresh tokens and codes, and the user or request that they name. (docs/api/oauth.md#tokens) */
import { createHmac, randomBytes } from 'node:crypto'
import { digestSecret } from '../../schemas/secret-digest.js'
import type { StoredGrant, RefreshToken, ReplacedToken } from '../../storage/oauth/oauth-grants.js'
import { createToken } from '../ids.js'

/** Returns random text: 22 characters hold 128 random bits, 32 hold 192. */
const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url')

/**
 * Separates the parts of tokens. It needs no escaping in URLs and headers, and unlike a dot, it does not make clients take a token for
 * a JWT.
 */
const separator = '~'
/** Tokens that were issued earlier have dots. */
const anySeparator = /[.~]/

/** Creates a token for an access of this user: the token alone identifies the account. */
export function createAccessToken(username: string): string {
  return username + separator + createToken()
}

/** Returns the user name in a token; empty for tokens that OAuth did not issue. */
export function getTokenOwner(token: string): string {
  const end = token.search(anySeparator)
  return end > 0 && end <= maxUsernameLength ? token.slice(0, end).toLowerCase() : ''
}

const maxUsernameLength = 60

/** Creates a code for a request. It begins with the request's key, so that URLs hold nothing about the user. */
export function createCode(key: string): string {
  return `${key}.${randomText(24)}`
}

/** Returns the key of the request that a code belongs to. Empty for text that is no code. */
export function getRequestKey(code: string): string {
  return code.slice(0, Math.max(0, code.indexOf('.')))
}

/** Creates the first refresh token of a grant. */
export function createRefreshToken(): RefreshToken {
  return { family: randomText(16), secret: randomText(24) }
}

/** Seconds for which a replaced refresh token still leads to the token in force (the grace period). */
const graceSeconds = 10
/** Maximum number of replaced tokens that a grant keeps; clients refresh once an hour. */
const maxReplaced = 10

/** The secret of the next refresh token of a grant, and the tokens that were replaced within the grace period. */
export interface NextToken {
  readonly secret: string
  readonly replaced: readonly ReplacedToken[]
}

/**
 * Derives the next refresh token of a grant from the token in force, with a new random salt: each call returns another.
 * The caller stores the tokens that were replaced, now with this one. `now` in seconds.
 */
export function deriveNextToken({ replaced = [] }: StoredGrant, secret: string, now: number): NextToken {
  const salt = randomText(16)
  // Each token leads to the next one, so none between two of them may be missing.
  const recent = replaced.slice(replaced.findLastIndex(each => !isWithinGrace(each, now)) + 1)
  const last = { digest: digestSecret(secret), salt, time: now }
  return { secret: deriveSecret(secret, salt), replaced: [...recent, last].slice(-maxReplaced) }
}

/**
 * Returns the secret of the token in force, given a token that was replaced within the grace period; `undefined` for
 * any other token. `now` in seconds. (docs/api/oauth.md#refreshing)
 */
export function findSuccessor(
  { replaced = [] }: StoredGrant,
  secret: string,
  now: number
): string | undefined {
  const digest = digestSecret(secret)
  const start = replaced.findIndex(each => each.digest === digest && isWithinGrace(each, now))
  return start < 0
    ? undefined
    : replaced.slice(start).reduce((last, { salt }) => deriveSecret(last, salt), secret)
}

/** Returns whether a token was replaced within the grace period. A clock that is set back does not prolong it. */
function isWithinGrace({ time }: ReplacedToken, now: number): boolean {
  return Math.abs(now - time) <= graceSeconds
}

/**
 * Derives the next secret. A replaced token alone is not enough to derive later tokens, because of the random salt; nor
 * is the content of the file, because of the secret.
 */
function deriveSecret(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest().subarray(0, 24).toString('base64url')
}

/** Formats a refresh token for the client. */
export function formatRefreshToken(username: string, { family, secret }: RefreshToken): string {
  return [username, family, secret].join(separator)
}

/** Parses a refresh token; `undefined` for other text. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, family = '', secret = '', ...more] = text.split(anySeparator, 4)
  return family !== '' && secret !== '' && more.length === 0 ? { family, secret } : undefined
}
