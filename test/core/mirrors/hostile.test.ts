/** Servers that fail, and servers that mean harm. */
import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import { writeAsService } from '../../../core/cmc/service-calls.js'
import { parseProgress } from '../../../core/mirrors/progress.js'
import type { Answer } from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { send, startFakePeer, type FakePeer } from './fake-peer.js'
import { contact, follow, listCopies, reaches, root, startWorld, type World } from './world.js'

t.setTimeout(180_000)

function event(id: string, more: object = {}): Answer {
  return { id, streamIds: ['health'], time: 1000, type: 'note/txt', content: id, modified: 1000, ...more }
}

/** Starts a service and a peer, which has 30 seconds for an answer unless the test waits for the timeout. */
async function start(
  t: Parameters<typeof startWorld>[0],
  timeoutMs = 30_000
): Promise<{ world: World; peer: FakePeer }> {
  // Both accounts in this thread, so that the test reaches the file.
  const world = await startWorld(t, { workers: 0, cmc: { timeoutMs } })
  return { world, peer: await startFakePeer(t, world) }
}

async function create({ channel, dora }: World): Promise<string> {
  return (await dora.do('mirrors.create', { accessId: channel.id })).mirror.id
}

t.test('failures never erase anything', async t => {
  const { peer, world } = await start(t, 1000)
  peer.events = query => (query.get('skip') === '0' ? [event('one')] : [])
  const id = await follow(world)
  t.same(await listCopies(world), ['one'])
  const failures: readonly (readonly [string, FakePeer['handle'], object])[] = [
    ['500', (_request, response) => (send(response, 500, {}), true), { id: 'refused', status: 500 }],
    [
      '403 of a proxy',
      (_request, response) => (send(response, 403, 'no'), true),
      { id: 'refused', status: 403 }
    ],
    [
      'another error',
      (_request, response) => (send(response, 401, { error: { id: 'unavailable-method' } }), true),
      { id: 'refused', status: 401 }
    ],
    [
      'a redirect',
      (_request, response) => (response.writeHead(302, { location: 'http://127.0.0.1/' }).end(), true),
      { id: 'refused', status: 302 }
    ],
    ['no end', () => true, { id: 'timeout' }],
    ['a closed connection', (_request, response) => (response.destroy(), true), { id: 'unreachable' }],
    ['another body', (_request, response) => (send(response, 200, { x: 1 }), true), { id: 'odd-response' }],
    [
      'a long body',
      (_request, response) => (response.writeHead(200).end('x'.repeat(5_000_000)), true),
      { id: 'too-large' }
    ]
  ]
  for (const [name, handle, error] of failures) {
    peer.handle = handle
    await reaches(world, id, mirror => {
      const isReached = JSON.stringify(mirror.error) === JSON.stringify(error)
      if (!isReached) world.requesterService.clock.advance(8000)
      return isReached
    })
    t.same(await listCopies(world), ['one'], name)
  }
  peer.handle = () => false
  const healed = await reaches(world, id, mirror => {
    world.requesterService.clock.advance(8000)
    return mirror.error === undefined
  })
  t.match(healed, { state: 'live', events: 1 })
})

t.test('the end of the permission', async t => {
  const answers = [
    [401, 'invalid-access-token'],
    [403, 'forbidden'],
    [410, 'invalid-access-token']
  ] as const
  for (const [status, id] of rotate(t, answers)) {
    const { peer, world } = await start(t)
    peer.events = query => (query.get('skip') === '0' ? [event('one')] : [])
    const mirror = await follow(world)
    const refuse: FakePeer['handle'] = (_request, response) => (
      send(response, status, { error: { id } }),
      true
    )
    // For a moment, as of a proxy that drops a header: nothing is erased.
    for (let time = 0; time < 2; time++) {
      peer.handle = refuse
      world.requesterService.clock.advance(8000)
      await reaches(world, mirror, ({ error }) => error?.status === status)
      t.same(await listCopies(world), ['one'])
      peer.handle = () => false
      world.requesterService.clock.advance(8000)
      await reaches(world, mirror, ({ error }) => error === undefined)
    }
    peer.handle = refuse
    world.requesterService.clock.advance(8000)
    await reaches(world, mirror, ({ error }) => error?.status === status)
    world.requesterService.clock.advance(100)
    await reaches(world, mirror, ({ state }) => state === 'erased')
    t.notMatch(JSON.stringify(await world.dora.do('streams.get')), root)
  }
})

const test = inRotation(t, 2)

