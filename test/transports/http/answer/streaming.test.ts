/** Long responses over HTTP: memory, characters, disconnects. (docs/spec/events.md#form-of-the-list) */
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { anyAccess } from '../../../../core/auth/allow.js'
import type { Listing } from '../../../../core/json/json-text.js'
import { method } from '../../../../core/call/method.js'
import { Registry } from '../../../../core/dispatch/registry.js'
import { createApp } from '../../../../transports/http/app.js'
import type { ArchiveFile } from '../../../../core/account/archive.js'
import { createZip } from '../../../../transports/http/answer/zip.js'
import { openCoffer } from '../../../support/coffer.js'

/** An item of the list: about 1 KiB, with characters of two, three and four bytes. */
const item = JSON.stringify({ id: 'x', content: 'é€😀'.repeat(64) })
/** An item of every second page, which is pure ASCII and sometimes sent as a separate text. */
const plainItem = JSON.stringify({ id: 'x', content: 'e'.repeat(1000) })
/** Number of items per page. */
const pageSize = 100

/** Observations about the requested lists. */
interface Watch {
  pages: number
  rss: number
  /** Number of empty pages after the first page. */
  emptyPages?: number
  isClosed?: boolean
}

/** Replaces `events.get` by a list of any length, which can be made to fail. */
function numbered(watch: Watch) {
  return method({
    id: 'events.get',
    summary: 'For tests',
    params: Type.Object({ limit: Type.Integer(), skip: Type.Optional(Type.Integer()) }),
    result: Type.Object({}),
    mode: 'read',
    allow: anyAccess,
    run(_call, { limit, skip: breaksAt }) {
      let at = 0
      const events: Listing<unknown> = {
        next() {
          watch.pages++
          watch.rss = Math.max(watch.rss, process.memoryUsage.rss())
          const { emptyPages = 0 } = watch
          if (at > 0 && emptyPages > 0) {
            watch.emptyPages = emptyPages - 1
            return { text: '', count: 0, done: false, isWaiting: true }
          }
          if (breaksAt !== undefined && at >= breaksAt) throw new Error('broken in the middle')
          const count = Math.min(pageSize, limit - at)
          const text = Array.from({ length: count }, () => itemAt(at)).join(',')
          at += count
          return { text, count, done: at >= limit }
        },
        close() {
          watch.isClosed = true
        }
      }
      return { events, eventDeletions: [] }
    }
  })
}

interface Setup {
  readonly listener: Server
  readonly watch: Watch
  get(query: string, verb?: string): Promise<IncomingMessage>
  /** Returns the raw bytes of a response. */
  raw(query: string): Promise<Buffer>
}

async function setUp(t: Test): Promise<Setup> {
  const { alice, server } = await openCoffer(t)
  const watch = { pages: 0, rss: 0 }
  const app = createApp(new Registry(server.services, [numbered(watch)]), {
    assets: new Map(),
    pages: new Map()
  })
  const listener = createServer(app).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => {
    listener.closeAllConnections()
    listener.close()
  })
  const { port } = listener.address() as AddressInfo
  return {
    listener,
    watch,
    async get(query, verb = 'GET') {
      const headers = { authorization: alice.token }
      const outgoing = request({ port, path: `/alice/events?${query}`, method: verb, headers, agent: false })
      outgoing.on('error', () => undefined).end()
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      return response
    },
    async raw(query) {
      const socket = connect(port, '127.0.0.1')
      const headers = `Host: x\r\nAuthorization: ${alice.token}\r\nConnection: close`
      socket.write(`GET /alice/events?${query} HTTP/1.1\r\n${headers}\r\n\r\n`)
      return await buffer(socket)
    }
  }
}

function itemAt(index: number): string {
  return Math.floor(index / pageSize) % 2 === 0 ? item : plainItem
}

