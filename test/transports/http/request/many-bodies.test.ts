/** Many large bodies at the same time: their memory is limited in total, per account and per address. */
import { createHook } from 'node:async_hooks'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer, openCoffer, type Answer } from '../../../support/coffer.js'
import { inRotation, rotate } from '../../../support/rotation.js'
import { arrived, send } from '../../../support/sending.js'

const mb = 1024 * 1024
const limits = { bodiesBytes: 32 * mb, bodyTimeout: 60 }

function held(): number {
  return process.memoryUsage().arrayBuffers
}

t.test('partial bodies', async t => {
  for (const [name, path, isKnown] of [
    ['of strangers', '/alice/auth/login', false],
    ['of one account', '/alice/', true]
  ] as const)
    t.test(`${name} take a limited amount of memory`, async t => {
      const service = await openCoffer(t, { limits })
      const { alice } = service
      const bob = await service.user('bobby')
      await bob.stream('diary')
      const before = held()
      const token = isKnown ? { token: alice.token } : {}
      const open = await Promise.all(
        Array.from({ length: 20 }, () => send(t, service, { path, size: 9 * mb, sent: 8 * mb, ...token }))
      )
      await arrived(
        open.map(({ socket }) => socket),
        () => held() - before > 100 * mb
      )
      t.ok(held() - before < 60 * mb, `${(held() - before) / mb} MB`)
      const content = 'x'.repeat(2 * mb)
      const { status } = await bob.http('POST', '/events', {
        streamIds: ['diary'],
        type: 'note/txt',
        content
      })
      t.equal(status, 201, 'others go on')
      for (const { socket } of open) socket.destroy()
    })
})

t.test('decoders of partial compressed bodies', async t => {
  const service = await openCoffer(t, { limits })
  const { anonymous } = service.server.services.uploadBuffers
  let decoders = 0
  const hook = createHook({ init: (_id, type) => void (type === 'ZLIB' && decoders++) }).enable()
  t.teardown(() => hook.disable())
  const login = { appId: 'app', username: 'alice', password: 'a'.repeat(100_000) }
  const whole = Buffer.from(JSON.stringify(login))
  // The largest window of Brotli.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: 16 * mb }
  const bodies = {
    gzip: gzipSync(whole),
    deflate: deflateSync(whole),
    br: brotliCompressSync(Buffer.alloc(16 * mb - 16, 'a'), { params })
  }
  const paths = ['/alice/auth/login', '/reg/users', '/oauth/register']
  for (const [at, [encoding, body]] of Object.entries(bodies).entries())
    // Each encoding at another path.
    for (const path of rotate(t, [...paths.slice(at), ...paths.slice(0, at)]))
      t.test(`${encoding} at ${path} take a limited amount of memory`, async t => {
        decoders = 0
        const sending = { path, encoding, body, size: body.length, sent: 14 }
        const open = await Promise.all(Array.from({ length: 40 }, () => send(t, service, sending)))
        await arrived(
          open.map(({ socket }) => socket),
          () => false
        )
        if (encoding === 'br') t.equal(decoders, 0)
        else {
          t.ok(decoders > 0 && decoders <= 33, `${decoders} decoders`)
          t.ok(anonymous.bytes >= decoders * 60 * 1024, `${anonymous.bytes} bytes are counted`)
          for (const { socket } of open) socket.write(body.subarray(14))
        }
        const answers = await Promise.all(open.map(({ answer }) => answer))
        for (const answer of answers) t.match(answer, /^HTTP\/1.1 4/)
        for (const { socket } of open) socket.destroy()
        await arrived([], () => anonymous.bytes === 0)
        t.equal(anonymous.bytes, 0)
      })
})

const test = inRotation(t, 2)
test('concurrent large bodies are all accepted', async t => {
  const service = await coffer(t, { limits })
  const { alice } = service
  await alice.stream('diary')
  const bodies = Array.from({ length: 12 }, (_, at) => ({
    streamIds: ['diary'],
    type: 'note/txt',
    time: at,
    content: String(at % 10).repeat(1.5 * mb)
  }))
  const answers = await Promise.all(bodies.map(body => alice.http('POST', '/events', body)))
  t.same(
    answers.map(({ status }) => status),
    bodies.map(() => 201),
    'are all read in the end'
  )
})

