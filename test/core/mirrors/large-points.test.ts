/** The points of series that take several contacts, and days. */
import t, { type Test } from 'tap'
import type { Answer } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { send, startFakePeer } from './fake-peer.js'
import { contact, follow, root, startWorld, type World } from './world.js'

t.setTimeout(280_000)

const fields = ['deltaTime', 'value']

async function findCopy({ dora }: World): Promise<Answer> {
  const params = { streams: [root], state: 'all', fromTime: -1e9, toTime: 1e12 }
  return (await dora.do('events.get', params)).events[0]
}

async function readPoints(world: World, fromDeltaTime: number, toDeltaTime: number): Promise<Answer[]> {
  const copy = await findCopy(world)
  const params = { id: copy?.id, fromDeltaTime, toDeltaTime, resolution: 'ns' }
  return copy ? (await world.dora.do('hfs.get', params)).points : []
}

const test = inRotation(t, 3)

for (const { name, seconds } of [
  { name: 'a server', seconds: 0 },
  // After 15 requests, others have their turn.
  { name: 'a slow server', seconds: 2 }
])
  test(`summaries of another rounding do not keep new points of ${name} away`, t => testRounding(t, seconds))

/** `seconds`: what each request takes. */
async function testRounding(t: Test, seconds: number): Promise<void> {
  const world = await startWorld(t, { workers: 0 })
  const peer = await startFakePeer(t, world)
  const total = 200_000
  const event = { id: 'e', streamIds: ['health'], time: 1000, type: 'series:mass/kg', modified: 1000 }
  peer.events = query => (query.get('skip') === '0' && !query.has('modifiedSince') ? [event] : [])
  let requests = 0
  peer.handle = (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.endsWith('/series')) return false
    requests++
    world.requesterService.clock.advance(seconds)
    const [from, to] = [Number(query.get('fromDeltaTime')), Number(query.get('toDeltaTime'))]
    const [first, end] = [Math.max(0, Math.ceil(from)), Math.min(total, Math.ceil(to))]
    const count = Math.max(0, end - first)
    if (query.has('summary')) {
      const buckets = Number(query.get('sample'))
      const points = Array.from({ length: buckets }, (_, at) => {
        const [start, next] = [at, at + 1].map(each => from + (each / buckets) * (to - from))
        const inside = Math.min(total, Math.ceil(next!)) - Math.ceil(start!)
        return [start, inside, 1, 1, 1.000001]
      }).filter(([, inside]) => inside! > 0)
      send(response, 200, { fields: ['deltaTime', 'count', 'value.min', 'value.max', 'value.mean'], points })
      return true
    }
    const length = Math.min(count, Number(query.get('limit')))
    const isLast = query.get('sortAscending') === 'false'
    const points = Array.from({ length }, (_, at) => [isLast ? end - 1 - at : first + at, 1])
    send(response, 200, { fields, points })
    return true
  }
  const id = await follow(world)
  await until(async () => {
    await contact(world, id)
    return (await readPoints(world, total - 2, 1e12)).length === 2
  }, 'the last points')
  await until(async () => {
    const before = requests
    await contact(world, id)
    return requests === before
  }, 'a contact that reads nothing again')
  t.equal((await readPoints(world, 100_000, 100_010)).length, 10)
}

test('points of a long series are read again although it changes every day', async t => {
  const world = await startWorld(t)
  const { paul } = world
  const event = { streamIds: ['health'], type: 'series:frequency/bpm', time: 1e9 }
  const { id } = (await paul.do('events.create', event)).event
  const add = (points: readonly number[][]): Promise<unknown> =>
    paul.do('hfs.add', { id, format: 'flatJSON', fields, points })
  const total = 240_000
  for (let at = 0; at < total; at += 20_000)
    await add(Array.from({ length: 20_000 }, (_, place) => [at + place, (at + place) % 100]))
  const mirror = await follow(world)
  // A contact that is under way ends when time passes, so their number depends on the machine.
  await until(async () => {
    await contact(world, mirror)
    return (await readPoints(world, total - 1, 1e12)).length === 1
  }, 'the last of the first points')
  // Exchanged: no summary shows it.
  await add([
    [200_001, 2],
    [200_002, 1]
  ])
  const isCopied = async (): Promise<boolean> => (await readPoints(world, 200_001, 200_002))[0]?.[1] === 2
  for (let day = 0; day < 12 && !(await isCopied()); day++) {
    await add([[total + day, 1]])
    world.requesterService.clock.advance(86_400)
    world.accepterService.clock.advance(86_400)
    await until(async () => {
      await contact(world, mirror)
      return (await readPoints(world, total + day, 1e12)).length === 1
    }, 'the point of the day')
  }
  t.same(await readPoints(world, 200_001, 200_003), [
    [200_001, 2],
    [200_002, 1]
  ])
})
