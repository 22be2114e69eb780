/** Signing in by a provider, from the start to a session, and linked identities. (docs/spec/identities.md) */
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { type Answer, coffer, type Service } from '../../support/coffer.js'
import { withProvider } from '../../support/identity-provider.js'
import { linkOf, mailbox } from '../../support/mailbox.js'
import { arrivalAt, SignInVisitor } from '../../support/sign-in-visitor.js'

const robin = { sub: 'r1', email: 'robin@example.com', email_verified: true, preferred_username: 'Robin.H' }

/** Makes a call as `robin`. */
async function as(
  service: Service,
  token: string,
  verb: string,
  path: string,
  body?: object
): Promise<Answer> {
  return (await service.http(verb, `/robin${path}`, body, { authorization: token })).body
}

/** Registers `robin` without a password, and returns a session token. */
async function registered(visitor: SignInVisitor): Promise<string> {
  const { ticket } = await visitor.go()
  await visitor.register('robin', ticket, { email: 'robin@example.com' })
  return (await visitor.signIn('robin', ticket)).token as string
}

t.test('a sign-in by a provider', async t => {
  t.test('creates a normal session once the identity is linked', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    const first = await visitor.go()
    t.equal(first.problem, undefined)
    t.match(await visitor.lookUp(first.ticket), {
      provider: { name: 'work', label: 'Work' },
      registration: { username: 'robin-h', email: 'robin@example.com', isOpen: false, isEmailTaken: false }
    })
    t.match(await visitor.register('robin', first.ticket), { username: 'robin', apiEndpoint: /robin/ })
    t.equal((await visitor.register('robin-too', first.ticket)).error.id, 'item-already-exists')

    const again = await visitor.go()
    t.match(await visitor.lookUp(again.ticket), { username: 'robin', registration: undefined })
    const session = await visitor.signIn('robin', again.ticket)
    t.match(session, { token: String, apiEndpoint: /robin/, preferredLanguage: 'en' })
    const { identities, hasPassword, isSpare } = await as(service, session.token, 'GET', '/identities')
    t.same([hasPassword, isSpare], [false, false])
    t.match(identities, [
      {
        provider: { label: 'Work' },
        email: 'robin@example.com',
        isUsable: true,
        lastUsed: service.clock.now()
      }
    ])
    t.notMatch(JSON.stringify(identities), '"r1"', 'the subject is for the provider')
    const { sessions } = await as(service, session.token, 'GET', '/sessions')
    t.match(sessions[0], { signedIn: { provider: 'work', address: '127.0.0.1' } })
  })

  t.test('creates a cookie session for a page, which receives no token', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    await registered(visitor)
    const { ticket } = await visitor.go()
    const { url } = service.server
    const headers = { origin: url, 'coffer-app': '1', 'sec-fetch-site': 'same-origin' }
    const body = { ticket, secret: visitor.secret, appId: 'coffer-app' }
    const answer = await service.http('POST', '/robin/auth/identity', body, headers)
    t.equal(answer.body.token, undefined)
    t.match(answer.headers.getSetCookie().join(), /coffer-session=robin\.c\w+; .*SameSite=Strict/)
  })

  t.test('never signs in to an account by an equal address', async t => {
    const { service, provider, visitor } = await withProvider(t)
    await service.user('owner', { email: 'robin@example.com' })
    provider.person = robin
    const { ticket } = await visitor.go()
    t.match(await visitor.lookUp(ticket), { username: undefined, registration: { isEmailTaken: true } })
    t.equal((await visitor.signIn('owner', ticket)).error.id, 'forbidden')
    const { error } = await visitor.register('robin', ticket, { email: 'robin@example.com' })
    t.match(error, { id: 'item-already-exists', data: { email: 'robin@example.com' } })
  })

  t.test(
    'asks for the second factor of the account, unless the provider is trusted to have done so',
    async t => {
      for (const secondFactor of ['ask', 'provider'] as const)
        await t.test(secondFactor, async t => {
          const { service, provider, visitor } = await withProvider(t, {}, { secondFactor })
          provider.person = robin
          await registered(visitor)
          const secret = new Secret()
          await service.call(undefined, 'test.enrol', {
            username: 'robin',
            factor: { method: 'totp', content: {}, secret: secret.base32, recoveryCodes: [] }
          })
          provider.amr = ['pwd', 'mfa']
          const trusted = await visitor.signIn('robin', (await visitor.go()).ticket)
          t.equal('token' in trusted, secondFactor === 'provider')
          provider.amr = ['pwd']
          const pending = await visitor.signIn('robin', (await visitor.go()).ticket)
          t.same([typeof pending.mfaToken, pending.token], ['string', undefined])
          const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
          const session = await as(service, pending.mfaToken, 'POST', '/mfa/verify', { code })
          const { sessions } = await as(service, session.token, 'GET', '/sessions')
          t.match(sessions[0].signedIn, { provider: 'work' })
        })
    }
  )

  t.test('accepts a recovery code in place of a lost factor, without a password', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    const token = await registered(visitor)
    const { totp } = await as(service, token, 'POST', '/mfa/activate', { method: 'totp' }).then(
      async ({ mfaToken, totp }: Answer) => ({ mfaToken, totp })
    )
    const begun = await as(service, token, 'POST', '/mfa/activate', { method: 'totp' })
    const secret = Secret.fromBase32((begun.totp ?? totp).secret)
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
    const { recoveryCodes } = await as(service, begun.mfaToken, 'POST', '/mfa/confirm', { code })
    const { mfaToken } = await visitor.signIn('robin', (await visitor.go()).ticket)
    const recover = async (token: string, recoveryCode: string): Promise<Answer> =>
      (
        await service.http(
          'POST',
          '/robin/mfa/recover',
          { appId: 'test-app', recoveryCode },
          { authorization: token, origin: service.server.url }
        )
      ).body
    t.equal((await recover('made-up', recoveryCodes[0])).error.id, 'forbidden')
    t.equal((await recover(mfaToken, 'made-up')).error.id, 'invalid-parameter')
    t.ok((await recover(mfaToken, recoveryCodes[0])).message)
    t.ok((await visitor.signIn('robin', (await visitor.go()).ticket)).token)
  })

  t.test('is recorded with the name of the provider', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    const token = await registered(visitor)
    const { auditLogs } = await as(service, token, 'GET', '/audit/logs')
    const record = auditLogs.find((each: Answer) => JSON.stringify(each).includes('auth.loginByIdentity'))
    t.match(JSON.stringify(record), /valid-identity/)
    t.match(JSON.stringify(record), /"callerId":"work"/)
  })

  t.test('refuses suspended accounts, and redirects if the account has moved', async t => {
    const { service, provider, visitor } = await withProvider(t, { adminKey: 'a key of the operator' })
    provider.person = robin
    await registered(visitor)
    const key = { authorization: 'a key of the operator' }
    const { ticket } = await visitor.go()
    await service.http('POST', '/system/users/robin/suspension', {}, key)
    const { error } = await visitor.signIn('robin', ticket)
    t.equal(error.id, 'forbidden')
    await service.http('DELETE', '/system/users/robin/suspension', undefined, key)
    t.ok((await visitor.signIn('robin', ticket)).token, 'and the ticket is still good')
    await service.http('POST', '/system/users/robin/relocation', { url: 'https://elsewhere.example' }, key)
    const moved = await visitor.go()
    t.equal((await visitor.lookUp(moved.ticket)).username, 'robin')
    t.equal((await visitor.signIn('robin', moved.ticket)).error.id, 'user-account-relocated')
  })

  t.test('is also ended at the provider', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    const token = await registered(visitor)
    const { signOutUrl } = await as(service, token, 'POST', '/auth/logout', {})
    t.equal(signOutUrl, `${service.server.url}/auth/oidc/work/sign-out`)
    const response = await visitor.get(signOutUrl)
    const end = new URL(response.headers.get('location') ?? '')
    t.equal(end.origin + end.pathname, `${provider.issuer}/session/end`)
    t.equal(end.searchParams.get('post_logout_redirect_uri'), `${service.server.url}/access/access.html`)
    const { signOutUrl: none } = await service.alice.do('auth.logout')
    t.equal(none, undefined)
    await provider.stop()
    service.clock.advance(3601)
    const alone = await visitor.get(signOutUrl)
    t.equal(alone.headers.get('location'), `${service.server.url}/access/access.html`)
  })
})

