/** Signing in with a passkey: what is accepted and what is refused. (docs/spec/passkeys.md#signing-in) */
import { Buffer } from 'node:buffer'
import t, { type Test } from 'tap'
import { challengeLifetime } from '../../../../core/sign-in/passkeys/challenges.js'
import { Authenticator, type Lies } from '../../../support/authenticator.js'
import { coffer, type Answer, type Client, type Overrides } from '../../../support/coffer.js'
import {
  addPasskey,
  givePassword,
  loginWith,
  originOf,
  passkeyApp,
  password,
  requestOf
} from '../../../support/passkeys.js'
import { rotate } from '../../../support/rotation.js'

/** Starts a service in which Alice and Bobby each have a passkey. */
async function start(t: Test, overrides: Overrides = {}, options: { counts?: boolean } = {}) {
  const service = await coffer(t, overrides)
  const { alice } = service
  const bobby = await service.user('bobby')
  for (const each of [alice, bobby]) await givePassword(each)
  const hers = await addPasskey(alice, options)
  const his = await addPasskey(bobby)
  /** Signs in with her passkey; `lies` and `headers` override parts of the request. */
  const signIn = async (lies: Lies = {}, headers: Record<string, string> = {}) =>
    await loginWith(service, hers.authenticator.get(await requestOf(service), lies), headers)
  return { service, alice, bobby, hers, his, signIn }
}

async function lastUse({ passkey }: { passkey: Answer }, owner: Client): Promise<number | undefined> {
  const { passkeys } = await owner.do('passkeys.get')
  return passkeys.find(({ id }: Answer) => id === passkey.id)?.lastUsed
}

/** Headers of a request that a proxy forwards from this IP address. */
function from(ip: string): Record<string, string> {
  return { 'x-forwarded-for': ip }
}

