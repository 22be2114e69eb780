/** Stalled bodies do not prevent others from being read. */
import t, { type Test } from 'tap'
import { openCoffer, type Client, type Service } from '../../../support/coffer.js'
import { inRotation } from '../../../support/rotation.js'
import { SlowClient } from '../../../support/slow-client.js'
import { arrived, send, type Sending } from '../../../support/sending.js'
import { until } from '../../../support/socket.js'

t.setTimeout(900_000)

/** Half a megabyte, in which all sizes are given. */
const half = 512 * 1024
const limits = { bodiesBytes: 32 * half, bodyTimeout: 600 }
/** Seconds after which a waiting request proceeds. */
const patience = 30

/** Advances the clock until there is a response, by a limited time. The response itself may take longer on a busy machine. */
async function answered<T>(service: Service, answer: Promise<T>): Promise<T | undefined> {
  const known: T[] = []
  void answer.then(value => known.push(value))
  for (let second = 0; known.length === 0 && second < patience; second++) {
    service.clock.advance(1)
    for (let turn = 0; known.length === 0 && turn < 5; turn++)
      await new Promise(resolve => setTimeout(resolve, 20))
  }
  await until(() => known.length > 0, 'the response')
  return known[0]
}

async function stall(t: Test, service: Service, sendings: readonly Sending[]): Promise<void> {
  const open = await Promise.all(sendings.map(sending => send(t, service, sending)))
  await arrived(
    open.map(({ socket }) => socket),
    () => false
  )
}

/** Creates a user with a diary. */
async function writer(service: Service, name: string): Promise<Client> {
  const client = await service.user(name)
  await client.stream('diary')
  return client
}

async function statusOf(service: Service, client: Client, size: number): Promise<number | undefined> {
  const event = { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(size) }
  return (await answered(service, client.http('POST', '/events', event)))?.status
}

const text = (size: number): Buffer =>
  Buffer.from(`--b\r\nContent-Disposition: form-data; name="p"\r\n\r\n${'x'.repeat(size)}`)
const file = '\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nxx'
const multipart = 'multipart/form-data; boundary=b'

for (const [name, sending] of [
  ['JSON', { size: 9 * half, sent: 8 * half }],
  ['forms that end in the midst of a text', { type: multipart, size: 9 * half, body: text(8 * half) }],
  [
    'forms that end in the midst of a file',
    { type: multipart, size: 9 * half, body: Buffer.concat([text(8 * half), Buffer.from(file)]) }
  ]
] as const)
  t.test(`a body is read despite stalled ones of others: ${name}`, async t => {
    const service = await openCoffer(t, { limits })
    const bob = await writer(service, 'bobby')
    for (const user of ['carol', 'david', 'eddie', 'frank', 'grace']) {
      const { token } = await service.user(user)
      const path = `/${user}/events`
      await stall(t, service, [
        { path, token, ...sending },
        { path, token, ...sending }
      ])
    }
    t.equal(await statusOf(service, bob, 2 * half), 201)
    t.equal(await statusOf(service, bob, 4 * half), 201)
  })

const test = inRotation(t, 2)
test('a body is read despite stalled ones of another access of its account', async t => {
  const service = await openCoffer(t, { limits })
  const bob = await writer(service, 'bobby')
  const { token } = await bob.grant('read', 'diary')
  await stall(
    t,
    service,
    Array.from({ length: 12 }, () => ({ path: '/bobby/events', token, size: 9 * half, sent: 2 * half }))
  )
  t.equal(await statusOf(service, bob, 2 * half), 201)
})

test('a long file upload does not block other bodies of its account', async t => {
  const service = await openCoffer(t, { limits })
  const bob = await writer(service, 'bobby')
  const { token } = bob
  const body = Buffer.concat([text(10), Buffer.from(file)])
  const { socket } = await send(t, service, {
    path: '/bobby/events',
    token,
    type: multipart,
    size: 9 * half,
    body
  })
  const events = Array.from({ length: 8 }, (_, at) => ({
    streamIds: ['diary'],
    type: 'note/txt',
    content: String(at).repeat(3 * half)
  }))
  const answers = await answered(
    service,
    Promise.all(events.map(event => bob.http('POST', '/events', event)))
  )
  t.same(
    answers?.map(({ status }) => status),
    events.map(() => 201)
  )
  t.notOk(socket.destroyed, 'and goes on')
})

