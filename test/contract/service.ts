/** Scenarios of batches, of service information, and of what anybody may ask the registration service. */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'

const invalid = { error: 'invalid-parameters-format' } as const

export const serviceScenarios: Contract = {
  callBatch: [
    {
      name: 'answers each call in its place, also those that fail',
      kind: 'success',
      only: 'http',
      params: ({ events }) => [
        { method: 'events.getOne', params: { id: events.note } },
        { method: 'no.such.method', params: {} },
        { method: 'whoAmI', params: {} },
        { method: 'events.getOne', params: { id: 12 } },
        { method: 'events.getOne' },
        { method: 'callBatch', params: [] },
        { method: 'streams.create', params: { id: 'new', name: 'New' } },
        { method: 'events.create', params: { streamIds: ['new'], type: 'mass/kg', content: '12' } },
        { method: 'events.get', params: { streams: ['new'] } }
      ],
      answer: ({ events }) => ({
        results: [
          { event: { id: events.note } },
          { error: { id: 'invalid-method' } },
          { error: { id: 'removed-method' } },
          { error: { id: 'invalid-parameters-format' } },
          { error: { id: 'invalid-parameters-format' } },
          { error: { id: 'invalid-operation' } },
          { stream: { id: 'new' } },
          { event: { content: 12 } },
          { events: [{ content: 12 }] }
        ]
      })
    },
    {
      name: 'answers nothing to nothing',
      kind: 'success',
      only: 'http',
      params: [],
      answer: {},
      after: (_world, { results }) => assert.deepEqual(results, [])
    },
    {
      name: 'does what each caller may',
      kind: 'success',
      only: 'http',
      by: 'reader',
      params: [
        { method: 'getAccessInfo', params: {} },
        { method: 'streams.create', params: { name: 'x' } }
      ],
      answer: { results: [{ name: 'reader' }, { error: { id: 'forbidden' } }] }
    },
    {
      name: 'does not go within itself',
      kind: 'state',
      only: 'batch',
      params: [{ method: 'getAccessInfo', params: {} }],
      error: 'invalid-operation'
    },
    ...[
      {},
      { method: 'getAccessInfo', params: {} },
      [12],
      [{}],
      [{ params: {} }],
      [{ method: 12, params: {} }]
    ].map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      only: 'http',
      params,
      ...invalid
    })),
    ...withoutToken([]).filter(({ by }) => by !== undefined)
  ],

  'service.info': [
    {
      name: 'tells about the service',
      kind: 'success',
      answer: ({ service }) => ({
        api: `${service.server.url}/{username}/`,
        register: `${service.server.url}/reg/`,
        access: `${service.server.url}/reg/access/`,
        name: 'Coffer',
        home: String,
        support: String,
        terms: String,
        eventTypes: /^http/,
        version: '1.6.21',
        serial: /^\d+$/,
        assets: { definitions: /index\.json$/ }
      })
    },
    {
      name: 'needs no token',
      kind: 'success',
      only: 'http',
      by: 'nobody',
      answer: { name: 'Coffer' }
    }
  ],

  'auth.usernameCheck': [
    {
      name: 'tells that a name is free',
      kind: 'success',
      params: { username: 'nobody-here' },
      answer: { reserved: false }
    },
    ...['abcd', 'a'.repeat(61), 'ab_cde', '-abcde', 'ABC DEF'].map((username): Scenario => ({
      name: `refuses ${username}`,
      kind: 'params',
      params: { username },
      ...invalid
    })),
    {
      name: 'tells that a name is taken',
      kind: 'state',
      params: ({ owner }) => ({ username: owner.username }),
      error: 'item-already-exists',
      match: { data: { username: /^user-/ } }
    },
    {
      name: 'tells that a name is reserved',
      kind: 'state',
      params: { username: 'admin' },
      error: 'item-already-exists'
    }
  ],

  'auth.emailCheck': [
    {
      name: 'tells that an address is free',
      kind: 'success',
      params: { email: 'nobody@example.com' },
      answer: { reserved: false }
    },
    { name: 'refuses what is too long', kind: 'params', params: { email: 'x'.repeat(301) }, ...invalid },
    {
      name: 'tells that an address is taken',
      kind: 'state',
      before: world => world.mail(),
      params: ({ owner }) => ({ email: `${owner.username}@example.com` }),
      error: 'item-already-exists'
    }
  ],

  'registration.uid': [
    {
      name: 'finds the user of an address',
      kind: 'success',
      before: world => world.mail(),
      params: ({ owner }) => ({ email: `${owner.username}@example.com` }),
      answer: ({ owner }) => ({ uid: owner.username })
    },
    { name: 'refuses what is too long', kind: 'params', params: { email: 'x'.repeat(301) }, ...invalid },
    {
      name: 'does not know an unknown address',
      kind: 'unknown',
      params: { email: 'nobody@example.com' },
      error: 'unknown-resource'
    }
  ],

  'registration.username': [
    {
      name: 'finds the user of an address',
      kind: 'success',
      before: world => world.mail(),
      params: ({ owner }) => ({ email: `${owner.username}@example.com` }),
      answer: ({ owner }) => ({ username: owner.username })
    },
    { name: 'refuses what is too long', kind: 'params', params: { email: 'x'.repeat(301) }, ...invalid },
    {
      name: 'does not know an unknown address',
      kind: 'unknown',
      params: { email: 'nobody@example.com' },
      error: 'unknown-resource'
    }
  ],

  'registration.server': [
    { name: 'wants a text', kind: 'params', only: 'batch', params: { username: 12 }, ...invalid },
    {
      name: 'tells where a user is served',
      kind: 'success',
      params: ({ owner }) => ({ username: owner.username }),
      answer: { server: /^http/ }
    },
    {
      name: 'does not know an unknown user',
      kind: 'unknown',
      params: { username: 'nobody-here' },
      error: 'unknown-resource'
    }
  ],

  'registration.cores': [
    {
      name: 'tells where a user is served',
      kind: 'success',
      params: ({ owner }) => ({ username: owner.username }),
      answer: { core: { url: /^http.+\/$/ } }
    },
    { name: 'wants a name or an address', kind: 'params', params: {}, ...invalid },
    {
      name: 'wants not both',
      kind: 'params',
      params: { username: 'nobody-here', email: 'nobody@example.com' },
      ...invalid
    },
    {
      name: 'does not know an unknown user',
      kind: 'unknown',
      params: { username: 'nobody-here' },
      error: 'unknown-resource'
    }
  ],

  'registration.hostings': [
    {
      name: 'answers the one hosting there is',
      kind: 'success',
      answer: { regions: Object }
    }
  ],

  'registration.apps': [
    {
      name: 'presents those that the operator has named',
      kind: 'success',
      answer: { apps: [{ id: 'known-app', displayName: 'Known' }] }
    }
  ],

  'registration.app': [
    { name: 'refuses what is not a name', kind: 'params', only: 'batch', params: { appid: 12 }, ...invalid },
    {
      name: 'presents one',
      kind: 'success',
      params: { appid: 'known-app' },
      answer: { app: { id: 'known-app', displayName: 'Known' } }
    },
    { name: 'knows no others', kind: 'unknown', params: { appid: '__proto__' }, error: 'unknown-resource' }
  ],

  'registration.invitationTokenCheck': [
    {
      name: 'lets everybody in where nobody needs one',
      kind: 'success',
      params: { invitationtoken: 'any' },
      answer: { isValid: true }
    },
    { name: 'wants a text', kind: 'params', params: { invitationtoken: 12 }, ...invalid }
  ],

  'auth.usernameCheckPost': [
    { name: 'is gone', kind: 'state', params: { username: 'nobody-here' }, error: 'removed-method' }
  ],

  'auth.emailCheckPost': [
    { name: 'is gone', kind: 'state', params: { email: 'nobody@example.com' }, error: 'removed-method' }
  ]
}
