/** The operator's routes, beyond the contract tests. (docs/spec/administration.md#creating-a-user) */
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { Layout } from '../../../../storage/files/layout.js'
import { coffer, openCoffer, type Service } from '../../../support/coffer.js'

const adminKey = 'the key of the operator'
const admin = { authorization: adminKey }
const json = { 'content-type': 'application/json' }
const nothing = { status: 404, body: { error: { id: 'unknown-resource' } } }

interface Reply {
  readonly status: number
  readonly body: object
}

function send(service: Service, headers: Record<string, string>, text = '{}'): Promise<Reply> {
  return service.http('POST', '/system/create-user', text, headers)
}

t.test('system.createUser', async t => {
  const service = await coffer(t, { adminKey })
  const { url } = service.server
  const body = { username: 'bobby', passwordHash: '', email: 'bobby@example.com', language: 'de' }

  for (const [name, passwordHash] of [
    ['argon2id', await argon2('a long secret', { algorithm: 2, memoryCost: 1024, timeCost: 1 })],
    ['bcrypt', await bcrypt('a long secret', 4)]
  ] as const)
    t.test(`creates a user who can sign in with a password hashed by ${name}`, async t => {
      const username = `bobby-${name}`
      const path = name === 'bcrypt' ? '/register/create-user' : '/system/create-user'
      const made = await service.http(
        'POST',
        path,
        { ...body, username, email: `${username}@example.com`, passwordHash },
        admin
      )
      t.match(made, { status: 201, body: { id: /^c/, meta: Object } })
      const login = async (password: string): Promise<object> =>
        await service.http(
          'POST',
          `/${username}/auth/login`,
          { username, password, appId: 'some-app' },
          { origin: url }
        )
      t.match(await login('a long secret'), { status: 200, body: { preferredLanguage: 'de' } })
      t.match(await login('another secret'), { status: 401 })
    })

  t.test('checks the admin key, then the type of the body', async t => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const headers of [json, {}, form, { 'content-type': 'text/plain' }])
      for (const authorization of ['wrong', '', `${adminKey} `.slice(1)])
        t.match(await send(service, { ...headers, authorization }), nothing)
    t.match(await send(service, { ...admin, ...json }, '{'), {
      status: 400,
      body: { error: { id: 'invalid-request-structure' } }
    })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'])
      t.match(await send(service, { ...admin, 'content-type': type }), {
        status: 415,
        body: { error: { id: 'unsupported-content-type' } }
      })
    const bare = await new Promise(resolve => {
      void import('node:http').then(({ request }) => {
        const sent = request(`${url}/system/create-user`, { method: 'POST', headers: admin }, response => {
          response
            .setEncoding('utf8')
            .on('data', text => resolve([response.statusCode, JSON.parse(text).error.id]))
        })
        sent.end('{}')
      })
    })
    t.same(bare, [400, 'missing-header'])
  })

  t.test('is disabled without an admin key, like all routes of the operator', async t => {
    const closed = await coffer(t)
    for (const authorization of ['', 'undefined', 'null'])
      for (const [verb, path] of [
        ['POST', '/system/create-user'],
        ['GET', '/system/user-info/alice'],
        ['DELETE', '/system/users/alice/mfa'],
        ['GET', '/system/check-platform-integrity'],
        ['POST', '/system/users/alice/relocation'],
        ['GET', '/reg/admin/users'],
        ['GET', '/reg/admin/invitations/post'],
        ['DELETE', '/users/alice']
      ] as const)
        t.match(
          await closed.http(verb, path, verb === 'POST' ? body : undefined, { authorization }),
          nothing,
          path
        )
  })
})

t.test('admin.getUsers', async t => {
  t.test('returns a table in which all values are strings', async t => {
    const service = await coffer(t, { adminKey })
    const evil = "it's <script>alert(1)</script>"
    await service.http('POST', '/users', {
      username: 'bobby',
      password: 'a long secret',
      email: `${evil}@example.com`,
      appId: 'some-app',
      referer: evil
    })
    const { body, headers, status } = await service.http(
      'GET',
      '/reg/admin/users?toHTML=true',
      undefined,
      admin
    )
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^text\/html/)
    t.match(headers.get('content-security-policy'), /sandbox/)
    t.match(body, /<table>.*username.*bobby/s)
    t.notOk(body.includes('<script'))
    t.match(body, 'it&#39;s &lt;script&gt;')
    t.match(await service.http('GET', '/reg/admin/users?toHTML=true'), nothing)
  })
})

t.test('admin.createInvitations', async t => {
  t.test('creates tokens that are each valid for one registration', async t => {
    const service = await openCoffer(t, { adminKey, registration: { invitationTokens: ['one-for-all'] } })
    const { body } = await service.http(
      'GET',
      '/reg/admin/invitations/post?count=2&message=hi',
      undefined,
      admin
    )
    const [first, second] = body.data.map(({ id }: { id: string }) => id)
    t.not(first, second)
    const register = async (username: string): Promise<number> =>
      (
        await service.http('POST', '/users', {
          username,
          password: 'a long secret',
          email: `${username}@example.com`,
          appId: 'some-app',
          invitationToken: first
        })
      ).status
    t.equal(await register('bobby'), 201)
    t.equal(await register('carol'), 400)
    const list = async (): Promise<unknown> =>
      (await service.http('GET', '/reg/admin/invitations', undefined, admin)).body.invitations.find(
        ({ id }: { id: string }) => id === first
      )
    t.match(await list(), { consumedBy: 'bobby', consumedAt: Number, description: 'hi' })
    await service.http('DELETE', '/users/bobby', undefined, admin)
    t.match(await list(), { consumedBy: undefined, consumedAt: Number }, 'used, nobody knows by whom')
    t.equal(await register('bobby'), 400)
  })
})

t.test('system.checkPlatformIntegrity', async t => {
  t.test('finds inconsistencies', async t => {
    const service = await openCoffer(t, { adminKey })
    const { accounts, platform } = service.server.services
    const bob = await service.user('bobby')
    const carol = await service.user('carol', { email: 'carol@example.com' })
    const check = async (): Promise<string[]> => {
      const { body } = await service.http('GET', '/system/check-platform-integrity', undefined, admin)
      return body.checks.flatMap(({ errors }: { errors: string[] }) => errors)
    }
    t.same(await check(), [])
    const app = await bob.grant('read', 'diary', { type: 'app' })
    await app.do('webhooks.create', { url: 'https://hooks.example/' })
    platform.changeNow('removeWebhooks', [accounts.find('bobby')!.id])
    await carol.do('account.update', { update: { email: 'other@example.com' } })
    platform.changeNow('replaceUnique', accounts.find('carol')!.id, [])
    t.match((await check()).toSorted(), [/^The email of carol/, /^bobby has webhooks/])
    t.notOk((await check()).some(error => error.includes('example.com')))
    // Only external manipulation could cause this.
    const db = new SQLite(new Layout(service.directory).platformFile)
    db.pragma('foreign_keys = OFF')
    db.exec("INSERT INTO webhook_account (account) VALUES ('nobody')")
    db.close()
    t.match((await check())[0], /^1 rows refer to accounts that do not exist/)
  })
})
