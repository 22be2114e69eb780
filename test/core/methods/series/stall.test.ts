/** Large amounts of points are written in slices, without blocking other calls. */
import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { isLargeWrite } from '../../../../core/series/large-write.js'
import { openCoffer, type Answer, type Client } from '../../../support/coffer.js'
import { inRotation } from '../../../support/rotation.js'

t.setTimeout(900_000)

/** Returns the longest pause of the event loop, as a share of the total time. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  let [last, longest] = [begin, 0]
  let isDone = false
  const turn = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  turn()
  return longest / (performance.now() - begin)
}

/** Fails if the work blocks others for half of its time or more, three times in a row: a busy machine pauses, too. */
async function assertTakesTurns(t: Test, work: () => Promise<unknown>): Promise<void> {
  const pauses: number[] = []
  while (pauses.length < 3 && !(pauses.at(-1)! < 0.5)) pauses.push(await longestPause(work))
  t.ok(pauses.at(-1)! < 0.5, `pauses of ${pauses.join()} of the time`)
}

async function holder(
  client: Client,
  type: string
): Promise<{ id: string; add: (points: unknown[][]) => Promise<Answer> }> {
  const { id } = await client.event({ type: `series:${type}`, content: undefined })
  const form = { format: 'flatJSON', fields: ['deltaTime', 'value'] }
  return { id, add: async points => await client.call('hfs.add', { id, ...form, points }) }
}

/** Returns points that each belong to another chunk. */
function scattered(offset: number): unknown[][] {
  return Array.from({ length: 380 }, (_, n) => [n * 2048 + offset, 1]).toReversed()
}

const test = inRotation(t, 2)

test('points inserted into a large series are written in slices', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const { add, id } = await holder(alice, 'mass/kg')
  const all = 800_000
  for (let from = 0; from < all; from += 100_000)
    await add(Array.from({ length: 100_000 }, (_, n) => [from + n, n / 7]))
  await assertTakesTurns(t, async () => t.match(await add(scattered(0.5)), { status: 'ok' }))
  const data = [
    { eventId: id, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points: scattered(0.25) } }
  ]
  await assertTakesTurns(t, async () =>
    t.match(await alice.call('hfs.addBatch', { format: 'seriesBatch', data }), { status: 'ok' })
  )
  const { points } = await alice.do('hfs.get', { id, fromDeltaTime: 2048, toDeltaTime: 2049 })
  t.same(
    points.map(([time]: number[]) => time),
    [2048, 2048.25, 2048.5]
  )
})

test('points with long texts are written in slices, too, though they are few', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const { add, id } = await holder(alice, 'note/txt')
  const text = 'long '.repeat(500)
  let end = 0
  await assertTakesTurns(t, async () => {
    const points = Array.from({ length: 3900 }, () => [end++, text])
    t.match(await add(points), { status: 'ok' })
  })
  const { points } = await alice.do('hfs.get', { id, toDeltaTime: 1e6 })
  t.same(points.at(-1), [end - 1, text])
})

test('long strings in points are never joined in memory', async t => {
  const { alice, directory } = await openCoffer(t)
  await alice.stream('diary')
  const { add, id } = await holder(alice, 'note/txt')
  const long = 'long '.repeat(40_000)
  // One by one at the end, many in one call, and in between.
  for (let n = 0; n < 70; n++) t.match(await add([[n, long]]), { status: 'ok' })
  t.match(await add(Array.from({ length: 20 }, (_, n) => [100 + n, long])), { status: 'ok' })
  for (let n = 0; n < 30; n++) t.match(await add([[105 + (n + 1) / 100, long]]), { status: 'ok' })
  const { points } = await alice.do('hfs.get', { id, toDeltaTime: 1000 })
  t.equal(points.length, 120)
  t.ok(points.every(([time]: number[], at: number) => at === 0 || time! > points[at - 1][0]))
  const users = join(directory, 'users')
  const file = readdirSync(users, { recursive: true, encoding: 'utf8' }).find(name =>
    name.endsWith('user.sqlite')
  )!
  const db = new SQLite(join(users, file), { readonly: true })
  const largest = db.prepare('SELECT max(octet_length(points)) FROM series_chunk').pluck().get() as number
  db.close()
  t.ok(largest <= 512 * 1024, `${largest} bytes`)
})

test('a few points that overwrite long texts are written in slices', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  const { add, id } = await holder(alice, 'call/name')
  for (let n = 0; n < 4; n++) t.match(await add([[n, '],['.repeat(200_000)]]), { status: 'ok' })
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const form = { format: 'flatJSON', fields: ['deltaTime', 'value'] }
  const isLong = (...times: number[]): boolean =>
    isLargeWrite(store, [{ eventId: id, data: { ...form, points: times.map(time => [time, 'short']) } }])
  t.ok(isLong(0, 1))
  t.notOk(isLong(0), 'one chunk')
  t.notOk(isLong(4, 5), 'after the last point')
  t.match(await add([0, 1, 2].map(n => [n, 'short'])), { status: 'ok' })
  const { points } = await alice.do('hfs.get', { id, toDeltaTime: 1000 })
  t.same(points, [...[0, 1, 2].map(n => [n, 'short']), [3, '],['.repeat(200_000)]])
})