/** Returns the peak memory while a list of this length is read. */
async function peak(get: Setup['get'], watch: Watch, limit: number): Promise<number> {
  watch.rss = 0
  for await (const chunk of await get(`limit=${limit}`)) void chunk
  return watch.rss
}

/** Returns the chunks of a chunked response. */
function chunksOf(answer: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = answer.indexOf('\r\n\r\n') + 4; at < answer.length;) {
    const end = answer.indexOf('\r\n', at)
    const size = Number.parseInt(answer.toString('latin1', at, end), 16)
    chunks.push(answer.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return chunks
}

t.test('a long list', async t => {
  const { watch, get, listener, raw } = await setUp(t)

  t.test('is one JSON object, with meta last', async t => {
    const response = await get('limit=1000')
    t.equal(response.headers['transfer-encoding'], 'chunked')
    t.equal(response.headers['content-length'], undefined)
    const answer = await text(response)
    // Clients that decode chunk by chunk accept ASCII only.
    const ascii = item.replaceAll(
      /[\u0080-\uffff]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    )
    t.not(ascii, item)
    t.ok(answer.startsWith(`{"events":[${ascii},${ascii},`))
    t.match(answer.slice(-120), /\],"eventDeletions":\[\],"meta":\{[^}]*\}\}$/)
    const events = Array.from({ length: 1000 }, (_, index) => JSON.parse(itemAt(index)))
    t.same(JSON.parse(answer).events, events)
  })

  t.test('is sent in chunks of whole characters', async t => {
    const chunks = chunksOf(await raw('limit=1000'))
    t.ok(chunks.length > 3)
    t.ok(chunks.every(chunk => isUtf8(chunk)))
  })

  t.test('that fits into a page has a content length', async t => {
    const response = await get('limit=3')
    t.ok(Number(response.headers['content-length']) > 3 * item.length)
    response.resume()
  })

  t.test('has no body for HEAD', async t => {
    const response = await get('limit=100000', 'HEAD')
    t.equal(response.statusCode, 200)
    let length = 0
    for await (const chunk of response) length += chunk.length
    t.equal(length, 0)
  })

  t.test('waits for its reader', async t => {
    watch.pages = 0
    const response = await get('limit=1000000')
    response.pause()
    // Enough turns for a writer without backpressure to finish.
    for (let turn = 0; turn < 20_000; turn++) await new Promise(setImmediate)
    t.ok(watch.pages < 500, `${watch.pages} of 10,000 pages`)

    t.test('and stops when the reader disconnects', async t => {
      response.destroy()
      for (let turn = 0; turn < 5_000; turn++) await new Promise(setImmediate)
      const { pages } = watch
      for (let turn = 0; turn < 5_000; turn++) await new Promise(setImmediate)
      t.equal(watch.pages, pages)
    })
  })

  t.test('ends when the reader disconnects while there is nothing to send', async t => {
    watch.emptyPages = Infinity
    const connected = once(listener, 'connection') as Promise<[Socket]>
    const response = await get('limit=101')
    const [socket] = await connected
    response.destroy()
    await new Promise(resolve => socket.once('close', resolve))
    watch.emptyPages = 100
    while (!watch.isClosed && watch.emptyPages > 0) await new Promise(setImmediate)
    t.ok(watch.isClosed)
    watch.emptyPages = 0
  })

  t.test('needs no more memory if it is longer', async t => {
    await peak(get, watch, 20_000)
    const usual = await peak(get, watch, 20_000)
    const large = await peak(get, watch, 200_000)
    t.ok(large - usual < 100 * 1024 * 1024, `${(large - usual) / 1024 / 1024} MiB more`)
  })

  t.test('that fails midway closes the connection', async t => {
    const response = await get('limit=100000&skip=5000')
    t.equal(response.statusCode, 200)
    await t.rejects(async () => {
      for await (const chunk of response) void chunk
    })
  })

  t.test('that fails before anything is sent returns an error', async t => {
    const response = await get('limit=1&skip=0')
    t.equal(response.statusCode, 500)
    const answer = await text(response)
    t.match(JSON.parse(answer), { error: { id: 'unexpected-error' }, meta: Object })
    t.notMatch(answer, 'broken')
  })
})

