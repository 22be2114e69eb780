/** Scenarios of passkeys and of sign-in alerts. (docs/spec/passkeys.md; docs/spec/notices.md) */
import assert from 'node:assert/strict'
import type { Assertion, Attestation } from '../../schemas/passkey.js'
import { Authenticator, type Lies } from '../support/authenticator.js'
import { originOf } from '../support/passkeys.js'
import { setPassword } from './passwords.js'
import { closedToOthers, lacks, withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import { byAdmin, noName, toOthers, unknownUser, username } from './users.js'
import type { World } from './world.js'

const appId = 'contract-app'
const password = 'a long secret'
const invalid = { kind: 'params', error: 'invalid-parameters-format' } as const

/** What a user has in a world: an authenticator, and what it has created. */
interface Kit {
  readonly authenticator: Authenticator
  attestation?: Attestation
  assertion?: Assertion
  passkeyId?: string
}

const kits = new WeakMap<World, Kit>()

function kitOf(world: World): Kit {
  let kit = kits.get(world)
  if (!kit) kits.set(world, (kit = { authenticator: new Authenticator(originOf(world.service)) }))
  return kit
}

/** Creates a passkey in the authenticator, which the service does not know yet. */
const make =
  (lies: Lies = {}) =>
  async (world: World): Promise<void> => {
    await setPassword(world)
    const { creation } = await world.owner.do('passkeys.challenge', { purpose: 'add', password })
    const kit = kitOf(world)
    kit.attestation = kit.authenticator.create(creation, lies)
  }

/** Adds a passkey to the account. */
async function add(world: World): Promise<void> {
  const kit = kitOf(world)
  if (kit.passkeyId !== undefined) return
  await make()(world)
  const params = { credential: kit.attestation, name: 'Phone' }
  kit.passkeyId = (await world.owner.do('passkeys.create', params)).passkey.id
}

/** Signs a challenge to sign in. */
const signIn =
  (lies: Lies = {}) =>
  async (world: World): Promise<void> => {
    await add(world)
    const credentials = { origin: originOf(world.service) }
    const { request } = await world.service.call(
      undefined,
      'auth.passkeyChallenge',
      { appId },
      undefined,
      credentials
    )
    const kit = kitOf(world)
    kit.assertion = kit.authenticator.get(request, lies)
  }

/** Signs a challenge to prove the user's presence. */
const prove =
  (lies: Lies = {}) =>
  async (world: World): Promise<void> => {
    await add(world)
    const { request } = await world.owner.do('passkeys.challenge', { purpose: 'prove' })
    const kit = kitOf(world)
    kit.assertion = kit.authenticator.get(request, lies)
  }

const headers = ({ service }: World): Record<string, string> => ({ origin: originOf(service) })

const login =
  (fields: object = {}): Params =>
  world => ({ appId, credential: kitOf(world).assertion, ...fields })
const made =
  (fields: object = {}): Params =>
  world => ({ credential: kitOf(world).attestation, ...fields })
const own =
  (fields: object = {}): Params =>
  world => ({ id: kitOf(world).passkeyId ?? 'none', ...fields })

const untrusted: Scenario[] = [
  {
    name: 'refuses an untrusted origin',
    kind: 'caller',
    before: signIn(),
    headers: { origin: 'https://evil.example.com' },
    params: login(),
    error: 'forbidden'
  },
  { name: 'refuses calls without an origin', kind: 'caller', params: login(), error: 'forbidden' }
]

/** Neither apps nor shared accesses may manage sign-in methods. */
const ownerOnly = (params: Params = {}): Scenario[] => [...closedToOthers(params), ...withoutToken(params)]

export const passkeyScenarios: Contract = {
  'auth.passkeyChallenge': [
    {
      name: "returns the request for the browser's authenticators",
      kind: 'success',
      headers,
      params: { appId },
      answer: {
        request: { challenge: /^[\w-]{70}$/, rpId: 'localhost', userVerification: 'required' }
      }
    },
    { name: 'requires an app id', ...invalid, headers, params: {} },
    { name: 'accepts no other params', ...invalid, headers, params: { appId, username: 'alice' } },
    {
      name: 'refuses an untrusted origin',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: { appId },
      error: 'forbidden'
    }
  ],

  'auth.passkeyLogin': [
    {
      name: 'returns the username, a token and the API endpoint',
      kind: 'success',
      before: signIn(),
      headers,
      params: login(),
      answer: ({ owner }) => ({
        username: owner.username,
        token: /^c[a-z0-9]{24}$/,
        apiEndpoint: new RegExp(`^http://c.+@.+/${owner.username}/$`),
        preferredLanguage: 'en'
      }),
      after: async ({ service, owner }, answer) => {
        const info = await service.call(owner.username, 'getAccessInfo', {}, answer.token)
        assert.equal(info.type, 'personal')
        assert.equal(info.name, appId)
      }
    },
    ...[{ credential: undefined }, { credential: {} }, { appId: undefined }, { username: 'alice' }].map(
      (fields): Scenario => ({
        name: `refuses ${JSON.stringify(fields)}, or without ${Object.keys(fields)[0]}`,
        ...invalid,
        before: signIn(),
        headers,
        params: login(fields)
      })
    ),
    ...(
      [
        ['of a person who was not verified', { isVerified: false }],
        ['of another page', { origin: 'https://evil.example.com' }],
        ['of another domain', { rpId: 'example.com' }],
        ['of nobody', { userHandle: 'AAAA' }]
      ] as const
    ).map(([name, lies]): Scenario => ({
      name: `refuses a signature ${name}`,
      kind: 'state',
      before: signIn(lies),
      headers,
      params: login(),
      error: 'invalid-credentials',
      match: { data: { code: 'passkey-refused' } }
    })),
    {
      name: 'refuses a signature for another purpose',
      kind: 'state',
      before: prove(),
      headers,
      params: login(),
      error: 'invalid-credentials'
    },
    ...untrusted
  ],

  'passkeys.get': [
    {
      name: 'lists them without secrets',
      kind: 'success',
      before: add,
      answer: world => ({
        passkeys: [{ id: kitOf(world).passkeyId, name: 'Phone', created: Number, isSynced: false }],
        hasPassword: true
      }),
      after: (_world, { passkeys }) => lacks(passkeys[0], 'key', 'credential', 'counter', 'lastUsed')
    },
    {
      name: 'returns an empty list if there are none',
      kind: 'success',
      answer: { passkeys: [], hasPassword: false }
    },
    { name: 'accepts no params', ...invalid, params: { unheardOf: 1 } },
    ...ownerOnly()
  ],

  'passkeys.challenge': [
    {
      name: 'returns creation options for the password',
      kind: 'success',
      before: setPassword,
      params: { purpose: 'add', password },
      answer: ({ owner }) => ({
        creation: {
          challenge: /^[\w-]{70}$/,
          rp: { id: 'localhost' },
          user: { id: /^[\w-]{34}$/, name: owner.username },
          attestation: 'none',
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          excludeCredentials: []
        }
      })
    },
    {
      name: 'returns creation options for the signature of another passkey',
      kind: 'success',
      before: prove(),
      params: world => ({ purpose: 'add', credential: kitOf(world).assertion }),
      answer: world => ({ creation: { excludeCredentials: [{ id: kitOf(world).authenticator.id }] } })
    },
    {
      name: 'returns request options',
      kind: 'success',
      before: add,
      params: { purpose: 'prove' },
      answer: world => ({ request: { allowCredentials: [{ id: kitOf(world).authenticator.id }] } })
    },
    { name: 'requires a purpose', ...invalid, params: { password } },
    { name: 'refuses an unknown purpose', ...invalid, params: { purpose: 'sign-in' } },
    {
      name: 'requires proof',
      kind: 'state',
      before: setPassword,
      params: { purpose: 'add' },
      error: 'invalid-operation',
      match: { data: { code: 'proof-missing' } }
    },
    {
      name: 'refuses a wrong password',
      kind: 'state',
      before: setPassword,
      params: { purpose: 'add', password: 'a guess' },
      error: 'invalid-operation',
      match: { data: { code: 'password-wrong' } }
    },
    {
      name: 'refuses a signature made to sign in',
      kind: 'state',
      before: signIn(),
      params: world => ({ purpose: 'add', credential: kitOf(world).assertion }),
      error: 'invalid-credentials'
    },
    ...ownerOnly({ purpose: 'add', password })
  ],

  'passkeys.create': [
    {
      name: 'adds it with the given name',
      kind: 'success',
      before: make(),
      params: made({ name: 'Olive’s phone' }),
      answer: { passkey: { id: String, name: 'Olive’s phone', isSynced: false } },
      after: async ({ owner }, { passkey }) =>
        assert.deepEqual((await owner.do('passkeys.get')).passkeys, [passkey])
    },
    {
      name: 'generates a name',
      kind: 'success',
      before: make(),
      params: made(),
      answer: { passkey: { name: /./ } }
    },
    ...[{ credential: undefined }, { name: '' }, { name: 'a\nb' }, { name: 'x'.repeat(81) }, { id: 'x' }].map(
      (fields): Scenario => ({
        name: `refuses ${JSON.stringify(fields).slice(0, 30)}`,
        ...invalid,
        before: make(),
        params: made(fields)
      })
    ),
    {
      name: 'refuses a passkey that does not verify its user',
      kind: 'state',
      before: make({ isVerified: false }),
      params: made(),
      error: 'invalid-operation',
      match: { data: { code: 'passkey-refused' } }
    },
    {
      name: 'refuses a passkey of another page',
      kind: 'state',
      before: make({ origin: 'https://evil.example.com' }),
      params: made(),
      error: 'invalid-operation'
    },
    ...ownerOnly(world => ({
      credential: kitOf(world).authenticator.create({
        challenge: 'AAAA',
        rp: { id: 'localhost' },
        user: { id: 'AAAA' }
      } as never)
    }))
  ],

  'passkeys.update': [
    {
      name: 'renames it',
      kind: 'success',
      before: add,
      params: own({ update: { name: 'Tablet' } }),
      answer: world => ({ passkey: { id: kitOf(world).passkeyId, name: 'Tablet' } })
    },
    ...[{ name: '' }, { name: 12 }, { name: 'a\u0000' }, { created: 1 }].map((update): Scenario => ({
      name: `refuses ${JSON.stringify(update)}`,
      ...invalid,
      before: add,
      params: own({ update })
    })),
    {
      name: 'refuses an unknown passkey',
      kind: 'unknown',
      params: { id: 'no-such-passkey', update: { name: 'Tablet' } },
      error: 'unknown-resource'
    },
    ...ownerOnly(own({ update: { name: 'Tablet' } }))
  ],

  'passkeys.delete': [
    {
      name: 'deletes it',
      kind: 'success',
      before: add,
      params: own(),
      answer: world => ({ passkeyDeletion: { id: kitOf(world).passkeyId } }),
      after: async ({ owner }) => assert.deepEqual((await owner.do('passkeys.get')).passkeys, [])
    },
    { name: 'requires a string', ...invalid, only: 'batch', params: { id: 12 } },
    {
      name: 'refuses an unknown passkey',
      kind: 'unknown',
      params: { id: 'no-such-passkey' },
      error: 'unknown-resource'
    },
    ...ownerOnly(own())
  ],

  'account.getNotices': [
    {
      name: 'returns that they are on by default',
      kind: 'success',
      answer: { notices: { isOn: true, isAvailable: true } }
    },
    { name: 'accepts no params', ...invalid, params: { unheardOf: 1 } },
    ...ownerOnly()
  ],

  'account.updateNotices': [
    {
      name: 'turns them off',
      kind: 'success',
      params: { update: { isOn: false } },
      answer: { notices: { isOn: false } },
      after: async ({ owner }) => assert.equal((await owner.do('account.getNotices')).notices.isOn, false)
    },
    { name: 'requires a boolean', ...invalid, params: { update: { isOn: 'perhaps' } } },
    { name: 'refuses other fields', ...invalid, params: { update: { isOn: true, isAvailable: true } } },
    ...ownerOnly({ update: { isOn: false } })
  ],

  'system.deletePasskeys': [
    {
      name: 'deletes all of them',
      kind: 'success',
      ...byAdmin,
      before: add,
      params: username,
      text: '',
      after: async ({ owner }) => assert.deepEqual((await owner.do('passkeys.get')).passkeys, [])
    },
    { name: 'succeeds if there are none', kind: 'success', ...byAdmin, params: username, text: '' },
    unknownUser,
    noName,
    ...toOthers(username)
  ]
}
