/** Emails about sign-ins from new devices and about changes to sign-in methods. (docs/spec/notices.md) */
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { Client, openCoffer, type Answer, type Overrides } from '../../support/coffer.js'
import { identityProvider } from '../../support/identity-provider.js'
import { mailbox, type Mail } from '../../support/mailbox.js'
import { addPasskey, loginWith, originOf, password, requestOf } from '../../support/passkeys.js'
import { SignInVisitor } from '../../support/sign-in-visitor.js'
import { until } from '../../support/socket.js'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
const adminKey = 'the key of the operator'

/** Starts a service with a mail server, and Daisy, who has registered with Firefox at 192.0.2.1. */
async function start(t: Test, overrides: Overrides = {}) {
  const box = await mailbox(t)
  const { services: { email = {} } = {}, ...others } = overrides
  const service = await openCoffer(t, {
    adminKey,
    http: { trustedProxies: ['127.0.0.1'] },
    ...others,
    services: { email: { ...box.settings.services.email, ...email } }
  })
  const from = (userAgent: string, ip: string): Record<string, string> => ({
    origin: service.server.url,
    'user-agent': userAgent,
    'x-forwarded-for': ip
  })
  const home = from(firefox, '192.0.2.1')
  const account = { appId: 'test-app', username: 'daisy', password, email: 'daisy@example.com' }
  const { body } = await service.http('POST', '/users', account, home)
  const token = new URL(body.apiEndpoint).username
  const { accesses } = await service.call('daisy', 'accesses.get', {}, token)
  const daisy = new Client(
    service,
    'daisy',
    (accesses as Answer[]).find(each => each.token === token)
  )
  const signIn = async (headers: Record<string, string>): Promise<number> => {
    const login = { username: 'daisy', password, appId: 'test-app' }
    return (await service.http('POST', '/daisy/auth/login', login, headers)).status
  }
  /** Returns all emails but the welcome, once all have been sent. */
  const mails = async (): Promise<Mail[]> => {
    const { mailer } = service.server.services
    await until(() => mailer.isIdle, 'no mail to be on its way')
    return box.mails.filter(({ subject }) => !/welcome/i.test(subject))
  }
  const subjects = async (): Promise<string[]> => (await mails()).map(({ subject }) => subject)
  const headers = { ...home, authorization: token }
  return { service, box, daisy, from, home, headers, signIn, mails, subjects }
}

