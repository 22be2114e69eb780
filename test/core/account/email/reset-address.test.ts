/** The address to which a password reset is mailed: never one set by anyone but the user. */
import t, { type Test } from 'tap'
import type { Log, LogFields } from '../../../../core/log.js'
import { openCoffer, type Answer, type Client, type Overrides } from '../../../support/coffer.js'
import { Client as Someone } from '../../../support/coffer.js'
import { linkOf, mailbox, type Mail } from '../../../support/mailbox.js'
import { until } from '../../../support/socket.js'

const appId = 'test-app'
const password = 'correct horse battery'
const own = 'daisy@example.com'
const theirs = 'eve@evil.example.com'

/** Starts a service with a mail server and a registered user, Daisy. Returns them with the mails so far. */
async function start(t: Test, overrides: Overrides = {}) {
  const box = await mailbox(t)
  const lines: { message: string; fields: LogFields }[] = []
  const note = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields })
  const log: Log = { info: note, warn: note, error: note }
  const service = await openCoffer(t, { ...box.settings, ...overrides }, log)
  const origin = service.server.url
  const registered = await service.call(undefined, 'auth.register', {
    appId,
    username: 'daisy',
    password,
    email: own,
    language: 'en'
  })
  const token = /\/\/(.+)@/.exec(registered.apiEndpoint)![1]!
  const daisy = new Someone(service, 'daisy', { token } as never)
  /** Requests a reset link without a token, and waits until mails have been written. */
  const ask = async (): Promise<void> => {
    const { error } = await service.call('daisy', 'account.requestPasswordReset', { appId }, undefined, {
      origin,
      ip: `192.0.2.${lines.length % 200}`
    })
    t.notOk(error)
  }
  const reset = async (resetToken: string): Promise<Answer> =>
    await service.call(
      'daisy',
      'account.resetPassword',
      { appId, resetToken, newPassword: 'another secret' },
      undefined,
      { origin }
    )
  const mailsTo = (address: string): Mail[] => box.mails.filter(({ to }) => to.includes(address))
  const resetsTo = (address: string): Mail[] => mailsTo(address).filter(isReset)
  /** Waits until all mails have been sent. */
  const quiet = async (): Promise<void> =>
    await until(() => service.server.services.mailer.isIdle, 'no mail to be on its way')
  /** Confirms the active address by the last link that was mailed to it. */
  const confirm = async (address: string): Promise<void> => {
    await quiet()
    const mail = mailsTo(address).findLast(({ text }) => text.includes('confirm-email.html'))
    await daisy.do('account.confirmEmail', { token: linkOf(mail!).hash.replace('#token=', '') })
  }
  if (!('services' in overrides)) await box.receivedBy(own)
  const core = service.server.services
  return { service, core, box, daisy, lines, ask, reset, mailsTo, resetsTo, quiet, confirm }
}

/** Returns whether a mail contains a password reset link. */
function isReset({ text }: Mail): boolean {
  return text.includes('resetToken=')
}

const emailStream = ':system:email'
const event = (content: string, more: object = {}): object => ({
  streamIds: [emailStream],
  type: 'email/string',
  content,
  ...more
})

async function emails(daisy: Client): Promise<Answer[]> {
  const { events } = await daisy.do('events.get', { streams: [emailStream], state: 'all' })
  return events
}

async function activeEmail(daisy: Client): Promise<Answer> {
  const events = await emails(daisy)
  return events.find(({ streamIds }) => streamIds.includes(':_system:active'))
}

type Way = (daisy: Client) => Promise<void>

