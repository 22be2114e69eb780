/** The listener: its limits, requests before startup, and shutdown. (docs/spec/limits.md#requests) */
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { Listener } from '../../../transports/http/listener.js'
import { testConfig } from '../../support/coffer.js'
import { rawBytes } from '../../support/raw-http.js'

function dial(listener: Listener, host = '127.0.0.1'): Socket {
  return connect(listener.port, host).on('error', () => undefined)
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

t.test('Listener', async t => {
  t.test('limits the number of concurrent connections', async t => {
    const { limits, ...rest } = testConfig('unused')
    const config = { ...rest, limits: { ...limits, connections: 2 } }
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.end('served'), config)
    const [first, second] = [dial(listener), dial(listener)]
    for (const socket of [first, second]) {
      socket.write(get)
      t.match(String((await once(socket, 'data'))[0]), 'served')
    }
    const third = dial(listener)
    third.write(get)
    await once(third, 'close')
    t.equal(third.bytesRead, 0)
    first.destroy()
    await once(first, 'close')
    second.destroy()
    await listener.close(0)
  })

  /** An address of this machine other than loopback. */
  const address = Object.values(networkInterfaces())
    .flat()
    .find(found => found && !found.internal && found.family === 'IPv4')?.address
  t.test('limits each address to a share of the connections', { skip: address === undefined }, async t => {
    const { limits, ...rest } = testConfig('unused')
    for (const [settings, share] of [
      [{ connections: 8, connectionsPerAddress: 0 }, 2],
      [{ connections: 8, connectionsPerAddress: 3 }, 3]
    ] as const) {
      const config = { ...rest, host: '0.0.0.0', limits: { ...limits, ...settings } }
      const listener = await Listener.open(config)
      listener.serve((_request, response) => void response.end('served'), config)
      const sockets = Array.from({ length: share }, () => dial(listener, address))
      for (const socket of sockets) {
        socket.write(get)
        t.match(String((await once(socket, 'data'))[0]), 'served')
      }
      const other = dial(listener, address)
      other.write(get)
      await once(other, 'close')
      t.equal(other.bytesRead, 0)
      // This machine itself may be a proxy for all clients.
      const local = Array.from({ length: 8 - share }, () => dial(listener, '127.0.0.1'))
      for (const socket of local) {
        socket.write(get)
        t.match(String((await once(socket, 'data'))[0]), 'served')
      }
      const [first] = sockets
      first!.destroy()
      let again: Socket
      do {
        again = dial(listener, address)
        again.write(get)
        await Promise.race([once(again, 'data'), once(again, 'close')])
      } while (again.bytesRead === 0)
      await listener.close(0)
    }
    const config = {
      ...rest,
      host: '0.0.0.0',
      http: { trustedProxies: [address ?? ''] },
      limits: { ...limits, connections: 8, connectionsPerAddress: 1 }
    }
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.end('served'), config)
    for (let n = 0; n < 8; n++) {
      const socket = dial(listener, address)
      socket.write(get)
      t.match(String((await once(socket, 'data'))[0]), 'served', 'a proxy brings many clients')
    }
    await listener.close(0)
  })

  t.test('refuses requests with too many headers, even without upgrade support', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    let served = 0
    listener.serve((_request, response) => void response.end(`served ${++served}`), config)
    for (const offer of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
      const head = `POST / HTTP/1.1\r\nHost: x\r\n${offer}${'a: b\r\n'.repeat(1001)}`
      const text = await rawBytes(
        `http://127.0.0.1:${listener.port}`,
        `${head}Content-Length: ${get.length}\r\n\r\n${get}${get}`
      )
      t.match(text, /^HTTP\/1\.1 431 .*\r\nConnection: close\r\n/s)
      t.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
    }
    t.equal(served, 0)
    await listener.close(0)
  })

  t.test('limits the requests queued behind an unanswered one', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    const waiting: ServerResponse[] = []
    listener.serve((_request, response) => void waiting.push(response), config)
    const usual = dial(listener)
    usual.write(get.repeat(50))
    let received = ''
    usual.on('data', data => (received += String(data)))
    for (let answered = 0; answered < 50; await new Promise(setImmediate))
      for (const response of waiting.splice(0)) {
        response.end('served')
        answered++
      }
    while (received.split('served').length <= 50) await once(usual, 'data')
    usual.destroy()
    for (const headers of [`a: ${'b'.repeat(60_000)}\r\n`, 'a: b\r\n'.repeat(900)]) {
      const socket = dial(listener)
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`.repeat(10))
      await new Promise(resolve => socket.resume().once('close', resolve))
      t.ok(waiting.length > 1 && waiting.length < 6, `${waiting.length} of them`)
      waiting.length = 0
    }
    await listener.close(0)
  })

  t.test('applies the same limit behind a refused request', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.writeHead(401).end('refused'), config)
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n')
    t.match(String((await once(socket, 'data'))[0]), 'refused')
    socket.write(`0123456789${get.repeat(200)}`)
    while ((await listener.connections()) > 0) await new Promise(setImmediate)
    t.pass('the connection is cut')
    socket.destroy()
    await listener.close(0)
  })

  t.test('queues requests that arrive before it serves', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    const socket = dial(listener)
    socket.write(get)
    await once(socket, 'connect')
    const answered = once(socket, 'data')
    setImmediate(() => listener.serve((_request, response) => void response.end('served'), config))
    t.match(String((await answered)[0]), 'served')
    await listener.close(1)
  })

  t.test('returns a JSON error for malformed or late requests', async t => {
    const { limits, ...rest } = testConfig('unused')
    const config = { ...rest, limits: { ...limits, headersTimeout: 0.2 } }
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.end('served'), config)
    const url = `http://127.0.0.1:${listener.port}`
    for (const [bytes, message] of [
      ['this is no HTTP\r\n\r\n', 'Malformed HTTP request'],
      ['GET / HTTP/1.1\r\nHost : x\r\n\r\n', 'Malformed HTTP request'],
      [
        'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'Malformed HTTP request'
      ],
      ['GET / HTTP/1.1\r\nHost: ', 'did not arrive in time']
    ] as const) {
      const [head = '', body = ''] = (await rawBytes(url, bytes)).split('\r\n\r\n')
      t.match(head, /^HTTP\/1\.1 400 .*\r\nContent-Type: application\/json/s)
      t.match(JSON.parse(body), {
        error: { id: 'invalid-request-structure', message: new RegExp(message) },
        meta: Object
      })
    }
    await listener.close(0)
  })

  t.test('serves requests whatever their Expect header', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.end('served'), config)
    const socket = dial(listener)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nExpect: much\r\n\r\n')
    t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 .*served/s)
    socket.destroy()
    await listener.close(0)
  })

  t.test('completes requests in flight, and disconnects the rest', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    const requests: (() => void)[] = []
    listener.serve((_request, response) => void requests.push(() => void response.end('served')), config)
    const [ending, hanging] = [dial(listener), dial(listener)]
    for (const socket of [ending, hanging]) socket.write(get)
    while (requests.length < 2) await new Promise(setImmediate)
    const closed = listener.close(0.2)
    const answered = once(ending, 'data')
    requests[0]!()
    t.match(String((await answered)[0]), 'served')
    await Promise.all([closed, once(hanging, 'close')])
    t.equal(hanging.bytesRead, 0)
  })

  t.test('rejects if the port is in use', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    await t.rejects(Listener.open({ ...config, port: listener.port }), { code: 'EADDRINUSE' })
    await listener.close(0)
  })
})
