/** Unauthenticated sockets: limits on their number, time and data, without affecting clients. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { coffer, type Answer, type Service } from '../../support/coffer.js'
import { begunPost, handshake, PollingClient } from '../../support/polling.js'
import { socketOf, until, versions } from '../../support/socket.js'

const KiB = 1024
const MiB = 1024 * KiB

/** Opens a WebSocket up to Engine.IO; returns the response if it is refused. */
async function webSocket(
  t: Test,
  { server }: Service,
  { eio = 4, headers = {}, sid }: { eio?: 3 | 4; headers?: Record<string, string>; sid?: string } = {}
): Promise<WebSocket | { status: number; headers: Record<string, unknown> }> {
  const id = sid === undefined ? '' : `&sid=${sid}`
  const url = `${server.url.replace('http', 'ws')}/socket.io/?EIO=${eio}&transport=websocket${id}`
  const socket = new WebSocket(url, { headers, maxPayload: 0 })
  socket.on('error', () => {})
  t.teardown(() => socket.terminate())
  const refused = once(socket, 'unexpected-response') as Promise<[unknown, Answer]>
  const opened = once(socket, sid === undefined ? 'message' : 'open')
  const answer = await Promise.race([opened.then(() => undefined), refused.then(([, response]) => response)])
  return answer ? { status: answer.statusCode, headers: answer.headers } : socket
}

/** Returns the headers with which a proxy reports a client's address. */
function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address }
}

async function closed(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
}

t.test('unauthenticated connections', async t => {
  t.test('are limited in total; authenticated ones stay, and slow ones are replaced', async t => {
    const service = await coffer(t, { limits: { connections: 100 } })
    const friend = await socketOf(t, service.alice)
    const { url } = service.server
    const statuses: number[] = []
    const begun = performance.now()
    for (let n = 0; n < 200; n++) {
      const { headers, status, text } = await handshake(url, n % 2 ? {} : { eio: 3 })
      statuses.push(status)
      if (status !== 503) continue
      t.match(headers.get('retry-after'), /^\d+$/)
      t.match(JSON.parse(text), { code: 4, message: /Too many connections/ })
    }
    // A connection may be replaced after two seconds, which on a busy machine have passed for some by now.
    const turns = 1 + Math.floor((performance.now() - begun) / 2000)
    const accepted = statuses.filter(status => status === 200).length
    t.ok(accepted <= 50 * turns, `half of the connections there may be: ${accepted} in ${turns} turns`)
    t.equal(statuses.filter(status => status === 200 || status === 503).length, 200)
    if (turns === 1) t.match(await webSocket(t, service), { status: 503, headers: { 'retry-after': String } })
    t.match(await friend.call('streams.get'), { streams: [] })
    for (const version of versions)
      for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']])
        await until(async () => {
          try {
            await socketOf(t, service.alice, { version, options: { transports } })
            return true
          } catch {
            return false
          }
        }, `${version.name} by ${transports.join()}`)
  })

  t.test('are limited per address, or per IPv6 network', async t => {
    const service = await coffer(t, {
      limits: { connections: 1000, connectionsPerAddress: 20 },
      http: { trustedProxies: ['127.0.0.1'] }
    })
    const { url } = service.server
    const addresses = [
      () => '198.51.100.7',
      (n: number) => `2001:db8:1:2:${n.toString(16)}::1`,
      (n: number) => `::ffff:198.51.100.${n < 0 ? 0 : 8}`
    ]
    for (const address of addresses) {
      for (let n = 0; n < 20; n++)
        t.equal((await handshake(url, { headers: from(address(n)) })).status, 200, address(n))
      const { headers, status } = await handshake(url, { headers: from(address(20)) })
      t.equal(status, 429)
      t.match(headers.get('retry-after'), /^\d+$/)
      t.match(await webSocket(t, service, { headers: from(address(21)) }), { status: 429 })
    }
    t.equal((await handshake(url, { headers: from('2001:db8:1:3::1') })).status, 200, 'the next network')
    for (let n = 0; n < 30; n++) t.equal((await handshake(url)).status, 200, 'the proxy itself')
  })

  t.test('are no longer counted once they are closed', async t => {
    const service = await coffer(t, {
      limits: { connections: 1000, connectionsPerAddress: 2 },
      http: { trustedProxies: ['127.0.0.1'] }
    })
    const headers = from('198.51.100.7')
    const open = (): ReturnType<typeof webSocket> => webSocket(t, service, { headers })
    /** Retries, as the server notices closed connections with a delay. */
    const reopen = async (): Promise<WebSocket> => {
      for (;;) {
        const opened = await open()
        if (opened instanceof WebSocket) return opened
      }
    }
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await reopen(), await reopen()]
      t.match(await open(), { status: 429 })
      first.close()
      second.terminate()
      await Promise.all([first, second].map(closed))
    }
    await reopen()
    for (let round = 0; round < 5; round++) {
      let polling: PollingClient | undefined
      while (!polling)
        polling = await PollingClient.begin(service.server.url, 4, headers).catch(() => undefined)
      t.equal(await polling.post('1'), 200)
    }
  })

  t.test('time out, whatever they send', async t => {
    const service = await coffer(t, { sockets: { namespaceTimeout: 1 } })
    const friend = await PollingClient.of(service.alice)
    for (const eio of [3, 4] as const) {
      const client = await PollingClient.begin(service.server.url, eio)
      let status = 200
      let packets = ['40']
      while (status === 200) {
        // Joins the root, requests namespaces without a token, sends heartbeats.
        status = await client.post(...packets)
        packets = eio === 4 ? ['40/alice,{}', '3'] : ['40/alice,', '2']
        await client.poll()
      }
      t.equal(status, 400)
      t.match(await client.poll(), /Session ID unknown/)
    }
    t.equal(await friend.post('42/alice,1["streams.get",{}]'), 200)
    t.match(await friend.poll(), /^43\/alice,1\[null,\{"streams":\[/)
  })

  t.test('are limited in header size', async t => {
    const service = await coffer(t)
    const large = 'x'.repeat(17 * KiB)
    t.equal((await handshake(service.server.url, { headers: { cookie: large } })).status, 431)
    t.match(await webSocket(t, service, { headers: { cookie: large } }), { status: 431 })
    const response = await fetch(`${service.server.url}/socket.io/?EIO=4&transport=polling&auth=${large}`)
    t.equal(response.status, 431)
    t.equal((await handshake(service.server.url, { headers: { cookie: 'x'.repeat(8 * KiB) } })).status, 200)
  })
})

t.test('unauthenticated messages', async t => {
  t.test('are limited in size over polling, and not read beyond that', async t => {
    const service = await coffer(t)
    const { url } = service.server
    for (const eio of [3, 4] as const) {
      const head = async (): Promise<string> => {
        const client = await PollingClient.begin(url, eio)
        return `POST ${client.target.slice(url.length)} HTTP/1.1\r\nHost: x`
      }
      t.match(await begunPost(url, `${await head()}\r\nContent-Length: 10000000`), /^HTTP\/1\.1 413/)
      const chunk = `${(17 * KiB).toString(16)}\r\n${'x'.repeat(17 * KiB)}\r\n`
      t.match(await begunPost(url, `${await head()}\r\nTransfer-Encoding: chunked`, chunk), /^HTTP\/1\.1 413/)
      const twice = (await head()).replace('sid=', 'sid=unknown&sid=')
      t.match(await begunPost(url, `${twice}\r\nContent-Length: 10000000`), /^HTTP\/1\.1 413/)
    }
  })

  t.test('are limited in size over WebSockets; authenticated ones may be large', async t => {
    const service = await coffer(t)
    for (const eio of [3, 4] as const) {
      const stranger = (await webSocket(t, service, { eio })) as WebSocket
      stranger.send(`40/alice,{"auth":"${'x'.repeat(17 * KiB)}"}`)
      await closed(stranger)
      // Neither in one frame nor in many.
      const slow = (await webSocket(t, service, { eio })) as WebSocket
      for (let n = 0; n < 20 && slow.readyState === WebSocket.OPEN; n++)
        slow.send('x'.repeat(KiB), { fin: false })
      await closed(slow)
    }
    for (const version of versions)
      for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']]) {
        const socket = await socketOf(t, service.alice, { version, options: { transports } })
        const answer = await socket.call('streams.get', { x: 'y'.repeat(5 * MiB) })
        t.match(
          answer,
          { error: { id: 'invalid-parameters-format' } },
          `${version.name}, ${transports.join()}`
        )
      }
  })

  t.test('are limited in size again after the last namespace was left', async t => {
    const service = await coffer(t)
    const socket = await socketOf(t, service.alice)
    const other = socket.raw.io.socket('/')
    await new Promise(resolve => other.on('connect', () => resolve(undefined)))
    socket.raw.disconnect()
    let sent = 0
    const sending = setInterval(() => other.emit('x', 'y'.repeat(17 * KiB), sent++), 20)
    await new Promise(resolve => other.on('disconnect', resolve))
    clearInterval(sending)
    t.ok(sent < 100, `after ${sent}`)
  })

  t.test('are not decompressed', async t => {
    const service = await coffer(t)
    const socket = (await webSocket(t, service, {})) as WebSocket
    t.equal(socket.extensions, '', 'nothing is agreed upon that compresses')
  })
})

