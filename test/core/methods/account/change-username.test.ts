/** Changing the user name: the former name keeps leading to the account, in everything that knows it. */
import t, { type Test } from 'tap'
import { Client, openCoffer, type Answer, type Overrides, type Service } from '../../../support/coffer.js'
import { mailbox } from '../../../support/mailbox.js'
import { receiver } from '../../../support/receiver.js'
import { socketOf, until } from '../../../support/socket.js'

const password = 'a good password'

async function register(
  t: Test,
  overrides: Overrides = {}
): Promise<{ service: Service; daisy: Client; base: string }> {
  const service = await openCoffer(t, {
    webhooks: { allowInternalTargets: true, minIntervalMs: 0 },
    ...overrides,
    auth: { usernameChangeInterval: 0, ...overrides.auth }
  })
  const daisy = await signUp(service, 'daisy')
  return { service, daisy, base: service.server.url }
}

async function signUp(service: Service, username: string): Promise<Client> {
  const body = { username, password, email: `${username}@example.com`, appId: 'some-app' }
  const { body: made } = await service.http('POST', '/users', body)
  const token = new URL(made.apiEndpoint).username
  const access = await service.call(username, 'getAccessInfo', {}, token)
  return new Client(service, username, { ...access, token })
}

t.test('account.changeUsername', async t => {
  t.test('changes it as often as the settings allow', async t => {
    const { daisy, service } = await register(t)
    const change = (newUsername: unknown): Promise<Answer> =>
      daisy.http('POST', '/account/change-username', { newUsername })
    t.match(await daisy.http('GET', '/account/username-changes'), {
      status: 200,
      body: { usernameChangesRemaining: 2, usernameChangesLimit: 2, usernameChangesUsed: 0 }
    })
    t.match(await change('daisy'), {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { usernameChangesUsed: 0, usernameChangesLimit: 2 } } }
    })
    t.match(await change('flower'), {
      status: 200,
      body: { account: { username: 'flower', email: 'daisy@example.com' }, usernameChangesRemaining: 1 }
    })
    t.match(await change('blossom'), { status: 200, body: { usernameChangesRemaining: 0 } })
    t.match(await change('petals'), {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { usernameChangesUsed: 2, usernameChangesLimit: 2 } } }
    })
    t.match(await daisy.http('GET', '/account/username-changes'), {
      body: { usernameChangesRemaining: 0, usernameChangesLimit: 2, usernameChangesUsed: 2 }
    })
    for (const username of ['daisy', 'flower', 'blossom', 'DAISY'])
      t.match(
        await service.http('GET', `/${username}/access-info`, undefined, { authorization: daisy.token }),
        {
          status: 200,
          body: { user: { username: 'blossom' } }
        }
      )
    const { auditLogs } = await daisy.do('audit.get', { limit: 1000 })
    const recorded = auditLogs.filter(({ action }: Answer) => action === 'POST /account/change-username')
    t.equal(recorded.length, 4, 'audited, also what was refused')
  })

  t.test('refuses other names', async t => {
    const { daisy, service } = await register(t, { auth: { usernameChangeLimit: 5 } })
    const other = await signUp(service, 'other-user')
    await other.do('account.changeUsername', { newUsername: 'other-name' })
    await other.stream('diary')
    const { alias } = (await other.grant('read', 'diary', { randomAlias: true })).access
    for (const newUsername of [
      'admin',
      'coffer-team',
      'with--two',
      'abc',
      'UPPER',
      'dot.ted',
      '-begin',
      'r-abcdefgh',
      'x'.repeat(61),
      'naïve-name',
      ' daisy2',
      'daisy2\n'
    ])
      t.match(
        await daisy.call('account.changeUsername', { newUsername }),
        { status: 400, error: { id: 'invalid-operation', data: { newUsername } } },
        newUsername
      )
    for (const newUsername of ['other-user', 'other-name'])
      t.match(
        await daisy.call('account.changeUsername', { newUsername }),
        { status: 409, error: { id: 'item-already-exists', data: { username: newUsername } } },
        newUsername
      )
    t.match(await daisy.call('account.changeUsername', { newUsername: alias }), { status: 400 })
    await daisy.do('account.changeUsername', { newUsername: 'daisy-two' })
    t.match(
      await daisy.call('account.changeUsername', { newUsername: 'daisy' }),
      { status: 409 },
      'its own former one'
    )
    for (const params of [
      {},
      { newUsername: 1 },
      { newUsername: 'daisy3', more: 1 },
      { newUsername: 'x'.repeat(2000) }
    ])
      t.match(await daisy.call('account.changeUsername', params), { status: 400 })
    const app = await other.grant('manage', 'diary', { type: 'app' })
    for (const method of ['account.changeUsername', 'account.getUsernameChanges'])
      t.match(await app.call(method, method.includes('get') ? {} : { newUsername: 'app-name' }), {
        status: 403
      })
    t.match(await daisy.call('account.update', { update: { username: 'daisy-three' } }), {
      error: { id: 'invalid-operation' }
    })
    // No one else can take a former name.
    const body = { username: 'daisy', password, email: 'new@example.com', appId: 'some-app' }
    t.match(await service.http('POST', '/users', body), { status: 409 })
    t.match((await service.http('GET', '/reg/daisy/check_username')).body, { reserved: true })
  })

  t.test('is limited in its rate, and can be switched off', async t => {
    const { daisy, service } = await register(t, { auth: { usernameChangeInterval: 86_400 } })
    await daisy.do('account.changeUsername', { newUsername: 'flower' })
    const next = service.clock.now() + 86_400
    t.match(await daisy.call('account.changeUsername', { newUsername: 'blossom' }), {
      status: 400,
      error: {
        id: 'invalid-operation',
        data: { usernameChangesUsed: 1, usernameChangesLimit: 2, nextUsernameChange: next }
      }
    })
    t.match(await daisy.do('account.getUsernameChanges'), { nextUsernameChange: next })
    service.clock.advance(86_400)
    await daisy.do('account.changeUsername', { newUsername: 'blossom' })
    const off = await register(t, { auth: { usernameChangeLimit: 0 } })
    for (const [method, params] of [
      ['account.changeUsername', { newUsername: 'flower' }],
      ['account.getUsernameChanges', {}]
    ] as const) {
      t.match(await off.daisy.call(method, params), { status: 451, error: { id: 'unavailable-method' } })
      const { results } = await off.daisy.do('callBatch', [{ method, params }])
      t.match(results, [{ error: { id: 'unavailable-method' } }])
    }
  })

  t.test('gives a name that two ask for at once to one of them', async t => {
    const { daisy, service } = await register(t)
    const rose = await signUp(service, 'rosalind')
    const body = { username: 'wanted', password, email: 'third@example.com', appId: 'some-app' }
    const statuses = [
      ...(await Promise.all(
        [daisy, rose].map(each => each.http('POST', '/account/change-username', { newUsername: 'wanted' }))
      )),
      await service.http('POST', '/users', body)
    ].map(({ status }) => status)
    t.same(statuses.toSorted(), [200, 409, 409])
  })

  t.test('keeps everything of the former name working', async t => {
    const box = await mailbox(t)
    const { base, daisy, service } = await register(t, box.settings)
    await daisy.stream('diary')
    const target = await receiver(t)
    const reader = await daisy.grant('read', 'diary', { type: 'app' })
    const hidden = await daisy.grant('read', 'diary', { randomAlias: true })
    await reader.do('webhooks.create', { url: target.url })
    const socket = await socketOf(t, daisy)
    const messages: string[] = []
    socket.raw.on('accountChanged', () => messages.push('accountChanged'))
    const readerSocket = await socketOf(t, reader)
    await daisy.do('account.changeUsername', { newUsername: 'flower' })
    await until(() => messages.length === 1, 'a message')

    const flower = new Client(service, 'flower', daisy.access)
    await flower.event({ content: 'by the new name' })
    await daisy.event({ content: 'by the former name' })
    await until(
      () => readerSocket.heard.length >= 2 && socket.heard.length >= 2,
      'messages to sockets of before'
    )
    t.match(await socket.call('getAccessInfo'), { user: { username: 'flower' } })
    const late = await socketOf(t, new Client(service, 'daisy', reader.access))
    await flower.event()
    await until(() => late.heard.includes('eventsChanged'), 'a message to a socket of after')
    await target.received(1)

    t.match(await reader.call('getAccessInfo'), {
      user: { username: 'flower' },
      apiEndpoint: `${base.replace('//', `//${reader.token}@`)}/flower/`
    })
    t.match(await new Client(service, hidden.access.alias!, hidden.access).call('getAccessInfo'), {
      user: { username: hidden.access.alias }
    })
    t.match((await service.http('GET', '/reg/daisy@example.com/uid')).body, { uid: 'flower' })
    for (const each of ['daisy', 'flower'])
      t.match((await service.http('POST', `/reg/${each}/server`)).body, {
        alias: `${new URL(base).host}/flower`
      })
    const origin = { origin: base }
    for (const [path, username] of [
      ['daisy', 'daisy'],
      ['daisy', 'flower'],
      ['flower', 'daisy'],
      ['flower', 'flower']
    ])
      t.match(
        await service.http('POST', `/${path}/auth/login`, { username, password, appId: 'some-app' }, origin),
        { status: 200, body: { apiEndpoint: new RegExp('/flower/$') } },
        `${path} ${username}`
      )
    await until(() => box.mails.some(({ text }) => text.includes('from daisy to flower')), 'the mail')
    const mail = box.mails.find(({ text }) => text.includes('from daisy to flower'))!
    t.same(mail.to, ['daisy@example.com'])
  })
})
