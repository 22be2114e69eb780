/** Scenarios of apps that use OAuth. (docs/api/oauth.md) */
import assert from 'node:assert/strict'
import { agree, begin, exchange } from '../support/oauth.js'
import { lacks, withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const client = 'known-app'
const redirectUri = 'https://app.example.com/callback'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const asking = (fields: object = {}): object => ({
  response_type: 'code',
  client_id: client,
  redirect_uri: redirectUri,
  scope: 'diary:read',
  state: 'a state',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  ...fields
})

/** Lets the owner agree to the client's request, and keeps the code and its parameters in `world.oauth`. */
async function askFor(world: World, scope: string): Promise<void> {
  const begun = await begin(world.service, { client_id: client, redirect_uri: redirectUri, scope })
  const answered = await agree(world.service, world.owner, begun)
  world.oauth = { begun, answered, tokens: undefined }
}

const agreed =
  (scope = 'diary:read') =>
  async (world: World): Promise<void> =>
    await askFor(world, scope)

/** Also exchanges the code for tokens. */
const handedOut =
  (scope = 'openid profile email offline_access diary:read') =>
  async (world: World): Promise<void> => {
    await askFor(world, scope)
    const { answered, begun } = world.oauth!
    world.oauth = { answered, begun, tokens: (await exchange(world.service, begun, answered)).body }
  }

const withCode =
  (fields: object = {}): Params =>
  ({ oauth }) => ({
    grant_type: 'authorization_code',
    client_id: client,
    redirect_uri: redirectUri,
    code: oauth?.answered.searchParams.get('code') ?? 'a guess',
    code_verifier: oauth?.begun.verifier ?? 'x'.repeat(43),
    ...fields
  })

const withToken =
  (name: 'access_token' | 'refresh_token', fields: object = {}): Params =>
  ({ oauth }) => ({ client_id: client, token: oauth?.tokens?.[name] ?? 'a guess', ...fields })

const malformed = { kind: 'params', error: 'invalid-parameters-format' } as const

/** Refusals of unknown and unauthenticated clients. */
const provenOnly = (params: object): Scenario[] => [
  {
    name: 'refuses an unknown client',
    kind: 'caller',
    params: { ...params, client_id: 'no-such-client' },
    error: 'invalid-credentials',
    match: { data: { error: 'invalid_client' } }
  },
  {
    name: 'refuses a secret of a public client',
    kind: 'caller',
    params: { ...params, client_id: client, client_secret: 'a guess' },
    error: 'invalid-credentials'
  },
  { name: 'requires the client id', kind: 'caller', params, error: 'invalid-credentials' },
  { name: 'requires strings', ...malformed, only: 'batch', params: { ...params, client_id: 12 } }
]

export const oauthScenarios: Contract = {
  'oauth.authorize': [
    {
      name: 'redirects to the consent page',
      kind: 'success',
      params: asking(),
      answer: { redirect: /access\.html\?lang=en&key=[A-Za-z0-9]{16}/ },
      async after({ service }, { redirect }) {
        const key = new URL(redirect).searchParams.get('key')
        const asked = await service.call(undefined, 'authRequest.poll', { key })
        assert.equal(asked.requestingAppId, client)
        assert.deepEqual(asked.requestedPermissions, [
          { streamId: 'diary', level: 'read', defaultName: 'diary' }
        ])
        lacks(asked.oauth, 'challenge', 'state', 'nonce')
      }
    },
    ...(
      [
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ code_challenge_method: undefined }, 'invalid_request'],
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ scope: 'diary' }, 'invalid_scope'],
        [{ scope: undefined }, 'invalid_scope'],
        [{ prompt: 'none' }, 'login_required'],
        [{ request: 'x.y.z' }, 'request_not_supported'],
        [{ request_uri: 'https://x.example/' }, 'request_uri_not_supported'],
        [{ resource: 'https://elsewhere.example/' }, 'invalid_target'],
        [{ max_age: 'long' }, 'invalid_request'],
        [{ state: ['a', 'b'] }, 'invalid_request']
      ] as const
    ).map(([fields, error]): Scenario => ({
      name: `leads back to the client with ${error} for ${JSON.stringify(fields)}, or without ${Object.keys(fields)[0]}`,
      kind: 'success',
      params: asking(fields),
      answer: {
        redirect: new RegExp(`^https://app\\.example\\.com/callback\\?error=${error}&error_description=`)
      }
    })),
    ...[
      { client_id: undefined },
      { client_id: 'no-such-client' },
      { redirect_uri: undefined },
      { redirect_uri: 'https://evil.example.com/callback' },
      { redirect_uri: 'https://app.example.com/callback/below' },
      { redirect_uri: [redirectUri, 'https://evil.example.com/'] }
    ].map((fields): Scenario => ({
      name: `leads nobody anywhere for ${JSON.stringify(fields)}, or without ${Object.keys(fields)[0]}`,
      kind: 'params',
      params: asking(fields),
      error: 'invalid-parameter',
      match: { data: { error: 'invalid_request' } }
    })),
    { name: 'requires strings', ...malformed, params: asking({ scope: 12 }) }
  ],

  'oauth.token': [
    {
      name: 'issues the token of the access for a code',
      kind: 'success',
      before: agreed(),
      params: withCode(),
      answer: ({ owner }) => ({
        access_token: new RegExp(`^${owner.username}~c[0-9a-z]{24}$`),
        token_type: 'Bearer',
        scope: 'diary:read',
        username: owner.username,
        api_endpoint: new RegExp(`/${owner.username}/$`),
        apiEndpoint: new RegExp(`@.*/${owner.username}/$`)
      }),
      async after({ owner, service }, { access_token: token }) {
        const info = await service.call(owner.username, 'getAccessInfo', {}, token)
        assert.equal(info.type, 'app')
        assert.equal(info.name, client)
      }
    },
    {
      name: 'extends an access by a refresh token',
      kind: 'success',
      before: handedOut(),
      params: ({ oauth }) => ({
        grant_type: 'refresh_token',
        client_id: client,
        refresh_token: oauth?.tokens?.refresh_token
      }),
      answer: { expires_in: 3600, refresh_token: String }
    },
    ...(
      [
        [{}, 'invalid-code'],
        [{ grant_type: 'password' }, 'invalid-parameter'],
        [{ grant_type: undefined }, 'invalid-parameter'],
        [{ code: undefined }, 'invalid-parameter'],
        [{ code_verifier: undefined }, 'invalid-parameter'],
        [{ grant_type: 'refresh_token' }, 'invalid-parameter'],
        [{ grant_type: 'refresh_token', refresh_token: 'user.a.guess' }, 'invalid-code']
      ] as const
    ).map(([fields, error]): Scenario => ({
      name: `refuses ${JSON.stringify({ code: 'a guess', ...fields })}, or without ${Object.keys(fields)[0]}`,
      kind: 'params',
      params: withCode(fields),
      error
    })),
    ...provenOnly({ grant_type: 'authorization_code', code: 'a guess' })
  ],

  'oauth.revoke': [
    ...(['access_token', 'refresh_token'] as const).map((name): Scenario => ({
      name: `ends the access by its ${name}`,
      kind: 'success',
      before: handedOut(),
      params: withToken(name),
      answer: {},
      async after({ oauth, owner, service }) {
        const { error } = await service.call(owner.username, 'getAccessInfo', {}, oauth?.tokens?.access_token)
        assert.equal(error.id, 'invalid-access-token')
      }
    })),
    {
      name: 'treats an unknown token as revoked',
      kind: 'success',
      params: withToken('access_token')
    },
    {
      name: 'requires a token',
      kind: 'params',
      params: { client_id: client },
      error: 'invalid-parameter'
    },
    ...provenOnly({ token: 'a guess' })
  ],

  'oauth.introspect': [
    {
      name: 'returns the state of an access token',
      kind: 'success',
      before: handedOut(),
      params: withToken('access_token'),
      answer: ({ owner }) => ({
        active: true,
        client_id: client,
        username: owner.username,
        token_type: 'Bearer',
        scope: 'openid profile email offline_access diary:read'
      })
    },
    {
      name: 'returns the state of a refresh token',
      kind: 'success',
      before: handedOut(),
      params: withToken('refresh_token'),
      answer: { active: true, token_type: 'refresh_token', exp: Number }
    },
    {
      name: 'reports an unknown token as inactive',
      kind: 'success',
      params: withToken('access_token'),
      answer: { active: false },
      after: (_world, answer) => assert.deepEqual(Object.keys(answer), ['active'])
    },
    {
      name: 'requires a token',
      kind: 'params',
      params: { client_id: client },
      error: 'invalid-parameter'
    },
    ...provenOnly({ token: 'a guess' })
  ],

  'oauth.getUserInfo': [
    {
      name: 'returns the signed-in user within the agreed scope',
      kind: 'success',
      only: 'http',
      before: handedOut(),
      headers: ({ oauth }) => ({ authorization: `Bearer ${String(oauth?.tokens?.access_token)}` }),
      answer: ({ owner }) => ({ preferred_username: owner.username, sub: /^c[0-9a-z]{24}$/ })
    },
    { name: 'accepts no params', ...malformed, by: 'app', params: { unheardOf: 1 } },
    {
      name: 'refuses apps authorised in another way',
      kind: 'caller',
      by: 'app',
      error: 'forbidden',
      match: { data: { error: 'insufficient_scope' } }
    },
    { name: 'refuses the owner', kind: 'caller', error: 'forbidden' },
    { name: 'refuses shared accesses', kind: 'caller', by: 'reader', error: 'forbidden' },
    ...withoutToken()
  ],

  'oauth.getKeys': [
    {
      name: 'returns public keys without any private part',
      kind: 'success',
      answer: { keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig', kid: String, n: String, e: 'AQAB' }] },
      after: (_world, { keys: [key] }) => lacks(key, 'd', 'p', 'q')
    },
    {
      name: 'returns those of receipts',
      kind: 'success',
      params: { purpose: 'receipts' },
      answer: { keys: [{ kty: 'RSA' }] }
    },
    {
      name: 'refuses other purposes',
      kind: 'params',
      params: { purpose: 'encryption' },
      error: 'invalid-parameters-format'
    }
  ],

  'oauth.register': [
    {
      name: 'creates a client with a secret',
      kind: 'success',
      params: { redirect_uris: ['https://assistant.example.com/cb'], client_name: 'Assistant' },
      answer: {
        client_id: /^client-[A-Za-z0-9]{16}$/,
        client_secret: /^[\w-]{43}$/,
        client_name: 'Assistant',
        token_endpoint_auth_method: 'client_secret_basic'
      }
    },
    {
      name: 'creates a client without a secret',
      kind: 'success',
      params: { redirect_uris: ['http://127.0.0.1:1234/cb'], token_endpoint_auth_method: 'none' },
      answer: { token_endpoint_auth_method: 'none', redirect_uris: ['http://127.0.0.1:1234/cb'] },
      after: (_world, answer) => lacks(answer, 'client_secret')
    },
    ...(
      [
        [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['http://app.example.com/'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['https://app.example.com/#x'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['https://a:b@app.example.com/'] }, 'invalid_redirect_uri'],
        [{ grant_types: ['implicit'] }, 'invalid_client_metadata'],
        [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
        [{ scope: 'diary:nonsense' }, 'invalid_scope']
      ] as const
    ).map(([fields, error]): Scenario => ({
      name: `refuses ${JSON.stringify(fields)}`,
      kind: 'params',
      params: { redirect_uris: ['https://app.example.com/cb'], ...fields },
      error: 'invalid-parameter',
      match: { data: { error } }
    })),
    { name: 'requires redirect URIs', ...malformed, params: { redirect_uris: [] } }
  ]
}
