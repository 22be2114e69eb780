/** Killed deletions of points remove them from the start of the range, and all of them once acknowledged. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { seeded } from '../support/random.js'
import { MortalServer } from './mortal-server.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const random = seeded(t)
const count = 300_000
/** The deleted range. */
const [from, to] = [1000, 290_000]

t.test('a server that is killed while it deletes points', async t => {
  const server = await MortalServer.start(t)
  await server.call('POST', 'streams', { id: 'points', name: 'points' })
  const { event } = await server.call('POST', 'events', {
    streamIds: ['points'],
    type: 'series:count/generic',
    time: 0
  })
  const path = `events/${event.id}/series`
  const fill = async (): Promise<void> => {
    for (let start = 0; start < count; start += 100_000) {
      const points = Array.from({ length: 100_000 }, (_, i) => [start + i, i % 7])
      await server.call('POST', path, { format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    }
  }

  const left: number[] = []
  for (let round = 1; round <= rounds; round++) {
    await fill()
    let isAcknowledged = false
    const deletion = server.call('DELETE', `${path}?fromDeltaTime=${from}&toDeltaTime=${to}`).then(
      () => (isAcknowledged = true),
      () => undefined
    )
    await wait(5 + random.below(30))
    await server.kill()
    await deletion
    await server.restart()
    const { points } = (await server.call('GET', `${path}?toDeltaTime=1e9`)) as { points: [number, number][] }
    const inside = points.filter(([at]) => at >= from && at < to)
    left.push(inside.length)
    t.equal(points.length - inside.length, count - (to - from), `round ${round}: what is outside stays`)
    const end = inside.every(([at], index) => at === to - inside.length + index)
    t.ok(end, `round ${round}: ${inside.length} points at the end are left`)
    if (isAcknowledged) t.equal(inside.length, 0, `round ${round}: all of them, as acknowledged`)
    const { points: parts } = await server.call('GET', `${path}?toDeltaTime=1e9&sample=1&summary=true`)
    t.equal(parts[0][1], points.length, `round ${round}: summaries tell the same`)
  }
  t.comment(`left in each round: ${left.join(', ')}`)

  await server.call('DELETE', `${path}?fromDeltaTime=500&toDeltaTime=1e9`)
  t.equal((await server.call('GET', `events/${event.id}`)).event.duration, 499)
  await server.stop()
})
