/** Servers that answer points and files with what means harm. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { send, startFakePeer, type FakePeer } from './fake-peer.js'
import { contact, follow, reaches, root, startWorld, type World } from './world.js'

t.setTimeout(180_000)

const remote = (id: string, more: object = {}): Answer => ({
  id,
  streamIds: ['health'],
  time: 1000,
  type: 'note/txt',
  content: id,
  modified: 1000,
  ...more
})

type Handle = (response: ServerResponse, query: URLSearchParams, count: number) => void

/** Starts a server whose paths below `events/{id}/` are answered so, with the events. */
async function start(
  t: Parameters<typeof startWorld>[0],
  events: readonly Answer[],
  handles: Readonly<Record<string, Handle>>
): Promise<{ world: World; peer: FakePeer; counts: Map<string, number> }> {
  // On a busy machine, the requests by which the two become related take more than a second.
  const world = await startWorld(t, { workers: 0, cmc: { timeoutMs: 3000 } })
  const peer = await startFakePeer(t, world)
  const counts = new Map<string, number>()
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? events : [])
  peer.handle = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const [, id = ''] = /\/events\/([^/]+)\/[^/]+$/.exec(pathname) ?? []
    const handle = handles[id]
    if (!handle) return false
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    handle(response, searchParams, count)
    return true
  }
  return { world, peer, counts }
}

async function findCopy({ dora }: World, id: string): Promise<Answer> {
  const { events } = await dora.do('events.get', {
    streams: [root],
    state: 'all',
    fromTime: -1e9,
    limit: 100
  })
  return events.find((each: Answer) => each.clientData['coffer:followed'].id === id)
}

/** Returns the points of a copy, by default all of them. */
async function readPoints(world: World, id: string, params: object = {}): Promise<unknown[]> {
  const copy = await findCopy(world, id)
  return copy
    ? (await world.dora.do('hfs.get', { id: copy.id, toDeltaTime: 1e16, resolution: 'ns', ...params })).points
    : []
}

const fields = ['deltaTime', 'value']
const points = (response: ServerResponse, rows: unknown, names: unknown = fields): void =>
  send(response, 200, { format: 'flatJSON', fields: names, points: rows })

/** Out of order, and with two points of one time. */
const disordered: Handle = response =>
  points(response, [
    [2, 62],
    [1, 61],
    [2, 63]
  ])

const test = inRotation(t, 2)

test('answers that are no points', async t => {
  const type = 'series:mass/kg'
  const handles: Record<string, Handle> = {
    none: response => send(response, 404, { error: { id: 'unknown-resource' } }),
    forbidden: response => send(response, 403, { error: { id: 'forbidden' } }),
    text: response => send(response, 200, 'x'),
    rows: response => points(response, [5, null, 'x']),
    width: response => points(response, [[1], [1, 2, 3]]),
    nan: response =>
      points(response, [
        ['NaN', 1],
        [1, 'Infinity']
      ]),
    early: response => points(response, [[-5, 1]]),
    fields: response => points(response, [[1, 2]], { length: 2 }),
    twice: response => points(response, [[1, 2, 3]], ['deltaTime', 'value', 'value']),
    redirect: response => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
    deep: response =>
      response.writeHead(200).end(`{"fields":["deltaTime","value"],"points":${'['.repeat(400_000)}`),
    odd: response => points(response, [[1, { a: [1] }]])
  }
  const events = Object.keys(handles).map(id => remote(id, { type }))
  const { world } = await start(t, [...events, remote('good', { type })], { ...handles, good: disordered })
  const id = await follow(world)
  t.match(await reaches(world, id, ({ events: count }) => count === 13), { state: 'live' })
  await until(async () => (await readPoints(world, 'good')).length === 2, 'the good points')
  t.same(await readPoints(world, 'good'), [
    [1, 61],
    [2, 63]
  ])
  for (const name of Object.keys(handles)) t.same(await readPoints(world, name), [], name)
  t.equal((await contact(world, id)).error, undefined)
})

const endless: Handle = (response, query) => {
  const [from, limit] = ['fromDeltaTime', 'limit'].map(name => Number(query.get(name)))
  points(
    response,
    Array.from({ length: limit! }, (_, at) => [from! + at, at])
  )
}
// The same answer, whatever is asked for: pages do not advance.
const stuck: Handle = response =>
  points(
    response,
    Array.from({ length: 4000 }, () => [5, 1])
  )
