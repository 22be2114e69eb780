/** Browsers receive pages, other clients JSON. (docs/spec/service-information.md#pages-at-other-addresses) */
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

interface Got {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Sends a request with exactly these headers: `fetch` adds others, and sets the host. */
async function ask(url: string, headers: Record<string, string>, method = 'GET'): Promise<Got> {
  return await new Promise((resolve, reject) => {
    request(url, { headers, method }, response => {
      text(response).then(
        body => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject
      )
    })
      .on('error', reject)
      .end()
  })
}

const isPage = ({ headers, body }: Got): boolean =>
  (headers['content-type'] ?? '').startsWith('text/html') && body.includes('<div id="page"')

t.test('a browser', async t => {
  const service = await coffer(t)
  const { url } = service.server
  const see = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    await ask(url + path, { accept: browser, ...headers }, method)

  t.test('gets a page at the root paths, and an error page at unknown ones', async t => {
    for (const [path, status] of [
      ['/', 200],
      ['/?lang=fr', 200],
      ['/access/', 200],
      ['/access', 200],
      ['/reg/', 200],
      ['/alice/', 200],
      ['/alice', 200],
      ['/alice/nonsense', 404],
      ['/x', 404],
      ['/www/nothing/here', 404],
      ['/nothing.html', 404],
      ['/alice/a/b/c/d/e', 404]
    ] as const) {
      const got = await see(path)
      t.equal(got.status, status, path)
      t.ok(isPage(got), path)
      t.match(got.headers['content-security-policy'], "default-src 'none'")
      t.notMatch(got.headers['content-security-policy'], 'unsafe')
      t.match(got.headers, { 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' })
      const vary = (got.headers.vary ?? '').split(', ')
      t.ok(vary.includes('Accept') && vary.includes('Origin'), `${path}: ${got.headers.vary}`)
      t.equal(got.headers['cache-control'], status === 200 ? 'no-cache' : 'no-store')
      const files = [...got.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
      t.ok(files.length > 1)
      for (const file of files)
        t.equal((await ask(new URL(file, url + path).href, {})).status, 200, `${path} loads ${file}`)
    }
  })

  t.test('gets an error page at every kind of unknown path', async t => {
    for (const [path, status] of [
      ['/access/nope', 404],
      ['/access/nope.html', 404],
      ['/access/%00', 404],
      ['/reg/access/nope.html', 404],
      ['/access/assets/nope.js', 404],
      ['/app/assets/nope.js', 404],
      ['/www/assets/nope.css', 404],
      ['/docs/nope.html', 404],
      ['/operator/nope', 404],
      ['/users', 404],
      ['/nobody/access/register.html', 404],
      ['/nobody/app/timeline', 404],
      [`/app/${'a/'.repeat(12)}`, 404],
      [`/${'a/'.repeat(12)}`, 404],
      ['/access/%zz', 400],
      ['/nobody/%zz', 400]
    ] as const) {
      const got = await see(path)
      t.equal(got.status, status, path)
      t.match(got.body, '<div id="page" data-nowhere', path)
      t.match(got.headers, { 'cache-control': 'no-store', vary: /Accept/ })
      for (const [, file = ''] of got.body.matchAll(/(?:src|href)="([^"]+)"/g))
        t.equal((await ask(new URL(file, url + path).href, {})).status, 200, `${path} loads ${file}`)
      t.ok(isJson(await ask(url + path, {})), `${path} is JSON for others`)
    }
    t.notMatch((await see('/alice/')).body, 'data-nowhere')
    t.notMatch((await see('/')).body, 'data-nowhere')
    t.ok(isJson(await see(`/${'a/'.repeat(100)}`)), 'no page lies that deep')
    const { body } = await service.http('POST', '/access', {
      requestingAppId: 'some-app',
      requestedPermissions: [{ streamId: 'diary', defaultName: 'Diary', level: 'read' }]
    })
    const known = await see(`/access/${body.key}`)
    t.ok(isJson(known), 'a request that is known')
    t.equal(JSON.parse(known.body).status, 'NEED_SIGNIN')
  })

  t.test('cannot see whether a user exists', async t => {
    for (const end of ['', '/', '/nonsense', '/a/b']) {
      const [known, unknown] = [await see(`/alice${end}`), await see(`/nobody${end}`)]
      t.equal(known.status, unknown.status)
      t.equal(known.body, unknown.body)
      t.same({ ...known.headers, date: '' }, { ...unknown.headers, date: '' })
    }
  })

  t.test('gets 304 for a page that it has', async t => {
    for (const path of ['/', '/alice/']) {
      const first = await see(path)
      const tag = first.headers.etag ?? ''
      t.match(tag, /^W\/"/)
      const second = await see(path, { 'if-none-match': tag })
      t.same([second.status, second.body], [304, ''])
      const json = await ask(url + path, { 'if-none-match': tag })
      t.match(
        [json.status, json.headers['content-type']],
        [200, 'application/json'],
        'a tag of the page is none of JSON'
      )
    }
    t.not((await see('/')).headers.etag, (await see('/alice/')).headers.etag)
  })

  t.test('gets only the headers for HEAD', async t => {
    const head = await see('/', {}, 'HEAD')
    t.same([head.status, head.body], [200, ''])
    t.match(head.headers['content-type'], 'text/html')
    t.equal(head.headers['content-length'], (await see('/')).headers['content-length'])
    t.same([(await see('/nothing.html', {}, 'HEAD')).status], [404])
  })

  t.test('gets compressed pages if it supports that', async t => {
    const got = await see('/', { 'accept-encoding': 'gzip' })
    t.equal(got.headers['content-encoding'], 'gzip')
    t.match(got.headers.vary, 'Accept-Encoding')
  })
})

t.test('other clients get JSON as before', async t => {
  const service = await coffer(t)
  const { url } = service.server
  const others: [why: string, headers: Record<string, string>][] = [
    ['no Accept', {}],
    ['anything', { accept: '*/*' }],
    ['JSON', { accept: 'application/json' }],
    ['JSON of clients', { accept: 'application/json, text/plain, */*' }],
    ['JSON before HTML', { accept: 'application/json, text/html' }],
    ['HTML less than JSON', { accept: 'text/html;q=0.5, application/json' }],
    ['no HTML', { accept: 'text/html;q=0, */*' }],
    ['nonsense', { accept: ';;,/,*' }],
    ['a script', { accept: browser, 'sec-fetch-mode': 'cors' }],
    ['a script of ours', { accept: browser, 'sec-fetch-mode': 'same-origin' }],
    ['an older script', { accept: browser, 'x-requested-with': 'XMLHttpRequest' }],
    ['a call', { accept: browser, authorization: 'a-token' }]
  ]
  for (const [why, headers] of others) {
    const root = await ask(`${url}/`, headers)
    const words = why === 'nonsense' ? /cheersFrom|API, version/ : /"cheersFrom"/
    t.match([root.status, root.body], [200, words], why)
    t.match(root.headers.vary, 'Accept', `${why}: caches are told`)
    const nobody = await ask(`${url}/nobody/`, headers)
    t.ok(
      isJson(nobody) && nobody.status === 404 && nobody.body.includes('unknown-resource'),
      `${why}: unknown user`
    )
    const nothing = await ask(`${url}/www/nothing/here`, headers)
    t.ok(isJson(nothing) && nothing.status === 404, `${why}: nothing there`)
  }
  t.ok(isJson(await ask(`${url}/?auth=a-token`, { accept: browser })), 'a call with a token in its query')
  for (const method of ['POST', 'PUT', 'DELETE'])
    for (const path of ['/', '/nobody/', '/www/nothing/here'])
      t.notOk(isPage(await ask(url + path, { accept: browser }, method)), `${method} ${path}`)
  for (const path of ['/alice/events', '/service/info', '/reg/nobody/check_username', '/healthz'])
    t.ok(isJson(await ask(url + path, { accept: browser })), `${path} is the API’s, in a browser as well`)
})

t.test('on subdomains a browser is redirected to the public host', async t => {
  const service = await coffer(t, { domain: 'example.com' })
  const see = async (host: string, path: string) =>
    await ask(service.server.url + path, { host, accept: browser })
  for (const [host, path] of [
    ['alice.example.com', '/'],
    ['nobody.example.com', '/'],
    ['nobody.example.com', '/nonsense'],
    ['reg.example.com', '/']
  ] as const) {
    const { headers, status } = await see(host, path)
    t.same([status, headers.location], [302, 'https://example.com/'], `${host}${path}`)
  }
  for (const host of ['example.com', 'evil.example', 'example.com.evil.example'])
    t.ok(isPage(await see(host, '/')), `${host} leads nowhere`)
})

function isJson({ headers }: Got): boolean {
  return (headers['content-type'] ?? '').startsWith('application/json')
}

t.test('a malformed request of an app', async t => {
  const service = await coffer(t)
  const { url } = service.server
  const wrong = `${url}/oauth/authorize?client_id=nobody-knows-me&redirect_uri=https%3A%2F%2Fevil.example.com%2F`
  for (const [path, accept] of [
    [wrong, browser],
    [`${url}/oauth/authorize`, browser]
  ] as const)
    t.test(`returns a page at ${path.slice(url.length, url.length + 30)}`, async t => {
      const got = await ask(path, { accept })
      t.ok(isPage(got))
      t.equal(got.status, 400)
      t.match(got.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', vary: /Accept/ })
      t.equal(got.headers.location, undefined)
    })
  for (const [name, headers, method] of [
    ['a client', {}, 'GET'],
    ['a script', { accept: browser, 'sec-fetch-mode': 'cors' }, 'GET'],
    ['a form', { accept: browser, 'content-type': 'application/x-www-form-urlencoded' }, 'POST']
  ] as const)
    t.test(`returns an OAuth error as ${name}`, async t => {
      const got = await ask(wrong, headers, method)
      t.equal(got.status, 400)
      t.match(JSON.parse(got.body), { error: 'invalid_request', error_description: String })
    })
  const other = await ask(`${url}/oauth/userinfo`, { accept: browser })
  t.equal(other.status, 401)
  t.match(JSON.parse(other.body), { error: 'invalid_token' }, 'as do all other endpoints')
})
