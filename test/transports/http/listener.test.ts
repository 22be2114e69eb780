/** The listening side: how many may come, who waits for the start, how it ends. (security: slow connections, SIGTERM) */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { Listener } from '../../../transports/http/listener.js'
import { testConfig } from '../../support/coffer.js'
import { rawBytes } from '../../support/raw-http.js'

function dial(listener: Listener): Socket {
  return connect(listener.port, '127.0.0.1').on('error', () => undefined)
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

t.test('Listener', async t => {
  t.test('lets in so many connections at a time', async t => {
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

  t.test('keeps requests that come before it serves', async t => {
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

  t.test('answers what is no HTTP, or comes too late, as everything else', async t => {
    const { limits, ...rest } = testConfig('unused')
    const config = { ...rest, limits: { ...limits, headersTimeout: 0.2 } }
    const listener = await Listener.open(config)
    listener.serve((_request, response) => void response.end('served'), config)
    const url = `http://127.0.0.1:${listener.port}`
    for (const [bytes, message] of [
      ['this is no HTTP\r\n\r\n', 'not a well-formed HTTP request'],
      ['GET / HTTP/1.1\r\nHost : x\r\n\r\n', 'not a well-formed HTTP request'],
      [
        'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'not a well-formed'
      ],
      ['GET / HTTP/1.1\r\nHost: ', 'has not arrived in time']
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

  t.test('lets what is in flight end, and cuts what does not', async t => {
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

  t.test('says when the port is taken', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    await t.rejects(Listener.open({ ...config, port: listener.port }), { code: 'EADDRINUSE' })
    await listener.close(0)
  })
})