// The limit and the range are ignored.
const all: Handle = response =>
  points(
    response,
    Array.from({ length: 50_000 }, (_, at) => [at, at])
  )
const long: Handle = response => response.writeHead(200).end(Buffer.alloc(3_000_000, 32))
const slow: Handle = () => undefined
const one: Handle = response => points(response, [[1, 61]])
const longEnd: Handle = (response, query, count) =>
  query.has('summary') || query.has('sortAscending')
    ? long(response, query, count)
    : endless(response, query, count)

test('points without an end', async t => {
  const type = 'series:mass/kg'
  const handles = { endless, stuck, all, long, longEnd, slow, good: one }
  const list = Object.keys(handles).map(id => remote(id, { type }))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const { counts, world } = await start(t, list, handles)
  const id = await follow(world).catch(() => '')
  delay.enable()
  // A contact ends after 40 requests, or 30 seconds of a slow machine; the rest needs further ones.
  let contacts = 0
  let latest = 0
  await until(async () => {
    if (contacts < 4 || performance.now() - latest > 2000) {
      world.requesterService.clock.advance(700)
      contacts++
      latest = performance.now()
    }
    const [good, last] = [
      await readPoints(world, 'good'),
      await readPoints(world, 'all', { fromDeltaTime: 49_999 })
    ]
    return contacts >= 4 && good.length === 1 && last.length === 1
  }, 'the points that can be had')
  delay.disable()
  t.ok((counts.get('long') ?? 0) < 60, `${counts.get('long')} answers that are too long`)
  t.ok((counts.get('slow') ?? 0) < 10, `${counts.get('slow')} answers that do not come`)
  t.ok((counts.get('endless') ?? 0) <= 100 * contacts, `${counts.get('endless')} endless pages`)
  t.comment(`longest block ${(delay.max / 1e6).toFixed(0)} ms`)
  t.equal((await readPoints(world, 'good')).length, 1)
  t.equal((await readPoints(world, 'all')).length, 50_000)
  t.type(id, 'string')
})

test('points whose answers are too long do not fail a contact', async t => {
  const list = ['long', 'longEnd'].map(id => remote(id, { type: 'series:mass/kg' }))
  const { counts, world } = await start(t, list, { long, longEnd })
  const id = await follow(world)
  const getCount = (name: string): number => counts.get(name) ?? 0
  // On a busy machine, the next contact's time ends one that is under way: some make few requests, all for the same event.
  const isMissing = (): boolean => getCount('longEnd') <= 40 || getCount('long') === 0
  for (let count = 0; count < 3 || (count < 20 && isMissing()); count++)
    t.equal((await contact(world, id)).error, undefined)
  t.ok(getCount('longEnd') > 40, 'goes on in the next contact')
  t.ok(getCount('long') > 0 && getCount('long') < 60, 'is given up')
})

const integrity = (text: string | Buffer, algorithm = 'sha256'): string =>
  `${algorithm}-${createHash(algorithm).update(text).digest('base64')}`

