/** Consent: an app's access is only handed over without a question to a client that the user has agreed to. */
import t, { type Test } from 'tap'
import { asked, start } from '../../../support/asking.js'
import type { Answer, Client, Overrides } from '../../../support/coffer.js'

/** Starts a service with an app that has an access, and functions to request it. */
async function begin(t: Test, overrides: Overrides = {}) {
  const flow = await start(t, overrides)
  const { alice, service } = flow
  /** Requests access as a page or a program, from an address. */
  const askFrom = async (fields: object, { ip = '127.0.0.1', origin = '' } = {}): Promise<string> => {
    const { key } = await service.call(undefined, 'authRequest.create', { ...asked, ...fields }, undefined, {
      ip,
      ...(origin && { origin })
    })
    return key
  }
  /** Calls checkApp as a page does for a request, from the user's address. */
  const check = async (requestKey?: string, ip = '127.0.0.1', fields: object = {}): Promise<Answer> =>
    await service.call(
      'alice',
      'accesses.checkApp',
      { ...asked, requestedPermissions: named, ...fields, ...(requestKey && { requestKey }) },
      alice.token,
      { ip }
    )
  /** Hands the access over as a page does; with `by`, as after the user has agreed. */
  const hand = async (key: string, client: Client, by?: Client): Promise<Answer> =>
    await service.call(
      undefined,
      'authRequest.decide',
      { key, status: 'ACCEPTED', username: 'alice', token: client.token },
      by?.token
    )
  return { ...flow, askFrom, check, hand }
}

const named = [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }]
const page = { returnURL: 'https://app.example.com/done?x=1#' }
const browser = { origin: 'https://app.example.com' }
const forbidden = { status: 403, error: { id: 'forbidden' } }

t.test('authRequest.decide', async t => {
  t.test('hands over only the token of an access of the requesting app', async t => {
    const { alice, ask, hand, poll, service } = await begin(t)
    const { key } = await ask({ deviceName: 'phone' })
    const wrong = [
      alice,
      await alice.grant('read', 'diary', { name: 'asking-app' }),
      await alice.grant('read', 'diary', { type: 'app', name: 'another-app' }),
      await alice.grant('read', 'diary', { type: 'app', name: 'asking-app', deviceName: 'tablet' })
    ]
    for (const client of wrong) t.match(await hand(key, client), forbidden)
    t.match(await poll(key), { status: 'NEED_SIGNIN' })
    const right = await alice.grant('read', 'diary', { type: 'app', name: 'asking-app', deviceName: 'phone' })
    t.match(await hand(key, right), { status: 'ACCEPTED', token: right.token })
    t.ok(service)
  })

  t.test('accepts an access without a device from pages that do not support devices', async t => {
    const { app, ask, hand } = await begin(t)
    t.match(await hand((await ask({ deviceName: 'phone' })).key, app), { status: 'ACCEPTED' })
  })
})

