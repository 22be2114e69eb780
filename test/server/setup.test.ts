/** Setting up the service with a one-time link. (docs/spec/administration.md#set-up) */
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { readSettings } from '../../core/settings/load.js'
import { startServer } from '../../server/server.js'
import type { SettingsSource } from '../../server/setup/setup-service.js'
import { Layout } from '../../storage/files/layout.js'
import { createSetupSecret } from '../../storage/files/private-files.js'
import { mailbox } from '../support/mailbox.js'
import { rawHttp } from '../support/raw-http.js'

t.setTimeout(900_000)

interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line no-explicit-any -- tests inspect responses in detail
  readonly body: any
}

/** Starts a service that can be set up, and counts its requests for a restart. */
async function start(t: Test, given: { env?: Record<string, string>; dataDir?: string } = {}) {
  const dataDir = given.dataDir ?? join(t.testdir(), 'data')
  const argv = [`--dataDir=${dataDir}`, '--port=0', '--log.level=silent']
  const env = given.env ?? {}
  const done = { count: 0 }
  const source: SettingsSource = {
    read: chosen => readSettings({ argv, env, cwd: '/nowhere', ...(chosen && { pageSettings: chosen }) }),
    restart: () => void done.count++
  }
  const server = await startServer(source.read().settings, { setup: source })
  t.teardown(() => server.close())
  const layout = new Layout(dataDir)
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }
  return { dataDir, done, layout, post, server, source, file: join(dataDir, 'settings.yaml') }
}

const owner = {
  username: 'robin',
  password: 'a long password',
  email: 'robin@example.com',
  language: 'en'
}
const choices = { serviceName: 'Our data', publicUrl: 'https://data.example/', registration: 'invited' }

