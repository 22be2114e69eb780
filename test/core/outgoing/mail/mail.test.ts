/** Sending email to servers that accept, refuse, hang or disconnect; and the templates of emails. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Log, LogFields } from '../../../../core/log.js'
import type { Message } from '../../../../core/outgoing/mail/message.js'
import { createMailTransport } from '../../../../core/outgoing/mail/mail-transport.js'
import { type Answer, openCoffer, type Overrides, type Service, testConfig } from '../../../support/coffer.js'
import { linkOf, mailbox } from '../../../support/mailbox.js'
import { receiver } from '../../../support/receiver.js'
import { until } from '../../../support/socket.js'

t.setTimeout(900_000)

const appId = 'test-app'

/** Starts a service and captures its log lines. */
async function start(
  t: Test,
  overrides: Overrides
): Promise<{ service: Service; lines: { message: string; fields: LogFields }[] }> {
  const lines: { message: string; fields: LogFields }[] = []
  const note = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields })
  const log: Log = { info: note, warn: note, error: note }
  return { service: await openCoffer(t, overrides, log), lines }
}

async function register(service: Service, fields: object = {}): Promise<Answer> {
  return await service.call(undefined, 'auth.register', {
    appId,
    username: 'daisy',
    password: 'correct horse',
    email: 'daisy@example.com',
    ...fields
  })
}

async function ask(service: Service, user: string): Promise<Answer> {
  return await service.call(user, 'account.requestPasswordReset', { appId }, undefined, {
    origin: service.server.url
  })
}

