/** Stored series, compared with a plain map. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import { runSteps } from '../../../storage/steps.js'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { SeriesRepository, type Points } from '../../../storage/repositories/series.js'
import type { RowFormat, PointPage, Range } from '../../../storage/series/page.js'
import type { Row } from '../../../storage/series/rows.js'
import { Random } from '../../support/random.js'

const writing = { writer: 'caccess', written: 1 }

/** Opens a file with some events, numbered from 1. */
function opened(t: Test, events = 1): { db: Database; series: SeriesRepository } {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-series-'))
  const db = openFile(join(directory, 'user.sqlite'), {
    migrations: userMigrations,
    create: true,
    synchronous: 'NORMAL'
  })
  t.teardown(() => {
    db.close()
    rmSync(directory, { recursive: true, force: true })
  })
  db.exec("INSERT INTO event_type (number, name) VALUES (1, 'series:mass/kg')")
  for (let number = 1; number <= events; number++)
    db.prepare(
      "INSERT INTO event (number, id, time, type, trashed, modified, stream, body) VALUES (?, ?, 0, 1, 0, 0, 1, '{}')"
    ).run(number, `event-${number}`)
  return { db, series: new SeriesRepository(db) }
}

/** Returns whether two times are less than a millisecond apart. */
function isClose(a: number, b: number): boolean {
  return Math.round((b - a) * 1e9) < 1e6
}

function rowsOf(
  series: SeriesRepository,
  event: number,
  range: Range = { from: 0, to: Infinity },
  { isFine = true, isAscending = true }: { isFine?: boolean; isAscending?: boolean } = {}
): Row[] {
  const form: RowFormat = { width: (series.getColumns(event)?.length ?? 0) + 1, isFine }
  const rows: Row[] = []
  for (let rest: Range | undefined = range; rest;) {
    const page: PointPage = isAscending ? series.next(event, rest, form) : series.previous(event, rest, form)
    const more = JSON.parse(`[${page.text}]`) as Row[]
    if (more.length !== page.count) throw new Error('wrong count')
    rows.push(...more)
    rest = page.rest
  }
  return rows
}

function values(...rows: Row[]): Points {
  return { columns: ['value'], rows }
}

function chunkCounts(db: Database, event = 1): number[] {
  const sql = 'SELECT count FROM series_chunk WHERE event = ? ORDER BY first'
  return db.prepare(sql).pluck().all(event) as number[]
}

