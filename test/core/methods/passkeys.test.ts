/** Managing passkeys, and protection against adding them to other accounts. (docs/spec/passkeys.md#adding-a-passkey) */
import t, { type Test } from 'tap'
import { challengeLifetime } from '../../../core/sign-in/passkeys/challenges.js'
import { recentSignInSeconds } from '../../../core/auth/recent-sign-in.js'
import { maxPasskeys } from '../../../core/sign-in/passkeys/public-passkey.js'
import { Authenticator, type Lies } from '../../support/authenticator.js'
import { Client, coffer, openCoffer, type Answer, type Overrides } from '../../support/coffer.js'
import {
  addPasskey,
  creationFor,
  givePassword,
  loginWith,
  originOf,
  password,
  requestOf
} from '../../support/passkeys.js'
import { rotate } from '../../support/rotation.js'

/** Starts a service in which Alice and Bobby have passwords; Alice is signed in with a second app as well. */
async function start(t: Test, overrides: Overrides = {}) {
  const service = await coffer(t, overrides)
  const { alice } = service
  const bobby = await service.user('bobby')
  for (const each of [alice, bobby]) await givePassword(each)
  const params = { username: 'alice', appId: 'another-app' }
  const { access } = await service.call(undefined, 'test.signIn', params)
  return { service, alice, bobby, elsewhere: new Client(service, 'alice', access) }
}

/** Starts adding a passkey, with a signature as proof. */
async function begin(client: Client, credential: unknown): Promise<Answer> {
  return await client.call('passkeys.challenge', { purpose: 'add', credential })
}

const late = { id: 'invalid-operation', data: { code: 'passkey-refused' } }

t.test('passkeys.challenge', async t => {
  t.test('throttles wrong passwords like signing in does', async t => {
    const { alice } = await start(t)
    const ids: string[] = []
    for (let count = 0; count < 12; count++)
      ids.push((await alice.call('passkeys.challenge', { purpose: 'add', password: 'a guess' })).error.id)
    t.ok(ids.includes('invalid-operation'))
    t.equal(ids.at(-1), 'too-many-requests')
    t.match(await alice.call('passkeys.challenge', { purpose: 'add', password }), {
      error: { id: 'too-many-requests' }
    })
  })

  t.test('accepts a signature once, and only from the same session', async t => {
    const { alice, bobby, elsewhere, service } = await start(t)
    const { authenticator } = await addPasskey(alice)
    const theirs = await addPasskey(bobby)
    const { request } = await alice.do('passkeys.challenge', { purpose: 'prove' })
    const refused = { error: { id: 'invalid-credentials', data: { code: 'passkey-refused' } } }
    t.match(await begin(elsewhere, authenticator.get(request)), refused, 'another session')
    t.match(await begin(bobby, authenticator.get(request)), refused, 'another account')
    t.match(await begin(alice, theirs.authenticator.get(request)), refused, 'a passkey of another account')
    t.match(await begin(alice, authenticator.get(await requestOf(service))), refused, 'for signing in')
    t.match(await begin(alice, authenticator.get(request, { isVerified: false })), refused)
    const signed = authenticator.get(request)
    t.ok((await begin(alice, signed)).creation)
    t.match(await begin(alice, signed), refused, 'once more')
  })

  t.test('requires only a recent sign-in if there is neither a password nor a passkey', async t => {
    const service = await openCoffer(t)
    const { clock, server } = service
    const carol = await service.user('carol')
    const missing = { error: { id: 'invalid-operation', data: { code: 'proof-missing' } } }
    t.match(await carol.call('passkeys.challenge', { purpose: 'add' }), missing)
    const { accounts } = server.services
    const store = accounts.openStore(accounts.find('carol')!)
    const signIn = async (): Promise<void> =>
      await store.write(() =>
        store.sessions.recordSignIn(carol.access.id, { time: clock.now(), address: '127.0.0.1' })
      )
    await signIn()
    clock.advance(recentSignInSeconds)
    t.ok((await carol.call('passkeys.challenge', { purpose: 'add' })).creation)
    clock.advance(1)
    t.match(await carol.call('passkeys.challenge', { purpose: 'add' }), missing)
    await signIn()
    const { creation } = await carol.do('passkeys.challenge', { purpose: 'add' })
    const authenticator = new Authenticator(originOf(service))
    const { passkey } = await carol.do('passkeys.create', { credential: authenticator.create(creation) })
    t.match(await carol.call('passkeys.challenge', { purpose: 'add' }), missing, 'now there is a passkey')
    t.match(await carol.call('passkeys.delete', { id: passkey.id }), {
      error: { id: 'invalid-operation', data: { code: 'last-way-in' } }
    })
    t.equal((await carol.do('passkeys.get')).passkeys.length, 1)
    await givePassword(carol)
    await carol.do('passkeys.delete', { id: passkey.id })
  })

  t.test('excludes authenticators that already have a passkey', async t => {
    const { alice } = await start(t)
    const { authenticator } = await addPasskey(alice)
    t.match((await creationFor(alice)).excludeCredentials, [
      { id: authenticator.id, transports: ['internal'] }
    ])
  })
})

