/** `users.delete`: nothing of an account remains. (docs/spec/accounts.md#deleting-an-account) */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { Log, LogFields } from '../../../../core/log.js'
import { ManualClock } from '../../../../core/time.js'
import { deleteDue } from '../../../../core/platform/remove-account.js'
import { Layout } from '../../../../storage/files/layout.js'
import { startServer } from '../../../../server/server.js'
import {
  coffer,
  methodModules,
  openCoffer,
  Service,
  testSettings,
  type Answer,
  type Client
} from '../../../support/coffer.js'
import { filesWith, plant, platformBytes, sender } from '../../../support/planted.js'
import { receiver } from '../../../support/receiver.js'
import { inRotation, rotate } from '../../../support/rotation.js'
import { connect, until } from '../../../support/socket.js'

const adminKey = 'the key of the operator'
const settings = {
  adminKey,
  versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' },
  webhooks: { allowInternalTargets: true, minIntervalMs: 0 }
} as const

/** Starts a service and captures its log. */
async function logged(t: Test): Promise<{ service: Service; lines: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  const lines: string[] = []
  const line = (message: string, { cause, ...fields }: LogFields = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)} ${String(cause)}`)
  const log: Log = { info: line, warn: line, error: line }
  const clock = new ManualClock()
  const server = await startServer(testSettings(directory, { ...settings, workers: 0 }), {
    clock,
    log,
    methodModules
  })
  t.teardown(async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { service: new Service(server, clock, directory), lines }
}

/** Returns names that differ in the middle. */
function name(index: number): string {
  return `vanishing-${String(index * 7919).slice(-4)}-${index}`
}

/** Returns a form with a file to upload. */
function form(): FormData {
  const made = new FormData()
  made.append('file', new Blob(['some bytes'.repeat(100_000)]), 'a.txt')
  return made
}

/** Returns the names in the users directory. */
function left(directory: string): string[] {
  return readdirSync(new Layout(directory).usersDirectory, { recursive: true, encoding: 'utf8' })
}

t.setTimeout(900_000)

t.test('users.delete', async t => {
  const test = inRotation(t, 2)
  t.test('leaves no trace on disk or in the log, and does not affect other accounts', async t => {
    const { lines, service } = await logged(t)
    const { services, url } = service.server
    const hooks = await receiver(t)
    const send = sender(url)
    const bob = await service.user('bobby')
    await bob.stream('diary')
    const mark = 'canary7391x'
    const { eventId, token } = await plant(send, 'user-of-mark', mark, hooks.url)
    await hooks.received(1)
    // Wrong passwords, which the throttle remembers.
    for (let count = 0; count < 12; count++)
      await service.http('POST', '/user-of-mark/auth/login', {
        username: 'user-of-mark',
        password: `${mark}-wrong`,
        appId: `${mark}-app`
      })
    await service.http('GET', `/user-of-mark/events?streams=${mark}-stream`, undefined, {
      authorization: token
    })
    services.platform.changeNow('invite', [
      { token: 'abcde', created: 1, createdBy: 'admin', description: '' }
    ])
    t.ok(filesWith(service.directory, mark).length >= 3, 'the mark is found while the account is there')
    t.ok(filesWith(service.directory, 'user-of-mark').length > 0)
    const before = left(service.directory)

    const answer = await service.http('DELETE', '/users/user-of-mark', undefined, { authorization: adminKey })
    t.match(answer, { status: 200, body: { userDeletion: { username: 'user-of-mark' }, meta: Object } })
    for (const trace of [mark, 'user-of-mark', eventId, token])
      t.same(filesWith(service.directory, trace), [], `${trace} is found no more`)
    t.ok(left(service.directory).length < before.length)
    t.same(readdirSync(new Layout(service.directory).leavingDirectory), [])
    t.same(
      lines.filter(line => line.includes(mark)),
      []
    )

    t.match(await service.http('GET', '/user-of-mark/events', undefined, { authorization: token }), {
      status: 404,
      body: { error: { id: 'unknown-resource', message: /Unknown user/ } }
    })
    t.match(await service.http('DELETE', '/users/user-of-mark', undefined, { authorization: adminKey }), {
      status: 404
    })
    t.match(await bob.do('streams.get'), { streams: [{ id: ':_audit:' }, { id: 'diary' }] })

    // The username, the address and the failed attempts are unknown again.
    const again = await plant(send, 'user-of-mark', mark)
    t.not(again.token, token)
    const { events } = await send('GET', '/user-of-mark/events?fromTime=0&limit=100', undefined, again.token)
    t.notOk(events.some((event: Answer) => event.id === eventId))
    t.match(await service.http('GET', '/user-of-mark/events', undefined, { authorization: token }), {
      status: 401
    })
  })

  test('leaves nothing in the platform file, however many accounts are created and deleted', async t => {
    const { service } = await logged(t)
    const { services } = service.server
    const gone: string[] = []
    for (let index = 0; index < 40; index++)
      await services.accounts.create({
        id: `c${String(index).padStart(24, '0')}`,
        username: name(index),
        created: index,
        unique: { email: `${name(index)}@${'x'.repeat(index * 4)}.example` },
        fill() {}
      })
    for (let index = 0; index < 40; index++) {
      if (index % 3 === 0) continue
      await services.accounts.remove(services.accounts.find(name(index))!)
      gone.push(`${name(index)}@`)
    }
    const bytes = platformBytes(service.directory)
    t.ok(bytes.includes(`${name(0)}@`))
    t.same(
      gone.filter(trace => bytes.includes(trace)),
      []
    )
    for (let index = 0; index < 40; index += 3) t.ok(services.accounts.find(name(index)))
  })

  t.test('closes sockets immediately, and stops webhooks, also queued ones', async t => {
    const { service } = await logged(t)
    const { url } = service.server
    const hooks = await receiver(t)
    // Without a response, calls stay pending, and the following ones are queued.
    hooks.answer = () => {}
    const { appToken, eventId, token } = await plant(sender(url), 'user-of-mark', 'mark', hooks.url)
    await hooks.received(1)
    const sockets = await Promise.all([token, appToken].map(auth => connect(t, url, 'user-of-mark', auth)))
    const bob = await service.user('bobby')
    const other = await connect(t, url, 'bobby', bob.token)
    await service.http('PUT', `/user-of-mark/events/${eventId}`, { content: 'new' }, { authorization: token })
    await service.http('DELETE', '/users/user-of-mark', undefined, { authorization: adminKey })
    await Promise.all(sockets.map(socket => socket.closed()))
    t.same((await other.call('getAccessInfo')).name, 'coffer-test')
    await t.rejects(connect(t, url, 'user-of-mark', token), /Unknown user/)
    hooks.answer = 200
    service.clock.advance(60)
    await wait(50)
    t.equal(hooks.deliveries.length, 1)
  })

  t.test('cancels pending calls cleanly, and stores nothing of them', async t => {
    const { lines, service } = await logged(t)
    const { url } = service.server
    for (const round of rotate(t, [0, 1, 2])) {
      const { eventId, token } = await plant(sender(url), 'user-of-mark', 'mark')
      const headers = { authorization: token }
      const calls = Array.from({ length: 25 }, (_call, index) => [
        service.http('POST', `/user-of-mark/events/${eventId}`, form(), headers),
        service.http(
          'POST',
          '/user-of-mark/events',
          { streamIds: ['mark-stream'], type: 'note/txt', content: `${index}` },
          headers
        ),
        service.http('GET', '/user-of-mark/events?limit=100', undefined, headers),
        service.http(
          'POST',
          '/user-of-mark/',
          [
            {
              method: 'events.create',
              params: { streamIds: ['mark-stream'], type: 'note/txt', content: 'a' }
            },
            { method: 'events.get', params: {} }
          ],
          headers
        )
      ]).flat()
      await wait(round * 20)
      const deletion = service.http('DELETE', '/users/user-of-mark', undefined, { authorization: adminKey })
      t.equal((await deletion).status, 200)
      const statuses = new Set((await Promise.all(calls)).map(({ status }) => status))
      t.same(
        [...statuses].filter(status => ![200, 201, 404].includes(status)),
        [],
        `statuses: ${[...statuses].join(' ')}`
      )
      t.same(
        left(service.directory).filter(name => name.includes('/')),
        []
      )
    }
    t.same(
      lines.filter(line => line.startsWith('call failed')),
      []
    )
  })

  test('cancels an upload in progress', async t => {
    const { service } = await logged(t)
    const { url } = service.server
    const { eventId, token } = await plant(sender(url), 'user-of-mark', 'mark')
    const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nstill-coming-in'
    const upload = request(`${url}/user-of-mark/events/${eventId}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'multipart/form-data; boundary=b' }
    })
    const answered = new Promise<number>((resolve, reject) => {
      upload.on('response', response => resolve(response.resume().statusCode ?? 0)).on('error', reject)
    })
    upload.write(head)
    // Small files are stored once they have arrived.
    upload.write('x'.repeat(400_000))
    const drafts = new Layout(service.directory).draftsDirectory
    await until(() => readdirSync(drafts).length > 0, 'the upload has begun')
    await service.http('DELETE', '/users/user-of-mark', undefined, { authorization: adminKey })
    upload.end('\r\n--b--\r\n')
    t.equal(await answered, 404)
    await until(() => readdirSync(drafts).length === 0, 'what came in is gone')
    t.same(
      left(service.directory).filter(name => name.includes('/')),
      []
    )
  })

  t.test('leaves no copy of an export that it interrupts, nor does a token that ends meanwhile', async t => {
    const { lines, service } = await logged(t)
    const { accounts } = service.server.services
    const drafts = new Layout(service.directory).draftsDirectory
    const exported = (by: Client): Promise<Answer> =>
      service.call(by.username, 'account.export', {}, by.token, { via: 'http' })
    for (let round = 0; round < 3; round++) {
      const user = await service.user('user-of-mark')
      const exports = [exported(user), exported(user)]
      await wait(round * 5)
      await accounts.remove(accounts.find('user-of-mark')!)
      for (const { error } of await Promise.all(exports)) t.equal(error.id, 'unknown-resource')
      t.same(readdirSync(drafts), [])
    }
    const user = await service.user('user-of-mark')
    const exports = [exported(user), exported(user)]
    await user.do('auth.logout')
    for (const { error } of await Promise.all(exports)) t.equal(error.id, 'invalid-access-token')
    t.same(readdirSync(drafts), [])
    t.same(
      lines.filter(line => line.startsWith('call failed')),
      []
    )
  })

  t.test('ends imports, and forgets that there were any', async t => {
    const { lines, service } = await logged(t)
    const { accounts } = service.server.services
    const marks = new Layout(service.directory).importingDirectory
    for (let round = 0; round < 3; round++) {
      const user = await service.user('user-of-mark')
      const table = new FormData()
      table.append('file', new Blob(['time,weight\n', '2024-01-02T03:04:05Z,70\n'.repeat(50_000)]), 'a.csv')
      t.equal((await user.http('POST', '/imports', table)).status, 201)
      t.equal(readdirSync(marks).length, 1)
      await wait(round * 40)
      await accounts.remove(accounts.find('user-of-mark')!)
      await until(() => readdirSync(marks).length === 0, 'no mark is left')
    }
    t.same(
      lines.filter(line => line.startsWith('an import failed')),
      []
    )
  })

  t.test('also deletes an account whose file is damaged', async t => {
    const { service } = await logged(t)
    const { accounts } = service.server.services
    await service.user('bobby')
    const account = accounts.find('bobby')!
    const directory = new Layout(service.directory).userDirectory(account.id)
    await accounts.remove(account)
    await service.user('bobby')
    const damaged = new Layout(service.directory).userDirectory(accounts.find('bobby')!.id)
    rmSync(damaged, { recursive: true })
    const answer = await service.http('DELETE', '/users/bobby', undefined, { authorization: adminKey })
    t.equal(answer.status, 200)
    t.notOk(existsSync(directory))
    t.ok(await service.user('bobby'))
  })

  t.test('is allowed as the settings say, and never without a key', async t => {
    const cases = [
      { allowed: ['adminToken'], admin: 200, personal: 404 },
      { allowed: ['personalToken'], admin: 404, personal: 200 },
      { allowed: ['adminToken', 'personalToken'], admin: 200, personal: 200 },
      { allowed: [], admin: 404, personal: 404 }
    ] as const
    for (const { allowed, admin, personal } of cases) {
      const userAccount = { delete: [...allowed], deletionGraceDays: 0 }
      const service = await coffer(t, { adminKey, userAccount })
      const { alice } = service
      const bob = await service.user('bobby')
      const app = await alice.grant('manage', '*', { type: 'app' })
      const remove = async (token: string): Promise<Answer> =>
        (await service.http('DELETE', '/users/alice', undefined, { authorization: token })).status
      const title = `allowed: ${allowed.join(', ')}`
      for (const token of [bob.token, app.token, 'no-such-token', `${adminKey}x`, adminKey.slice(1), ''])
        t.equal(await remove(token), 404, title)
      t.equal((await service.http('DELETE', '/users/alice')).status, 404, title)
      t.ok((await alice.call('getAccessInfo')).id, 'nothing has happened')
      t.equal(await remove(adminKey), admin, title)
      if (admin === 200) await service.user('alice').then(({ access }) => Object.assign(alice.access, access))
      // The token alone is not enough without a recent sign-in.
      t.equal(await remove(alice.token), personal === 200 ? 400 : personal, title)
      t.equal(await remove(await signIn(service)), personal, title)
    }
    const closed = await coffer(t, { userAccount: { delete: ['adminToken'] } })
    t.equal((await closed.http('DELETE', '/users/alice', undefined, { authorization: '' })).status, 404)
  })

  t.test('deletes nothing in a dry run, over every route and transport', async t => {
    const service = await coffer(t, { adminKey, userAccount: { delete: ['adminToken', 'personalToken'] } })
    const { alice } = service
    const dry = { result: { dryRun: true, deleted: false } }
    const ask = (path: string, authorization = adminKey): ReturnType<typeof service.http> =>
      service.http('DELETE', path, undefined, { authorization })
    for (const root of ['/users', '/reg/users', '/system/users'])
      for (const query of ['onlyReg=true&dryRun=true', 'dryRun=TRUE', 'dryRun=true&onlyReg=false'])
        t.match(await ask(`${root}/alice?${query}`), { status: 200, body: dry }, `${root} ${query}`)
    t.match(await ask('/users/alice?dryRun=true', alice.token), { status: 200, body: dry })
    const params = { username: 'alice', dryRun: true, onlyReg: true }
    t.match(await alice.do('users.delete', params), dry)
    const batch = await alice.http('POST', '/', [{ method: 'users.delete', params }])
    t.match(batch.body.results, [dry])

    t.match(await ask('/users/alice?dryRun=true', 'no-such-token'), { status: 404 })
    t.match(await ask('/users/nobody-here?onlyReg=true&dryRun=true'), { status: 404 })
    for (const query of [
      'dryRun',
      'dryRun=1',
      'dryRun=yes',
      'dryRun=true&dryRun=false',
      'dryrun=true',
      'only=1'
    ])
      t.match(
        await ask(`/reg/users/alice?${query}`),
        { status: 400, body: { error: { id: 'invalid-parameters-format' } } },
        query
      )
    t.match(await ask('/users/alice?onlyReg=true'), {
      status: 400,
      body: { error: { id: 'invalid-operation', message: /onlyReg/ } }
    })
    t.ok((await alice.call('getAccessInfo')).id, 'the account is still there')
    const { deeds } = (await service.http('GET', '/system/deeds', undefined, { authorization: adminKey }))
      .body
    t.same(
      deeds.filter(({ error }: Answer) => error === null),
      [],
      'no deletion is recorded'
    )

    t.match(await ask('/reg/users/alice?onlyReg=false&dryRun=false'), {
      status: 200,
      body: { userDeletion: { username: 'alice' } }
    })
  })

  t.test('by the owner: after a grace period by default, with proof, and for no other user', async t => {
    const service = await openCoffer(t, { webhooks: { allowInternalTargets: true, minIntervalMs: 0 } })
    const { alice, clock, server } = service
    const hooks = await receiver(t)
    const app = await alice.grant('manage', '*', { type: 'app' })
    await app.do('webhooks.create', { url: hooks.url })
    await app.do('streams.create', { name: 'diary' })
    await hooks.received(1)
    const socket = await connect(t, server.url, 'alice', app.token)
    const remove = (token: string, body?: object): Promise<Answer> =>
      service.http(...getDeletionTime(body), body, as(token))
    await service.user('carol')
    t.equal((await remove(app.token)).status, 404)
    const signedInToken = await signIn(service)
    const missing = {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { code: 'proof-missing' } } }
    }
    clock.advance(-601)
    t.match(await remove(signedInToken), missing, 'signed in while the clock was ahead')
    clock.advance(1202)
    const refused = await remove(alice.token)
    t.match(refused, missing)
    t.match(await remove(alice.token, { password: 'not this one' }), { status: 400 })
    t.match(await remove(alice.token, { password: '' }), {
      status: 400,
      body: { error: { id: 'invalid-parameters-format' } }
    })
    t.equal((await service.http('GET', '/alice/events', undefined, as(app.token))).status, 200)

    const time = clock.now() + 7 * 86_400
    const before = hooks.deliveries.length
    const scheduled = await remove(alice.token, { password, credential: null })
    t.match(scheduled, { status: 200, body: { userDeletion: { username: 'alice', time } } })
    await socket.closed()
    clock.advance(1)
    t.match(await remove(alice.token), { status: 200, body: { userDeletion: { time } } }, 'it stays the same')
    for (const token of [alice.token, app.token])
      for (const [verb, path, body] of closedPaths)
        t.match(
          await service.http(verb, `/alice${path}`, body, as(token)),
          { status: 403, body: { error: { id: 'forbidden', data: { deletion: time } } } },
          `${verb} ${path}`
        )
    const bob = await service.user('bobby')
    for (const headers of [{}, as('no-such-token'), as(bob.token)])
      for (const [verb, path, body] of strangersPaths) {
        const [closed, open] = await Promise.all(
          ['alice', 'carol'].map(async name => await service.http(verb, `/${name}${path}`, body, headers))
        )
        t.same([closed!.status, closed!.body.error], [open!.status, open!.body.error], `${verb} ${path}`)
        t.notMatch(JSON.stringify(closed!.body), /delet/, 'strangers are told nothing')
      }
    await t.rejects(connect(t, server.url, 'alice', 'no-such-token'), /token/)
    await t.rejects(connect(t, server.url, 'alice', app.token), /will be deleted on/)
    t.match(await service.http('GET', '/reg/alice/check'), { status: 409 })
    t.equal(hooks.deliveries.length, before, 'webhooks are silent')
    t.equal(await deleteDue(server.services), 0)

    clock.advance(601)
    const keep = (token: string): Promise<Answer> =>
      service.http('DELETE', '/alice/account/deletion', undefined, as(token))
    t.match(await keep(alice.token), { status: 400, body: { error: { data: { code: 'proof-missing' } } } })
    t.match(await keep(app.token), { status: 403 })
    const login = { username: 'alice', password: password, appId: 'another-app' }
    const origin = { origin: server.url }
    t.match(await service.http('POST', '/alice/auth/login', { ...login, password: 'wrong' }, origin), {
      status: 401
    })
    const signedIn = await service.http('POST', '/alice/auth/login', login, origin)
    t.match(signedIn, { status: 200, body: { deletion: time } })
    const { token } = signedIn.body
    t.equal((await service.http('GET', '/alice/account', undefined, as(token))).status, 403)
    t.match(await keep(token), { status: 200, body: { keptAccount: { username: 'alice' } } })
    t.match(await keep(token), { status: 404 })
    const { events } = await alice.do('events.get', { streams: [':_audit:access-invalid'], limit: 100 })
    t.ok(
      events.some(({ content }: Answer) => content.action === 'auth.login'),
      'sign-ins that failed meanwhile are in the audit'
    )
    for (const kept of [alice.token, app.token, token])
      t.equal((await service.http('GET', '/alice/events', undefined, as(kept))).status, 200, 'as it was')
    clock.advance(8 * 86_400)
    t.equal(await deleteDue(server.services), 0)
    t.same((await (await connect(t, server.url, 'alice', app.token)).call('getAccessInfo')).type, 'app')
  })

  t.test('ends after the grace period, unless an operator keeps or suspends the account', async t => {
    const service = await openCoffer(t, { adminKey })
    const { alice, clock, server } = service
    const operator = { authorization: adminKey }
    const remove = async (): Promise<void> => {
      const authorization = await signIn(service)
      const answer = await service.http('DELETE', '/users/alice', undefined, { authorization })
      t.ok(answer.body.userDeletion.time > clock.now())
    }
    t.match(await service.http('DELETE', '/system/users/alice/deletion', undefined, operator), {
      status: 404
    })
    await remove()
    t.match((await service.http('GET', '/system/users/alice', undefined, operator)).body.user, {
      state: 'closing',
      deletion: clock.now() + 7 * 86_400
    })
    t.match(await service.http('DELETE', '/system/users/alice/deletion', undefined, operator), {
      status: 200,
      body: { keptUser: { username: 'alice' } }
    })
    t.ok((await alice.call('getAccessInfo')).id)
    await remove()
    await service.http('POST', '/system/users/alice/suspension', {}, operator)
    clock.advance(8 * 86_400)
    t.equal(await deleteDue(server.services), 0, 'suspended accounts are kept')
    await service.http('DELETE', '/system/users/alice/suspension', undefined, operator)
    t.equal(await deleteDue(server.services), 1)
    t.same(
      left(service.directory).filter(entry => entry.includes('/')),
      []
    )
    t.match(await service.http('GET', '/alice/events'), { status: 404 })
    t.ok(await service.user('alice'), 'the name is free')
  })

  test('is retried an hour after a failure', async t => {
    const { lines, service } = await logged(t)
    const { services } = service.server
    const { token } = await plant(sender(service.server.url), 'user-of-mark', 'mark')
    const { id } = services.accounts.find('user-of-mark')!
    const platform = new Database(new Layout(service.directory).platformFile)
    t.teardown(() => platform.close())
    const stop = `CREATE TRIGGER stopped BEFORE DELETE ON account WHEN OLD.id = '${id}'
      BEGIN SELECT RAISE(ABORT, 'not yet'); END`
    platform.exec(stop)
    await services.platform.change('scheduleDeletion', id, 1)
    t.equal(await deleteDue(services), 0)
    t.equal(await deleteDue(services), 0, 'nor the next time')
    t.equal(lines.filter(line => line.includes('not yet')).length, 2, lines.join('\n'))
    t.match(await service.http('GET', '/user-of-mark/events', undefined, as(token)), { status: 404 })
    t.match(await service.http('GET', '/reg/user-of-mark/check'), { status: 409 })
    platform.exec('DROP TRIGGER stopped')
    t.equal(await deleteDue(services), 1)
    t.match(await service.http('GET', '/reg/user-of-mark/check'), { status: 200 })
  })
})

