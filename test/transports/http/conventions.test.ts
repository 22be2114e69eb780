/** What all HTTP responses have in common. (docs/spec/conventions.md) */
import t from 'tap'
import { coffer } from '../../support/coffer.js'

t.test('every response', async t => {
  const service = await coffer(t)
  const { alice } = service

  const requests = [
    ['GET', '/', 200],
    ['GET', '/alice/', 200],
    ['GET', '/alice', 200],
    ['GET', '/nobody/', 404],
    ['GET', '/nobody/events', 404],
    ['GET', '/nobody/no/such/path', 404],
    ['GET', '/alice/no/such/path', 404],
    ['POST', '/alice/', 401],
    ['GET', '/reg/no/such/path', 404],
    ['PATCH', '/alice/events', 404],
    ['PUT', '/alice/events', 404],
    ['POST', '/', 404],
    ['GET', '/alice/who-am-i', 410],
    ['GET', '/alice/ev%zzents', 400],
    ['GET', '/%ff/events', 400],
    ['GET', '/alice/events?a=%', 400]
  ] as const
  for (const [verb, path, status] of requests)
    t.test(`to ${verb} ${path} is ${status}, in JSON, with meta`, async t => {
      const answer = await service.http(verb, path)
      t.equal(answer.status, status)
      t.match(answer.headers.get('content-type'), 'application/json')
      t.match(answer.body.meta, { apiVersion: '1.6.21', serverTime: service.clock.now(), serial: /^\d+$/ })
      if (status >= 400) t.match(answer.body.error, { id: String, message: String })
    })

  t.test('has the headers of the API and of cross-origin calls', async t => {
    for (const path of ['/', '/alice/no', '/nobody/x']) {
      const { headers } = await service.http('GET', path)
      t.equal(headers.get('api-version'), '1.6.21')
      t.equal(headers.get('access-control-allow-origin'), '*')
      t.equal(headers.get('access-control-allow-methods'), 'POST, GET, PUT, DELETE, OPTIONS')
      t.equal(headers.get('access-control-allow-headers'), 'Authorization, Content-Type, DPoP')
      t.equal(
        headers.get('access-control-expose-headers'),
        'API-Version, Access-Id, Retry-After, ETag, Location, WWW-Authenticate, DPoP-Nonce, Content-Disposition, Content-Range, Accept-Ranges, Digest'
      )
      t.equal(headers.get('access-control-max-age'), '31536000')
      t.equal(headers.get('access-control-allow-credentials'), 'true')
      t.equal(headers.get('x-content-type-options'), 'nosniff')
      t.equal(headers.get('x-powered-by'), null)
    }
  })

  t.test('allows what a preflight request asks for', async t => {
    const asked = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-one, x-two'
    }
    for (const path of ['/', '/alice/events', '/nobody/at/all', '/reg/x']) {
      const { status, headers } = await service.http('OPTIONS', path, undefined, asked)
      t.equal(status, 200)
      t.equal(headers.get('access-control-allow-origin'), asked.origin)
      t.equal(headers.get('access-control-allow-methods'), 'PUT')
      t.equal(headers.get('access-control-allow-headers'), 'x-one, x-two')
    }
  })

  t.test('names the access, whether the call succeeds or not', async t => {
    const good = await alice.http('POST', '/', [])
    t.equal(good.status, 200)
    t.equal(good.headers.get('access-id'), alice.access.id)
    t.same(good.body.results, [])
    const bad = await alice.http('POST', '/', { no: 'batch' })
    t.equal(bad.status, 400)
    t.equal(bad.headers.get('access-id'), alice.access.id)
    service.clock.advance(15 * 86400)
    const ended = await alice.http('POST', '/', [])
    t.equal(ended.status, 401)
    t.equal(ended.headers.get('access-id'), alice.access.id)
  })
})

t.test('GET /', async t => {
  const service = await coffer(t)

  t.test('returns JSON or text, depending on the Accept header', async t => {
    for (const path of ['/', '/alice/']) {
      for (const accept of ['application/json', '*/*'])
        t.match((await service.http('GET', path, undefined, { accept })).body, {
          cheersFrom: String,
          learnMoreAt: String
        })
      const { headers, body } = await service.http('GET', path, undefined, { accept: 'text/html' })
      t.match(headers.get('content-type'), 'text/html')
      t.match(body, 'Coffer API, version 1.6.21')
    }
  })

  t.test('returns no body for HEAD', async t => {
    const { status, headers, body } = await service.http('HEAD', '/alice/')
    t.equal(status, 200)
    t.match(headers.get('content-type'), 'application/json')
    t.equal(body, '')
  })
})
