/** Malicious providers, networks and clients: they cannot sign in, and users see what is wrong. */
import t, { type Test } from 'tap'
import { coffer, type Answer, type Overrides, type Service } from '../../support/coffer.js'
import { forgingProvider, type ForgingProvider } from '../../support/forging-provider.js'
import { rotate } from '../../support/rotation.js'
import { arrivalAt, SignInVisitor } from '../../support/sign-in-visitor.js'

async function forged(
  t: Test,
  setting: object = {},
  { auth, ...others }: Overrides = {}
): Promise<{ provider: ForgingProvider; service: Service; visitor: SignInVisitor }> {
  const provider = await forgingProvider(t)
  const service = await coffer(t, { ...others, auth: { ...auth, oidc: [provider.setting(setting)] } })
  return { provider, service, visitor: new SignInVisitor(service) }
}

/** Creates `robin`, who signs in by the provider. */
async function linked(visitor: SignInVisitor): Promise<void> {
  const { ticket } = await visitor.go()
  const { error } = await visitor.register('robin', ticket)
  if (error) throw new Error(JSON.stringify(error))
}

t.test('id tokens', async t => {
  const { provider, visitor } = await forged(t)
  await linked(visitor)
  const now = Date.now() / 1000
  const reset = (): void => {
    provider.claims = {}
    provider.alg = 'RS256'
    provider.signer = provider.key
  }
  const wrong: Record<string, () => void> = {
    'signed by nobody': () => (provider.alg = 'none'),
    'signed with another key': () => (provider.signer = provider.other),
    'for another client': () => (provider.claims = { aud: 'another-app' }),
    'for several clients, of which another one asked': () =>
      (provider.claims = { aud: ['coffer', 'another-app'], azp: 'another-app' }),
    'of another issuer': () => (provider.claims = { iss: 'https://elsewhere.example' }),
    expired: () => (provider.claims = { iat: now - 9000, exp: now - 8000 }),
    'with another nonce': () => (provider.claims = { nonce: 'of an earlier sign-in' }),
    'without a nonce': () => (provider.claims = { nonce: undefined }),
    'without a subject': () => (provider.claims = { sub: undefined }),
    'with an empty subject': () => (provider.claims = { sub: '' }),
    'with a subject that is a number': () => (provider.claims = { sub: 12 }),
    'with a subject longer than the standard allows': () => (provider.claims = { sub: 'x'.repeat(256) }),
    'with a subject of a megabyte': () => (provider.claims = { sub: 'x'.repeat(1024 * 1024) })
  }
  for (const [what, change] of Object.entries(wrong))
    await t.test(`${what} are refused`, async t => {
      change()
      const { problem, ticket } = await visitor.go()
      t.match(problem, /^(?:invalid|unreachable)$/)
      t.equal(ticket, undefined)
      reset()
      t.ok((await visitor.go()).ticket, 'and right ones do')
    })
})

t.test('a provider that replaces its key right after the former one was read', async t => {
  const { provider, visitor } = await forged(t)
  t.ok((await visitor.go()).ticket)
  provider.kid = 'two'
  t.equal((await visitor.go()).problem, 'invalid')
  t.ok((await visitor.go()).ticket, 'the next sign-in reads the new key')
  const count = provider.asked.length
  t.ok((await visitor.go()).ticket)
  t.same(provider.asked.slice(count), ['/authorize', '/token'], 'which is kept')
})

