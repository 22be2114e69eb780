/** What OAuth refuses, without side effects. (docs/api/oauth.md) */
import { createHash } from 'node:crypto'
import t from 'tap'
import { startServer } from '../../../../server/server.js'
import { coffer, methodModules, Service, testSettings, type Answer } from '../../../support/coffer.js'
import {
  agree,
  app,
  apps,
  begin,
  clientId,
  decide,
  exchange,
  obtain,
  post,
  read,
  redirectUri
} from '../../../support/oauth.js'
import { receiver } from '../../../support/receiver.js'

const other = {
  id: 'other-client',
  displayName: 'Other',
  oauth: { redirectURIs: ['https://other.example.com/callback', redirectUri] }
}
const native = {
  id: 'native-client',
  oauth: {
    redirectURIs: ['http://127.0.0.1/callback', 'http://[::1]:7000/callback', 'com.example.diary:/callback']
  }
}
const secret = 'kept by the client alone'
const confidential = {
  id: 'confidential-client',
  oauth: { redirectURIs: [redirectUri], secretHash: createHash('sha256').update(secret).digest('hex') }
}
const narrow = {
  id: 'narrow-client',
  oauth: { redirectURIs: [redirectUri], scopes: ['diary:contribute', 'openid'] }
}

const adminKey = 'the key of the operator'
const live = { error: undefined, events: Array }
const dead = { error: { id: 'invalid-access-token' } }

