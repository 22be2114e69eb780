/** Reads the claims of a provider. Every value may be of any type and length. (docs/spec/identities.md#claims) */
import { mailable } from '../../schemas/account.js'
import type { Provider } from './provider.js'

/** Claims of an id token, completed by those of the provider's `userinfo`. */
export type Claims = Readonly<Record<string, unknown>>

/** Longest subject, in characters (OpenID Connect Core 1.0, section 2). */
export const maxSubjectLength = 255
/** Longest email address. */
const maxEmailLength = 300
/** Maximum number of groups that are checked. */
const maxGroups = 10_000

/** Returns whether the user is in one of the groups that the provider's setting requires. */
export function isInAllowedGroup({ allowedGroups, groupsClaim }: Provider, claims: Claims): boolean {
  if (allowedGroups.length === 0) return true
  const value = getClaim(claims, groupsClaim)
  const groups: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxGroups) : [value]
  return groups.some(group => typeof group === 'string' && allowedGroups.includes(group))
}

/** Returns whether the provider states that it asked for a second factor, and is trusted to do so. */
export function hasSecondFactor({ secondFactor, secondFactorAcr }: Provider, claims: Claims): boolean {
  if (secondFactor !== 'provider') return false
  const [acr, amr] = [getClaim(claims, 'acr'), getClaim(claims, 'amr')]
  return (
    (Array.isArray(amr) && amr.slice(0, 100).includes('mfa')) ||
    (typeof acr === 'string' && secondFactorAcr.includes(acr))
  )
}

/**
 * Returns the email address, which is verified only if the provider says so; `undefined` if there is none to
 * which mail can be sent.
 */
export function getEmail(claims: Claims): { address: string; isVerified: boolean } | undefined {
  const address = getClaim(claims, 'email')
  if (typeof address !== 'string' || address === '' || address.length > maxEmailLength) return undefined
  if (!mailablePattern.test(address)) return undefined
  return { address, isVerified: getClaim(claims, 'email_verified') === true }
}

const mailablePattern = new RegExp(mailable, 'u')

/**
 * Suggests a user name, derived from the name the provider uses. Returns `undefined` if too few characters
 * remain.
 */
export function suggestUsername(claims: Claims): string | undefined {
  const email = getEmail(claims)?.address.split('@')[0]
  for (const text of [getClaim(claims, 'preferred_username'), email]) {
    if (typeof text !== 'string') continue
    const name = text
      .slice(0, 60)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '-')
      .replace(/^-{1,60}/, '')
    const end = name.length - countTrailingHyphens(name)
    if (end >= 5) return name.slice(0, end)
  }
  return undefined
}

/** Returns number of hyphens at the end. */
function countTrailingHyphens(name: string): number {
  let count = 0
  while (count < name.length && name[name.length - 1 - count] === '-') count++
  return count
}

function getClaim(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