test('a large body', async t => {
  const service = await coffer(t, { limits })
  const { alice } = service
  await alice.stream('diary')

  t.test('with an invalid token is not read', async t => {
    for (const path of ['/alice/', '/alice/events', '/alice/streams', '/alice/events/x/series']) {
      const { answer, socket } = await send(t, service, {
        path,
        token: 'nonsense',
        size: 9 * mb,
        sent: 20_000
      })
      t.match(await answer, /^HTTP\/1.1 401/, path)
      socket.destroy()
    }
    const { answer } = await send(t, service, { path: '/alice/events', size: 9 * mb, sent: 20_000 })
    t.match(await answer, /^HTTP\/1.1 401/, 'nor without one')
  })

  t.test('that declares an excessive size is not read', async t => {
    const { answer } = await send(t, service, {
      path: '/alice/events',
      token: alice.token,
      size: 11 * mb,
      sent: 1000
    })
    t.match(await answer, /^HTTP\/1.1 400/)
  })
})

test('a body that waits for too long is refused', async t => {
  const service = await coffer(t, { limits: { ...limits, bodyTimeout: 1 } })
  const { alice } = service
  await alice.stream('diary')
  const token = alice.token
  const open = await Promise.all(
    [1, 2, 3, 4].map(() => send(t, service, { path: '/alice/', token, size: 9 * mb, sent: 8 * mb }))
  )
  await arrived(
    open.map(({ socket }) => socket),
    () => false
  )
  const answers = await Promise.all(open.map(({ answer }) => answer))
  const statuses = answers.map(answer => answer.slice(9, 12)).toSorted()
  t.match(statuses[0], '400', 'those that have not come')
  t.match(statuses.at(-1), '503', 'those that had to wait')
  t.match(
    answers.find(answer => answer.startsWith('HTTP/1.1 503')),
    /retry-after: \d+/i
  )
  t.equal((await alice.event({ content: 'x'.repeat(mb) })).type, 'note/txt')
})

const form = (parts: readonly string[]): Buffer =>
  Buffer.from(
    `${parts.map((part, at) => `--b\r\nContent-Disposition: form-data; name="p${at}"\r\n\r\n${part}\r\n`).join('')}--b--\r\n`
  )

test('texts in forms take a limited amount of memory, whatever their boundary', async t => {
  const service = await openCoffer(t, { limits })
  const { alice } = service
  await alice.stream('diary')
  const text = form(['x'.repeat(9 * mb)])
  for (const type of ['x="; boundary=other"; boundary=b', 'boundary=b']) {
    const { known } = service.server.services.uploadBuffers
    const open = await Promise.all(
      Array.from({ length: 12 }, () =>
        send(t, service, {
          path: '/alice/events',
          token: alice.token,
          type: `multipart/form-data; ${type}`,
          size: text.length,
          sent: 8 * mb,
          body: text
        })
      )
    )
    await arrived(
      open.map(({ socket }) => socket),
      () => false
    )
    t.ok(known.bytes > 7.5 * mb, `${known.bytes} bytes are counted of ${type}`)
    t.ok(open.filter(({ socket }) => socket.writableLength > mb).length >= 10, 'most wait')
    for (const { socket } of open) socket.destroy()
    await arrived([], () => known.bytes === 0)
  }
})

test('a multipart form', async t => {
  const service = await coffer(t, { limits: { ...limits, bodyBytes: 4 * mb } })
  const { alice } = service
  await alice.stream('diary')
  const post = async (parts: readonly string[], sent?: number): Promise<string> => {
    const body = form(parts)
    const { answer } = await send(t, service, {
      path: '/alice/events',
      token: alice.token,
      type: 'multipart/form-data; boundary=b',
      size: body.length,
      ...(sent !== undefined && { sent }),
      body
    })
    return await answer
  }

  t.test('accepts a large text', async t => {
    const event = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'é'.repeat(mb) })
    t.match(await post([event]), /^HTTP\/1.1 201/)
  })

  t.test('limits its texts to the size of a body', async t => {
    const before = process.memoryUsage().rss
    for (const parts of [['x'.repeat(5 * mb)], Array.from({ length: 50 }, () => 'x'.repeat(2 * mb))]) {
      const answer: Answer = await post(parts)
      t.match(answer, /^HTTP\/1.1 400/)
      t.match(answer, 'invalid-request-structure')
    }
    t.ok(process.memoryUsage().rss - before < 400 * mb)
  })
})