t.test('an email is sent', async t => {
  t.test('about a sign-in with a new browser or from a new network only', async t => {
    const { daisy, from, home, mails, service, signIn } = await start(t)
    t.equal(await signIn(home), 200)
    t.equal(await signIn(from(firefox, '192.0.2.200')), 200, 'another address nearby')
    t.equal(await signIn(from(firefox.replaceAll('140', '141'), '192.0.2.1')), 200, 'a newer version')
    await daisy.stream('diary')
    const app = await daisy.grant('read', 'diary', { type: 'app', name: 'an-app' })
    const far = { ...from(safari, '203.0.113.9'), authorization: app.token }
    t.equal((await service.http('GET', '/daisy/events', undefined, far)).status, 200, 'a token of an app')
    t.same(await mails(), [])

    t.equal(await signIn(from(safari, '198.51.100.9')), 200)
    const [mail, ...others] = await mails()
    t.same(others, [])
    t.same(mail?.to, ['daisy@example.com'])
    t.match(mail?.subject, /^New sign-in to your /)
    for (const text of [mail!.text, mail!.html]) {
      t.match(text, /Time: \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
      t.match(text, 'Browser: Safari, iOS')
      t.match(text, 'IP address: 198.51.100.9')
      t.match(text, '/app/daisy/account')
    }
    t.equal(await signIn(from(safari, '198.51.100.10')), 200)
    t.equal((await mails()).length, 1, 'once for a device')
    t.equal(await signIn(from(safari, '2001:db8:1:2::3')), 200)
    t.equal(await signIn(from(safari, '2001:db8:1:9::4')), 200, 'the same customer')
    t.equal((await mails()).length, 2)
  })

  t.test('in the language of the account', async t => {
    const { daisy, from, mails, signIn } = await start(t)
    await daisy.do('account.update', { update: { language: 'fr' } })
    await signIn(from(safari, '198.51.100.9'))
    t.match((await mails())[0]?.text, /Navigateur\s: Safari, iOS/)
  })

  t.test("without the client's own description", async t => {
    const { from, mails, signIn } = await start(t)
    await signIn(from('Call-us-at-evil.example.com/1.0', '198.51.100.9'))
    const [mail] = await mails()
    t.match(mail?.text, 'Browser: –')
    t.notMatch(mail?.source, 'evil')
  })

  t.test('about passkeys that are added, revoked and signed in with', async t => {
    const { daisy, from, headers, mails, service, subjects } = await start(t)
    const { authenticator, passkey } = await addPasskey(daisy, { name: 'Call http://evil.example now' })
    const [added] = await mails()
    t.match(added?.subject, /^A passkey was added to your .* account/)
    t.match(added?.text, '“Call http evil example now”')
    t.notMatch(added?.source, 'http://evil')
    const request = await requestOf(service)
    await loginWith(service, authenticator.get(request), from(safari, '198.51.100.9'))
    t.match((await mails())[1]?.text, 'Browser: Safari, iOS')
    const path = `/daisy/passkeys/${passkey.id}`
    t.equal((await service.http('DELETE', path, undefined, headers)).status, 200)
    const ended = (await mails())[2]
    t.match(ended?.subject, /^A passkey was removed from your .* account/)
    t.match(ended?.text, /Browser: Firefox, Linux\r?\nIP address: 192\.0\.2\.1/)
    t.match(ended?.text, 'Remaining passkeys: –')
    t.equal((await subjects()).length, 3)
  })

  t.test('without a warning about a copied passkey if the same signature is replayed', async t => {
    const { daisy, home, service, subjects } = await start(t)
    const { authenticator } = await addPasskey(daisy, { counts: true, name: 'Key' })
    const signed = authenticator.get(await requestOf(service))
    const headers = { ...home, origin: originOf(service) }
    t.equal((await loginWith(service, signed, headers)).status, 200)
    t.equal((await loginWith(service, signed, headers)).status, 401)
    t.notOk((await subjects()).some(subject => /may have been copied/.test(subject)))
  })

  t.test('about a copied passkey', async t => {
    const { daisy, mails, service } = await start(t)
    const { authenticator } = await addPasskey(daisy, { counts: true, name: 'Key' })
    await loginWith(service, authenticator.get(await requestOf(service)))
    const seen = (await mails()).length
    const credential = authenticator.get(await requestOf(service), { counter: 1 })
    const { signature } = authenticator.get(await requestOf(service)).response
    const forged = { ...credential, response: { ...credential.response, signature } }
    t.equal((await loginWith(service, forged)).status, 401)
    t.equal((await mails()).length, seen, 'not for a signature that is wrong')
    t.equal((await loginWith(service, credential)).status, 401)
    const mail = (await mails())[seen]
    t.match(mail?.subject, /may have been copied/)
    t.match(mail?.text, 'the passkey “Key”')
  })

  t.test('about identities that are linked and unlinked', async t => {
    const provider = await identityProvider(t)
    const setting = provider.setting({ label: 'Work <b>www.evil.example</b>' })
    const { daisy, headers, mails, service } = await start(t, { auth: { oidc: [setting] } })
    await service.call(undefined, 'test.noteSignIns', { username: 'daisy' })
    const { secret } = await daisy.do('identities.begin')
    const { ticket } = await new SignInVisitor(service, secret).go()
    const answer = await service.http('POST', '/daisy/identities', { ticket, secret }, headers)
    const [linked] = await mails()
    t.match(linked?.subject, /^Work b www evil example b was linked to your .* account/)
    t.match(linked?.text, /Browser: Firefox, Linux\r?\nIP address: 192\.0\.2\.1/)
    await service.http('DELETE', `/daisy/identities/${answer.body.identity.id}`, undefined, headers)
    const [, unlinked, ...others] = await mails()
    t.match(unlinked?.subject, /^Work b www evil example b was unlinked from your /)
    t.equal(others.length, 0)
  })

  t.test('about a changed password, with the passkeys that remain valid', async t => {
    const { daisy, headers, mails, service } = await start(t)
    await addPasskey(daisy, { name: 'Olive’s phone' })
    const change = { oldPassword: password, newPassword: 'another long secret' }
    t.equal((await service.http('POST', '/daisy/account/change-password', change, headers)).status, 200)
    const changed = (await mails())[1]
    t.match(changed?.subject, /^Your .* password was changed/)
    t.match(changed?.text, 'still work: Olive’s phone')
    await service.call(undefined, 'test.mailToken', { username: 'daisy', resetToken: 'a token' })
    const reset = { appId: 'reset-app', resetToken: 'a token', newPassword: 'a third secret' }
    t.equal((await service.http('POST', '/daisy/account/reset-password', reset, headers)).status, 200)
    t.match((await mails())[2]?.subject, /^Your .* password was changed/)
  })

  t.test('about turning off two-factor authentication', async t => {
    const { daisy, headers, mails, service } = await start(t)
    const deactivate = async (): Promise<void> =>
      void (await service.http('POST', '/daisy/mfa/deactivate', {}, headers))
    await deactivate()
    t.same(await mails(), [], 'not where there is none')
    const factor = { method: 'totp', content: {}, secret: 'A'.repeat(32), recoveryCodes: [] }
    await service.call(undefined, 'test.enrol', { username: daisy.username, factor })
    await deactivate()
    t.match((await mails())[0]?.subject, /^Two-factor authentication was turned off for your .* account/)
  })

  t.test('about turning on and replacing two-factor authentication', async t => {
    const { daisy, headers, mails, service } = await start(t)
    for (const count of [1, 2]) {
      const { mfaToken, totp } = await daisy.do('mfa.activate', { method: 'totp' })
      t.equal((await mails()).length, count - 1, 'not before it is in force')
      const secret = Secret.fromBase32(totp.secret)
      const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
      const confirm = { ...headers, authorization: mfaToken }
      t.equal((await service.http('POST', '/daisy/mfa/confirm', { code }, confirm)).status, 200)
      const told = (await mails())[count - 1]
      t.match(told?.subject, /^Two-factor authentication was turned on for your .* account/)
      t.match(told?.text, /Browser: Firefox, Linux\r?\nIP address: 192\.0\.2\.1/)
    }
  })

  t.test("about the operator's actions, without the operator's address", async t => {
    const { daisy, mails, service } = await start(t)
    await addPasskey(daisy)
    const admin = { authorization: adminKey }
    t.equal((await service.http('DELETE', '/system/users/daisy/passkeys', undefined, admin)).status, 204)
    t.equal((await service.http('DELETE', '/system/users/daisy/passkeys', undefined, admin)).status, 204)
    const [, ended, ...others] = await mails()
    t.same(others, [])
    t.match(ended?.text, /sign in: Phone\..*Browser: –\r?\nIP address: –/s)
    const factor = { method: 'totp', content: {}, secret: 'A'.repeat(32), recoveryCodes: [] }
    await service.call(undefined, 'test.enrol', { username: 'daisy', factor })
    t.equal((await service.http('DELETE', '/system/users/daisy/mfa', undefined, admin)).status, 204)
    t.match((await mails())[2]?.subject, /Two-factor authentication/)
  })
})

t.test('no email is sent', async t => {
  t.test('after the user has turned them off, except a last one that says so', async t => {
    const { from, headers, mails, service, signIn } = await start(t)
    const set = async (isOn: boolean): Promise<Answer> =>
      (await service.http('PUT', '/daisy/account/notices', { isOn }, headers)).body.notices
    t.same(await set(false), { isOn: false, isAvailable: true })
    t.same(await set(false), { isOn: false, isAvailable: true })
    await signIn(from(safari, '198.51.100.9'))
    const [mail, ...others] = await mails()
    t.same(others, [])
    t.match(mail?.subject, /^Security emails were turned off/)
    t.same(await set(true), { isOn: true, isAvailable: true })
    await signIn(from(firefox, '203.0.113.7'))
    t.equal((await mails()).length, 2)
  })

  for (const [name, email] of [
    ['notices', { notices: false }],
    ['all mails', { enabled: false }],
    ['mails about passwords', { enabled: { welcome: true, resetPassword: false } }]
  ] as const)
    t.test(`if the operator has turned off ${name}`, async t => {
      const { daisy, from, mails, signIn } = await start(t, { services: { email } })
      await signIn(from(safari, '198.51.100.9'))
      t.same(await mails(), [])
      t.same((await daisy.do('account.getNotices')).notices, { isOn: true, isAvailable: false })
    })

  t.test('more than five times an hour, counted separately by kind', async t => {
    const { daisy, from, mails, service, signIn, subjects } = await start(t)
    for (let count = 1; count <= 8; count++) t.equal(await signIn(from(safari, `198.51.${count}.9`)), 200)
    t.equal((await mails()).length, 5)
    await addPasskey(daisy)
    t.match((await subjects()).at(-1), /^A passkey was added/)
    service.clock.advance(3601)
    await signIn(from(safari, '198.51.99.9'))
    t.equal((await mails()).length, 7)
  })

  t.test('about the first sign-in to an account', async t => {
    const { mails, service } = await start(t)
    await service.user('carol', { email: 'carol@example.com', language: 'en' })
    await service.call(undefined, 'test.setPassword', { username: 'carol', password })
    for (const [ip, count] of [
      ['192.0.2.1', 0],
      ['198.51.100.1', 1]
    ] as const) {
      const login = { username: 'carol', password, appId: 'test-app' }
      const credentials = { origin: service.server.url, ip }
      t.notOk((await service.call('carol', 'auth.login', login, undefined, credentials)).error)
      t.equal((await mails()).length, count)
    }
  })

  t.test('if addresses are ignored', async t => {
    const { mails, service } = await start(t)
    await service.call(undefined, 'test.setPassword', { username: 'alice', password })
    for (const ip of ['192.0.2.1', '198.51.100.1']) {
      const login = { username: 'alice', password, appId: 'test-app' }
      const credentials = { origin: service.server.url, ip }
      t.notOk((await service.call('alice', 'auth.login', login, undefined, credentials)).error)
    }
    t.same(await mails(), [])
  })

  t.test('about a call that failed', async t => {
    const { daisy, mails } = await start(t)
    const { passkey } = await addPasskey(daisy)
    const seen = (await mails()).length
    t.equal((await daisy.call('passkeys.delete', { id: 'unknown' })).error.id, 'unknown-resource')
    t.ok(passkey)
    t.equal((await mails()).length, seen)
  })
})