t.test('linking', async t => {
  const { service, provider, visitor } = await withProvider(t)
  const { alice } = service
  const bob = await service.user('bobby')
  const justSignedIn = async (username: string): Promise<void> => {
    await service.call(undefined, 'test.noteSignIns', { username })
  }
  const begin = async (client: typeof alice): Promise<SignInVisitor> => {
    await justSignedIn(client.username)
    return new SignInVisitor(service, (await client.do('identities.begin')).secret)
  }

  await t.test('requires a recent sign-in', async t => {
    await justSignedIn('alice')
    service.clock.advance(600)
    t.ok((await alice.do('identities.begin')).secret)
    service.clock.advance(1)
    const refused = { id: 'invalid-operation', data: { code: 'proof-missing' } }
    t.match((await alice.call('identities.begin')).error, refused)
  })

  await t.test('accepts the identity requested in the session', async t => {
    provider.person = { sub: 'alice-at-work' }
    const browser = await begin(alice)
    const { ticket } = await browser.go()
    await alice.do('identities.create', { ticket, secret: browser.secret })
    t.equal((await alice.call('identities.create', { ticket, secret: browser.secret })).error.id, 'forbidden')
    t.equal((await visitor.lookUp((await visitor.go()).ticket)).username, 'alice')
  })

  await t.test('refuses the identity of another user, whatever requests a page is tricked into', async t => {
    provider.person = { sub: 'mallory-at-work' }
    const mallory = await begin(bob)
    const { ticket } = await mallory.go()
    // Mallory makes Alice's page send Mallory's ticket, with every available secret.
    await justSignedIn('alice')
    const { secret } = await alice.do('identities.begin')
    for (const tried of [mallory.secret, secret, visitor.secret]) {
      const { error } = await alice.call('identities.create', { ticket, secret: tried })
      t.match(error.id, /^(?:forbidden|invalid-credentials)$/)
    }
    t.equal((await alice.do('identities.get')).identities.length, 1)
    await bob.do('identities.create', { ticket, secret: mallory.secret })
  })

  await t.test('refuses a callback of another browser', async t => {
    provider.person = { sub: 'carol-at-work' }
    const mallory = await begin(bob)
    const callback = await mallory.toCallback()
    const carol = new SignInVisitor(service)
    await carol.get(carol.startUrl())
    t.same(arrivalAt(await carol.follow(callback)).problem, 'expired')
  })

  await t.test('is refused after the session has ended', async t => {
    const { access } = await service.call(undefined, 'test.signIn', { username: 'bobby', appId: 'other-app' })
    await justSignedIn('bobby')
    const { secret } = await service.call('bobby', 'identities.begin', {}, access.token)
    const browser = new SignInVisitor(service, secret)
    const { ticket } = await browser.go()
    const { error } = await bob.call('identities.create', { ticket, secret })
    t.equal(error.id, 'forbidden', 'nor in another session of the same account')
  })

  await t.test('refuses an identity linked to another account', async t => {
    provider.person = { sub: 'alice-at-work' }
    const browser = await begin(bob)
    const { ticket } = await browser.go()
    const { error } = await bob.call('identities.create', { ticket, secret: browser.secret })
    t.match(error, { id: 'item-already-exists', data: { code: 'identity-taken' } })
    t.equal((await bob.do('identities.get')).identities.length, 1)
  })

  await t.test('accepts twenty identities at most', async t => {
    for (let count = 1; count <= 20; count++) {
      provider.person = { sub: `alice-${count}` }
      const browser = await begin(alice)
      const { ticket } = await browser.go()
      const { error } = await alice.call('identities.create', { ticket, secret: browser.secret })
      t.equal(error?.id, count < 20 ? undefined : 'invalid-operation')
    }
  })
})

