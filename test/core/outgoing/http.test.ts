/** Calls of other servers: internal addresses, which are never called on behalf of users, and pauses that servers ask for. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { isInternal } from '../../../core/outgoing/guarded-connector.js'
import { Outgoing } from '../../../core/outgoing/http.js'

const internal = {
  'this host': ['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.0.1', '::', '::1'],
  private: ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'on the link': ['169.254.169.254', 'fe80::1', 'febf::1', 'fec0::1'],
  'of a carrier': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '192.0.0.1', '192.0.0.171', '100::1', '5f00::1', '4000::1', '8000::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  mapped: ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe'],
  compatible: ['::7f00:1', '::127.0.0.1', '::a00:1', '::808:808'],
  translated: ['::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:808:808'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::7f00:1', '64:ff9b:1:ffff::a00:1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1'],
  Teredo: ['2001::7f00:1', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  ISATAP: ['fe80::5efe:7f00:1', '2a00:1450:4001:81b:0:5efe:a00:1', '2a00::200:5efe:c0a8:101'],
  'no address': ['', 'localhost', '1.2.3.4.5', 'example.com', '127.0.0.1 ', '[::1]']
}

const external = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '198.20.0.1',
  '223.255.255.254',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2a00:1450:4001:81b:0:5efe:808:808',
  '3ffe::1'
]

t.test('an address is internal', async t => {
  for (const [kind, addresses] of Object.entries(internal))
    for (const address of addresses) t.ok(isInternal(address), `${kind}: ${address}`)
  for (const address of external) t.notOk(isInternal(address), `not ${address}`)
})

t.test('a server asks for a pause of a day at most', async t => {
  const server = createServer((request, response) => {
    response.writeHead(429, { 'retry-after': request.url!.slice(1) }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outgoing = new Outgoing({ allowInternal: true, timeoutMs: 10_000 })
  t.teardown(async () => {
    await outgoing.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const expected = {
    '60': 60,
    '86400': 86_400,
    '86401': 86_400,
    '1e999': 86_400,
    '-5': undefined,
    soon: undefined
  }
  for (const [text, seconds] of Object.entries(expected)) {
    const answer = await outgoing.exchange(`${url}/${text}`, { method: 'GET', headers: {} }, 1000)
    t.match(answer, { status: 429 }, text)
    t.equal('status' in answer ? answer.retryAfter : NaN, seconds, text)
  }
})
