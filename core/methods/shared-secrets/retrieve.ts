/** `sharedSecrets.retrieve`: hands over a secret, once. (docs/spec/shared-secrets.md#retrieving) */
import { Type } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import {
  consumeSecret,
  countAttempt,
  discardIfWrong,
  refuseForUnknownUser
} from '../../shared-secrets/retrieval.js'
import { anyoneIfEnabled } from '../../shared-secrets/rules.js'

/**
 * Returns the secret, whose content is then erased; a wrong proof also uses it up. Needs no token: the key,
 * with the proof if one is required, is enough. Attempts are counted.
 */
export const retrieve = method({
  id: 'sharedSecrets.retrieve',
  summary: 'Retrieve a shared secret, once',
  params: Type.Object(
    {
      // Anything else is refused like an unknown key.
      key: Type.Optional(Type.Unknown({ description: 'The key of the secret' })),
      signature: orNull(
        Type.Object(
          { type: Type.Enum(['secret', 'hmac-sha256']), payload: Type.String({ maxLength: 2000 }) },
          closed
        )
      )
    },
    closed
  ),
  result: Type.Object({ secret: Type.Unknown() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyoneIfEnabled,
  auditActor: 'public',
  // The holder of an access with an alias can give receivers no other name.
  worksByAlias: true,
  async prepare(call, params) {
    countAttempt(call, call.account.username)
    await discardIfWrong(call, params)
  },
  run: (call, params) => ({ secret: consumeSecret(call, params) }),
  handleUnknownUser(call, username, { key }) {
    countAttempt(call, username)
    return refuseForUnknownUser(key)
  }
})
