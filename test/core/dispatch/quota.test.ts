/** The storage quota of accounts: a full account can still be read and deleted from. (docs/spec/limits.md#quota) */
import { readdirSync, statSync } from 'node:fs'
import { request, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

const full = { error: { id: 'user-intervention-required' }, status: 402 }
const text = 'x'.repeat(1000)

function used({ service, username }: Client): { documents: number; attachments: number } {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!).storageUsed()
}

t.test('a quota', async t => {
  const bytes = 20_000
  const { alice } = await openCoffer(t, { quota: { bytes } })
  await alice.stream('diary')
  const events: Answer[] = []
  const note = { streamIds: ['diary'], type: 'note/txt', content: text }
  for (;;) {
    const answer = await alice.call('events.create', note)
    if (answer.error) {
      t.match(answer, full)
      t.match(answer.error.data, { quota: bytes })
      break
    }
    events.push(answer.event)
  }
  const atLimit = used(alice)
  t.ok(atLimit.documents <= bytes && atLimit.documents > bytes - 1500)

  t.test('refuses writes that would exceed it, in batches too, and leaves nothing of them', async t => {
    const [first] = events
    const streamed = { id: first.id, update: { content: text + text } }
    t.match(await alice.call('events.update', streamed), full)
    t.match(await alice.call('streams.create', { name: 'big', clientData: { text: text + text } }), full)
    const over = { name: 'big', permissions: [{ streamId: 'diary', level: 'read' }], clientData: { text } }
    t.match(await alice.call('accesses.create', { ...over, clientData: { text: text + text } }), full)
    const { body } = await alice.http('POST', '/', [
      { method: 'events.create', params: note },
      { method: 'events.getOne', params: { id: first.id } }
    ])
    t.match(body.results, [{ error: { id: 'user-intervention-required' } }, { event: { id: first.id } }])
    t.equal((await alice.http('POST', '/events', note)).status, 402)
    t.same(used(alice), atLimit)
  })

  t.test('allows reads, and writes that reduce the size', async t => {
    t.equal((await alice.do('events.get', { limit: 1000 })).events.length, events.length)
    await alice.do('events.update', { id: events[0].id, update: { content: 'short' } })
    t.ok(used(alice).documents < atLimit.documents - 500)
    await alice.event({ content: 'x'.repeat(300) })
  })

  t.test('allows deletions, although the trash takes slightly more', async t => {
    for (const { id } of events.slice(0, 4))
      t.match(await alice.do('events.delete', { id }), { event: { id } })
    await alice.do('events.delete', { id: events[0].id })
    await alice.do('events.delete', { id: events[1].id })
    t.ok(used(alice).documents < bytes)
    await alice.event({ content: text })
  })
})

t.test('a quota lower than the storage used', async t => {
  const { alice } = await openCoffer(t, { quota: { bytes: 1 } })
  // Created before anything is counted: the test harness fills the account outside of calls.
  t.ok(used(alice).documents > 1)
  t.match(await alice.call('streams.create', { name: 'diary' }), full)
  t.match(await alice.do('streams.get'), { streams: [] })
  t.match(await alice.do('accesses.get'), { accesses: [{}] })
  t.equal((await alice.http('GET', '/events')).status, 200)
})

t.test('no quota', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  await alice.event({ content: 'x'.repeat(1e6) })
  t.ok(used(alice).documents > 1e6)
})

