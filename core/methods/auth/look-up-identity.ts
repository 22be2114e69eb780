/**
 * `auth.lookUpIdentity`: what a proof of identity can be used for. Not part of the original API.
 * (docs/spec/identities.md#signing-in)
 */
import { Type } from 'typebox'
import { identityField, toIdentityKey } from '../../../schemas/identity.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { Proof, verifyProof } from '../../identities/proofs.js'
import { PublicProvider, toPublicProvider } from '../../identities/provider.js'
import { isTakenEmail } from '../../registration/usernames.js'

/**
 * Returns the user name of the account that the identity opens; if there is no such account, the data with
 * which an account can be created. The proof stays valid.
 */
export const lookUpIdentity = serviceMethod({
  id: 'auth.lookUpIdentity',
  summary: 'Get the account that a proof of identity belongs to',
  params: Proof,
  result: Type.Object({
    provider: PublicProvider,
    username: Type.Optional(Type.String()),
    registration: Type.Optional(
      Type.Object({
        /** Whether an account can be created regardless of the registration rules. */
        isOpen: Type.Boolean(),
        username: Type.Optional(Type.String()),
        email: Type.Optional(Type.String()),
        /** Whether an account has that address. It does not open that account: addresses prove nothing. */
        isEmailTaken: Type.Boolean()
      })
    )
  }),
  allow: anyone,
  run(call, params) {
    const { services } = call
    const { proof, provider } = verifyProof(call, params)
    const account = services.platform.findByUnique(identityField, toIdentityKey(proof))
    if (account) return { provider: toPublicProvider(provider), username: account.username }
    const { email, username } = proof
    return {
      provider: toPublicProvider(provider),
      registration: {
        isOpen: provider.autoRegister,
        ...(username !== undefined && { username }),
        ...(email && { email: email.address }),
        isEmailTaken: email !== undefined && isTakenEmail(services, email.address)
      }
    }
  }
})
