/** Lookups before registration and of accounts: each route of the registration service over HTTP. */
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Overrides } from '../../../support/coffer.js'

async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, { service: { name: 'Coffer Test' }, ...overrides })
  await service.call(undefined, 'test.noteSignIns', { username: 'alice' })
  await service.alice.do('account.update', { update: { email: 'alice@example.com' } })
  const ask = async (
    verb: string,
    path: string,
    body?: unknown
  ): Promise<{ status: number; body: Answer; headers: Headers }> => await service.http(verb, path, body)
  return { service, url: service.server.services.config.publicUrl, ask }
}

t.test('check_username', async t => {
  const { ask } = await start(t)
  const cases = [
    ['free-name', 200],
    ['a'.repeat(60), 200],
    ['alice', 409],
    ['admin', 409, 'RESERVED_USER_NAME'],
    ['coffertest-too', 409, 'RESERVED_USER_NAME'],
    ['abcd', 400],
    ['a'.repeat(61), 400],
    ['with_underscore', 400],
    ['-dashes', 400],
    ['Upper', 400],
    ['a%20blank', 400],
    ['__proto__', 400]
  ] as const
  for (const path of ['check_username', 'check'])
    for (const [name, status, reason] of cases)
      t.test(`of ${name} by ${path} returns ${status}`, async t => {
        const { body, ...answer } = await ask('GET', `/reg/${name}/${path}`)
        t.equal(answer.status, status)
        t.type(body.meta.serverTime, 'number')
        if (status === 200) t.strictSame(body.reserved, false)
        if (status === 409)
          t.match(body, {
            reserved: true,
            ...(reason ? { reason } : {}),
            error: { id: 'item-already-exists', data: { username: name } }
          })
        if (status === 400)
          t.match(body.error, {
            id: 'invalid-parameters-format',
            data: [{ code: 'username-invalid', param: 'username' }]
          })
      })
})

t.test('check_email', async t => {
  const { ask } = await start(t)

  t.test('reports an available address', async t => {
    t.match(await ask('GET', '/reg/new@example.com/check_email'), {
      status: 200,
      body: { reserved: false, exists: false }
    })
  })

  t.test('reports a taken address, in any letter case', async t => {
    t.match(await ask('GET', '/reg/ALICE@example.com/check_email'), {
      status: 409,
      body: { reserved: true, exists: true, error: { data: { email: 'ALICE@example.com' } } }
    })
  })

  t.test('refuses an address that is too long', async t => {
    const { status, body } = await ask('GET', `/reg/${'a'.repeat(301)}/check_email`)
    t.equal(status, 400)
    t.match(body.error.data, [{ code: 'email-invalid', param: 'email' }])
  })
})

t.test('the legacy checks', async t => {
  t.test('do not exist if users have no host names', async t => {
    const { ask } = await start(t)
    for (const path of ['/reg/username/check', '/reg/email/check'])
      for (const body of [{ username: 'free-name', email: 'a' }, {}])
        t.match(await ask('POST', path, body), { status: 410, body: { error: { id: 'removed-method' } } })
  })

  t.test('return plain text otherwise', async t => {
    const { ask } = await start(t, { domain: 'example.org' })
    const cases = [
      ['/reg/username/check', { username: 'free-name' }, 'true'],
      ['/reg/username/check', { username: 'alice' }, 'false'],
      ['/reg/username/check', { username: 'admin' }, 'false'],
      ['/reg/email/check', { email: 'new@example.com' }, 'true'],
      ['/reg/email/check', { email: 'alice@example.com' }, 'false']
    ] as const
    for (const [path, body, text] of cases) {
      const answer = await ask('POST', path, body)
      t.match(answer, { status: 200, body: text })
      t.match(answer.headers.get('content-type'), 'text/plain')
    }
    t.match(await ask('POST', '/reg/username/check', { username: 'abc' }), { status: 400 })
    t.match(await ask('POST', '/reg/email/check', {}), { status: 400 })
  })
})

