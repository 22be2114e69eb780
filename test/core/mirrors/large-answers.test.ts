/** Servers whose answers take long to read, and copies of large events that are erased: others have their turn meanwhile. */
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { send, startFakePeer, type FakePeer } from './fake-peer.js'
import { contact, follow, reaches, startWorld, type World } from './world.js'

t.setTimeout(180_000)

function event(id: string, more: object = {}): Answer {
  return { id, streamIds: ['health'], time: 1000, type: 'note/txt', content: id, modified: 1000, ...more }
}

function createKeys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 1]))
}

/** Starts a service and a peer, both accounts in this thread. */
async function start(t: Parameters<typeof startWorld>[0]): Promise<{ world: World; peer: FakePeer }> {
  const world = await startWorld(t, { workers: 0, cmc: { timeoutMs: 30_000 } })
  return { world, peer: await startFakePeer(t, world) }
}

/** Answers a list of events with a text made before, to all but the first page with none; a shorter list to smaller pages. */
function answerWith(peer: FakePeer, events: readonly Answer[]): void {
  const [all, first] = [events, events.slice(0, 1)].map(list =>
    JSON.stringify({ events: list, meta: { serverTime: 2e9 } })
  )
  peer.handle = (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.endsWith('/events') || query.has('includeDeletions') || query.get('skip') !== '0')
      return false
    response.writeHead(200).end(Number(query.get('limit')) >= events.length ? all : first)
    return true
  }
}

const unknown = { type: 'unknown/thing' }
const answers: readonly (readonly [string, () => Answer[], { events: number; skipped: number }])[] = [
  [
    'an object of very many keys',
    () => [event('odd', { ...unknown, content: createKeys(250_000) })],
    { events: 0, skipped: 2 }
  ],
  [
    'very many lists',
    () => [event('odd', { ...unknown, content: Array.from({ length: 1_000_000 }, () => []) })],
    { events: 0, skipped: 2 }
  ],
  [
    'many events with many keys',
    () =>
      Array.from({ length: 14 }, (_, at) =>
        event(`e${at}`, { ...unknown, content: createKeys(9000), clientData: createKeys(9000) })
      ),
    { events: 14, skipped: 0 }
  ]
]
for (const [name, make, expected] of answers)
  t.test(name, async t => {
    const { peer, world } = await start(t)
    answerWith(peer, make())
    let id = ''
    const longestMs = await longestTurn(async () => {
      id = await follow(world)
    })
    t.match(await reaches(world, id, () => true), { state: 'live', ...expected })
    await assertTakesLessThan(t, 120, () => longestMs, 1)
  })

t.test('very many streams', async t => {
  const { peer, world } = await start(t)
  const body = JSON.stringify({ streams: Array.from({ length: 100_000 }, () => ({ id: ' 1', name: 'one' })) })
  peer.handle = (request, response) => {
    if (!request.url?.includes('/streams')) return false
    response.writeHead(200).end(body)
    return true
  }
  const longestMs = await longestTurn(async () => {
    await follow(world)
  })
  await assertTakesLessThan(t, 120, () => longestMs, 1)
})

t.test('a deep answer', async t => {
  const { peer, world } = await start(t)
  const depth = 1_000_000
  const content = `${'['.repeat(depth)}${']'.repeat(depth)}`
  peer.handle = (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.endsWith('/events') || query.has('includeDeletions') || query.get('skip') !== '0')
      return false
    response.writeHead(200).end(`{"events":[{"content":${content}}]}`)
    return true
  }
  let id = ''
  const longestMs = await longestTurn(async () => {
    id = await follow(world)
  })
  t.match(await reaches(world, id, () => true), { state: 'live', events: 0, skipped: 2 })
  await assertTakesLessThan(t, 120, () => longestMs, 1)
})

t.test('large copies are erased in steps', async t => {
  const { peer, world } = await start(t)
  const count = 40
  const content = Array.from({ length: 100_000 }, (_, at) => `w${at * 7919}`).join(' ')
  const events = Array.from({ length: count }, (_, at) => event(`e${at}`, { time: 2000 - at, content }))
  let isDeleted = false
  peer.deletions = () => (isDeleted ? events.map(({ id }, at) => ({ id, deleted: 2e9 + at })) : [])
  peer.handle = (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.endsWith('/events') || query.has('includeDeletions')) return false
    const [limit, skip, toTime] = ['limit', 'skip', 'toTime'].map(name => Number(query.get(name)))
    const rest = events.filter(({ time }) => time <= toTime!).slice(skip, skip! + limit!)
    // Pages of more than four are too long.
    if (!isDeleted && !query.has('modifiedSince') && rest.length > 4)
      response.writeHead(200).end('x'.repeat(5_000_000))
    else send(response, 200, { events: query.has('modifiedSince') ? [] : rest, meta: { serverTime: 2e9 } })
    return true
  }
  const id = await follow(world)
  await reaches(world, id, ({ events }) => events === count)
  isDeleted = true
  const longestMs = await longestTurn(async () => {
    await contact(world, id)
  })
  t.match(await reaches(world, id, ({ events }) => events === 0), { state: 'live' })
  await assertTakesLessThan(t, 120, () => longestMs, 1)
})

t.test('what a peer allows, with more streams than a call has arguments', async t => {
  const { peer, world } = await start(t)
  peer.handle = (request, response) => {
    const isStreams = request.url?.includes('/streams') === true
    const children = Array.from({ length: 130_500 }, () => 0)
    send(
      response,
      200,
      isStreams ? { streams: [{ children }] } : { permissions: [{ streamId: 'a', level: 'read' }] }
    )
    return true
  }
  const { peerAccess } = await world.dora.do('cmc.getPeerAccess', { id: world.channel.id })
  t.match(peerAccess.permissions, [{ streamId: 'a', level: 'read', name: 'a' }])
})

t.test('a long page beyond the quota', async t => {
  const world = await startWorld(t, { workers: 0, quota: { bytes: 400_000 } })
  const peer = await startFakePeer(t, world)
  answerWith(
    peer,
    Array.from({ length: 20 }, (_, at) => event(`e${at}`, { content: 'word '.repeat(20_000) }))
  )
  const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
  const failed = await reaches(world, mirror.id, ({ error }) => error !== undefined)
  t.match(failed, { error: { id: 'over-quota' }, events: 0, state: 'starting' })
})