t.test('a quota and uploads', async t => {
  const { alice, directory } = await openCoffer(t, { quota: { bytes: 100_000 } })
  await alice.stream('diary')
  const files = (): string[] =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .filter(name => /drafts\/.|attachments\/.*\/c[a-z0-9]{24}$/.test(name))

  t.test('are accepted if they fit', async t => {
    t.equal((await upload(alice, 40_000)).status, 201)
    t.equal(used(alice).attachments, 40_000)
    t.equal(files().length, 1)
  })

  t.test('are refused before they are received if their length is known', async t => {
    const started = performance.now()
    // No byte of this body is ever sent.
    t.match(await announce(alice, 1e12), {
      status: 402,
      body: { error: { id: 'user-intervention-required' } }
    })
    t.ok(performance.now() - started < 5000)
    t.equal(files().length, 1)
  })

  t.test('are refused if their length is unknown, or only slightly too large', async t => {
    t.match(await upload(alice, 61_000), { status: 402 })
    t.match(await upload(alice, 500_000, true), { status: 402 })
    t.same([used(alice).attachments, files().length], [40_000, 1])
    t.equal((await alice.do('events.get')).events.length, 1)
  })

  t.test('are refused if concurrent uploads do not fit together', async t => {
    const most = 60_000
    const open = Array.from({ length: 6 }, () => unfinished(alice, 30_000))
    const drafts = join(directory, 'drafts')
    const refused = open.map(({ answer }) => answer.then(({ status }) => status).catch(() => 0))
    const isThird = new Set<number>()
    for (const [at, status] of refused.entries()) void status.then(() => isThird.add(at))
    await until(() => isThird.size >= 3 || bytesIn(drafts) > most + 30_000, 'some are refused')
    t.ok(bytesIn(drafts) <= most + 30_000, `${bytesIn(drafts)} bytes wait`)
    for (const { call } of open) call.destroy()
    await until(() => files().length === 1, 'what was cut off is gone')
    t.match((await Promise.all(refused)).filter(Boolean), [402, 402, 402])
    // Their files are removed slightly before their reservation.
    let answer = await upload(alice, 50_000)
    for (let tries = 0; answer.status === 402 && tries < 50; tries++) answer = await upload(alice, 50_000)
    const { body, status } = answer
    t.equal(status, 201, 'what has gone leaves its room')
    for (let times = 0; times < 2; times++) await alice.do('events.delete', { id: body.event.id })
  })

  t.test('are accepted again when there is space', async t => {
    const [event] = (await alice.do('events.get')).events
    await alice.do('events.deleteAttachment', { id: event.id, fileId: event.attachments[0].id })
    t.equal((await upload(alice, 61_000)).status, 201)
  })
})

/** Returns the size of all files in a folder, in bytes. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function options({ service, token, username }: Client): RequestOptions {
  const { hostname, port } = new URL(service.server.url)
  const headers = { authorization: token, 'content-type': 'multipart/form-data; boundary=b' }
  return { host: hostname, port, path: `/${username}/events`, method: 'POST', headers }
}

async function answer(call: ReturnType<typeof request>): Promise<{ status: number; body: Answer }> {
  return await new Promise((resolve, reject) => {
    call.on('error', reject).on('response', response => {
      let received = ''
      response
        .setEncoding('utf8')
        .on('data', more => (received += more))
        .on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(received) }))
    })
  })
}

/** Sends the headers of an upload of the given size, and waits for the response. */
async function announce(client: Client, size: number): Promise<{ status: number; body: Answer }> {
  const { headers, ...rest } = options(client)
  const call = request({ ...rest, headers: { ...(headers as object), 'content-length': size } })
  call.flushHeaders()
  const answered = await answer(call)
  call.destroy()
  return answered
}

const event = JSON.stringify({ streamIds: ['diary'], type: 'file/attached' })
const head = `--b\r\nContent-Disposition: form-data; name="e"\r\n\r\n${event}\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`

/** Starts an upload that sends fewer bytes than it announces. */
function unfinished(
  client: Client,
  size: number
): { call: ReturnType<typeof request>; answer: ReturnType<typeof answer> } {
  const call = request(options(client))
  const answered = answer(call)
  call.write(Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'x')]))
  return { call, answer: answered }
}

async function upload(
  client: Client,
  size: number,
  isChunked = false
): Promise<{ status: number; body: Answer }> {
  const body = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'x'), Buffer.from('\r\n--b--\r\n')])
  const { headers, ...rest } = options(client)
  const call = request({
    ...rest,
    headers: { ...(headers as object), ...(isChunked ? {} : { 'content-length': body.length }) }
  })
  const answered = answer(call)
  for (let at = 0; at < body.length; at += 50_000) call.write(body.subarray(at, at + 50_000))
  call.end()
  return await answered
}
