/** Servers that ask not to be called for a while: nothing is asked of them until then, and what they refuse delays nothing else. */
import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import type { Answer } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { send, startFakePeer, type FakePeer } from './fake-peer.js'
import { listWhole, notify, reaches, startWorld, type World } from './world.js'

t.setTimeout(180_000)

const letters = ['a', 'b', 'c', 'd', 'e']
const events = letters.flatMap((id, index): Answer[] => [
  { id: `s${id}`, type: 'series:mass/kg', streamIds: ['health'], time: 1000 - index, modified: 1000 },
  {
    id: `e${id}`,
    type: 'note/txt',
    content: id,
    streamIds: ['health'],
    time: 1000 - index,
    modified: 1000,
    attachments: [{ id: `f${id}`, fileName: `${id}.txt`, type: 'text/plain', size: 4 }]
  }
])

/** Starts a server with five series and five files. `refuse`: refuses a request for a series or a file; returns false to leave it. */
async function start(
  t: Test,
  refuse: (id: string, response: ServerResponse) => boolean
): Promise<{ readonly world: World; readonly peer: FakePeer }> {
  const world = await startWorld(t, { workers: 0, cmc: { timeoutMs: 3000 } })
  const peer = await startFakePeer(t, world)
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? events : [])
  peer.handle = (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    const [, id = '', file = ''] = /\/events\/([^/]+)\/([^/]+)$/.exec(pathname) ?? []
    if (id === '') return false
    if (refuse(file === 'series' ? id : file, response)) return true
    if (file === 'series')
      send(response, 200, { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[1, 61]] })
    else response.writeHead(200).end('text')
    return true
  }
  return { world, peer }
}

function refuseFor(response: ServerResponse, seconds: number, status = 429): true {
  response.writeHead(status, { 'retry-after': String(seconds) }).end('{}')
  return true
}

const all = events.map(({ id }) => id).toSorted()

async function untilWhole(world: World, ids: readonly string[]): Promise<void> {
  await until(async () => (await listWhole(world)).join() === ids.join(), `all of ${ids.join()}`)
}

/** Makes the contact due now, and waits for its end. */
async function contactNow(world: World, mirrorId: string): Promise<void> {
  await notify(world, mirrorId)
  const { accounts, clock } = (world.requesterService.server as unknown as { services: Services }).services
  const { mirrors } = accounts.openStore(accounts.find(world.dora.username)!)
  await until(() => (mirrors.find(mirrorId)?.next ?? 0) > clock.now(), 'the end of the contact')
}

for (const [name, refused, status] of [
  ['a series', 'sc', 429],
  ['a series', 'sc', 503],
  ['a file', 'fc', 429],
  ['a file', 'fc', 503]
] as const)
  t.test(`a server that answers ${status} with Retry-After to a request for ${name}`, async t => {
    let left = 1
    let callsBefore = 0
    const { peer, world } = await start(t, (id, response) => {
      if (id !== refused || left-- <= 0) return false
      callsBefore = peer.calls.length
      return refuseFor(response, 300, status)
    })
    const { clock } = world.requesterService
    const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
    await until(() => callsBefore > 0, 'the refusal')
    for (let times = 0; times < 3; times++) {
      clock.advance(90)
      await contactNow(world, mirror.id)
    }
    t.same(peer.calls.slice(callsBefore), [], 'nothing is asked for')
    t.not((await listWhole(world)).length, all.length)
    // The clock may have been advanced before the refusal had arrived.
    clock.advance(200)
    await untilWhole(world, all)
    await reaches(world, mirror.id, ({ error, state }) => state === 'live' && error === undefined)
  })

t.test('a series and a file that are always refused so do not keep the others from being copied', async t => {
  const asked: string[] = []
  const { world } = await start(t, (id, response) => {
    if (id !== 'sc' && id !== 'fc') return false
    asked.push(id)
    return refuseFor(response, 20)
  })
  const { clock } = world.requesterService
  const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
  const others = all.filter(id => id !== 'sc' && id !== 'ec')
  await until(async () => {
    await contactNow(world, mirror.id)
    clock.advance(25)
    return (await listWhole(world)).join() === others.join()
  }, 'the others')
  t.ok(clock.now() < 1_700_000_600, 'within ten minutes')
  const before = asked.length
  t.ok(before <= 8, `${before} requests in vain`)
  for (let hours = 0; hours < 20; hours++) {
    clock.advance(3600)
    await contactNow(world, mirror.id)
  }
  t.ok(asked.length <= 14, `${asked.length} requests in vain in 20 hours`)
})

t.test('what a server asks for ends with the copy', async t => {
  const { peer, world } = await start(t, (id, response) => id === 'sc' && refuseFor(response, 86_400))
  const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
  await until(() => peer.calls.some(path => path.includes('/sc/')), 'the refusal')
  await world.dora.do('mirrors.delete', { id: mirror.id })
  await reaches(world, mirror.id, ({ state }) => state === 'erased')
})

t.test('messages wait as well', async t => {
  let isRefused = false
  const { peer, world } = await start(t, () => false)
  const { channel, dora, requesterService } = world
  const handle = peer.handle
  peer.handle = (request, response) => {
    if (request.method !== 'POST' || !request.url?.endsWith('/events')) return handle(request, response)
    if (isRefused) return refuseFor(response, 300)
    send(response, 201, { event: {} })
    return true
  }
  isRefused = true
  const streamId = channel.clientData.cmc.scopeStreamId
  const chat = { streamIds: [`${streamId}:chats:paul-patient--127-0-0-1`], type: 'message/chat-cmc' }
  const { event } = await dora.do('events.create', { ...chat, content: { content: 'hello' } })
  await until(() => peer.calls.length > 0, 'the refusal')
  isRefused = false
  const calls = peer.calls.length
  const { mirror } = await dora.do('mirrors.create', { accessId: channel.id })
  await contactNow(world, mirror.id)
  t.equal(peer.calls.length, calls, 'a copy of what the same peer shares waits')
  requesterService.clock.advance(310)
  await until(
    async () => (await dora.do('events.getOne', { id: event.id })).event.content.status === 'completed',
    'the message'
  )
  await reaches(world, mirror.id, ({ state }) => state === 'live')
  await untilWhole(world, all)
})
