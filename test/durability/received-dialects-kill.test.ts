/** What apps of every dialect sent before a kill and was acknowledged is there; what they send again is there once. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { seeded } from '../support/random.js'
import { everyDialect, getPath } from '../transports/receive/every-dialect.js'
import { MortalServer } from './mortal-server.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 15 : 1
const random = seeded(t)
// Some apps report only what has just happened.
const start = Math.floor(Date.now() / 1000) - 12 * 3600

t.test('a server that is killed while apps of every dialect send', async t => {
  const server = await MortalServer.start(t)
  const tokens: string[] = []
  for (const { dialect, fields } of everyDialect) {
    const { connection } = await server.call('POST', 'connections', { dialect, name: 'app', ...fields })
    tokens.push(connection.token)
  }
  /** The first record of each dialect that has not been acknowledged. */
  const next = everyDialect.map(() => 0)
  const sendOne = async (which: number, at: number): Promise<void> => {
    const each = everyDialect[which]!
    await server.send('POST', getPath(each, tokens[which]!), each.build(start + at, at))
  }
  for (let round = 1; round <= rounds; round++) {
    const killed = new AbortController()
    const running = everyDialect.map(async (_each, which) => {
      while (!killed.signal.aborted) {
        try {
          await sendOne(which, next[which]!)
          next[which]!++
        } catch {
          return
        }
      }
    })
    await wait(300 + random.below(700))
    killed.abort()
    await server.kill()
    await Promise.all(running)
    await server.restart()
    await check(`round ${round}`, 1)
    for (const [which, count] of next.entries())
      for (let at = Math.max(0, count - 3); at <= count; at++) await sendOne(which, at)
    for (const which of next.keys()) next[which]!++
    await check(`round ${round}, sent again`, 0)
  }
  t.comment(`sent: ${everyDialect.map(({ dialect }, which) => `${dialect} ${next[which]}`).join(', ')}`)
  await server.stop()

  /** Checks that the records of each dialect are the first ones, without gaps or duplicates. */
  async function check(name: string, maxExcess: number): Promise<void> {
    const { events } = await server.call('GET', 'events?limit=100000&fromTime=0&toTime=4e9')
    const found = everyDialect.map((): number[] => [])
    for (const event of events) {
      const type = event.type.replace('series:', '')
      if (type === event.type) {
        found[everyDialect.findIndex(each => each.type === type)]?.push(Math.round(event.time - start))
        continue
      }
      const { points } = await server.call('GET', `events/${event.id}/series?toDeltaTime=1e9`)
      const longitude = type === 'position/wgs84' ? points[0]?.[2] : undefined
      const which = everyDialect.findIndex(each => each.type === type && each.longitude === longitude)
      found[which]!.push(...points.map(([delta]: number[]) => Math.round(event.time + delta! - start)))
    }
    for (const [which, { dialect }] of everyDialect.entries()) {
      const times = found[which]!.toSorted((a, b) => a - b)
      t.same(
        times,
        times.map((_time, at) => at),
        `${name}: ${dialect}`
      )
      const excess = times.length - next[which]!
      t.ok(excess >= 0 && excess <= maxExcess, `${name}: ${times.length} of ${next[which]} of ${dialect}`)
    }
  }
})