t.test('accesses.checkApp', async t => {
  t.test('requires consent if the user has not agreed yet, and not again afterwards', async t => {
    const { alice, app, askFrom, check, hand } = await begin(t)
    const first = await askFrom(page, browser)
    t.match(await check(first), {
      matchingAccess: { token: app.token },
      consent: {
        isNeeded: true,
        asked: { returnTo: 'https://app.example.com', origin: 'https://app.example.com', isNear: true },
        agreed: []
      }
    })
    await hand(first, app, alice)
    const second = await askFrom({ ...page, returnURL: 'https://app.example.com/elsewhere' }, browser)
    t.match(await check(second), { matchingAccess: { token: app.token }, consent: { isNeeded: false } })
  })

  t.test('recognises an access created for a request', async t => {
    const { alice, app, askFrom, check, hand } = await begin(t)
    await alice.do('accesses.delete', { id: app.access.id })
    const first = await askFrom(page, browser)
    t.match(await check(first), {
      checkedPermissions: named.map(({ streamId, level }) => ({ streamId, level }))
    })
    const made = await alice.grant('read', 'diary', { type: 'app', name: 'asking-app' })
    await hand(first, made)
    t.match(await check(await askFrom(page, browser)), { consent: { isNeeded: false } })
  })

  const foreign: Readonly<Record<string, [fields: object, from: { ip?: string; origin?: string }]>> = {
    'another return address': [{ returnURL: 'https://evil.example.com/' }, browser],
    'another port': [{ returnURL: 'https://app.example.com:8443/' }, browser],
    'another scheme': [{ returnURL: 'http://app.example.com/' }, browser],
    'no return address': [{}, browser],
    'a window that closes itself': [{ returnURL: false }, browser],
    'another page that asks': [page, { origin: 'https://evil.example.com' }],
    'a program that asks': [page, {}],
    'a program that asks and polls': [{}, {}],
    'a program elsewhere that says it is the page': [page, { ...browser, ip: '203.0.113.7' }]
  }
  for (const [name, [fields, from]] of Object.entries(foreign))
    t.test(`requires consent for ${name}`, async t => {
      const { alice, app, askFrom, check, hand } = await begin(t)
      await hand(await askFrom(page, browser), app, alice)
      const key = await askFrom(fields, from)
      const { consent } = await check(key)
      t.match(consent, {
        isNeeded: true,
        agreed: [{ returnTo: 'https://app.example.com', origin: 'https://app.example.com' }]
      })
      t.equal(consent.asked.isNear, from.ip === undefined)
      await hand(key, app, alice)
      t.match((await check(await askFrom(fields, from))).consent, { isNeeded: false }, 'agreed to')
      t.match(
        (await check(await askFrom(page, browser))).consent,
        { isNeeded: false },
        'and the first one still'
      )
    })

  t.test('requires consent again if the user has given the access an end', async t => {
    const { alice, app, askFrom, check, hand } = await begin(t, { accesses: { updates: true } })
    await hand(await askFrom(page, browser), app, alice)
    const update = async (update: object): Promise<void> => {
      const { accesses } = await alice.do('accesses.get')
      const { id } = accesses.find(({ token }: Answer) => token === app.token)
      await alice.do('accesses.update', { id, update })
    }
    await update({ clientData: { colour: 'red' } })
    await update({ clientData: { colour: null } })
    t.match((await check(await askFrom(page, browser))).consent, { isNeeded: false })
    await update({ expireAfter: 3600 })
    t.match(await check(await askFrom(page, browser)), {
      matchingAccess: { token: app.token },
      consent: { isNeeded: true, agreed: [] }
    })
  })

  t.test('requires consent again even if the app answers an older request of its own', async t => {
    const { alice, app, askFrom, check, hand } = await begin(t, { accesses: { updates: true } })
    await alice.do('accesses.delete', { id: app.access.id })
    const keys = [await askFrom(page, browser), await askFrom(page, browser)] as const
    const made = await alice.grant('read', 'diary', { type: 'app', name: 'asking-app' })
    await hand(keys[0], made)
    await alice.do('accesses.update', { id: made.access.id, update: { expireAfter: 3600 } })
    await hand(keys[1], made)
    t.match((await check(await askFrom(page, browser))).consent, { isNeeded: true, agreed: [] })
  })

  t.test('treats a program on another network as a different one', async t => {
    const { alice, app, askFrom, check, hand } = await begin(t)
    await hand(await askFrom({}, { ip: '203.0.113.7' }), app, alice)
    t.match((await check(await askFrom({}, { ip: '203.0.113.7' }))).consent, { isNeeded: false })
    t.match((await check(await askFrom({}, { ip: '203.0.113.8' }))).consent, { isNeeded: true })
    t.match((await check(await askFrom({}, { ip: '203.0.113.8' }), '203.0.113.8')).consent, {
      isNeeded: false,
      asked: { isNear: true }
    })
    await hand(await askFrom({}, { ip: '2001:db8::1' }), app, alice)
    t.match(
      (await check(await askFrom({}, { ip: '2001:db8::2' }))).consent,
      { isNeeded: false },
      'one network'
    )
    t.match((await check(await askFrom({}, { ip: '2001:db8:1::2' }))).consent, {
      isNeeded: true,
      asked: { network: '2001:db8:1:0::/64' }
    })
    t.match((await check(await askFrom({}, { ip: '::ffff:203.0.113.7' }))).consent, { isNeeded: false })
  })

  t.test('treats no client as near behind a proxy that the operator has not configured', async t => {
    for (const trustedProxies of [[], ['127.0.0.1']]) {
      const { alice, app, service } = await begin(t, { http: { trustedProxies } })
      const ask = async (from: string): Promise<string> =>
        (await service.http('POST', '/reg/access', asked, { 'x-forwarded-for': from })).body.key
      const isNeeded = async (requestKey: string): Promise<boolean> => {
        const params = { ...asked, requestedPermissions: named, requestKey }
        const headers = { 'x-forwarded-for': '192.0.2.1' }
        return (await alice.http('POST', '/accesses/check-app', params, headers)).body.consent.isNeeded
      }
      const decision = { status: 'ACCEPTED', username: 'alice', token: app.token }
      const path = `/reg/access/${await ask('192.0.2.1')}`
      await service.http('POST', path, decision, { authorization: alice.token })
      t.equal(
        await isNeeded(await ask('192.0.2.1')),
        trustedProxies.length === 0,
        'who asks from there again'
      )
      t.equal(await isNeeded(await ask('203.0.113.5')), true, 'who asks from elsewhere')
    }
  })

  t.test('records no consent for pages that hand over an existing access without asking', async t => {
    const { app, askFrom, check, hand, service } = await begin(t)
    service.clock.advance(10)
    const key = await askFrom({ returnURL: 'https://evil.example.com/' })
    t.match(await hand(key, app), { status: 'ACCEPTED' }, 'pages of others go on to work')
    t.match((await check(await askFrom({ returnURL: 'https://evil.example.com/' }))).consent, {
      isNeeded: true,
      agreed: []
    })
  })

  t.test('gives an earlier request no advantage from another app’s consent', async t => {
    const { alice, app, askFrom, check, hand, service } = await begin(t)
    await alice.do('accesses.delete', { id: app.access.id })
    const early = await askFrom({ returnURL: 'https://evil.example.com/' })
    service.clock.advance(10)
    const genuine = await askFrom(page, browser)
    const made = await alice.grant('read', 'diary', { type: 'app', name: 'asking-app' })
    await hand(genuine, made)
    t.match((await check(early)).consent, { isNeeded: true })
    await hand(early, made)
    t.match((await check(await askFrom({ returnURL: 'https://evil.example.com/' }))).consent, {
      isNeeded: true
    })
  })

  t.test('deletes consents with the access', async t => {
    const { alice, app, askFrom, hand, service } = await begin(t)
    await hand(await askFrom(page, browser), app, alice)
    const { services } = service.server
    const store = services.accounts.openStore(services.accounts.find('alice')!)
    t.equal(store.consents.list(app.access.id).length, 1)
    await alice.do('accesses.delete', { id: app.access.id })
    t.same(store.consents.list(app.access.id), [])
  })

  t.test('keeps the latest consents of an access, up to a limit', async t => {
    const { alice, app, askFrom, hand, service } = await begin(t)
    for (let count = 0; count < 25; count++) {
      service.clock.advance(1)
      await hand(await askFrom({ returnURL: `https://app-${count}.example.com/` }), app, alice)
    }
    const { services } = service.server
    const store = services.accounts.openStore(services.accounts.find('alice')!)
    const kept = store.consents.list(app.access.id)
    t.same([kept.length, kept[0]!.returnTo], [20, 'https://app-24.example.com'])
  })

  t.test("returns no consent without a request, and nothing of other apps' requests", async t => {
    const { app, askFrom, check } = await begin(t)
    t.same(Object.keys(await check()), ['matchingAccess', 'accessId'])
    const fresh = await check(undefined, undefined, { requestingAppId: 'fresh-app' })
    t.same(Object.keys(fresh), ['checkedPermissions', 'accessId'])
    const key = await askFrom({ ...page, requestingAppId: 'another-app' })
    t.match(await check(key), { status: 400, error: { id: 'invalid-operation' } })
    t.match(await check('aaaaBBBBccccDDDD'), { status: 400, error: { id: 'unknown-referenced-resource' } })
    t.ok(app)
  })

  t.test('returns where streams are, who created them, and who else can see them', async t => {
    const { alice, askFrom, check, service } = await begin(t)
    await alice.stream('health')
    const squatter = await alice.grant('manage', 'health', {
      type: 'app',
      name: 'other-app',
      deviceName: 'watch'
    })
    await squatter.do('streams.create', { id: 'heart-rate', name: 'Heart rate', parentId: 'health' })
    await squatter.grant('read', 'heart-rate', { name: 'A friend' })
    await alice.grantAll(
      [
        { streamId: '*', level: 'read' },
        { streamId: 'health', level: 'none' }
      ],
      { name: 'Blind' }
    )
    await alice.grant('read', 'heart-rate', { name: 'Gone', expireAfter: 5 })
    await alice.grant('read', '*', { name: 'All-seeing' })
    service.clock.advance(10)
    const requestedPermissions = [
      { streamId: 'heart-rate', level: 'contribute', defaultName: 'Heart rate' },
      { streamId: 'fresh', level: 'contribute', defaultName: 'Fresh' },
      { streamId: ':system:email', level: 'contribute', defaultName: 'Email' },
      { streamId: '*', level: 'read' },
      { feature: 'selfRevoke', setting: 'forbidden' }
    ]
    const key = await askFrom({ requestingAppId: 'fresh-app' })
    const { streams } = await check(key, undefined, { requestingAppId: 'fresh-app', requestedPermissions })
    t.same(
      streams.map(({ streamId }: Answer) => streamId),
      ['heart-rate', 'fresh', ':system:email']
    )
    t.match(streams[0], {
      path: [
        { id: 'health', name: 'health' },
        { id: 'heart-rate', name: 'Heart rate' }
      ],
      isOfAccount: false,
      creator: { type: 'app', name: 'other-app', deviceName: 'watch' },
      more: 0
    })
    t.same(
      streams[0].accesses.map(({ level, name, type }: Answer) => `${type} ${name} ${level}`).toSorted(),
      ['app other-app manage', 'shared A friend read', 'shared All-seeing read']
    )
    t.match(streams[1], { path: [], accesses: [{ name: 'All-seeing' }, { name: 'Blind' }] })
    t.match(streams[2], { path: [{}, { name: 'Email' }], isOfAccount: true, accesses: [] })
  })

  t.test('limits the work for many streams and many accesses', async t => {
    const { alice, askFrom, check } = await begin(t)
    const many = Array.from({ length: 5000 }, (_, at) => ({
      streamId: `s${at}`,
      level: 'read',
      defaultName: `S${at}`
    }))
    for (let count = 0; count < 30; count++) await alice.grant('read', '*', { name: `share ${count}` })
    const { streams } = await check(await askFrom({}), undefined, { requestedPermissions: many })
    t.same([streams.length, streams[0].accesses.length, streams[0].more], [100, 20, 10])
  })
})

