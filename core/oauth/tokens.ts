/** Access tokens, refresh tokens and codes, and what they tell of whose they are. (docs/api/oauth.md#tokens) */
import { randomBytes } from 'node:crypto'
import type { RefreshToken } from '../../storage/oauth/oauth-grants.js'
import { newToken } from '../ids.js'

/** The text of the parts of tokens: 22 characters hold 128 random bits, 32 hold 192. */
const random = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** A token for an access of this user: which account it opens is found by it alone. */
export function newAccessToken(username: string): string {
  return `${username}.${newToken()}`
}

/** Returns the name of the user whose token this is; an empty text for what is not of OAuth. */
export function ownerOf(token: string): string {
  const dot = token.indexOf('.')
  return dot > 0 && dot <= longestUsername ? token.slice(0, dot).toLowerCase() : ''
}

const longestUsername = 60

/** A code that answers a request. It begins with the request's key, so that nothing of the person stands in a URL. */
export function newCode(key: string): string {
  return `${key}.${random(24)}`
}

/** Returns the key of the request that a code answers. */
export function keyOf(code: string): string {
  return code.slice(0, Math.max(0, code.indexOf('.')))
}

/** The first refresh token of a grant. */
export function newRefreshToken(): RefreshToken {
  return { family: random(16), secret: newSecret() }
}

/** What the next refresh token of a grant differs in. */
export function newSecret(): string {
  return random(24)
}

/** A refresh token as the client holds it. */
export function refreshText(username: string, { family, secret }: RefreshToken): string {
  return `${username}.${family}.${secret}`
}

/** The parts of a refresh token; `undefined` for what is none. */
export function refreshParts(text: string): RefreshToken | undefined {
  const [, family = '', secret = '', ...more] = text.split('.', 4)
  return family !== '' && secret !== '' && more.length === 0 ? { family, secret } : undefined
}