t.test('auth.passkeyLogin', async t => {
  for (const workers of rotate(t, [0, 2]))
    t.test(`signs in the owner of the passkey, without a username (${workers} threads)`, async t => {
      const { alice, his, hers, service, signIn } = await start(t, { workers })
      const { body, status } = await signIn()
      t.equal(status, 200)
      t.match(body, { username: 'alice', token: String, apiEndpoint: /alice\/$/, preferredLanguage: 'en' })
      const info = await service.call('alice', 'getAccessInfo', {}, body.token)
      t.match(info, { type: 'personal', name: passkeyApp })
      t.ok(await lastUse(hers, alice))
      const other = await loginWith(service, his.authenticator.get(await requestOf(service)))
      t.equal(other.body.username, 'bobby')
      t.match(other.headers.get('set-cookie'), /^sso=bobby;/)
      t.equal(other.headers.get('cache-control'), 'no-store')
      const { events } = await alice.do('events.get', {
        streams: [':_audit:access-valid-passkey', ':_audit:access-invalid']
      })
      t.match(events, [{ content: { action: 'auth.passkeyLogin' } }])
      t.equal(events.length, 1)
    })

  t.test("begins a session of the service's own pages, without returning the token to the page", async t => {
    const { hers, service } = await start(t)
    const origin = originOf(service)
    const credential = hers.authenticator.get(await requestOf(service))
    const headers = { origin, 'content-type': 'application/json', 'coffer-app': '1' }
    const body = JSON.stringify({ appId: passkeyApp, credential })
    const answer = await fetch(`${origin}/auth/passkey-login`, { method: 'POST', headers, body })
    t.same(Object.keys((await answer.json()) as object).toSorted(), ['meta', 'preferredLanguage', 'username'])
    const cookie = answer.headers.getSetCookie().find(each => each.startsWith('coffer-session=alice.c'))
    t.match(cookie, /HttpOnly; SameSite=Strict/)
  })

  t.test('sets no cookie for other pages, whatever they send', async t => {
    const { hers, service } = await start(t, { auth: { trustedApps: '*@*' } })
    const credential = hers.authenticator.get(await requestOf(service))
    const evil = { origin: 'https://evil.example.com', 'coffer-app': '1' }
    const { headers } = await loginWith(service, credential, evil)
    t.notOk(headers.getSetCookie().some(each => each.includes('coffer-session')))
  })

  t.test('requires no second factor', async t => {
    const { alice, service, signIn } = await start(t)
    const factor = { method: 'totp', content: {}, secret: 'A'.repeat(32), recoveryCodes: [] }
    await service.call(undefined, 'test.enrol', { username: alice.username, factor })
    t.ok((await signIn()).body.token)
  })

  t.test('is refused from an untrusted origin', async t => {
    const { signIn } = await start(t)
    const { body, status } = await signIn({}, { origin: 'https://evil.example.com' })
    t.equal(status, 403)
    t.equal(body.error.id, 'forbidden')
  })

  const lies: readonly (readonly [string, Lies])[] = [
    ['for another origin', { origin: 'https://evil.example.com' }],
    ['for another port of the same host', { origin: 'http://localhost:1' }],
    ['for another domain', { rpId: 'evil.example.com' }],
    ['without verifying the person', { isVerified: false }],
    ['without anybody there', { isPresent: false }],
    ['that makes a passkey', { type: 'webauthn.create' }],
    ['in a frame of another page', { topOrigin: 'https://evil.example.com' }],
    ['of an unknown passkey', { id: 'AAAA' }],
    ['for an unknown account', { userHandle: Buffer.from('cnobody').toString('base64url') }],
    ['for no challenge of ours', { challenge: Buffer.alloc(52).toString('base64url') }],
    ['for a short challenge', { challenge: 'AAAA' }],
    ['for no challenge', { challenge: '' }]
  ]
  t.test('refuses a signature', async t => {
    const { alice, hers, his, service, signIn } = await start(t, { throttle: { failures: 1000 } })
    const refused = { id: 'invalid-credentials', data: { code: 'passkey-refused' } }
    const texts = new Set<string>()
    for (const [name, lie] of lies) {
      const { body, status } = await signIn(lie)
      t.match(body, { error: refused }, name)
      t.equal(status, 401, name)
      texts.add(JSON.stringify(body.error))
    }
    const request = await requestOf(service)
    const right = hers.authenticator.get(request)
    const theirs = his.authenticator.get(request)
    const { signature } = right.response
    const changed = signature.slice(0, -4) + (signature.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    for (const [name, credential] of [
      ['that was changed', { ...right, response: { ...right.response, signature: changed } }],
      [
        'of somebody else',
        { ...right, response: { ...right.response, signature: theirs.response.signature } }
      ],
      [
        'of somebody else under her name',
        { ...theirs, response: { ...theirs.response, userHandle: right.response.userHandle } }
      ],
      [
        'of hers under the name of somebody else',
        { ...right, response: { ...right.response, userHandle: theirs.response.userHandle } }
      ],
      ['that names nobody', { ...right, response: { ...right.response, userHandle: null } }]
    ] as const) {
      const { body } = await loginWith(service, credential)
      t.match(body, { error: refused }, name)
      texts.add(JSON.stringify(body.error))
    }
    t.equal(texts.size, 1, 'with the same words, whatever is wrong')
    t.equal(await lastUse(hers, alice), undefined)
    t.ok((await loginWith(service, right)).body.token, 'and takes it is')
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(`accepts a signature once, and none made for another purpose (${workers} threads)`, async t => {
      const { alice, hers, service } = await start(t, { workers })
      const signed = hers.authenticator.get(await requestOf(service))
      const answers = await Promise.all([1, 2, 3].map(async () => await loginWith(service, signed)))
      t.same(answers.map(({ status }) => status).toSorted(), [200, 401, 401])
      const { request } = await alice.do('passkeys.challenge', { purpose: 'prove' })
      t.equal((await loginWith(service, hers.authenticator.get(request))).status, 401)
      const { creation } = await alice.do('passkeys.challenge', { purpose: 'add', password })
      const signedToAdd = hers.authenticator.get({ ...request, challenge: creation.challenge })
      t.equal((await loginWith(service, signedToAdd)).status, 401)
    })

  t.test('refuses an expired challenge', async t => {
    const { hers, service } = await start(t)
    const { clock } = service
    const [early, late] = [await requestOf(service), await requestOf(service)]
    clock.advance(challengeLifetime - 1)
    t.equal((await loginWith(service, hers.authenticator.get(early))).status, 200)
    clock.advance(1)
    t.equal((await loginWith(service, hers.authenticator.get(late))).status, 401)
    t.equal((await loginWith(service, hers.authenticator.get(early))).status, 401, 'nor one that was used')
  })

  t.test('refuses a revoked passkey', async t => {
    const { alice, hers, signIn } = await start(t)
    await alice.do('passkeys.delete', { id: hers.passkey.id })
    t.equal((await signIn()).status, 401)
  })

  t.test('refuses a cloned passkey, detected by its signature counter', async t => {
    const { alice, hers, signIn } = await start(t, {}, { counts: true })
    t.equal((await signIn()).status, 200)
    t.equal((await signIn()).status, 200)
    const used = await lastUse(hers, alice)
    t.equal((await signIn({ counter: 2 })).status, 401)
    t.equal((await signIn({ counter: 0 })).status, 401)
    t.equal(await lastUse(hers, alice), used)
    t.equal((await signIn({ counter: 6 })).status, 200)
  })

  t.test('throttles failed attempts, without blocking the user at other addresses', async t => {
    const { signIn } = await start(t, { http: { trustedProxies: ['127.0.0.1'] } })
    const wrong = { challenge: 'AAAA' }
    t.equal((await signIn({}, from('198.51.100.7'))).status, 200)
    const statuses: number[] = []
    for (let count = 0; count < 15; count++) statuses.push((await signIn(wrong, from('192.0.2.1'))).status)
    t.ok(statuses.includes(401))
    t.equal(statuses.at(-1), 429)
    const waiting = await signIn({}, from('192.0.2.1'))
    t.equal(waiting.status, 429)
    t.ok(Number(waiting.headers.get('retry-after')) > 0)
    t.equal((await signIn({}, from('198.51.100.7'))).status, 200)
  })

  t.test('is refused for suspended or deleted accounts', async t => {
    const adminKey = 'the key of the operator'
    const { hers, his, service } = await start(t, { adminKey, userAccount: { delete: ['adminToken'] } })
    const admin = { authorization: adminKey }
    await service.http('POST', '/system/users/alice/suspension', {}, admin)
    const suspended = await loginWith(service, hers.authenticator.get(await requestOf(service)))
    t.equal(suspended.status, 403)
    t.equal(suspended.body.error.data.isSuspended, true)
    t.equal((await service.http('DELETE', '/users/bobby', undefined, admin)).status, 200)
    t.equal((await loginWith(service, his.authenticator.get(await requestOf(service)))).status, 401)
  })

  t.test('refuses malformed or oversized input, and names the field', async t => {
    const { hers, service } = await start(t)
    const right = hers.authenticator.get(await requestOf(service))
    const huge = 'A'.repeat(1_000_000)
    const inResponse = (fields: object): object => ({ ...right, response: { ...right.response, ...fields } })
    for (const [name, credential] of [
      ['a huge id', { ...right, id: huge }],
      ['a huge raw id', { ...right, rawId: huge }],
      ['a huge signature', inResponse({ signature: huge })],
      ['a huge handle', inResponse({ userHandle: huge })],
      ['huge client data', inResponse({ clientDataJSON: huge })],
      ['huge authenticator data', inResponse({ authenticatorData: huge })],
      ['another type', { ...right, type: 'password' }],
      ['what is not base64url', inResponse({ signature: 'a+b/' })],
      ['no response', { ...right, response: undefined }],
      ['a list', []],
      ['nothing', undefined]
    ] as const) {
      const { body, status } = await loginWith(service, credential)
      t.equal(status, 400, name)
      t.equal(body.error.id, 'invalid-parameters-format', name)
      t.match(JSON.stringify(body.error.data), /credential/, name)
    }
    const odd = [
      inResponse({ clientDataJSON: 'AAAA' }),
      inResponse({ clientDataJSON: Buffer.from('{}').toString('base64url') }),
      inResponse({ clientDataJSON: Buffer.from('null').toString('base64url') }),
      inResponse({ clientDataJSON: Buffer.from('{"challenge":{}}').toString('base64url') }),
      inResponse({ authenticatorData: 'AAAA' }),
      inResponse({ signature: 'AAAA' })
    ]
    for (const credential of odd) t.equal((await loginWith(service, credential)).status, 401)
  })

  t.test('verifies a signature even if the account or passkey does not exist', async t => {
    const { hers, service } = await start(t, { workers: 0 })
    const { subtle } = globalThis.crypto
    let checked = 0
    const verify = subtle.verify.bind(subtle)
    t.teardown(() => void Reflect.deleteProperty(subtle, 'verify'))
    Object.defineProperty(subtle, 'verify', {
      configurable: true,
      value: async (...args: Parameters<typeof verify>) => {
        checked++
        return await verify(...args)
      }
    })
    const stranger = new Authenticator(originOf(service))
    const request = await requestOf(service)
    const { userHandle } = hers.authenticator.get(request).response
    for (const [name, credential] of [
      ['a wrong signature', stranger.get(request, { id: hers.authenticator.id, userHandle: userHandle! })],
      ['an unknown passkey', stranger.get(request, { userHandle: userHandle! })],
      ['an unknown account', stranger.get(request, { userHandle: 'AAAA' })]
    ] as const) {
      checked = 0
      t.equal((await loginWith(service, credential)).body.error.id, 'invalid-credentials')
      t.equal(checked, 1, name)
    }
  })

  for (const [name, overrides] of [
    ['where they are switched off', { auth: { passkeys: false } }],
    ['where the service is known by an address', { publicUrl: 'http://192.0.2.7:3000' }]
  ] as const)
    t.test(`is not available ${name}`, async t => {
      const service = await coffer(t, overrides)
      const origin = overrides && 'publicUrl' in overrides ? overrides.publicUrl : originOf(service)
      for (const [path, body] of [
        ['/auth/passkey-challenge', { appId: passkeyApp }],
        [
          '/auth/passkey-login',
          {
            appId: passkeyApp,
            credential: new Authenticator(origin).get({ challenge: 'AAAA', rpId: 'localhost' } as never, {
              userHandle: 'AAAA'
            })
          }
        ]
      ] as const) {
        const answer = await service.http('POST', path, body, { origin })
        t.equal(answer.status, 451, path)
        t.equal(answer.body.error.id, 'unavailable-method')
      }
    })
})

t.test('auth.passkeyChallenge', async t => {
  t.test('requests user verification, with any passkey of the domain', async t => {
    const service = await coffer(t, { publicUrl: 'https://data.example.com' })
    const headers = { origin: 'https://data.example.com' }
    const { body } = await service.http('POST', '/auth/passkey-challenge', { appId: passkeyApp }, headers)
    t.match(body.request, {
      challenge: /^[\w-]{70}$/,
      rpId: 'data.example.com',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: []
    })
  })

  t.test('uses a parent domain of the host if the operator sets it', async t => {
    const overrides = { publicUrl: 'https://data.example.com', auth: { passkeyDomain: 'example.com' } }
    const service = await coffer(t, overrides)
    const headers = { origin: 'https://data.example.com' }
    const { body } = await service.http('POST', '/auth/passkey-challenge', { appId: passkeyApp }, headers)
    t.equal(body.request.rpId, 'example.com')
  })

  t.test('is refused to other pages', async t => {
    const service = await coffer(t)
    for (const headers of [{}, { origin: 'https://evil.example.com' }]) {
      const { status } = await service.http('POST', '/auth/passkey-challenge', { appId: passkeyApp }, headers)
      t.equal(status, 403)
    }
  })
})