t.test('codes', async t => {
  const service = await coffer(t, apps(app, other))
  const { alice } = service
  await alice.stream('diary')

  t.test('are valid once: reuse revokes the tokens they were exchanged for', async t => {
    const begun = await begin(service)
    const answered = await agree(service, alice, begun)
    const { body: tokens, status } = await exchange(service, begun, answered)
    t.equal(status, 200)
    t.match(await read(service, 'alice', tokens.access_token), live)
    t.match(await exchange(service, begun, answered), { status: 400, body: { error: 'invalid_grant' } })
    t.match(await read(service, 'alice', tokens.access_token), dead)
  })

  t.test('end accesses of which webhooks are told, when they are used again', async t => {
    const service = await coffer(t, { ...apps(app), webhooks: { allowInternalTargets: true } })
    const { alice } = service
    await alice.stream('diary')
    const begun = await begin(service)
    const answered = await agree(service, alice, begun)
    await exchange(service, begun, answered)
    const watcher = await alice.grant('manage', 'diary', { type: 'app' })
    const target = await receiver(t)
    await watcher.do('webhooks.create', { url: target.url })
    t.match(await exchange(service, begun, answered), { body: { error: 'invalid_grant' } })
    t.same(await target.received(1), [['accessesChanged']])
  })

  t.test('are valid for a minute', async t => {
    const begun = await begin(service)
    const answered = await agree(service, alice, begun)
    service.clock.advance(61)
    t.match(await exchange(service, begun, answered), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('are bound to the client, the redirect URI and the code verifier', async t => {
    for (const fields of [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: 'short' },
      { redirect_uri: 'https://other.example.com/callback' },
      { redirect_uri: `${redirectUri}/` }
    ]) {
      const begun = await begin(service)
      const answered = await agree(service, alice, begun)
      t.match(await exchange(service, begun, answered, fields), {
        status: 400,
        body: { error: 'invalid_grant' }
      })
      t.match(
        await exchange(service, begun, answered),
        { status: 400, body: { error: 'invalid_grant' } },
        'there is no second attempt'
      )
    }
    const begun = await begin(service)
    const answered = await agree(service, alice, begun)
    t.match(await exchange(service, begun, answered, { client_id: 'other-client' }), {
      status: 400,
      body: { error: 'invalid_grant' }
    })
    t.match(await exchange(service, begun, answered), { status: 200 }, 'another client cannot spend it')
    t.match(await exchange(service, begun, answered, { code_verifier: undefined }), {
      body: { error: 'invalid_request' }
    })
  })

  t.test('cannot be exchanged with the verifier of another request', async t => {
    const [mine, theirs] = [await begin(service), await begin(service, { state: 'of somebody else' })]
    const answered = await agree(service, alice, theirs)
    t.match(await exchange(service, mine, answered), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('are not returned by polling, nor is the token', async t => {
    const begun = await begin(service)
    await agree(service, alice, begun)
    const key = begun.location.searchParams.get('key')
    const { body } = await service.http('GET', `/reg/access/${key}`)
    t.match(body, { status: 'DELIVERED' })
    t.notMatch(JSON.stringify(body), /token|alice|apiEndpoint/)
  })

  t.test('are stored as digests, like all credentials', async t => {
    const tokens = await obtain(service, alice, { scope: 'diary:read offline_access' })
    const { body: refreshed } = await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token
    })
    const begun = await begin(service)
    const code = (await agree(service, alice, begun)).searchParams.get('code')!
    const { readdirSync, readFileSync } = await import('node:fs')
    const { join } = await import('node:path')
    const files = readdirSync(service.directory, { recursive: true, encoding: 'utf8' }).filter(name =>
      /sqlite/.test(name)
    )
    const bytes = Buffer.concat(files.map(name => readFileSync(join(service.directory, name))))
    t.ok(bytes.includes('oauth_grant'))
    const secrets = [code, tokens.refresh_token, refreshed.refresh_token].flatMap((text: string) =>
      text.split(/[.~]/).slice(1)
    )
    for (const text of secrets) t.notOk(bytes.includes(text))
  })
})

t.test('requests', async t => {
  const service = await coffer(t, apps(app, native, narrow))
  const { alice } = service

  t.test('without PKCE, or with a weaker form of it, return an error to the client', async t => {
    for (const params of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { code_challenge: 'too short' },
      { code_challenge: `${'x'.repeat(42)}=` }
    ]) {
      const { location, status } = await begin(service, params)
      t.equal(status, 303)
      t.equal(location.origin + location.pathname, redirectUri)
      t.match(Object.fromEntries(location.searchParams), {
        error: 'invalid_request',
        state: 'a-state',
        iss: service.server.url
      })
    }
  })

  t.test('never redirect to an unregistered URI', async t => {
    for (const uri of [
      'https://diary.example.com/callback/',
      'https://diary.example.com/callback/more',
      'https://diary.example.com/callback?x=1',
      'https://diary.example.com/callback#x',
      'https://diary.example.com/',
      'https://diary.example.com/%63allback',
      'https://diary.example.com:444/callback',
      'https://diary.example.com:443/callback',
      'http://diary.example.com/callback',
      'https://evil.example.com/callback',
      'https://diary.example.com@evil.example.com/callback',
      'https://diary.example.com.evil.example.com/callback',
      'https://user@diary.example.com/callback',
      'https://DIARY.example.com/callback',
      'https://diary.example.com\\@evil.example.com/callback',
      '//diary.example.com/callback',
      'javascript:alert(1)',
      ' https://diary.example.com/callback',
      'https://diary.example.com/callback\r\nSet-Cookie: a=b',
      ''
    ]) {
      const { body, location, status } = await begin(service, { redirect_uri: uri })
      t.equal(location.protocol, 'none:', uri)
      t.match(
        { body, status },
        { status: 400, body: { error: 'invalid_request', error_description: String } },
        uri
      )
    }
    t.match(await begin(service, { client_id: 'nobody-knows' }), { status: 400 })
    t.match(await begin(service, { client_id: undefined }), { status: 400 })
  })

  t.test('may use any port of a registered loopback URI, but no similar URI', async t => {
    for (const uri of [
      'http://127.0.0.1/callback',
      'http://127.0.0.1:51234/callback',
      'http://[::1]:1/callback',
      'com.example.diary:/callback'
    ])
      t.equal((await begin(service, { client_id: 'native-client', redirect_uri: uri })).status, 303, uri)
    for (const uri of [
      'http://127.0.0.1:51234/other',
      'http://127.0.0.1:51234/callback?x',
      'http://127.0.0.1:51234@evil.example.com/callback',
      'http://127.0.0.1:5@evil.example.com/callback',
      'http://127.0.0.1.evil.example.com/callback',
      'http://127.0.0.1:512345/callback',
      'https://127.0.0.1:51234/callback',
      'http://127.0.0.2:51234/callback',
      'http://localhost:51234/callback',
      'com.example.diary://callback',
      'com.example.other:/callback'
    ])
      t.equal((await begin(service, { client_id: 'native-client', redirect_uri: uri })).status, 400, uri)
  })

  t.test('with unsupported parameters are refused', async t => {
    for (const [params, error] of [
      [{ request: 'x.y.z' }, 'request_not_supported'],
      [{ request_uri: 'https://evil.example.com/request' }, 'request_uri_not_supported'],
      [{ registration: '{}' }, 'registration_not_supported'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'code id_token' }, 'unsupported_response_type'],
      [{ response_type: undefined }, 'unsupported_response_type'],
      [{ response_mode: 'form_post' }, 'invalid_request'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ prompt: 'none' }, 'login_required'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ prompt: 'whatever' }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ expire_after: '0' }, 'invalid_request'],
      [{ resource: 'https://elsewhere.example.com/' }, 'invalid_target'],
      [{ scope: '' }, 'invalid_scope'],
      [{ scope: 'diary:write' }, 'invalid_scope'],
      [{ scope: 'diary:read diary:manage' }, 'invalid_scope'],
      [{ scope: 'diary:read:%' }, 'invalid_scope'],
      [{ scope: 'a:read:b:c' }, 'invalid_scope'],
      [{ scope: 'admin' }, 'invalid_scope']
    ] as const) {
      const { location } = await begin(service, params)
      t.equal(location.searchParams.get('error'), error, JSON.stringify(params))
      t.equal(location.origin + location.pathname, redirectUri)
    }
  })

  t.test('for scopes beyond those of the client are refused', async t => {
    for (const scope of [
      'diary:read',
      'diary:contribute',
      'diary:create-only',
      'openid',
      'diary:read selfRevoke=forbidden'
    ])
      t.equal(
        (await begin(service, { client_id: 'narrow-client', scope })).location.searchParams.get('error'),
        null,
        scope
      )
    for (const scope of ['diary:manage', 'other:read', '*:read', 'openid email', 'diary:read offline_access'])
      t.equal(
        (await begin(service, { client_id: 'narrow-client', scope })).location.searchParams.get('error'),
        'invalid_scope',
        scope
      )
  })

  t.test('are limited in size and number', async t => {
    const { body, status } = await post(service, '/oauth/authorize', {
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'x'.repeat(1_000_000)
    })
    t.match({ body, status }, { status: 400, body: { error: 'invalid_request' } })
    const many = Array.from({ length: 1001 }, (_, index) => `s${index}:read`).join(' ')
    const answer = await post(service, '/oauth/authorize', {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: many,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256'
    })
    t.match(answer.headers.get('location'), /error=invalid_scope/)
    for (const name of ['state', 'nonce', 'login_hint', 'device_name']) {
      const { location } = await begin(service, { [name]: 'x'.repeat(2001) })
      t.equal(location.searchParams.get('error'), 'invalid_request', name)
      t.ok(location.href.length < 1000)
    }
  })

  t.test('with repeated parameters are refused, as these are ambiguous', async t => {
    const { params } = await begin(service)
    const query = new URLSearchParams(params).toString()
    const ask = async (more: string): Promise<{ status: number; location: string }> => {
      const { headers, status } = await service.http('GET', `/oauth/authorize?${query}&${more}`)
      return { status, location: headers.get('location') ?? '' }
    }
    t.match(await ask('scope=*:manage'), { status: 303, location: /^https:\/\/diary.*error=invalid_request/ })
    t.match(await ask('redirect_uri=https://evil.example.com/'), { status: 400, location: '' })
    t.match(await ask('client_id=other'), { status: 400, location: '' })
  })

  t.test('cannot be accepted with an access that was granted for another one', async t => {
    const { access } = await alice.do('accesses.create', { type: 'app', name: clientId, permissions: [] })
    const begun = await begin(service)
    const key = begun.location.searchParams.get('key')!
    t.match(await decide(service, alice, key, access.token), { error: { id: 'forbidden' } })
    t.match(await service.call(undefined, 'authRequest.poll', { key }), { status: 'NEED_SIGNIN' })
    await alice.do('accesses.delete', { id: access.id })
  })

  t.test('cannot be forged by an app authorisation request', async t => {
    const asked = await service.call(undefined, 'authRequest.create', {
      requestingAppId: clientId,
      requestedPermissions: [],
      clientData: { 'coffer:oauth': { clientId, scopes: ['email', 'openid'] } }
    })
    t.match(asked, { error: { id: 'invalid-operation' } })
  })

  t.test('for one account cannot be accepted by another user', async t => {
    const bertha = await service.user('bertha')
    const begun = await begin(service, { resource: `${service.server.url}/alice/mcp` })
    t.equal(begun.location.searchParams.get('username'), 'alice')
    await t.rejects(agree(service, bertha, begun), /forbidden/)
    t.ok((await agree(service, alice, begun)).searchParams.get('code'))
  })

  t.test('that require a new sign-in need a recent session', async t => {
    service.clock.advance(10_000)
    for (const params of [{ prompt: 'login' }, { max_age: '60' }, { prompt: 'select_account' }]) {
      const begun = await begin(service, params)
      await t.rejects(agree(service, alice, begun), /sign in again/, JSON.stringify(params))
    }
    t.ok((await agree(service, alice, await begin(service, { max_age: '20000' }))).searchParams.get('code'))
  })

  t.test('that the user denies redirect with an error', async t => {
    const { location } = await begin(service)
    const key = location.searchParams.get('key')
    const { redirect } = await service.call(undefined, 'authRequest.decide', { key, status: 'REFUSED' })
    t.match(Object.fromEntries(new URL(redirect).searchParams), {
      error: 'access_denied',
      state: 'a-state',
      iss: service.server.url
    })
  })
})

