import t from 'tap'
import { type Answer, coffer, openCoffer } from '../../support/coffer.js'
import { connect, socketOf, versions } from '../../support/socket.js'

for (const version of versions) {
  t.test(`a socket of ${version.name}`, async t => {
    const service = await coffer(t)
    const { alice } = service
    const { url } = service.server
    await alice.stream('diary')
    const bob = await service.user('bob-2')

    for (const path of ['/alice', '/alice/', '/alice/alice', '/alice/alice/', '/ALICE'])
      t.test(`opens at ${path}`, async t => {
        const socket = await socketOf(t, alice, { version, path })
        t.match(await socket.call('streams.get'), {
          streams: [{ id: ':_audit:' }, { id: 'diary' }],
          meta: { serverTime: Number }
        })
      })

    t.test('opens by long polling, with CORS headers', async t => {
      const socket = await socketOf(t, alice, { version, options: { transports: ['polling'] } })
      t.match(await socket.call('streams.get'), { streams: [{ id: ':_audit:' }, { id: 'diary' }] })
      const response = await fetch(`${url}/socket.io/?EIO=4&transport=polling`, {
        headers: { origin: 'https://app.example' }
      })
      t.equal(response.headers.get('access-control-allow-origin'), 'https://app.example')
      t.equal(response.headers.get('access-control-allow-credentials'), 'true')
    })

    t.test('opens for user names with dashes, and for restricted accesses', async t => {
      await bob.stream('b')
      const socket = await socketOf(t, await bob.grant('create-only', 'b'), { version })
      t.match(await socket.call('streams.get'), { streams: [{ id: 'b' }] })
    })

    const refusals: [string, string, string | undefined, RegExp][] = [
      ['without a token', '/alice', undefined, /token is missing/],
      ['with an empty token', '/alice', '', /token is missing/],
      ['with an unknown token', '/alice', 'nobody', /Cannot find access from token/],
      ['with __proto__ as a token', '/alice', '__proto__', /Cannot find access from token/],
      ["with somebody else's token", '/alice', bob.token, /Cannot find access from token/],
      ['for an unknown user', '/nobody', alice.token, /Unknown user "nobody"/],
      ['for an odd name', '/__proto__', alice.token, /Unknown user/],
      ['for a name out of bounds', `/${'a'.repeat(300)}`, alice.token, /Invalid namespace/]
    ]
    for (const [name, path, token, message] of refusals)
      t.test(`is refused ${name}`, async t => {
        await t.rejects(connect(t, url, 'x', token, { version, path }), { message })
      })

    t.test('is refused when the access has expired', async t => {
      const short = await alice.grant('read', 'diary', { expireAfter: 0 })
      await t.rejects(socketOf(t, short, { version }), { message: /expired/ })
    })

    t.test('returns the same results as HTTP, with meta', async t => {
      const socket = await socketOf(t, alice, { version })
      t.match(await socket.call('streams.create', { id: 'made', name: 'Made' }), {
        stream: { id: 'made' },
        meta: { apiVersion: '1.6.21', serverTime: service.clock.now(), serial: String }
      })
      t.match(await socket.call('streams.create', { id: 'made', name: 'Other' }), {
        error: { id: 'item-already-exists', data: { id: 'made' } },
        meta: { apiVersion: '1.6.21' }
      })
      t.match(await socket.call('no.such'), { error: { id: 'invalid-method' }, meta: {} })
      t.match(await socket.call('__proto__'), { error: { id: 'invalid-method' }, meta: {} })
      t.match(await socket.call('whoAmI'), { error: { id: 'removed-method' } })
      t.match(
        await socket.call('callBatch', [
          { method: 'streams.get', params: {} },
          { method: 'no.such', params: {} },
          { method: 'streams.get' }
        ]),
        {
          results: [
            { streams: [{ id: ':_audit:' }, { id: 'diary' }, { id: 'made' }] },
            { error: { id: 'invalid-method' } },
            { error: { id: 'invalid-parameters-format' } }
          ],
          meta: {}
        }
      )
      t.match(await socket.call('callBatch', []), { results: [] })
    })

    t.test('survives malformed calls', async t => {
      const socket = await socketOf(t, alice, { version })
      const { raw } = socket
      raw.emit('streams.get')
      raw.emit('streams.get', {})
      raw.emit('streams.get', null)
      raw.emit('streams.get', {}, 'no function')
      raw.emit('streams.get', {}, {}, {}, 1)
      raw.emit('error', new Error('x'))
      raw.emit('', {})
      const refused = { error: { id: 'invalid-parameters-format' }, meta: {} }
      for (const params of [null, 1, 'text', true, [], [[]]])
        t.match(await socket.call('streams.get', params), refused, JSON.stringify(params))
      t.match(await new Promise(resolve => raw.emit('streams.get', (_: Answer, ok: Answer) => resolve(ok))), {
        streams: Array
      })
      t.match(await socket.call('streams.create', { name: Buffer.alloc(1000) }), refused)
      t.match(await socket.call('streams.create', { clientData: { deep: [new Uint8Array(3)] } }), refused)
      t.match(await socket.call('streams.create', JSON.parse('{"name":"p","__proto__":{"id":"x"}}')), refused)
      let deep: unknown = 1
      for (let depth = 0; depth < 2000; depth++) deep = [deep]
      t.match(await socket.call('streams.create', { name: 'deep', clientData: { deep } }), refused)
      t.match(await socket.call('streams.get', { x: 'y'.repeat(1_000_000) }), refused)
      t.match(await socket.call('streams.get'), { streams: Array })
    })

    t.test('refuses binary data anywhere in the params', async t => {
      const socket = await socketOf(t, alice, { version })
      const bytes = Buffer.from([1, 2, 3])
      for (const params of [
        bytes,
        { name: 'binary', clientData: { a: bytes } },
        { name: 'binary', clientData: { a: [{ b: bytes }] } }
      ])
        t.match(await socket.call('streams.create', params), {
          error: { id: 'invalid-parameters-format', message: /binary data/ },
          meta: {}
        })
    })

    t.test('executes calls in order, and responds to each', async t => {
      const socket = await socketOf(t, alice, { version })
      const calls = []
      for (let n = 0; n < 50; n++) {
        calls.push(
          socket.call('streams.create', { id: `n${n}`, name: `n${n}`, parentId: n ? `n${n - 1}` : null })
        )
        calls.push(socket.call('streams.get', { parentId: `n${n}` }))
      }
      const answers = await Promise.all(calls)
      t.same(
        answers.filter(answer => answer.error),
        []
      )
      t.equal(answers.filter(answer => answer.streams?.length === 0).length, 50)
    })
  })
}

