/** Request bodies: formats, size, time. (docs/spec/conventions.md#request-bodies; docs/spec/limits.md#requests) */
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer } from '../../../support/coffer.js'
import { Random } from '../../../support/random.js'
import { rawBytes, rawHttp, sendAndLeave } from '../../../support/raw-http.js'

/** Returns an empty batch of this size in bytes. */
function padded(size: number): string {
  return `[${' '.repeat(size - 2)}]`
}

/** Returns params for a new stream, nested this deep. The params and `clientData` count as two levels. */
function nested(levels: number): string {
  return `{"name":"level ${levels}","clientData":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`
}

t.test('a body', async t => {
  const limit = 64 * 1024
  const service = await coffer(t, { limits: { bodyBytes: limit } })
  const { alice, server } = service
  const post = async (
    body: string | Buffer,
    headers: Record<string, string> = {}
  ): Promise<Awaited<ReturnType<typeof rawHttp>>> =>
    await rawHttp(server.url, {
      verb: 'POST',
      path: '/alice/',
      headers: { authorization: alice.token, 'content-type': 'application/json', ...headers },
      body
    })
  const refusal = { status: 400, body: { error: { id: 'invalid-request-structure' }, meta: Object } }

  const malformed = [
    '[',
    '{"a":1,}',
    'nonsense',
    '"',
    '\uFEFF[]',
    '[]]',
    Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])
  ]
  for (const body of malformed)
    t.test(`that is ${JSON.stringify(String(body))} is malformed`, async t => {
      t.match(await post(body), refusal)
    })

  for (const body of ['{}', '', 'null', '1', '"text"', '{"__proto__":[]}'])
    t.test(`that is ${body || 'empty'} is not a batch`, async t => {
      t.match(await post(body), { status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    })

  t.test('that is an array in place of an object is refused', async t => {
    for (const path of ['/alice/streams', '/alice/auth/login', '/users'])
      t.match(await service.http('POST', path, [], { authorization: alice.token }), { status: 400 })
    t.match(await alice.http('PUT', '/streams/x', []), { status: 400, body: { error: Object, meta: Object } })
  })

  t.test('with a number that would become null is refused', async t => {
    await alice.stream('diary')
    const event = '"streamIds":["diary"],"type":"position/wgs84","content":{"latitude":1e400,"longitude":0}'
    const other = '"streamIds":["diary"],"type":"my/own","content":[{"deep":[-1e400]}]'
    const bodies: [verb: string, path: string, body: string][] = [
      ['POST', '/events', `{${event}}`],
      ['POST', '/events', `{${other}}`],
      ['POST', '/streams', '{"name":"x","clientData":{"a":1e400}}'],
      ['POST', '/accesses', '{"name":"x","permissions":[],"clientData":{"a":-1e400}}'],
      ['PUT', '/profile/private', '{"a":1e400}']
    ]
    for (const [verb, path, body] of bodies)
      t.match(
        await alice.http(verb, path, body),
        { status: 400, body: { error: { id: 'invalid-parameters-format' } } },
        body
      )
    const largest =
      '{"method":"streams.create","params":{"name":"y","clientData":{"a":1.7976931348623157e308}}}'
    const batch = `[{"method":"events.create","params":{${other}}},${largest}]`
    t.match(await alice.http('POST', '/', batch), {
      body: { results: [{ error: { id: 'invalid-parameters-format' } }, { stream: { name: 'y' } }] }
    })
  })

  t.test('has a limit in bytes', async t => {
    t.match(await post(padded(limit)), { status: 200 })
    const { status, body } = await post(padded(limit + 1))
    t.equal(status, 400)
    t.equal(body.error.id, 'invalid-request-structure')
    t.match(body.error.message, String(limit))
  })

  t.test('far over the limit still gets a response', async t => {
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[])
      t.match(await post(padded(20 * 1024 * 1024), headers), refusal)
    t.match(await post('[]'), { status: 200 })
  })

  const encodings: Record<string, (text: string) => Buffer> = {
    gzip: text => gzipSync(text),
    deflate: text => deflateSync(text)
  }
  for (const [encoding, compress] of Object.entries(encodings))
    t.test(`is decompressed from ${encoding}, up to the limit`, async t => {
      const headers = { 'content-encoding': encoding }
      t.match(await post(compress('[]'), headers), { status: 200, body: { results: [] } })
      t.match(await post(compress(padded(limit)), headers), { status: 200 })
      t.match(await post(compress(padded(50 * 1024 * 1024)), headers), refusal)
      t.match(await post('this is not compressed', headers), refusal)
      t.match(await post(compress(JSON.stringify(malformed)).subarray(0, 12), headers), refusal)
    })

  t.test('with an unsupported encoding, character set or type is refused', async t => {
    for (const encoding of ['zstd', 'br', 'gzip, br', 'br, identity'])
      t.match(await post('[]', { 'content-encoding': encoding }), refusal, encoding)
    const message = /"br" is not supported\. Send gzip, deflate or none/
    t.match(await post(brotliCompressSync('[]'), { 'content-encoding': 'br' }), {
      body: { error: { message } }
    })
    t.match(await post('[]', { 'content-type': 'application/xml' }), { status: 415, body: { meta: Object } })
    t.match(await post('--x--', { 'content-type': 'multipart/form-data; boundary=x' }), refusal)
  })

  t.test('without a type, as plain text or of another JSON type is JSON', async t => {
    for (const type of ['text/plain', 'application/json; charset=utf-8', 'application/vnd.api+json'])
      t.match(await post('[]', { 'content-type': type }), { status: 200 })
  })

  t.test('that is nested too deeply is refused', async t => {
    const depth = 30_000
    t.match(await post('['.repeat(depth) + ']'.repeat(depth)), {
      status: 400,
      body: { error: { id: 'invalid-parameters-format' } }
    })
  })

  t.test('that is nested too deeply is refused even within free-form values', async t => {
    t.match(await alice.http('POST', '/streams', nested(100)), { status: 201 })
    for (const levels of [101, 5000, 30_000])
      t.match(await alice.http('POST', '/streams', nested(levels)), {
        status: 400,
        body: { error: { id: 'invalid-parameters-format', message: /nested deeper than 100 levels/ } }
      })
  })

  t.test('that is truncated does not harm the service', async t => {
    const half = `POST /alice/ HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\nContent-Length: 100\r\n\r\n[`
    for (let round = 0; round < 20; round++) await sendAndLeave(server.url, half)
    t.match(await post('[]'), { status: 200 })
  })
})

