/** Clients with keys, with accounts of their own, and revoked clients. (docs/api/oauth.md#clients) */
import { createHash, randomUUID } from 'node:crypto'
import { generateKeyPair } from 'jose'
import t from 'tap'
import { coffer, openCoffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import {
  createHolder,
  makeAssertion,
  makeProof,
  type Deviation,
  type Holder
} from '../../../support/key-proofs.js'
import {
  agree,
  app,
  apps,
  begin,
  clientId,
  exchange,
  obtain,
  post,
  redirectUri
} from '../../../support/oauth.js'
import { socketOf } from '../../../support/socket.js'

const adminKey = 'a long key of the operator'
const operator = { authorization: adminKey }
const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const secret = 'a secret of the client'
const secretHash = createHash('sha256').update(secret).digest('hex')
const redirectURIs = [redirectUri]
const updates = { accesses: { updates: true } }

const [one, two] = await Promise.all([createHolder(), createHolder()])
const keyed = {
  id: 'keyed-client',
  oauth: {
    redirectURIs,
    account: 'robot',
    scopes: ['diary:contribute', 'weight:read'],
    keys: [
      { kid: 'one', ...one.jwk },
      { kid: 'two', ...two.jwk, revoked: true }
    ]
  }
}
const homeless = { id: 'homeless-client', oauth: { redirectURIs, secretHash } }
const owning = {
  id: 'owning-client',
  oauth: { redirectURIs, secretHash, account: 'robot', accessSeconds: 600 }
}
const renamed = { id: 'renamed-client', oauth: { redirectURIs, secretHash, account: 'gadget' } }
const settings = {
  ...apps(app, keyed, homeless, owning, renamed),
  adminKey,
  throttle: { failures: 1000, invalidTokens: 1000 }
}

const claims = (changed: Record<string, unknown>): Deviation => ({ claims: changed })

/** Proves the client with a key, for a call of the token endpoint or another. */
async function assertion(
  service: Service,
  holder: Holder,
  kid: string,
  deviation?: Deviation
): Promise<object> {
  const { clock, server } = service
  const about = { audience: server.url, client: 'keyed-client', kid, now: clock.now() }
  return {
    client_assertion_type: clientAssertionType,
    client_assertion: await makeAssertion(holder, about, deviation)
  }
}

async function ask(
  service: Service,
  fields: object,
  headers: Record<string, string> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const form = { grant_type: 'client_credentials', scope: 'diary:contribute', ...fields }
  return await post(service, '/oauth2/token', form, headers)
}

/** Turns on two-factor authentication in the account of the clients. */
async function protect(service: Service, username = 'robot'): Promise<void> {
  const factor = { method: 'totp', content: { secret: 'A'.repeat(32) }, recoveryCodes: [] }
  await service.call(undefined, 'test.enrol', { username, factor })
}

t.test('assertions and client credentials', async t => {
  const service = await coffer(t, settings)
  const { clock, server } = service
  const notHere = await ask(service, await assertion(service, one, 'one'))
  t.match(notHere, { status: 400, body: { error: 'unauthorized_client' } }, 'before the account exists')
  const robot = await service.user('robot')
  await robot.stream('diary')
  const unprotected = await ask(service, await assertion(service, one, 'one'))
  t.match(unprotected, { status: 400, body: { error: 'unauthorized_client' } }, 'without a second factor')
  await protect(service)

  t.test('a key proves the client', async t => {
    const { body, status } = await ask(service, await assertion(service, one, 'one'))
    t.equal(status, 200, JSON.stringify(body))
    t.match(body, { token_type: 'Bearer', expires_in: 3600, scope: 'diary:contribute', username: 'robot' })
    t.notOk('refresh_token' in body)
    t.match((await robot.do('accesses.get')).accesses.at(-1), {
      name: 'oauth:keyed-client',
      deviceName: /^oauth-session-/
    })
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'by a robot' }
    const auth = { authorization: `Bearer ${body.access_token}` }
    t.equal((await service.http('POST', '/robot/events', note, auth)).status, 201)
    t.equal((await service.http('GET', '/robot/accesses', undefined, auth)).body.accesses?.length, 0)
    for (const audience of ['/oauth/token', '/oauth2/token'].map(path => server.url + path)) {
      const again = await ask(service, await assertion(service, one, 'one', { claims: { aud: audience } }))
      t.equal(again.status, 200, audience)
    }
    const checked = { token: body.access_token, ...(await assertion(service, one, 'one')) }
    t.match((await post(service, '/oauth2/introspect', checked)).body, {
      active: true,
      client_id: 'keyed-client'
    })
    const revoked = { token: body.access_token, ...(await assertion(service, one, 'one')) }
    t.match(await post(service, '/oauth2/revoke', revoked), { status: 200 })
    t.equal((await service.http('GET', '/robot/events', undefined, auth)).status, 401)
  })

  t.test('nothing else does', async t => {
    const rsa = await generateKeyPair('RS256')
    const now = Math.floor(clock.now())
    const attempts: [string, object][] = [
      ['no proof', { client_id: 'keyed-client' }],
      ['a secret', { client_id: 'keyed-client', client_secret: secret }],
      ['another key', await assertion(service, two, 'one')],
      ['a revoked key', await assertion(service, two, 'two')],
      ['an unknown key', await assertion(service, one, 'three')],
      ['no key id', await assertion(service, one, 'one', { header: { kid: undefined } })],
      ['another issuer', await assertion(service, one, 'one', claims({ iss: 'owning-client' }))],
      ['another subject', await assertion(service, one, 'one', claims({ sub: 'owning-client' }))],
      ['another audience', await assertion(service, one, 'one', claims({ aud: 'https://example.com' }))],
      [
        'two audiences',
        await assertion(service, one, 'one', claims({ aud: [server.url, 'https://a.example'] }))
      ],
      ['no audience', await assertion(service, one, 'one', claims({ aud: undefined }))],
      ['expired', await assertion(service, one, 'one', claims({ exp: now - 61 }))],
      ['too long', await assertion(service, one, 'one', claims({ exp: now + 400 }))],
      ['no expiry', await assertion(service, one, 'one', claims({ exp: undefined }))],
      ['not valid yet', await assertion(service, one, 'one', claims({ nbf: now + 200 }))],
      ['no id', await assertion(service, one, 'one', claims({ jti: undefined }))],
      ['a long id', await assertion(service, one, 'one', claims({ jti: 'x'.repeat(257) }))],
      ['a proof of a call', await assertion(service, one, 'one', { header: { typ: 'dpop+jwt' } })],
      ['RS256', await assertion(service, one, 'one', { header: { alg: 'RS256' }, signer: rsa.privateKey })],
      [
        'HS256 with the public key',
        await assertion(service, one, 'one', {
          header: { alg: 'HS256' },
          signer: Buffer.from(JSON.stringify(one.jwk))
        })
      ],
      ['no JSON Web Token', { client_assertion_type: clientAssertionType, client_assertion: 'x' }],
      ['another type', { ...(await assertion(service, one, 'one')), client_assertion_type: 'saml' }],
      ['no type', { ...(await assertion(service, one, 'one')), client_assertion_type: undefined }],
      ['another client id', { ...(await assertion(service, one, 'one')), client_id: 'owning-client' }],
      ['two proofs', { ...(await assertion(service, one, 'one')), client_secret: secret }]
    ]
    for (const [name, fields] of attempts) {
      const answer = await ask(service, fields)
      t.match(answer, { status: 401, body: { error: 'invalid_client' } }, name)
    }
    const [, body] = String(((await assertion(service, one, 'one')) as Answer).client_assertion).split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: 'one' })).toString('base64url')
    const forged = { client_assertion_type: clientAssertionType, client_assertion: `${header}.${body}.` }
    t.match(await ask(service, forged), { status: 401 })
    clock.advance(3600)
  })

  t.test('an assertion is valid once', async t => {
    const same = await assertion(service, one, 'one')
    const all = await Promise.all(Array.from({ length: 10 }, async () => (await ask(service, same)).status))
    t.same(all.toSorted(), [200, ...Array.from({ length: 9 }, () => 401)])
    const jti = randomUUID()
    const answers = [
      await ask(service, await assertion(service, one, 'one', { claims: { jti } })),
      await ask(service, await assertion(service, one, 'one', { claims: { jti } }))
    ]
    t.same(
      answers.map(({ status }) => status),
      [200, 401]
    )
    const fraction = await assertion(service, one, 'one', claims({ exp: clock.now() + 10.5 }))
    t.match(await ask(service, fraction), { status: 200 })
    clock.advance(70.6)
    t.match(await ask(service, fraction), { status: 401 }, 'in the last second, within the tolerance')
    clock.advance(3600)
  })

  t.test('a client acts on its own account only, within its scope', async t => {
    const own = { client_id: 'owning-client', client_secret: secret }
    const wrong: [string, object, string][] = [
      ['a public client', { client_id: clientId }, 'unauthorized_client'],
      [
        'a client without an account',
        { client_id: 'homeless-client', client_secret: secret },
        'unauthorized_client'
      ],
      ['offline access', { ...own, scope: 'offline_access diary:read' }, 'invalid_scope'],
      ['a user', { ...own, scope: 'openid' }, 'invalid_scope'],
      ['an offer', { ...own, scope: 'cmc:study' }, 'invalid_scope'],
      ['no scope', { ...own, scope: undefined }, 'invalid_scope'],
      ['a wider scope', { ...(await assertion(service, one, 'one')), scope: 'diary:manage' }, 'invalid_scope']
    ]
    for (const [name, fields, error] of wrong)
      t.match(await ask(service, fields), { status: 400, body: { error } }, name)
    const url = `${server.url}/oauth2/token`
    const dpop = await makeProof(one, { verb: 'POST', url, now: clock.now() })
    t.match(
      await ask(service, own, { dpop }),
      { status: 400, body: { error: 'invalid_request' } },
      'a bound token'
    )
    const first = (await ask(service, own)).body
    t.match(first, { expires_in: 600 })
    clock.advance(200)
    t.match((await ask(service, own)).body, { access_token: first.access_token, expires_in: 400 }, 'the same')
    t.not((await ask(service, { ...own, scope: 'diary:read' })).body.access_token, first.access_token)
    clock.advance(150)
    t.not((await ask(service, own)).body.access_token, first.access_token, 'a new one in time')
    t.match((await ask(service, { ...(await assertion(service, one, 'one')), scope: undefined })).body, {
      scope: 'diary:contribute weight:read'
    })
    const direct = { ...own, grant_type: 'client_credentials', scope: '*:manage' }
    t.match(await service.http('POST', '/alice/oauth/token', direct), {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { error: 'unauthorized_client' } } }
    })
  })

  t.test('clients keep their account under its former name', async t => {
    const gadget = await service.user('gadget')
    await gadget.stream('diary')
    await protect(service, 'gadget')
    const own = { client_id: 'renamed-client', client_secret: secret }
    t.match((await ask(service, own)).body, { username: 'gadget' })
    await gadget.do('account.changeUsername', { newUsername: 'new-gadget' })
    t.match((await ask(service, { ...own, scope: 'diary:read' })).body, { username: 'new-gadget' })
  })

  t.test('operators revoke keys, and allow them again', async t => {
    const { body } = await service.http('GET', '/system/oauth/clients', undefined, operator)
    const found = body.clients.find(({ id }: Answer) => id === 'keyed-client')
    t.match(found, { account: 'robot', revoked: null, isSelfRegistered: false })
    t.same(found.keys, [
      { kid: 'one', isRevoked: false },
      { kid: 'two', isRevoked: true }
    ])
    const path = '/system/oauth/clients/keyed-client/keys'
    t.equal((await ask(service, await assertion(service, two, 'two'))).status, 401)
    t.match(await service.http('DELETE', `${path}/two/revocation`, undefined, operator), { status: 200 })
    t.equal((await ask(service, await assertion(service, two, 'two'))).status, 200)
    const revoked = await service.http('POST', `${path}/one/revocation`, undefined, operator)
    t.match(revoked, { status: 200, body: { key: { kid: 'one', isRevoked: true } } })
    t.equal((await ask(service, await assertion(service, one, 'one'))).status, 401)
    t.equal((await service.http('POST', `${path}/three/revocation`, undefined, operator)).status, 404)
    t.equal((await service.http('POST', `${path}/one/revocation`)).status, 404, 'for operators only')
    await service.http('POST', `${path}/two/revocation`, undefined, operator)
    t.match(
      await ask(service, { client_id: 'keyed-client' }),
      { status: 401 },
      'without keys it is not public'
    )
  })
})