t.test('a code', async t => {
  await t.test('is exchanged with the verifier that matches the challenge', async t => {
    const { createHash } = await import('node:crypto')
    const { provider, visitor } = await forged(t)
    await visitor.go()
    const [exchange] = provider.exchanged
    const verifier = exchange?.get('code_verifier') ?? ''
    t.ok(verifier.length >= 43)
    t.equal(provider.authorization.get('code_challenge_method'), 'S256')
    t.equal(
      createHash('sha256').update(verifier).digest('base64url'),
      provider.authorization.get('code_challenge')
    )
    t.notMatch(provider.authorization.toString(), verifier)
  })

  await t.test('is not exchanged twice', async t => {
    const { provider, visitor } = await forged(t)
    const callback = await visitor.toCallback()
    t.ok(arrivalAt(await visitor.follow(callback)).ticket)
    const replayed = arrivalAt(await visitor.follow(callback))
    t.same([replayed.problem, replayed.ticket], ['expired', undefined])
    t.equal(provider.exchanged.length, 1)
  })

  await t.test('of another browser is not exchanged', async t => {
    const { provider, service, visitor } = await forged(t)
    const victim = new SignInVisitor(service)
    await victim.get(victim.startUrl())
    const callback = await visitor.toCallback()
    for (const browser of [victim, new SignInVisitor(service)]) {
      const { problem, ticket } = arrivalAt(await browser.follow(callback))
      t.same([problem, ticket], ['expired', undefined])
    }
    t.equal(provider.exchanged.length, 0)
  })

  await t.test('is refused after ten minutes', async t => {
    const { provider, service, visitor } = await forged(t)
    const callback = await visitor.toCallback()
    service.clock.advance(601)
    t.equal(arrivalAt(await visitor.follow(callback)).problem, 'expired')
    t.equal(provider.exchanged.length, 0)
  })

  await t.test('without a state, with an invalid one, or with two is refused', async t => {
    const { provider, visitor } = await forged(t)
    const callback = new URL(await visitor.toCallback())
    for (const change of [
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.set('state', 'made-up')
    ]) {
      const url = new URL(callback)
      change(url)
      t.equal(arrivalAt(await visitor.follow(url.href)).problem, 'expired')
    }
    callback.searchParams.append('state', 'another')
    t.equal(arrivalAt(await visitor.follow(callback.href)).problem, 'invalid')
    t.equal(provider.exchanged.length, 0)
  })
})

t.test('a mix-up of providers', async t => {
  const [honest, evil] = [await forgingProvider(t), await forgingProvider(t)]
  const service = await coffer(t, {
    auth: { oidc: [honest.setting(), evil.setting({ name: 'evil' })] }
  })
  const visitor = new SignInVisitor(service)
  const nothing = (t: Test, arrival: { problem: string | undefined; ticket: string | undefined }): void => {
    t.match(arrival.problem, /^(?:expired|invalid)$/)
    t.equal(arrival.ticket, undefined)
    t.same([honest.exchanged.length, evil.exchanged.length], [0, 0], 'nobody got the code')
  }

  await t.test('sends no code of one provider to the other if the callback names the other', async t => {
    const callback = new URL(await visitor.toCallback('work'))
    const url = callback.href.replace('/work/', '/evil/')
    nothing(t, arrivalAt(await visitor.follow(url)))
  })

  await t.test(
    'sends no code if the malicious provider responds in the name of the honest one, or without any',
    async t => {
      for (const iss of [honest.issuer, null, '']) {
        evil.told = { iss, code: 'of-the-honest-one' }
        nothing(t, await visitor.go('evil'))
      }
    }
  )

  await t.test('sends no code if the malicious provider redirects users to the honest one', async t => {
    evil.told = {}
    evil.metadata = { authorization_endpoint: `${honest.issuer}/authorize` }
    service.clock.advance(3601)
    // The callback URL is the malicious provider's, with the honest one's issuer.
    nothing(t, await visitor.go('evil'))
  })

  await t.test('is refused if the metadata names another issuer', async t => {
    evil.metadata = { issuer: honest.issuer }
    service.clock.advance(3601)
    nothing(t, await visitor.go('evil'))
  })
})

