import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { coffer, openCoffer, type Answer, type Client, type Service } from '../../support/coffer.js'
import { PollingClient } from '../../support/polling.js'
import { socketOf, until, versions, type TestSocket } from '../../support/socket.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

const KiB = 1024
const MiB = 1024 * KiB

/** Opens a connection without a Socket.IO client: the test controls what is sent. */
async function raw(t: Test, { server }: Service): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
  socket.on('error', () => {})
  t.teardown(() => socket.terminate())
  await new Promise(resolve => socket.once('message', resolve))
  return socket
}

/** Like {@link raw}, in the user's namespace. */
async function rawOf(t: Test, service: Service, client: Client): Promise<WebSocket> {
  const socket = await raw(t, service)
  socket.send(`40/${client.username},{"auth":"${client.token}"}`)
  const answer = await new Promise<Buffer>(resolve => socket.once('message', data => resolve(data as Buffer)))
  t.match(String(answer), /^40\/alice,\{"sid"/)
  return socket
}

async function closed(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await new Promise(resolve => socket.once('close', resolve))
}

/** Sends frames and then a message; returns whether that was answered before the connection closed. */
async function isServed(socket: WebSocket, frames: () => void, message: string): Promise<boolean> {
  const answer = once(socket, 'message').then(() => true)
  frames()
  socket.send(message)
  return await Promise.race([answer, closed(socket).then(() => false)])
}

/** Returns the duration of the slowest of several calls of another user, measured by the stopwatch. */
async function slowest(socket: TestSocket, isOver: () => boolean): Promise<number> {
  let longest = 0
  while (!isOver()) {
    const elapsed = stopwatch()
    const answer: Answer = await socket.call('streams.get')
    if (!answer.streams) throw new Error('not served')
    longest = Math.max(longest, elapsed())
  }
  return longest
}

t.test('malformed frames close their connection and no other', async t => {
  const service = await coffer(t)
  const { alice } = service
  const socket = await socketOf(t, alice)
  const prefix = '42/alice,'
  const frames = [
    '4',
    '4x',
    '49',
    '42[',
    `${prefix}[`,
    `${prefix}{}`,
    `${prefix}[]`,
    `${prefix}[null]`,
    `${prefix}[["x"]]`,
    `${prefix}["connect"]`,
    `${prefix}["disconnecting"]`,
    `${prefix}["newListener"]`,
    `${prefix}99999999999999999999["streams.get",{}]`,
    '43/alice,1[]',
    '44/alice,{"message":"x"}',
    '45/alice,["x"]',
    '451-/alice,["streams.get",{"_placeholder":true,"num":7}]',
    '45999999999-/alice,["streams.get"]',
    '40//evil.example/x,',
    '40/alice,[]',
    '40/%00,{}',
    `40/${'/'.repeat(10_000)},`,
    '41/alice,',
    '42/bob,["streams.get",{}]',
    '5',
    '6',
    '2probe',
    '9',
    ''
  ]
  for (const frame of frames)
    t.test(JSON.stringify(frame.slice(0, 60)), async t => {
      const odd = await rawOf(t, service, alice)
      odd.send(frame)
      odd.send(Buffer.from([1, 2, 3]))
      odd.send(`${prefix}7["streams.get",{}]`)
      t.match(await socket.call('streams.get'), { streams: [] })
    })
})

const test = inRotation(t, 2)
test('nesting that would exhaust the stack is refused or closes its connection', async t => {
  const service = await coffer(t)
  const { alice } = service
  const socket = await socketOf(t, alice)
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
  const plain = await rawOf(t, service, alice)
  const answered = new Promise(resolve => plain.once('message', data => resolve((data as Buffer).toString())))
  plain.send(`42/alice,1["streams.create",${deep}]`)
  t.match(await answered, /^43\/alice,1\[\{"error":\{"id":"invalid-parameters-format"/)
  const binary = await rawOf(t, service, alice)
  binary.send(`451-/alice,2["streams.create",${deep}]`)
  binary.send(Buffer.alloc(3))
  await closed(binary)
  t.match(await socket.call('streams.get'), { streams: [] })
})

test('a message over the size limit closes its connection with a reason', async t => {
  const service = await coffer(t, { limits: { bodyBytes: 100 * KiB } })
  const { alice } = service
  const other = await socketOf(t, alice)
  const text = `42/alice,1["streams.get",{"x":"${'é'.repeat(70 * KiB)}"}]`
  const message = 'The message is larger than the limit of 102400 bytes'
  const answer = [{ error: { id: 'invalid-request-structure', message }, meta: { apiVersion: String } }]

  const sendings: Record<string, (socket: WebSocket) => void> = {
    'in one frame': socket => socket.send(text),
    'in several frames': socket => {
      for (let at = 0; at < text.length; at += 20 * KiB)
        socket.send(text.slice(at, at + 20 * KiB), { fin: at + 20 * KiB >= text.length, binary: false })
    }
  }
  for (const [how, send] of Object.entries(sendings))
    t.test(how, async t => {
      const socket = await rawOf(t, service, alice)
      const answers: string[] = []
      socket.on('message', (data: Buffer) => answers.push(data.toString()))
      const end = once(socket, 'close')
      send(socket)
      const [code, reason] = (await end) as [number, Buffer]
      t.same([code, String(reason)], [1009, message])
      t.equal(answers.length, 1)
      t.match(answers[0], /^43\/alice,1\[/)
      t.match(JSON.parse(answers[0]!.slice('43/alice,1'.length)), answer)
    })

  t.test('without a call', async t => {
    const socket = await rawOf(t, service, alice)
    const end = once(socket, 'close')
    socket.send(`42/alice,["streams.get",{"x":"${'y'.repeat(101 * KiB)}"}]`)
    t.equal((await end)[0], 1009)
  })

  t.test('before authentication', async t => {
    const socket = await raw(t, service)
    const end = once(socket, 'close')
    socket.send(`40/alice,${'y'.repeat(20 * KiB)}`)
    const [code, reason] = (await end) as [number, Buffer]
    t.same([code, String(reason)], [1009, 'The message is larger than the limit of 16384 bytes'])
  })

  for (const version of versions)
    t.test(`from ${version.name} also gets an error response`, async t => {
      const socket = await socketOf(t, alice, { version })
      const details = new Promise(resolve =>
        socket.raw.on('disconnect', (_reason, description) => resolve(description))
      )
      t.match(await socket.call('streams.get', { x: 'y'.repeat(11 * MiB) }), answer[0]!)
      // 2.x clients do not expose it.
      if (version === versions[0]) t.match(await details, { context: { code: 1009 } })
      else await details
    })

  t.match(await other.call('streams.get'), { streams: [] })
})

test('an unauthenticated client may send little', async t => {
  const service = await coffer(t)
  const socket = await raw(t, service)
  socket.send('40')
  for (let n = 0; n < 70; n++) socket.send(`42["x","${'x'.repeat(KiB)}"]`)
  await closed(socket)
  const guessing = await raw(t, service)
  for (let n = 0; n < 1000; n++) guessing.send(`40/alice,{"auth":"guess-number-${n}"}`)
  await closed(guessing)
  t.match(await (await socketOf(t, service.alice)).call('streams.get'), { streams: [] })
})

test('frames without a message close their connection', async t => {
  const service = await coffer(t)
  const { alice } = service
  const { url } = service.server
  const join = `40/alice,{"auth":"${alice.token}"}`

  /** Opens a WebSocket that a polling client may upgrade to. */
  const probing = async (): Promise<WebSocket> => {
    const { target } = await PollingClient.of(alice)
    const socket = new WebSocket(target.replace('http', 'ws').replace('=polling', '=websocket'))
    socket.on('error', () => {})
    t.teardown(() => socket.terminate())
    await once(socket, 'open')
    return socket
  }
  const call = '42/alice,1["streams.get",{}]'
  for (const [what, open, message] of [
    ['before a token', () => raw(t, service), join],
    ['in a namespace', () => rawOf(t, service, alice), call],
    ['before an upgrade', probing, '2probe']
  ] as const)
    for (const kind of ['ping', 'pong'] as const) {
      const send = (socket: WebSocket, count: number) => () => {
        for (let n = 0; n < count; n++) socket[kind]()
      }
      const [few, many] = [await open(), await open()]
      t.ok(await isServed(few, send(few, 10), message), `few ${kind}s ${what}`)
      t.notOk(await isServed(many, send(many, 200), message), `many ${kind}s ${what}`)
    }

  const frames = async (socket: WebSocket, messages: number): Promise<boolean> => {
    const sendAll = (): void => {
      for (let message = 0; message < messages; message++) {
        for (let n = 0; n < 1000; n++) socket.send('', { fin: false, binary: false })
        socket.send('3')
      }
    }
    return await isServed(socket, sendAll, join)
  }
  t.ok(await frames(await raw(t, service), 5), 'a few thousand empty frames before a token')
  t.notOk(await frames(await raw(t, service), 100), 'a hundred thousand')

  t.test('also after the close frame: what follows is not parsed', async t => {
    /** Opens a connection that is closed for an error, and does not answer the close frame. Resolves when it has been sent. */
    const malformed = async (): Promise<ReturnType<typeof connect>> => {
      const { host, hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      t.teardown(() => socket.destroy())
      socket.write(
        `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
          'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n'
      )
      let received = ''
      while (!received.includes('"sid"')) received += String(await once(socket, 'data'))
      socket.write(frame('49'))
      await once(socket, 'data')
      return socket.resume()
    }
    const ended: string[] = []
    const silent = await malformed()
    silent.on('end', () => ended.push('the silent one'))
    const flooding = await malformed()
    flooding.on('end', () => ended.push('the flooding one'))
    flooding.write(Buffer.concat(Array.from({ length: 100_000 }, () => frame('3'))))
    await until(() => ended.length > 0, 'the end of one')
    t.same(ended, ['the flooding one'])
  })
})

/** Returns a frame of a short text whose mask is zero. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), Buffer.alloc(4), Buffer.from(text)])
}

test('a message in thousands of frames closes its connection', async t => {
  const service = await coffer(t)
  const socket = await raw(t, service)
  const ended = closed(socket)
  for (let n = 0; n < 3000; n++) socket.send('2', { fin: false })
  await ended
  t.equal((await raw(t, service)).readyState, WebSocket.OPEN, 'others go on')
})

t.test('a connection without a valid token is closed after a timeout, others are not', async t => {
  const service = await coffer(t, { sockets: { namespaceTimeout: 1 } })
  const [open, leaving] = [await rawOf(t, service, service.alice), await rawOf(t, service, service.alice)]
  const [silent, guessing] = [await raw(t, service), await raw(t, service)]
  silent.send('40')
  guessing.send('40/alice,{"auth":"guess"}')
  leaving.send('41/alice')
  await Promise.all([silent, guessing, leaving].map(closed))
  t.equal(open.readyState, WebSocket.OPEN)
})

test('a connection is limited', async t => {
  t.test('in concurrent calls: further ones are refused, later ones served again', async t => {
    const { alice } = await coffer(t, { sockets: { maxInFlight: 50 } })
    const socket = await socketOf(t, alice)
    const answers = await Promise.all(Array.from({ length: 200 }, () => socket.call('streams.get')))
    const refused = answers.filter(answer => answer.error)
    t.ok(refused.length > 0 && refused.length < 150, `${refused.length} are refused`)
    t.match(refused[0], { error: { id: 'too-many-requests' }, meta: {} })
    t.match(await socket.call('streams.get'), { streams: [] })
  })

  t.test('in pending bytes: more is read once earlier calls are done', async t => {
    const service = await coffer(t, { sockets: { maxPendingBytes: 100 * KiB, callsPerSecond: 100 } })
    const socket = await rawOf(t, service, service.alice)
    let answers = 0
    let unread = Infinity
    socket.on('message', () => {
      answers++
      unread = Math.min(unread, socket.bufferedAmount)
    })
    for (let n = 0; n < 300; n++) socket.send(`42/alice,${n}["streams.get",{"x":"${'y'.repeat(100 * KiB)}"}]`)
    await until(() => answers > 0, 'the first answer')
    t.ok(unread > 10 * MiB, `the rest waits at the client (${Math.round(unread / MiB)} MiB)`)
    await until(() => answers === 300, 'all answers')
  })

  t.test('in call rate: further calls wait', async t => {
    const { alice } = await coffer(t, { sockets: { callsPerSecond: 20 } })
    const socket = await socketOf(t, alice)
    const start = performance.now()
    const answers = await Promise.all(Array.from({ length: 41 }, () => socket.call('streams.get')))
    t.ok(performance.now() - start > 900, 'the second lot has waited')
    t.same(
      answers.filter(answer => answer.error),
      []
    )
  })

  t.test('in number per user', async t => {
    const { alice } = await coffer(t, { sockets: { maxPerUser: 2 } })
    const first = await socketOf(t, alice)
    await socketOf(t, alice)
    await t.rejects(socketOf(t, alice), { message: /too many open sockets/ })
    first.raw.close()
    await until(async () => {
      try {
        await socketOf(t, alice)
        return true
      } catch {
        return false
      }
    }, 'room for another socket')
  })
})

test('sockets of one user', async t => {
  t.test('may be used by one access up to half of their limit', async t => {
    const { alice } = await coffer(t, { sockets: { maxPerUser: 4 } })
    await alice.stream('diary')
    const shared = await alice.grant('read', 'diary')
    const [first] = [await socketOf(t, shared), await socketOf(t, shared)]
    await t.rejects(socketOf(t, shared), { message: /too many open sockets/ })
    await socketOf(t, alice)
    first.raw.close()
    await until(
      () =>
        socketOf(t, shared).then(
          () => true,
          () => false
        ),
      'room for another one'
    )
    await socketOf(t, alice)
    await t.rejects(socketOf(t, alice), { message: /too many open sockets/ })
  })

  t.test('are counted even if authorization takes a while', async t => {
    const service = await openCoffer(t, { sockets: { maxPerUser: 2, namespaceTimeout: 2 } })
    const step = new EventEmitter()
    Object.assign(service.server.services, { authorizationStep: () => once(step, 'over') })
    const sockets = await Promise.all(Array.from({ length: 10 }, () => raw(t, service)))
    const heard: string[] = []
    for (const socket of sockets) {
      socket.on('message', data => heard.push((data as Buffer).toString()))
      socket.send(`40/alice,{"auth":"${service.alice.token}"}`)
    }
    // By then all have sent their request.
    for (let n = 0; n < 10; n++) await service.http('GET', '/service/info')
    step.emit('over')
    const left = (): number => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length
    await until(() => left() <= 2, 'all but two are cut')
    t.equal(left(), 2)
    t.ok(heard.length > 0)
  })

  t.test('are not counted if they closed while authorization took a while', async t => {
    const service = await openCoffer(t, { sockets: { maxPerUser: 2 } })
    const { alice, server } = service
    const step = new EventEmitter()
    let asked = 0
    const authorizationStep = async (): Promise<void> => {
      asked++
      await once(step, 'over')
    }
    Object.assign(server.services, { authorizationStep })
    const joining = `40/alice,{"auth":"${alice.token}"}`
    const socket = await raw(t, service)
    socket.send(joining)
    const polling = await PollingClient.begin(server.url)
    await polling.post(joining)
    await until(() => asked === 2, 'both are being authorized')
    socket.terminate()
    await polling.post('1')
    // By then the server has noticed.
    for (let n = 0; n < 10; n++) await service.http('GET', '/service/info')
    step.emit('over')
    Object.assign(server.services, { authorizationStep: undefined })
    await socketOf(t, alice)
    await socketOf(t, alice)
  })
})

test('responses to a client that stops reading do not accumulate', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(200 * KiB) } })
  const deaf = await rawOf(t, service, alice)
  deaf.pause()
  for (let n = 0; n < 900; n++) deaf.send(`42/alice,${n}["streams.get",{}]`)
  const socket = await socketOf(t, alice)
  const before = process.memoryUsage().rss
  for (let n = 0; n < 50; n++) await socket.call('streams.get')
  const grown = (process.memoryUsage().rss - before) / MiB
  t.ok(grown < 100, `its answers pile up no further (${Math.round(grown)} MiB)`)
})

test('a flood of calls leaves capacity for others', async t => {
  const service = await coffer(t)
  const bob = await service.user('bobby')
  const quiet = await socketOf(t, bob)
  const floods = await Promise.all([1, 2, 3].map(() => rawOf(t, service, service.alice)))
  const flooded = async (): Promise<number> => {
    let isOver = false
    const flooding = (async () => {
      for (let round = 0; round < 40; round++) {
        for (const flood of floods)
          for (let n = 0; n < 100; n++) flood.send(`42/alice,${n}["streams.get",{}]`)
        await new Promise(resolve => setImmediate(resolve))
      }
      await quiet.call('streams.get')
      isOver = true
    })()
    const longest = await slowest(quiet, () => isOver)
    await flooding
    return longest
  }
  await assertTakesLessThan(t, 1000, flooded)
  t.match((await bob.http('GET', '/streams')).status, 200)
})

test('refused namespaces leave nothing behind', async t => {
  const service = await coffer(t)
  const sockets = await Promise.all(Array.from({ length: 20 }, () => raw(t, service)))
  const each = 100
  let refused = 0
  for (const [at, socket] of sockets.entries()) {
    socket.on('message', data => (data as Buffer).toString().startsWith('44/') && refused++)
    for (let n = 0; n < each; n++) socket.send(`40/nobody-${at}-${n},{}`)
  }
  await until(() => refused === sockets.length * each, 'all are refused')
  t.match(await service.alice.call('streams.get'), { streams: [] })
})