t.test('an identity', async t => {
  t.test('completes no pending sign-in once it is unlinked', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = robin
    const token = await registered(visitor)
    const set = { newPassword: 'a long secret' }
    t.notOk((await as(service, token, 'POST', '/account/change-password', set)).error)
    const secret = new Secret()
    await service.call(undefined, 'test.enrol', {
      username: 'robin',
      factor: { method: 'totp', content: {}, secret: secret.base32, recoveryCodes: [] }
    })
    const { mfaToken } = await visitor.signIn('robin', (await visitor.go()).ticket)
    const { identities } = await as(service, token, 'GET', '/identities')
    t.notOk((await as(service, token, 'DELETE', `/identities/${identities[0].id}`)).error)
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
    t.match(await as(service, mfaToken, 'POST', '/mfa/verify', { code }), { error: { id: 'forbidden' } })
  })

  t.test('can be linked again once it is unlinked, or its account is deleted', async t => {
    const { service, provider, visitor } = await withProvider(t, {
      userAccount: { delete: ['personalToken'] }
    })
    provider.person = robin
    const token = await registered(visitor)
    const { identities } = await as(service, token, 'GET', '/identities')
    const path = `/identities/${identities[0].id}`
    const { error } = await as(service, token, 'DELETE', path)
    t.match(error, { id: 'invalid-operation', data: { code: 'last-way-in' } })
    t.equal((await as(service, token, 'GET', '/identities')).identities.length, 1)
    const set = { newPassword: 'a long secret' }
    service.clock.advance(601)
    const stale = await as(service, token, 'POST', '/account/change-password', set)
    t.match(stale.error, { id: 'invalid-operation', data: { code: 'proof-missing' } })
    await service.call(undefined, 'test.noteSignIns', { username: 'robin' })
    t.notOk((await as(service, token, 'POST', '/account/change-password', set)).error)
    t.equal(
      (await as(service, token, 'POST', '/account/change-password', set)).error.id,
      'invalid-parameters-format',
      'the first password alone needs no former one'
    )
    t.match(await as(service, token, 'DELETE', path), { identityDeletion: { id: identities[0].id } })
    const { ticket } = await visitor.go()
    t.equal((await visitor.lookUp(ticket)).username, undefined)
    await visitor.register('robin-too', ticket)
    const second = await visitor.go()
    const { token: own } = await visitor.signIn('robin-too', second.ticket)
    const { accounts } = service.server.services
    t.match(await service.http('DELETE', '/users/robin-too', undefined, { authorization: own }), {
      status: 200
    })
    await accounts.remove(accounts.findClosing('robin-too')!)
    t.equal((await visitor.lookUp((await visitor.go()).ticket)).username, undefined)
  })

  t.test('is linked to one account if two claim it concurrently', async t => {
    const { provider, visitor } = await withProvider(t)
    provider.person = robin
    const [one, other] = [await visitor.go(), await visitor.go()]
    const made = await Promise.all([
      visitor.register('robin-one', one.ticket),
      visitor.register('robin-two', other.ticket)
    ])
    t.same(made.map(({ error }) => error?.id).toSorted(), ['item-already-exists', undefined])
  })
})