t.test('setup', async t => {
  t.test('creates the operator’s account, saves the choices, and ends the link', async t => {
    const { dataDir, done, file, layout, post, server, source } = await start(t)
    const secret = createSetupSecret(layout)
    t.notMatch(readFileSync(layout.setupFile, 'utf8'), secret, 'only a digest is kept')
    t.equal(statSync(layout.setupFile).mode & 0o077, 0)
    const look = await post('/system/setup/look', { secret })
    t.match(look, {
      status: 200,
      body: { choices: { serviceName: 'Coffer', registration: 'invited' }, setBy: {}, presentUrl: server.url }
    })
    t.equal(look.headers.get('cache-control'), 'no-store')
    const answer = await post('/system/setup', { secret, ...owner, choices })
    t.match(answer, {
      status: 200,
      body: { username: 'robin', publicUrl: 'https://data.example', serviceName: 'Our data' }
    })
    t.match(parse(readFileSync(file, 'utf8')), {
      operators: ['robin'],
      publicUrl: 'https://data.example/',
      service: { name: 'Our data' },
      registration: { invitationTokens: [/^[\w-]{16}$/] },
      adminKey: /^[\w-]{32}$/
    })
    t.equal(statSync(file).mode & 0o077, 0)
    t.equal(done.count, 1)
    t.notOk(existsSync(layout.setupFile))
    const again = await post('/system/setup', { secret, ...owner, username: 'mallory', choices })
    t.match(again, { status: 403, body: { error: { id: 'forbidden' } } }, 'the link is used up')
    t.match(await post('/system/setup/look', { secret }), { status: 403 })
    // Not even a new digest reopens it: there is an operator.
    const later = createSetupSecret(layout)
    t.match(await post('/system/setup/look', { secret: later }), { status: 403 })
    const login = { username: 'robin', password: owner.password, appId: 'test-app' }
    t.match(await post('/robin/auth/login', login, { origin: server.url }), { status: 200 })
    await server.close()
    t.same(source.read().settings.operators, ['robin'])
    const second = await start(t, { dataDir })
    t.match(
      await second.post('/system/setup/look', { secret: later }),
      { status: 404 },
      'nothing is there any more'
    )
    t.match(
      await second.post('/users', { ...owner, appId: 'test-app', username: 'robin' }),
      { status: 400 },
      'the settings chosen are in force: no account without an invitation'
    )
  })

  t.test('succeeds for only one of several users with the link', async t => {
    const { file, layout, post, server } = await start(t)
    const secret = createSetupSecret(layout)
    const names = ['robin', 'mallory', 'dorian']
    const answers = await Promise.all(
      names.map(username =>
        post('/system/setup', { secret, ...owner, username, email: `${username}@example.com`, choices: {} })
      )
    )
    t.same(answers.map(({ status }) => status).toSorted(), [200, 403, 403])
    const winner = names[answers.findIndex(({ status }) => status === 200)]!
    t.same((parse(readFileSync(file, 'utf8')) as { operators: string[] }).operators, [winner])
    for (const name of names.filter(each => each !== winner))
      t.equal(server.services.accounts.find(name), undefined, `${name} has no account`)
  })

  t.test('is refused without the link, and guesses are throttled', async t => {
    const { file, layout, post } = await start(t)
    for (const secret of ['', 'x', 'x'.repeat(32), 'x'.repeat(201), 12, null, ['x']])
      t.ok(
        [400, 403].includes((await post('/system/setup', { secret, ...owner, choices })).status),
        'no link yet'
      )
    const secret = createSetupSecret(layout)
    t.equal((await post('/system/setup/look', { secret: `${secret}x` })).status, 403)
    t.equal((await post('/system/setup/look', { secret: createSetupSecret(layout) })).status, 200)
    t.equal((await post('/system/setup/look', { secret })).status, 403, 'a new link ends the one before')
    const statuses = []
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await post('/system/setup/look', { secret: `guess ${guess}` })).status)
    t.equal(statuses.at(-1), 429)
    t.notOk(existsSync(file))
  })

  t.test('does not reveal whether there is a link, whatever the Host header', async t => {
    const { layout, server } = await start(t)
    const told = async (host: string, verb: string, path: string, body = ''): Promise<string> => {
      const type = body === '' ? 'text/plain' : 'application/json'
      const headers = { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'content-type': type }
      const answer = await rawHttp(server.url, { verb, path, headers, body })
      // The server time differs, and so does its length.
      delete answer.headers.date
      delete answer.headers['content-length']
      delete answer.body.meta?.serverTime
      return JSON.stringify(answer)
    }
    const hosts = [new URL(server.url).host, 'evil.example']
    const answers = async (): Promise<Set<string>> => {
      const found = new Set<string>()
      for (const host of hosts) {
        const page = await told(host, 'GET', '/access/setup.html')
        found.add(page + (await told(host, 'POST', '/system/setup/look', '{"secret":"not it"}')))
      }
      return found
    }
    const without = await answers()
    const secret = createSetupSecret(layout)
    const withLink = await answers()
    t.equal(without.size, 1, 'the host changes nothing')
    t.same([...withLink], [...without])
    t.match([...without][0], /200.*403.*The set-up link is invalid or has expired/)
    t.notMatch([...without][0], /evil|setupFile|robin/)
    const look = await told('evil.example', 'POST', '/system/setup/look', JSON.stringify({ secret }))
    t.match(look, `"presentUrl":"${server.url}"`, 'links are made of the address that is set')
    t.notMatch(look, 'evil')
  })

  t.test('changes nothing if something is invalid, and reports all errors', async t => {
    const { file, layout, post, server } = await start(t)
    const secret = createSetupSecret(layout)
    const wrong = { publicUrl: 'example.org', mailHost: 'not a host', mailPort: 0, mailFrom: 'nobody' }
    const { body, status } = await post('/system/setup', { secret, ...owner, choices: wrong })
    t.equal(status, 400)
    t.same(body.error.data.map(({ param }: { param: string }) => param).toSorted(), [
      'mailFrom',
      'mailHost',
      'mailPort',
      'publicUrl'
    ])
    for (const [fields, words] of [
      [{ username: 'X' }, 'username'],
      [{ username: 'admin' }, 'username'],
      [{ password: 'short' }, 'password-invalid'],
      [{ choices: { adminKey: 'mine' } }, 'OBJECT_ADDITIONAL_PROPERTIES'],
      [{ choices: { registration: 'everybody' } }, 'registration'],
      [{ operators: ['me'] }, 'OBJECT_ADDITIONAL_PROPERTIES']
    ] as const) {
      const refused = await post('/system/setup', { secret, ...owner, choices: {}, ...fields })
      t.ok([400, 409].includes(refused.status), words)
      t.match(JSON.stringify(refused.body), words)
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      t.ok(
        (await post('/system/setup', { secret, ...owner, choices: {} }, { 'content-type': type })).status >=
          400,
        `${type}: forms of other pages cannot send it`
      )
    t.equal(server.services.accounts.find('robin'), undefined)
    t.notOk(existsSync(file))
    t.equal((await post('/system/setup/look', { secret })).status, 200, 'the link is still good')
  })

  t.test('does not override values set elsewhere, and names their source', async t => {
    const env = { COFFER_PUBLIC_URL: 'https://fixed.example', COFFER_REGISTRATION_INVITATION_TOKENS: '[]' }
    const { file, layout, post } = await start(t, { env })
    const secret = createSetupSecret(layout)
    t.match(await post('/system/setup/look', { secret }), {
      body: {
        choices: { publicUrl: 'https://fixed.example', registration: 'closed' },
        setBy: { publicUrl: 'COFFER_PUBLIC_URL', registration: 'COFFER_REGISTRATION_INVITATION_TOKENS' }
      }
    })
    const { body } = await post('/system/setup', { secret, ...owner, choices })
    t.equal(body.publicUrl, 'https://fixed.example')
    const kept = parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    t.same([kept['publicUrl'], kept['registration']], [undefined, undefined])
    t.match(kept, { service: { name: 'Our data' } })
  })

  t.test('allows registration by invitation only, by default', async t => {
    for (const [choices, env, expected] of [
      [{}, {}, [/^[\w-]{16}$/]],
      [{ registration: 'open' }, {}, null],
      [{ registration: 'closed' }, {}, []],
      [{}, { COFFER_REGISTRATION_INVITATION_TOKENS: 'null' }, undefined]
    ] as const) {
      const { file, layout, post } = await start(t, { env, dataDir: mkdtempSync(join(t.testdir(), 'data-')) })
      const secret = createSetupSecret(layout)
      t.equal((await post('/system/setup', { secret, ...owner, choices })).status, 200)
      const { registration } = parse(readFileSync(file, 'utf8'))
      t.match([registration?.invitationTokens], [expected], JSON.stringify([choices, env]))
    }
  })

  t.test('is not available if a setting names the operators', async t => {
    const { layout, post } = await start(t, { env: { COFFER_OPERATORS: 'dorian' } })
    const secret = createSetupSecret(layout)
    t.equal((await post('/system/setup/look', { secret })).status, 404)
    const body = { ...owner, appId: 'test-app', username: 'dorian' }
    t.equal((await post('/users', body)).status, 409, 'nobody registers the name of an operator')
  })

  t.test('tests the mail server', async t => {
    const box = await mailbox(t)
    const { layout, post } = await start(t)
    const secret = createSetupSecret(layout)
    const mail = { mailHost: '127.0.0.1', mailPort: box.port, mailFrom: 'us@example.org' }
    const asked = { secret, email: 'robin@example.com', language: 'fr' }
    t.match(await post('/system/setup/mail', { ...asked, choices: { ...mail, serviceName: 'Chez nous' } }), {
      status: 200
    })
    t.match(await box.received(1), {
      to: ['robin@example.com'],
      from: 'us@example.org',
      subject: /Chez nous/
    })
    const refused = await post('/system/setup/mail', { ...asked, choices: { ...mail, mailPort: 1 } })
    t.match(refused, { status: 400, body: { error: { id: 'invalid-operation', message: /ECONNREFUSED/ } } })
    t.match(await post('/system/setup/mail', { ...asked, choices: {} }), { status: 400 })
    t.match(await post('/system/setup/mail', { ...asked, secret: 'x', choices: mail }), { status: 403 })
    t.equal(box.mails.length, 1)
  })
})
