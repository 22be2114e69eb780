/** The health check against a running service, in both forms of address. */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import t from 'tap'
import type { Test } from 'tap'
import { checkHealth, prepareHealthUser } from '../../../scripts/maintenance/health.js'
import { coffer } from '../../support/coffer.js'

const user = { username: 'watch-dog', password: 'a long secret', email: 'ops@example.com' }

t.test('the health check', async t => {
  const { server } = await coffer(t)
  const info = `${server.url}/reg/service/info`
  const token = await prepareHealthUser(info, user)

  t.test('passes for a running service', async t => {
    t.match(await checkHealth(info, { ...user, token }), [
      { name: 'dns', ok: undefined, detail: /in the path/ },
      { name: 'registration', ok: true, detail: 'HTTP 409' },
      { name: 'core', ok: true, detail: 'HTTP 200' }
    ])
  })

  t.test('also accepts that the username is available as a sign of life', async t => {
    const steps = await checkHealth(info, { username: 'nobody-here', token })
    t.match(steps[1], { name: 'registration', ok: true, detail: 'HTTP 200' })
    t.match(steps[2], { name: 'core', ok: false, detail: 'HTTP 404' })
  })

  t.test('detects a refused token, and an invalid username', async t => {
    t.match((await checkHealth(info, { ...user, token: 'wrong' }))[2], { ok: false, detail: 'HTTP 401' })
    t.match((await checkHealth(info, { username: 'x', token }))[1], { ok: false, detail: 'HTTP 400' })
  })

  t.test('reports every step if the service is unreachable', async t => {
    const steps = await checkHealth('http://127.0.0.1:1/reg/service/info', { ...user, token })
    t.same(
      steps.map(({ ok }) => ok),
      [false, false, false]
    )
  })

  t.test('reports why a user cannot be prepared', async t => {
    await t.rejects(prepareHealthUser(info, user), { message: /409.*item-already-exists/ })
  })
})

t.test('with a domain, the health check', async t => {
  const { server } = await coffer(t, { domain: 'example.test' })
  const info = `${server.url}/reg/service/info`

  t.test("resolves the user's host", async t => {
    const resolve = await answering(t, '127.0.0.1')
    const steps = await checkHealth(info, { ...user, token: 'any' }, resolve)
    t.match(steps[0], { name: 'dns', ok: true, detail: '127.0.0.1' })
  })

  t.test('reports a missing address', async t => {
    const resolve = await answering(t, undefined)
    const steps = await checkHealth(info, { ...user, token: 'any' }, resolve)
    t.match(steps[0], { name: 'dns', ok: false })
  })
})

/** Resolves names with a DNS server that returns one address for all of them, or none. */
async function answering(t: Test, address: string | undefined): Promise<(host: string) => Promise<string[]>> {
  const socket = createSocket('udp4')
  socket.on('message', (query, sender) => {
    // The question ends with a zero label and four bytes for type and class; the rest is ignored.
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const header = Buffer.from([
      query[0]!,
      query[1]!,
      0x81,
      address ? 0x80 : 0x83,
      0,
      1,
      0,
      address ? 1 : 0,
      0,
      0,
      0,
      0
    ])
    const answer = address
      ? [Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])]
      : []
    socket.send(Buffer.concat([header, question, ...answer]), sender.port, sender.address)
  })
  await new Promise<void>(resolve => void socket.bind(0, '127.0.0.1', resolve))
  t.teardown(() => void socket.close())
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return async host => await resolver.resolve4(host)
}
