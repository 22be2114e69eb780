/** Finding the user of a request by path or host. (docs/spec/conventions.md#user-names-in-paths-and-host-names) */
import t from 'tap'
import { ApiError } from '../../../../core/errors.js'
import { parseAddress } from '../../../../transports/http/request/address.js'
import { coffer, testConfig } from '../../../support/coffer.js'
import { rawBytes, rawHttp } from '../../../support/raw-http.js'

const { limits } = testConfig('/nowhere')

t.test('parseAddress', async t => {
  const cases: [host: string, url: string, user: string | undefined, path: string][] = [
    ['localhost', '/', undefined, ''],
    ['localhost', '/alice', 'alice', ''],
    ['localhost', '/alice/', 'alice', ''],
    ['localhost', '/ALICE/events', 'alice', 'events'],
    ['localhost', '/alice/events/', 'alice', 'events'],
    ['localhost', '/alice/events/a%2Fb', 'alice', 'events|a/b'],
    ['localhost', '/alice//events', 'alice', '|events'],
    ['localhost', '/reg/alice/check', undefined, 'reg|alice|check'],
    ['localhost', 'http://localhost/alice/events?x=1', 'alice', 'events'],
    ['alice.example.com', '/', 'alice', ''],
    ['Alice.Example.com:3000', '/events?limit=1', 'alice', 'events'],
    ['alice.example.com.', '/events', 'alice', 'events'],
    ['ALICE.example.com.:3000', '/events', 'alice', 'events'],
    ['alice.example.com..', '/bobby/events', 'bobby', 'events'],
    ['reg.example.com.', '/alice/check_username', undefined, 'reg|alice|check_username'],
    ['alice.example.com', '/alice/events', 'alice', 'events'],
    ['alice.example.com', '/access-info', 'alice', 'access-info'],
    ['alice.example.com', '/service/info', 'alice', 'service|info'],
    ['alice.example.com', '/users', 'alice', 'users'],
    ['alice.example.com', '/reg/service/info', undefined, 'reg|service|info'],
    ['alice.example.com', '/www/assets/index.json', undefined, 'www|assets|index.json'],
    ['alice.example.com', '/favicon.ico', undefined, 'favicon.ico'],
    ['alice.example.com', '/access/access.html', undefined, 'access|access.html'],
    ['alice.example.com', '/reset-password.html', undefined, 'reset-password.html'],
    ['reg.example.com', '/access/key', undefined, 'reg|access|key'],
    ['123456.example.com', '/events', '123456', 'events'],
    ['with-dash.example.com', '/events', 'with-dash', 'events'],
    ['reg.example.com', '/alice/check_username', undefined, 'reg|alice|check_username'],
    ['reg.example.com', '/reg/hostings', undefined, 'reg|hostings'],
    ['access.example.com', '/', undefined, 'access'],
    ['access.example.com', '/key', undefined, 'access|key'],
    ['access.example.com', '/access/key', undefined, 'access|key'],
    ['example.com', '/alice/events', 'alice', 'events'],
    ['www.example.com', '/', undefined, ''],
    ['deep.alice.example.com', '/events', 'events', ''],
    ['alice.other.com', '/bobby/events', 'bobby', 'events'],
    ['-alice.example.com', '/', undefined, '']
  ]
  for (const [host, url, user, path] of cases)
    t.test(`${host}${url} is ${user ?? 'nobody'}'s`, async t => {
      const address = parseAddress(url, host, { domain: 'example.com', limits })
      t.equal(address.user, user)
      t.equal(address.segments.join('|'), path)
    })

  t.test('ignores the host if there is no domain', async t => {
    t.equal(parseAddress('/events', 'alice.example.com', { domain: '', limits }).user, 'events')
  })

  t.test('refuses malformed percent-encoding', async t => {
    for (const url of ['/alice/%', '/%zz/events', '/alice/events/%ff', '/alice?streams=%c3'])
      t.throws(
        () => parseAddress(url, 'localhost', { domain: '', limits }),
        new ApiError(
          'invalid-request-structure',
          `The ${url.includes('?') ? 'query' : 'path'} is not properly percent-encoded`
        )
      )
  })

  t.test('requires a host', async t => {
    t.throws(
      () => parseAddress('/', undefined, { domain: '', limits }),
      new ApiError('missing-header', 'The header "Host" is missing')
    )
  })
})

t.test('addresses by path and by host', async t => {
  const service = await coffer(t, { domain: 'example.com' })
  const { url } = service.server
  const headers = { authorization: service.alice.token, 'content-type': 'application/json' }
  const batch = { verb: 'POST', body: '[]' }

  t.test('reach the same account', async t => {
    for (const [host, path] of [
      ['alice.example.com', '/'],
      ['ALICE.example.com:80', '/alice/'],
      ['example.com', '/alice'],
      ['127.0.0.1', '/alice/']
    ] as const)
      t.match(await rawHttp(url, { ...batch, path, headers: { ...headers, host } }), {
        status: 200,
        body: { results: [] }
      })
  })

  t.test('return 404 for unknown users', async t => {
    for (const [host, path] of [
      ['nobody.example.com', '/'],
      ['nobody.example.com', '/streams'],
      ['example.com', '/nobody/streams']
    ] as const)
      t.match(await rawHttp(url, { path, headers: { host } }), {
        status: 404,
        body: { error: { id: 'unknown-resource', message: /Unknown user/ }, meta: Object }
      })
  })

  t.test('allow cross-origin requests', async t => {
    t.equal(
      (await rawHttp(url, { verb: 'OPTIONS', path: '/', headers: { host: 'nobody.example.com' } })).status,
      200
    )
  })

  t.test('require a Host header', async t => {
    const answer = await rawBytes(url, 'GET /alice/ HTTP/1.1\r\nConnection: close\r\n\r\n')
    t.match(answer, /^HTTP\/1\.1 400 /)
    t.match(answer, '"missing-header"')
    t.match(answer, '"meta":{')
  })
})
