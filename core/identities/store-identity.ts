/** Stores the identity with which an account is created. (docs/spec/identities.md#registering) */
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getCurrentAddress, isSameAddress } from '../account/email/address.js'
import { createIdentity } from './identities.js'

/** Returns the identity as a unique value of the account. */
export function toUniqueValues(proof: IdentityProof): Readonly<Record<string, string>> {
  return { [identityField]: toIdentityKey(proof) }
}

/**
 * Stores the identity. An address that the provider has not verified is not confirmed until the user confirms it. Must
 * run within the write that fills the account, after its values are stored.
 */
export function storeIdentity(store: UserStore, proof: IdentityProof, now: number): void {
  store.identities.insert(createIdentity(proof, now))
  const { email } = proof
  if (email && !email.isVerified && isSameAddress(email.address, getCurrentAddress(store)))
    store.confirmed.remove('email')
}
