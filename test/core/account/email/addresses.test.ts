/** Several addresses of an account: adding, verifying, choosing the primary one. (docs/spec/accounts.md#several-addresses) */
import t from 'tap'
import { Client, openCoffer, type Answer, type Service } from '../../../support/coffer.js'
import { linkOf, mailbox } from '../../../support/mailbox.js'
import { until } from '../../../support/socket.js'

const appId = 'test-app'
const password = 'correct horse battery'
const addressOf = (username: string): string => `${username}@example.com`

const box = await mailbox(t)
const enabled = { welcome: false, resetPassword: true, verifyEmail: true }
const service = await openCoffer(t, {
  services: { email: { ...box.settings.services.email, enabled } }
})
const { clock } = service
const origin = service.server.url
let names = 0

async function register(at: Service = service): Promise<Client> {
  const username = `person-${++names}`
  const email = addressOf(username)
  const fields = { appId, username, password, email, language: 'fr' }
  const { apiEndpoint } = await at.call(undefined, 'auth.register', fields)
  return new Client(at, username, { token: /\/\/(.+)@/.exec(apiEndpoint)![1]! } as never)
}

/** Creates a user with an address, without hashing a password. */
async function make(): Promise<Client> {
  const username = `person-${++names}`
  return await service.user(username, { email: addressOf(username) })
}

const change = async (by: Client, emails: object, more: object = {}): Promise<Answer> =>
  (await by.http('PUT', '/account', { emails, ...more })).body

async function listOf(by: Client): Promise<Answer[]> {
  return (await by.http('GET', '/account')).body.account.emails
}

/** Returns the token of the last link to an address. */
async function tokenFor(address: string, count = 1): Promise<string> {
  return linkOf(await box.receivedBy(address, count)).searchParams.get('verifyToken')!
}

const verify = async (username: string, token: unknown, from = origin): Promise<Answer> =>
  await service.http('POST', `/${username}/account/verify-email`, { appId, token }, { origin: from })

/** Adds an address and verifies it. */
async function addVerified(by: Client, address: string): Promise<void> {
  await change(by, { add: [address] })
  const { status } = await verify(by.username, await tokenFor(address))
  if (status !== 200) throw new Error(`not verified: ${address}`)
}

t.test('the address of a new account is verified by its link', async t => {
  const by = await register()
  const own = addressOf(by.username)
  t.match(await listOf(by), [
    { value: own, primary: true, status: 'verified', verificationMethod: 'registration' }
  ])
  const mail = await box.receivedBy(own)
  t.match(mail.subject, 'Vérifiez votre adresse e-mail')
  const link = linkOf(mail)
  t.match(link.href, `${origin}/access/verify-email.html?verifyToken=`)
  const { body, status } = await verify(by.username, link.searchParams.get('verifyToken'))
  t.match({ body, status }, { status: 200, body: { email: own } })
  t.match(await listOf(by), [{ status: 'verified', verificationMethod: 'email-link', verifiedAt: Number }])
})

t.test('an address is pending until its link is followed, once', async t => {
  const by = await make()
  const address = 'further@example.com'
  const { account } = await change(by, { add: [address] })
  const pending = {
    value: address,
    primary: false,
    status: 'pending',
    verifiedAt: null,
    verificationMethod: null
  }
  t.match(account.emails, [{ primary: true }, pending])
  t.match(await change(by, { setPrimary: address }), {
    error: { id: 'invalid-operation', data: { email: address } }
  })
  const token = await tokenFor(address)
  for (const [username, wrong] of [
    [by.username, 'wrong'],
    ['nobody-here', token],
    [(await make()).username, token],
    [by.username, `${token}x`]
  ] as const) {
    const { body, status } = await verify(username, wrong)
    t.match({ status, body }, { status: 401, body: { error: { id: 'invalid-access-token' } } }, username)
  }
  t.match(await verify(by.username, token, 'https://evil.example.com'), { status: 403 })
  t.match(await verify(by.username, token), { status: 200, body: { email: address } })
  t.match(await verify(by.username, token), { status: 401 })
  t.match(await listOf(by), [{}, { value: address, status: 'verified', verificationMethod: 'email-link' }])
})

