/**
 * Proofs of identity: what a provider has confirmed, for the page that requested it; each can be used once.
 * (docs/spec/identities.md#proofs)
 */
import { Type, type Static } from 'typebox'
import { digestSecret } from '../../schemas/secret-digest.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import type { ServiceCall } from '../call/method.js'
import { fail } from '../errors.js'
import { findProvider, type Provider } from './provider.js'

const Secret = Type.String({ minLength: 1, maxLength: 100 })

/** Params of the methods that take a proof: the ticket from the fragment, and the secret of the page. */
export const ProofParams = { ticket: Secret, secret: Secret }
export const Proof = Type.Object(ProofParams, { additionalProperties: false })
export type Proof = Static<typeof Proof>

/** A valid proof, with its provider. */
export interface VerifiedProof {
  readonly proof: IdentityProof
  readonly provider: Provider
}

/**
 * Verifies a proof. Throws `invalid-credentials` for a ticket that is unknown, was used, or belongs to
 * another page. Counts failures by address: too many throw `too-many-requests`.
 */
export function verifyProof(
  { services, credentials, now }: ServiceCall,
  { secret, ticket }: Proof
): VerifiedProof {
  const proof = services.platform.identityProofs.find(ticket, secret, now)
  const provider = proof && findProvider(services.config, proof.provider)
  if (proof && provider) return { proof, provider }
  services.throttle.unknownToken(credentials.ip)
  return fail('invalid-credentials', 'The proof of identity is unknown, already used or expired')
}

/** Does the same as {@link verifyProof}, also if the provider has just sent the user to another node of a cluster. */
export async function verifyProofInCluster(call: ServiceCall, params: Proof): Promise<VerifiedProof> {
  const { platform } = call.services
  if (!platform.identityProofs.find(params.ticket, params.secret, call.now)) await platform.catchUp()
  return verifyProof(call, params)
}

/** Makes a ticket invalid. Throws `invalid-credentials` if another call has used the ticket first. */
export async function useProof({ services }: ServiceCall, { ticket }: Pick<Proof, 'ticket'>): Promise<void> {
  if (!(await services.platform.change('useProof', digestSecret(ticket))))
    fail('invalid-credentials', 'The proof of identity has already been used')
}