t.test('a revoked client', async t => {
  const service = await coffer(t, { ...settings, oauth: { registration: true } })
  const { alice, clock } = service
  await alice.stream('diary')
  const scope = 'offline_access diary:contribute'
  const tokens = await obtain(service, alice, { scope })
  const auth = { authorization: `Bearer ${tokens.access_token}` }
  const share = { name: 'share', permissions: [{ streamId: 'diary', level: 'read' }], expireAfter: 600 }
  const shared = (await service.http('POST', '/alice/accesses', share, auth)).body.access
  const socket = await socketOf(
    t,
    Object.assign(Object.create(alice), { access: { token: tokens.access_token } })
  )
  const path = `/system/oauth/clients/${clientId}/revocation`
  t.equal(
    (await service.http('POST', '/system/oauth/clients/nobody/revocation', undefined, operator)).status,
    404
  )
  t.equal((await service.http('GET', '/alice/events', undefined, auth)).status, 200)
  t.match(await service.http('POST', path, undefined, operator), {
    status: 200,
    body: { client: { id: clientId } }
  })
  t.match(await service.http('GET', '/alice/events', undefined, auth), {
    status: 401,
    body: { error: { id: 'invalid-access-token' } }
  })
  t.equal((await service.http('GET', `/alice/events?auth=${shared.token}`)).status, 401, 'what it shared')
  if (!process.env['COFFER_TEST_WORKERS']) await socket.closed()
  const renewal = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token }
  t.match(await post(service, '/oauth2/token', renewal), { status: 401, body: { error: 'invalid_client' } })
  t.equal((await service.http('GET', `/oauth/authorize?client_id=${clientId}`)).status, 400)
  clock.advance(60)
  const again = await service.http('POST', path, undefined, operator)
  t.ok(again.body.client.revoked <= clock.now() - 60, 'it was revoked before')
  t.match((await service.http('GET', '/system/deeds', undefined, operator)).body.deeds, [
    { method: 'oauth.revokeClient', detail: { client: clientId } }
  ])
  const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  const registered = (await service.http('POST', '/oauth2/register', metadata)).body.client_id
  const listed = (await service.http('GET', '/system/oauth/clients', undefined, operator)).body.clients
  t.match(listed.at(-1), { id: registered, isSelfRegistered: true, revoked: null })
  await service.http('POST', `/system/oauth/clients/${registered}/revocation`, undefined, operator)
  const own = await post(service, '/oauth2/token', { ...renewal, client_id: registered })
  t.match(own, { status: 401, body: { error: 'invalid_client' } })
})

