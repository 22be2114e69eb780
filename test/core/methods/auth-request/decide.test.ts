/** Who may decide an app's request, and who can read the outcome for how long. */
import t from 'tap'
import { start } from '../../../support/asking.js'
import { Client } from '../../../support/coffer.js'

function device(deviceName: string) {
  return { type: 'app', name: 'asking-app', deviceName }
}

const unknown = { status: 400, error: { id: 'unknown-referenced-resource' } }

t.test('authRequest.poll', async t => {
  t.test('returns the same as the request did, until it expires', async t => {
    const { ask, poll, service } = await start(t)
    const answer = await ask({ returnURL: false, deviceName: 'phone', expireAfter: 0 })
    t.equal(answer.returnURL, false)
    t.strictSame(await poll(answer.key), answer)
    service.clock.advance(3599)
    t.strictSame(await poll(answer.key), answer)
    service.clock.advance(1)
    t.match(await poll(answer.key), unknown)
  })

  t.test('returns the token at every poll within the hour', async t => {
    const { accept, app, ask, poll, service } = await start(t)
    const { key } = await ask({ serviceInfo: { name: 'Mine' } })
    service.clock.advance(60)
    const accepted = await accept(key, app)
    t.match(accepted, { status: 'ACCEPTED', token: app.token, redirect: undefined })
    for (const seconds of [0, 10, 3529]) {
      service.clock.advance(seconds)
      t.strictSame(await poll(key), {
        status: 'ACCEPTED',
        code: 200,
        apiEndpoint: `${service.server.url.replace('//', `//${app.token}@`)}/alice/`,
        username: 'alice',
        token: app.token,
        serviceInfo: { name: 'Mine' },
        accessId: undefined
      })
    }
    service.clock.advance(1)
    t.match(await poll(key), unknown)
  })

  t.test('returns no token that has ended since', async t => {
    const { accept, alice, ask, poll, service } = await start(t)
    const deleted = await alice.grant('read', 'diary', device('one'))
    const expiring = await alice.grant('read', 'diary', { ...device('two'), expireAfter: 60 })
    const bobby = await (await service.user('bobby')).grant('read', 'diary', device('three'))
    const keys: string[] = []
    for (const client of [deleted, expiring, bobby]) {
      const { key } = await ask({ deviceName: client.access.deviceName })
      t.match(await accept(key, client), { status: 'ACCEPTED' })
      keys.push(key)
    }
    await alice.do('accesses.delete', { id: deleted.access.id })
    service.clock.advance(61)
    const { accounts } = service.server.services
    await accounts.remove(accounts.find('bobby')!)
    await service.user('bobby')
    for (const key of keys) t.match(await poll(key), unknown)
  })

  t.test('stores no token outside the account', async t => {
    const { accept, app, ask, service } = await start(t)
    const { key } = await ask()
    await accept(key, app)
    const known = service.server.services.platform.authRequests.find(key, service.clock.now())
    t.match(known, { username: 'alice', decision: { status: 'ACCEPTED', accessId: app.access.id } })
    t.notMatch(JSON.stringify(known), app.token)
  })

  t.test('throttles only addresses that guess keys', async t => {
    const { ask, poll } = await start(t, { throttle: { invalidTokens: 3 } })
    const { key } = await ask()
    const ip = '192.0.2.1'
    for (let count = 0; count < 3; count++) t.match(await poll('aaaaBBBBccccDDDD', ip), unknown)
    t.match(await poll('aaaaBBBBccccDDDD', ip), { status: 429, error: { id: 'too-many-requests' } })
    t.match(await poll(key, ip), { status: 'NEED_SIGNIN' })
    t.match(await poll('aaaaBBBBccccDDDD', '192.0.2.2'), unknown)
  })
})

