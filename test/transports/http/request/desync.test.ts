/** Requests whose end a proxy and this server could see differently: at most one response, never two. */
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

/** Time after which an open connection counts as never closed, recorded as a response `000`. */
const patienceMs = 4000

const offer = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`

t.test('request smuggling', async t => {
  const service = await coffer(t, { limits: { headersTimeout: 2 } })
  const { alice, server } = service
  const webSocket = `${offer('websocket')}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`
  const smuggled = (id: string): string => {
    const body = JSON.stringify({ id, name: id })
    return `POST /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  /** Returns the statuses until the server closes the connection, or `000` if it never does. */
  const answersTo = async (bytes: string): Promise<string[]> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const closed = once(socket, 'close')
    let received = ''
    socket.on('error', () => {}).on('data', data => (received += String(data)))
    socket.write(bytes)
    const timer = setTimeout(() => {
      received += 'HTTP/1.1 000'
      socket.destroy()
    }, patienceMs)
    await closed
    clearTimeout(timer)
    return (received.match(/HTTP\/1\.1 \d{3}/g) ?? []).map(line => line.slice(9))
  }
  const streamIds = async (): Promise<string[]> =>
    (await alice.do('streams.get')).streams.map(({ id }: { id: string }) => id)

  const framings = {
    'Content-Length': (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`,
    'Transfer-Encoding': (body: string) =>
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  }
  const offers = { nothing: '', h2c: offer('h2c'), 'a WebSocket': webSocket }
  for (const [protocol, extra] of Object.entries(offers))
    for (const [framing, frame] of Object.entries(framings))
      for (const path of ['/alice/streams', '/socket.io/?EIO=4&transport=websocket'])
        for (const count of [1001, 1100, 3000])
          t.test(`${count} headers, ${framing}, an offer of ${protocol}, to ${path}`, async t => {
            const id = `s-${protocol.length}-${framing.length}-${path.length}-${count}`
            const filler = Array.from({ length: count }, (_, n) => `x${n}: y\r\n`).join('')
            const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\n${extra}${filler}${frame(smuggled(id))}`
            t.same(await answersTo(bytes), ['431'])
            t.notOk((await streamIds()).includes(id), 'what it held has not been taken for a request')
          })

  t.test('a realistic number of headers is accepted', async t => {
    const filler = Array.from({ length: 900 }, (_, n) => `x${n}: y\r\n`).join('')
    for (const extra of ['', offer('h2c')]) {
      const head = `GET /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\n`
      const last = `${head}Connection: close\r\n\r\n`
      t.same(await answersTo(`${head}${extra}${filler}\r\n${last}`), ['200', '200'])
    }
  })

  t.test('a repeated header that proxies could interpret differently is refused', async t => {
    const fields = { Host: 'x', Authorization: alice.token, 'Content-Type': 'application/json' }
    for (const [name, value] of Object.entries(fields))
      for (const extra of ['', webSocket]) {
        const path = extra === '' ? '/alice/streams' : '/socket.io/?EIO=4&transport=websocket'
        const head = Object.entries(fields).map(([field, text]) => `${field}: ${text}\r\n`)
        const bytes = `GET ${path} HTTP/1.1\r\n${extra}${head.join('')}${name.toUpperCase()}: ${value}\r\n\r\n`
        t.same(await answersTo(bytes), ['400'], `${name}, ${path}`)
      }
  })

  t.test('a WebSocket upgrade with a body is refused', async t => {
    for (const [framing, frame] of Object.entries(framings)) {
      const get = `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\n${webSocket}`
      t.same(await answersTo(`${get}${frame(smuggled('in-body'))}`), ['400'], framing)
    }
    t.notOk((await streamIds()).includes('in-body'))
  })

  t.test('an upgrade on another path, or to another protocol, does not change the framing', async t => {
    const last = 'GET /nobody HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    for (const path of ['/alice/nothing', '/socket.io/?EIO=4&transport=polling'])
      for (const [protocol, extra] of Object.entries({ ...offers, both: offer('websocket, h2c') }))
        for (const [framing, frame] of Object.entries(framings)) {
          const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\n${extra}${frame(smuggled('behind'))}${last}`
          // The socket server reads nothing after a request without a valid connection.
          const answers = path.startsWith('/socket.io') ? 1 : 2
          t.equal((await answersTo(bytes)).length, answers, `${path}, ${protocol}, ${framing}`)
        }
    t.notOk((await streamIds()).includes('behind'))
  })

  t.test('pipelined requests are answered in order', async t => {
    const login = JSON.stringify({ username: 'alice', password: 'wrong', appId: 'test' })
    // Checking a password takes a while.
    const slow = `POST /alice/auth/login HTTP/1.1\r\nHost: x\r\nOrigin: https://x\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n${login}`
    const get = `GET /alice/nothing HTTP/1.1\r\nHost: x\r\n`
    const many = 'x: y\r\n'.repeat(1001)
    const last = `${get}Connection: close\r\n\r\n`
    t.same((await answersTo(`${slow}${last}`)).at(-1), '404')
    const [refused = ''] = await answersTo(`${slow}${last}`)
    t.match(refused, /^4/)
    t.same(await answersTo(`${slow}${get}${offer('h2c')}\r\n${last}`), [refused, '404', '404'])
    t.same(await answersTo(`${slow}${get}${many}\r\n${last}`), [refused, '431'])
    t.same(await answersTo(`${slow}${get}${offer('h2c')}${many}\r\n${last}`), [refused, '431'])
    t.same(await answersTo(`${slow}nonsense\r\n\r\n${last}`), [refused, '400'])
    const socket = `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\n${webSocket}\r\n`
    t.same((await answersTo(`${slow}${socket}`)).slice(0, 2), [refused, '101'])
  })

  t.test('many upgrade offers on one connection leave no listeners behind', async t => {
    const warnings: string[] = []
    const note = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', note)
    const get = `GET /alice/nothing HTTP/1.1\r\nHost: x\r\n`
    const bytes = `${`${get}${offer('h2c')}\r\n`.repeat(200)}${get}Connection: close\r\n\r\n`
    t.equal((await answersTo(bytes)).length, 201)
    process.off('warning', note)
    t.same(warnings, [])
  })

  const awaited = `POST /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\nContent-Type: application/json\r\n`
  const slow = `GET /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\n\r\n`
  const doubtful: [string, string, number][] = [
    [
      'two lengths',
      'POST /alice/streams HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
      1
    ],
    [
      'a length twice',
      'POST /alice/streams HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n',
      1
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      1
    ],
    [
      'chunks twice',
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n',
      1
    ],
    ['an encoding that does not end', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n', 1],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n', 1],
    ['a chunk that is none', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n', 1],
    ['a chunk that is none, awaited', `${awaited}Transfer-Encoding: chunked\r\n\r\n0x5\r\n`, 1],
    [
      'a chunk that is none, of the second request',
      `${slow}${awaited}Transfer-Encoding: chunked\r\n\r\n0x5\r\n`,
      2
    ],
    ['no HTTP, behind a request', `${slow}nonsense\r\n\r\n`, 2],
    ['a bare line feed', 'GET /nobody HTTP/1.1\nHost: x\n\n', 1],
    ['a folded header', 'GET /nobody HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n', 1],
    ['a tunnel', 'CONNECT alice:80 HTTP/1.1\r\nHost: x\r\n\r\n', 0]
  ]
  for (const [what, head, answers] of doubtful)
    t.test(`${what} closes the connection`, async t => {
      const found = await answersTo(`${head}${smuggled('doubtful')}`)
      t.equal(found.length, answers, found.join())
      t.notOk((await streamIds()).includes('doubtful'))
    })

  t.test('an Expect header is fulfilled or ignored', async t => {
    const post = 'POST /alice/streams HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n'
    t.same(await answersTo(`${post}Expect: 100-continue\r\n\r\n{}`), ['100', '401'])
    t.same(await answersTo(`${post}Expect: wonders\r\n\r\n{}`), ['401'])
    const both = `${post.replace('close', 'Upgrade, close')}Upgrade: h2c\r\nExpect: 100-continue\r\n\r\n{}`
    t.same(await answersTo(both), ['100', '401'])
  })

  t.test('HTTP/1.0 and absolute URLs are handled correctly', async t => {
    t.same(await answersTo('GET /nobody HTTP/1.0\r\n\r\n'), ['400'])
    t.same(await answersTo(`GET /nobody HTTP/1.0\r\nHost: x\r\n${offer('h2c')}\r\n`), ['404'])
    const old = `GET /socket.io/?EIO=4&transport=websocket HTTP/1.0\r\nHost: x\r\n${webSocket}\r\n`
    t.same(await answersTo(old), ['400'], 'takes no offers')
    const absolute = `GET http://x/nobody HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    t.same(await answersTo(absolute), ['404'])
  })

  t.test('a response before the end of the body closes the connection', async t => {
    const chunk = 'x'.repeat(100_000)
    const frames: Record<string, [headers: string, part: string]> = {
      'a length': ['Content-Length: 50000000', chunk],
      chunks: ['Transfer-Encoding: chunked', `${chunk.length.toString(16)}\r\n${chunk}\r\n`],
      'an expectation': ['Content-Length: 50000000\r\nExpect: 100-continue', '']
    }
    const multipart = 'Content-Type: multipart/form-data; boundary=b'
    const json = 'Content-Type: application/json'
    const known = `Authorization: ${alice.token}`
    const requests: [head: string, status: string][] = [
      [`POST /alice/events HTTP/1.1\r\n${json}`, '401'],
      [`POST /alice/events HTTP/1.1\r\n${multipart}`, '401'],
      [`POST /alice/events HTTP/1.1\r\n${known}\r\n${json}\r\nContent-Encoding: br`, '400'],
      [`POST /alice/events HTTP/1.1\r\n${known}\r\nContent-Type: application/xml`, '415'],
      [`POST /alice/mcp HTTP/1.1\r\n${json}`, '401'],
      [`POST /alice/nothing HTTP/1.1\r\n${json}`, '404'],
      [`POST /nobody/events HTTP/1.1\r\n${json}`, '404'],
      [`POST /reg/nothing HTTP/1.1\r\n${json}`, '404'],
      [`POST /system/create-user HTTP/1.1\r\n${json}`, '404'],
      [`GET /alice/streams HTTP/1.1\r\n${known}`, '200'],
      [`OPTIONS /alice/streams HTTP/1.1\r\n${known}`, '200'],
      [`GET /service/info HTTP/1.1\r\n${json}`, '200'],
      [`POST /socket.io/?EIO=4&transport=polling&sid=none HTTP/1.1\r\nContent-Type: text/plain`, '400']
    ]
    for (const [name, [framing, part]] of Object.entries(frames))
      for (const [head, status] of requests)
        for (const connection of ['', 'Connection: close\r\n', 'Connection: keep-alive\r\n']) {
          const socket = connect({ port: Number(new URL(server.url).port), allowHalfOpen: true })
          let received = ''
          socket.on('error', () => {}).setEncoding('utf8')
          socket.write(`${head}\r\nHost: x\r\n${connection}${framing}\r\n\r\n${part}`)
          const what = `${head.split('\r\n')[0]} with ${name}, ${connection.trim()}`
          // The response ends while the client is still sending.
          for await (const text of socket.iterator({ destroyOnReturn: false })) received += String(text)
          const answers = received
            .split('HTTP/1.1 ')
            .slice(1)
            .filter(text => !text.startsWith('100'))
          t.equal(answers.length, 1, what)
          t.equal(answers[0]?.slice(0, 3), status, what)
          t.match(answers[0], /\r\nconnection: close\r\n/i, what)
          // Further data is not parsed as a request, and does not reset the connection while the client is sending.
          await new Promise(resolve => socket.write(smuggled('unread'), resolve))
          t.notOk(socket.destroyed, what)
          socket.resetAndDestroy()
        }
    t.notOk((await streamIds()).includes('unread'))
  })

  t.test('a complete body keeps the connection open, whether it was read or not', async t => {
    const last = 'GET /nobody HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    for (const verb of ['GET', 'POST', 'DELETE'])
      for (const frame of Object.values(framings)) {
        const head = `${verb} /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${verb === 'GET' ? alice.token : 'nonsense'}\r\n`
        const answers = await answersTo(`${head}${frame('{}')}${last}`)
        t.same(answers.slice(1), ['404'], verb)
      }
  })

  t.test('a client that stays after malformed HTTP is disconnected', async t => {
    const { hostname, port } = new URL(server.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    socket.write('this is no HTTP\r\n\r\n')
    const [answer] = await once(socket, 'data')
    t.match(String(answer), 'HTTP/1.1 400')
    // Never ends its side. Writing to a closed connection is an error.
    const cut = once(socket, 'error')
    const writing = setInterval(() => socket.write('x'), 50)
    await cut
    clearInterval(writing)
    socket.destroy()
  })
})
