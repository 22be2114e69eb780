/** Published clients, old and new, over every transport: connecting, sharing a connection, reconnecting. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { connect, until, versions } from '../../support/socket.js'

t.test('old and new clients', async t => {
  const service = await coffer(t)
  const bob = await service.user('bobby')
  for (const version of versions)
    for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']])
      t.test(`${version.name} by ${transports.join(' and ')}`, async t => {
        const socket = await connect(t, service.server.url, 'alice', service.alice.token, {
          version,
          options: { transports, reconnection: true, reconnectionDelay: 1 }
        })
        t.match(await socket.call('streams.get'), { streams: Array })
        const token = { auth: bob.token }
        // The older client sends it as the query of the namespace.
        const second = socket.raw.io.socket('/bobby', { auth: token, query: token } as object)
        t.teardown(() => second.close())
        await new Promise(resolve => second.on('connect', () => resolve(undefined)))
        const streams = await new Promise(resolve =>
          second.emit('streams.get', {}, (...got: unknown[]) => resolve(got))
        )
        t.match(streams, [null, { streams: Array }], 'two users over one connection')
        if (transports.length > 1)
          await until(() => socket.raw.io.engine.transport.name === 'websocket', 'the upgrade')
        const again = new Promise(resolve => socket.raw.once('connect', () => resolve(undefined)))
        socket.raw.io.engine.close()
        await again
        t.match(await socket.call('streams.get'), { streams: Array }, 'comes again')
      })
})
