/** Serving the web pages. (docs/spec/service-information.md#pages) */
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import { coffer } from '../../../support/coffer.js'
import { pageNames } from '../../../../transports/http/request/page-names.js'

t.test('the pages', async t => {
  const service = await coffer(t)
  const read = async (path: string, headers: Record<string, string> = {}) =>
    await service.http('GET', path, undefined, headers)

  await t.test('are available at every path that apps use', async t => {
    for (const name of pageNames) {
      const { status, body, headers } = await read(`/access/${name}?lang=fr&key=1`)
      t.equal(status, 200, name)
      t.match(headers.get('content-type'), 'text/html')
      t.match(body, /<div id="page"/)
      const root = await read(`/${name}?lang=fr`)
      t.match([root.status, root.headers.get('location')], [302, `access/${name}?lang=fr`])
    }
    t.equal((await read('/auth?key=1')).headers.get('location'), 'access/access.html?key=1')
    t.equal((await read('/auth/?key=1')).headers.get('location'), '../access/access.html?key=1')
    const slashed = await read('/access/register.html/?lang=fr')
    t.equal(slashed.headers.get('location'), '../register.html?lang=fr')
    t.equal((await read('/access/other.html')).status, 400, 'a key that does not exist')
    t.equal((await read('/other.html')).status, 404)
    t.equal((await service.http('HEAD', '/access/access.html?key=1')).status, 200)
  })

  await t.test('redirect to the app without a request of an app', async t => {
    const locationOf = async (path: string): Promise<string | null> => {
      const { status, headers } = await read(path)
      t.equal(status, headers.has('location') ? 302 : 200, path)
      return headers.get('location')
    }
    for (const [path, location] of [
      ['/access/access.html', '../app/account'],
      ['/access/access.html?lang=fr&key=', '../app/account?lang=fr&key='],
      ['/access/signinhub.html', '../app/account'],
      ['/access/change-password.html', '../app/account/password'],
      ['/access/register.html', '../app/?register'],
      ['/access/register.html?lang=fr', '../app/?register&lang=fr']
    ] as const)
      t.equal(await locationOf(path), location)
    for (const query of ['key=1', 'poll=https%3A%2F%2Fa.example%2F1', 'pollUrl=x'])
      t.equal(await locationOf(`/access/access.html?${query}`), null)
    for (const name of ['reset-password', 'confirm-email', 'setup'])
      t.equal(await locationOf(`/access/${name}.html`), null)
  })

  await t.test('run only their own scripts, and refuse to be framed', async t => {
    const { headers, body } = await read('/access/access.html?key=1')
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, "default-src 'none'")
    t.match(policy, "script-src 'self'; style-src 'self'")
    t.match(policy, "frame-ancestors 'none'")
    t.notMatch(policy, 'unsafe')
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.notMatch(body, /<script(?![^>]*\ssrc=)|<style|\son\w+=/, 'nothing inline')
    t.notMatch(body, /(?:src|href)="(?!\.\/)/, 'nothing from elsewhere')
  })

  await t.test('are revalidated, and their assets are cached', async t => {
    const page = await read('/access/access.html?key=1')
    t.equal(page.headers.get('cache-control'), 'no-cache')
    const tag = page.headers.get('etag') ?? ''
    const again = await plainGet(`${service.server.url}/access/access.html?key=1`, { 'if-none-match': tag })
    t.equal(again.statusCode, 304)
    const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body) ?? []
    const { status, headers } = await read(`/access/${script}`, { 'accept-encoding': 'gzip' })
    t.equal(status, 200)
    t.match(headers.get('cache-control'), 'immutable')
    t.match(headers.get('content-type'), 'text/javascript')
    t.match(headers.get('vary'), 'Accept-Encoding')
    t.equal(headers.get('content-encoding'), 'gzip')
    const plain = await read(`/access/${script}`, { 'accept-encoding': 'identity' })
    t.equal(plain.headers.get('content-encoding'), null)
    t.equal((await read('/access/assets/nothing.js')).status, 404)
    t.equal((await read('/access/assets/..%2Findex.html')).status, 404)
  })
})

t.test('pages on subdomains redirect to the public host', async t => {
  const service = await coffer(t, { domain: 'example.com' })
  const locationOf = async (host: string, path: string): Promise<string | undefined> =>
    (await plainGet(service.server.url + path, { host })).headers.location
  for (const path of ['/access.html?key=1', '/access/access.html?key=1'])
    t.equal(await locationOf('access.example.com', path), 'https://example.com/access/access.html?key=1')
  t.equal(await locationOf('reg.example.com', '/register.html'), 'https://example.com/access/register.html')
  for (const host of ['reg.example.com', 'alice.example.com', 'nobody.example.com'])
    t.equal(await locationOf(host, '/access/access.html'), 'https://example.com/access/access.html')
  const reset = 'reset-password.html?resetToken=x'
  t.equal(await locationOf('alice.example.com', `/${reset}`), `https://example.com/access/${reset}`)
  t.equal(await locationOf('example.com', '/access/access.html?key=1'), undefined)
})

/** Sends a request with exactly these headers: `fetch` adds others, and sets the host. */
async function plainGet(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    get(url, { headers }, response => resolve(response.resume())).on('error', reject)
  })
}