t.test('a series', async t => {
  t.test('returns what was written, in order of time', async t => {
    const { series } = opened(t)
    runSteps(series.add(1, values([3, 30], [5, 50]), writing))
    runSteps(series.add(1, values([1, 10], [4, 40]), writing))
    runSteps(series.add(1, values([4, 41], [6, 60]), writing))
    const all = [
      [1, 10],
      [3, 30],
      [4, 41],
      [5, 50],
      [6, 60]
    ]
    t.same(rowsOf(series, 1), all)
    t.same(rowsOf(series, 1, { from: 0, to: Infinity }, { isAscending: false }), all.toReversed())
    t.same(rowsOf(series, 1, { from: 3, to: 5 }), all.slice(1, 3))
    t.same(rowsOf(series, 1, { from: 6.5, to: 9 }), [])
    t.same(rowsOf(series, 1, { from: 0, to: 1 }), [])
    t.same(series.getBounds(1), { first: 1, until: 6 })
  })

  t.test('keeps cells for which a later write has no value', async t => {
    const { series } = opened(t)
    runSteps(
      series.add(
        1,
        {
          columns: ['a', 'b'],
          rows: [
            [1, 'x', null],
            [2, 'y', 'z']
          ]
        },
        writing
      )
    )
    runSteps(
      series.add(
        1,
        {
          columns: ['b', 'c'],
          rows: [
            [1, 'q', true],
            [2, null, false],
            [3, 'r', null]
          ]
        },
        writing
      )
    )
    t.same(series.getColumns(1), ['a', 'b', 'c'])
    t.same(rowsOf(series, 1), [
      [1, 'x', 'q', true],
      [2, 'y', 'z', false],
      [3, null, 'r', null]
    ])
  })

  t.test('pads rows that were written with fewer columns', async t => {
    const { series } = opened(t)
    runSteps(series.add(1, { columns: ['a'], rows: [[1, 1]] }, writing))
    runSteps(series.add(1, { columns: ['a', 'b'], rows: [[2, 2, 2]] }, writing))
    t.same(rowsOf(series, 1), [
      [1, 1, null],
      [2, 2, 2]
    ])
    t.same(JSON.parse(`[${series.next(1, { from: 2, to: 3 }, { width: 2, isFine: true }).text}]`), [[2, 2]])
  })

  t.test('distinguishes texts and arrays that look like a row separator', async t => {
    const { series } = opened(t)
    const rows: Row[] = [
      [1, 'a],[2,b'],
      [2, [[1], [2]]],
      [3, ']'],
      [4, [[]]]
    ]
    runSteps(series.add(1, values(...rows), writing))
    t.same(rowsOf(series, 1, { from: 2, to: 4 }), rows.slice(1, 3))
    runSteps(series.add(1, values([2.5, '],[']), writing))
    t.same(rowsOf(series, 1), [...rows.slice(0, 2), [2.5, '],['], ...rows.slice(2)])
  })

  t.test('stores nanoseconds, and returns milliseconds unless requested or points are closer', async t => {
    const { series } = opened(t)
    runSteps(series.add(1, values([0.000000001, 1], [0.000000002, 2], [0.0126, 3], [1.5, 4]), writing))
    t.same(
      rowsOf(series, 1).map(([time]) => time),
      [0.000000001, 0.000000002, 0.0126, 1.5]
    )
    t.same(
      rowsOf(series, 1, { from: 0, to: 2 }, { isFine: false }).map(([time]) => time),
      [0.000000001, 0.000000002, 0.013, 1.5]
    )
  })

  t.test('returns distinct milliseconds for distinct points, however they are read', async t => {
    const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
    t.comment(`seed ${seed}`)
    const random = new Random(seed)
    const gaps = [1e-9, 1e-6, 0.0004, 0.0006, 0.000999, 0.001, 0.0014, 0.7]
    const { series } = opened(t)
    const times = new Set<number>()
    // Small and large writes, so that neighbours are in different chunks, fine and coarse.
    for (let part = 0, time = 0; part < 24; part++) {
      const rows: Row[] = []
      for (let n = random.pick([1, 5, 50, 400]); n > 0; n--) {
        time = Math.round((time + (part % 3 === 0 ? 0.002 : random.pick(gaps))) * 1e9) / 1e9
        if (part % 3 === 0) time = Math.round(time * 1e3) / 1e3
        if (!times.has(time) && time >= (rows.at(-1)?.[0] ?? 0)) rows.push([time, n])
        times.add(time)
      }
      if (rows.length > 0) runSteps(series.add(1, values(...rows), writing))
    }
    const stored = [...times].toSorted((a, b) => a - b)
    const expected = stored.map((time, at) =>
      isClose(stored[at - 1] ?? -1, time) || isClose(time, stored[at + 1] ?? Infinity)
        ? time
        : Math.round(time * 1e3) / 1e3
    )
    t.ok(expected.every((time, at) => at === 0 || time > expected[at - 1]!))
    const form = { width: 2, isFine: false }
    for (const limit of [Infinity, 37]) {
      const forward: number[] = []
      for (let rest: Range | undefined = { from: 0, to: Infinity }; rest;) {
        const page: PointPage = series.next(1, rest, form, limit)
        forward.push(...(JSON.parse(`[${page.text}]`) as Row[]).map(([time]) => time))
        rest = page.rest
      }
      t.ok(isDeepStrictEqual(forward, expected))
      const backward: number[] = []
      for (let rest: Range | undefined = { from: 0, to: Infinity }; rest;) {
        const page: PointPage = series.previous(1, rest, form, limit)
        backward.push(...(JSON.parse(`[${page.text}]`) as Row[]).map(([time]) => time))
        rest = page.rest
      }
      t.ok(isDeepStrictEqual(backward.toReversed(), expected))
    }
    for (const summed of [undefined, [1]]) {
      const query = {
        event: 1,
        ...form,
        range: { from: 0, to: stored.at(-1)! + 0.001 },
        buckets: 99_999,
        summedCells: summed
      }
      const sampler = series.createSampler(query)
      const sampled: number[] = []
      for (let isDone = false; !isDone;) {
        const page = series.sample(sampler)
        sampled.push(...(JSON.parse(`[${page.text}]`) as Row[]).map(([time]) => time))
        isDone = page.done
      }
      t.ok(sampled.length > 100)
      t.ok(
        sampled.every((time, at) => at === 0 || time > sampled[at - 1]!),
        'a sample ascends'
      )
    }
  })

  t.test('is split into chunks of at most 2,048 points, even within one write', async t => {
    const { db, series } = opened(t)
    const rows = Array.from({ length: 10_000 }, (_, i): Row => [i, i])
    runSteps(series.add(1, values(...rows), writing))
    t.same(chunkCounts(db), [2000, 2000, 2000, 2000, 2000])
    runSteps(series.add(1, values(...rows.slice(0, 2000).map(([time]): Row => [time + 0.5, 0])), writing))
    t.ok(Math.max(...chunkCounts(db)) <= 2048)
    t.equal(rowsOf(series, 1).length, 12_000)
  })

  t.test('merges small appends, and single points that are prepended', async t => {
    const { db, series } = opened(t, 2)
    for (let i = 0; i < 2000; i++) {
      runSteps(series.add(1, values([i, i]), writing))
      runSteps(series.add(2, values([5000 - i, i]), writing))
    }
    t.ok(chunkCounts(db).length <= 2000 / 512 + 64, String(chunkCounts(db)))
    t.ok(chunkCounts(db, 2).length <= 2000 / 512 + 2, String(chunkCounts(db, 2)))
    t.equal(rowsOf(series, 1).length, 2000)
    t.equal(rowsOf(series, 2).length, 2000)
  })

  t.test('returns whole chunks, with the length of their text in bytes', async t => {
    const { db, series } = opened(t)
    const [chunks, each] = [60, 600]
    for (let chunk = 0; chunk < chunks; chunk++) {
      const rows = Array.from({ length: each }, (_, i): Row => [chunk * each + i, chunk === 30 ? 'né' : 1.25])
      runSteps(series.add(1, values(...rows), writing))
    }
    t.equal(chunkCounts(db).length, chunks)
    const sizes: number[] = []
    const form = { width: 2, isFine: false }
    for (let rest: Range | undefined = { from: 0, to: Infinity }; rest;) {
      const page: PointPage = series.next(1, rest, form)
      if (page.excess !== undefined) t.equal(page.excess, Buffer.byteLength(page.text) - page.text.length)
      sizes.push(page.text.length)
      rest = page.rest
    }
    t.ok(sizes.length <= 10, `${sizes.length} pages`)
    t.ok(Math.max(...sizes) < 128 * 1024, `${Math.max(...sizes)} characters`)
    t.equal(series.next(1, { from: 1, to: Infinity }, form, 2000).count, each - 1, 'cut at the start')
    t.equal(
      series.next(1, { from: 599.5, to: Infinity }, form, 2000).count,
      3 * each,
      'no more than the limit'
    )
    t.equal(series.next(1, { from: 599.5, to: 1500 }, form).count, each, 'none that goes beyond the end')
  })

  t.test('is deleted with its event', async t => {
    const { db, series } = opened(t, 2)
    for (const event of [1, 2]) runSteps(series.add(event, values([1, 1]), writing))
    db.prepare('DELETE FROM event WHERE number = 1').run()
    t.same(chunkCounts(db), [])
    t.equal(series.getColumns(1), undefined)
    t.same(rowsOf(series, 2), [[1, 1]])
  })

  t.test('lists holder events that are outdated', async t => {
    const { series } = opened(t, 2)
    runSteps(series.add(2, values([7, 1]), { writer: 'cme', written: 12 }))
    t.same(series.listOutdated(10), [{ number: 2, id: 'event-2', until: 7, written: 12, writer: 'cme' }])
    series.markUpToDate(2)
    t.same(series.listOutdated(10), [])
    runSteps(series.add(2, values([3, 1]), writing))
    t.match(series.listOutdated(10), [{ number: 2, until: 7, writer: 'caccess' }])
  })
})

