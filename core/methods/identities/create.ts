/** `identities.create`: links an identity with the account. Beyond the specification. (docs/spec/identities.md#linking) */
import { Type } from 'typebox'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { linkIdentity, ShownIdentity, shownIdentity } from '../../identities/identities.js'
import { useLinkSecret } from '../../identities/link-secrets.js'
import { Proof, proven, useProof } from '../../identities/proofs.js'

/** Links what has been proven with a secret of this session. Linking what is linked already changes nothing. */
export const create = method({
  id: 'identities.create',
  summary: 'Link an identity',
  params: Proof,
  result: Type.Object({ identity: ShownIdentity }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, params) {
    useLinkSecret(call, params.secret)
    const { proof } = proven(call, params)
    const identity = linkIdentity(call, proof)
    useProof(call, params)
    return { identity: shownIdentity(call.services.config, identity) }
  }
})