t.test('a list of events followed by deletions', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  for (const count of [1, 2]) {
    const { id } = await alice.event({ content: `${count}` })
    for (let times = 0; times < 2; times++) await alice.do('events.delete', { id })
  }
  const { port } = new URL(alice.service.server.url)
  const pieces = async (search: string): Promise<string[]> => {
    const data: string[] = []
    const response = await new Promise<IncomingMessage>(resolve => {
      const path = `/alice/events?${search}`
      const outgoing = request({ port, path, headers: { authorization: alice.token }, agent: false })
      // A listener that is added later would receive all chunks as one.
      outgoing.once('response', (incoming: IncomingMessage) => {
        incoming.setEncoding('utf8').on('data', (piece: string) => data.push(piece))
        incoming.once('end', () => resolve(incoming))
      })
      outgoing.end()
    })
    t.equal(response.headers['transfer-encoding'], 'chunked')
    t.notOk('content-length' in response.headers)
    return data
  }

  for (const [what, events, search] of [
    ['no events', 0, query(100)],
    ['no events, which can be told before', 0, query(100, '&types=nothing/known')],
    ['a few', 3, query(100)],
    ['many', 4000, query(10_000)]
  ] as const)
    t.test(`has a separate chunk for deletions, after ${what}`, async t => {
      const { length } = (await alice.do('events.get', { limit: 10_000, streams: ['diary'] })).events
      const calls = Array.from({ length: Math.max(0, events - length) }, () => ({
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(100) }
      }))
      await alice.do('callBatch', calls)
      const data = await pieces(search)
      const answer = JSON.parse(data.join(''))
      t.equal(answer.events.length, search.includes('nothing') ? 0 : events)
      t.equal(answer.eventDeletions.length, 2)
      const at = data.findIndex(piece => piece.includes('"eventDeletions":['))
      t.ok(data[at]!.startsWith(',"eventDeletions":['))
      t.ok(data[at - 1]!.endsWith(']'), 'the events end with the piece before')
      t.ok(data.every(isUtf8OfText))
    })

  t.test('is sent as one chunk if deletions are not requested', async t => {
    const { headers, body } = await alice.http('GET', '/events?limit=1')
    t.ok(headers.get('content-length'))
    t.notOk('eventDeletions' in body)
  })

  t.test('is complete in batches, and supports HEAD', async t => {
    const params = { modifiedSince: 0, includeDeletions: true, limit: 2 }
    const { results } = await alice.do('callBatch', [
      { method: 'events.get', params },
      { method: 'events.get', params }
    ])
    t.match(results, [{ eventDeletions: { length: 2 } }, { eventDeletions: { length: 2 } }])
    t.equal((await alice.http('HEAD', `/events?${query(100)}`)).status, 200)
  })
})

function isUtf8OfText(piece: string): boolean {
  return piece.isWellFormed() && isUtf8(Buffer.from(piece))
}

function query(count: number, more = ''): string {
  return `fromTime=0&toTime=9999999999&streams=diary&modifiedSince=0&limit=${count}&includeDeletions=true${more}`
}

t.test('a ZIP with an unreadable file rejects its reader, even one that is added later', async t => {
  let opened = 0
  const file = (name: string): ArchiveFile => ({
    name,
    isText: true,
    // oxlint-disable-next-line require-yield -- it throws first
    async *bytes() {
      opened++
      throw new Error('unreadable')
    }
  })
  const zip = await createZip([file('a'), file('b')])
  await new Promise(resolve => zip.once('close', resolve))
  await t.rejects(buffer(zip), { message: 'unreadable' })
  t.equal(opened, 1)
})
