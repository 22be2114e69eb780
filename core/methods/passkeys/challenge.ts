/**
 * `passkeys.challenge`: what a browser needs to prove the user's identity, or to create a passkey.
 * (docs/spec/passkeys.md#adding-a-passkey)
 */
import { Type } from 'typebox'
import { CreationOptions, proofParams, RequestOptions } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { requireRelyingParty } from '../../sign-in/passkeys/challenges.js'
import { createCreationOptions, createRequestOptions } from '../../sign-in/passkeys/options.js'
import { verifyOwner, createPurpose } from '../../sign-in/passkeys/owner-proof.js'
import { recordPasskeyUse } from '../../sign-in/passkeys/signature.js'
import { maxPasskeys } from '../../sign-in/passkeys/public-passkey.js'

/**
 * With `purpose: 'prove'` returns the `request` for a signature by one of the user's passkeys. With `purpose:
 * 'add'` takes the proof, that signature as `credential` or else the `password`, and returns the `creation`
 * of a passkey. Throws `invalid-operation` if there are too many passkeys.
 */
export const challenge = method({
  id: 'passkeys.challenge',
  summary: 'Start adding a passkey',
  params: Type.Object({ purpose: Type.Enum(['prove', 'add']), ...proofParams }, closed),
  result: Type.Union([Type.Object({ request: RequestOptions }), Type.Object({ creation: CreationOptions })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, { credential, password, purpose }) {
    requireRelyingParty(call.services)
    return purpose === 'add' ? await verifyOwner(call, { credential, password }) : undefined
  },
  run(call, { purpose }, proven) {
    const { services, now, store } = call
    if (purpose === 'prove')
      return {
        request: createRequestOptions(services, createPurpose(call, 'prove'), now, store.passkeys.list())
      }
    if (proven) recordPasskeyUse(call, proven)
    if (store.passkeys.size >= maxPasskeys)
      fail('invalid-operation', `An account can have at most ${maxPasskeys} passkeys. Remove one first`, {
        code: 'passkeys-full'
      })
    return { creation: createCreationOptions(call, createPurpose(call, 'add')) }
  }
})