/** Ways in which an app activates an address of its choice. */
const ways: Readonly<Record<string, Way>> = {
  'events.create with create-only': async daisy => {
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('events.create', event(theirs))
  },
  'events.create through the account stream': async daisy => {
    const app = await daisy.grant('contribute', ':_system:account', { type: 'app', name: 'helpful-app' })
    await app.do('events.create', event(theirs))
  },
  'events.update of the one in force': async daisy => {
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('events.update', { id: (await activeEmail(daisy)).id, update: { content: theirs } })
  },
  'a batch': async daisy => {
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'helpful-app' })
    const answer = await app.call('callBatch', [{ method: 'events.create', params: event(theirs) }])
    if (answer.results[0].error) throw new Error('refused')
  },
  'a share of an app': async daisy => {
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    const share = await app.grant('contribute', emailStream, { name: 'a share' })
    await share.do('events.create', event(theirs))
  },
  'the mark of the one in force on an older value': async daisy => {
    // The app's address was active for a while: Daisy has set her own since.
    await daisy.do('events.create', event(theirs))
    const old = await activeEmail(daisy)
    await daisy.do('events.create', event('daisy2@example.com'))
    await daisy.do('account.update', { update: { email: 'daisy3@example.com' } })
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('events.update', {
      id: old.id,
      update: { streamIds: [emailStream, ':_system:active'] }
    })
  },
  'a value that was trashed and restored': async daisy => {
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    const first = (await app.do('events.create', event(theirs))).event
    await app.do('events.create', event('cover@evil.example.com'))
    await app.do('events.delete', { id: first.id })
    await app.do('events.update', { id: first.id, update: { trashed: false } })
    await app.do('events.update', {
      id: first.id,
      update: { streamIds: [emailStream, ':_system:active'] }
    })
  },
  'a batch that comes back to the address of before and leaves it again': async daisy => {
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('callBatch', [
      { method: 'events.create', params: event('one@evil.example.com') },
      { method: 'events.create', params: event(theirs) }
    ])
  }
}

t.test('an address set by an app', async t => {
  for (const [name, set] of Object.entries(ways))
    t.test(`receives no reset mail: ${name}`, async t => {
      const { ask, daisy, quiet, resetsTo, reset } = await start(t)
      await set(daisy)
      t.equal((await activeEmail(daisy)).content, theirs)
      await ask()
      await quiet()
      t.same(resetsTo(theirs), [])
      const [mail] = resetsTo(own)
      t.ok(mail, 'the last one that the person has confirmed does')
      t.notOk((await reset(linkOf(mail!).searchParams.get('resetToken')!)).error)
    })

  t.test(
    'is reported to the previous address, with the app and advice, in the language of the user',
    async t => {
      for (const language of ['en', 'fr']) {
        const { daisy, mailsTo, quiet } = await start(t)
        if (language === 'fr') await daisy.do('account.update', { update: { language } })
        const app = await daisy.grant('create-only', emailStream, {
          type: 'app',
          name: 'helpful <b>app</b>\r\nBcc: all@example.com see https://evil.example.com/'
        })
        await app.do('events.create', event(theirs))
        await quiet()
        const [mail, ...others] = mailsTo(own).slice(1)
        t.same(others, [], 'once')
        t.match(mail!.subject, language === 'fr' ? /adresse e-mail .* modifiée/ : /email address .* changed/)
        t.match(mail!.text, 'helpful')
        t.notMatch(mail!.text, 'https://evil')
        t.notMatch(mail!.source, /^Bcc:/m)
        t.notMatch(mail!.html, '<b>app</b>')
        t.notMatch(mail!.text, theirs, 'who reads the former mailbox need not learn the new address')
        t.match(mail!.text, 'evil.example.com')
        t.match(mail!.text, '/app/daisy/account')
      }
    }
  )

  t.test('is reported once for each of a few changes, however many an app makes', async t => {
    const { box, daisy, mailsTo, quiet } = await start(t)
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'busy-app' })
    for (let count = 0; count < 20; count++)
      await app.do('events.create', event(`number-${count}@evil.example.com`))
    await quiet()
    const told = (): number => mailsTo(own).length - 1
    t.ok(told() >= 1 && told() <= 5, `${told()} mails`)
    const asked = box.mails.filter(({ to }) => to[0]!.endsWith('evil.example.com'))
    t.ok(asked.length <= 5, `${asked.length} links`)
  })

  t.test('does not keep a confirmed address from being notified when it is replaced', async t => {
    const { daisy, mailsTo, quiet } = await start(t)
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'busy-app' })
    for (let count = 0; count < 20; count++)
      await app.do('events.create', event(`number-${count}@evil.example.com`))
    await quiet()
    const before = mailsTo(own).length
    await daisy.do('account.update', { update: { email: theirs } })
    await quiet()
    t.equal(mailsTo(own).length, before + 1)
  })

  t.test('is not reported if the call that sets it fails', async t => {
    const { daisy, mailsTo, quiet } = await start(t)
    const id = `c${'a'.repeat(24)}`
    await daisy.stream('diary')
    await daisy.do('events.create', { id, streamIds: ['diary'], type: 'note/txt', content: 'taken' })
    const app = await daisy.grant('create-only', emailStream, { type: 'app', name: 'clumsy-app' })
    t.match(await app.call('events.create', event(theirs, { id })), { error: { id: 'item-already-exists' } })
    await quiet()
    t.equal(mailsTo(own).length, 1, 'the welcome')
    t.equal((await activeEmail(daisy)).content, own)
  })

  t.test('is found by look-up, and the previous one stays reserved for the account', async t => {
    const { confirm, daisy, service } = await start(t)
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('events.update', { id: (await activeEmail(daisy)).id, update: { content: theirs } })
    for (const email of [own, theirs])
      t.match(await service.call(undefined, 'registration.username', { email }), { username: 'daisy' }, email)
    const other = { appId, username: 'other-daisy', password, email: own }
    t.match(await service.call(undefined, 'auth.register', other), { error: { id: 'item-already-exists' } })
    await daisy.do('account.update', { update: { email: 'new@example.com' } })
    t.match(await service.call(undefined, 'auth.register', other), { error: { id: 'item-already-exists' } })
    await confirm('new@example.com')
    for (const email of [own, theirs])
      t.match(await service.call(undefined, 'registration.username', { email }), { status: 404 }, email)
    t.ok((await service.call(undefined, 'auth.register', other)).apiEndpoint)
  })
})

