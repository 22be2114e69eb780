/** Clients that never read: what their connections cost, which notifications they get, when they are closed. */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import {
  ask,
  closed,
  deaf,
  enough,
  held,
  KiB,
  MiB,
  pass,
  quiet,
  send,
  withAnswersOf
} from '../../support/deaf.js'
import { PollingClient } from '../../support/polling.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { socketOf, until } from '../../support/socket.js'

t.setTimeout(900_000)

t.test('a connection whose client stops reading', async t => {
  for (const length of rotate(t, [100, 10 * KiB, 200 * KiB, 900 * KiB], 2))
    t.test(`takes about 2 MB at most, with responses of ${length} bytes`, async t => {
      const service = await withAnswersOf(t, length)
      const { alice } = service
      const bob = await service.user('bobby')
      await alice.stream('small')
      const change = async (): Promise<void> => {
        for (let n = 0; n < 100; n++)
          await alice.do('streams.update', { id: 'small', update: { name: `${n}` } })
      }
      await change()
      await quiet(t, bob)
      const before = held()
      const sockets = await Promise.all(Array.from({ length: 5 }, () => deaf(t, alice)))
      for (const socket of sockets) {
        ask(socket, alice, enough(length))
        // Far more than is read while the responses are pending.
        socket.send(`42/alice,1["streams.get",{"x":"${'y'.repeat(200 * KiB)}"}]`)
      }
      await change()
      await quiet(t, bob)
      await quiet(t, bob)
      const asked = sockets.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0)
      const each = (held() - before - asked) / sockets.length / MiB
      t.comment(`${each.toFixed(2)} MiB`)
      t.ok(each < 2, `${each.toFixed(2)} MiB each`)
    })

  const transports: Readonly<Record<string, (t: Test, client: Client, call: string) => Promise<void>>> = {
    'a WebSocket': async (t, client, call) => send(await deaf(t, client), [call]),
    'a polling connection': async (t, client, call) => {
      const polling = await PollingClient.of(client)
      await polling.post(call)
      const { hostname, pathname, port, search } = new URL(polling.target)
      const socket = connect(Number(port), hostname)
      t.teardown(() => socket.destroy())
      socket.on('error', () => {})
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    }
  }
  for (const [name, askOnce] of Object.entries(transports))
    t.test(`takes a byte for each character of a long response, over ${name}`, async t => {
      const service = await coffer(t)
      const { alice } = service
      const bob = await service.user('bobby')
      await alice.stream('diary')
      const length = 10 * 900 * KiB
      for (let n = 0; n < 10; n++) await alice.event({ content: 'x'.repeat(length / 10) })
      await quiet(t, bob)
      const before = held()
      await askOnce(t, alice, '42/alice,1["events.get",{}]')
      await quiet(t, bob)
      await until(() => held() - before > length / 2, 'the response')
      await quiet(t, bob)
      const bytes = (held() - before) / length
      t.comment(`${bytes.toFixed(2)} bytes`)
      t.ok(bytes < 1.5, `${bytes.toFixed(2)} bytes for each character`)
    })

  const test = inRotation(t, 2)
  test('gets merged notifications once it reads again', async t => {
    const { alice } = await withAnswersOf(t, 200 * KiB)
    await alice.stream('small')
    const socket = await deaf(t, alice)
    ask(socket, alice, enough(200 * KiB))
    await quiet(t, alice)
    for (let n = 0; n < 500; n++) await alice.do('streams.update', { id: 'small', update: { name: `${n}` } })
    const heard: string[] = []
    socket.on('message', data => heard.push((data as Buffer).toString().slice(0, 60)))
    socket.resume()
    await until(() => heard.some(message => message.includes('streamsChanged')), 'the news')
    await until(
      () => heard.filter(message => message.startsWith('43')).length === enough(200 * KiB),
      'all answers'
    )
    const news = heard.filter(message => message.includes('streamsChanged')).length
    t.ok(news < 80, `${news} messages for 500 changes`)
  })

  test('is notified of all scopes that changed', async t => {
    const { alice } = await withAnswersOf(t, 200 * KiB)
    await alice.stream('a')
    await alice.stream('b')
    const socket = await deaf(t, alice)
    const scopes = {
      a: { kind: 'events', query: { streams: ['a'] } },
      b: { kind: 'events', query: { streams: ['b'] } }
    }
    socket.send(`42/alice,999["subscribe",${JSON.stringify({ scopes })}]`)
    ask(socket, alice, enough(200 * KiB))
    await quiet(t, alice)
    for (let n = 0; n < 100; n++) await alice.event({ streamIds: [n < 50 ? 'a' : 'b'] })
    const keys = new Set<string>()
    let news = 0
    socket.on('message', data => {
      const [, told] = /"notificationsChanged",(\{.*\})/.exec((data as Buffer).toString()) ?? []
      if (told === undefined) return
      news++
      for (const key of JSON.parse(told).keys) keys.add(key)
    })
    socket.resume()
    await until(() => keys.size === 2, 'both')
    t.ok(news < 50, `${news} messages for 100 changes`)
  })

  test('is closed after a while, even if it sends; clients that read are not', async t => {
    const service = await withAnswersOf(t, 200 * KiB, { limits: { stalledSeconds: 60 } })
    const { alice } = service
    const reading = await socketOf(t, alice)
    const quietSocket = await socketOf(t, alice)
    const sockets = [await deaf(t, alice), await deaf(t, alice, 3)]
    const polling = [await PollingClient.of(alice), await PollingClient.of(alice, 3)]
    for (const socket of sockets) ask(socket, alice, enough(200 * KiB))
    for (const client of polling) await client.post('42/alice,1["streams.get",{}]')
    for (let passed = 0; passed < 100; passed += 20) {
      await pass(service, 20)
      // Heartbeats.
      sockets[0]!.send('3')
      sockets[1]!.send('2')
      await polling[0]!.post('3')
      await polling[1]!.post('2')
      t.match(await reading.call('streams.get'), { streams: Array })
    }
    await Promise.all(sockets.map(closed))
    for (const client of polling) t.match(await client.poll(), /Session ID unknown/)
    t.match(await quietSocket.call('streams.get'), { streams: Array })
  })

  test('is closed when its access ends, discarding pending responses', async t => {
    const { alice } = await withAnswersOf(t, 200 * KiB)
    const app = await alice.grant('read', '*')
    const socket = await deaf(t, app)
    ask(socket, app, enough(200 * KiB))
    await quiet(t, alice)
    await alice.do('accesses.delete', { id: app.access.id })
    // It keeps reading nothing: only writing detects that the connection was closed.
    await until(() => {
      socket.send('3')
      return socket.readyState === socket.CLOSED
    }, 'the end')
  })

  test('is closed when it keeps sending pings', async t => {
    const service = await coffer(t)
    const socket = await deaf(t, service.alice, 3)
    await quiet(t, service.alice)
    const before = held()
    send(
      socket,
      Array.from({ length: 200_000 }, () => '2')
    )
    await quiet(t, service.alice)
    const grown = (held() - before) / MiB
    await closed(socket)
    t.ok(grown < 10, `${grown.toFixed(0)} MiB`)
  })
})

t.test('sockets on one connection do not retain their handshake data', async t => {
  const { alice } = await coffer(t)
  const socket = await deaf(t, alice)
  socket.resume()
  let joined = 0
  socket.on('message', data => {
    if ((data as Buffer).toString().startsWith('40/')) joined++
  })
  await quiet(t, alice)
  const before = held()
  for (let n = 0; n < 180; n++) {
    const auth = { auth: alice.token, more: Array.from({ length: 5000 }, (_, at) => at % 10) }
    send(socket, [`40/${n}/${alice.username},${JSON.stringify(auth)}`])
    await until(() => joined === n + 1, 'the namespace')
  }
  const grown = (held() - before) / MiB
  t.ok(grown < 4, `${grown.toFixed(1)} MiB`)
})