t.test('tokens', async t => {
  const service = await coffer(t, { ...apps(app, other, confidential), adminKey })
  const { alice } = service
  await alice.stream('diary')
  const scope = 'diary:read offline_access'
  const refresh = async (token: string, fields: Record<string, string> = {}): Promise<Answer> =>
    await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: token,
      ...fields
    })

  t.test('for refreshing are valid once: later reuse revokes the access', async t => {
    const first = await obtain(service, alice, { scope })
    const second = await refresh(first.refresh_token)
    t.match(second, { status: 200, body: { access_token: first.access_token } })
    t.match(await read(service, 'alice', first.access_token), live)
    service.clock.advance(10.001)
    t.match(await refresh(first.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
    t.match(await read(service, 'alice', first.access_token), dead)
    t.match(await refresh(second.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('for refreshing return the same response when reused within ten seconds', async t => {
    const { access_token: token, refresh_token: first } = await obtain(service, alice, { scope })
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(first)))
    const [{ body: second }] = answers
    t.match(second, { access_token: token, refresh_token: String })
    t.not(second.refresh_token, first)
    for (const { body, status } of answers) t.match({ body, status }, { body: second, status: 200 })
    const expires = async (): Promise<number> =>
      (await post(service, '/oauth/introspect', { client_id: clientId, token })).body.exp
    const end = await expires()
    service.clock.advance(9.999)
    t.match(await refresh(first), {
      status: 200,
      body: { access_token: token, refresh_token: second.refresh_token }
    })
    t.equal(await expires(), end, 'the access is prolonged once')
    for (const [fields, error] of [
      [{ scope: 'diary:manage offline_access' }, 'invalid_scope'],
      [{ client_id: 'other-client' }, 'invalid_grant']
    ] as const)
      t.match(await refresh(first, fields), { status: 400, body: { error } }, error)
    t.match(await refresh(second.refresh_token), { status: 200 }, 'the next one is good')
  })

  t.test('for refreshing return the current successor, even after several refreshes', async t => {
    const { access_token: token, refresh_token: first } = await obtain(service, alice, { scope })
    const { refresh_token: second } = (await refresh(first)).body
    service.clock.advance(6)
    const { refresh_token: third } = (await refresh(second)).body
    t.match(await refresh(first), { status: 200, body: { access_token: token, refresh_token: third } })
    t.match(await refresh(second), { status: 200, body: { refresh_token: third } })
    service.clock.advance(5)
    t.match(await refresh(second), { status: 200, body: { refresh_token: third } })
    t.match(await refresh(first), { status: 400, body: { error: 'invalid_grant' } })
    t.match(await read(service, 'alice', token), dead)
  })

  t.test('for refreshing do not become valid again if the clock is set back', async t => {
    const person = await service.user('tove-with-app')
    const { access_token: token, refresh_token: first } = await obtain(service, person, { scope })
    service.clock.advance(5000)
    const { refresh_token: second } = (await refresh(first)).body
    service.clock.advance(-1)
    t.match(await refresh(first), { status: 200, body: { refresh_token: second } }, 'by a little')
    service.clock.advance(-3000)
    const { refresh_token: third } = (await refresh(second)).body
    service.clock.advance(3001)
    const { refresh_token: fourth } = (await refresh(third)).body
    t.match(await refresh(third), { status: 200, body: { refresh_token: fourth } })
    t.match(await refresh(first), { status: 400, body: { error: 'invalid_grant' } }, 'not even later')
    t.match(await read(service, person.username, token), dead)

    const other = await obtain(service, await service.user('tuva-with-app'), { scope })
    await refresh(other.refresh_token)
    service.clock.advance(-3000)
    t.match(await refresh(other.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
    service.clock.advance(3000)
    t.match(await read(service, 'tuva-with-app', other.access_token), dead)
  })

  t.test('for refreshing return the same response after a restart', async t => {
    const { clock, directory, server } = await coffer(t, apps(app))
    const before = new Service(server, clock, directory)
    const person = await before.user('signe')
    const { refresh_token: first } = await obtain(before, person, { scope })
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: first }
    const { refresh_token: second } = (await post(before, '/oauth/token', fields)).body
    await server.close()
    const restarted = await startServer(testSettings(directory, apps(app)), { clock, methodModules })
    t.teardown(() => restarted.close())
    const after = new Service(restarted, clock, directory)
    t.match(await post(after, '/oauth/token', fields), { status: 200, body: { refresh_token: second } })
    clock.advance(10.001)
    t.match(await post(after, '/oauth/token', fields), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('for refreshing revoke the access, even if they have just been replaced', async t => {
    const person = await service.user('ronja-with-app')
    const { refresh_token: first } = await obtain(service, person, { scope })
    const { access_token: token } = (await refresh(first)).body
    await post(service, '/oauth/revoke', { client_id: clientId, token: first })
    t.match(await read(service, person.username, token), dead, 'a client that has lost the answer can end it')
    t.match(await refresh(first), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('for refreshing are bound to their client, and expire', async t => {
    const { refresh_token: token } = await obtain(service, alice, { scope })
    t.match(await refresh(token, { client_id: 'other-client' }), {
      status: 400,
      body: { error: 'invalid_grant' }
    })
    service.clock.advance(7_776_001)
    t.match(await refresh(token), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('keep their scope', async t => {
    const signedIn = await service.user('clara')
    const tokens = await obtain(service, signedIn, { scope: 'diary:contribute notes:read offline_access' })
    for (const narrower of [
      'diary:contribute offline_access',
      'diary:read notes:read offline_access',
      '*:read',
      'x'
    ])
      t.match(
        await refresh(
          (await obtain(service, signedIn, { scope: 'diary:contribute notes:read offline_access' }))
            .refresh_token,
          {
            scope: narrower
          }
        ),
        { status: 400, body: { error: 'invalid_scope' } },
        narrower
      )
    t.match(await refresh(tokens.refresh_token, { scope: 'offline_access notes:read diary:contribute' }), {
      status: 200
    })
  })

  t.test('end with the access, and revoking them ends the access', async t => {
    const person = await service.user('dora-with-app')
    const tokens = await obtain(service, person, { scope })
    const { accesses } = await person.do('accesses.get')
    const [held] = accesses.filter(({ type }: Answer) => type === 'app')
    t.match(held.oauth, { clientId, clientName: 'Diary', granted: Number, renewableUntil: Number })
    await person.do('accesses.delete', { id: held.id })
    t.match(await refresh(tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
    const again = await obtain(service, person, { scope })
    await post(service, '/oauth/revoke', { client_id: clientId, token: again.refresh_token })
    t.match(await read(service, person.username, again.access_token), dead)
  })

  t.test('reveal nothing to other clients, which cannot revoke them', async t => {
    const person = await service.user('emma-with-app')
    const { access_token: token } = await obtain(service, person, { scope })
    t.same((await post(service, '/oauth/introspect', { client_id: 'other-client', token })).body, {
      active: false
    })
    t.match(await post(service, '/oauth/revoke', { client_id: 'other-client', token }), {
      status: 400,
      body: { error: 'unauthorized_client' }
    })
    t.match(await read(service, person.username, token), live)
    for (const client_id of [undefined, 'nobody-knows', 'confidential-client'])
      t.match(await post(service, '/oauth/introspect', { client_id, token }), {
        status: 401,
        body: { error: 'invalid_client' }
      })
  })

  t.test('of a suspended account are refused', async t => {
    const person = await service.user('fanny-with-app')
    const tokens = await obtain(service, person, { scope: `openid ${scope}` })
    const begun = await begin(service)
    const answered = await agree(service, person, begun)
    await service.call(undefined, 'system.suspendUser', { username: person.username }, adminKey)
    t.match(await exchange(service, begun, answered), { status: 400, body: { error: 'invalid_grant' } })
    t.match(await refresh(tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
    t.same(
      (await post(service, '/oauth/introspect', { client_id: clientId, token: tokens.access_token })).body,
      {
        active: false
      }
    )
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    t.match(await service.http('GET', '/oauth/userinfo', undefined, headers), {
      status: 401,
      body: { error: 'invalid_token' }
    })
    const given = { client_id: clientId, token: tokens.access_token }
    t.match(
      await post(service, '/oauth/revoke', given),
      { status: 403, body: { error: 'access_denied' } },
      'they cannot be given back, and nobody is told that they are'
    )
  })

  t.test('leave an audit trail', async t => {
    const person = await service.user('greta-with-app')
    const tokens = await obtain(service, person, { scope })
    await refresh(tokens.refresh_token)
    const { accesses } = await person.do('accesses.get')
    const [{ id }] = accesses.filter(({ type }: Answer) => type === 'app')
    const { auditLogs } = await person.do('audit.get', { accessId: id })
    const actions = auditLogs.map(({ action }: Answer) => action)
    t.equal(
      actions.filter((action: string) => action === 'POST /oauth/token').length,
      2,
      JSON.stringify(actions)
    )
    t.notMatch(JSON.stringify(auditLogs), tokens.refresh_token.slice(-20))
  })
})

t.test('the endpoints', async t => {
  const service = await coffer(t, {
    ...apps(app, confidential),
    throttle: { failures: 3, invalidTokens: 50 }
  })

  t.test('accept forms without repeated parameters, and return OAuth errors', async t => {
    const json = await service.http('POST', '/oauth/token', { grant_type: 'authorization_code' })
    t.match(json, { status: 400, body: { error: 'invalid_request', error_description: String } })
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      const answer = await service.http('POST', path, 'client_id=a&client_id=b&token=x', {
        'content-type': 'application/x-www-form-urlencoded'
      })
      t.match(answer, { status: 400, body: { error: 'invalid_request' } }, path)
      t.equal(answer.headers.get('cache-control'), 'no-store')
      t.match(await post(service, path, {}), { status: 401, body: { error: 'invalid_client' } })
    }
    t.match(
      await service.http('POST', '/oauth/token', 'a=%', {
        'content-type': 'application/x-www-form-urlencoded'
      }),
      {
        status: 400,
        body: { error: 'invalid_request' }
      }
    )
    t.match(await post(service, '/oauth/token', { client_id: clientId }), {
      status: 400,
      body: { error: 'invalid_request' }
    })
    t.match(await post(service, '/oauth/token', { client_id: clientId, grant_type: 'password' }), {
      body: { error: 'unsupported_grant_type' }
    })
    t.match(await post(service, '/oauth/token', { client_id: clientId, grant_type: 'client_credentials' }), {
      status: 400,
      body: { error: 'unauthorized_client' }
    })
    t.match(await service.http('GET', '/oauth/nothing'), { status: 404, body: { error: 'invalid_request' } })
    t.match(await service.http('POST', '/oauth/register', { redirect_uris: ['https://a.example/'] }), {
      status: 451
    })
  })

  t.test('allow cross-origin requests', async t => {
    const origin = { origin: 'https://app.example.com' }
    for (const path of [
      '/.well-known/openid-configuration',
      '/oauth/jwks',
      '/.well-known/oauth-authorization-server'
    ]) {
      const { headers, status } = await service.http('GET', path, undefined, origin)
      t.equal(status, 200)
      t.equal(headers.get('access-control-allow-origin'), 'https://app.example.com')
    }
    const { headers } = await service.http('OPTIONS', '/oauth/token', undefined, {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type'
    })
    t.match(headers.get('access-control-allow-headers'), /authorization/)
  })

  t.test('throttle guesses at client secrets', async t => {
    const guess = async (client_secret: string): Promise<number> =>
      (
        await post(service, '/oauth/introspect', {
          client_id: 'confidential-client',
          client_secret,
          token: 'x'
        })
      ).status
    for (let count = 0; count < 3; count++) t.equal(await guess(`guess ${count}`), 401)
    t.equal(await guess(secret), 429, 'even the right one has to wait')
    service.clock.advance(3600)
    t.equal(await guess(secret), 200)
  })

  t.test('refuse two kinds of client authentication in one request', async t => {
    const authorization = `Basic ${Buffer.from(`confidential-client:${encodeURIComponent(secret)}`).toString('base64')}`
    const ask = async (form: Record<string, string>): Promise<Answer> =>
      await post(service, '/oauth/introspect', { token: 'x', ...form }, { authorization })
    t.match(await ask({}), { status: 200, body: { active: false } })
    t.match(await ask({ client_secret: secret }), { status: 400, body: { error: 'invalid_request' } })
    t.match(await ask({ client_id: clientId }), { status: 400, body: { error: 'invalid_request' } })
  })

  t.test('throttle guesses at tokens', async t => {
    let status = 200
    for (let count = 0; count < 60 && status === 200; count++)
      status = (
        await post(service, '/oauth/introspect', { client_id: clientId, token: `alice.guess${count}` })
      ).status
    t.equal(status, 429)
  })
})
