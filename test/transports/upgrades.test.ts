/** Requests that offer to upgrade to another protocol: Java clients and `curl --http2` send them. */
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { coffer } from '../support/coffer.js'

t.test('an upgrade offer', async t => {
  const { alice, server } = await coffer(t)
  const { hostname, port } = new URL(server.url)
  const offer = [
    `Host: ${hostname}`,
    `Authorization: ${alice.token}`,
    'Content-Type: application/json',
    'Connection: Upgrade, HTTP2-Settings',
    'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA'
  ].join('\r\n')

  for (const protocol of ['h2c', 'websocket', 'anything/1'])
    t.test(`to ${protocol} is ignored: requests on the connection are served`, async t => {
      const socket = connect(Number(port), hostname)
      let received = ''
      socket.setEncoding('utf8').on('data', text => (received += text))
      const until = async (text: string): Promise<void> => {
        while (!received.includes(text)) await once(socket, 'data')
      }
      const body = JSON.stringify({ name: `${protocol} é`, clientData: { long: 'é'.repeat(50_000) } })
      socket.write(
        `POST /alice/streams HTTP/1.1\r\n${offer}\r\nUpgrade: ${protocol}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      )
      // The body arrives in chunks: some with the offer, some after it was ignored.
      socket.write(body.slice(0, 10))
      setImmediate(() => socket.write(body.slice(10)))
      await until('201 Created')
      await until('"serial"')
      received = ''
      socket.write(`GET /alice/streams?state=all HTTP/1.1\r\n${offer}\r\nUpgrade: ${protocol}\r\n\r\n`)
      await until('200 OK')
      await until('"serial"')
      t.match(received, `"name":"${protocol} é"`)
      socket.write(`GET /alice/nothing HTTP/1.1\r\n${offer.replace(/Connection.*\r\n/, '')}\r\n\r\n`)
      await until('404 Not Found')
      socket.destroy()
    })

  t.test('gets a response even at paths similar to that of the sockets', async t => {
    for (const path of ['/socket.io', '/socket.iox/?EIO=4&transport=websocket']) {
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${path} HTTP/1.1\r\n${offer}\r\nUpgrade: websocket\r\n\r\n`)
      t.match(String((await once(socket, 'data'))[0]), '404 Not Found', path)
      socket.destroy()
    }
  })

  t.test('does not prevent the server from closing', async t => {
    const socket = connect(Number(port), hostname)
    socket.write(`GET /alice/streams HTTP/1.1\r\n${offer}\r\nUpgrade: h2c\r\n\r\n`)
    await once(socket, 'data')
    const ended = once(socket, 'close')
    socket.resume()
    await server.close()
    await ended
    t.pass()
  })
})