t.test('a link expires, and another one replaces it', async t => {
  const by = await make()
  const address = 'slow@example.com'
  await change(by, { add: [address] })
  const first = await tokenFor(address)
  t.match(await change(by, { resend: [address] }), {
    error: { id: 'invalid-operation', data: { email: address, retryAfterSeconds: 300 } }
  })
  clock.advance(301)
  t.notOk((await change(by, { resend: [address] })).error)
  const second = await tokenFor(address, 2)
  t.match(await verify(by.username, first), { status: 401 })
  clock.advance(86_400)
  t.match(await verify(by.username, second), { status: 401 })
  t.notOk((await change(by, { resend: [address] })).error)
  t.match(await verify(by.username, await tokenFor(address, 3)), { status: 200 })
})

t.test('a verified address becomes the primary one, which stays in the list', async t => {
  const by = await register()
  const [own, other] = [addressOf(by.username), 'Other@Example.com']
  await addVerified(by, other)
  const login = async (address: string): Promise<Answer> =>
    (await service.http('GET', `/reg/${encodeURIComponent(address)}/uid`)).body
  t.match(await login('other@example.COM'), { uid: by.username }, 'it identifies the account')
  t.notOk((await change(by, { setPrimary: 'OTHER@example.com' })).error)
  t.match(await listOf(by), [
    { value: other, primary: true, status: 'verified' },
    { value: own, primary: false, status: 'verified' }
  ])
  t.match(await by.do('account.getEmail'), { email: { address: other, isConfirmed: true } })
  await until(() => box.mails.some(({ to, text }) => to.includes(own) && text.includes('O…@')), 'a notice')
  await service.call(by.username, 'account.requestPasswordReset', { appId }, undefined, { origin })
  await until(
    () => box.mails.some(({ to, text }) => to.includes(other) && text.includes('resetToken')),
    'a reset'
  )
  t.match(await login(own), { uid: by.username })
  t.match(await change(by, { remove: [other] }), {
    error: { id: 'invalid-operation', data: { email: other } }
  })
  t.notOk((await change(by, { remove: [own] })).error)
  t.match(await login(own), { error: { id: 'unknown-resource' } }, 'a removed address is free')
  t.match(await listOf(by), { length: 1 })
})

t.test('another primary address needs a proof of identity', async t => {
  const by = await register()
  const address = 'proven@example.com'
  await addVerified(by, address)
  clock.advance(3600)
  t.match(await change(by, { setPrimary: address }), {
    error: { id: 'invalid-operation', data: { code: 'proof-missing' } }
  })
  t.notOk((await change(by, { setPrimary: address }, { password })).error)
  t.match(await listOf(by), [{ value: address, primary: true }, {}])
})

t.test('changes are carried out in their order, all or none', async t => {
  const by = await make()
  const own = addressOf(by.username)
  const add = ['one@example.com', 'two@example.com', 'three@example.com', 'four@example.com']
  t.match(await change(by, { add: [...add, 'five@example.com'] }, { language: 'de' }), {
    error: { id: 'invalid-operation', data: { maxEmails: 5 } }
  })
  t.match(await listOf(by), { length: 1 })
  t.match(await change(by, { add, remove: ['two@example.com'] }, { language: 'de' }), {
    account: { language: 'de', emails: { length: 4 } }
  })
  for (const given of [own, own.toUpperCase(), 'ONE@example.com'])
    t.match(await change(by, { add: [given] }), {
      error: { id: 'invalid-operation', data: { email: given } }
    })
  t.match(await change(by, { resend: [own] }), { error: { id: 'invalid-operation', data: { email: own } } })
  for (const action of [
    { setPrimary: 'x@y.example' },
    { remove: ['x@y.example'] },
    { resend: ['x@y.example'] }
  ])
    t.match(await change(by, action), { error: { id: 'invalid-operation', data: { email: 'x@y.example' } } })
  for (const odd of [
    '',
    'a\nb@example.com',
    'x'.repeat(301),
    'no address',
    '<x@example.com>',
    'x@y@z',
    'x\u202e@y'
  ])
    t.match(await change(by, { add: [odd] }), { error: { id: 'invalid-parameters-format' } })
})