t.test('an address set by the user', async t => {
  t.test(
    'receives reset mails once confirmed; the previous one is notified, and its links become invalid',
    async t => {
      const { ask, confirm, daisy, mailsTo, quiet, reset, resetsTo } = await start(t)
      await daisy.do('account.update', { update: { email: 'new@example.com' } })
      await ask()
      await quiet()
      t.equal(resetsTo('new@example.com').length, 0, 'not before')
      const before = linkOf(resetsTo(own)[0]!).searchParams.get('resetToken')!
      await daisy.do('account.update', { update: { email: 'newer@example.com' } })
      await confirm('newer@example.com')
      t.match(await reset(before), { error: { id: 'invalid-access-token' } })
      await ask()
      await quiet()
      t.equal(resetsTo(own).length, 1)
      t.equal(resetsTo('newer@example.com').length, 1)
      const told = mailsTo(own).filter(({ subject }) => subject.includes('email address'))
      t.equal(told.length, 3, 'of each change, and of the confirmation')
      t.match(told.at(-1)!.text, 'change your password')
    }
  )

  t.test('requires proof once the sign-in is ten minutes old, however it is set', async t => {
    const { daisy, mailsTo, quiet, service } = await start(t)
    const old = await activeEmail(daisy)
    await daisy.do('events.create', event('once@example.com'))
    await daisy.do('account.update', { update: { email: own } })
    await quiet()
    const mails = mailsTo(own).length
    service.clock.advance(601)
    const refused = { id: 'invalid-operation', data: { code: 'proof-missing' } }
    const { id } = await activeEmail(daisy)
    const calls: readonly (readonly [string, object])[] = [
      ['account.update', { update: { email: theirs } }],
      ['account.update', { update: { email: own.toUpperCase(), language: 'fr' } }],
      ['events.create', event(theirs)],
      ['events.create', { ...event(theirs), streamIds: [emailStream, ':_system:active'] }],
      ['events.create', { ...event(theirs), streamIds: undefined, streamId: emailStream }],
      ['events.update', { id, update: { content: theirs } }],
      ...(await emails(daisy))
        .filter((each: Answer) => each.id !== id)
        .map((each: Answer): [string, object] => [
          'events.update',
          { id: each.id, update: { content: theirs, streamIds: [emailStream, ':_system:active'] } }
        ])
    ]
    t.ok(calls.length > 6, 'with an older value')
    for (const [method, params] of calls) {
      const what = `${method} ${JSON.stringify(params)}`
      t.match((await daisy.call(method, params)).error, refused, what)
      const { results } = await daisy.call('callBatch', [{ method, params }])
      t.match(results[0].error, refused, what)
    }
    t.match(await daisy.http('PUT', '/account', { email: theirs }), {
      status: 400,
      body: { error: refused }
    })
    t.equal((await activeEmail(daisy)).content, own)
    t.equal((await daisy.do('account.get')).account.language, 'en')
    await quiet()
    t.equal(mailsTo(own).length, mails, 'nobody is told of what is refused')
    t.ok(old.id)
    for (const update of [{ language: 'de' }, { email: own }, { email: own, language: 'en' }])
      await daisy.do('account.update', { update })
    await daisy.do('events.update', { id, update: { description: 'touched' } })
  })

  t.test('accepts the password in the call, or a later sign-in', async t => {
    const { daisy, service } = await start(t)
    service.clock.advance(601)
    const put = async (body: object): Promise<Answer> => await daisy.http('PUT', '/account', body)
    t.match(await put({ email: 'new@example.com', password: 'a guess' }), {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { code: 'password-wrong' } } }
    })
    t.match(await put({ password }), { status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    t.match(await put({ email: 'new@example.com', password: {} }), { status: 400 })
    t.match(await put({ email: 'new@example.com', password }), {
      status: 200,
      body: { account: { email: 'new@example.com' } }
    })
    t.match(await put({ email: 'newer@example.com' }), { status: 400 })
    const { url } = service.server
    const signedIn = await service.call(
      'daisy',
      'auth.login',
      { username: 'daisy', password, appId },
      undefined,
      { origin: url }
    )
    t.equal(signedIn.token, daisy.token)
    t.match(await put({ email: 'newer@example.com' }), { status: 200 })
  })

  t.test('cannot be confirmed by a stolen session, even with an app and a mailbox', async t => {
    const { daisy, mailsTo, quiet, service } = await start(t)
    service.clock.advance(601)
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    await app.do('events.create', event(theirs))
    await quiet()
    const token = linkOf(mailsTo(theirs)[0]!).hash.replace('#token=', '')
    t.match(await daisy.call('account.confirmEmail', { token }), {
      error: { id: 'invalid-operation', data: { code: 'proof-missing' } }
    })
    t.equal((await daisy.do('account.getEmail')).email.confirmedAddress, own)
    await daisy.do('account.confirmEmail', { token, password })
    t.equal((await daisy.do('account.getEmail')).email.confirmedAddress, theirs)
  })

  t.test('is confirmed immediately if no confirmation mail can be sent', async t => {
    const service = await openCoffer(t)
    const daisy = await service.user('daisy', { email: own })
    await daisy.do('account.update', { update: { email: 'new@example.com' } })
    t.match(await daisy.do('account.getEmail'), {
      email: { isConfirmed: true, confirmedAddress: 'new@example.com' }
    })
  })

  t.test('can be set by events, and by marking an older value as active', async t => {
    const { ask, confirm, daisy, quiet, resetsTo } = await start(t)
    const old = await activeEmail(daisy)
    await daisy.do('events.create', event('second@example.com'))
    await confirm('second@example.com')
    await ask()
    await quiet()
    t.equal(resetsTo('second@example.com').length, 1)
    await daisy.do('events.update', { id: old.id, update: { streamIds: [emailStream, ':_system:active'] } })
    await confirm(own)
    await ask()
    await quiet()
    t.equal(resetsTo(own).length, 1)
    await daisy.do('events.update', { id: old.id, update: { content: 'third@example.com' } })
    await confirm('third@example.com')
    await ask()
    await quiet()
    t.equal(resetsTo('third@example.com').length, 1)
  })

  t.test('is not attributed to others by unrelated changes', async t => {
    const { ask, daisy, quiet, resetsTo } = await start(t)
    const app = await daisy.grant('contribute', emailStream, { type: 'app', name: 'helpful-app' })
    const { id } = await activeEmail(daisy)
    await app.do('events.update', { id, update: { description: 'touched' } })
    await ask()
    await quiet()
    t.equal(resetsTo(own).length, 1, 'an app that touches it takes nothing away')
    await app.do('events.update', { id, update: { content: theirs } })
    await daisy.do('events.update', { id, update: { description: 'by the person' } })
    await daisy.do('account.update', { update: { language: 'de' } })
    await ask()
    await quiet()
    t.equal(resetsTo(theirs).length, 0, 'nor does a person who touches it give anything')
    t.equal(resetsTo(own).length, 2)
  })
})
