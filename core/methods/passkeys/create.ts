/** `passkeys.create`: adds a passkey that a browser has created. (docs/spec/passkeys.md#adding-a-passkey) */
import { Type } from 'typebox'
import { UniqueViolation } from '../../../storage/errors.js'
import { Attestation, Passkey, PasskeyName } from '../../../schemas/passkey.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'
import { method } from '../../call/method.js'
import { describeAgent } from '../../sign-in/notices/devices.js'
import { notifyUser } from '../../sign-in/notices/notices.js'
import { useChallenge } from '../../sign-in/passkeys/challenges.js'
import { createPurpose } from '../../sign-in/passkeys/owner-proof.js'
import { verifyAttestation } from '../../sign-in/passkeys/verify.js'
import { maxPasskeys, toPublicPasskey } from '../../sign-in/passkeys/public-passkey.js'

/**
 * Adds the passkey in the response to a challenge of `passkeys.challenge` in the same session, which is used
 * up. Its name is that of the browser unless given. Notifies the user by mail. Throws `invalid-operation` if
 * the response does not match, `item-already-exists` for a passkey that was added before.
 */
export const create = method({
  id: 'passkeys.create',
  summary: 'Add a passkey',
  params: Type.Object({ credential: Attestation, name: orNull(PasskeyName) }, closed),
  result: Type.Object({ passkey: Passkey }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, { credential }) {
    return (await verifyAttestation(call, createPurpose(call, 'add'), credential)) ?? refusePasskey()
  },
  run(call, { name }, { challenge, ...attested }) {
    const { credentials, now, store } = call
    // Another call may have used it while it was being verified.
    if (!useChallenge(store, challenge, now) || store.passkeys.size >= maxPasskeys) refusePasskey()
    const passkey = {
      ...attested,
      id: createId(),
      name: name?.trim() || describeAgent(credentials.headers?.['user-agent']),
      created: now,
      used: null
    }
    try {
      store.passkeys.insert(passkey)
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      fail('item-already-exists', 'This passkey has already been added', { id: attested.credential })
    }
    notifyUser(call, { kind: 'passkeyAdded', passkey: passkey.name })
    return { passkey: toPublicPasskey(passkey) }
  }
})

function refusePasskey(): never {
  fail('invalid-operation', 'The passkey does not match the request, or the request has expired. Try again', {
    code: 'passkey-refused'
  })
}