/** Starts a mail server that sends the given replies. */
async function rude(t: Test, speak: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => {})
    speak(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

const smtp = (port: number, more: object = {}): Overrides => ({
  services: { email: { smtp: { host: '127.0.0.1', port }, ...more } }
})

t.test('an email', async t => {
  t.test("is sent to a new user, in the user's language, from the service", async t => {
    const box = await mailbox(t)
    const { service } = await start(t, { ...box.settings, service: { name: 'Our Place' } })
    await register(service)
    await register(service, { username: 'fleur', email: 'fleur@example.com', language: 'fr-CH' })
    await register(service, { username: 'luisa', email: 'luisa@example.com', language: 'it' })
    const english = await box.receivedBy('daisy@example.com')
    t.equal(english.subject, 'Welcome to Our Place')
    t.equal(english.from, 'no-reply@127.0.0.1')
    t.match(english.source, /^From: Our Place <no-reply@127\.0\.0\.1>/m)
    t.match(english.source, /^Auto-Submitted: auto-generated/m)
    t.match(english.text, 'Your username is daisy')
    t.match(english.html, '<p>Hello daisy,</p>')
    t.equal((await box.receivedBy('fleur@example.com')).subject, 'Bienvenue sur Our Place')
    t.equal((await box.receivedBy('luisa@example.com')).subject, 'Welcome to Our Place')
  })

  t.test('is sent after signing in to the server, if required', async t => {
    const signedIn: string[] = []
    const box = await mailbox(t, {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ password, username }, _session, done) {
        signedIn.push(`${username}:${password}`)
        done(null, { user: username })
      }
    })
    const credentials = { host: '127.0.0.1', port: box.port, user: 'coffer', password: 'of the server' }
    const from = 'hello@example.com'
    const { service } = await start(t, { services: { email: { smtp: credentials, from } } })
    await register(service)
    t.equal((await box.received(1)).from, from)
    t.same(signedIn, ['coffer:of the server'])
  })

  t.test('is not sent unencrypted if that is not allowed', async t => {
    const box = await mailbox(t)
    const { lines, service } = await start(t, {
      services: { email: { smtp: { host: '127.0.0.1', port: box.port, encryption: 'starttls' } } }
    })
    await register(service)
    await until(() => lines.length > 0, 'a line')
    t.equal(box.mails.length, 0)
  })

  const nobody = ['nobody', 'two@example.com, three@example.com', '<a@b>', '"a b"@c', 'a@b@c', 'a@b;c@d']
  for (const email of nobody)
    t.test(`is not sent to ${JSON.stringify(email)}`, async t => {
      const box = await mailbox(t)
      const { lines, service } = await start(t, box.settings)
      t.ok((await register(service, { email })).apiEndpoint)
      await until(() => lines.length > 0, 'a line')
      t.match(lines[0], { message: 'an email could not be sent', fields: { cause: 'not an email address' } })
      service.clock.advance(100_000)
      t.ok(service.server.services.mailer.isIdle)
      t.equal(box.connections, 0)
    })

  for (const [email, status] of [
    ['nobody@example.com', 550],
    ['nobody..here@example.com', 501]
  ] as const)
    t.test(`is not retried if the server has no mailbox ${email}`, async t => {
      const box = await mailbox(t, {
        onRcptTo: (_address, _session, done) =>
          done(Object.assign(new Error('no such user'), { responseCode: 550 }))
      })
      const { lines, service } = await start(t, box.settings)
      await register(service, { email })
      await until(() => lines.length > 0, 'a line')
      t.match(lines[0], { message: 'an email could not be sent', fields: { cause: `EENVELOPE ${status}` } })
      service.clock.advance(100_000)
      t.ok(service.server.services.mailer.isIdle)
      t.equal(box.connections, 1)
    })

  for (const email of ['a@b', "o'neil+x@example.com", 'x@exämple.com', 'müller@exämple.com'])
    t.test(`is delivered to ${email}`, async t => {
      const box = await mailbox(t)
      const { service } = await start(t, box.settings)
      await register(service, { email })
      t.same((await box.received(1)).to, [email])
    })

  t.test('is sent to servers that support only ASCII addresses', async t => {
    const commands: string[] = []
    const { port } = await rude(t, socket => {
      socket.write('220 hello\r\n')
      socket.on('data', chunk => {
        commands.push(chunk.toString())
        socket.write('250 fine\r\n')
      })
    })
    const { service } = await start(t, smtp(port))
    await register(service, { email: 'x@exämple.com' })
    await until(() => commands.some(command => command.startsWith('RCPT')), 'the recipient')
    t.equal(
      commands.find(command => command.startsWith('RCPT')),
      'RCPT TO:<x@xn--exmple-cua.com>\r\n'
    )
  })

  t.test('is not sent if email is disabled', async t => {
    const box = await mailbox(t)
    const { service } = await start(t, smtp(box.port, { enabled: false }))
    await register(service)
    t.notOk((await ask(service, 'daisy')).error)
    t.notOk(service.server.services.mailer.sends('welcome'))
    t.equal(box.connections, 0)
  })
})

