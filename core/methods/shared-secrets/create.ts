/** `sharedSecrets.create`: shares a secret that can be retrieved once. (docs/spec/shared-secrets.md#creating) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import type { SharedSecret } from '../../../storage/shared-secrets/shared-secret-repository.js'
import { method } from '../../call/method.js'
import { createId } from '../../ids.js'
import { parseNewSecret } from '../../shared-secrets/new-secret.js'
import { anyAccessIfEnabled, requireSecretSharing } from '../../shared-secrets/rules.js'
import { createRandomHalf, formatValue, hashRandomHalf, sealValue } from '../../shared-secrets/sealing.js'
import { SharedSecretView, toSecretEvent, toSecretView } from '../../shared-secrets/state.js'
import { getSecretsStreamId } from '../../system-ids.js'

const given = (description: string) => Type.Optional(Type.Unknown({ description }))

/**
 * Returns the secret with its key, which is stored nowhere; without it if the client has given the hash of a random half of
 * its own. The params are checked by hand, since each error has an id of its own.
 */
export const create = method({
  id: 'sharedSecrets.create',
  summary: 'Share a secret that can be retrieved once',
  params: Type.Object(
    {
      ttl: given('Seconds until the secret expires, greater than 0'),
      title: given('What the secret is, for the list of the user'),
      onConsumed: given(
        'An object with the message for receivers who come too late and, if needed, the returnUrl to continue at'
      ),
      secret: given('The secret: any JSON except null'),
      signature: given(
        'How receivers prove that the secret is meant for them: an object with the type "secret" or "hmac-sha256" and the value to prove'
      ),
      keyHash: given(
        'SHA-256 of the random half of a key that the client has made, in lower-case hexadecimal'
      )
    },
    closed
  ),
  result: Type.Object({
    sharedSecret: Type.Object({
      ...SharedSecretView.properties,
      /** The key with which the secret is retrieved: its id and a random half. */
      key: Type.Optional(Type.String())
    })
  }),
  mode: 'write',
  allow: anyAccessIfEnabled,
  run(call, params) {
    requireSecretSharing(call)
    const { caller, changes, now, services, store } = call
    const { keyHash, onConsumed, secret, signature, title, ttl } = parseNewSecret(services.config, params)
    const id = createId()
    const random = createRandomHalf()
    const at = store.stamp(now)
    const shared: SharedSecret = {
      id,
      access: caller.accessId,
      created: at,
      modified: at,
      expires: now + ttl,
      title,
      onConsumed,
      statusHistory: [{ status: 'pending', time: now }],
      keyHash: keyHash ?? hashRandomHalf(random),
      ...(signature && { signatureType: signature.type }),
      createdBy: caller.signature,
      modifiedBy: caller.signature
    }
    const value = { secret, ...(signature && { signature: signature.value }) }
    if (!store.sharedSecrets.has(caller.accessId))
      changes.add('streams', [getSecretsStreamId(caller.accessId)])
    store.sharedSecrets.insert(shared, keyHash ? formatValue(value) : sealValue({ id, random }, value))
    changes.addEvent(toSecretEvent(shared, now))
    return { sharedSecret: { ...toSecretView(shared, now), ...(!keyHash && { key: `${id}.${random}` }) } }
  }
})