t.test('a provider', async t => {
  const told: Record<string, [kind: string, change: (provider: ForgingProvider) => void]> = {
    'that answers ten megabytes': [
      'unreachable',
      ({ answers }) =>
        answers.set('/token', response => {
          response.on('error', () => undefined)
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(`{"a":"${'x'.repeat(10 * 1024 * 1024)}"}`)
        })
    ],
    'that never answers': ['unreachable', ({ answers }) => answers.set('/token', () => undefined)],
    'that sends us elsewhere': [
      'invalid',
      ({ answers, issuer }) =>
        answers.set(
          '/token',
          response => void response.writeHead(302, { location: `${issuer}/elsewhere` }).end()
        )
    ],
    'that fails': [
      'unreachable',
      ({ answers }) => answers.set('/token', response => void response.writeHead(500).end())
    ],
    'that answers no JSON': [
      'invalid',
      ({ answers }) => answers.set('/token', response => void response.end('<!doctype html>'))
    ],
    'that does not know the code': [
      'invalid',
      ({ answers }) =>
        answers.set('/token', response => {
          response.writeHead(400, { 'content-type': 'application/json' })
          response.end('{"error":"invalid_grant"}')
        })
    ],
    'that is said no at': [
      'refused',
      provider => void (provider.told = { code: null, error: 'access_denied' })
    ],
    'that cannot at the moment': [
      'unreachable',
      provider => void (provider.told = { code: null, error: 'temporarily_unavailable' })
    ],
    'that answers an error nobody knows': [
      'invalid',
      provider =>
        void (provider.told = { code: null, error: '<script>', error_description: 'x'.repeat(4000) })
    ]
  }
  for (const [what, [kind, change]] of rotate(t, Object.entries(told), 2))
    await t.test(`${what} is reported as ${kind}, and works afterwards`, async t => {
      const { provider, service, visitor } = await forged(t, {}, { auth: { oidcTimeoutMs: 400 } })
      change(provider)
      const { page, problem, ticket } = await visitor.go('work', 'access/access.html?lang=fr')
      t.same([problem, ticket], [kind, undefined])
      t.equal(page.href, `${service.server.url}/access/access.html?lang=fr`)
      t.notOk(provider.asked.includes('/elsewhere'))
      provider.told = {}
      provider.answers.clear()
      t.ok((await visitor.go()).ticket)
    })

  await t.test('whose metadata is unavailable is reported as unreachable, and asked again', async t => {
    const { provider, visitor } = await forged(t, {}, { auth: { oidcTimeoutMs: 400 } })
    const path = '/.well-known/openid-configuration'
    for (const answer of [
      (response: Answer) => response.writeHead(503).end(),
      () => undefined,
      (response: Answer) => response.writeHead(200).end(`{"issuer":"${'x'.repeat(2 * 1024 * 1024)}"}`)
    ]) {
      provider.answers.set(path, answer)
      t.equal((await visitor.go()).problem, 'unreachable')
    }
    provider.answers.clear()
    t.ok((await visitor.go()).ticket)
    const count = provider.asked.filter(asked => asked === path).length
    await visitor.go()
    t.equal(provider.asked.filter(asked => asked === path).length, count, 'and not again within the hour')
  })

  await t.test('at an internal address is called only if the settings allow it', async t => {
    const service = await coffer(t, {
      auth: {
        oidc: [{ name: 'work', issuer: 'https://10.255.255.1', clientId: 'coffer' }],
        oidcTimeoutMs: 400
      }
    })
    t.equal((await new SignInVisitor(service).go()).problem, 'unreachable')
  })
})

t.test('groups', async t => {
  const { provider, service, visitor } = await forged(t, {
    allowedGroups: ['staff', 'friends'],
    groupsClaim: 'roles'
  })
  const may: unknown[] = [['staff'], ['other', 'friends'], 'staff', [null, 1, 'staff']]
  const mayNot: unknown[] = [
    undefined,
    null,
    [],
    ['other'],
    'staff,friends',
    ['STAFF'],
    [['staff']],
    { staff: true },
    { 0: 'staff', length: 1 },
    true,
    Array.from({ length: 20_000 }, (_, index) => (index === 15_000 ? 'staff' : 'other'))
  ]
  for (const roles of may) {
    provider.claims = { roles }
    t.ok((await visitor.go()).ticket, JSON.stringify(roles))
  }
  for (const roles of mayNot) {
    provider.claims = { roles }
    t.equal((await visitor.go()).problem, 'group', JSON.stringify(roles)?.slice(0, 50))
  }
  await t.test('are checked at every sign-in', async t => {
    provider.claims = { roles: ['staff'] }
    await linked(visitor)
    t.ok((await visitor.signIn('robin', (await visitor.go()).ticket)).token)
    provider.claims = { roles: ['former staff'] }
    t.equal((await visitor.go()).problem, 'group')
  })
  await t.test('may come from userinfo instead of the id token', async t => {
    provider.claims = {}
    provider.userinfo = { sub: 'robin', roles: ['staff'] }
    service.clock.advance(3601)
    t.ok((await visitor.go()).ticket)
    provider.userinfo = { sub: 'somebody-else', roles: ['staff'] }
    t.equal((await visitor.go()).problem, 'invalid')
  })
})

