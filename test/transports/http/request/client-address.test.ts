/** Determining the client's IP address. (docs/spec/conventions.md#client-addresses) */
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { createClientAddressReader } from '../../../../transports/http/request/client-address.js'

t.test('createClientAddressReader', async t => {
  const proxies = ['10.0.0.0/8', '192.168.1.1', 'fd00::/8']
  const cases: [proxies: string[], socket: string, forwarded: string | undefined, client: string][] = [
    [[], '1.2.3.4', '9.9.9.9', '1.2.3.4'],
    [[], '::ffff:1.2.3.4', undefined, '1.2.3.4'],
    [proxies, '1.2.3.4', '9.9.9.9', '1.2.3.4'],
    [proxies, '10.1.1.1', '9.9.9.9', '9.9.9.9'],
    [proxies, '::ffff:10.1.1.1', '9.9.9.9', '9.9.9.9'],
    [proxies, '10.1.1.1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
    [proxies, '10.1.1.1', '6.6.6.6, 9.9.9.9, 192.168.1.1', '9.9.9.9'],
    [proxies, '10.1.1.1', '10.2.2.2', '10.2.2.2'],
    [proxies, '10.1.1.1', '9.9.9.9:56789', '9.9.9.9'],
    [proxies, '10.1.1.1', '9.9.9.9:56789, 10.2.2.2:443', '9.9.9.9'],
    [proxies, '10.1.1.1', '[2001:db8::1]:56789', '2001:db8::1'],
    [proxies, '10.1.1.1', '[2001:db8::1], [fd00::2]:443', '2001:db8::1'],
    [proxies, '10.1.1.1', '9.9.9.9:', '10.1.1.1'],
    [proxies, '10.1.1.1', '[9.9.9.9', '10.1.1.1'],
    [proxies, '10.1.1.1', '[]', '10.1.1.1'],
    [proxies, '10.1.1.1', 'nonsense', '10.1.1.1'],
    [proxies, '10.1.1.1', 'nonsense, 9.9.9.9', '9.9.9.9'],
    [proxies, '10.1.1.1', '', '10.1.1.1'],
    [proxies, '10.1.1.1', undefined, '10.1.1.1'],
    [proxies, 'fd00::1', '2001:db8::1', '2001:db8::1'],
    [proxies, '192.168.1.2', '9.9.9.9', '192.168.1.2'],
    [proxies, '10.1.1.1', ',9.9.9.9', '9.9.9.9'],
    [proxies, '10.1.1.1', ',10.2.2.2', '10.2.2.2'],
    [proxies, '10.1.1.1', `fe80::1%${'a'.repeat(1000)}`, '10.1.1.1'],
    [proxies, '10.1.1.1', `9.9.9.9,${'10.2.2.2,'.repeat(1000)}10.3.3.3`, '10.2.2.2']
  ]
  for (const [trusted, remoteAddress, forwarded, client] of cases)
    t.test(
      `${remoteAddress} forwarding ${forwarded?.slice(0, 50)} for ${trusted.length} proxies is ${client}`,
      async t => {
        const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
        t.equal(
          createClientAddressReader(trusted)({ socket: { remoteAddress }, headers } as IncomingMessage),
          client
        )
      }
    )

  t.test('refuses invalid ranges', async t => {
    t.throws(() => createClientAddressReader(['10.0.0.0/99']))
    t.throws(() => createClientAddressReader(['somewhere']))
  })
})