test('what does not fit', async t => {
  const { peer, world } = await start(t)
  const deep: { id: string; name: string; children: unknown[] } = { id: 'd0', name: 'd', children: [] }
  let at = deep
  for (let depth = 1; depth < 2000; depth++) {
    const next = { id: `d${depth}`, name: 'd', children: [] }
    at.children.push(next)
    at = next
  }
  peer.streams = [
    { id: 'health', name: 'Health', children: [{ id: 'health', name: 'itself', children: [] }] },
    { id: 'a b/ü', name: 'Health', children: [] },
    { id: ':_cmc:inbox', name: 'x', children: [{ id: 'below', name: 'x', children: [] }] },
    { id: '.email', name: 'x', children: [] },
    { id: 7 },
    null,
    'x',
    deep
  ]
  const list = [
    event('good', {
      modified: 2000,
      clientData: { cmc: { role: 'counterparty' }, 'coffer:rule': 1, own: 2 }
    }),
    event('good', { modified: 2000 }),
    event('outside', { streamIds: ['private'] }),
    event('escape', { streamIds: ['..', ':_cmc:inbox', root] }),
    event('type', { type: '../x' }),
    event('series', { type: 'series:mass/unknown' }),
    event('content', { type: 'mass/kg', content: 'heavy' }),
    event('request', { type: 'consent/accept-cmc', content: { capabilityUrl: 'http://x@y/z/' } }),
    event('files', { attachments: [{ fileName: 'a.txt', size: 3, type: 'text/plain', id: 'x' }, 5] }),
    event('early', { time: -5 })
  ]
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? list : [])
  const id = await follow(world)
  t.match(await reaches(world, id, () => true), { events: 4, skipped: 3 })
  const { events } = await world.dora.do('events.get', { streams: [root], limit: 50 })
  const good = events.find(({ content }: Answer) => content === 'good')
  t.same(good.clientData, { own: 2, 'coffer:followed': { id: 'good', host: '127.0.0.1' } })
  const files = events.find(({ content }: Answer) => content === 'files')
  t.notOk('attachments' in files)
  t.match(files.clientData['coffer:followed'].files, [{ fileName: 'a.txt', size: 3, type: 'text/plain' }])
  const ids: string[] = []
  const walk = (streams: Answer[], depth: number): number =>
    streams.reduce((most, { children, id: streamId }) => {
      ids.push(streamId)
      return Math.max(most, walk(children, depth + 1))
    }, depth)
  t.ok(walk((await world.dora.do('streams.get', { parentId: root })).streams, 0) <= 51)
  t.notMatch(ids.join(' '), /_cmc|email|below/)
  t.equal(new Set(ids).size, ids.length)
})

test('endless and shuffled pages', async t => {
  const { peer, world } = await start(t)
  let count = 0
  peer.events = query =>
    Array.from({ length: 500 }, () => {
      count++
      return event(`e${count}`, { time: Number(query.get('toTime')) < 1e15 ? 900 : 1000 })
    })
  const id = await create(world)
  await reaches(world, id, ({ events }) => events >= 4000)
  t.match(await reaches(world, id, () => true), { state: 'starting' }, 'it goes on, page by page')
  peer.events = () => [event('a', { time: 5 }), event('b', { time: 6 })]
  await reaches(world, id, ({ error }) => error?.id === 'odd-response')
  await world.dora.do('mirrors.delete', { id })
  await reaches(world, id, ({ state }) => state === 'erased')
})

test('clocks that go back', async t => {
  const { peer, world } = await start(t)
  let list = [event('one', { modified: 5000 })]
  peer.events = query =>
    query.get('skip') === '0'
      ? list.filter(({ modified }) => modified > Number(query.get('modifiedSince') ?? 0))
      : []
  const id = await follow(world)
  list = [event('one', { modified: 5000 }), event('two', { modified: 10 })]
  await contact(world, id)
  t.same(await listCopies(world), ['one'], 'not seen by the cursor')
  world.requesterService.clock.advance(90_000)
  await contact(world, id)
  await reaches(world, id, ({ events }) => events === 2)
  list = [event('two', { modified: 10 })]
  world.requesterService.clock.advance(90_000)
  await reaches(world, id, ({ events }) => events === 1)
  t.same(await listCopies(world), ['two'], 'what is gone is erased by the comparison')
})

