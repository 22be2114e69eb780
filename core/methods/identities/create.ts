/**
 * `identities.create`: links an identity with the account. Not part of the original API.
 * (docs/spec/identities.md#linking)
 */
import { Type } from 'typebox'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import {
  linkIdentity,
  assertLinkable,
  PublicIdentity,
  toPublicIdentity
} from '../../identities/identities.js'
import { assertLinkSecret, useLinkSecret } from '../../identities/link-secrets.js'
import { Proof, verifyProofInCluster, useProof, type VerifiedProof } from '../../identities/proofs.js'

/**
 * Links the identity that was proven with a secret of this session, which is used up with the proof. Notifies
 * the user by mail.
 */
export const create = method<typeof Proof, VerifiedProof>({
  id: 'identities.create',
  summary: 'Link an identity',
  params: Proof,
  result: Type.Object({ identity: PublicIdentity }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, params) {
    assertLinkSecret(call, params.secret)
    const found = await verifyProofInCluster(call, params)
    assertLinkable(call, found.proof)
    await useProof(call, params)
    return found
  },
  run(call, params, { proof }) {
    useLinkSecret(call, params.secret)
    const identity = linkIdentity(call, proof)
    return { identity: toPublicIdentity(call.services.config, identity) }
  }
})