t.test('registration by a provider', async t => {
  t.test('follows the rules of registration, unless the provider suffices', async t => {
    for (const autoRegister of [false, true]) {
      const { provider, visitor } = await withProvider(
        t,
        { registration: { invitationTokens: ['an-invitation'] } },
        { autoRegister }
      )
      provider.person = robin
      const { ticket } = await visitor.go()
      const { error, username } = await visitor.register('robin', ticket)
      if (autoRegister) t.equal(username, 'robin')
      else {
        t.match(JSON.stringify(error), 'invitationToken')
        t.equal(
          (await visitor.register('robin', ticket, { invitationToken: 'an-invitation' })).username,
          'robin'
        )
      }
    }
  })

  t.test('treats an address as confirmed only if the provider has verified it', async t => {
    const post = await mailbox(t)
    const { service, provider, visitor } = await withProvider(t, post.settings)
    const emailOf = async (username: string): Promise<Answer> => {
      const { ticket } = await visitor.go()
      await visitor.register(username, ticket, { email: `${username}@example.com` })
      const { token } = await visitor.signIn(username, ticket)
      return (await service.http('GET', `/${username}/account/email`, undefined, { authorization: token }))
        .body.email
    }
    for (const [username, email_verified, isConfirmed] of [
      ['verified', true, true],
      ['unverified', false, false],
      ['told-as-text', 'true', false]
    ] as const) {
      provider.person = { sub: username, email: `${username}@example.com`, email_verified }
      t.equal((await emailOf(username)).isConfirmed, isConfirmed, username)
    }
    const link = linkOf(await post.receivedBy('unverified@example.com', 2))
    t.match(link.href, 'confirm-email.html')
  })

  t.test('accepts a password, and no other unexpected fields', async t => {
    const { provider, visitor } = await withProvider(t)
    provider.person = robin
    const { ticket } = await visitor.go()
    for (const more of [
      { identity: 'a text' },
      { identity: { ticket } },
      { identity: { ticket, secret: visitor.secret, issuer: 'x' } },
      { password: 'short' },
      { username: 'x' }
    ])
      t.equal((await visitor.register('robin', ticket, more)).error.id, 'invalid-parameters-format')
    const made = await visitor.register('robin', ticket, { password: 'a long secret' })
    t.equal(made.username, 'robin')
  })
})

