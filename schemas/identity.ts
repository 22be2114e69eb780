/** Identities that others vouch for: how the platform's index of unique values knows them. (docs/spec/identities.md) */
import { createHash } from 'node:crypto'

/** Their name among unique values. No account field has a name with a space. */
export const identityField = 'provider identity'

/** Somebody as their provider knows them. */
interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
}

/** The form in which the index knows an identity: a digest, so that it tells nothing. */
export function toIdentityKey({ issuer, subject }: ProviderIdentity): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url')
}
