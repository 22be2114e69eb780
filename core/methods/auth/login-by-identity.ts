/**
 * `auth.loginByIdentity`: a personal token for a proof of identity. Not part of the original API.
 * (docs/spec/identities.md#signing-in)
 */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { closed } from '../../../schemas/scalars.js'
import type { Identity } from '../../../storage/identities/identity-repository.js'
import { trustedApp } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { fail } from '../../errors.js'
import { ProofParams, verifyProofInCluster, useProof, type VerifiedProof } from '../../identities/proofs.js'
import { getFactor } from '../../sign-in/mfa/factor.js'
import { openMfaSession } from '../../sign-in/mfa/sessions.js'
import { SignedIn, toSignedInFacts, signIn } from '../../sign-in/signed-in.js'

const Params = Type.Object({ ...ProofParams, appId: AppId }, closed)

/**
 * Signs in as `auth.login` does. The account's second factor is also required, unless the provider has
 * required a second factor and is trusted to do so. Uses the proof up. Throws `forbidden` if the identity is
 * not linked to this account.
 */
export const loginByIdentity = method<typeof Params, VerifiedProof>({
  id: 'auth.loginByIdentity',
  summary: 'Sign in with a proof of identity',
  params: Params,
  result: Type.Union([SignedIn, Type.Object({ mfaToken: Type.String() })]),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: trustedApp,
  facts: (result: SignedIn | { mfaToken: string }) =>
    'mfaToken' in result ? { isPending: true } : toSignedInFacts(result),
  auditActor: 'valid-identity',
  async prepare(call, params) {
    const found = await verifyProofInCluster(call, params)
    requireIdentity(call, found)
    await useProof(call, params)
    return found
  },
  run(call, { appId }, found) {
    const { services, now, store } = call
    const { proof } = found
    const identity = requireIdentity(call, found)
    call.provider = proof.provider
    store.identities.touch(identity.id, now)
    if (!getFactor(store) || proof.hasSecondFactor) return signIn(call, appId, proof.provider)
    const session = { purpose: 'login', appId, provider: proof.provider } as const
    return { mfaToken: openMfaSession(services.config, store, session, now) }
  }
})

/**
 * Returns the identity. The account's own file is authoritative, not the platform's index. Throws `forbidden`
 * if it is not linked to it.
 */
function requireIdentity({ store }: Call, { proof: { issuer, subject } }: VerifiedProof): Identity {
  return (
    store.identities.find(issuer, subject) ?? fail('forbidden', 'This identity is not linked to this account')
  )
}
