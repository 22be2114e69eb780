/** Password resets by a mailed link, for any caller, and failures of mail servers. */
import t, { type Test } from 'tap'
import type { Log, LogFields } from '../../../../core/log.js'
import { openCoffer, type Answer, type Overrides } from '../../../support/coffer.js'
import { linkOf, mailbox } from '../../../support/mailbox.js'
import { until } from '../../../support/socket.js'

const password = 'correct horse battery'
const appId = 'test-app'

/** Starts a service with a mail server, and registers Daisy and Bobby. */
async function start(t: Test, overrides: Overrides = {}) {
  const box = await mailbox(t)
  const lines: { message: string; fields: LogFields }[] = []
  const note = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields })
  const log: Log = { info: note, warn: note, error: note }
  const services = { email: { smtp: { host: '127.0.0.1', port: box.port } } }
  const service = await openCoffer(t, { services, ...overrides }, log)
  const origin = service.server.url
  const tokens: string[] = []
  for (const username of ['daisy', 'bobby']) {
    const { apiEndpoint } = await service.call(undefined, 'auth.register', {
      appId,
      username,
      password,
      email: `${username}@example.com`,
      language: username === 'bobby' ? 'fr' : 'en'
    })
    tokens.push(/\/\/(.+)@/.exec(apiEndpoint)![1]!)
  }
  const call = async (method: string, params: object, user = 'daisy', more = {}): Promise<Answer> =>
    await service.call(user, method, { appId, ...params }, undefined, { origin, ...more })
  const ask = async (user = 'daisy', more = {}): Promise<Answer> =>
    await call('account.requestPasswordReset', {}, user, more)
  const reset = async (
    resetToken: string,
    newPassword = 'another secret',
    user = 'daisy',
    more = {}
  ): Promise<Answer> => await call('account.resetPassword', { resetToken, newPassword }, user, more)
  const login = async (given: string, user = 'daisy'): Promise<Answer> =>
    await call('auth.login', { username: user, password: given }, user)
  /** Requests a link and reads it from the mail; `count` mails of this kind have arrived by then. */
  const token = async (user = 'daisy', count = 1): Promise<string> => {
    await ask(user)
    const mail = await box.receivedBy(`${user}@example.com`, count + 1)
    return linkOf(mail).searchParams.get('resetToken')!
  }
  const isAlive = async (): Promise<boolean> =>
    (await service.call('daisy', 'getAccessInfo', {}, tokens[0])).error === undefined
  return {
    service,
    clock: service.clock,
    services: service.server.services,
    box,
    lines,
    ask,
    reset,
    login,
    token,
    isAlive
  }
}

