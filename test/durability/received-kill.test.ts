/** What apps sent before a kill and was acknowledged is there; what they send again is there once. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { seeded } from '../support/random.js'
import { MortalServer } from './mortal-server.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const random = seeded(t)
const phones = ['a', 'b', 'c', 'd']
const start = 1_795_694_400

t.test('a server that is killed while phones send positions and places', async t => {
  const server = await MortalServer.start(t)
  const connect = async (name: string): Promise<string> =>
    (await server.call('POST', 'connections', { dialect: 'owntracks', name })).connection.token
  const tokens = await Promise.all(phones.map(connect))
  /** The first message of each phone that has not been acknowledged. */
  const next = phones.map(() => 0)

  /** Sends a position, and every third time a place, in one request. */
  const sendOne = async (phone: number, at: number): Promise<void> => {
    const common = { lat: 46 + at / 1e4, lon: phone, tst: start + at, tid: phones[phone] }
    const messages = [
      { ...common, _type: 'location' },
      ...(at % 3 === 0 ? [{ ...common, _type: 'waypoint', desc: `place ${at}` }] : [])
    ]
    const path = `from/owntracks/~${tokens[phone]}`
    await server.call('POST', path, messages)
  }

  for (let round = 1; round <= rounds; round++) {
    const killed = new AbortController()
    const running = phones.map(async (_name, phone) => {
      while (!killed.signal.aborted) {
        try {
          await sendOne(phone, next[phone]!)
          next[phone]!++
        } catch {
          return
        }
      }
    })
    await wait(100 + random.below(400))
    killed.abort()
    await server.kill()
    await Promise.all(running)
    await server.restart()
    await check(
      `round ${round}`,
      (stored, acknowledged) => stored >= acknowledged && stored <= acknowledged + 1
    )
    for (const [phone, count] of next.entries())
      for (let at = Math.max(0, count - 5); at <= count; at++) await sendOne(phone, at)
    for (const phone of next.keys()) next[phone]!++
    await check(`round ${round}, sent again`, (stored, acknowledged) => stored === acknowledged)
  }
  t.comment(`sent by each phone: ${next.join(', ')}`)
  await server.stop()

  /** Checks that the positions and places of each phone are the first ones, without gaps or duplicates. */
  async function check(name: string, fits: (stored: number, acknowledged: number) => boolean): Promise<void> {
    const { events } = await server.call('GET', 'events?limit=100000&fromTime=0&toTime=4e9')
    for (const [phone, acknowledged] of next.entries()) {
      const times: number[] = []
      const places: number[] = []
      for (const event of events) {
        if (event.type === 'position/wgs84' && event.content.longitude === phone) places.push(event.time)
        if (event.type !== 'series:position/wgs84') continue
        const { points } = await server.call('GET', `events/${event.id}/series?toDeltaTime=1e9`)
        if (points[0]?.[2] === phone) times.push(...points.map(([delta]: number[]) => event.time + delta!))
      }
      const expected = times.map((_time, at) => start + at)
      t.same(times, expected, `${name}: positions of ${phones[phone]}`)
      t.ok(fits(times.length, acknowledged), `${name}: ${times.length} of ${acknowledged}`)
      t.same(
        places.toSorted((a, b) => a - b),
        expected.filter(time => (time - start) % 3 === 0),
        `${name}: places of ${phones[phone]}`
      )
    }
  }
})