test('a call in a form frees its memory before the response is read', async t => {
  const service = await openCoffer(t, { limits })
  const bob = await writer(service, 'bobby')
  for (let at = 0; at < 60; at++) await bob.event({ content: 'x'.repeat(half) })
  const { anonymous } = service.server.dispatcher.services.uploadBuffers
  const body = Buffer.from(`_method=GET&_auth=${bob.token}&_json={}&x=${'x'.repeat(100_000)}`)
  const type = 'application/x-www-form-urlencoded'
  const head = [
    'POST /bobby/events HTTP/1.1',
    'Host: x',
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`
  ]
  const slow = await SlowClient.send(service.server.url, [...head, '', String(body)].join('\r\n'))
  t.teardown(() => slow.leave())
  t.equal(await slow.status(), 200)
  t.notOk(slow.hasEnded)
  t.equal(anonymous.bytes, 0)
})

test('bodies in use are limited, too', async t => {
  const service = await openCoffer(t, {
    limits,
    throttle: { failures: 1e6, perAddress: 1e6, perAccount: 1e6 }
  })
  const { alice } = service
  const { known } = service.server.dispatcher.services.uploadBuffers
  // Each call takes a while, during which its body stays in memory.
  const call = {
    method: 'account.changePassword',
    params: { oldPassword: 'wrong', newPassword: 'x'.repeat(70) }
  }
  const body = Buffer.from(JSON.stringify(Array.from({ length: 2 }, () => call)) + ' '.repeat(4 * half))
  const sendings = Array.from({ length: 12 }, () => ({
    path: '/alice/',
    token: alice.token,
    size: body.length,
    body
  }))
  const open = await Promise.all(sendings.map(sending => send(t, service, sending)))
  let most = 0
  const look = setInterval(() => (most = Math.max(most, known.bytes)), 5)
  const answers = await Promise.all(open.map(({ answer }) => answer))
  clearInterval(look)
  t.ok(most <= 22 * half, `${most} bytes`)
  t.same([...new Set(answers.map(answer => answer.slice(9, 12)))], ['200'])
  t.equal(known.bytes, 0)
})

test('memory is released after many aborted bodies', async t => {
  const service = await openCoffer(t, { limits })
  const bob = await writer(service, 'bobby')
  const { token } = bob
  const path = '/bobby/events'
  const login = '/bobby/auth/login'
  const form = 'application/x-www-form-urlencoded'
  const kinds: readonly Sending[] = [
    { path, token, size: 9 * half, sent: 3 * half },
    { path, token, type: multipart, size: 9 * half, body: text(3 * half) },
    { path, token, type: multipart, size: 9 * half, body: Buffer.concat([text(half), Buffer.from(file)]) },
    { path, token, type: 'text/html', size: 9 * half, sent: half },
    { path: login, size: 9 * half, sent: 3 * half },
    { path: login, type: form, size: 9 * half, sent: 3 * half },
    { path: '/reg/users', size: 3 * half },
    { path: '/reg/nowhere', type: form, size: 3 * half },
    { path, token, size: 3 * half }
  ]
  const open = await Promise.all([...kinds, ...kinds, ...kinds].map(kind => send(t, service, kind)))
  await arrived(
    open.map(({ socket }) => socket),
    () => false
  )
  for (const { socket } of open) socket.resetAndDestroy()
  t.equal(await statusOf(service, bob, 2 * half), 201)
  const { known, anonymous } = service.server.dispatcher.services.uploadBuffers
  await until(() => known.bytes + anonymous.bytes === 0, 'free memory')
})
