/** Sockets over polling: limits of a request. */
import t from 'tap'
import { limitPackets } from '../../../transports/websocket/polling.js'
import type { Packet } from '../../../transports/websocket/internals.js'
import { coffer } from '../../support/coffer.js'
import { begunPost, PollingClient } from '../../support/polling.js'

const MiB = 1024 * 1024

/** Returns a call with a param of this many characters. */
function longCall(length: number): string {
  return `42/alice,1["streams.get",{"state":"${'x'.repeat(length)}"}]`
}

t.test('a polling request', async t => {
  const service = await coffer(t)
  const { alice } = service
  const { url } = service.server

  t.test('is limited in number of packets', async t => {
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

  t.test('of protocol 3 is limited in number of empty packets, too', async t => {
    const client = await PollingClient.of(alice, 3)
    t.equal(await client.post(...Array.from({ length: 9000 }, () => '')), 200)
    t.equal(await client.post('42/alice,1["streams.get",{}]'), 200)
    t.match(await client.poll(), /"streams":/)
    await client.post(...Array.from({ length: 50_000 }, () => ''))
    t.match(await client.poll(), /Session ID unknown/)
  })

  t.test('of protocol 3 is not parsed if a length has too many digits', t => {
    const parsed: string[] = []
    const taken: Packet[] = []
    const parser = limitPackets({
      decodePayload: data => void parsed.push(String(data))
    })
    const take = (packet: Packet): void => void taken.push(packet)
    for (const payload of [`${'1'.repeat(1000)}:6`, '1'.repeat(1000), `1:6${'1'.repeat(1000)}:6`, '-1:6'])
      parser.decodePayload(payload, take)
    t.same(parsed, [])
    t.same(
      taken,
      Array.from({ length: 4 }, () => ({ type: 'error', data: 'parser error' }))
    )
    for (const payload of ['1:6', '1:612:42["x",{"a"]', '0:', 'x:6', '']) parser.decodePayload(payload, take)
    t.equal(parsed.length, 5)
    t.equal(taken.length, 4)
    t.end()
  })

  t.test('in JSONP is limited in size, as unescaping line ends is slow', async t => {
    const begun = await (await fetch(`${url}/socket.io/?EIO=4&transport=polling&j=0`)).text()
    const [, id = ''] = /sid\\":\\"([^\\]+)/.exec(begun) ?? []
    const target = `${url}/socket.io/?EIO=4&transport=polling&j=0&sid=${id}`
    const post = async (packet: string): Promise<number> => {
      const body = new URLSearchParams({ d: packet })
      return (await fetch(target, { method: 'POST', body })).status
    }
    t.equal(await post(`40/alice,{"auth":"${alice.token}"}`), 200)
    t.match(await (await fetch(target)).text(), /40\/alice/)
    t.equal(await post(longCall(200_000)), 200)
    t.match(await (await fetch(target)).text(), /43\/alice,1/)
    t.equal(await post(longCall(300_000)), 413)
  })

  t.test('that is too large gets an error with the limit', async t => {
    const message = 'The message is larger than the limit of 10485760 bytes'
    const body = `42/alice,1["streams.get",{"x":"${'y'.repeat(11 * MiB)}"}]`
    const whole = { method: 'POST', body }
    const piecewise = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' }
    for (const init of [whole, piecewise]) {
      const { target } = await PollingClient.of(alice)
      const response = await fetch(target, init as RequestInit)
      t.equal(response.status, 413)
      t.match(response.headers.get('content-type'), 'application/json')
      t.match(await response.json(), {
        code: 4,
        message,
        error: { id: 'invalid-request-structure', message },
        meta: { apiVersion: String }
      })
    }
  })

  t.test('of protocol 3 is limited in binary data', async t => {
    const { target } = await PollingClient.of(alice, 3)
    const headers = { 'content-type': 'application/octet-stream' }
    const { status } = await fetch(target, { method: 'POST', headers, body: new Uint8Array(MiB) })
    t.equal(status, 413)
    const head = `POST ${target.slice(url.length)} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream`
    t.match(await begunPost(url, `${head}\r\nTransfer-Encoding: chunked`), /^HTTP\/1\.1 411/)
    t.equal((await fetch(`${url}/alice/streams`, { headers: { authorization: alice.token } })).status, 200)
  })
})
