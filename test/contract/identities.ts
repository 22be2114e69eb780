/** Scenarios of identities of external providers. (docs/spec/identities.md) */
import assert from 'node:assert/strict'
import { closedToOthers, lacks, withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import { setPassword } from './passwords.js'
import type { World } from './world.js'

const invalid = { kind: 'params', error: 'invalid-parameters-format' } as const
const appId = 'contract-app'
const secret = 'a-secret-of-the-page'

const headers = ({ service }: World): Record<string, string> => ({ origin: service.server.url })
const ticketOf = ({ owner }: World): string => `ticket-of-${owner.username}`

const proof =
  (fields: object = {}): Params =>
  world => ({ ticket: ticketOf(world), secret, ...fields })

/** Proves an identity that is not linked to any account. */
async function prove(world: World, fields: object = {}): Promise<void> {
  await world.service.call(undefined, 'test.prove', { ticket: ticketOf(world), secret, proof: {}, ...fields })
}

/** Makes the owner's sign-in recent. */
async function justSignedIn(world: World): Promise<void> {
  await world.noteSignIn()
}

/** Proves an identity that is linked to the owner. */
async function link(world: World): Promise<void> {
  const email = { address: 'owner@id.example.org', isVerified: true }
  await prove(world, { username: world.owner.username, proof: { email } })
}

const idOf = async ({ owner }: World): Promise<string> => (await owner.do('identities.get')).identities[0].id
/** Ids of the identities created by {@link linkAndKnow}. */
const ids = new WeakMap<World, string>()

async function linkAndKnow(world: World): Promise<void> {
  await setPassword(world)
  await link(world)
  ids.set(world, await idOf(world))
}

const oddProofs = (params: object = {}): Scenario[] =>
  [{ ticket: 12 }, { ticket: '' }, { secret: undefined }, { secret: 'x'.repeat(101) }, { unheardOf: 1 }].map(
    fields => ({
      name: `refuses ${JSON.stringify(fields).slice(0, 40)}`,
      ...invalid,
      headers,
      params: proof({ ...params, ...fields })
    })
  )

export const identityScenarios: Contract = {
  'auth.lookUpIdentity': [
    {
      name: 'returns the username of the linked account',
      kind: 'success',
      before: link,
      params: proof(),
      answer: ({ owner: { username } }) => ({ provider: { name: 'work', label: 'Work' }, username }),
      after: (_world, answer) => lacks(answer, 'registration', 'token')
    },
    {
      name: 'returns what an account can be created with',
      kind: 'success',
      before: async world =>
        await prove(world, {
          proof: { username: 'robin', email: { address: 'robin@id.example.org', isVerified: false } }
        }),
      params: proof(),
      answer: {
        registration: { isOpen: false, username: 'robin', email: 'robin@id.example.org', isEmailTaken: false }
      },
      after: (_world, answer) => lacks(answer, 'username')
    },
    {
      name: 'needs no token and accepts none',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: link,
      params: proof(),
      answer: { username: String }
    },
    {
      name: 'refuses an unknown ticket',
      kind: 'state',
      params: { ticket: 'made-up', secret },
      error: 'invalid-credentials'
    },
    {
      name: 'refuses another page',
      kind: 'state',
      before: link,
      params: proof({ secret: 'of-another-page' }),
      error: 'invalid-credentials'
    },
    ...oddProofs()
  ],

  'auth.loginByIdentity': [
    {
      name: 'returns a token and the API endpoint',
      kind: 'success',
      before: link,
      headers,
      params: proof({ appId }),
      answer: ({ owner }) => ({
        token: /^c[a-z0-9]{24}$/,
        apiEndpoint: new RegExp(`^http://c.+@.+/${owner.username}/$`),
        preferredLanguage: 'en'
      }),
      after: async (world, { token }) => {
        const { owner, service } = world
        const info = await service.call(owner.username, 'getAccessInfo', {}, token)
        assert.deepEqual([info.type, info.name], ['personal', appId])
        const again = await service.call(
          owner.username,
          'auth.loginByIdentity',
          { ticket: ticketOf(world), secret, appId },
          undefined,
          headers(world)
        )
        assert.equal(again.error.id, 'invalid-credentials')
      }
    },
    {
      name: 'refuses an identity that is not linked to an account',
      kind: 'state',
      before: prove,
      headers,
      params: proof({ appId }),
      error: 'forbidden'
    },
    {
      name: 'refuses an unknown ticket',
      kind: 'state',
      headers,
      params: { ticket: 'made-up', secret, appId },
      error: 'invalid-credentials'
    },
    {
      name: 'refuses apps of untrusted origins',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: proof({ appId }),
      error: 'forbidden'
    },
    { name: 'requires an app id', ...invalid, headers, params: proof() },
    ...oddProofs({ appId })
  ],

  'identities.get': [
    {
      name: 'lists them without what only the provider needs',
      kind: 'success',
      before: link,
      answer: {
        identities: [
          {
            provider: { name: 'work', label: 'Work' },
            issuer: 'https://id.example.org',
            email: 'owner@id.example.org',
            isUsable: true,
            created: Number
          }
        ],
        hasPassword: false,
        isSpare: false
      },
      after: (_world, { identities }) => lacks(identities[0], 'subject', 'lastUsed')
    },
    {
      name: 'returns an empty list if there are none',
      kind: 'success',
      before: setPassword,
      answer: { identities: [], hasPassword: true, isSpare: false }
    },
    { name: 'accepts no params', ...invalid, params: { unheardOf: 1 } },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'identities.begin': [
    {
      name: 'returns a secret',
      kind: 'success',
      before: justSignedIn,
      answer: { secret: /^\w{50}$/ }
    },
    {
      name: 'requires a recent sign-in',
      kind: 'state',
      error: 'invalid-operation'
    },
    { name: 'accepts no params', ...invalid, params: { unheardOf: 1 } },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'identities.create': [
    {
      name: 'links the identity requested in this session',
      kind: 'success',
      async before(world) {
        await justSignedIn(world)
        const begun = await world.owner.do('identities.begin')
        secrets.set(world, begun.secret)
        await prove(world, { secret: begun.secret })
      },
      params: world => ({ ticket: ticketOf(world), secret: secrets.get(world) }),
      answer: { identity: { provider: { name: 'work' }, isUsable: true } },
      after: async world => assert.equal((await world.owner.do('identities.get')).identities.length, 1)
    },
    {
      name: 'refuses an identity not requested in this session',
      kind: 'state',
      before: prove,
      params: proof(),
      error: 'forbidden'
    },
    ...oddProofs(),
    ...closedToOthers(proof()),
    ...withoutToken(proof())
  ],

  'identities.delete': [
    {
      name: 'unlinks an identity',
      kind: 'success',
      before: linkAndKnow,
      params: world => ({ id: ids.get(world) }),
      answer: world => ({ identityDeletion: { id: ids.get(world) } }),
      after: async ({ owner }) => assert.deepEqual((await owner.do('identities.get')).identities, [])
    },
    {
      name: 'refuses an unknown identity',
      kind: 'unknown',
      params: { id: 'no-such-identity' },
      error: 'unknown-resource'
    },
    { name: 'requires a string', ...invalid, only: 'batch', params: { id: 12 } },
    ...closedToOthers({ id: 'any' }),
    ...withoutToken({ id: 'any' })
  ]
}

const secrets = new WeakMap<World, string>()
