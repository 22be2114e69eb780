/** Who operates the service from its pages, and what is recorded of it. (docs/spec/administration.md#operators) */
import { io } from 'socket.io-client'
import t, { type Test } from 'tap'
import { deriveCommandKey } from '../../../core/auth/admin.js'
import { coffer, type Answer, type Client, type Overrides, type Service } from '../../support/coffer.js'

const adminKey = 'the key of the operator'

/** Starts a service with an operator, `olive`, and another user. */
async function operated(
  t: Test,
  overrides: Overrides = {}
): Promise<{ service: Service; alice: Client; olive: Client }> {
  const service = await coffer(t, { adminKey, operators: ['olive', 'oscar'], ...overrides })
  return { service, alice: service.alice, olive: await service.user('olive') }
}

/** Returns the headers that a page of the service sends. */
const fromPage = ({ token, username }: Pick<Client, 'token' | 'username'>): Record<string, string> => ({
  'coffer-app': '1',
  cookie: `coffer-session=${username}.${token}`
})

/** Every operator route, with a body where it accepts one. */
const routes = (username: string): readonly (readonly [verb: string, path: string, body?: object])[] => [
  ['GET', '/system/overview'],
  ['GET', '/system/users'],
  ['GET', `/system/users/${username}`],
  ['GET', '/system/deeds'],
  ['GET', '/system/settings'],
  ['GET', '/system/growth'],
  ['GET', '/system/invitations'],
  ['POST', '/system/invitations', {}],
  ['POST', `/system/users/${username}/quota`, { bytes: null }],
  ['POST', `/system/users/${username}/suspension`, {}],
  ['DELETE', `/system/users/${username}/suspension`],
  ['POST', `/system/users/${username}/reset-link`, {}],
  ['DELETE', `/system/users/${username}/wait`],
  ['DELETE', `/system/users/${username}/mfa`],
  ['DELETE', `/system/users/${username}`]
]

/** Returns the statuses of all routes. */
async function statuses(service: Service, headers: Record<string, string>): Promise<number[]> {
  const found: number[] = []
  for (const [verb, path, body] of routes('alice'))
    found.push((await service.http(verb, path, body, headers)).status)
  return found
}

const deedsOf = async (service: Service): Promise<Answer[]> =>
  (await service.http('GET', '/system/deeds', undefined, { authorization: adminKey })).body.deeds

const nothing = routes('').map(() => 404)

