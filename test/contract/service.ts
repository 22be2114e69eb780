/** Scenarios of batches, of service information, and of public queries of the registration service. */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'

const invalid = { error: 'invalid-parameters-format' } as const

export const serviceScenarios: Contract = {
  callBatch: [
    {
      name: 'returns each result in order, including errors',
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
      name: 'returns an empty list for an empty batch',
      kind: 'success',
      only: 'http',
      params: [],
      answer: {},
      after: (_world, { results }) => assert.deepEqual(results, [])
    },
    {
      name: 'checks the permissions of each call',
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
      name: 'refuses nested batches',
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
      name: 'returns the service information',
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
      name: 'reports a free name',
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
      name: 'reports a taken name',
      kind: 'state',
      params: ({ owner }) => ({ username: owner.username }),
      error: 'item-already-exists',
      match: { data: { username: /^user-/ } }
    },
    {
      name: 'reports a reserved name',
      kind: 'state',
      params: { username: 'admin' },
      error: 'item-already-exists'
    }
  ],

  'auth.emailCheck': [
    {
      name: 'reports a free address',
      kind: 'success',
      params: { email: 'nobody@example.com' },
      answer: { reserved: false }
    },
    {
      name: 'refuses an address that is too long',
      kind: 'params',
      params: { email: 'x'.repeat(301) },
      ...invalid
    },
    {
      name: 'reports a taken address',
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
    {
      name: 'refuses an address that is too long',
      kind: 'params',
      params: { email: 'x'.repeat(301) },
      ...invalid
    },
    {
      name: 'refuses an unknown address',
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
    {
      name: 'refuses an address that is too long',
      kind: 'params',
      params: { email: 'x'.repeat(301) },
      ...invalid
    },
    {
      name: 'refuses an unknown address',
      kind: 'unknown',
      params: { email: 'nobody@example.com' },
      error: 'unknown-resource'
    }
  ],

  'registration.server': [
    { name: 'requires a string', kind: 'params', only: 'batch', params: { username: 12 }, ...invalid },
    {
      name: 'returns the server of a user',
      kind: 'success',
      params: ({ owner }) => ({ username: owner.username }),
      answer: { server: /^http/ }
    },
    {
      name: 'refuses an unknown user',
      kind: 'unknown',
      params: { username: 'nobody-here' },
      error: 'unknown-resource'
    }
  ],

  'registration.cores': [
    {
      name: 'returns the server of a user',
      kind: 'success',
      params: ({ owner }) => ({ username: owner.username }),
      answer: { core: { url: /^http.+\/$/ } }
    },
    { name: 'requires a name or an address', kind: 'params', params: {}, ...invalid },
    {
      name: 'refuses both a name and an address',
      kind: 'params',
      params: { username: 'nobody-here', email: 'nobody@example.com' },
      ...invalid
    },
    {
      name: 'refuses an unknown user',
      kind: 'unknown',
      params: { username: 'nobody-here' },
      error: 'unknown-resource'
    }
  ],

  'registration.hostings': [
    {
      name: 'returns the only hosting',
      kind: 'success',
      answer: { regions: Object }
    }
  ],

  'registration.apps': [
    {
      name: 'returns the apps that the operator has configured',
      kind: 'success',
      answer: { apps: [{ id: 'known-app', displayName: 'Known' }] }
    }
  ],

  'registration.app': [
    { name: 'refuses an invalid name', kind: 'params', only: 'batch', params: { appid: 12 }, ...invalid },
    {
      name: 'returns an app',
      kind: 'success',
      params: { appid: 'known-app' },
      answer: { app: { id: 'known-app', displayName: 'Known' } }
    },
    {
      name: 'refuses unknown apps',
      kind: 'unknown',
      params: { appid: '__proto__' },
      error: 'unknown-resource'
    }
  ],

  'registration.invitationTokenCheck': [
    {
      name: 'accepts any token if none is required',
      kind: 'success',
      params: { invitationtoken: 'any' },
      answer: { isValid: true }
    },
    { name: 'requires a string', kind: 'params', params: { invitationtoken: 12 }, ...invalid }
  ],

  'auth.usernameCheckPost': [
    {
      name: 'is no longer supported',
      kind: 'state',
      params: { username: 'nobody-here' },
      error: 'removed-method'
    }
  ],

  'auth.emailCheckPost': [
    {
      name: 'is no longer supported',
      kind: 'state',
      params: { email: 'nobody@example.com' },
      error: 'removed-method'
    }
  ]
}
