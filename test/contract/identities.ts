/** Scenarios of identities that others vouch for. (docs/spec/identities.md) */
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

/** Somebody whom nobody here knows has been vouched for. */
async function prove(world: World, fields: object = {}): Promise<void> {
  await world.service.call(undefined, 'test.prove', { ticket: ticketOf(world), secret, proof: {}, ...fields })
}

/** The owner's session began a moment ago. */
async function justSignedIn(world: World): Promise<void> {
  await world.noteSignIn()
}

/** The owner has an identity, and has just been vouched for. */
async function link(world: World): Promise<void> {
  const email = { address: 'owner@id.example.org', isVerified: true }
  await prove(world, { username: world.owner.username, proof: { email } })
}

const idOf = async ({ owner }: World): Promise<string> => (await owner.do('identities.get')).identities[0].id
/** Ids of the identities that {@link linkAndKnow} made. */
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
      name: 'answers whose account is opened',
      kind: 'success',
      before: link,
      params: proof(),
      answer: ({ owner: { username } }) => ({ provider: { name: 'work', label: 'Work' }, username }),
      after: (_world, answer) => lacks(answer, 'registration', 'token')
    },
    {
      name: 'answers what an account can be created with',
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
      name: 'needs no token, and takes none',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: link,
      params: proof(),
      answer: { username: String }
    },
    {
      name: 'refuses a ticket that nobody has',
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
      name: 'answers a token and where to use it',
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
      name: 'does not open an account that the identity does not belong to',
      kind: 'state',
      before: prove,
      headers,
      params: proof({ appId }),
      error: 'forbidden'
    },
    {
      name: 'refuses a ticket that nobody has',
      kind: 'state',
      headers,
      params: { ticket: 'made-up', secret, appId },
      error: 'invalid-credentials'
    },
    {
      name: 'is refused to apps that nobody trusts',
      kind: 'caller',
      headers: { origin: 'https://evil.example.com' },
      params: proof({ appId }),
      error: 'forbidden'
    },
    { name: 'wants an app id', ...invalid, headers, params: proof() },
    ...oddProofs({ appId })
  ],

  'identities.get': [
    {
      name: 'lists them without what only the provider needs to know',
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
      name: 'answers that there are none',
      kind: 'success',
      before: setPassword,
      answer: { identities: [], hasPassword: true, isSpare: false }
    },
    { name: 'takes no params', ...invalid, params: { unheardOf: 1 } },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'identities.begin': [
    {
      name: 'answers a secret',
      kind: 'success',
      before: justSignedIn,
      answer: { secret: /^\w{50}$/ }
    },
    {
      name: 'wants a session that has just been signed in',
      kind: 'state',
      error: 'invalid-operation'
    },
    { name: 'takes no params', ...invalid, params: { unheardOf: 1 } },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'identities.create': [
    {
      name: 'links what was asked for in this session',
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
      name: 'refuses what was not asked for in this session',
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
      name: 'unlinks one',
      kind: 'success',
      before: linkAndKnow,
      params: world => ({ id: ids.get(world) }),
      answer: world => ({ identityDeletion: { id: ids.get(world) } }),
      after: async ({ owner }) => assert.deepEqual((await owner.do('identities.get')).identities, [])
    },
    {
      name: 'does not know an unknown one',
      kind: 'unknown',
      params: { id: 'no-such-identity' },
      error: 'unknown-resource'
    },
    { name: 'wants a text', ...invalid, only: 'batch', params: { id: 12 } },
    ...closedToOthers({ id: 'any' }),
    ...withoutToken({ id: 'any' })
  ]
}

const secrets = new WeakMap<World, string>()