t.test('operators', async t => {
  t.test('may call every operator route from a page, without a key', async t => {
    const { olive, service } = await operated(t)
    const found = await statuses(service, fromPage(olive))
    t.same(found, [200, 200, 200, 200, 200, 200, 200, 201, 200, 200, 200, 201, 204, 204, 200])
  })

  t.test('may do so even if no key is set', async t => {
    const service = await coffer(t, { operators: ['olive'] })
    const olive = await service.user('olive')
    t.equal((await service.http('GET', '/system/overview', undefined, fromPage(olive))).status, 200)
  })

  t.test('are only the users named by the setting, with their own session, from a page', async t => {
    const { alice, olive, service } = await operated(t)
    const app = await olive.do('accesses.create', {
      name: 'app',
      type: 'app',
      permissions: [{ streamId: '*', level: 'manage' }]
    })
    const shared = await olive.grant('manage', '*')
    const { cookie } = fromPage(olive)
    const session = await service.http(
      'POST',
      '/system/users/olive/session',
      { appId: 'some-game' },
      { authorization: deriveCommandKey(adminKey) }
    )
    const callers: Record<string, Record<string, string>> = {
      'another account': fromPage(alice),
      'the token of the operator without a page': { authorization: olive.token },
      'the cookie without the header of a page': { cookie: cookie! },
      'the cookie from another origin': { ...fromPage(olive), origin: 'https://evil.example' },
      'the cookie from another site': { ...fromPage(olive), 'sec-fetch-site': 'cross-site' },
      'an access of an app in the cookie': fromPage({ username: 'olive', token: app.access.token }),
      'the session of another app in the cookie': fromPage({
        username: 'olive',
        token: session.body.token
      }),
      'a shared access in the cookie': fromPage({ username: 'olive', token: shared.token }),
      'the token of another account under the name of an operator': fromPage({
        username: 'oscar',
        token: alice.token
      }),
      'a wrong key': { authorization: 'not the key' },
      nobody: {}
    }
    for (const [name, headers] of Object.entries(callers))
      t.same(await statuses(service, headers), nothing, name)
    const deeds = (await deedsOf(service)).map(({ method }: Answer) => method)
    t.same(deeds, ['system.openSession'], 'and nothing of it was done')
    t.notOk((await alice.call('events.get')).error, 'the account is as it was')
  })

  t.test('are refused with an ended session', async t => {
    const { olive, service } = await operated(t)
    await olive.do('auth.logout')
    const { body, status } = await service.http('GET', '/system/overview', undefined, fromPage(olive))
    t.equal(status, 401)
    t.equal(body.error.id, 'invalid-access-token')
  })

  t.test('cannot suspend or delete themselves', async t => {
    const { olive, service } = await operated(t)
    for (const [verb, path] of [
      ['POST', '/system/users/olive/suspension'],
      ['DELETE', '/system/users/OLIVE']
    ] as const) {
      const { body } = await service.http(verb, path, verb === 'POST' ? {} : undefined, fromPage(olive))
      t.equal(body.error.id, 'invalid-operation', path)
    }
    t.notOk((await olive.call('events.get')).error)
  })

  t.test('lose their rights immediately when they are suspended or deleted', async t => {
    const { olive, service } = await operated(t)
    const oscar = await service.user('oscar')
    const status = async (who: Client): Promise<number> =>
      (await service.http('GET', '/system/overview', undefined, fromPage(who))).status
    t.equal(await status(oscar), 200)
    await service.http('POST', '/system/users/oscar/suspension', {}, fromPage(olive))
    t.equal(await status(oscar), 404)
    await service.http('DELETE', '/system/users/oscar/suspension', undefined, fromPage(olive))
    t.equal(await status(oscar), 200)
    await service.http('DELETE', '/system/users/oscar', undefined, fromPage(olive))
    t.equal(await status(oscar), 404)
  })

  t.test('cannot delete accounts if the settings leave that to the owners', async t => {
    const { alice, olive, service } = await operated(t, { userAccount: { delete: ['personalToken'] } })
    t.equal((await service.http('DELETE', '/system/users/alice', undefined, fromPage(olive))).status, 404)
    t.notOk((await alice.call('events.get')).error)
  })

  t.test('cannot delete themselves in that case either', async t => {
    const { olive, service } = await operated(t, { userAccount: { delete: ['personalToken'] } })
    const { body } = await service.http('DELETE', '/system/users/olive', undefined, fromPage(olive))
    t.equal(body.error.id, 'invalid-operation')
    t.notOk((await olive.call('events.get')).error)
  })

  t.test('can manage accounts of other threads', async t => {
    const { olive, service } = await operated(t, { workers: 2 })
    for (const name of ['bobby', 'carol', 'david', 'erica']) await service.user(name)
    const { body } = await service.http('GET', '/system/users', undefined, fromPage(olive))
    t.same(
      body.users.map(({ username }: Answer) => username),
      ['alice', 'bobby', 'carol', 'david', 'erica', 'olive']
    )
    t.ok(body.users.every(({ documents }: Answer) => typeof documents === 'number'))
    for (const name of ['alice', 'bobby', 'carol', 'david', 'erica']) {
      const path = `/system/users/${name}/suspension`
      t.equal((await service.http('POST', path, {}, fromPage(olive))).status, 200, name)
      t.equal((await service.call(name, 'events.get', {})).error.id, 'forbidden')
    }
    const deeds = await deedsOf(service)
    t.same(
      deeds.map(({ username }) => username),
      ['erica', 'david', 'carol', 'bobby', 'alice']
    )
  })
})

t.test('operator actions', async t => {
  t.test('are recorded with operator, target and IP address', async t => {
    const { olive, service } = await operated(t)
    await statuses(service, fromPage(olive))
    const deeds = (await deedsOf(service)).toReversed()
    t.same(
      deeds.map(({ method }) => method),
      [
        'admin.createInvitations',
        'system.limitUser',
        'system.suspendUser',
        'system.resumeUser',
        'system.createResetLink',
        'system.unlockUser',
        'system.deactivateMfa',
        'users.delete'
      ]
    )
    for (const deed of deeds) t.match(deed, { operator: 'olive', isByKey: false, error: null, ip: /127/ })
    t.same(deeds[0].detail, { count: 1 })
    t.same(deeds[1].detail, { bytes: null })
  })

  t.test('do not name deleted users', async t => {
    const { alice, olive, service } = await operated(t)
    await service.http('POST', '/system/users/alice/suspension', {}, fromPage(olive))
    t.match(await deedsOf(service), [{ username: 'alice' }])
    await service.http('DELETE', `/system/users/${alice.username}`, undefined, fromPage(olive))
    const deeds = await deedsOf(service)
    t.match(deeds, [
      { method: 'users.delete', username: null, target: /^c/ },
      { method: 'system.suspendUser', username: null, target: deeds[0].target }
    ])
  })

  t.test('are recorded when they are refused or authorised by the key', async t => {
    const { service } = await operated(t)
    const key = { authorization: adminKey }
    await service.http('DELETE', '/system/users/alice/suspension', undefined, key)
    await service.http('POST', '/system/users/nobody-here/suspension', {}, key)
    t.match(await deedsOf(service), [
      { method: 'system.suspendUser', error: 'unknown-resource', target: null, isByKey: true },
      { method: 'system.resumeUser', error: 'unknown-resource', username: 'alice', isByKey: true }
    ])
  })

  t.test('are recorded without params if these are refused', async t => {
    const { olive, service } = await operated(t)
    const long = 'x'.repeat(10_000)
    await service.http('POST', '/system/users/alice/quota', { bytes: -1, [long]: long }, fromPage(olive))
    await service.http('POST', '/system/users/ALICE/suspension', { more: 1 }, { authorization: adminKey })
    await service.http('POST', '/system/create-user', { username: {} }, { authorization: adminKey })
    const error = 'invalid-parameters-format'
    t.match(await deedsOf(service), [
      { method: 'system.createUser', error, target: null, isByKey: true, detail: {} },
      { method: 'system.suspendUser', error, username: 'alice', isByKey: true, detail: {} },
      { method: 'system.limitUser', error, username: 'alice', operator: 'olive', detail: {} }
    ])
    t.ok((await deedsOf(service)).every(({ detail }) => Object.keys(detail).length === 0))
  })

  t.test('are not recorded for attempts by others', async t => {
    const { alice, service } = await operated(t)
    for (const headers of [fromPage(alice), { authorization: 'not the key' }, {}])
      await service.http('POST', '/system/users/alice/quota', { bytes: -1 }, headers)
    t.same(await deedsOf(service), [])
  })

  t.test('contain no secrets', async t => {
    const { olive, service } = await operated(t)
    const { body } = await service.http('POST', '/system/users/alice/reset-link', {}, fromPage(olive))
    const token = new URL(body.resetLink.url).searchParams.get('resetToken')!
    t.ok(token.length > 10)
    t.notOk(JSON.stringify(await deedsOf(service)).includes(token))
  })
})

