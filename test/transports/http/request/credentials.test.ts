/** Where a request may contain tokens. (docs/spec/authentication.md#where-a-token-may-stand) */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Answer, coffer } from '../../../support/coffer.js'
import { connect } from '../../../support/socket.js'

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

t.test('a token', async t => {
  const service = await coffer(t)
  const { alice } = service
  const { token } = alice
  const cases: [name: string, authorization: string | undefined, query: string, status: number][] = [
    ['alone in the header', token, '', 200],
    ['after Bearer', `Bearer ${token}`, '', 200],
    ['after bearer', `bearer ${token}`, '', 200],
    ['as user name of Basic', basic(`${token}:`), '', 200],
    ['as user name of Basic with a password', basic(`${token}:whatever`), '', 200],
    ['as user name of Basic without a colon', basic(token), '', 200],
    ['as password of Basic', basic(`:${token}`), '', 403],
    ['as nothing of Basic', basic(':'), '', 401],
    ['as empty Basic', 'Basic', '', 401],
    ['in the query', undefined, `?auth=${token}`, 200],
    ['first of two in the query', undefined, `?auth=${token}&auth=other`, 200],
    ['in the query beside a wrong one in the header', 'wrong', `?auth=${token}`, 401],
    ['that is missing', undefined, '', 401],
    ['that is unknown', 'unknown', '', 401],
    ['that is __proto__', '__proto__', '', 401],
    ['that is unknown in the query', undefined, '?auth=unknown', 401]
  ]
  for (const [name, authorization, query, status] of cases)
    t.test(`${name}: ${status}`, async t => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await service.http('GET', `/alice/streams${query}`, undefined, headers)
      t.equal(answer.status, status)
      if (status === 401) t.equal(answer.body.error.id, 'invalid-access-token')
      t.equal(answer.headers.get('access-id'), status === 200 ? alice.access.id : null)
    })

  t.test('of another user is refused, and unknown users return 404', async t => {
    t.match(await service.http('GET', '/nobody/streams', undefined, { authorization: token }), {
      status: 404,
      body: { error: { id: 'unknown-resource', message: /Unknown user/ }, meta: { serverTime: Number } }
    })
    await service.user('bobby')
    t.match(await service.http('GET', '/bobby/streams', undefined, { authorization: token }), {
      status: 401,
      body: { error: { message: 'Cannot find access from token.' } }
    })
  })

  t.test('is found despite extra whitespace and in any letter case', async t => {
    const found = [
      `bearer\t${token}`,
      `BEARER   ${token}`,
      `basic  ${basic(`${token}:`).slice(6)}`,
      ` ${token} `
    ]
    for (const authorization of found)
      t.equal((await service.http('GET', '/alice/streams', undefined, { authorization })).status, 200)
    for (const authorization of [
      `Bearer${token}`,
      `Basic${token}`,
      'Bearer',
      `Bearer ${token}x`,
      `${token}\tx`
    ])
      t.equal((await service.http('GET', '/alice/streams', undefined, { authorization })).status, 401)
  })

  t.test('that is too long is refused', async t => {
    const long = 'x'.repeat(5000)
    const attempts = [
      ['', { authorization: long }],
      ['', { authorization: `${token} ${long}` }],
      ['', { authorization: `Basic ${Buffer.from(`${token}:${long}`).toString('base64')}` }],
      [`?auth=${long}`, {}]
    ] as const
    for (const [query, headers] of attempts)
      t.match(await service.http('GET', `/alice/streams${query}`, undefined, headers), {
        status: 401,
        body: { error: { id: 'invalid-access-token' } }
      })
  })

  t.test('may be followed by a caller id', async t => {
    const body = { id: 'called', name: 'called' }
    const answer = await service.http('POST', '/alice/streams', body, {
      authorization: `${token} some caller`
    })
    t.equal(answer.body.stream.createdBy, `${alice.access.id} some caller`)
  })
})