t.test('authRequest.create', async t => {
  const returnURLs = ['https://app.example.com/done', 'https://other.example.com/', 'my-app://back/']
  const overrides: Overrides = {
    access: { apps: [{ id: 'asking-app', returnURLs }], returnSchemes: ['my-app', 'your-app'] }
  }
  t.test('accepts the addresses that the operator lists for an app, and those below them', async t => {
    const { askFrom } = await begin(t, overrides)
    for (const returnURL of [
      'https://app.example.com/done',
      'https://APP.example.com:443/done/?a=b#c',
      'https://app.example.com/done/here',
      'https://other.example.com/anything',
      'my-app://back/',
      'my-app://back/there?x'
    ])
      t.match(await askFrom({ returnURL }), /^\w{16}$/, returnURL)
    t.match(
      await askFrom({}, { origin: 'https://other.example.com' }),
      /^\w{16}$/,
      'a page of the app that polls'
    )
    t.match(
      await askFrom({ requestingAppId: 'another-app', returnURL: 'https://any.example.com/' }),
      /^\w{16}$/
    )
  })

  t.test('refuses other addresses', async t => {
    const { call, service } = await begin(t, overrides)
    const refused = { status: 400, error: { data: [{ code: 'UNTRUSTED_RETURN_URL', param: 'returnURL' }] } }
    for (const returnURL of [
      'https://app.example.com/',
      'https://app.example.com/doner',
      'https://app.example.com/done/../other',
      'https://app.example.com/done/..%2fother',
      'https://app.example.com.evil.com/done',
      'http://app.example.com/done',
      'https://app.example.com:8443/done',
      'my-app://elsewhere/',
      'your-app://back/',
      false,
      undefined
    ])
      t.match(
        await call('create', { ...asked, ...(returnURL !== undefined && { returnURL }) }),
        refused,
        String(returnURL)
      )
    for (const origin of ['https://evil.example.com', 'null', 'my-app://back'])
      t.match(
        await service.call(undefined, 'authRequest.create', asked, undefined, { origin }),
        refused,
        origin
      )
  })
})