t.test('a pending address is reserved for nobody: the first to verify it gets it', async t => {
  const [one, other] = [await make(), await make()]
  for (let round = 0; round < 10; round++) {
    const address = `shared-${round}@example.com`
    t.notOk((await change(one, { add: [address] })).error)
    t.notOk(
      (await change(other, { add: [address.toUpperCase()] })).error,
      'nothing tells of the other account'
    )
    const tokens = [await tokenFor(address), await tokenFor(address.toUpperCase())]
    const answers = await Promise.all([verify(one.username, tokens[0]), verify(other.username, tokens[1])])
    t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 409])
    t.match(answers.find(({ status }) => status === 409)!.body.error, {
      id: 'item-already-exists',
      data: { email: /^shared/i }
    })
    for (const each of [one, other]) await change(each, { remove: [address] })
    clock.advance(3600)
  }
})

t.test('an address of another account', async t => {
  const [one, other] = [await make(), await make()]
  const own = addressOf(one.username)
  t.match(await change(other, { add: [own.toUpperCase()] }), {
    error: { id: 'item-already-exists', data: { email: own.toUpperCase() } }
  })
  const address = 'e\u0301late@example.com'
  await addVerified(one, address)
  t.match(await change(other, { add: ['\u00C9LATE@example.com'] }), { error: { id: 'item-already-exists' } })
  const fields = { appId, username: 'latecomer', password, email: '\u00E9late@example.com', language: 'en' }
  t.match(await service.call(undefined, 'auth.register', fields), { error: { id: 'item-already-exists' } })
})

t.test('mails are limited by account and by address', async t => {
  const by = await make()
  const before = box.mails.length
  for (let count = 0; count < 10; count++) {
    t.notOk((await change(by, { add: [`victim-${count}@example.com`] })).error)
    t.notOk((await change(by, { remove: [`victim-${count}@example.com`] })).error)
  }
  t.match(await change(by, { add: ['one-more@example.com'] }), { error: { id: 'too-many-requests' } })
  await quiet()
  t.ok(box.mails.length - before <= 10)
  // Forms of one mailbox.
  const forms = ['victim@b\u00fccher.example', 'VICTIM@xn--bcher-kva.example', 'victim+1@b\u00fccher.example']
  for (let count = 0; count < 7; count++) {
    const attacker = await make()
    const add = [forms[count % forms.length]]
    t.notOk((await change(attacker, { add })).error, 'the response does not tell')
  }
  await quiet()
  t.equal(box.mails.filter(({ to }) => to.some(isVictim)).length, 5)
})

t.test('a user who replaces the primary address as before', async t => {
  const by = await register()
  const own = addressOf(by.username)
  await addVerified(by, 'kept@example.com')
  await by.do('account.update', { update: { email: 'next@example.com' } })
  t.match(await listOf(by), [
    { value: 'next@example.com', primary: true, status: 'pending' },
    { value: 'kept@example.com', primary: false }
  ])
  await quiet()
  const link = linkOf(box.mails.findLast(({ to }) => to.includes('next@example.com'))!)
  await by.do('account.confirmEmail', { token: link.hash.replace('#token=', '') })
  t.match(await listOf(by), [{ status: 'verified', verificationMethod: 'email-link' }, {}])
  t.match(await change(await register(), { add: [own] }), { account: {} }, 'the former one is free')
})

