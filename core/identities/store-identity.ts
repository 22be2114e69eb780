/** What a new account keeps of the identity with which it was created. (docs/spec/identities.md#registering) */
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getCurrentAddress, isSameAddress } from '../account/email/address.js'
import { createIdentity } from './identities.js'

/** The identity among the values that the account claims. */
export function toUniqueValues(proof: IdentityProof): Readonly<Record<string, string>> {
  return { [identityField]: toIdentityKey(proof) }
}

/**
 * Keeps the identity. An address that the provider has told without having verified it does not count until its person has
 * confirmed it. Must run within the write that fills the account, after its values are kept.
 */
export function storeIdentity(store: UserStore, proof: IdentityProof, now: number): void {
  store.identities.insert(createIdentity(proof, now))
  const { email } = proof
  if (email && !email.isVerified && isSameAddress(email.address, getCurrentAddress(store)))
    store.confirmed.remove('email')
}