t.test('lifetimes', async t => {
  const service = await coffer(t, {
    ...apps(app),
    oauth: { refreshSeconds: 100, refreshAbsoluteSeconds: 250 }
  })
  const { alice, clock } = service
  let { refresh_token: token } = await obtain(service, alice, { scope: 'offline_access diary:read' })
  const refresh = async (): Promise<number> => {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }
    const { body, status } = await post(service, '/oauth2/token', form)
    token = body.refresh_token
    return status
  }
  for (let count = 0; count < 3; count++) {
    clock.advance(80)
    t.equal(await refresh(), 200, 'each refresh prolongs')
  }
  clock.advance(20)
  t.equal(await refresh(), 400, 'but not beyond the absolute end')
})

t.test('an access that a client gets again lasts as long as a new one', async t => {
  const brief = { id: 'brief-client', oauth: { ...app.oauth, accessSeconds: 3600 } }
  const service = await coffer(t, apps(app, brief))
  const { alice, clock } = service
  const holder = await createHolder()
  for (const params of [
    { scope: 'offline_access diary:read' },
    { scope: 'diary:read', expire_after: '3600' },
    { scope: 'diary:read', client_id: brief.id }
  ]) {
    const what = JSON.stringify(params)
    const first = await obtain(service, alice, params)
    t.equal(first.expires_in, 3600, what)
    clock.advance(3590)
    const again = await obtain(service, alice, params)
    t.match(again, { access_token: first.access_token, expires_in: 3600 }, what)
    clock.advance(20)
    const authorization = `Bearer ${first.access_token}`
    t.equal((await service.http('GET', '/alice/streams', undefined, { authorization })).status, 200, what)
    clock.advance(3000)
    const begun = await begin(service, params)
    const answered = await agree(service, alice, begun)
    const form = {
      grant_type: 'authorization_code',
      code: answered.searchParams.get('code')!,
      redirect_uri: redirectUri,
      client_id: begun.params['client_id'],
      code_verifier: begun.verifier
    }
    const proof = { verb: 'POST', url: `${service.server.url}/oauth/token`, now: clock.now() }
    const bound = await post(service, '/oauth/token', form, { dpop: await makeProof(holder, proof) })
    t.match(bound.body, { token_type: 'DPoP', expires_in: 3600 }, what)
    clock.advance(3600)
  }
})

