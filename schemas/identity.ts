/** Identities confirmed by providers: their form in the platform's index of unique values. (docs/spec/identities.md) */
import { createHash } from 'node:crypto'

/** The field name of identities among unique values. No account field has a name with a space. */
export const identityField = 'provider identity'

/** A user as identified by a provider. */
interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
}

/** Returns the form of an identity in the index: a digest, so that it reveals nothing. */
export function toIdentityKey({ issuer, subject }: ProviderIdentity): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url')
}
