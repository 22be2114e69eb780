/** What common clients and libraries send by default, and must not be refused for. (docs/api/oauth.md) */
import { createHash } from 'node:crypto'
import pryv from 'pryv'
import t from 'tap'
import { getResourceUser } from '../../../../core/oauth/metadata.js'
import { getTokenOwner } from '../../../../core/oauth/tokens.js'
import { coffer, testConfig, type Answer } from '../../../support/coffer.js'
import { agree, app, apps, begin, clientId, exchange, obtain, post } from '../../../support/oauth.js'

const loopback = 'http://127.0.0.1/callback'

t.test('a request may contain what libraries send', async t => {
  const service = await coffer(t, apps({ ...app, oauth: { redirectURIs: [loopback] } }))
  const { alice } = service
  const { url } = service.server
  const usual = { redirect_uri: 'http://127.0.0.1:33418/callback', scope: 'openid diary:read:Diary' }
  for (const params of [
    { prompt: 'consent', scope: 'openid offline_access *:read' },
    { prompt: 'login consent' },
    { prompt: 'select_account', login_hint: 'alice@example.com' },
    { max_age: '0' },
    { max_age: '86400' },
    { nonce: 'a-nonce', display: 'page', acr_values: '1', claims: '{"userinfo":{"email":null}}' },
    { id_token_hint: 'a.b.c', ui_locales: 'de-CH fr en' },
    { audience: url, access_type: 'offline', response_mode: 'query' },
    { resource: `${url}/` },
    { resource: url },
    { resource: `${url}/alice/mcp` },
    { resource: `${url}/alice` },
    { resource: `${url.replace('http', 'HTTP')}/alice/mcp/` },
    { scope: ' openid  profile diary:read:Diary ' },
    { scope: 'openid profile email address phone offline_access' },
    { state: undefined },
    { state: 'x'.repeat(1900) }
  ])
    await t.test(JSON.stringify(params).slice(0, 100), async t => {
      service.clock.advance(1)
      await service.call(undefined, 'test.noteSignIns', { username: 'alice' })
      const begun = await begin(service, { ...usual, ...params })
      t.equal(begun.location.searchParams.get('error'), null)
      const { body, status } = await exchange(service, begun, await agree(service, alice, begun), {
        ...(params.resource !== undefined && { resource: params.resource })
      })
      t.equal(status, 200, JSON.stringify(body))
      t.notMatch(body.scope, /address|phone/, 'what was left out is told')
    })

  await t.test('except for unknown scopes', async t => {
    for (const scope of ['phone', 'mcp:tools', 'openid diary:raed', 'openid https://example.com/scope'])
      t.equal(
        (await begin(service, { ...usual, scope })).location.searchParams.get('error'),
        'invalid_scope',
        scope
      )
  })

  await t.test('also as a form', async t => {
    const { params } = await begin(service, usual)
    const { headers, status } = await post(service, '/oauth/authorize', params)
    t.equal(status, 303)
    t.match(headers.get('location'), 'key=')
  })
})

t.test('a resource is the service or an account, however its URL is written', t => {
  const byPath = testConfig('unused', { publicUrl: 'https://coffer.example.com/data' })
  const byHost = testConfig('unused', { publicUrl: 'https://coffer.example.com', domain: 'example.com' })
  for (const [config, resource, user] of [
    [byPath, 'https://coffer.example.com/data', null],
    [byPath, 'HTTPS://Coffer.Example.COM:443/data/', null],
    [byPath, 'https://COFFER.example.com/data/alice', 'alice'],
    [byPath, 'https://coffer.example.com:443/data/alice/mcp', 'alice'],
    [byPath, 'https://coffer.example.com/data/Alice/mcp/', 'alice'],
    [byPath, 'https://coffer.example.com:444/data', undefined],
    [byPath, 'http://coffer.example.com/data', undefined],
    [byPath, 'https://coffer.example.com/Data', undefined],
    [byPath, 'https://coffer.example.com/database', undefined],
    [byPath, 'https://coffer.example.com/data/alice/MCP', undefined],
    [byPath, 'https://coffer.example.com/data/alice#x', undefined],
    [byPath, 'https://coffer.example.com/data/alice#', undefined],
    [byPath, 'https://coffer.example.com/data?user=alice', undefined],
    [byPath, 'https://alice@coffer.example.com/data', undefined],
    [byPath, 'https://coffer.example.com.evil.example/data', undefined],
    [byPath, 'coffer.example.com/data', undefined],
    [byHost, 'https://ALICE.Example.com', 'alice'],
    [byHost, 'https://alice.example.com:443/mcp', 'alice'],
    [byHost, 'https://alice.example.com/mcp/', 'alice'],
    [byHost, 'https://alice.example.org/mcp', undefined],
    [byHost, 'https://example.com/', undefined]
  ] as const)
    t.equal(getResourceUser(config, resource), user, resource)
  t.end()
})

