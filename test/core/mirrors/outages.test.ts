/** What a peer that is down, or that does not give single series and files, means for the rest of a copy. */
import type { ServerResponse } from 'node:http'
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { send, startFakePeer, type FakePeer } from './fake-peer.js'
import { contact, follow, listWhole, notify, reaches, root, startWorld, type World } from './world.js'

t.setTimeout(400_000)

type Handle = (response: ServerResponse, count: number) => void

interface Outage {
  readonly world: World
  readonly peer: FakePeer
  /** Number of requests for the parts of each event. */
  readonly counts: Map<string, number>
  /** How everything is answered; `undefined`: as usual. */
  down: ((response: ServerResponse) => void) | undefined
}

const series = (id: string, more: object = {}): Answer => remote(id, { type: 'series:mass/kg', ...more })
const withFiles = (id: string, ...files: readonly string[]): Answer =>
  remote(id, {
    type: 'note/txt',
    content: id,
    attachments: files.map(file => ({ id: file, fileName: `${file}.txt`, type: 'text/plain', size: 4 }))
  })
const remote = (id: string, more: object): Answer => ({
  id,
  streamIds: ['health'],
  time: 1000,
  modified: 1000,
  ...more
})

/** Starts a server with these events. `handles`: how their points and files are answered, in place of one point and four bytes. */
async function start(
  t: Parameters<typeof startWorld>[0],
  events: readonly Answer[],
  handles: Readonly<Record<string, Handle>> = {}
): Promise<Outage> {
  const world = await startWorld(t, { workers: 0, cmc: { timeoutMs: 3000 } })
  const peer = await startFakePeer(t, world)
  const outage: Outage = { world, peer, counts: new Map(), down: undefined }
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? events : [])
  peer.handle = (request, response) => {
    if (outage.down) {
      outage.down(response)
      return true
    }
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    const [, id = '', file = ''] = /\/events\/([^/]+)\/([^/]+)$/.exec(pathname) ?? []
    if (id === '') return false
    const key = file === 'series' ? id : file
    const count = (outage.counts.get(key) ?? 0) + 1
    outage.counts.set(key, count)
    if (handles[key]) handles[key](response, count)
    else give(response, file)
    return true
  }
  return outage
}

function give(response: ServerResponse, file: string): void {
  if (file === 'series')
    send(response, 200, { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[1, 61]] })
  else response.writeHead(200).end('text')
}

/**
 * Waits until the copy has everything. `retry` begins another contact: one that was still failing would otherwise put off the next one,
 * and this test's clock stands still.
 */
async function becomeWhole(
  { world }: Outage,
  ids: readonly string[],
  retry: () => Promise<unknown> = async () => undefined
): Promise<void> {
  await until(async () => {
    const whole = new Set(await listWhole(world))
    if (ids.every(id => whole.has(id))) return true
    await retry()
    return false
  }, `all of ${ids.join()}`)
}

const downs: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'resets connections': response => response.destroy(),
  'answers 503': response => send(response, 503, {}),
  hangs: () => undefined
}
const letters = ['a', 'b', 'c', 'd', 'e']

const outageTest = inRotation(t, 3)
for (const [name, down] of Object.entries(downs)) {
  outageTest(`a peer that ${name} while it is asked for points`, async t => {
    const outage = await start(
      t,
      letters.map(id => series(id)),
      { b: failOnce(() => (outage.down = down), 'series') }
    )
    const { world } = outage
    const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
    const failed = await reaches(world, mirror.id, ({ error }) => error !== undefined)
    t.match(failed.error.id, /^(?:unreachable|timeout|refused)$/)
    outage.down = undefined
    await becomeWhole(outage, letters, () => notify(world, mirror.id))
    t.equal((await reaches(world, mirror.id, ({ error }) => error === undefined)).state, 'live')
    t.ok(
      [...outage.counts.values()].every(count => count <= 2),
      'nothing was asked for in vain'
    )
  })

  outageTest(`a peer that ${name} while it is asked for files`, async t => {
    const outage = await start(
      t,
      letters.map(id => withFiles(id, `f${id}`)),
      { fb: failOnce(() => (outage.down = down), 'file') }
    )
    const { world } = outage
    const id = await follow(world)
    await until(() => outage.down !== undefined, 'the outage')
    await notify(world, id)
    await reaches(world, id, ({ error }) => error !== undefined)
    outage.down = undefined
    await becomeWhole(outage, letters, () => notify(world, id))
    t.ok(
      [...outage.counts.values()].every(count => count <= 2),
      'nothing was asked for in vain'
    )
  })
}

/** Answers the first request as `down` says. */
function failOnce(down: () => (response: ServerResponse) => void, file: string): Handle {
  return (response, count) => (count === 1 ? down()(response) : give(response, file))
}

