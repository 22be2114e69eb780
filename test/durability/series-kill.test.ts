/** Acknowledged points survive a crash, and no batch of points is torn. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { until } from '../support/socket.js'
import { MortalServer } from './mortal-server.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const random = seeded(t)
const fields = ['deltaTime', 'value']

/** Cells of one batch, by series and time: `0@12.5`. */
type Cells = ReadonlyMap<string, number>

/** Writes to its two series, both in each call, until the connection breaks. */
class PointWriter {
  /** The acknowledged cells. */
  readonly known = new Map<string, number>()
  pending: Cells | undefined
  acknowledged = 0
  #serial = 0
  #end = 0

  constructor(readonly holders: readonly string[]) {}

  async work(send: (path: string, body: object) => Promise<Answer>): Promise<void> {
    for (;;) {
      const cells = this.#cells()
      this.pending = cells
      const data = this.holders.map((eventId, series) => ({ eventId, data: flat(series, cells) }))
      try {
        await send('series/batch', { format: 'seriesBatch', data })
      } catch {
        return
      }
      for (const [key, value] of cells) this.known.set(key, value)
      this.pending = undefined
      this.acknowledged++
    }
  }

  /** Returns what is wrong with the data after a crash, then accepts it as the known state. */
  reconcile(found: Cells): string[] {
    const { known, pending = new Map<string, number>() } = this
    const isDone = [...pending].every(([key, value]) => found.get(key) === value)
    const expected = isDone ? new Map([...known, ...pending]) : known
    const wrong = [...new Set([...expected.keys(), ...found.keys()])].filter(
      key => expected.get(key) !== found.get(key)
    )
    for (const [key, value] of found) known.set(key, value)
    this.pending = undefined
    return wrong.map(key => `${key} is ${found.get(key)}, not ${expected.get(key)}`)
  }

  /** Returns a few or many points, at the end or over existing ones, each with a unique value. */
  #cells(): Cells {
    const cells = new Map<string, number>()
    // Some batches are so large that they are written in slices.
    const most = random.chance(0.1) ? 6000 : 700
    const count = random.chance(0.7) ? 1 : 1 + random.below(most)
    const start = random.chance(0.7) ? this.#end : random.below(this.#end)
    for (let i = 0; i < count; i++)
      for (const series of this.holders.keys()) cells.set(`${series}@${start + i}`, ++this.#serial)
    this.#end = Math.max(this.#end, start + count)
    return cells
  }
}

function flat(series: number, cells: Cells): object {
  const points = [...cells].flatMap(([key, value]) => {
    const [index, time] = key.split('@')
    return Number(index) === series ? [[Number(time), value]] : []
  })
  return { format: 'flatJSON', fields, points }
}

t.test('a server that is killed while it writes points', async t => {
  const server = await MortalServer.start(t)
  await server.call('POST', 'streams', { id: 'points', name: 'points' })
  const holder = async (): Promise<string> =>
    (await server.call('POST', 'events', { streamIds: ['points'], type: 'series:count/generic', time: 0 }))
      .event.id
  const team: PointWriter[] = []
  for (let i = 0; i < 4; i++) team.push(new PointWriter([await holder(), await holder()]))

  for (let round = 1; round <= rounds; round++) {
    const atWork = team.map(writer =>
      writer.work(async (path, body) => await server.call('POST', path, body))
    )
    const before = team.map(({ acknowledged }) => acknowledged)
    await until(
      () => team.every(({ acknowledged }, index) => acknowledged > before[index]! + 1),
      'each to write'
    )
    await wait(random.below(300))
    await server.kill()
    await Promise.all(atWork)
    await server.restart()
    for (const writer of team) {
      const found = new Map<string, number>()
      for (const [series, id] of writer.holders.entries()) {
        const { points } = await server.call('GET', `events/${id}/series`)
        for (const [time, value] of points as [number, number][]) found.set(`${series}@${time}`, value)
      }
      t.same(writer.reconcile(found), [], `round ${round}: ${found.size} points, as acknowledged`)
    }
  }
  for (const { acknowledged } of team) t.ok(acknowledged > rounds, `${acknowledged} calls were acknowledged`)

  // Holder events are updated with what the crash has prevented.
  for (const { holders, known } of team)
    for (const [series, id] of holders.entries()) {
      const times = [...known.keys()]
        .filter(key => key.startsWith(`${series}@`))
        .map(key => Number(key.slice(2)))
      // Too many to be passed as arguments.
      const last = times.reduce((a, b) => Math.max(a, b))
      const durationOf = async (): Promise<number> =>
        (await server.call('GET', `events/${id}`)).event.duration ?? 0
      await until(async () => (await durationOf()) === last, `the holder to last until ${last}`)
      t.pass('the holder is as long as its points')
    }
  await server.stop()
})