t.test('a client of the published libraries finds its API endpoint in the token response', async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  await alice.stream('diary')
  const scope = 'diary:read offline_access'
  const tokens = await obtain(service, alice, { scope })
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token }
  for (const { apiEndpoint, api_endpoint } of [tokens, (await post(service, '/oauth/token', form)).body]) {
    t.equal(apiEndpoint, api_endpoint.replace('//', `//${tokens.access_token}@`))
    const { streams } = await new pryv.Connection(apiEndpoint).apiOne('streams.get', {})
    t.match(streams[0], { id: 'diary' })
  }
})

t.test('tokens are no JWTs, and those of the form that was issued earlier are valid', async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  await alice.stream('diary')
  const tokens = await obtain(service, alice, { scope: 'diary:read offline_access openid' })
  const { access_token: token, refresh_token: refresh } = tokens
  t.match(token, /^alice~\w{25}$/)
  t.notMatch(token + refresh, /\./, 'what clients decode comes after a dot')
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refresh.replaceAll('~', '.')
  }
  const { body, status } = await post(service, '/oauth/token', form)
  t.match({ body, status }, { status: 200, body: { access_token: token, refresh_token: /^alice~/ } })
  t.equal(getTokenOwner(token.replace('~', '.')), 'alice')
  t.equal(getTokenOwner('Alice~c1.2'), 'alice')
})

t.test('a public client may identify itself in any way', async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  const empty = `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`
  for (const [name, fields, headers] of [
    ['nothing', {}, {}],
    ['an empty secret in the form', { client_secret: '' }, {}],
    ['an empty secret in Basic credentials', {}, { authorization: empty }],
    [
      'a type with a character set',
      {},
      { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    ]
  ] as const) {
    const begun = await begin(service)
    const code = (await agree(service, alice, begun)).searchParams.get('code')!
    const { body, status } = await post(
      service,
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: begun.verifier,
        redirect_uri: begun.params['redirect_uri'],
        ...fields
      },
      headers
    )
    t.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  }
})