const test = inRotation(t, 2)

test('a connection that is lost once is no reason to wait', async t => {
  const outage = await start(t, [series('a'), withFiles('b', 'fb')], {
    a: (response, count) => (count === 1 ? response.destroy() : give(response, 'series')),
    fb: (response, count) => (count === 1 ? response.destroy() : give(response, 'file'))
  })
  const id = await follow(outage.world)
  await becomeWhole(outage, ['a', 'b'])
  t.equal((await reaches(outage.world, id, () => true)).error, undefined)
})

const refusals: Readonly<Record<string, Handle>> = {
  'resets the connection': response => response.destroy(),
  'answers 403': response => send(response, 403, { error: { id: 'forbidden' } }),
  'answers 404': response => send(response, 404, { error: { id: 'unknown-resource' } }),
  'answers 410': response => send(response, 410, { error: { id: 'gone' } }),
  'answers 500': response => send(response, 500, {}),
  'answers 504': response => send(response, 504, {}),
  'answers what is no part': response => send(response, 200, { x: 1 })
}

test('many points and files that are never given do not keep others from being copied', async t => {
  const many = Object.entries(refusals).flatMap(([name, handle]) =>
    Array.from({ length: 12 }, (_, at) => [`${name.replaceAll(' ', '-')}-${at}`, handle] as const)
  )
  // Later events come first.
  const later = { time: 2000 }
  const broken = many.flatMap(([id]) => [
    series(`s-${id}`, later),
    { ...withFiles(`e-${id}`, `f-${id}`), ...later }
  ])
  const handles = many.flatMap(([id, handle]) => [
    [`s-${id}`, handle],
    [`f-${id}`, handle]
  ])
  const events = [
    ...broken,
    ...letters.map(id => series(id)),
    ...letters.map(id => withFiles(`e${id}`, `f${id}`))
  ]
  const outage = await start(t, events, Object.fromEntries(handles))
  const { world } = outage
  const id = await follow(world)
  await becomeWhole(outage, [...letters, ...letters.map(each => `e${each}`)])
  t.equal((await contact(world, id)).error, undefined)
  const most = Math.max(...handles.map(([key]) => outage.counts.get(String(key)) ?? 0))
  t.ok(most <= 4, `at most ${most} requests for one`)
})

test('a file that takes a whole turn does not keep others of its event from being copied', async t => {
  const slow: Handle = response => {
    world.requesterService.clock.advance(31)
    response.writeHead(200).end('x')
  }
  const outage = await start(t, [withFiles('a', 'first', 'second', 'third')], { first: slow, third: slow })
  const { world } = outage
  await follow(world)
  const hasSecond = async (): Promise<boolean> => {
    const { events } = await world.dora.do('events.get', { streams: [root], state: 'all', fromTime: -1e9 })
    return (events[0].attachments ?? []).some(({ fileName }: Answer) => fileName === 'second.txt')
  }
  await until(hasSecond, 'the second file')
  t.ok(outage.counts.get('first')! <= 3, `${outage.counts.get('first')} requests`)
})

test('points and files that are refused are there soon after they are given', async t => {
  let isRefused = true
  const refuse: Handle = (response, _count) =>
    isRefused ? send(response, 403, { error: { id: 'forbidden' } }) : give(response, 'series')
  const refuseFile: Handle = response => (isRefused ? send(response, 404, {}) : give(response, 'file'))
  const outage = await start(t, [series('a'), withFiles('b', 'fb')], { a: refuse, fb: refuseFile })
  const { world } = outage
  const id = await follow(world)
  await until(() => outage.counts.has('a') && outage.counts.has('fb'), 'the refusals')
  isRefused = false
  await becomeWhole(outage, ['a', 'b'], () => contact(world, id))
})

test('points and files that are refused for days are there after a comparison', async t => {
  const day = 86_400
  let isRefused = true
  const handles: Readonly<Record<string, Handle>> = {
    a: response => (isRefused ? send(response, 404, {}) : give(response, 'series')),
    b: response => (isRefused ? send(response, 200, { points: 'none' }) : give(response, 'series')),
    fc: response => (isRefused ? send(response, 410, {}) : give(response, 'file'))
  }
  const outage = await start(t, [series('a'), series('b'), withFiles('c', 'fc')], handles)
  const { world } = outage
  const { clock } = world.requesterService
  const id = await follow(world)
  for (let hours = 0; hours < 60; hours += 3) {
    clock.advance(3 * 3600 - 700)
    await contact(world, id)
  }
  for (const [key, count] of outage.counts)
    t.ok(count >= 2 && count <= 14, `${key}: ${count} requests in 60 hours`)
  isRefused = false
  clock.advance(day)
  await contact(world, id)
  await contact(world, id)
  await becomeWhole(outage, ['a', 'b', 'c'])
})