t.test('two users share one connection', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bob')
  await alice.stream('of-alice')
  await bob.stream('of-bob')
  const first = await socketOf(t, alice)
  const { io } = first.raw
  const refused = io.socket('/bob')
  const [error] = (await new Promise(resolve => {
    refused.on('connect_error', (...args) => resolve(args))
    refused.connect()
  })) as [Answer]
  t.match(error, { message: /Cannot find access/, data: { error: { id: 'invalid-access-token' } } })
  const second = io.socket('/bob/bob', { auth: { auth: bob.token } })
  second.connect()
  await new Promise(resolve => second.on('connect', () => resolve(undefined)))
  const streams = await new Promise(resolve =>
    second.emit('streams.get', {}, (_: Answer, result: Answer) => resolve(result.streams))
  )
  t.match(streams, [{ id: ':_audit:' }, { id: 'of-bob' }])
  t.match(await first.call('streams.get'), { streams: [{ id: ':_audit:' }, { id: 'of-alice' }] })
})

t.test('the root namespace', async t => {
  const service = await coffer(t)
  const { alice, server } = service
  const root = await connect(t, server.url, 'x', undefined, { path: '/' })
  let isAnswered = false
  root.raw.emit('streams.get', {}, () => (isAnswered = true))
  await alice.stream('diary')
  const socket = await socketOf(t, alice)
  await socket.news()
  t.equal(isAnswered, false, 'answers nobody')
  t.same(root.heard, [], 'tells nobody anything')
})

t.test('a socket on the subdomain of its user', async t => {
  const service = await coffer(t, { domain: 'example.org' })
  await service.alice.stream('diary')
  const socket = await socketOf(t, service.alice, {
    options: { extraHeaders: { host: 'alice.example.org' } }
  })
  t.match(await socket.call('streams.get'), { streams: [{ id: ':_audit:' }, { id: 'diary' }] })
})

t.test('the authorization step', async t => {
  const service = await openCoffer(t)
  const seen: unknown[] = []
  Object.assign(service.server.services, {
    authorizationStep: async ({ headers, username }: Answer) => {
      seen.push(headers['x-secret'])
      if (headers['x-secret'] !== 'sesame') throw new Error(`no ${username}`)
    }
  })
  await t.rejects(socketOf(t, service.alice), { message: /authorization step denied/ })
  const socket = await socketOf(t, service.alice, { options: { extraHeaders: { 'x-secret': 'sesame' } } })
  t.match(await socket.call('streams.get'), { streams: [] })
  t.same(seen, [undefined, 'sesame', 'sesame'], 'sees the headers of the connection, for each call too')
})

t.test('a result that is too large for one message is refused', async t => {
  const { alice } = await coffer(t, { limits: { batchResultItems: 250 } })
  await alice.stream('diary')
  const params = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
  await alice.do(
    'callBatch',
    Array.from({ length: 300 }, () => ({ method: 'events.create', params }))
  )
  const socket = await socketOf(t, alice)
  t.match(await socket.call('events.get', { limit: 1000 }), { error: { id: 'too-many-results' }, meta: {} })
  const { events, meta } = await socket.call('events.get', { limit: 250 })
  t.equal(events.length, 250, 'long ones within the limit come whole')
  t.match(meta, { serverTime: Number })
})
