/** Long messages over sockets: parsed in slices, in order, and refused if malformed. */
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { coffer, type Answer } from '../../support/coffer.js'
import { socketOf, versions } from '../../support/socket.js'

const create = (content: string): object => ({
  method: 'events.create',
  params: { streamIds: ['diary'], type: 'note/txt', content }
})

t.test('a long message', async t => {
  for (const version of versions)
    t.test(`of ${version.name} is answered before the following ones`, async t => {
      const { alice } = await coffer(t)
      await alice.stream('diary')
      const socket = await socketOf(t, alice, { version })
      const calls = Array.from({ length: 600 }, (_, i) => create(`${i} ${'x'.repeat(300)}`))
      const order: string[] = []
      const [batch, list, one]: Answer[] = await Promise.all(
        (
          [
            ['callBatch', calls],
            ['events.get', { limit: 1 }],
            ['events.create', { ...create('y'.repeat(300_000)) }]
          ] as const
        ).map(async ([method, params]) => {
          const answer = await socket.call(method, params)
          order.push(method)
          return answer
        })
      )
      t.same(order, ['callBatch', 'events.get', 'events.create'])
      t.equal(batch.results.filter((result: Answer) => result.event).length, calls.length)
      t.match(list.events, [{ content: /^\d+ x/ }])
      t.match(one, { error: { id: 'invalid-parameters-format' } })
      t.match(await socket.call('events.get', { limit: 1 }), { events: [{}] })
    })

  t.test('with too many keys is refused', async t => {
    const { alice } = await coffer(t)
    const socket = await socketOf(t, alice)
    const clientData = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`key-${i}`, i]))
    const answer = await socket.call('streams.create', { name: 'wide', clientData })
    t.match(answer, { error: { id: 'invalid-parameters-format' } })
    t.match(await socket.call('streams.get'), { streams: [] })
  })

  for (const eio of [4, 3] as const)
    t.test(
      `may have any number of arguments over EIO=${eio}: those after the params are ignored`,
      async t => {
        const { alice, server } = await coffer(t)
        const other = await socketOf(t, alice)
        const url = `${server.url.replace('http', 'ws')}/socket.io/?EIO=${eio}&transport=websocket&auth=${alice.token}`
        const socket = new WebSocket(url)
        t.teardown(() => socket.terminate())
        const answer = new Promise<string>((resolve, reject) => {
          socket.on('close', () => reject(new Error('closed')))
          socket.on('message', data => {
            const text = (data as Buffer).toString()
            if (text.startsWith('40/alice')) socket.send(message)
            if (text.startsWith('43/alice')) resolve(text)
          })
        })
        // More than fit on the stack.
        const message = `42/alice,1["streams.get",{}${',1'.repeat(1_000_000)}]`
        await once(socket, 'open')
        socket.send('40/alice,')
        t.match(await answer, '43/alice,1[null,{"streams":[')
        t.match(await other.call('streams.get'), { streams: [] })
      }
    )

  t.test('with a number of thousands of digits closes its connection', async t => {
    const { alice, server } = await coffer(t)
    const url = `${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${alice.token}`
    const socket = new WebSocket(url)
    t.teardown(() => socket.terminate())
    socket.on('message', data => {
      if (!(data as Buffer).toString().startsWith('40/alice')) return
      socket.send(`42/alice,${'1'.repeat(200_000)}["streams.get",{}]`)
    })
    await once(socket, 'open')
    socket.send('40/alice,')
    await once(socket, 'close')
    t.match(await alice.call('streams.get'), { streams: [] })
  })

  const wrong = [
    ['broken', `42/alice,1["events.create",{"content":"${'x'.repeat(200_000)}"]`],
    ['broken, though short,', '42/alice,1["events.create",{"content":]'],
    ['no list', `42/alice,1{"a":"${'x'.repeat(200_000)}"}`],
    ['a long name', `42/alice,1["${'x'.repeat(10_000)}"]`],
    ['a long number as a name', `42/alice,1[0.${'1'.repeat(10_000)}]`],
    ['a reserved name', `42/alice,1["disconnect",{"content":"${'x'.repeat(200_000)}"}]`]
  ] as const
  for (const [what, text] of wrong)
    t.test(`that is ${what} closes its connection, and no other`, async t => {
      const { alice, server } = await coffer(t)
      const other = await socketOf(t, alice)
      const url = `${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${alice.token}`
      const socket = new WebSocket(url)
      await new Promise(resolve => socket.once('message', resolve))
      const joined = new Promise(resolve => socket.once('message', resolve))
      socket.send('40/alice,')
      await joined
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.send(text)
      socket.send('42/alice,2["events.get",{}]')
      await closed
      t.match(await other.call('streams.get'), { streams: [] })
    })
})