t.test('the operator status is returned whatever the case of the name', async t => {
  const { olive, service } = await operated(t)
  for (const name of ['olive', 'OLIVE', 'Olive']) {
    const { body } = await service.http('GET', `/system/operators/${name}`, undefined, fromPage(olive))
    t.same(body.operator, { username: 'olive' }, name)
  }
})

t.test('access info reports an operator only in a session of a page', async t => {
  const { alice, olive, service } = await operated(t)
  const told = async (path: string, headers: Record<string, string>): Promise<unknown> =>
    (await service.http('GET', path, undefined, headers)).body.user
  t.same(await told('/olive/access-info', fromPage(olive)), { username: 'olive', isOperator: true })
  t.same(await told('/olive/access-info', { authorization: olive.token }), { username: 'olive' })
  t.same(await told('/alice/access-info', fromPage(alice)), { username: 'alice' })
  const batch = [{ method: 'getAccessInfo', params: {} }]
  const { body } = await service.http('POST', '/olive/', batch, fromPage(olive))
  t.equal(body.results[0].user.isOperator, true)
})

t.test('the account returns its own storage limit only if it has one', async t => {
  const { alice, olive, service } = await operated(t, { quota: { bytes: 1_000_000 }, workers: 2 })
  const told = async (): Promise<Answer> => {
    const { body } = await alice.http('GET', '/account')
    t.notOk(Object.hasOwn(body.account, 'quota'))
    return body.quota
  }
  const limit = async (bytes: number | null): Promise<Answer> =>
    (await service.http('POST', '/system/users/alice/quota', { bytes }, fromPage(olive))).body.quota.bytes
  t.equal(await told(), undefined, 'older clients get what they know')
  for (const bytes of [2_000_000, 0]) {
    t.equal(await limit(bytes), bytes)
    t.equal(await told(), bytes)
  }
  t.equal(await limit(null), null)
  t.equal(await told(), undefined)
})

t.test('a suspended account', async t => {
  t.test('refuses all calls and sign-ins, and closes sockets', async t => {
    const { alice, olive, service } = await operated(t)
    const socket = io(`${service.server.url}/alice?auth=${alice.token}`, {
      transports: ['websocket'],
      reconnection: false
    })
    await new Promise<void>(resolve => socket.on('connect', () => resolve()))
    const closed = new Promise<void>(resolve => socket.on('disconnect', () => resolve()))
    await service.http('POST', '/system/users/alice/suspension', {}, fromPage(olive))
    await closed
    for (const [verb, path, body] of [
      ['GET', '/alice/events'],
      ['POST', '/alice/', []],
      ['POST', '/alice/auth/login', { username: 'alice', password: 'x', appId: 'x' }],
      ['POST', '/alice/account/request-password-reset', { appId: 'x' }]
    ] as const) {
      const { body: answer, status } = await service.http(verb, path, body, { authorization: alice.token })
      t.equal(status, 403, path)
      t.match(answer.error, { id: 'forbidden', data: { isSuspended: true } })
    }
  })

  t.test('keeps its name reserved', async t => {
    const { olive, service } = await operated(t)
    await service.http('POST', '/system/users/alice/suspension', {}, fromPage(olive))
    const { body } = await service.http('GET', '/reg/alice/check_username')
    t.equal(body.error.id, 'item-already-exists')
  })
})
