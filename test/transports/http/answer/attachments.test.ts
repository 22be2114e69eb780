/** Files over real HTTP: uploading, downloading whole or in part, deleting. (docs/spec/attachments.md) */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { sweepAttachments } from '../../../../core/events/attachment-sweep.js'
import { createId } from '../../../../core/ids.js'
import { Layout } from '../../../../storage/files/layout.js'
import { type Answer, Client, coffer, openCoffer } from '../../../support/coffer.js'

const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251))
const sha256 = createHash('sha256').update(bytes).digest('base64')

/** A part of a form; the JSON part has no file name. */
interface Part {
  readonly name?: string
  readonly file?: string
  readonly type?: string
  readonly body: string | Buffer
}

function formOf(parts: readonly Part[], boundary = 'b0undary'): Buffer {
  const chunks = parts.flatMap(({ name = 'part', file, type, body }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`
    ),
    Buffer.from(body),
    Buffer.from('\r\n')
  ])
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}

async function post(
  client: Client,
  path: string,
  body: Buffer,
  type = 'multipart/form-data; boundary=b0undary'
): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${client.service.server.url}/${client.username}${path}`, {
    method: 'POST',
    headers: { authorization: client.token, 'content-type': type },
    body
  })
  return { status: response.status, body: await response.json() }
}

async function get(
  client: Client,
  path: string,
  headers: Record<string, string> = { authorization: client.token }
) {
  const response = await fetch(`${client.service.server.url}/${client.username}${path}`, { headers })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer())
  }
}

const event = JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' })
const json: Part = { name: 'event', body: event }
const file: Part = { name: 'file', file: 'a picture é.png', type: 'image/png', body: bytes }