t.test('a series equals a plain map after thousands of writes', async t => {
  const isLong = process.env['COFFER_TEST_LONG'] === '1'
  for (const seed of isLong ? [1, 2, 3, 4] : [1, 2]) {
    const { db, series } = opened(t)
    const random = generator(seed)
    const model = new Map<number, (number | null)[]>()
    const columns = ['a', 'b', 'c']
    for (let step = 0; step < (isLong ? 2500 : 1000); step++) {
      const used = columns.filter((_, index) => random(20 + step) > index * 8)
      const rows = someRows(random, used.length, seed)
      db.transaction(() => runSteps(series.add(1, { columns: used, rows }, writing)))()
      for (const [time, ...cells] of rows) {
        const known = model.get(time) ?? [null, null, null]
        used.forEach((name, index) => {
          known[columns.indexOf(name)] = (cells[index] as number | null) ?? known[columns.indexOf(name)]!
        })
        model.set(time, known)
      }
      if (step % 25 !== 0) continue
      const from = random(3000)
      const to = from + random(2000)
      const names = series.getColumns(1) ?? []
      const expected = [...model]
        .filter(([time]) => time >= from && time < to)
        .toSorted(([a], [b]) => a - b)
        .map(([time, cells]) => [time, ...names.map(name => cells[columns.indexOf(name)])])
      const isAscending = step % 50 === 0
      const found = rowsOf(series, 1, { from, to }, { isAscending })
      if (JSON.stringify(found) !== JSON.stringify(isAscending ? expected : expected.toReversed()))
        t.same(found, isAscending ? expected : expected.toReversed(), `seed ${seed}, step ${step}`)
    }
    t.ok(model.size > 500)
    t.ok(Math.max(...chunkCounts(db)) <= 2048)
    checkInvariants(t, db)
  }
})

