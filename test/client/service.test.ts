/** Sign-in, two-factor authentication and access requests by the client. */
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { readServiceInfo, requestAccess, signIn, signOut, waitForAccess } from '../../client/src/index.js'
import { coffer } from '../support/coffer.js'
import { refusalOf } from '../support/own-client.js'
import { until } from '../support/socket.js'

const appId = 'client-test'
const password = 'four words in a row'

t.test('a service', async t => {
  const { clock, http, server } = await coffer(t).then(service => ({
    clock: service.clock,
    server: service.server,
    http: service.http.bind(service)
  }))
  const { url } = server
  const info = await readServiceInfo(url)
  await http('POST', '/users', { appId, username: 'daisy', password, email: 'daisy@example.com' })
  const login = { username: 'Daisy', password, appId }
  const options = { origin: url }

  await t.test('returns its service information at every path', async t => {
    t.match(info, { name: 'Coffer', api: `${url}/{username}/`, access: /\/access\/$/ })
    for (const place of ['/', '/reg/', '/reg/service/info', '/daisy/service/infos'])
      t.same((await readServiceInfo(url + place)).serial, info.serial)
    t.match(await refusalOf(readServiceInfo(`${url}/nobody/service/info`)), { id: 'unknown-resource' })
  })

  await t.test('signs users in and out', async t => {
    const signedIn = await signIn(info, login, options)
    if (!signedIn.isSignedIn) throw new Error('there is no second factor')
    const { coffer: daisy, preferredLanguage } = signedIn
    t.equal(preferredLanguage, 'en')
    t.match(await daisy.call('getAccessInfo'), { type: 'personal', name: appId })
    t.match(daisy.endpoint, { username: 'daisy', token: /./, root: `${url}/daisy/` })
    await signOut(daisy)
    t.match(await refusalOf(daisy.call('getAccessInfo')), { id: 'invalid-access-token' })
  })

  await t.test('refuses wrong passwords and apps of unknown origins', async t => {
    const wrong = { ...login, password: 'something else' }
    t.match(await refusalOf(signIn(info, wrong, options)), { id: 'invalid-credentials', status: 401 })
    t.match(await refusalOf(signIn(info, login)), { id: 'forbidden', status: 403 })
    const offline = { api: 'http://127.0.0.1:1/{username}/' }
    t.match(await refusalOf(signIn(offline, login, options)), { id: 'offline' })
  })

  await t.test('keeps the session of a page in a cookie', async t => {
    const signedIn = await signIn(info, login, { ...options, isPage: true })
    t.ok(signedIn.isSignedIn)
    t.notOk('token' in (signedIn.isSignedIn ? signedIn.coffer.endpoint : {}), 'and tells no token')
  })

  await t.test('asks for a second factor', async t => {
    const first = await signIn(info, login, options)
    if (!first.isSignedIn) throw new Error('there is none yet')
    const { mfaToken, totp } = await first.coffer.request<{ mfaToken: string; totp: { secret: string } }>(
      'POST',
      'mfa/activate',
      { json: { method: 'totp' } }
    )
    const code = (): string =>
      TOTP.generate({ secret: Secret.fromBase32(totp.secret), timestamp: clock.now() * 1000 })
    await first.coffer.request('POST', 'mfa/confirm', { json: { code: code() }, token: mfaToken })
    clock.advance(60)
    const second = await signIn(info, login, options)
    if (second.isSignedIn) throw new Error('a code is needed')
    t.match(await refusalOf(second.verify('000000')), { id: 'invalid-code' })
    await second.sendCode()
    const { coffer: daisy } = await second.verify(code().replace(/^.../, '$& '))
    t.match(await daisy.call('getAccessInfo'), { type: 'personal' })
  })
})

t.test('an access request', async t => {
  const service = await coffer(t)
  const { alice, server } = service
  const info = await readServiceInfo(server.url)
  const asked = {
    requestingAppId: 'weight-diary',
    requestedPermissions: [{ streamId: 'weight', level: 'contribute' as const, defaultName: 'Weight' }]
  }

  await t.test('resolves with an account once the user has agreed', async t => {
    const { authUrl, key, outcome, poll } = await requestAccess(info, asked)
    t.match(authUrl, `key=${key}`)
    const waiting = outcome()
    const { access } = await alice.do('accesses.create', {
      type: 'app',
      name: 'weight-diary',
      permissions: [{ streamId: 'weight', level: 'contribute', defaultName: 'Weight' }]
    })
    const decision = { status: 'ACCEPTED', username: 'alice', token: access.token }
    t.equal((await service.http('POST', new URL(poll).pathname, decision)).status, 200)
    const granted = await waiting
    t.equal(granted.endpoint.token, access.token)
    t.match(await granted.call('streams.get'), { streams: [{ id: 'weight' }] })
    t.same((await waitForAccess(poll)).endpoint, granted.endpoint, 'also for who comes later')
  })

  await t.test('rejects with the reason if the user refuses', async t => {
    const { outcome, poll } = await requestAccess(info, asked)
    const decision = { status: 'REFUSED', reasonId: 'USER_SAID_NO', message: 'No' }
    await service.http('POST', new URL(poll).pathname, decision)
    t.match(await refusalOf(outcome()), { id: 'USER_SAID_NO', message: 'No', status: 403 })
  })

  await t.test('can be cancelled, and ends when it expires', async t => {
    const { outcome, poll } = await requestAccess(info, asked)
    const gone = new AbortController()
    let isOver = false
    const waiting = refusalOf(outcome({ signal: gone.signal })).finally(() => (isOver = true))
    gone.abort(new Error('enough'))
    await until(() => isOver, 'it is given up')
    t.match(await waiting, { message: 'enough' })
    service.clock.advance(2 * 3600)
    t.match(await refusalOf(waitForAccess(poll)), { id: 'unknown-referenced-resource', status: 400 })
    t.match(await refusalOf(requestAccess(info, { ...asked, requestingAppId: '' })), { status: 400 })
  })
})
