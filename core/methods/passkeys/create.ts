/** `passkeys.create`: adds a passkey that a browser has made. (docs/spec/passkeys.md#adding-a-passkey) */
import { Type } from 'typebox'
import { UniqueViolation } from '../../../storage/errors.js'
import { Attestation, Passkey, PasskeyName } from '../../../schemas/passkey.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'
import { method } from '../../call/method.js'
import { agentWords } from '../../sign-in/notices/agent.js'
import { tell } from '../../sign-in/notices/notices.js'
import { takeChallenge } from '../../sign-in/passkeys/challenges.js'
import { purposeOf } from '../../sign-in/passkeys/proof.js'
import { verifyNew } from '../../sign-in/passkeys/verify.js'
import { maxPasskeys, shownPasskey } from '../../sign-in/passkeys/view.js'

/** Takes the answer to a challenge of `passkeys.challenge`, of the same session. Tells the user by mail. */
export const create = method({
  id: 'passkeys.create',
  summary: 'Add a passkey',
  params: Type.Object({ credential: Attestation, name: orNull(PasskeyName) }, closed),
  result: Type.Object({ passkey: Passkey }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, { credential }) {
    return (await verifyNew(call, purposeOf(call, 'add'), credential)) ?? refuse()
  },
  run(call, { name }, { challenge, ...attested }) {
    const { credentials, now, store } = call
    // Another call may have been made with it while it was looked at.
    if (!takeChallenge(store, challenge, now) || store.passkeys.size >= maxPasskeys) refuse()
    const passkey = {
      ...attested,
      id: createId(),
      name: name?.trim() || agentWords(credentials.headers?.['user-agent']),
      created: now,
      used: null
    }
    try {
      store.passkeys.insert(passkey)
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      fail('item-already-exists', 'This passkey has been added already', { id: attested.credential })
    }
    tell(call, { kind: 'passkeyAdded', passkey: passkey.name })
    return { passkey: shownPasskey(passkey) }
  }
})

function refuse(): never {
  fail('invalid-operation', 'The passkey does not fit what was asked for, or too late: please try again', {
    code: 'passkey-refused'
  })
}