t.test('a client that has not refreshed its access for long gets it again', async t => {
  const service = await coffer(t, apps(app))
  const { alice, clock } = service
  const params = { scope: 'offline_access diary:read' }
  const phone = await obtain(service, alice, params)
  clock.advance(7200)
  const tablet = await obtain(service, alice, params)
  t.match(tablet, { access_token: phone.access_token, expires_in: 3600, refresh_token: String })
  for (const { refresh_token: token } of [phone, tablet]) {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }
    t.match(await post(service, '/oauth/token', form), { status: 200 }, 'both stay signed in')
  }
  clock.advance(7200)
  const begun = await begin(service, params)
  const accept = { status: 'ACCEPTED', username: 'alice', token: phone.access_token }
  const key = begun.location.searchParams.get('key')
  const withoutUser = await service.call(undefined, 'authRequest.decide', { ...accept, key })
  t.equal(withoutUser.error?.id, 'forbidden', 'the user has to sign in')
  const other = await service.call(undefined, 'authRequest.create', {
    requestingAppId: clientId,
    requestedPermissions: [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }]
  })
  const ended = await service.call(
    undefined,
    'authRequest.decide',
    { ...accept, key: other.key },
    alice.token
  )
  t.equal(ended.error?.id, 'invalid-access-token', 'other requests cannot refresh it')
})