t.test('a mail server', async t => {
  const servers: Readonly<Record<string, (socket: Socket) => void>> = {
    'that hangs': () => {},
    'that hangs up': socket => socket.destroy(),
    'that is none': socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'that drops in the middle': socket => {
      socket.write('220 hello\r\n')
      socket.on('data', chunk => {
        if (chunk.toString().startsWith('EHLO')) socket.write('250 fine\r\n')
        else socket.destroy()
      })
    },
    'that refuses': socket => socket.end('554 secret.example.com says no to daisy@example.com\r\n')
  }
  for (const [name, speak] of Object.entries(servers))
    t.test(`${name} blocks no registration, without an error for the user`, async t => {
      const { port } = await rude(t, speak)
      const { lines, service } = await start(t, smtp(port, { timeoutMs: 300 }))
      const registered = await register(service)
      t.match(Object.keys(registered), ['username', 'apiEndpoint'])
      t.strictSame(await ask(service, 'daisy'), { accessId: undefined })
      await until(() => lines.length >= 2, 'lines of both mails')
      for (const { fields, message } of lines) {
        t.equal(message, 'an email could not be sent and will be retried')
        t.same(Object.keys(fields), ['accountId', 'cause'])
        t.notMatch(JSON.stringify(fields), /secret|daisy|resetToken/)
      }
    })

  t.test('that recovers gets the email later', async t => {
    const tries: string[] = []
    const box = await mailbox(t, {
      onMailFrom(_address, _session, done) {
        tries.push('try')
        done(tries.length < 3 ? Object.assign(new Error('later'), { responseCode: 451 }) : null)
      }
    })
    const { lines, service } = await start(t, box.settings)
    await register(service)
    for (const wait of [10, 60]) {
      const count = tries.length + 1
      await until(() => lines.length >= count, 'a failure')
      t.match(lines.at(-1)?.fields.cause, /451/)
      service.clock.advance(wait - 1)
      t.equal(tries.length, count)
      service.clock.advance(1)
    }
    t.equal((await box.received(1)).subject, 'Welcome to Coffer')
    t.equal(tries.length, 3)
  })

  t.test('that never recovers is not retried indefinitely', async t => {
    const { port, sockets } = await rude(t, socket => socket.end('421 no\r\n'))
    const { lines, service } = await start(t, smtp(port))
    await register(service)
    for (const [index, wait] of [10, 60, 300, 1800].entries()) {
      await until(() => lines.length > index, 'a failure')
      service.clock.advance(wait)
    }
    await until(() => lines.length === 5, 'the last failure')
    t.equal(lines.at(-1)?.message, 'an email could not be sent')
    service.clock.advance(100_000)
    t.equal(sockets.length, 5)
  })

  t.test('that hangs does not keep the service from stopping', async t => {
    const { port, sockets } = await rude(t, () => {})
    const overrides = { ...smtp(port, { timeoutMs: 60_000 }), shutdownSeconds: 1 }
    const { lines, service } = await start(t, overrides)
    for (let count = 0; count < 5; count++)
      await register(service, { username: `user-${count}`, email: `user-${count}@example.com` })
    await until(() => sockets.length === 2, 'two at a time')
    const begun = Date.now()
    await service.server.close()
    t.ok(Date.now() - begun < 5000)
    t.equal(sockets.length, 2, 'nothing is begun any more')
    t.ok(lines.some(({ message }) => message === 'emails dropped at shutdown: 3'))
  })

  t.test('is not called for an email that was written while the service gave up', async t => {
    const { port, sockets } = await rude(t, socket => {
      socket.write('220 hello\r\n')
      // Never ends its response, and never pauses for long.
      socket.once('data', () => {
        const timer = setInterval(() => socket.write('250-and\r\n'), 20)
        socket.once('close', () => clearInterval(timer))
      })
    })
    const email: Message = {
      kind: 'welcome',
      accountId: 'some-id',
      username: 'daisy',
      email: 'daisy@example.com',
      language: 'en',
      substitutions: { USERNAME: 'daisy', EMAIL: 'daisy@example.com' }
    }
    const ways = [
      smtp(port),
      { services: { email: { http: { url: `http://127.0.0.1:${port}/`, key: 'k' } } } }
    ]
    for (const way of ways) {
      const transport = createMailTransport(testConfig(t.testdir(), way))!
      await t.rejects(transport.deliver(email, AbortSignal.abort()))
    }
    t.same(sockets, [])
  })

  t.test('gets pending emails when the service stops, also after an earlier failure', async t => {
    let isOpen = false
    const box = await mailbox(t, {
      onMailFrom: (_address, _session, done) =>
        done(isOpen ? null : Object.assign(new Error('later'), { responseCode: 451 }))
    })
    const { lines, service } = await start(t, box.settings)
    await register(service)
    await until(() => lines.length === 1, 'a failure')
    isOpen = true
    for (let count = 0; count < 5; count++)
      await register(service, { username: `user-${count}`, email: `user-${count}@example.com` })
    await service.server.close()
    t.equal(box.mails.length, 6)
  })
})

