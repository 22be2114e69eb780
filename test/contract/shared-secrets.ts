/** Scenarios of shared secrets. (docs/spec/shared-secrets.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const valid = { ttl: 60, title: 'A key', onConsumed: { message: 'Too late' }, secret: { door: 1234 } }
const unknownKey = `c${'0'.repeat(24)}.${'x'.repeat(43)}`
const keys = new WeakMap<World, string>()

/** Shares a secret, by the owner. */
async function share(world: World): Promise<void> {
  const { sharedSecret } = await world.owner.do('sharedSecrets.create', valid)
  keys.set(world, sharedSecret.key)
}

const withKey = (world: World): object => ({ key: keys.get(world) })

/** Refusals whose error has an id of its own. */
function refusals(cases: Readonly<Record<string, object>>): Scenario[] {
  return Object.entries(cases).map(([id, fields]): Scenario => ({
    name: `refuses ${JSON.stringify(fields).slice(0, 60)}`,
    kind: 'params',
    params: { ...valid, ...fields },
    error: 'invalid-parameters-format',
    match: { data: { id: `shared-secret-${id}` } }
  }))
}

const noKey: Params = { key: unknownKey }

export const sharedSecretScenarios: Contract = {
  'sharedSecrets.create': [
    {
      name: 'returns a key, and not the secret',
      kind: 'success',
      params: valid,
      answer: {
        sharedSecret: {
          key: /^c[a-z0-9]{24}\.[\w-]{43}$/,
          status: 'pending',
          title: 'A key',
          onConsumed: { message: 'Too late' }
        }
      },
      after: (_world, answer) => assert.ok(!JSON.stringify(answer).includes('1234'))
    },
    {
      name: 'returns no key if the client has made it',
      kind: 'success',
      by: 'sensor',
      params: { ...valid, keyHash: 'a'.repeat(64), signature: { type: 'hmac-sha256', value: 'pin' } },
      answer: { sharedSecret: { status: 'pending', signatureType: 'hmac-sha256' } },
      after: (_world, { sharedSecret }) => assert.equal(sharedSecret.key, undefined)
    },
    ...refusals({
      'invalid-ttl': { ttl: 0 },
      'ttl-too-long': { ttl: 2_592_001 },
      'invalid-title': { title: ' ' },
      'invalid-on-consumed': { onConsumed: {} },
      'invalid-return-url': { onConsumed: { message: 'x', returnUrl: 'javascript:alert(1)' } },
      'missing-secret': { secret: null },
      'too-large': { secret: 'x'.repeat(5000) },
      'invalid-signature': { signature: { type: 'rsa', value: 'x' } },
      'invalid-key-hash': { keyHash: 'A'.repeat(64) }
    }),
    {
      name: 'refuses other params',
      kind: 'params',
      params: { ...valid, unheardOf: 1 },
      error: 'invalid-parameters-format'
    },
    ...withoutToken(valid)
  ],
  'sharedSecrets.retrieve': [
    {
      name: 'hands over the secret',
      kind: 'success',
      before: share,
      params: withKey,
      answer: { secret: { door: 1234 } },
      after: async world => {
        const { status } = await world.service.call(
          world.owner.username,
          'sharedSecrets.retrieve',
          withKey(world)
        )
        assert.equal(status, 403)
      }
    },
    {
      name: 'refuses a proof of another form',
      kind: 'params',
      params: { key: unknownKey, signature: 'x' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'needs no token',
      kind: 'caller',
      by: 'nobody',
      only: 'http',
      params: noKey,
      error: 'unknown-resource'
    },
    ...[noKey, {}, { key: 12 }, { key: 'x.y' }].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'unknown',
      params,
      error: 'unknown-resource'
    }))
  ],
  'sharedSecrets.getOne': [
    {
      name: 'returns the status',
      kind: 'success',
      before: share,
      params: withKey,
      answer: { sharedSecret: { status: 'pending', statusHistory: [{ status: 'pending' }] } }
    },
    {
      name: 'refuses other params',
      kind: 'params',
      params: { key: unknownKey, unheardOf: 1 },
      error: 'invalid-parameters-format'
    },
    { name: 'refuses an unknown key', kind: 'unknown', params: noKey, error: 'unknown-resource' },
    {
      name: 'counts as unknown for accesses that have not created it',
      kind: 'caller',
      by: 'manager',
      before: share,
      params: withKey,
      error: 'unknown-resource'
    },
    ...withoutToken(noKey)
  ]
}