test('files that are not what was announced', async t => {
  const bytes = Buffer.from('good bytes')
  const file = (more: object = {}): Answer => ({
    id: 'file',
    fileName: 'a.txt',
    type: 'text/plain',
    size: bytes.length,
    integrity: integrity(bytes),
    ...more
  })
  const answer: Handle = response => response.writeHead(200).end(bytes)
  const list: Readonly<Record<string, readonly [Answer, Handle]>> = {
    larger: [file(), response => response.writeHead(200).end(Buffer.alloc(1_000_000))],
    shorter: [file(), response => response.writeHead(200).end('x')],
    lying: [file({ integrity: integrity('other') }), answer],
    huge: [file({ size: 1e12 }), answer],
    negative: [file({ size: -1 }), answer],
    redirect: [file(), response => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
    gone: [file(), response => send(response, 404, { error: { id: 'unknown-resource' } })],
    endless: [
      file({ size: 50_000_000, integrity: undefined }),
      response => response.writeHead(200).write('x')
    ],
    good: [file({ fileName: '../../etc\r\npass\u202ewd', type: 'text/html\r\nx: y' }), answer],
    other: [file({ integrity: integrity(bytes, 'md5') }), answer],
    plain: [file({ integrity: undefined }), answer]
  }
  const events = Object.entries(list).map(([id, [attachment]]) => remote(id, { attachments: [attachment] }))
  const handles = Object.fromEntries(Object.entries(list).map(([id, [, handle]]) => [id, handle]))
  const { counts, world } = await start(t, events, handles)
  const id = await follow(world)
  const copied = ['good', 'other', 'plain']
  await until(async () => {
    // Those that fail are tried again, with growing pauses.
    world.requesterService.clock.advance(700)
    const copies = await Promise.all(copied.map(each => findCopy(world, each)))
    return copies.every(copy => copy?.attachments?.length === 1)
  }, 'the good files')
  const good = (await findCopy(world, 'good')).attachments[0]
  t.match(good, { fileName: 'etc  passwd', type: 'application/octet-stream', size: bytes.length })
  for (const name of Object.keys(list)) {
    if (copied.includes(name)) continue
    t.notOk((await findCopy(world, name)).attachments?.length, name)
    t.ok((counts.get(name) ?? 0) <= 6, `${name}: ${counts.get(name)} requests`)
  }
  t.equal(counts.get('huge'), undefined)
  t.match(await reaches(world, id, () => true), { state: 'live' })
})

test('files for which there is no room are not read', async t => {
  const world = await startWorld(t, { workers: 0, quota: { bytes: 400_000 } })
  const peer = await startFakePeer(t, world)
  const list = [
    remote('large', { attachments: [{ id: 'a', fileName: 'a.bin', type: 'x/y', size: 500_000 }] }),
    remote('small', { attachments: [{ id: 'b', fileName: 'b.bin', type: 'x/y', size: 1000 }] })
  ]
  let large = 0
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? list : [])
  peer.handle = (request, response) => {
    const [, file] = /\/events\/\w+\/([ab])$/.exec(request.url ?? '') ?? []
    if (file === undefined) return false
    if (file === 'a') large++
    response.writeHead(200).end(Buffer.alloc(file === 'a' ? 500_000 : 1000))
    return true
  }
  const id = await follow(world)
  await until(async () => (await findCopy(world, 'small'))?.attachments?.length === 1, 'the small file')
  // Files are copied in order: this one comes after the first attempt for the large one.
  list.push(remote('later', { attachments: list[1]!.attachments, modified: 2000 }))
  peer.events = query => (query.get('skip') === '0' ? list : [])
  await until(async () => {
    await contact(world, id)
    return (await findCopy(world, 'later'))?.attachments?.length === 1
  }, 'the later file')
  t.equal(large, 0)
  t.notOk((await findCopy(world, 'large')).attachments?.length)
})

test('names that are cut, and files that change while they are read', async t => {
  const text = 'some text'
  const name = `${'a'.repeat(1023)}\u{1F600}.txt`
  const file = { id: 'f', fileName: name, type: 'text/html', size: text.length, integrity: integrity(text) }
  const other = { ...file, integrity: integrity('other txt') }
  const world = await startWorld(t, { workers: 0 })
  const peer = await startFakePeer(t, world)
  let [version, served] = [1, 0]
  const event = (): Answer =>
    remote('flips', { attachments: [version % 2 === 0 ? other : file], modified: 1000 + version })
  peer.events = query =>
    query.get('skip') === '0' && Number(query.get('modifiedSince') ?? 0) < event().modified ? [event()] : []
  const waiting: ServerResponse[] = []
  peer.handle = (request, response) => {
    if (!request.url?.endsWith('/events/flips/f')) return false
    served++
    if (served === 1) waiting.push(response)
    else response.writeHead(200).end(version % 2 === 0 ? 'other txt' : text)
    return true
  }
  const id = await follow(world)
  await until(async () => waiting.length === 1, 'a request')
  version = 2
  await contact(world, id)
  waiting[0]!.writeHead(200).end(text)
  await until(async () => {
    await contact(world, id)
    return (await findCopy(world, 'flips'))?.attachments?.length === 1
  }, 'the file')
  const copy = await findCopy(world, 'flips')
  const [attachment] = copy.attachments
  t.match(attachment, { integrity: integrity('other txt') })
  t.equal(attachment.fileName.isWellFormed(), true)
  const { access, service, username } = world.dora
  const url = `${service.server.url}/${username}/events/${copy.id}/${attachment.id}`
  const answer = await fetch(url, { headers: { authorization: access.token } })
  t.equal(answer.status, 200)
  t.equal(await answer.text(), 'other txt')
  t.match(answer.headers.get('content-security-policy'), 'sandbox')
  t.match(answer.headers.get('content-disposition'), /^attachment/)
})