t.test('without a mail server', async t => {
  t.test('links are logged, and welcome emails are not', async t => {
    const { lines, service } = await start(t, {})
    await register(service)
    await ask(service, 'daisy')
    await until(() => lines.length > 0, 'the link')
    t.equal(lines.length, 1)
    t.match(lines[0]?.fields.link, /\/access\/reset-password\.html\?resetToken=c\w{24}&username=daisy$/)
  })
})

t.test('an HTTP mail service', async t => {
  t.test('receives template, language, recipient and substitutions', async t => {
    const mailer = await receiver(t)
    const http = { url: `${mailer.url}/send/`, key: 'of the mailer' }
    const { service } = await start(t, { services: { email: { http } } })
    await register(service, { language: 'fr' })
    await mailer.received(1)
    await ask(service, 'daisy')
    await mailer.received(2)
    const to = { email: 'daisy@example.com', name: 'daisy', type: 'to' }
    const key = 'of the mailer'
    const [welcome, reset] = mailer.deliveries
    t.equal(welcome?.path, 'POST /send/welcome-email/fr')
    t.strictSame(welcome?.body, { key, to, substitutions: { USERNAME: 'daisy', EMAIL: 'daisy@example.com' } })
    t.equal(reset?.path, 'POST /send/reset-password/fr')
    const { RESET_LINK, RESET_TOKEN, RESET_URL } = reset!.body.substitutions
    t.equal(RESET_LINK, `${RESET_URL}?resetToken=${RESET_TOKEN}&username=daisy`)
  })

  t.test('is retried after a failure', async t => {
    const mailer = await receiver(t)
    mailer.answer = 503
    const { lines, service } = await start(t, { services: { email: { http: { url: `${mailer.url}/` } } } })
    await register(service, { language: '../x' })
    await until(() => lines.length > 0, 'a failure')
    t.equal(mailer.deliveries[0]?.path, 'POST /welcome-email/en', 'no way out of the path')
    mailer.answer = 200
    service.clock.advance(10)
    await mailer.received(2)
    t.equal(lines.length, 1)
  })
})

t.test('templates', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-mail-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const write = (template: string, language: string, parts: Record<string, string>): void => {
    mkdirSync(join(folder, template, language), { recursive: true })
    for (const [name, text] of Object.entries(parts))
      writeFileSync(join(folder, template, language, name), text)
  }

  t.test(
    'of the operator override the built-in ones, are filled in, escaped in HTML, and apply immediately',
    async t => {
      const box = await mailbox(t)
      write('hello', 'de', {
        'subject.txt': 'Hallo {{USERNAME}} {{ EMAIL }}\n',
        'text.txt': '{{ EMAIL }} {{ NOTHING }} {{ constructor }}.',
        'html.html': '<p title="{{ EMAIL }}">{{ EMAIL }}</p>'
      })
      const more = { templatesDir: folder, welcomeTemplate: 'hello', defaultLang: 'de' }
      const { service } = await start(t, smtp(box.port, more))
      const email = `o'<b>&x@example.com`.replaceAll(/[<>]/g, '')
      await register(service, { email, language: 'en' })
      const mail = await box.received(1)
      t.equal(mail.subject, `Hallo daisy ${email}`)
      t.equal(mail.text.trim(), `${email}  .`)
      t.match(mail.html, '<p title="o&#39;b&amp;x@example.com">o&#39;b&amp;x@example.com</p>')
      write('hello', 'en', { 'subject.txt': 'Hello', 'text.txt': 'Hello', 'html.html': '<p>Hello</p>' })
      await register(service, { username: 'rosie', email: 'rosie@example.com', language: 'en' })
      t.equal((await box.received(2)).subject, 'Hello')
    }
  )

  t.test('fall back to those of the service', async t => {
    const box = await mailbox(t)
    const { service } = await start(t, smtp(box.port, { templatesDir: folder }))
    await register(service)
    await box.received(1)
    await ask(service, 'daisy')
    t.ok(linkOf(await box.received(2)).searchParams.get('resetToken'))
  })
})