t.test('an access that its client can refresh counts as in force for its owner', async t => {
  const service = await coffer(t, { ...apps(app), ...updates })
  const { alice, clock } = service
  await obtain(service, alice, { scope: 'offline_access diary:read:Diary' })
  clock.advance(7200)
  const find = async (): Promise<Answer> =>
    (await alice.do('accesses.get')).accesses.find(({ type }: Answer) => type === 'app')
  const access = await find()
  t.match(access, { name: clientId, oauth: { renewableUntil: Number } })
  const { receipt } = await alice.do('accesses.getReceipt', { id: access.id })
  t.equal(receipt.hasConsentStatus, 'ConsentGiven')
  t.ok(Math.abs(Date.parse(receipt.validUntil) / 1000 - access.oauth.renewableUntil) < 1)
  const authorization = `Bearer ${alice.token}`
  const consents = await service.http('GET', '/alice/fhir/Consent', undefined, { authorization })
  const [{ resource }] = consents.body.entry
  t.ok(Math.abs(Date.parse(resource.provision.period.end) / 1000 - access.oauth.renewableUntil) < 1)
  const asked = await service.call(undefined, 'authRequest.create', {
    requestingAppId: 'another-app',
    requestedPermissions: [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }]
  })
  const request = { requestingAppId: 'another-app', requestedPermissions: asked.requestedPermissions }
  const checked = await alice.do('accesses.checkApp', { ...request, requestKey: asked.key })
  t.match(checked.streams, [{ accesses: [{ name: clientId }] }], 'who else can see the stream')
  const permissions = [{ streamId: 'diary', level: 'create-only' }]
  await alice.do('accesses.update', { id: access.id, update: { permissions } })
  t.same((await find()).oauth, access.oauth, 'also once it has been changed')
})