t.test('checking an invitation returns plain text', async t => {
  const path = '/reg/access/invitationtoken/check'
  const { service, ask } = await start(t, {
    registration: { invitationTokens: ['first'] },
    throttle: { failures: 3 }
  })
  service.server.services.platform.changeNow('invite', [
    { token: 'abcde', created: 1, createdBy: 'admin', description: '' }
  ])
  for (const [invitationtoken, text] of [
    ['first', 'true'],
    ['abcde', 'true'],
    ['other', 'false']
  ])
    t.match(await ask('POST', path, { invitationtoken }), { status: 200, body: text })
  t.match(await ask('POST', path, { invitationToken: 'abcde' }), { status: 200, body: 'true' })
  t.match(await ask('POST', path, { invitationToken: 'other' }), { status: 200, body: 'false' })
  const missing = { code: 'OBJECT_MISSING_REQUIRED_PROPERTY', path: '#', params: ['invitationToken'] }
  t.match(await ask('POST', path, {}), { status: 400, body: { error: { data: [missing] } } })
  t.match(await ask('POST', path, { invitationToken: 12 }), { status: 400 })
  for (const guess of ['guess', 'again']) await ask('POST', path, { invitationtoken: guess })
  const refused = await ask('POST', path, { invitationtoken: 'first' })
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '2')
})

t.test('an account', async t => {
  const { ask, url } = await start(t)

  t.test('is found by its email address', async t => {
    t.match(await ask('GET', '/reg/Alice@Example.com/username'), { status: 200, body: { username: 'alice' } })
    t.match(await ask('GET', '/reg/alice@example.com/uid'), { status: 200, body: { uid: 'alice' } })
  })

  t.test('is not found by its address if the operator disables that', async t => {
    const { ask: quiet } = await start(t, { registration: { emailLookup: false } })
    for (const address of ['alice@example.com', 'nobody@example.com'])
      for (const path of ['username', 'uid'])
        t.match(await quiet('GET', `/reg/${address}/${path}`), {
          status: 405,
          body: { error: { id: 'unavailable-method' } }
        })
  })

  t.test('is not found by an unknown address', async t => {
    for (const path of ['username', 'uid'])
      t.match(await ask('GET', `/reg/nobody@example.com/${path}`), {
        status: 404,
        body: { error: { id: 'unknown-resource' } }
      })
  })

  t.test('has a server', async t => {
    const answer = await ask('POST', '/reg/ALICE/server', {})
    t.match(answer, {
      status: 200,
      body: { server: `${url}/`, alias: `${url.replace('http://', '')}/alice` }
    })
    const redirect = await ask('GET', '/reg/alice/server')
    t.equal(redirect.status, 302)
    t.equal(redirect.headers.get('location'), `${url}/?username=alice`)
    for (const verb of ['GET', 'POST'])
      t.match(await ask(verb, '/reg/nobody/server', verb === 'POST' ? {} : undefined), {
        status: 404,
        body: { error: { id: 'unknown-resource' } }
      })
  })

  t.test('has a core, whose lookup does not reveal addresses', async t => {
    for (const query of ['username=alice', 'email=alice@example.com', 'email=nobody@example.com'])
      t.match(await ask('GET', `/reg/cores?${query}`), { status: 200, body: { core: { url: `${url}/` } } })
    t.match(await ask('GET', '/reg/cores?username=nobody'), { status: 404 })
    for (const query of ['', '?username=alice&email=a', '?other=1'])
      t.match(await ask('GET', `/reg/cores${query}`), { status: 400 })
  })
})

t.test('hostings contain an available one, and only strings and booleans', async t => {
  const { ask, url } = await start(t)
  const { status, body } = await ask('GET', '/reg/hostings')
  t.equal(status, 200)
  const { meta: _, ...tree } = body
  const hosting = tree.regions.default.zones.default.hostings.default
  t.match(hosting, { url: `${url}/`, name: 'Coffer Test', available: true, availableCore: `${url}/` })
  const leaves = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
  t.ok(leaves(tree).every(leaf => typeof leaf === 'string' || typeof leaf === 'boolean'))
})

t.test('no apps are listed', async t => {
  const { ask } = await start(t)
  t.match(await ask('GET', '/reg/apps'), { status: 200, body: { apps: [] } })
  t.match(await ask('GET', '/reg/apps/some-app'), {
    status: 404,
    body: { error: { id: 'unknown-resource' } }
  })
})

t.test('users can register on each route', async t => {
  const { ask } = await start(t)
  for (const [index, path] of ['/users', '/reg/users', '/reg/user', '/reg/user/'].entries()) {
    const username = `somebody-${index}`
    const { status, body } = await ask('POST', path, {
      username,
      password: 'secret',
      email: username,
      appid: 'test-app',
      language: 'fr'
    })
    t.equal(status, 201, path)
    t.match(body, { username, apiEndpoint: String, meta: {} })
    t.equal('server' in body, path.startsWith('/reg/user') && !path.endsWith('s'))
  }
})
