/**
 * Scenarios of two-factor authentication by an authenticator app, since no messaging service is configured.
 * (docs/spec/mfa.md)
 */
import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { digestCode } from '../../core/sign-in/mfa/factor.js'
import { toSignInProof, type MfaSession } from '../../core/sign-in/mfa/sessions.js'
import { setPassword } from './passwords.js'
import { withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const appId = 'contract-app'
const password = 'a long secret'
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const mfaToken = 'an-mfa-token-of-the-contract'
const recoveryCode = 'a-code-of-the-contract'
const candidate = { method: 'totp', content: {}, secret } as const

/** Activates a second factor. */
async function enrol({ service, owner }: World): Promise<void> {
  const factor = { ...candidate, recoveryCodes: [digestCode(recoveryCode)] }
  await service.call(undefined, 'test.enrol', { username: owner.username, factor })
}

const waiting =
  (sessionOf: (world: World) => MfaSession) =>
  async (world: World): Promise<void> => {
    await enrol(world)
    const { owner, service } = world
    const session = sessionOf(world)
    await service.call(undefined, 'test.beginMfa', { username: owner.username, mfaToken, session })
  }

const activation = ({ owner }: World): MfaSession => ({
  purpose: 'activate',
  candidate,
  by: toSignInProof(owner.access)
})

const code: Params = ({ service }) => ({
  code: TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: service.clock.now() * 1000 })
})

async function asksForFactor({ service, owner }: World): Promise<boolean> {
  const params = { username: owner.username, password, appId }
  const credentials = { origin: service.server.url }
  return 'mfaToken' in (await service.call(owner.username, 'auth.login', params, undefined, credentials))
}

/** A call during a pending sign-in or activation. */
const inSession = { only: 'http', headers: { authorization: mfaToken } } as const

const wrongTokens: readonly Scenario[] = [
  { name: 'refuses the token of an access', kind: 'caller', params: { code: '123456' }, error: 'forbidden' },
  {
    name: 'refuses an unknown token',
    kind: 'caller',
    only: 'http',
    by: 'stranger',
    params: { code: '123456' },
    error: 'forbidden'
  },
  { name: 'requires a token', kind: 'caller', only: 'http', by: 'nobody', error: 'invalid-access-token' }
]

const personal: readonly Scenario[] = [
  ...(['app', 'reader'] as const).map((by): Scenario => ({
    name: `is refused to ${by}, which did not sign in`,
    kind: 'caller',
    by,
    error: 'forbidden'
  })),
  ...withoutToken()
]

const recovery =
  (fields: object = {}): Params =>
  ({ owner }) => ({
    username: owner.username,
    password,
    appId,
    recoveryCode,
    ...fields
  })

const trusted = ({ service }: World): Record<string, string> => ({ origin: service.server.url })

export const mfaScenarios: Contract = {
  'mfa.activate': [
    {
      name: 'returns the data for an authenticator app, and a token to continue with',
      kind: 'success',
      before: async world => await world.noteSignIn(),
      params: {},
      answer: { mfaToken: /^[0-9a-f-]{36}$/, totp: { uri: /^otpauth:/, secret: String, qrCode: /^data:/ } }
    },
    {
      name: 'requires proof unless the sign-in is recent',
      kind: 'state',
      params: {},
      error: 'invalid-operation'
    },
    {
      name: 'requires the proof to be a string',
      kind: 'params',
      params: { password: 12 },
      error: 'invalid-parameters-format'
    },
    ...personal
  ],

  'mfa.confirm': [
    {
      name: 'activates the factor and returns recovery codes',
      kind: 'success',
      ...inSession,
      before: waiting(activation),
      params: code,
      answer: {
        recoveryCodes: Array.from({ length: 10 }, () => /^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){3}$/)
      }
    },
    {
      name: 'refuses a wrong code',
      kind: 'state',
      ...inSession,
      before: waiting(activation),
      params: { code: 'none' },
      error: 'invalid-code'
    },
    ...wrongTokens
  ],

  'mfa.challenge': [
    {
      name: 'returns instructions',
      kind: 'success',
      ...inSession,
      before: waiting(() => ({ purpose: 'login', appId })),
      answer: { message: String }
    },
    ...wrongTokens
  ],

  'mfa.verify': [
    {
      name: 'completes the sign-in',
      kind: 'success',
      ...inSession,
      before: waiting(() => ({ purpose: 'login', appId })),
      params: code,
      answer: ({ owner }) => ({ token: String, apiEndpoint: new RegExp(`/${owner.username}/$`) }),
      after: async ({ service, owner }, { token }) => {
        assert.equal((await service.call(owner.username, 'getAccessInfo', {}, token)).name, appId)
      }
    },
    ...wrongTokens
  ],

  'mfa.deactivate': [
    {
      name: 'removes the factor',
      kind: 'success',
      before: async world => {
        await setPassword(world)
        await enrol(world)
        await world.noteSignIn()
      },
      answer: { message: String },
      after: async world => assert.ok(!(await asksForFactor(world)))
    },
    {
      name: 'requires proof unless the sign-in is recent',
      kind: 'state',
      before: enrol,
      error: 'invalid-operation'
    },
    {
      name: 'requires the proof to be a string',
      kind: 'params',
      params: { password: 12 },
      error: 'invalid-parameters-format'
    },
    ...personal
  ],

  'mfa.recover': [
    {
      name: 'removes the factor',
      kind: 'success',
      headers: trusted,
      before: async world => {
        await setPassword(world)
        await enrol(world)
        assert.ok(await asksForFactor(world))
      },
      params: recovery(),
      answer: { message: String },
      after: async world => assert.ok(!(await asksForFactor(world)))
    },
    {
      name: 'requires a recovery code',
      kind: 'params',
      headers: trusted,
      params: recovery({ recoveryCode: undefined }),
      error: 'missing-parameter'
    },
    {
      name: 'requires a code of this user',
      kind: 'state',
      headers: trusted,
      before: setPassword,
      params: recovery({ recoveryCode: 'another' }),
      error: 'invalid-parameter'
    },
    {
      name: 'requires the password',
      kind: 'caller',
      headers: trusted,
      params: recovery({ password: 'a wrong secret' }),
      error: 'invalid-credentials'
    },
    {
      name: 'refuses an untrusted origin',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: recovery(),
      error: 'forbidden'
    }
  ]
}
