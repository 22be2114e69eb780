/** API endpoints: account URLs that contain the token. */
import t from 'tap'
import { endpointOf, newId, parseEndpoint } from '../../client/src/index.js'

t.test('parseEndpoint', async t => {
  t.same(parseEndpoint('https://token@example.com/daisy/'), {
    root: 'https://example.com/daisy/',
    serviceRoot: 'https://example.com/',
    username: 'daisy',
    token: 'token'
  })
  t.same(parseEndpoint('http://127.0.0.1:3000/coffer/daisy'), {
    root: 'http://127.0.0.1:3000/coffer/daisy/',
    serviceRoot: 'http://127.0.0.1:3000/coffer/',
    username: 'daisy'
  })
  t.same(
    parseEndpoint('https://token@daisy.example.com/'),
    {
      root: 'https://daisy.example.com/',
      serviceRoot: 'https://daisy.example.com/',
      username: 'daisy',
      token: 'token'
    },
    'accounts with host names'
  )
  t.match(parseEndpoint('https://a%20b:x@example.com/daisy/?auth=no#x'), {
    root: 'https://example.com/daisy/',
    token: 'a b'
  })
  for (const wrong of ['', 'daisy', 'ftp://token@example.com/daisy/'])
    t.throws(() => parseEndpoint(wrong), TypeError)
})

t.test('endpointOf', async t => {
  t.equal(endpointOf('https://example.com/{username}/', 'daisy', 'token'), 'https://token@example.com/daisy/')
  t.equal(endpointOf('https://{username}.example.com/', 'daisy'), 'https://daisy.example.com/')
})

t.test('newId', async t => {
  const ids = Array.from({ length: 1000 }, newId)
  t.ok(ids.every(id => /^c[a-z0-9]{24}$/.test(id)))
  t.equal(new Set(ids).size, 1000)
  t.equal(new Set(ids.join('')).size, 36, 'of all letters and digits')
})
