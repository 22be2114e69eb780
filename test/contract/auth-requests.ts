/** Scenarios of apps that request access. (docs/spec/app-authorization.md) */
import assert from 'node:assert/strict'
import type { Contract, Params, Scenario } from './scenario.js'
import type { World } from './world.js'

const requestingAppId = 'an-app-that-contributes'
const permissions = [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }]

const asking = (fields: object = {}): object => ({
  requestingAppId,
  requestedPermissions: permissions,
  ...fields
})

/** Sends what the page sends once the user has agreed: the token of an existing access. */
const accepting =
  (fields: object | ((world: World) => object) = {}): Params =>
  world => ({
    key: world.key,
    status: 'ACCEPTED',
    username: world.owner.username,
    token: world.token('app'),
    ...(typeof fields === 'function' ? fields(world) : fields)
  })

const asked = { before: async (world: World) => void (await world.ask()) } as const
const decided = {
  async before(world: World) {
    await world.ask()
    await world.service.call(undefined, 'authRequest.decide', { key: world.key, status: 'REFUSED' })
  }
} as const
const invalid = { kind: 'params', error: 'invalid-parameters-format' } as const

export const authRequestScenarios: Contract = {
  'authRequest.create': [
    {
      name: 'returns the page, the key and the poll URL',
      kind: 'success',
      params: asking({
        languageCode: 'fr',
        returnURL: 'https://app.example.com/#',
        clientData: { a: { b: 1 } },
        deviceName: 'phone',
        expireAfter: 3600,
        referer: 'a friend',
        oauthState: 'state',
        serviceInfo: { name: 'Another name' }
      }),
      answer: ({ service: { server } }) => ({
        status: 'NEED_SIGNIN',
        code: 200,
        key: /^[A-Za-z0-9]{16}$/,
        authUrl: /access\.html\?lang=fr&key=/,
        url: /access\.html\?lang=fr&key=/,
        poll: new RegExp(`^${server.url}/reg/access/[A-Za-z0-9]{16}$`),
        poll_rate_ms: 1000,
        requestingAppId,
        requestedPermissions: permissions,
        lang: 'fr',
        returnURL: 'https://app.example.com/#',
        clientData: { a: { b: 1 } },
        deviceName: 'phone',
        expireAfter: 3600,
        referer: 'a friend',
        oauthState: 'state',
        serviceInfo: { name: 'Another name' }
      }),
      after: (_world, { key, poll }) => assert.ok(poll.endsWith(`/${key}`))
    },
    {
      name: 'needs no token, and only an app id and permissions',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      params: { requestingAppId, requestedPermissions: [] },
      answer: { status: 'NEED_SIGNIN', lang: 'en', serviceInfo: { name: 'Coffer' } }
    },
    {
      name: 'accepts null for optional fields, and ignores unknown ones',
      kind: 'success',
      params: asking({ languageCode: null, returnURL: null, authUrl: null, serviceInfo: null, whatever: 1 }),
      answer: { status: 'NEED_SIGNIN' }
    },
    ...[
      { requestingAppId: undefined },
      { requestingAppId: 'short' },
      { requestingAppId: 'x'.repeat(100) },
      { requestedPermissions: undefined },
      { requestedPermissions: { streamId: '*', level: 'read' } },
      { languageCode: 'eng' },
      { languageCode: 'e1' },
      { returnURL: true },
      { returnURL: 'javascript:alert(1)' },
      { returnURL: 12 },
      { authUrl: 'https://evil.example.com/access.html' },
      { authUrl: 'nonsense' },
      { serviceInfo: { title: 'nameless' } },
      { serviceInfo: 'text' },
      { clientData: 'text' },
      { deviceName: 12 },
      { expireAfter: -1 },
      { referer: 12 },
      { oauthState: 12 }
    ].map((fields): Scenario => ({
      name: `refuses ${JSON.stringify(fields).slice(0, 60)}, or without ${Object.keys(fields)[0]}`,
      ...invalid,
      params: asking(fields)
    }))
  ],

  'authRequest.poll': [
    {
      name: 'returns the request until the user has decided',
      kind: 'success',
      ...asked,
      params: ({ key }) => ({ key }),
      answer: ({ key }) => ({ status: 'NEED_SIGNIN', key, requestingAppId, code: 200 })
    },
    {
      name: 'reports that the user has refused',
      kind: 'success',
      ...decided,
      params: ({ key }) => ({ key }),
      status: 403,
      answer: { status: 'REFUSED', reasonID: 'REASON_UNDEFINED', message: '', serviceInfo: Object }
    },
    { name: 'requires a string', ...invalid, only: 'batch', params: { key: 12 } },
    {
      name: 'refuses an unknown key',
      kind: 'unknown',
      params: { key: 'aaaaBBBBccccDDDD' },
      error: 'unknown-referenced-resource'
    }
  ],

  'authRequest.decide': [
    {
      name: 'accepts with a token of the same user, and returns what polls will',
      kind: 'success',
      ...asked,
      params: accepting(),
      answer: world => ({
        status: 'ACCEPTED',
        code: 200,
        username: world.owner.username,
        token: world.client('app').token,
        apiEndpoint: /^http:\/\/c.+@.+\/user-.+\/$/,
        serviceInfo: Object
      }),
      async after({ key, service }, answer) {
        const polled = await service.call(undefined, 'authRequest.poll', { key })
        assert.deepEqual({ ...polled, accessId: undefined }, { ...answer, accessId: undefined })
      }
    },
    {
      name: 'refuses on behalf of the user',
      kind: 'success',
      ...asked,
      params: ({ key }) => ({ key, status: 'REFUSED', reasonID: 'REFUSED_BY_USER', message: 'No' }),
      status: 403,
      answer: { status: 'REFUSED', reasonID: 'REFUSED_BY_USER', message: 'No' }
    },
    {
      name: 'accepts an error of the page',
      kind: 'success',
      ...asked,
      params: ({ key }) => ({ key, status: 'ERROR', id: 'BROKEN', message: 'Oh', detail: 'dear' }),
      status: 403,
      answer: { status: 'ERROR', id: 'BROKEN', reasonID: 'BROKEN', message: 'Oh', detail: 'dear' }
    },
    {
      name: 'passes the request on to another trusted page, as polls then say',
      kind: 'success',
      ...asked,
      params: ({ key, service }) => ({
        key,
        status: 'REDIRECTED',
        redirectUrl: `${service.server.url}/access/access.html?step=2`
      }),
      status: 301,
      answer: { status: 'REDIRECTED', poll: /\/access\//, redirectUrl: /access\.html\?step=2$/ },
      async after({ key, service }, answer) {
        const polled = await service.http('GET', `/reg/access/${key}`)
        const { poll, redirectUrl, status } = answer
        assert.deepEqual(
          [
            polled.status,
            polled.headers.get('location'),
            polled.headers.get('cache-control'),
            polled.body.status,
            polled.body.poll,
            polled.body.redirectUrl
          ],
          [301, null, 'no-store', status, poll, redirectUrl]
        )
      }
    },
    ...[
      'https://elsewhere.example.com/',
      'javascript:alert(1)',
      '//elsewhere.example.com',
      'https://user@elsewhere.example.com/',
      'x'.repeat(2001),
      12,
      null
    ].map((redirectUrl): Scenario => ({
      name: `is not passed on to ${String(redirectUrl).slice(0, 40)}`,
      ...invalid,
      ...asked,
      params: ({ key }) => ({ key, status: 'REDIRECTED', redirectUrl })
    })),
    ...[
      { status: 'REDIRECTED' },
      { status: undefined },
      { username: undefined },
      { token: undefined },
      { token: 'x'.repeat(256) },
      { apiEndpoint: 'https://token@elsewhere.example.com/' }
    ].map((fields): Scenario => ({
      name: `refuses ${JSON.stringify(fields).slice(0, 60)}, or without ${Object.keys(fields)[0]}`,
      ...invalid,
      ...asked,
      params: accepting(fields)
    })),
    ...(
      [
        ['a token that does not exist', { token: 'no-such-token' }],
        ['an unknown user', { username: 'nobody-here' }],
        ['what is not a token', { token: 'two words' }]
      ] as const
    ).map(([what, fields]): Scenario => ({
      name: `refuses ${what}`,
      kind: 'caller',
      ...asked,
      params: accepting(fields),
      error: 'invalid-access-token'
    })),
    {
      name: 'refuses an unknown key',
      kind: 'unknown',
      params: accepting({ key: 'aaaaBBBBccccDDDD' }),
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses to change a decision',
      kind: 'state',
      ...decided,
      params: accepting(),
      error: 'invalid-operation'
    }
  ]
}