t.test('a client does not refresh its access beyond the end that the user gives it', async t => {
  const service = await coffer(t, { ...apps(app), ...updates })
  const { alice, clock } = service
  const tokens = await obtain(service, alice, { scope: 'offline_access diary:read:Diary' })
  const find = async (): Promise<Answer> =>
    (await alice.do('accesses.get')).accesses.find(({ type }: Answer) => type === 'app')
  await alice.do('accesses.update', { id: (await find()).id, update: { expireAfter: 5400 } })
  const askAgain = async (token: string): Promise<{ status: number; body: Answer }> =>
    await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: token
    })
  clock.advance(3000)
  const { body: renewed } = await askAgain(tokens.refresh_token)
  t.match(renewed, { expires_in: 2400 })
  t.match((await find()).oauth, { renewableUntil: clock.now() + 2400 })
  clock.advance(2400)
  t.match(await askAgain(renewed.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  t.notOk(await find())
})

t.test('an end that the user gives to an access while its client refreshes it stays', async t => {
  const service = await openCoffer(t, { ...apps(app), ...updates })
  const { alice, clock, server } = service
  const tokens = await obtain(service, alice, { scope: 'offline_access diary:read:Diary' })
  const find = async (): Promise<Answer> =>
    (await alice.do('accesses.get', { includeExpired: true })).accesses.find(
      ({ type }: Answer) => type === 'app'
    )
  const { id } = await find()
  clock.advance(600)
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const write = store.write.bind(store)
  let hasRotated = false
  // The first write replaces the refresh token, the last one prolongs the access.
  t.capture(store, 'write', async (...args: Parameters<typeof write>) => {
    const result = await write(...args)
    if (!hasRotated) {
      hasRotated = true
      await alice.do('accesses.update', { id, update: { expireAfter: 60 } })
    }
    return result
  })
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token }
  t.match(await post(service, '/oauth/token', form), { status: 200, body: { expires_in: 60 } })
  t.equal((await find()).expires, clock.now() + 60)
})

t.test('a client revokes its access with the token, also once it has expired', async t => {
  const service = await coffer(t, apps(app))
  const { alice, clock } = service
  const tokens = await obtain(service, alice, { scope: 'offline_access diary:read:Diary' })
  const params = { client_id: clientId, token: tokens.access_token }
  clock.advance(7200)
  t.same((await post(service, '/oauth/introspect', params)).body, { active: false })
  t.equal((await post(service, '/oauth/revoke', params)).status, 200)
  const renewed = await post(service, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: tokens.refresh_token
  })
  t.match(renewed, { status: 400, body: { error: 'invalid_grant' } })
  t.notOk((await alice.do('accesses.get')).accesses.some(({ type }: Answer) => type === 'app'))
})

t.test('a client that refreshes its access keeps it, however often another device gets it', async t => {
  const service = await coffer(t, apps(app))
  const { alice, clock } = service
  const params = { scope: 'offline_access diary:read' }
  let phone = await obtain(service, alice, params)
  const idle = await obtain(service, alice, params)
  const askAgain = async (token: string): Promise<{ status: number; body: Answer }> =>
    await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: token
    })
  for (let count = 0; count < 50; count++) {
    clock.advance(30)
    await obtain(service, alice, params)
    if (count === 25) phone = (await askAgain(phone.refresh_token)).body
  }
  t.match(await askAgain(phone.refresh_token), { status: 200 })
  t.match(
    await askAgain(idle.refresh_token),
    { status: 400 },
    'of fifty, the one that was not used for longest ends'
  )
})