t.test('passkeys.create', async t => {
  for (const workers of rotate(t, [0, 2]))
    t.test(`accepts the requested credential once, in the same session (${workers} threads)`, async t => {
      const { alice, bobby, elsewhere, service } = await start(t, { workers })
      const creation = await creationFor(alice)
      const authenticator = new Authenticator(originOf(service))
      const credential = authenticator.create(creation)
      t.match(await elsewhere.call('passkeys.create', { credential }), { error: late }, 'another session')
      t.match(await bobby.call('passkeys.create', { credential }), { error: late }, 'another account')
      await alice.do('passkeys.create', { credential })
      const another = new Authenticator(originOf(service)).create(creation)
      t.match(await alice.call('passkeys.create', { credential: another }), { error: late }, 'once more')
      const again = authenticator.create(await creationFor(alice))
      t.match(await alice.call('passkeys.create', { credential: again }), {
        error: { id: 'item-already-exists', data: { id: authenticator.id } }
      })
      t.equal((await alice.do('passkeys.get')).passkeys.length, 1)
    })

  t.test('lets two accounts have a passkey with the same id, each with its own key', async t => {
    const { alice, bobby, service } = await start(t)
    const { authenticator } = await addPasskey(alice)
    const forged = new Authenticator(originOf(service))
    const lies = { id: authenticator.id }
    await bobby.do('passkeys.create', { credential: forged.create(await creationFor(bobby), lies) })
    const signed = authenticator.get(await requestOf(service))
    t.equal((await loginWith(service, signed)).body.username, 'alice')
    const { body } = await loginWith(service, forged.get(await requestOf(service), lies))
    t.equal(body.username, 'bobby')
    const { userHandle } = signed.response
    const stolen = forged.get(await requestOf(service), { ...lies, userHandle: userHandle! })
    t.equal((await loginWith(service, stolen)).status, 401)
  })

  t.test('refuses mismatched data', async t => {
    const { alice, service } = await start(t)
    const lies: readonly Lies[] = [
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
      { isVerified: false },
      { isPresent: false },
      { type: 'webauthn.get' },
      { challenge: 'AAAA' },
      { challenge: (await requestOf(service)).challenge }
    ]
    for (const lie of lies) {
      const credential = new Authenticator(originOf(service)).create(await creationFor(alice), lie)
      t.match(await alice.call('passkeys.create', { credential }), { error: late }, JSON.stringify(lie))
    }
    const right = new Authenticator(originOf(service)).create(await creationFor(alice))
    const odd: readonly object[] = [
      { ...right, id: 'AAAA' },
      { ...right, id: 'AAAA', rawId: 'AAAA' },
      ...['AAAA', '_____w', 'oQ', 'n5-f'.repeat(9_000)].map(attestationObject => ({
        ...right,
        response: { ...right.response, attestationObject }
      }))
    ]
    for (const credential of odd)
      t.match(await alice.call('passkeys.create', { credential }), { error: late })
    const huge = { ...right, response: { ...right.response, attestationObject: 'A'.repeat(1_000_000) } }
    t.match(await alice.call('passkeys.create', { credential: huge }), {
      error: { id: 'invalid-parameters-format' }
    })
    t.same((await alice.do('passkeys.get')).passkeys, [])
    await alice.do('passkeys.create', { credential: right })
  })

  t.test("ignores the authenticator's manufacturer", async t => {
    const { alice, service } = await start(t)
    // {"x5c": [bytes that are not a certificate]}
    const statement = Buffer.from('a163783563814401020304', 'hex')
    for (const format of ['packed', 'apple', 'unheard-of']) {
      const lies = { format, statement }
      const authenticator = new Authenticator(originOf(service))
      await alice.do('passkeys.create', {
        credential: authenticator.create(await creationFor(alice), lies)
      })
    }
    t.equal((await alice.do('passkeys.get')).passkeys.length, 3)
  })

  t.test('refuses an expired challenge, and a user who has signed out', async t => {
    const { alice, elsewhere, service } = await start(t)
    const authenticator = new Authenticator(originOf(service))
    const credential = authenticator.create(await creationFor(alice))
    service.clock.advance(challengeLifetime + 1)
    t.match(await alice.call('passkeys.create', { credential }), { error: late })
    const other = authenticator.create(await creationFor(elsewhere))
    await elsewhere.do('auth.logout')
    t.equal((await elsewhere.call('passkeys.create', { credential: other })).error.id, 'invalid-access-token')
    const { access } = await service.call(undefined, 'test.signIn', {
      username: 'alice',
      appId: 'another-app'
    })
    const again = new Client(service, 'alice', access)
    t.match(
      await again.call('passkeys.create', { credential: other }),
      { error: late },
      'nor with a new token'
    )
  })

  t.test('limits the number of passkeys', async t => {
    const { alice } = await start(t)
    for (let count = 0; count < maxPasskeys; count++) await addPasskey(alice, { name: `No. ${count}` })
    t.match(await alice.call('passkeys.challenge', { purpose: 'add', password }), {
      error: { id: 'invalid-operation', data: { code: 'passkeys-full' } }
    })
  })
})

t.test('passkeys', async t => {
  t.test('are deleted with the account, and kept when the password is reset', async t => {
    const { alice, service } = await start(t)
    const { authenticator } = await addPasskey(alice)
    await service.call(undefined, 'test.mailToken', { username: 'alice', resetToken: 'a token' })
    const reset = { appId: 'reset-app', resetToken: 'a token', newPassword: 'five words in a row' }
    const origin = service.server.url
    t.notOk((await service.call('alice', 'account.resetPassword', reset, undefined, { origin })).error)
    const { body } = await loginWith(service, authenticator.get(await requestOf(service)))
    t.equal(body.username, 'alice')
  })

  t.test('of one account can be neither listed nor changed by another', async t => {
    const { alice, bobby } = await start(t)
    const { passkey } = await addPasskey(alice)
    t.same((await bobby.do('passkeys.get')).passkeys, [])
    for (const [method, params] of [
      ['passkeys.delete', { id: passkey.id }],
      ['passkeys.update', { id: passkey.id, update: { name: 'Mine' } }]
    ] as const)
      t.equal((await bobby.call(method, params)).error.id, 'unknown-resource')
    t.same((await alice.do('passkeys.get')).passkeys, [passkey])
  })
})