t.test('account.requestPasswordReset', async t => {
  t.test('mails a link, in the language of the user, that sets a new password once', async t => {
    const { ask, box, login, reset, service } = await start(t)
    await box.received(2)
    t.strictSame(await ask(), { accessId: undefined })
    const mail = await box.receivedBy('daisy@example.com', 2)
    t.equal(mail.subject, 'Reset your Coffer password')
    t.match(mail.source, /^To: daisy <daisy@example\.com>/m)
    const link = linkOf(mail)
    t.equal(link.origin + link.pathname, `${service.server.url}/access/reset-password.html`)
    t.equal(link.searchParams.get('username'), 'daisy')
    t.match(mail.html, link.href.replaceAll('&', '&amp;'))
    const token = link.searchParams.get('resetToken')!
    t.strictSame(await reset(token), { accessId: undefined })
    t.ok((await login('another secret')).token)
    t.match(await login(password), { error: { id: 'invalid-credentials' } })
    t.match(await reset(token, 'third secret'), { status: 401, error: { id: 'invalid-access-token' } })

    await ask('bobby')
    const french = await box.receivedBy('bobby@example.com', 2)
    t.equal(french.subject, 'Réinitialisez votre mot de passe Coffer')
    t.match(french.text, 'une seule fois')
  })

  t.test('returns the same for an unknown user, and mails nothing', async t => {
    const { ask, box } = await start(t)
    await box.received(2)
    t.strictSame(await ask('nobody'), { accessId: undefined })
    await ask()
    await box.received(3)
    t.equal(box.mails.length, 3)
  })

  t.test('throttles repeated requests, for any username', async t => {
    const { ask, clock } = await start(t, { throttle: { failures: 3 } })
    for (const user of ['daisy', 'nobody']) {
      for (let count = 0; count < 3; count++) t.notOk((await ask(user)).error)
      t.match(await ask(user), { status: 429, error: { id: 'too-many-requests' } })
    }
    clock.advance(2)
    t.notOk((await ask()).error)
  })

  t.test('limits the number of links, for requests from any address', async t => {
    const { ask, box } = await start(t)
    for (let count = 0; count < 9; count++) await ask('daisy', { ip: `192.0.2.${count}` })
    await ask('bobby')
    await box.receivedBy('bobby@example.com', 2)
    t.equal(
      box.mails.filter(({ to }) => to.includes('daisy@example.com')).length,
      6,
      'welcome and five links'
    )
  })

  const untrusted = [
    ['an origin that is not trusted', { origin: 'https://evil.example.com' }],
    ['no origin, whatever the referer', { origin: '', referer: 'https://evil.example.com' }],
    ['a trusted referer alone', { origin: '', referer: 'self' }]
  ] as const
  for (const [name, headers] of untrusted)
    t.test(`refuses ${name}, for known and unknown users`, async t => {
      const { ask, reset, service } = await start(t)
      const credentials =
        'referer' in headers && headers.referer === 'self'
          ? { ...headers, referer: service.server.url }
          : headers
      for (const user of ['daisy', 'nobody']) {
        t.match(await ask(user, credentials), { status: 403, error: { id: 'forbidden' } })
        t.match(await reset('x', 'another secret', user, credentials), { status: 403 })
      }
    })

  t.test('mails nothing if reset mails are off, and the welcome mail if that is on', async t => {
    const { ask, box, services } = await start(t, {
      services: { email: { enabled: { welcome: true, resetPassword: false } } }
    })
    t.notOk((await ask()).error)
    t.notOk(services.mailer.sends('resetPassword'))
    t.ok(services.mailer.sends('welcome'))
    t.equal(box.mails.length, 0, 'there is no server in these settings')
  })

  t.test('gives the link to the operator if there is no mail server', async t => {
    const { ask, lines, reset } = await start(t, { services: {} })
    await ask()
    await until(() => lines.some(({ fields }) => fields.link !== undefined), 'the link')
    const [line] = lines.filter(({ fields }) => fields.link !== undefined)
    const token = new URL(line!.fields.link!).searchParams.get('resetToken')!
    t.notOk((await reset(token)).error)
  })

  t.test('links to the page that the operator has set', async t => {
    const box = await mailbox(t)
    const service = await openCoffer(t, {
      ...box.settings,
      auth: { passwordResetPageURL: 'https://pages.example.com/reset?brand=x' }
    })
    await service.user('bobby', { email: 'bobby@example.com' })
    await service.call('bobby', 'account.requestPasswordReset', { appId }, undefined, {
      origin: service.server.url
    })
    const link = linkOf(await box.received(1))
    t.match(link.href, /^https:\/\/pages\.example\.com\/reset\?brand=x&resetToken=c\w{24}&username=bobby$/)
  })
})

const guessing = (resetToken: string) => ({
  method: 'account.resetPassword',
  params: { appId, resetToken, newPassword: 'another secret' }
})