t.test('a batch', async t => {
  const { alice } = await coffer(t, { limits: { batchCalls: 3 } })
  const call = { method: 'streams.get', params: {} }

  t.test('is limited in number of calls', async t => {
    t.match(await alice.http('POST', '/', [call, call, call]), { status: 200 })
    const { status, body } = await alice.http('POST', '/', [call, call, call, call])
    t.equal(status, 400)
    t.match(body.error.message, /3/)
  })

  t.test('returns errors of malformed calls in place', async t => {
    const { status, body } = await alice.http('POST', '/', [
      { method: 'streams.get' },
      call,
      { method: 'no.such', params: {} }
    ])
    t.equal(status, 200)
    t.match(body.results, [
      { error: { id: 'invalid-parameters-format' } },
      { streams: [] },
      { error: { id: 'invalid-method' } }
    ])
  })
})

t.test('slow requests', async t => {
  const { server, alice } = await coffer(t, { limits: { bodyTimeout: 1, headersTimeout: 1 } })

  t.test('have a timeout for the whole body', async t => {
    const answer = await rawBytes(
      server.url,
      `POST /alice/ HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\nContent-Length: 100\r\n\r\n[`
    )
    t.match(answer, /^HTTP\/1\.1 400 /)
    t.match(answer, 'did not arrive within 1 seconds')
  })

  t.test('have a timeout for the headers', async t => {
    const answer = await rawBytes(server.url, 'GET /alice/ HTTP/1.1\r\nHost: x\r\nX-Slow')
    t.match(answer, /^HTTP\/1\.1 400 /)
    t.match(answer, '"serverTime"')
  })

  t.test('time out if they never begin', async t => {
    t.match(await rawBytes(server.url, ''), /^HTTP\/1\.1 400 /)
  })
})

t.test('malformed HTTP gets a JSON error', async t => {
  const { server } = await coffer(t)
  for (const [bytes, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`, 431]
  ] as const) {
    const answer = await rawBytes(server.url, bytes)
    t.equal(answer.slice(0, 12), `HTTP/1.1 ${String(status)}`)
    t.match(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))), {
      error: { id: 'invalid-request-structure' },
      meta: { serial: String }
    })
  }
})

t.test('bodies are read correctly however they are split, in sequence on one connection', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).setNoDelay()
  t.teardown(() => socket.destroy())
  let received = ''
  socket.setEncoding('utf8').on('data', text => (received += text))
  const seed = Date.now() % 1e6
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const written: string[] = []
  for (let round = 0; round < 60; round++) {
    // Some fit into one segment together with their headers, others span a few.
    const content = `${round} ${'é'.repeat(random.pick([0, 1, 50, 5000]))}`
    const body = Buffer.from(JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content }))
    const isCounted = random.chance(0.7)
    const head = [
      'POST /alice/events HTTP/1.1',
      'Host: x',
      `Authorization: ${alice.token}`,
      isCounted ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'
    ].join('\r\n')
    const framed = isCounted ? [body] : [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
    const bytes = Buffer.concat([`${head}\r\n\r\n`, ...framed].map(part => Buffer.from(part)))
    const cuts = random.chance(0.5) ? [] : random.some([head.length, head.length + 4, bytes.length - 1], 2)
    let start = 0
    for (const end of [...cuts.toSorted((one, other) => one - other), bytes.length]) {
      await new Promise(resolve => socket.write(bytes.subarray(start, end), resolve))
      await nextTurn()
      start = end
    }
    const count = round + 1
    while (received.split('HTTP/1.1 201 ').length <= count && socket.readable) await nextTurn()
    written.push(content)
  }
  const { events } = await alice.call('events.get', { limit: 100 })
  const contents = events.map(({ content }: { content: string }) => content)
  t.same(contents.toSorted(), written.toSorted())
})

t.test('numbers are double-precision, and strings are kept as sent', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const send = async (type: string, content: string): Promise<unknown> => {
    const { body } = await rawHttp(server.url, {
      verb: 'POST',
      path: '/alice/events',
      headers: { authorization: alice.token, 'content-type': 'application/json' },
      body: `{"streamIds":["diary"],"type":"${type}","content":${content},"clientData":{"a":[${content}]}}`
    })
    const { event } = body as { event: { id: string; content: unknown; clientData: object } }
    t.same(event.clientData, { a: [event.content] })
    t.same((await alice.do('events.getOne', { id: event.id })).event.content, event.content)
    return event.content
  }
  for (const [sent, stored] of [
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['9007199254740993', '9007199254740992'],
    ['12345678901234567890', '12345678901234567000'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['1.0', '1']
  ] as const)
    t.equal(JSON.stringify(await send('count/generic', sent)), stored)
  t.equal(await send('note/txt', '"9007199254740993"'), '9007199254740993')
})