t.test('a WebSocket probe', async t => {
  const service = await coffer(t)
  t.test('gets a limited number of responses', async t => {
    const { id } = await PollingClient.of(service.alice)
    const trial = (await webSocket(t, service, { sid: id })) as WebSocket
    let answers = 0
    trial.on('message', () => answers++)
    for (let n = 0; n < 1000; n++) trial.send('2probe')
    await closed(trial)
    t.ok(answers < 20, `${answers} answers`)
  })

  t.test('requires a known session id', async t => {
    t.match(await webSocket(t, service, { sid: 'A'.repeat(20) }), { status: 400 })
    t.match(await webSocket(t, service, { sid: '__proto__' }), { status: 400 })
  })
})

t.test('attempts to join namespaces are limited per connection', async t => {
  const service = await coffer(t)
  const joined = (await webSocket(t, service)) as WebSocket
  joined.send(`40/alice,{"auth":"${service.alice.token}"}`)
  await once(joined, 'message')
  for (const socket of [(await webSocket(t, service)) as WebSocket, joined]) {
    for (let n = 0; n < 1000; n++) socket.send(`40/nobody-${n},{}`)
    await closed(socket)
  }
})

t.test('wrong tokens over sockets are throttled together with those over HTTP', async t => {
  const service = await coffer(t, { throttle: { invalidTokens: 10 } })
  const messages: string[] = []
  for (let n = 0; n < 3; n++) {
    const socket = (await webSocket(t, service)) as WebSocket
    socket.on('message', data => messages.push((data as Buffer).toString()))
    for (let guess = 0; guess < 5; guess++) socket.send(`40/alice,{"auth":"guess-${n}-${guess}"}`)
    await until(() => messages.length === 5 * (n + 1), 'all are refused')
  }
  t.match(messages[0], /invalid-access-token/)
  t.match(messages.at(-1), /too-many-requests/)
  t.match((await service.http('GET', '/alice/streams', undefined, { authorization: 'guess' })).status, 429)
  t.match(await (await socketOf(t, service.alice)).call('streams.get'), { streams: [] })
})