const password = 'a long password'

/** Returns the header that carries a token. */
const as = (token: string): { authorization: string } => ({ authorization: token })

/** Signs in Alice; returns the token. */
async function signIn(service: Service): Promise<string> {
  await service.call(undefined, 'test.setPassword', { username: 'alice', password })
  const body = { username: 'alice', password, appId: 'coffer-test-sign-in' }
  const answer = await service.http('POST', '/alice/auth/login', body, { origin: service.server.url })
  return answer.body.token
}

/** Calls that a closed account refuses from any caller. */
const closedPaths = [
  ['GET', '/events', undefined],
  ['GET', '/access-info', undefined],
  ['PUT', '/account', { language: 'fr' }],
  ['POST', '/', [{ method: 'streams.get', params: {} }]]
] as const

/** Anonymous calls, which reveal no more about a closed account than about an open one. */
const strangersPaths = [
  ...closedPaths,
  ['GET', '/', undefined],
  ['GET', '/no-such-route', undefined],
  ['GET', '/service/info', undefined],
  ['GET', '/events/some-id/some-file', undefined],
  ['GET', '/account/export', undefined],
  ['POST', '/mfa/confirm', { code: '123456' }],
  ['DELETE', '/account/deletion', undefined],
  ['POST', '/events/some-id', form()]
] as const

/** Returns the route by which an owner deletes the account: with a body if there is proof to send. */
function getDeletionTime(body?: object): [verb: string, path: string] {
  return body ? ['POST', '/users/alice/deletion'] : ['DELETE', '/users/alice']
}
