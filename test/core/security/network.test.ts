/** Which addresses count as one client. */
import t from 'tap'
import { getNetwork } from '../../../core/security/network.js'

const networks: Readonly<Record<string, string>> = {
  '192.0.2.1': '192.0.2.1',
  '::ffff:192.0.2.1': '192.0.2.1',
  '2001:db8:1:0:aaaa::1': '2001:db8:1:0::/64',
  '2001:DB8:0001::2': '2001:db8:1:0::/64',
  '2001:db8:1:1::1': '2001:db8:1:1::/64',
  '::1': '0:0:0:0::/64',
  'fe80::1%eth0': 'fe80:0:0:0::/64'
}

t.test('an IPv4 address is a client, and so is an IPv6 network', async t => {
  for (const [address, network] of Object.entries(networks)) t.equal(getNetwork(address), network, address)
})

t.test('anything else counts as its own client, unless specified otherwise', async t => {
  for (const text of ['', 'unknown', '192.0.2.1:80', '2001:db8::/64']) {
    t.equal(getNetwork(text), text)
    t.equal(getNetwork(text, ''), '')
  }
})