t.test('an app that sets another primary address removes no other one', async t => {
  const by = await register()
  await addVerified(by, 'safe@example.com')
  const app = await by.grant('contribute', ':system:email', { type: 'app', name: 'an-app' })
  for (const content of ['safe@example.com', 'evil@example.com'])
    await app.do('events.create', { streamIds: [':system:email'], type: 'email/string', content })
  t.match(
    (await listOf(by)).map(({ value }) => value).toSorted(),
    ['evil@example.com', addressOf(by.username), 'safe@example.com'].toSorted()
  )
  t.match(await by.do('account.getEmail'), { email: { confirmedAddress: addressOf(by.username) } })
})

t.test('without verification mails', async t => {
  const plain = await openCoffer(t, box.settings)
  const before = box.mails.length
  const by = await register(plain)
  await until(() => plain.server.services.mailer.isIdle, 'no mail to be on its way')
  t.notOk(
    box.mails.slice(before).some(({ text }) => text.includes('verifyToken')),
    'new accounts need not verify'
  )
  await change(by, { add: ['asked@example.com'] })
  t.match((await box.receivedBy('asked@example.com')).text, 'verifyToken')
  const off = await openCoffer(t, {
    services: { email: { ...box.settings.services.email, enabled: { verifyEmail: false } } }
  })
  const other = await register(off)
  t.match(await change(other, { add: ['silent@example.com'] }), {
    account: { emails: [{}, { status: 'pending' }] }
  })
  await until(() => off.server.services.mailer.isIdle, 'no mail to be on its way')
  t.notOk(box.mails.some(({ to }) => to.includes('silent@example.com')))
})

t.test('links that confirm an address, and welcomes, are limited by address', async t => {
  const adminKey = 'a-key-for-the-operator-0123456789'
  const withheld: string[] = []
  const at = await openCoffer(
    t,
    { adminKey, services: { email: box.settings.services.email } },
    { info() {}, error() {}, warn: (line, { accountId } = {}) => void withheld.push(`${line} ${accountId}`) }
  )
  const settled = async (): Promise<void> =>
    await until(() => at.server.services.mailer.isIdle, 'no mail to be on its way')
  const sentTo = (word: RegExp): number =>
    box.mails.filter(({ to }) => to.some(address => word.test(address))).length
  // Many mail servers deliver all of them to one mailbox.
  const forms = ['QUARRY', 'quarry+1', 'q.uarry', 'qu.arry', 'q.u.arry', 'qua.rry+2', 'quarr.y', '"quarry"']
  for (const [count, form] of forms.entries()) {
    const fields = { appId, username: `newcomer-${count}`, password, email: `prey+${count}@example.com` }
    t.notOk((await at.call(undefined, 'auth.register', fields)).error)
    const attacker = await at.user(`attacker-${count}`, { email: addressOf(`attacker-${count}`) })
    const email = `${form}@example.com`
    t.notOk(
      (await attacker.call('account.update', { update: { email } })).error,
      'the response does not tell'
    )
  }
  await settled()
  t.equal(sentTo(/^prey/), 5)
  t.equal(sentTo(/^q\.?u\.?a\.?r\.?r\.?y/i), 5)
  t.equal(withheld.length, 6)
  t.match(withheld[0], /^an email was not sent: its mailbox got too many within an hour \w/)

  // The participants of a study, whom the operator adds.
  const passwordHash = `$2b$10$${'a'.repeat(53)}`
  for (let count = 0; count < 7; count++) {
    const fields = {
      username: `p-000${count}`,
      passwordHash,
      email: `lab+${count}@example.com`,
      language: 'en'
    }
    t.notOk((await at.call(undefined, 'system.createUser', fields, adminKey)).error)
  }
  await settled()
  t.equal(sentTo(/^lab/), 7)
})

/** Returns whether an address is one of the forms of a mailbox. */
function isVictim(to: string): boolean {
  return to.toLowerCase().startsWith('victim') && to.includes('cher')
}

async function quiet(): Promise<void> {
  await until(() => service.server.services.mailer.isIdle, 'no mail to be on its way')
}