test('events that are too large', async t => {
  const { peer, world } = await start(t)
  const list = Array.from({ length: 30 }, (_, n) => event(`e${n}`, { time: 100 - n, modified: 100 + n }))
  list[7].description = 'x'.repeat(5_000_000)
  peer.events = query => {
    const { limit, modifiedSince = -1, skip, toTime } = Object.fromEntries(query)
    return list
      .filter(({ modified, time }) => time <= Number(toTime) && modified > Number(modifiedSince))
      .slice(Number(skip), Number(skip) + Number(limit))
  }
  const id = await follow(world)
  t.match(await reaches(world, id, () => true), { events: 29, skipped: 1 })
})

test('a server that has not taken a report is told of the erasure all the same', async t => {
  const { peer, world } = await start(t)
  const id = await follow(world)
  const live = await reaches(world, id, ({ state }) => state === 'live')
  t.match(live, { state: 'live' })
  await contact(world, id)
  peer.calls.length = 0
  await world.dora.do('mirrors.delete', { id })
  await reaches(world, id, ({ state }) => state === 'erased')
  await until(
    async () => await Promise.resolve(peer.calls.some(call => call.includes('/mirrors/report'))),
    'the report'
  )
})

test('deletions that take a whole turn each', async t => {
  const { peer, world } = await start(t)
  const id = await follow(world)
  let time = 10_000
  peer.deletions = () => {
    world.requesterService.clock.advance(31)
    return list(() => ++time)
  }
  peer.calls.length = 0
  world.requesterService.clock.advance(700)
  await until(() => peer.calls.filter(call => call.includes('/streams?')).length > 3, 'some contacts')
  const kinds = peer.calls.map(call => (call.includes('includeDeletions') ? 'd' : 's')).join('')
  t.match(kinds, /^(?:sd)+s?$/, 'others have their turn after each page')
  peer.deletions = () => []
  await reaches(world, id, ({ error }) => error === undefined)
})

const list = (deleted: (index: number) => unknown): object[] =>
  Array.from({ length: 1000 }, (_, index) => ({ id: `gone ${index}`, deleted: deleted(index) }))

test('endless deletions', async t => {
  const { peer, world } = await start(t)
  peer.events = query => (query.get('skip') === '0' ? [event('one')] : [])
  const id = await follow(world)
  await t.test('at one time', async t => {
    peer.deletions = () => list(() => 5000)
    world.requesterService.clock.advance(700)
    const mirror = await reaches(world, id, ({ error }) => error !== undefined)
    t.match(mirror, { state: 'live', error: { id: 'too-many-events' } })
  })
  await t.test('at later and later times', async () => {
    const { services } = world.requesterService.server as unknown as { services: Services }
    const account = services.accounts.find(world.dora.username)!
    await writeAsService(services, account, ({ store }) => {
      const stored = store.mirrors.find(id)!
      const progress = { ...parseProgress(stored), contacts: 995, deletedSkip: 0 }
      store.mirrors.put({ ...stored, progress: JSON.stringify(progress) })
    })
    let time = 10_000
    peer.deletions = () => list(() => ++time)
    world.requesterService.clock.advance(8000)
    await reaches(world, id, ({ error }) => error === undefined)
    const store = services.accounts.openStore(account)
    await until(() => {
      const stored = store.mirrors.find(id)!
      return (parseProgress(stored).contacts ?? 0) > 1000 && stored.next! > services.clock.now()
    }, 'a pause')
  })
})

test('events that are nested too deeply', async t => {
  const { peer, world } = await start(t)
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const list = [
    event('content', { type: 'x/y', content: '' }),
    event('data', { clientData: { a: '' } }),
    event('good')
  ].map(each => JSON.stringify(each).replace('""', deep))
  peer.handle = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.endsWith('/events') || searchParams.has('includeDeletions')) return false
    const isFirst = searchParams.get('skip') === '0' && !searchParams.has('modifiedSince')
    response.writeHead(200).end(`{"events":[${isFirst ? list.join() : ''}],"meta":{"serverTime":2e9}}`)
    return true
  }
  const id = await follow(world)
  t.match(await reaches(world, id, () => true), { events: 2, skipped: 1 })
  t.same(await listCopies(world), ['data', 'good'])
})

test('pages of an account on the same service that are too large', async t => {
  const limits = { batchResultBytes: 1_048_576 }
  const world = await startWorld(t, { workers: 0, limits }, { isShared: true })
  for (let number = 0; number < 6; number++)
    await world.paul.event({ streamIds: ['health'], content: `${number} ${'x'.repeat(400_000)}` })
  const id = await follow(world)
  t.match(await reaches(world, id, () => true), { events: 6, skipped: 0 })
})