t.test('assistants register with their usual metadata', async t => {
  const service = await coffer(t, { oauth: { registration: true } })
  const register = async (metadata: object): Promise<Answer> =>
    await service.http('POST', '/oauth/register', metadata)
  const common = { response_types: ['code'], token_endpoint_auth_method: 'none' }
  const [code, again] = ['authorization_code', 'refresh_token']
  for (const [name, metadata] of [
    [
      'an editor',
      {
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.example.com',
        application_type: 'native',
        grant_types: [code, again, 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: ['https://vscode.example.com/redirect', 'http://127.0.0.1/', 'http://localhost:33418/']
      }
    ],
    ['a site', { grant_types: [code, again], scope: 'assistant', redirect_uris: [loopback] }],
    ['a command', { grant_types: [code, again], redirect_uris: ['http://localhost:8123/callback'] }],
    ['one that says little', { redirect_uris: ['https://assistant.example.com/callback'] }],
    [
      'one that says a lot',
      {
        grant_types: [code],
        redirect_uris: [loopback],
        contacts: ['ops@example.com'],
        logo_uri: 'https://assistant.example.com/logo.png',
        tos_uri: 'https://assistant.example.com/terms',
        policy_uri: 'https://assistant.example.com/privacy',
        jwks: { keys: [] },
        software_id: 'x',
        software_version: '1.2',
        require_pushed_authorization_requests: false
      }
    ]
  ] as const)
    await t.test(name, async t => {
      const { body, status } = await register({ ...common, ...metadata })
      t.equal(status, 201, JSON.stringify(body))
      t.same(body.grant_types, [code, again], 'is told what it can have')
      t.same(body.response_types, ['code'])
      const [redirect_uri] = metadata.redirect_uris
      const scope = '*:read offline_access'
      t.ok(
        (await obtain(service, service.alice, { client_id: body.client_id, redirect_uri, scope }))
          .refresh_token
      )
    })
  await t.test('except for metadata with nothing that is supported', async t => {
    for (const metadata of [
      { grant_types: ['client_credentials'] },
      { grant_types: [again] },
      { response_types: ['token'] },
      { token_endpoint_auth_method: 'private_key_jwt' }
    ])
      t.match(await register({ redirect_uris: [loopback], ...metadata }), {
        status: 400,
        body: { error: 'invalid_client_metadata' }
      })
  })
})

t.test('public clients refresh without naming themselves, as SMART apps do', async t => {
  const secret = 'a long secret of the app'
  const oauth = { redirectURIs: [loopback], secretHash: createHash('sha256').update(secret).digest('hex') }
  const service = await coffer(t, apps(app, { id: 'secretive-client', oauth }))
  const { alice } = service
  const scope = 'diary:read:Diary offline_access'
  const refresh = async (token: string, fields = {}): Promise<{ status: number; body: Answer }> =>
    await post(service, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...fields })

  const { access_token: token, refresh_token: first } = await obtain(service, alice, { scope })
  const { body, status } = await refresh(first)
  t.equal(status, 200, JSON.stringify(body))
  t.match(body, { access_token: token, refresh_token: String })
  t.match(await refresh(body.refresh_token, { client_id: clientId }), { status: 200 })

  const begun = await begin(service, { scope, client_id: 'secretive-client', redirect_uri: loopback })
  const own = await exchange(service, begun, await agree(service, alice, begun), { client_secret: secret })
  t.match(await refresh(own.body.refresh_token), { status: 401, body: { error: 'invalid_client' } })
  t.match(await refresh(own.body.refresh_token, { client_secret: secret }), { status: 401 })
  const named = { client_id: 'secretive-client', client_secret: secret }
  t.match(await refresh(own.body.refresh_token, named), { status: 200 }, 'the token is still good')

  const unknown = { status: 400, body: { error: 'invalid_grant' } }
  for (const guess of ['alice.family.guess', 'nobody.family.guess', 'alice'])
    t.match(await refresh(guess), unknown, guess)
  const again = await begin(service, { scope })
  t.match(await exchange(service, again, await agree(service, alice, again), { client_id: undefined }), {
    status: 401,
    body: { error: 'invalid_client' }
  })
})

t.test('the metadata advertises only what works', async t => {
  const service = await coffer(t, apps(app))
  const { body } = await service.http('GET', '/.well-known/oauth-authorization-server')
  for (const name of [
    'registration_endpoint',
    'pushed_authorization_request_endpoint',
    'device_authorization_endpoint',
    'end_session_endpoint',
    'check_session_iframe',
    'client_id_metadata_document_supported',
    'backchannel_logout_supported'
  ])
    t.notOk(name in body, name)
  for (const prompt of body.prompt_values_supported)
    t.equal((await begin(service, { prompt })).location.searchParams.get('error'), null, prompt)
  const aud = `${service.server.url}/alice/fhir`
  for (const scope of body.scopes_supported)
    t.equal((await begin(service, { scope, aud })).location.searchParams.get('error'), null, scope)
  for (const response_mode of body.response_modes_supported)
    t.equal((await begin(service, { response_mode })).location.searchParams.get('error'), null, response_mode)
  for (const grant_type of body.grant_types_supported) {
    const { error } = (await post(service, '/oauth/token', { grant_type, client_id: clientId })).body
    const expected =
      grant_type === 'client_credentials' ? ['unauthorized_client'] : ['invalid_request', 'invalid_grant']
    t.ok(expected.includes(error), `${grant_type}: ${error}`)
  }
  for (const name of [
    'token_endpoint_auth_signing_alg_values_supported',
    'dpop_signing_alg_values_supported'
  ])
    t.same(body[name], ['ES256'], name)
})

t.test('cross-origin requests may send the headers of assistants', async t => {
  const service = await coffer(t, apps(app))
  for (const path of ['/alice/mcp', '/.well-known/oauth-authorization-server', '/oauth/token']) {
    const names = 'authorization, content-type, mcp-protocol-version, mcp-session-id, last-event-id'
    const { headers, status } = await service.http('OPTIONS', path, undefined, {
      origin: 'https://inspector.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': names
    })
    t.equal(status, 200)
    for (const name of names.split(', '))
      t.match(headers.get('access-control-allow-headers')?.toLowerCase(), name, `${path} ${name}`)
  }
  const { headers } = await service.http(
    'POST',
    '/alice/mcp',
    {},
    { origin: 'https://inspector.example.com' }
  )
  t.match(headers.get('access-control-expose-headers')?.toLowerCase(), 'www-authenticate', 'where to sign in')
})