t.test('events.create', async t => {
  const { alice, directory } = await openCoffer(t)
  await alice.stream('diary')
  const leftovers = () => [...readdirSync(join(directory, 'drafts')), ...filesOf(alice)]
  const filesOf = (client: Client): string[] => {
    const { accounts } = client.service.server.services
    const folder = join(directory, 'users')
    const id = accounts.find(client.username)!.id
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter(name => name.includes(`${id}/attachments/`) && /\/c[a-z0-9]{24}$/.test(name))
  }

  const orders: Record<string, Part[]> = {
    'the JSON part first': [json, file],
    'the JSON part last': [file, json],
    'the JSON part in between': [file, json, { ...file, file: 'b.png' }],
    'part names with special characters': [
      { ...json, name: 'ev%22ent é;' },
      { ...file, name: 'fi le[]' }
    ],
    'a type for the JSON part': [{ ...json, type: 'application/json' }, file],
    'an empty file': [json, { ...file, body: '' }]
  }
  for (const [name, parts] of Object.entries(orders))
    t.test(`accepts files with ${name}`, async t => {
      const { status, body } = await post(alice, '/events', formOf(parts))
      t.equal(status, 201)
      t.equal(body.event.attachments.length, parts.filter(part => part.file !== undefined).length)
      for (const [i, { body: sent, file: fileName }] of parts
        .filter(part => part.file !== undefined)
        .entries()) {
        const attachment = body.event.attachments[i]
        t.match(attachment, {
          fileName,
          type: 'image/png',
          size: Buffer.from(sent).length,
          readToken: String,
          integrity: /^sha256-/
        })
        t.same((await get(alice, `/events/${body.event.id}/${attachment.id}`)).bytes, Buffer.from(sent))
      }
    })

  t.test('accepts a form with only JSON', async t => {
    const { status, body } = await post(alice, '/events', formOf([json]))
    t.match(
      { status, body },
      { status: 201, body: { event: { type: 'picture/attached', attachments: undefined } } }
    )
  })

  const whole = formOf([json, file])
  const malformed: [string, Buffer, string?][] = [
    ['two parts that are no files', formOf([json, json, file])],
    ['no part that is not a file', formOf([file])],
    ['a JSON part that is no JSON', formOf([{ body: 'no json' }, file])],
    ['no boundary', whole, 'multipart/form-data'],
    ['another boundary', whole, 'multipart/form-data; boundary=other'],
    ['an end that is missing', whole.subarray(0, -30)],
    ['a file cut off', whole.subarray(0, whole.length - 2000)],
    ['a file whose name cannot be read', formOf([json, { ...file, file: 'a "good" one.png' }])],
    [
      'a part that does not say what it is',
      Buffer.concat([Buffer.from('--b0undary\r\nContent-Type: text/plain\r\n\r\nhello\r\n'), whole])
    ],
    [
      'a part of malformed headers before a file cut off',
      Buffer.concat([Buffer.from('--b0undary\r\n38\r\n\r\n'), whole.subarray(0, -30)])
    ],
    ['a part without its headers end', Buffer.from('--b0undary\r\nContent-Disposition: form-data; name="x"')],
    ['nothing in it', Buffer.alloc(0)]
  ]
  t.test('ignores what follows the end of a form, even a part that never ends', async t => {
    const before = leftovers()
    const behind = Buffer.concat([formOf([json]), whole.subarray(0, -30)])
    const { status, body } = await post(alice, '/events', behind)
    t.match({ status, body }, { status: 201, body: { event: { attachments: undefined } } })
    t.same(leftovers(), before)
  })

  for (const [name, body, type] of malformed)
    t.test(`refuses a form with ${name}, and stores nothing of it`, async t => {
      const before = leftovers()
      const { events } = await alice.do('events.get', { limit: 1000 })
      t.match(await post(alice, '/events', body, type), {
        status: 400,
        body: { error: { id: 'invalid-request-structure' }, meta: { serverTime: Number } }
      })
      t.same(leftovers(), before)
      t.equal((await alice.do('events.get', { limit: 1000 })).events.length, events.length)
    })

  t.test('stores no file of an event that it refuses', async t => {
    const before = leftovers()
    const unknown = { ...json, body: event.replace('diary', 'unknown') }
    t.match(await post(alice, '/events', formOf([unknown, file])), {
      status: 400,
      body: { error: { id: 'unknown-referenced-resource' } }
    })
    t.same(leftovers(), before)
  })

  t.test('stores no file from an unauthorised caller', async t => {
    const before = leftovers()
    const stranger = new Client(alice.service, 'alice', { ...alice.access, token: 'nobody' })
    t.match(await post(stranger, '/events', whole), {
      status: 401,
      body: { error: { id: 'invalid-access-token' } }
    })
    t.same(leftovers(), before)
  })

  t.test('stores nothing of an interrupted upload', async t => {
    const before = leftovers()
    // Smaller files are opened once they have arrived.
    const large = formOf([json, { ...file, body: Buffer.alloc(1_000_000) }])
    const { hostname, port } = new URL(alice.service.server.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /alice/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.token}\r\nContent-Type: multipart/form-data; boundary=b0undary\r\nContent-Length: ${large.length}\r\n\r\n`
    )
    socket.write(large.subarray(0, 600_000))
    await until(() => leftovers().length > before.length)
    socket.destroy()
    await once(socket, 'close')
    const begunMs = performance.now()
    await until(() => leftovers().length === before.length)
    t.same(leftovers(), before)
    t.ok(performance.now() - begunMs < 9000, 'at once, and not when it has become too slow')
  })

  t.test('fails immediately, rather than by a timeout, if files cannot be stored', async t => {
    const { alice, directory } = await coffer(t)
    await alice.stream('diary')
    rmSync(join(directory, 'drafts'), { recursive: true })
    const begunMs = performance.now()
    const large = formOf([json, { ...file, body: Buffer.alloc(4_000_000) }])
    t.match(await post(alice, '/events', large), {
      status: 500,
      body: { error: { id: 'unexpected-error' } }
    })
    t.ok(performance.now() - begunMs < 9000)
    t.match(await alice.call('events.get'), { events: [] })
  })

  t.test('refuses files for methods that do not accept any', async t => {
    t.match(await post(alice, '/streams', whole), {
      status: 400,
      body: { error: { id: 'invalid-request-structure' } }
    })
  })

  t.test('applies the limits of the operator', async t => {
    const { alice } = await coffer(t, { uploads: { maxFileBytes: 4000, maxFiles: 1 } })
    await alice.stream('diary')
    t.match(await post(alice, '/events', whole), {
      status: 400,
      body: { error: { id: 'invalid-request-structure', message: /4000 bytes/ } }
    })
    const small = { ...file, body: 'small' }
    t.match(await post(alice, '/events', formOf([json, small, small])), {
      status: 400,
      body: { error: { message: /more than 1 files/ } }
    })
    t.match(await post(alice, '/events', formOf([json, small])), { status: 201 })
    const { alice: carol, server } = await openCoffer(t, { uploads: { maxFilesPerEvent: 2, maxFiles: 5 } })
    await carol.stream('diary')
    t.match(await post(carol, '/events', formOf([json, small, small, small])), {
      status: 400,
      body: { error: { id: 'invalid-request-structure', message: /more than 2 files/ } }
    })
    const { body: two } = await post(carol, '/events', formOf([json, small, small]))
    const { body: other } = await post(carol, '/events', formOf([json]))
    t.match(await post(carol, `/events/${two.event.id}`, formOf([small])), {
      status: 400,
      body: { error: { id: 'invalid-operation', message: /at most 2 files, but this would make 3/ } }
    })
    t.same((await carol.do('events.getOne', { id: two.event.id })).event, two.event, 'it is as it was')
    const { accounts, attachments: kept } = server.services
    t.equal((await kept.list(accounts.find('alice')!.id)).length, 2, 'and no bytes are left')
    t.match(await post(carol, `/events/${other.event.id}`, formOf([small, small])), { status: 200 })
    const { alice: bob } = await coffer(t, { uploads: { maxParts: 3 } })
    await bob.stream('diary')
    t.match(await post(bob, '/events', formOf([json, small, small, small])), {
      status: 400,
      body: { error: { id: 'invalid-request-structure', message: /too many parts/ } }
    })
    t.match(await post(bob, '/events', formOf([json, small, small])), { status: 201 })
  })
})

t.test('an attachment', async t => {
  const { alice, clock, server } = await openCoffer(t)
  await alice.stream('diary')
  await alice.stream('other')
  const { body } = await post(alice, '/events', formOf([json, file]))
  const { id, attachments } = body.event
  const path = `/events/${id}/${attachments[0].id}`

  t.test('is sent with headers that make browsers download it', async t => {
    const { status, headers, bytes: got } = await get(alice, path)
    t.equal(status, 200)
    t.same(got, bytes)
    t.match(Object.fromEntries(headers), {
      'content-type': 'image/png',
      'content-length': '5000',
      'content-disposition': "attachment; filename*=UTF-8''a%20picture%20%C3%A9.png",
      digest: `SHA-256=${sha256}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /sandbox/,
      'accept-ranges': 'bytes'
    })
  })

  t.test('has a read token, even if other parts of the event have the same member names', async t => {
    const decoy = [{ id: attachments[0].id, fileName: 'a.txt' }]
    const contents = [
      { attachments: decoy },
      [{ 'x"attachments': decoy, attachments: decoy }],
      '"attachments":[',
      { '","attachments': decoy, deeper: { attachments: [] } }
    ]
    for (const content of contents) {
      const made = { streamIds: ['diary'], type: 'test/any', content, clientData: { attachments: decoy } }
      const without = await alice.event(made)
      const answer = await post(
        alice,
        '/events',
        formOf([{ name: 'event', body: JSON.stringify(made) }, file])
      )
      for (const [id, count] of [
        [without.id, 0],
        [answer.body.event.id, 1]
      ] as const) {
        const one = (await alice.do('events.getOne', { id })).event
        t.same(one.content, content)
        t.same(one.clientData, { attachments: decoy })
        t.equal(one.attachments?.length ?? 0, count)
        for (const { readToken } of one.attachments ?? []) t.match(readToken, /^[a-z0-9]+-[\w-]{43}$/)
      }
    }
  })

  t.test('may be requested with any file name at the end of its path', async t => {
    t.same((await get(alice, `${path}/what%20ever.jpg`)).bytes, bytes)
  })

  const ranges: [string, number, string | undefined, [number, number]?][] = [
    ['bytes=0-0', 206, 'bytes 0-0/5000', [0, 1]],
    ['bytes=100-199', 206, 'bytes 100-199/5000', [100, 200]],
    ['bytes=4990-', 206, 'bytes 4990-4999/5000', [4990, 5000]],
    ['bytes=-10', 206, 'bytes 4990-4999/5000', [4990, 5000]],
    ['bytes=-9999', 206, 'bytes 0-4999/5000', [0, 5000]],
    ['bytes=4000-99999', 206, 'bytes 4000-4999/5000', [4000, 5000]],
    ['bytes=5000-', 416, 'bytes */5000'],
    ['bytes=-0', 416, 'bytes */5000'],
    ['bytes=5-1', 200, undefined, [0, 5000]],
    ['bytes=0-1,5-6', 200, undefined, [0, 5000]],
    ['lines=0-1', 200, undefined, [0, 5000]]
  ]
  for (const [range, status, contentRange, part] of ranges)
    t.test(`returns ${status} for the range ${range}`, async t => {
      const answer = await get(alice, path, { authorization: alice.token, range })
      t.equal(answer.status, status)
      t.equal(answer.headers.get('content-range') ?? undefined, contentRange)
      if (part) t.same(answer.bytes, bytes.subarray(...part))
    })

  t.test('is not sent again if the client has it', async t => {
    const tag = (await get(alice, path)).headers.get('etag')!
    const again = await get(alice, path, { authorization: alice.token, 'if-none-match': tag })
    t.match({ status: again.status, size: again.bytes.length }, { status: 304, size: 0 })
    t.equal((await get(alice, path, { authorization: alice.token, 'if-none-match': '"other"' })).status, 200)
  })

  t.test('can be read with only its read token, which grants nothing else', async t => {
    const { readToken } = attachments[0]
    t.same((await get(alice, `${path}?readToken=${readToken}`, {})).bytes, bytes)
    t.equal((await get(alice, `/events/${id}?readToken=${readToken}`, {})).status, 401)
    t.equal((await get(alice, `/events?readToken=${readToken}`, {})).status, 401)
    const other = (await post(alice, '/events', formOf([json, file, file]))).body.event
    const [first, second] = other.attachments
    t.equal(
      (await get(alice, `/events/${other.id}/${second.id}?readToken=${first.readToken}`, {})).status,
      401,
      'another file of the same event'
    )
    t.equal(
      (await get(alice, `/events/${other.id}/${other.attachments[0].id}?readToken=${readToken}`, {})).status,
      401
    )
    t.equal(
      (await get(alice, `/events/${other.id}/${attachments[0].id}?readToken=${readToken}`, {})).status,
      401
    )
  })

  const refusals: [string, string, Record<string, string>, number][] = [
    ['no token', path, {}, 401],
    ['the auth parameter', `${path}?auth=TOKEN`, {}, 401],
    ['the auth parameter beside a header', `${path}?auth=TOKEN`, { authorization: alice.token }, 401],
    ['a made-up read token', `${path}?readToken=abc-def`, {}, 401],
    ['a read token of the right access', `${path}?readToken=${alice.access.id}-AAAA`, {}, 401],
    ...['abc-def', `${alice.access.id}-AAAA`, ''].map(
      (token): [string, string, Record<string, string>, number] => [
        `the bad read token "${token}" beside a good header`,
        `${path}?readToken=${token}`,
        { authorization: alice.token },
        401
      ]
    ),
    ['an unknown event', `/events/${createId()}/${attachments[0].id}`, { authorization: alice.token }, 404],
    ['an unknown attachment', `/events/${id}/${createId()}`, { authorization: alice.token }, 404],
    ['a path for an id', `/events/${id}/..%2f..%2fuser.sqlite`, { authorization: alice.token }, 404]
  ]
  for (const [name, where, headers, status] of refusals)
    t.test(`is refused for ${name}`, async t => {
      const answer = await get(alice, where.replace('TOKEN', alice.token), headers)
      t.equal(answer.status, status)
      t.match(JSON.parse(answer.bytes.toString()), { error: { id: String }, meta: { serverTime: Number } })
    })

  t.test('requires permission to read its event', async t => {
    for (const [level, streamId, status] of [
      ['read', 'diary', 200],
      ['create-only', 'diary', 403],
      ['read', 'other', 403],
      ['none', 'diary', 403]
    ] as const) {
      const friend = await alice.grant(level, streamId)
      t.equal((await get(friend, path)).status, status, `${level} on ${streamId}`)
    }
  })

  t.test('has a separate read token for each access, which expires with the access', async t => {
    const friend = await alice.grant('read', 'diary')
    const token = (await friend.do('events.getOne', { id })).event.attachments[0].readToken
    t.not(token, attachments[0].readToken)
    t.equal(
      (await friend.do('events.get')).events.find((one: Answer) => one.id === id).attachments[0].readToken,
      token
    )
    t.equal((await get(friend, `${path}?readToken=${token}`, {})).status, 200)
    await alice.do('accesses.delete', { id: friend.access.id })
    t.equal((await get(friend, `${path}?readToken=${token}`, {})).status, 401)
  })

  t.test('requires every token of a request to be valid', async t => {
    const friend = await alice.grant('read', 'diary', { expireAfter: 100 })
    const stranger = await alice.grant('read', 'other')
    const [first] = (await friend.do('events.getOne', { id })).event.attachments
    const asked = async (headers: Record<string, string>): Promise<number> =>
      (await get(alice, `${path}?readToken=${first.readToken}`, headers)).status
    t.equal(await asked({ authorization: alice.token }), 200, 'two that are good')
    t.equal(await asked({ authorization: stranger.token }), 403, 'the header says who reads')
    t.equal(await asked({ authorization: 'nobody' }), 401, 'a bad header')
    const other = (await post(alice, '/events', formOf([json, file]))).body.event
    const elsewhere = `/events/${other.id}/${other.attachments[0].id}?readToken=${first.readToken}`
    t.equal((await get(alice, elsewhere)).status, 401, "another file's")
    clock.advance(101)
    t.equal(await asked({ authorization: alice.token }), 401, 'one that has expired with its access')
  })

  t.test('is added to the existing ones', async t => {
    const { body } = await post(
      alice,
      `/events/${id}`,
      formOf([
        { ...file, file: 'second' },
        { ...file, file: 'third' }
      ])
    )
    t.same(
      body.event.attachments.map((one: Answer) => one.fileName),
      ['a picture é.png', 'second', 'third']
    )
    t.match(await post(alice, `/events/${id}`, formOf([json, file])), { status: 400 })
    t.match(await post(alice, `/events/${createId()}`, formOf([file])), { status: 404 })
    const reader = await alice.grant('read', 'diary')
    t.match(await post(reader, `/events/${id}`, formOf([file])), { status: 403 })
    t.equal((await alice.do('events.getOne', { id })).event.attachments.length, 3)
  })

  t.test('cannot be set by an update', async t => {
    t.match(await alice.call('events.update', { id, update: { attachments: [] } }), {
      error: { id: 'forbidden' }
    })
  })

  t.test('that is damaged ends the connection, since it has not as many bytes as announced', async t => {
    const account = server.services.accounts.find('alice')!.id
    const stored = new Layout(server.services.config.dataDir).attachmentFile(account, attachments[0].id)
    for (const damaged of [bytes.subarray(0, 4997), Buffer.concat([bytes, bytes]), Buffer.alloc(0)]) {
      writeFileSync(stored, damaged)
      const socket = connect(Number(new URL(server.url).port), new URL(server.url).hostname).on(
        'error',
        () => undefined
      )
      const received: Buffer[] = []
      socket.on('data', chunk => void received.push(chunk))
      socket.write(
        `GET /alice${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${alice.token}\r\n\r\n` +
          // The end of the first response is known by this one.
          `GET /nobody HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      )
      await new Promise(resolve => void socket.once('close', resolve))
      t.notMatch(Buffer.concat(received).toString('latin1'), '404', `${damaged.length} bytes`)
    }
    writeFileSync(stored, bytes)
    t.same((await get(alice, path)).bytes, bytes)
    const part = await get(alice, path, { authorization: alice.token, range: 'bytes=10-19' })
    t.same(part.bytes, bytes.subarray(10, 20))
  })

  t.test('is deleted with its bytes', async t => {
    const { event } = await alice.do('events.getOne', { id })
    const [, second] = event.attachments
    t.match(await alice.call('events.deleteAttachment', { id, fileId: createId() }), {
      error: { id: 'unknown-resource' }
    })
    const reader = await alice.grant('read', 'diary')
    t.match(await reader.call('events.deleteAttachment', { id, fileId: second.id }), {
      error: { id: 'forbidden' }
    })
    const after = await alice.do('events.deleteAttachment', { id, fileId: second.id })
    t.same(
      after.event.attachments.map((one: Answer) => one.fileName),
      ['a picture é.png', 'third']
    )
    t.equal((await get(alice, `/events/${id}/${second.id}`)).status, 404)
    t.equal(
      await server.services.attachments.size(server.services.accounts.find('alice')!.id, second.id),
      undefined
    )
  })

  t.test('is deleted when its event is permanently deleted', async t => {
    const account = server.services.accounts.find('alice')!
    const { attachments } = (await alice.do('events.getOne', { id })).event
    await alice.do('events.delete', { id })
    t.equal((await get(alice, path)).status, 200, 'the trash keeps it')
    await alice.do('events.delete', { id })
    t.equal((await get(alice, path)).status, 404)
    for (const one of attachments)
      t.equal(await server.services.attachments.size(account.id, one.id), undefined)
  })

  t.test('is removed after a while if no event refers to it', async t => {
    const { services } = server
    const account = services.accounts.find('alice')!
    const kept = (await services.attachments.list(account.id)).length
    const stray = createId()
    const { Readable } = await import('node:stream')
    await services.attachments.put(
      account.id,
      stray,
      await services.attachments.receive(Readable.from([bytes]), 'sha256')
    )
    t.equal(await sweepAttachments(services, account, 0), 0)
    t.equal(await sweepAttachments(services, account, Infinity), 1)
    t.equal((await services.attachments.list(account.id)).length, kept)
  })
})

t.test('many files of a form are written a few at a time', async t => {
  const service = await openCoffer(t)
  const { alice } = service
  await alice.stream('diary')
  const { attachments } = service.server.services
  const receive = attachments.receive.bind(attachments)
  let [writing, most] = [0, 0]
  attachments.receive = async (...given) => {
    most = Math.max(most, ++writing)
    return await receive(...given).finally(() => writing--)
  }
  const event = { name: 'event', body: JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }) }
  const files = Array.from({ length: 1500 }, (_, at) => ({ file: `${at}`, body: String(at).repeat(at % 50) }))
  const { body, status } = await post(alice, '/events', formOf([event, ...files]))
  t.equal(status, 201)
  t.same(
    body.event.attachments.map(({ fileName, size }: Answer) => ({ fileName, size })),
    files.map(({ body: text, file }) => ({ fileName: file, size: text.length }))
  )
  t.ok(most > 32 && most < 150, `${most} at a time`)
  t.equal(writing, 0)
})

t.test('many forms take few descriptors, and another account is served between their files', async t => {
  const service = await openCoffer(t)
  const [alice, bob] = [service.alice, await service.user('bob')]
  for (const client of [alice, bob]) await client.stream('diary')
  const forms = 6
  const event = { name: 'event', body: JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }) }
  const files = Array.from({ length: 100 }, (_, at) => ({ file: `${at}`, body: 'x' }))
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, countOpenDrafts())), 5)
  let ended = 0
  const uploads = Array.from({ length: forms }, async () => {
    const { body, status } = await post(alice, '/events', formOf([event, ...files]))
    ended++
    t.equal(status, 201)
    t.equal(body.event.attachments.length, files.length)
  })
  await until(() => countOpenDrafts() > 0)
  t.equal((await post(bob, '/events', formOf([event, ...files.slice(0, 3)]))).status, 201)
  t.equal(ended, 0, 'before any of the forms')
  await Promise.all(uploads)
  clearInterval(timer)
  t.ok(most > 1 && most <= forms + 8, `${most} descriptors`)
})

/** Returns how many descriptors of this process are of files that are being received. */
function countOpenDrafts(): number {
  return readdirSync('/proc/self/fd').filter(isOpenDraft).length
}

function isOpenDraft(descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).includes('/drafts/received-')
  } catch {
    // It was closed in the meantime.
    return false
  }
}

/** Waits until a condition is true. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setImmediate(resolve))
}