t.test('a client that asks for another lifetime does not get its access again', async t => {
  const service = await coffer(t, apps(app))
  const { alice, clock } = service
  const ask = async (params: Record<string, string>): Promise<Answer> =>
    await obtain(service, alice, { scope: 'diary:read', ...params })
  const hour = await ask({ expire_after: '3600' })
  const years = { expire_after: '315360000' }
  const { location } = await begin(service, { scope: 'diary:read', ...years })
  const key = location.searchParams.get('key')!
  const { clientData, requestedPermissions, requestingAppId } = await service.call(
    undefined,
    'authRequest.poll',
    { key }
  )
  const request = { requestingAppId, requestedPermissions, requestKey: key, clientData }
  const checked = await alice.do('accesses.checkApp', request)
  t.notOk(checked.matchingAccess, 'the user is asked')
  t.equal(checked.mismatchingAccess?.token, hour.access_token)
  clock.advance(60)
  const longer = await ask(years)
  t.equal(longer.expires_in, 315_360_000)
  t.not(longer.access_token, hour.access_token)
  const endless = await ask({})
  t.equal(endless.expires_in, undefined)
  t.equal((await ask({ expire_after: '60' })).expires_in, 60)
  const offline = { scope: 'offline_access diary:read' }
  const renewed = await ask(offline)
  t.equal((await ask({ ...offline, expire_after: '60' })).access_token, renewed.access_token)
})

t.test('the audit names what happened', async t => {
  const service = await coffer(t, { ...apps(app, owning), oauth: { refreshSeconds: 1000 } })
  const { alice, clock } = service
  const robot = await service.user('robot')
  await protect(service)
  await ask(service, { client_id: 'owning-client', client_secret: secret })
  const begun = await begin(service, { scope: 'offline_access diary:read' })
  const answered = await agree(service, alice, begun)
  const { refresh_token: first } = (await exchange(service, begun, answered)).body
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: first }
  const url = `${service.server.url}/oauth/token`
  const dpop = await makeProof(one, { verb: 'POST', url, now: clock.now() })
  t.equal((await post(service, '/oauth/token', form, { dpop })).status, 400)
  t.equal((await post(service, '/oauth/token', form)).status, 200)
  clock.advance(11)
  t.equal((await post(service, '/oauth/token', form)).status, 400)
  t.equal((await exchange(service, begun, answered)).status, 400)
  const { access_token: token } = await obtain(service, alice, {})
  t.equal((await post(service, '/oauth/revoke', { client_id: clientId, token })).status, 200)
  const refused = (await begin(service)).location.searchParams.get('key')
  const decision = { key: refused, status: 'REFUSED', username: 'alice' }
  t.notOk((await service.call(undefined, 'authRequest.decide', decision, alice.token)).error)
  const namesOf = async (person: Client): Promise<string[]> => {
    const { events } = await person.do('events.get', { streams: [':_audit:actions'], limit: 1000 })
    const ids: string[] = events.flatMap(({ streamIds }: Answer) => streamIds)
    t.notMatch(JSON.stringify(events), first.slice(-20))
    return [...new Set(ids)]
      .filter(id => /action-oauth\.(?:consent|code|token)\./.test(id))
      .map(id => id.slice(15))
  }
  t.same((await namesOf(alice)).toSorted(), [
    'oauth.code.exchanged',
    'oauth.code.reused',
    'oauth.consent.granted',
    'oauth.consent.refused',
    'oauth.consent.shown',
    'oauth.token.dpop_mismatch',
    'oauth.token.issued.authorization_code',
    'oauth.token.refreshed',
    'oauth.token.reuse_detected',
    'oauth.token.revoked'
  ])
  t.same(await namesOf(robot), ['oauth.token.issued.client_credentials'])
})

t.test('the account of a client needs no second factor if the settings say so', async t => {
  const service = await coffer(t, { ...settings, oauth: { requireAppAccountMfa: false } })
  await (await service.user('robot')).stream('diary')
  t.equal((await ask(service, await assertion(service, one, 'one'))).status, 200)
})