t.test('invalid claims are ignored', async t => {
  const { provider, visitor } = await forged(t)
  const odd: Record<string, unknown>[] = [
    { email: 12, preferred_username: {} },
    { email: 'x'.repeat(100_000), preferred_username: '\u0000\u202e' },
    { email: ['robin@example.com'], email_verified: 'true' },
    { email: 'a@b\r\nBcc: everybody@example.com' },
    { preferred_username: '-'.repeat(100_000) },
    { amr: 'mfa', acr: ['2'] },
    JSON.parse('{"__proto__": {"email": "x@example.com"}, "constructor": 1}') as Record<string, unknown>
  ]
  for (const claims of odd) {
    provider.claims = claims
    const { ticket } = await visitor.go()
    const { registration } = await visitor.lookUp(ticket)
    t.same(registration, { isOpen: false, isEmailTaken: false }, JSON.stringify(claims).slice(0, 60))
  }
  // Storage would treat several of them as the same.
  for (const sub of ['robin\ud83d', '\udc00', '', 'x'.repeat(256)]) {
    provider.claims = { sub }
    t.equal((await visitor.go()).problem, 'invalid', JSON.stringify(sub).slice(0, 60))
  }
})

t.test('return pages are restricted', async t => {
  const { service, visitor } = await forged(t)
  const { url } = service.server
  for (const page of [
    'https://evil.example/access/',
    '//evil.example/access/',
    '\\\\evil.example',
    'access/../../evil',
    'robin/auth/login',
    'auth/oidc/work/callback?code=x',
    'access',
    'javascript:alert(1)',
    '@evil.example/access/',
    `access/${'x'.repeat(2000)}`,
    ''
  ]) {
    const response = await visitor.get(visitor.startUrl('work', page))
    t.equal(response.status, 400, page.slice(0, 40))
    const { error } = (await response.json()) as Answer
    t.equal(error.id, 'invalid-parameters-format')
  }
  for (const page of ['access/access.html?key=abc', 'access/register.html', 'app/robin/timeline?from=1#x']) {
    const arrival = await visitor.go('work', page)
    t.equal(arrival.page.href, `${url}/${page.split('#')[0]}`)
  }
  for (const secret of [
    '',
    'short',
    'x'.repeat(101),
    'with spaces in the middle of it',
    'ünicode-ünicode-ünicode'
  ]) {
    const response = await visitor.get(`${url}/auth/oidc/work/start?secret=${encodeURIComponent(secret)}`)
    t.equal(response.status, 400)
  }
  t.equal((await visitor.get(`${url}/auth/oidc/work/start`)).status, 400)
  for (const step of ['start', 'callback', 'sign-out'])
    t.equal((await visitor.get(`${url}/auth/oidc/nobody/${step}?secret=${visitor.secret}`)).status, 404)
})

t.test('a flood of unfinished sign-ins is refused', async t => {
  const { visitor } = await forged(t)
  for (let count = 0; count < 100; count++) await visitor.get(visitor.startUrl())
  const response = await visitor.get(visitor.startUrl())
  t.equal(response.status, 429)
  t.ok(Number(response.headers.get('retry-after')) > 0)
})

t.test('a ticket', async t => {
  const { service, visitor } = await forged(t)
  await linked(visitor)
  await t.test('is valid once, for the page with the secret, for a quarter of an hour', async t => {
    const { ticket } = await visitor.go()
    const thief = new SignInVisitor(service)
    t.equal((await thief.signIn('robin', ticket)).error.id, 'invalid-credentials')
    t.equal((await thief.lookUp(ticket)).error.id, 'invalid-credentials')
    t.equal((await thief.register('another', ticket)).error.id, 'invalid-credentials')
    t.equal((await visitor.signIn('alice', ticket)).error.id, 'forbidden', 'not for another account')
    t.ok((await visitor.signIn('robin', ticket)).token)
    t.equal((await visitor.signIn('robin', ticket)).error.id, 'invalid-credentials')
    const late = await visitor.go()
    service.clock.advance(901)
    t.equal((await visitor.signIn('robin', late.ticket)).error.id, 'invalid-credentials')
  })
})
