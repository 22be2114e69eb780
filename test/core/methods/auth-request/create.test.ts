/** The response to an app that requests access, and what is stored of it. */
import t from 'tap'
import { asked, start } from '../../../support/asking.js'

t.test('authRequest.create', async t => {
  t.test('returns the request and nothing else', async t => {
    const { service, ask } = await start(t)
    const { url } = service.server
    const { accessId: _accessId, ...answer } = await ask({ unheardOf: true })
    const { key } = answer
    t.match(key, /^[a-zA-Z0-9]{16}$/)
    const poll = `${url}/reg/access/${key}`
    const { body: info } = await service.http('GET', '/reg/service/info')
    delete info.meta
    t.strictSame(
      { ...answer, authUrl: '', url: '' },
      {
        status: 'NEED_SIGNIN',
        code: 200,
        key,
        ...asked,
        lang: 'en',
        authUrl: '',
        url: '',
        poll,
        poll_rate_ms: 1000,
        serviceInfo: info
      }
    )
    t.not((await ask()).key, key)
  })

  t.test('passes the page everything that it needs', async t => {
    const { service, ask } = await start(t)
    const root = service.server.url
    const answer = await ask({ languageCode: 'fr', returnURL: 'https://a.b/c?d=1#', oauthState: 'a b+c' })
    const page = new URL(answer.authUrl)
    t.equal(page.origin + page.pathname, `${root}/access/access.html`)
    t.same(Object.fromEntries(page.searchParams), {
      lang: 'fr',
      key: answer.key,
      requestingAppId: 'asking-app',
      poll: answer.poll,
      poll_rate_ms: '1000',
      serviceInfo: `${root}/reg/service/info`,
      pryvServiceInfoUrl: `${root}/reg/service/info`,
      pollUrl: answer.poll,
      returnURL: 'https://a.b/c?d=1#',
      oauthState: 'a b+c'
    })
    t.match(answer.authUrl, 'oauthState=a%20b%2Bc', 'legible for whoever takes a plus for a plus')
    const older = new URL(answer.url)
    t.equal(older.origin + older.pathname, `${root}/access/access.html`)
    t.match(Object.fromEntries(older.searchParams), {
      lang: 'fr',
      key: answer.key,
      poll: answer.poll,
      domain: '127.0.0.1',
      registerURL: `${root}/reg/`
    })
  })

  t.test('uses subdomains if a domain is set', async t => {
    const { ask, poll } = await start(t, { domain: 'example.org' })
    const answer = await ask()
    t.equal(answer.poll, `https://access.example.org/access/${answer.key}`)
    t.match(answer.authUrl, /^https:\/\/example\.org\/access\/access\.html\?/)
    t.match(await poll(answer.key), { key: answer.key })
  })

  t.test('uses the page that the operator has set', async t => {
    const { ask } = await start(t, { access: { defaultAuthUrl: 'https://pages.example.com/in?theme=dark' } })
    const answer = await ask()
    t.match(answer.authUrl, /^https:\/\/pages\.example\.com\/in\?theme=dark&lang=en&key=/)
    t.match(await ask({ authUrl: 'https://pages.example.com/in/fr' }), { status: 'NEED_SIGNIN' })
  })

  t.test('prevents apps from passing a page another poll URL', async t => {
    const { ask } = await start(t, { access: { trustedAuthUrls: ['https://pages.example.com/'] } })
    const evil = encodeURIComponent('https://evil.com/')
    const names = ['poll', 'pollUrl', 'serviceInfo', 'pryvServiceInfoUrl', 'returnURL', 'oauthState', 'key']
    const query = names.map(name => `${name}=${evil}&${name}=${evil}`).join('&')
    const answer = await ask({ authUrl: `https://pages.example.com/sign?${query}&registerURL=${evil}` })
    t.notMatch(answer.url, evil)
    for (const name of names)
      t.notMatch(new URL(answer.authUrl).searchParams.getAll(name).join(), 'evil', name)
  })

  t.test('shows the service information of the app, but never another API address', async t => {
    const { ask, poll, service } = await start(t)
    const own = { name: 'Mine', home: 'https://mine.example.com', more: { than: ['that'] } }
    const { key, serviceInfo } = await ask({ serviceInfo: own })
    t.strictSame(serviceInfo, own)
    t.strictSame((await poll(key)).serviceInfo, own)
    const evil = 'https://evil.com/{username}/'
    const posing = await ask({ serviceInfo: { ...own, api: evil, register: evil, access: evil } })
    t.notMatch(JSON.stringify(posing), 'evil')
    t.equal(posing.serviceInfo.api, `${service.server.url}/{username}/`)
    const refused = {
      error: { id: 'invalid-parameters-format', data: [{ code: 'INVALID_SERVICE_INFO_URL' }] }
    }
    for (const home of [
      'javascript:alert(1)',
      ' DATA:text/html,x',
      'java\tscript:alert(1)',
      'java\r\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'vbscript:x'
    ]) {
      t.match(await ask({ serviceInfo: { ...own, home } }), refused, home)
      t.match(await ask({ serviceInfo: { ...own, assets: { definitions: [home] } } }), refused, home)
    }
    for (const terms of ['About: us', 'Data are yours', 'https://example.com/javascript:x', ''])
      t.match(await ask({ serviceInfo: { ...own, terms } }), { status: 'NEED_SIGNIN' }, terms)
  })

  t.test('treats keys such as __proto__ as data', async t => {
    const { service } = await start(t)
    const clientData = '{"__proto__": {"polluted": true}, "constructor": 1}'
    const body = `{"requestingAppId": "asking-app", "requestedPermissions": [], "clientData": ${clientData}, "serviceInfo": {"name": "x", "__proto__": {"api": "evil"}}}`
    const answer = await service.http('POST', '/reg/access/', body)
    t.equal(answer.status, 200)
    const polled = await service.http('GET', `/access/${answer.body.key}`)
    t.strictSame(JSON.parse(JSON.stringify(polled.body.clientData)), JSON.parse(clientData))
    t.notOk('polluted' in {})
  })

  t.test('limits what is stored', async t => {
    const { ask, poll } = await start(t, { access: { maxRequests: 3, maxRequestBytes: 2000 } })
    t.match(await ask({ clientData: { text: 'é'.repeat(1000) } }), {
      status: 400,
      error: { id: 'invalid-request-structure' }
    })
    const keys: string[] = []
    for (let count = 0; count < 5; count++) {
      keys.push((await ask()).key)
      await new Promise(setImmediate)
    }
    const states = await Promise.all(keys.map(async key => (await poll(key)).status))
    t.equal(states.filter(status => status === 'NEED_SIGNIN').length, 3)
  })

  t.test('refuses untrusted return and page URLs', async t => {
    const { service } = await start(t)
    for (const wrong of [
      { returnURL: 'javascript:alert(1)' },
      { returnURL: 'https://user:secret@a.b/' },
      { returnURL: 'other-app://a' },
      { authUrl: 'https://elsewhere.example/access.html' }
    ]) {
      const { body, status } = await service.http('POST', '/reg/access/', { ...asked, ...wrong })
      t.equal(status, 400)
      t.match(body, { error: { id: 'invalid-parameters-format', data: [{ param: Object.keys(wrong)[0] }] } })
    }
  })

  t.test('throttles an address that sends too many requests', async t => {
    const { ask, service } = await start(t, { access: { maxRequestsPerHour: 2 } })
    const ip = '192.0.2.1'
    await ask({}, ip)
    service.clock.advance(600)
    await ask({ returnURL: 'nonsense' }, ip)
    await ask({}, ip)
    const outcome = await service.server.registry.call({
      method: 'authRequest.create',
      params: asked,
      credentials: { ip, via: 'http' }
    })
    t.match(outcome, { ok: false, error: { id: 'too-many-requests', details: { retryAfter: 3000 } } })
    t.match(await ask({}, '192.0.2.2'), { status: 'NEED_SIGNIN' })
    for (let count = 0; count < 4; count++) t.match(await ask(), { status: 'NEED_SIGNIN' })
    service.clock.advance(3000)
    t.match(await ask({}, ip), { status: 'NEED_SIGNIN' })
  })
})