t.test('without passwords', async t => {
  const { service, provider, visitor } = await withProvider(t, {
    adminKey: 'a key of the operator',
    auth: { passwords: 'off' }
  })
  const { url } = service.server
  const headers = { origin: url, authorization: 'a key of the operator' }
  await service.call(undefined, 'test.setPassword', { username: 'alice', password: 'a long secret' })
  const login = { username: 'alice', password: 'a long secret', appId: 'test-app' }
  const passwordHash = `$2b$04$${'a'.repeat(53)}`
  const refused: [path: string, body: object][] = [
    ['/alice/auth/login', login],
    ['/alice/mfa/recover', { ...login, recoveryCode: 'x' }],
    ['/alice/account/request-password-reset', { appId: 'test-app' }],
    ['/alice/account/reset-password', { appId: 'test-app', resetToken: 'x', newPassword: 'a long secret' }],
    ['/users', { ...login, username: 'robin', email: 'robin@example.com' }],
    ['/system/users/alice/reset-link', {}],
    ['/system/users/alice/password', { passwordHash }],
    ['/system/create-user', { username: 'robin', email: 'robin@example.com', language: 'en', passwordHash }]
  ]
  for (const [path, body] of refused) {
    const answer = await service.http('POST', path, body, headers)
    t.same([answer.status, answer.body.error?.id], [451, 'unavailable-method'], path)
    t.match(answer.body.error.message, /^Passwords are turned off/)
  }
  const passwords = { oldPassword: 'a long secret', newPassword: 'another secret' }
  t.equal((await service.alice.call('account.changePassword', passwords)).error.id, 'unavailable-method')
  provider.person = robin
  const { ticket } = await visitor.go()
  const withOne = await visitor.register('robin', ticket, { password: 'a long secret' })
  t.equal(withOne.error.id, 'unavailable-method')
  t.equal((await visitor.register('robin', ticket)).username, 'robin')
  t.ok((await visitor.signIn('robin', ticket)).token)
  t.match((await service.http('GET', '/access/facts.json')).body, {
    hasPasswords: false,
    passwordReset: 'none',
    providers: [{ name: 'work', label: 'Work', isOpen: false }]
  })
})

t.test('several threads share proofs and identities', async t => {
  const { provider, service, visitor } = await withProvider(t, { workers: 2 })
  for (const username of ['robin', 'daisy', 'carol']) {
    provider.person = { sub: username }
    const { ticket } = await visitor.go()
    t.equal((await visitor.register(username, ticket)).username, username)
    t.ok((await visitor.signIn(username, ticket)).token)
    t.equal((await visitor.lookUp((await visitor.go()).ticket)).username, username)
  }
  t.ok(service)
})

t.test('a service without providers has no identity routes', async t => {
  const service = await coffer(t)
  t.equal((await service.http('GET', '/auth/oidc/work/start?secret=12345678901234567890')).status, 404)
  t.match((await service.http('GET', '/access/facts.json')).body, { hasPasswords: true, providers: [] })
})