/** Returns ascending rows: mostly after the existing ones, sometimes anywhere, sometimes many. */
function someRows(random: (below: number) => number, width: number, seed: number): Row[] {
  const count = random(30) === 0 ? 1 + random(3000) : 1 + random(4)
  const start = random(3) === 0 ? random(5000) : random(100)
  const times = new Set<number>()
  for (let i = 0; i < count; i++) times.add(count > 4 ? start + i / 4 : start + random(seed * 300) / 2)
  return [...times]
    .toSorted((a, b) => a - b)
    .map((time): Row => [
      time,
      ...Array.from({ length: width }, () => (random(9) === 0 ? null : random(1000)))
    ])
}

function checkInvariants(t: Test, db: Database): void {
  const sql = 'SELECT first, last, count, points FROM series_chunk WHERE event = 1 ORDER BY first'
  let end = -1
  for (const { first, last, count, points } of db.prepare(sql).all() as {
    first: number
    last: number
    count: number
    points: string
  }[]) {
    const rows = JSON.parse(`[${points}]`) as Row[]
    const isSound = first > end && rows.length === count && rows[0]![0] === first && rows.at(-1)![0] === last
    if (!isSound) t.fail(`the chunk at ${first} is not sound`)
    end = last
  }
  t.ok(end > 0)
}

/** Returns a reproducible random number generator. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