t.test('a caller id', async t => {
  const service = await coffer(t, { hf: { port: 0 } })
  const { alice, server } = service
  const { token } = alice
  await alice.stream('diary')
  const long = 'x'.repeat(101)
  const wires: [wire: string, call: (credentials: string) => Promise<Answer>][] = [
    ['a header', async text => await ask({ authorization: text })],
    ['Bearer', async text => await ask({ authorization: `Bearer ${text}` })],
    ['Basic', async text => await ask({ authorization: basic(`${text}:`) })],
    ['a query', async text => await ask({}, `?auth=${encodeURIComponent(text)}`)],
    [
      'a form',
      async text => await ask(type, '', new URLSearchParams({ _auth: text, _json: event }).toString())
    ],
    [
      'a batch',
      async text => await ask({ authorization: text }, '', [{ method: 'events.create', params: note }])
    ],
    ['a socket', async text => await overSocket(text)],
    ['the port of series', async text => await overSeries(text)]
  ]
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
  const event = JSON.stringify(note)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = async (headers: Record<string, string>, query = '', body: unknown = note): Promise<Answer> =>
    (await service.http('POST', `/alice/${Array.isArray(body) ? '' : 'events'}${query}`, body, headers)).body
  const overSocket = async (text: string): Promise<Answer> => {
    const socket = await connect(t, server.url, 'alice', text).catch((error: Error) => error)
    return socket instanceof Error
      ? { error: { message: socket.message } }
      : await socket.call('events.create', note)
  }
  const overSeries = async (text: string): Promise<Answer> => {
    const url = `${server.seriesUrl}/alice/events/nothing/series`
    return await (await fetch(url, { headers: { authorization: text } })).json()
  }

  for (const [wire, call] of wires)
    t.test(`in ${wire} may have a hundred printable characters`, async t => {
      const isLatin = ['a header', 'Bearer', 'a batch', 'the port of series'].includes(wire)
      const said = isLatin ? Buffer.from('Zoë Ünal €').toString('latin1') : 'Zoë Ünal €'
      for (const [sent, callerId] of [
        ['x'.repeat(100), 'x'.repeat(100)],
        [' a  b ', 'a  b'],
        [said, 'Zoë Ünal €']
      ] as const) {
        const answer = await call(`${token} ${sent}`)
        const made = (answer.results?.[0] ?? answer).event
        if (made) t.equal(made.createdBy, `${alice.access.id} ${callerId}`)
        else t.match(answer.error, { id: 'unknown-resource' })
      }
      const before = (await alice.do('events.get', { limit: 1000 })).events.length
      const unseen = isLatin ? ['a\u0085b', 'a\tb'] : ['a\u0000b', 'a\nb', 'a\u2028b', 'a\u202eb']
      for (const text of [long, 'y'.repeat(3000), ...unseen])
        t.match(await call(`${token} ${text}`), {
          error: { message: /^The caller ID .* 100 printable characters$/ }
        })
      t.equal((await alice.do('events.get', { limit: 1000 })).events.length, before, 'nothing has been done')
    })
})

t.test('the name of the access id header is configurable', async t => {
  const { alice } = await coffer(t, { accessIdHeader: 'Brand-Access-Id' })
  const { headers } = await alice.http('GET', '/streams')
  t.equal(headers.get('brand-access-id'), alice.access.id)
  t.match(headers.get('access-control-expose-headers'), 'Brand-Access-Id')
})

t.test('the custom authorization step', async t => {
  const module = join(t.testdir(), 'step.mjs')
  writeFileSync(
    module,
    `export default ({ username, user, accessToken, callerId, access, headers }, done) => {
      if (headers['x-mode'] === 'throws') throw new Error('thrown')
      if (headers['x-mode'] === 'rejects') return Promise.reject(new Error('rejected'))
      const isWhole = username === 'alice' && user.id && access.token === accessToken && callerId === undefined
      done(isWhole && headers['x-mode'] === 'good' ? null : new Error('denied'))
    }`
  )
  const { alice } = await coffer(t, { auth: { authorizationStep: module } })
  for (const [mode, status] of [
    ['good', 200],
    ['bad', 401],
    ['throws', 401],
    ['rejects', 401]
  ] as const)
    t.test(`in mode ${mode} returns ${status}`, async t => {
      const answer = await alice.http('GET', '/streams', undefined, { 'x-mode': mode })
      t.equal(answer.status, status)
      if (status === 401) t.equal(answer.body.error.id, 'invalid-access-token')
      t.equal(answer.headers.get('access-id'), alice.access.id)
    })
})

t.test('the sign-in cookie', async t => {
  const service = await coffer(t, { publicUrl: 'https://coffer.example.com' })
  const account = {
    appId: 'cookie-app',
    username: 'cookie-monster',
    password: 'me want cookie',
    email: 'c@example.com'
  }
  t.equal((await service.http('POST', '/users', account)).status, 201)
  const origin = { origin: 'https://coffer.example.com' }
  const login = await service.http('POST', '/cookie-monster/auth/login', account, origin)
  t.equal(login.status, 200)

  t.test('contains only the username', async t => {
    t.equal(
      login.headers.get('set-cookie'),
      'sso=cookie-monster; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax; Secure'
    )
  })

  t.test('is not a credential', async t => {
    const headers = { cookie: `sso=cookie-monster; token=${login.body.token}` }
    t.equal((await service.http('GET', '/cookie-monster/streams', undefined, headers)).status, 401)
  })

  t.test('is not set when signing in fails', async t => {
    const failed = await service.http(
      'POST',
      '/cookie-monster/auth/login',
      { ...account, password: 'wrong' },
      origin
    )
    t.equal(failed.status, 401)
    t.equal(failed.headers.get('set-cookie'), null)
  })

  t.test('is cleared by signing out', async t => {
    const headers = { authorization: login.body.token }
    const logout = await service.http('POST', '/cookie-monster/auth/logout', undefined, headers)
    t.match(logout, { status: 200, body: { meta: Object } })
    t.match(logout.headers.get('set-cookie'), /^sso=; Max-Age=0; /)
    t.equal((await service.http('POST', '/cookie-monster/auth/logout', undefined, headers)).status, 401)
  })
})
