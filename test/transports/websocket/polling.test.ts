/** Sockets over requests that poll: what one of them may hold. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { begunPost, PollingClient } from '../../support/polling.js'

const MiB = 1024 * 1024

t.test('a request that polls', async t => {
  const service = await coffer(t)
  const { alice } = service
  const { url } = service.server

  t.test('holds so many packets at most', async t => {
    for (const [eio, packet] of [
      [3, '6'],
      [4, '6']
    ] as const) {
      const client = await PollingClient.of(alice, eio)
      t.equal(await client.post(...Array.from({ length: 9000 }, () => packet)), 200)
      t.equal(await client.post('42/alice,1["streams.get",{}]'), 200)
      t.match(await client.poll(), /"streams":/)
      await client.post(...Array.from({ length: 50_000 }, () => packet))
      t.match(await client.poll(), /Session ID unknown/)
    }
  })

  t.test('is a GET or a POST', async t => {
    const { target } = await PollingClient.of(alice)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const { status } = await fetch(target, { method })
      t.equal(status, 405, method)
    }
  })

  t.test('of protocol 3 holds little binary data', async t => {
    const { target } = await PollingClient.of(alice, 3)
    const headers = { 'content-type': 'application/octet-stream' }
    const { status } = await fetch(target, { method: 'POST', headers, body: new Uint8Array(MiB) })
    t.equal(status, 413)
    const head = `POST ${target.slice(url.length)} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream`
    t.match(await begunPost(url, `${head}\r\nTransfer-Encoding: chunked`), /^HTTP\/1\.1 411/)
    t.equal((await fetch(`${url}/alice/streams`, { headers: { authorization: alice.token } })).status, 200)
  })
})
