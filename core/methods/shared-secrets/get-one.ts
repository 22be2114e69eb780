/** `sharedSecrets.getOne`: reads the status of a secret by its key. (docs/spec/shared-secrets.md#status) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { fail } from '../../errors.js'
import { requireSecret } from '../../shared-secrets/retrieval.js'
import { anyAccessIfEnabled } from '../../shared-secrets/rules.js'
import { parseKey } from '../../shared-secrets/sealing.js'
import { maySeeSecret, SharedSecretView, toSecretView } from '../../shared-secrets/state.js'

/**
 * Returns the status, to the access that has created the secret, and to the user; for others it counts as
 * unknown: `unknown-resource`.
 */
export const getOne = method({
  id: 'sharedSecrets.getOne',
  summary: 'Get the status of a shared secret',
  params: Type.Object({ key: Type.Optional(Type.Unknown({ description: 'The key of the secret' })) }, closed),
  result: Type.Object({ sharedSecret: SharedSecretView }),
  mode: 'read',
  allow: anyAccessIfEnabled,
  run(call, { key }) {
    const { caller, now } = call
    const secret = requireSecret(call, parseKey(key))
    if (!maySeeSecret(caller, secret)) fail('unknown-resource', 'Unknown key')
    return { sharedSecret: toSecretView(secret, now) }
  }
})
