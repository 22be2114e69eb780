/** Bytes that are almost valid HTTP, forms or WebSocket messages; and stalled connections. */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { errorTable } from '../../core/errors.js'
import { serviceRoutes, userRoutes } from '../../transports/http/routes.js'
import { coffer, type Client } from '../support/coffer.js'
import { filesIn } from '../support/planted.js'
import { assertTakesLessThan, Probe } from '../support/probe.js'
import { Random } from '../support/random.js'
import { inRotation } from '../support/rotation.js'
import { socketOf, until } from '../support/socket.js'
import { ask } from './wires.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const count = isLong ? 20_000 : 250

t.setTimeout(isLong ? 3_600_000 : 900_000)

/** Opens a connection to the service. */
function dial(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined)
}

/** Returns all bytes received until the other side closes. */
async function exchange(url: string, bytes: Buffer): Promise<string> {
  const socket = dial(url)
  socket.end(bytes)
  let received = ''
  socket.on('data', chunk => (received += String(chunk)))
  await new Promise(resolve => socket.once('close', resolve).once('end', () => socket.destroy()))
  return received
}

const separator = 'x-part-x'

/** Returns the headers and body of a request. */
function body(text: string, type = 'application/json'): string {
  return `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** Returns valid requests. */
function requests({ token }: Client): string[] {
  const head = (verb: string, path: string, more = ''): string =>
    `${verb} /alice${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${token}\r\nConnection: close\r\n${more}`
  const event = '{"streamIds":["diary"],"type":"note/txt","content":"x"}'
  const form = [
    `--${separator}\r\nContent-Disposition: form-data; name="event"\r\n\r\n${event}\r\n`,
    `--${separator}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n`,
    `--${separator}--\r\n`
  ].join('')
  return [
    head('GET', '/events?limit=1&streams=diary', '\r\n'),
    head('GET', '/streams', 'Accept-Encoding: gzip\r\nRange: bytes=0-1\r\n\r\n'),
    head('POST', '/events') + body(event),
    head('POST', '/') + body(`[{"method":"events.get","params":{"limit":1}}]`),
    head('PUT', '/profile/public') + body('{"a":1}'),
    head('POST', '/events') + body(form, `multipart/form-data; boundary=${separator}`),
    head('POST', '/streams') + body('_method=GET&_auth=x', 'application/x-www-form-urlencoded'),
    head('POST', '/events', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n') +
      `${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`,
    head('POST', '/events', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n') +
      `Content-Length: 10\r\n\r\n0123456789`,
    `GET /socket.io/?EIO=4&transport=websocket&auth=${token} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n` +
      'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  ]
}

const bits = [
  '\0',
  '\r\n',
  '\n',
  '%',
  '%00',
  '../',
  '"',
  '{',
  '[',
  ';',
  '\u00ff',
  '--x-part-x--',
  'Content-Length: 5\r\n',
  ' ',
  ':',
  '-1',
  '9'.repeat(30)
]

/** Returns bytes with a few of them changed, removed, repeated or inserted. */
function garbled(bytes: Buffer, random: Random): Buffer {
  let changed = bytes
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(changed.length + 1)
    const to = Math.min(changed.length, at + random.below(40))
    const [before, cut, after] = [changed.subarray(0, at), changed.subarray(at, to), changed.subarray(to)]
    const inserted = random.chance(0.5)
      ? Buffer.from(random.pick(bits), 'latin1')
      : Buffer.from([random.below(256)])
    changed = Buffer.concat(
      random.pick([
        [before, inserted, cut, after],
        [before, inserted, after],
        [before, after],
        [before, cut, cut, after],
        [before]
      ])
    )
  }
  return changed
}

/** Runs work for many items, some concurrently. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: 25 }, async () => {
      for (const item of left) await work(item)
    })
  )
}

/** Short timeouts, so that the test is fast. */
const impatient = { limits: { headersTimeout: 1, bodyTimeout: 1 }, uploads: { minBytesPerSecond: 1_000_000 } }

const test = inRotation(t, 2)
test(`garbled requests (seed ${seed})`, async t => {
  const service = await coffer(t, impatient)
  const { alice, server } = service
  await alice.stream('diary')
  const bob = await service.user('bobby')
  const random = new Random(seed)
  const sound = requests(alice).map(text => Buffer.from(text, 'latin1'))
  const faults: string[] = []
  const statuses = new Set<string>()
  const { slowestMs } = await new Probe(bob).during(async () => {
    const changed = Array.from({ length: count }, () => garbled(random.pick(sound), random))
    // Few changed requests are served: unchanged ones show that requests are not refused for another reason.
    const all = [...changed, ...sound]
    await each(all, async bytes => {
      const answer = await exchange(server.url, bytes)
      for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d)/g)) statuses.add(status!)
      if (/HTTP\/1\.1 5/.test(answer)) faults.push(`${bytes.toString('latin1')}\n→ ${answer}`)
    })
  })
  t.same(faults, [], 'none is answered by 5xx')
  t.ok(statuses.has('2') && statuses.has('4'), `they are served or refused (${[...statuses].join()})`)
  await assertTakesLessThan(t, 1000, () => slowestMs, 1)
  const areClean = async (): Promise<boolean> => {
    const all = { limit: 100_000, state: 'all', fromTime: -1e300, toTime: 1e300 }
    const { events } = await alice.do('events.get', all)
    const named = events.flatMap(
      (event: { attachments?: { id: string }[] }) => event.attachments?.map(({ id }) => id) ?? []
    )
    return filesIn(service.directory).toSorted().join('\n') === named.toSorted().join('\n')
  }
  // The service may go on with a call, or remove its draft, once it has noticed that the connection is closed.
  await until(areClean, 'no bytes without a row are left, no draft either')
})

test(`randomly assembled forms (seed ${seed})`, async t => {
  const service = await coffer(t)
  const { alice, server } = service
  await alice.stream('diary')
  const random = new Random(seed)
  const part = (headers: string, text: string): string => `--${separator}\r\n${headers}\r\n\r\n${text}\r\n`
  const json = part(
    'Content-Disposition: form-data; name="event"',
    '{"streamIds":["diary"],"type":"note/txt","content":"x"}'
  )
  const file = (size: number): string =>
    part('Content-Disposition: form-data; name="f"; filename="f.txt"', 'y'.repeat(size))
  const end = `--${separator}--\r\n`
  const pieces = [json, file(5), file(2000), end, end, part('38', ''), part('Content-Type: text/plain', 'x')]
  const odd = [`--${separator}\r\n38\r\n\r\n`, `--${separator}`, `--${separator}-`, '\r\n']
  const forms = Array.from({ length: count }, () => {
    const text = Array.from({ length: random.below(6) }, () => random.pick([...pieces, ...odd]))
    const form = Buffer.from(json + text.join('') + (random.chance(0.7) ? end : ''))
    return random.chance(0.5) ? form : garbled(form, random)
  })
  const faults: string[] = []
  const statuses = new Set<number>()
  await each(forms, async form => {
    try {
      const response = await fetch(`${server.url}/alice/events`, {
        method: 'POST',
        headers: {
          authorization: alice.token,
          'content-type': `multipart/form-data; boundary=${separator}`
        },
        body: form,
        signal: AbortSignal.timeout(8000)
      })
      statuses.add(response.status)
      await response.arrayBuffer()
    } catch (error) {
      faults.push(`${String(error)}: ${form.toString('latin1')}`)
    }
  })
  t.same(faults, [], 'all are answered in time')
  t.same([...statuses].toSorted(), [201, 400])
  t.same(
    filesIn(service.directory).filter(name => name.includes('-')),
    [],
    'no draft is left'
  )
})

test(`garbled WebSocket messages (seed ${seed})`, async t => {
  const service = await coffer(t)
  const { alice, server } = service
  const other = await socketOf(t, alice)
  const random = new Random(seed)
  const upgrade = Buffer.from(requests(alice).at(-1)!, 'latin1')
  const messages = [
    `40/alice,{"auth":"${alice.token}"}`,
    '42/alice,1["streams.get",{}]',
    '42/alice,2["events.create",{"type":"note/txt"}]',
    '42/alice,3["callBatch",[]]',
    '451-/alice,4["streams.get",{"_placeholder":true,"num":0}]',
    '3',
    '41/alice,'
  ]
  const all = Array.from({ length: Math.ceil(count / 4) }, () => random.next())
  await each(all, async chosen => {
    const own = new Random(chosen * 2 ** 31)
    const socket = dial(server.url)
    socket.write(upgrade)
    await once(socket, 'data')
    socket.write(frame(Buffer.from(messages[0]!), 1))
    for (let n = 0; n < 5; n++) {
      const message = Buffer.from(own.pick(messages))
      const bytes = own.chance(0.5)
        ? frame(garbled(message, own), own.pick([1, 1, 1, 2]))
        : garbled(frame(message, own.below(16)), own)
      socket.write(own.chance(0.1) ? randomBytes(50) : bytes)
    }
    socket.resetAndDestroy()
    await once(socket, 'close')
  })
  t.match(await other.call('streams.get'), { streams: [] }, 'cut nobody else')
  t.equal((await alice.http('GET', '/streams')).status, 200)
})

/** Returns a masked WebSocket frame. */
function frame(payload: Buffer, opcode: number): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
  // A mask of zeros changes nothing.
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload])
}

test('stalled connections', async t => {
  const service = await coffer(t, impatient)
  const { alice, server } = service
  const bob = await service.user('bobby')
  const sound = requests(alice)
  const halves = [
    '',
    'G',
    ...sound.map(text => text.slice(0, 20)),
    ...sound.slice(2, 8).map(text => text.slice(0, -12))
  ]
  const { slowestMs } = await new Probe(bob).during(async () => {
    const lines = Array.from({ length: 300 }, (_value, index) => {
      const socket = dial(server.url)
      socket.write(halves[index % halves.length]!)
      let received = ''
      socket.on('data', chunk => (received += String(chunk)))
      return once(
        socket.once('end', () => socket.destroy()),
        'close'
      ).then(() => received)
    })
    const answers = await Promise.all(lines)
    t.same(
      answers.filter(answer => /HTTP\/1\.1 5/.test(answer)),
      [],
      'all are ended, none by 5xx'
    )
  })
  await assertTakesLessThan(t, 1000, () => slowestMs, 1)
  t.match(await alice.call('streams.get'), { streams: [] })
})

t.test('invalid encodings in paths and queries, on every route', async t => {
  const service = await coffer(t)
  const { alice } = service
  const broken = [
    '%',
    '%zz',
    '%e0%a4%a',
    '%c0%ae%c0%ae',
    '%ed%a0%80',
    '%00',
    '..',
    '%2e%2e%2f',
    '..%5c',
    '%25%30%30',
    '//',
    ';a=b',
    '%f0%9f%98%80'
  ]
  const routes = [
    ...userRoutes.map(route => ({ ...route, root: '/alice' })),
    ...serviceRoutes.map(route => ({ ...route, root: '' }))
  ]
  for (const [at, { method, path, root, verb }] of routes.entries()) {
    const faults: string[] = []
    for (const text of broken.filter((_each, index) => isLong || (at + index + seed) % 4 === 0))
      for (const target of [
        `${root}${path.replaceAll(/:\w+/g, text)}?${text}=${text}`,
        `${root}${path.replaceAll(/:\w+/g, 'x')}/${text}`,
        `${root}/${text}${path.replaceAll(/:\w+/g, 'x')}`
      ]) {
        if (method === 'auth.logout') continue
        const headers = {
          authorization: alice.token,
          'content-type': 'application/json',
          'content-length': '2'
        }
        const { body: answer, status } = await ask(service.server.url, verb, target, headers, '{}')
        const isKnown =
          status! < 400 || (errorTable[answer.error?.id as keyof typeof errorTable]?.[0] ?? 500) < 500
        if (!isKnown || status! >= 500) faults.push(`${verb} ${target}: ${status} ${JSON.stringify(answer)}`)
      }
    t.same(faults, [], `${verb} ${path}`)
  }
})