t.test('authRequest.decide', async t => {
  t.test('accepts the endpoint in place of user and token, or besides them', async t => {
    const { alice, app, ask, call, service } = await start(t)
    const endpoint = `${service.server.url.replace('//', `//${app.token}@`)}/alice`
    const { token } = app
    const good = [
      { apiEndpoint: endpoint },
      { apiEndpoint: `${endpoint}/` },
      { apiEndpoint: `${endpoint}/`, username: 'alice', token },
      { apiEndpoint: endpoint.replace('alice', 'Alice'), username: 'ALICE', token },
      { apiEndpoint: null, username: 'alice', token }
    ]
    for (const fields of good) {
      const { key } = await ask()
      const answer = await call('decide', { key, status: 'ACCEPTED', ...fields })
      t.match(answer, { status: 'ACCEPTED', apiEndpoint: `${endpoint}/` }, JSON.stringify(fields))
    }
    const bad = [
      { apiEndpoint: endpoint, token: alice.token },
      { apiEndpoint: endpoint, username: 'robert' },
      { apiEndpoint: endpoint.replace(token, alice.token), username: 'alice', token },
      { apiEndpoint: endpoint.replace(token, token.toUpperCase()), username: 'alice', token },
      { apiEndpoint: `${service.server.url}/alice/`, username: 'alice', token },
      { apiEndpoint: `https://${token}@evil.com/alice/`, username: 'alice', token },
      { apiEndpoint: `https://${token}@evil.com/alice/` },
      { apiEndpoint: 'nonsense' },
      { username: 'alice' },
      { token },
      {}
    ]
    const { key } = await ask()
    for (const fields of bad)
      t.match(
        await call('decide', { key, status: 'ACCEPTED', ...fields }),
        { status: 400, error: { id: 'invalid-parameters-format' } },
        JSON.stringify(fields)
      )
    t.match(await call('poll', { key }), { status: 'NEED_SIGNIN' })
  })

  t.test('accepts only a valid token of the same user', async t => {
    const { accept, alice, app, ask, call, poll, service } = await start(t)
    const bobby = await service.user('bobby')
    const { key } = await ask()
    const expired = await alice.grant('read', 'diary', { expireAfter: 0 })
    const deleted = await alice.grant('read', 'diary')
    await alice.do('accesses.delete', { id: deleted.access.id })
    const gone = await service.user('carol')
    await gone.do('auth.logout')
    const bad = [
      ['alice', bobby.token],
      ['bobby', app.token],
      ['nobody', app.token],
      ['alice', expired.token],
      ['alice', deleted.token],
      ['carol', gone.token],
      ['alice', `${app.token} caller`],
      ['alice', `Bearer ${app.token}`],
      ['alice', '']
    ]
    for (const [username, token] of bad)
      t.match(
        await call('decide', { key, status: 'ACCEPTED', username, token }),
        { status: 401, error: { id: 'invalid-access-token' } },
        `${username}: ${token}`
      )
    t.match(await poll(key), { status: 'NEED_SIGNIN' })
    t.match(await accept(key, app), { status: 'ACCEPTED' })
  })

  t.test('succeeds once, for the first caller', async t => {
    const { accept, alice, app, ask, poll, refuse } = await start(t)
    const fields = { type: 'app', name: 'asking-app', deviceName: 'phone' }
    const phone = await alice.grant('read', 'diary', fields)
    const { key } = await ask({ deviceName: 'phone' })
    const answers = await Promise.all([accept(key, app), refuse(key), accept(key, phone), accept(key, app)])
    t.same(
      answers.map(({ status }) => status),
      ['ACCEPTED', 400, 400, 400]
    )
    t.match(answers[1], { error: { id: 'invalid-operation' } })
    t.match(await poll(key), { status: 'ACCEPTED', token: app.token })
    const other = await ask()
    await refuse(other.key)
    t.match(await accept(other.key, app), { status: 400, error: { id: 'invalid-operation' } })
    t.match(await poll(other.key), { status: 'REFUSED' })
  })

  t.test('returns where to redirect the user, without the token', async t => {
    const { accept, app, ask, refuse } = await start(t)
    const one = await ask({ returnURL: 'https://app.example.com/#' })
    const { redirect } = await accept(one.key, app)
    t.match(redirect, /^https:\/\/app\.example\.com\/#prYvpoll=.*&prYvstatus=ACCEPTED$/)
    t.notMatch(redirect, app.token)
    const other = await ask({ returnURL: 'https://app.example.com/#' })
    t.match((await refuse(other.key)).redirect, /prYvstatus=REFUSED$/)
    t.notOk('redirect' in (await refuse((await ask({ returnURL: false })).key)))
  })

  t.test('counts guessed tokens', async t => {
    const { accept, alice, app, ask, service } = await start(t, { throttle: { invalidTokens: 3 } })
    const { key } = await ask()
    const ip = '192.0.2.1'
    const guess = new Client(service, 'alice', { ...alice.access, token: 'guessed' })
    for (let count = 0; count < 3; count++) t.match(await accept(key, guess, ip), { status: 401 })
    t.match(await accept(key, guess, ip), { status: 429 })
    t.match(await accept(key, app, ip), { status: 'ACCEPTED' })
  })
})