t.test('account.resetPassword', async t => {
  t.test('ends sessions, keeps other accesses, and invalidates all links', async t => {
    const { isAlive, reset, service, token } = await start(t)
    const app = await service.alice.grant('read', '*')
    const [first, second] = [await token(), await token('daisy', 2)]
    t.notOk((await reset(second)).error)
    t.notOk(await isAlive())
    t.match(await reset(first), { error: { id: 'invalid-access-token' } })
    t.notOk((await app.call('getAccessInfo')).error)
  })

  t.test('refuses a link once another was requested', async t => {
    const { reset, token } = await start(t)
    const first = await token()
    const second = await token('daisy', 2)
    t.match(await reset(first), { status: 401, error: { id: 'invalid-access-token' } })
    t.notOk((await reset(second)).error)
  })

  t.test('refuses a token after an hour', async t => {
    const { clock, login, reset, token } = await start(t)
    const given = await token()
    clock.advance(3600)
    t.match(await reset(given), { status: 401, error: { id: 'invalid-access-token' } })
    t.ok((await login(password)).token)
  })

  t.test(
    'refuses tokens of others, invalid tokens and unknown users equally, and throttles attempts',
    async t => {
      const { clock, login, reset, token } = await start(t, { throttle: { failures: 3 } })
      const bobbys = await token('bobby')
      const daisys = await token()
      const refusals = [
        await reset(bobbys),
        await reset('nonsense'),
        await reset(daisys, 'another secret', 'nobody')
      ]
      for (const refusal of refusals) t.strictSame(refusal, refusals[0])
      t.match(refusals[0], { status: 401, error: { id: 'invalid-access-token' } })
      t.match(await reset('nonsense'), { status: 401 })
      t.match(await reset(daisys), { status: 429 })
      t.ok((await login(password)).token, 'signing in is another matter')
      clock.advance(2)
      t.notOk((await reset(daisys)).error)
      t.ok((await login(password, 'bobby')).token)
    }
  )

  t.test('lets one of two concurrent calls use a token', async t => {
    const { login, reset, token } = await start(t)
    const given = await token()
    const answers = await Promise.all([reset(given, 'secret of one'), reset(given, 'secret of two')])
    t.same(answers.map(({ error }) => error?.id).toSorted(), ['invalid-access-token', undefined])
    t.ok((await login(answers[0].error ? 'secret of two' : 'secret of one')).token)
  })

  t.test('is invalidated by a change of the password', async t => {
    const { services, reset, service, token } = await start(t)
    const given = await token()
    const signedIn = await service.call(
      'daisy',
      'auth.login',
      { username: 'daisy', password, appId },
      undefined,
      { origin: service.server.url }
    )
    const params = { oldPassword: password, newPassword: 'changed secret' }
    t.notOk((await service.call('daisy', 'account.changePassword', params, signedIn.token)).error)
    t.match(await reset(given), { error: { id: 'invalid-access-token' } })
    t.ok(services)
  })

  t.test('applies the password rules, and keeps the link valid if they are violated', async t => {
    const auth = {
      passwordComplexityMinLength: 8,
      passwordPreventReuseHistoryLength: 3,
      passwordAgeMinDays: 1,
      passwordResetMaxAge: 200_000
    }
    const { clock, login, reset, token } = await start(t, { auth })
    const given = await token()
    t.match(await reset(given, 'sevench'), { error: { id: 'invalid-parameters-format', data: [/8 char/] } })
    t.match(await reset(given), {
      error: { id: 'invalid-operation', data: { passwordCanBeChanged: Number } }
    })
    clock.advance(86_400)
    t.match(await reset(given, password), { status: 400, error: { id: 'invalid-operation' } })
    t.notOk((await reset(given)).error)
    t.ok((await login('another secret')).token)
  })

  t.test('works for an account whose password has expired', async t => {
    const { clock, login, reset, token } = await start(t, { auth: { passwordAgeMaxDays: 1 } })
    clock.advance(86_400)
    t.match(await login(password), { error: { id: 'invalid-credentials', data: { expiredTime: Number } } })
    t.notOk((await reset(await token())).error)
    t.ok((await login('another secret')).token)
  })

  t.test('cannot be guessed faster by batches', async t => {
    const { reset, service, token } = await start(t, { throttle: { failures: 3 } })
    const given = await token()
    const { results } = await service.call(
      'alice',
      'callBatch',
      Array.from({ length: 6 }, (_, index) => guessing(`guess ${index}`)),
      service.alice.token,
      { origin: service.server.url }
    )
    t.same(
      results.map((result: Answer) => result.error.id),
      [...Array(3).fill('invalid-access-token'), ...Array(3).fill('too-many-requests')]
    )
    t.notOk((await reset(given)).error, 'another account is another matter')
  })
})
