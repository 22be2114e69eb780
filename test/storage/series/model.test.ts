/** Points written, overwritten, deleted, read and sampled at random, compared with a plain map without chunks. */
import t, { type Test } from 'tap'
import type { Database } from 'better-sqlite3'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { SeriesRepository } from '../../../storage/repositories/series.js'
import type { PointPage, Range } from '../../../storage/series/page.js'
import type { Row } from '../../../storage/series/rows.js'
import { openInMemory } from '../../../storage/sqlite/open.js'
import { runSteps } from '../../../storage/steps.js'
import { Random } from '../../support/random.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const given = process.env['COFFER_TEST_SEED']
const seeds = given ? [Number(given)] : isLong ? [1, 2, 3, Date.now() % 1e6] : [Date.now() % 1e6]
const steps = isLong ? 400 : 120

const columns = ['a', 'b', 'note', 'c']
const numeric = ['a', 'b', 'c']
type Cells = Record<string, unknown>

/** The same series twice: stored, and as a map. */
class Twins {
  readonly db: Database = openInMemory(userMigrations)
  readonly series: SeriesRepository
  readonly points = new Map<number, Cells>()
  #end = 0

  constructor(readonly random: Random) {
    this.db.pragma('foreign_keys = ON')
    this.db.exec(`INSERT INTO event_type (number, name) VALUES (1, 'series:x/y');
      INSERT INTO event (number, id, time, type, trashed, modified, stream, body) VALUES (1, 'e', 0, 1, 0, 0, 1, '{}')`)
    this.series = new SeriesRepository(this.db)
  }

  write(): void {
    const { random } = this
    const used = columns.filter((name, index) => index === 0 || random.chance(name === 'note' ? 0.3 : 0.8))
    const count = random.chance(0.3) ? 1 + random.below(3000) : 1 + random.below(8)
    const start = random.chance(0.6) ? this.#end + random.below(50) : random.below(this.#end + 1)
    const gap = random.pick([0.25, 0.5, 1, 1, 1.0001])
    const rows = Array.from({ length: count }, (_, i): Row => [
      Math.round((start + i * gap) * 1e6) / 1e6,
      ...used.map(name => this.#cell(name))
    ])
    runSteps(this.series.add(1, { columns: used, rows }, { writer: 'w', written: 1 }))
    for (const [time, ...cells] of rows) {
      const known = this.points.get(time) ?? {}
      used.forEach((name, index) => (known[name] = cells[index] ?? known[name]))
      this.points.set(time, known)
    }
    this.#end = Math.max(this.#end, rows.at(-1)![0])
  }

  remove(): void {
    const range = this.range(this.random.pick([10, 3000, 10_000]))
    let removed = 0
    for (let isDone = false; !isDone;) {
      const removal = this.series.remove(1, range, { writer: 'w', written: 1 })
      removed += removal.count
      isDone = removal.isDone
    }
    const gone = this.between(range).map(([time]) => time)
    for (const time of gone) this.points.delete(time)
    if (removed !== gone.length) throw new Error(`${removed} removed, not ${gone.length}`)
  }

  /** Removes at least some summaries, as in files written before summaries existed. */
  loseSummaries(): void {
    this.db.exec('DELETE FROM series_summary WHERE chunk % 3 = 0')
  }

  range(most: number): Range {
    const { random } = this
    const from = random.chance(0.1) ? 0 : random.below(this.#end * 4 + 4) / 4
    return { from, to: from + 0.001 + random.below(most * 4) / 4 }
  }

  between({ from, to }: Range): (readonly [number, Cells])[] {
    return [...this.points].filter(([time]) => time >= from && time < to).toSorted(([a], [b]) => a - b)
  }

  /** Returns the expected rows of the range. */
  rows(range: Range): Row[] {
    const names = this.series.getColumns(1) ?? []
    return this.between(range).map(([time, cells]): Row => [time, ...names.map(name => cells[name] ?? null)])
  }

  #cell(name: string): unknown {
    const { random } = this
    if (random.chance(0.1)) return null
    if (name === 'note') return random.pick(['x', '],[', '[7,', '"[', 'ä', ']'])
    return random.pick([random.below(1000), random.next(), -random.below(50), random.below(3)])
  }
}

function read({ series }: Twins, range: Range): Row[] {
  const form = { width: (series.getColumns(1)?.length ?? 0) + 1, isFine: true }
  const rows: Row[] = []
  for (let rest: Range | undefined = range; rest;) {
    const page: PointPage = series.next(1, rest, form)
    rows.push(...(JSON.parse(`[${page.text}]`) as Row[]))
    rest = page.rest
  }
  return rows
}

function sampled({ series }: Twins, range: Range, buckets: number, summed?: readonly number[]): Row[] {
  const width = (series.getColumns(1)?.length ?? 0) + 1
  const sampler = series.createSampler({ event: 1, width, isFine: true, range, buckets, summedCells: summed })
  const rows: Row[] = []
  for (;;) {
    const { count, done, text } = series.sample(sampler)
    const page = JSON.parse(`[${text}]`) as Row[]
    if (page.length !== count) throw new Error('wrong count')
    rows.push(...page)
    if (done) return rows
  }
}

/** Groups rows by the bucket of the range to which they belong. */
function parts(rows: readonly Row[], { from, to }: Range, buckets: number): Map<number, Row[]> {
  const found = new Map<number, Row[]>()
  for (const row of rows) {
    const part = Math.floor(((row[0] - from) / (to - from)) * buckets)
    const points = found.get(part)
    if (points) points.push(row)
    else found.set(part, [row])
  }
  return found
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function expectedSample(rows: readonly Row[]): Row[] {
  const kept = new Set<Row>()
  for (let at = 1; at < rows[0]!.length; at++) {
    const values = rows.map(row => row[at]).filter(isNumber)
    if (values.length === 0) continue
    const [least, greatest] = [Math.min(...values), Math.max(...values)]
    kept.add(rows.find(row => row[at] === least)!).add(rows.find(row => row[at] === greatest)!)
  }
  if (kept.size === 0) return [rows[0]!]
  return rows.filter(row => kept.has(row))
}

/** Compares rows of a summary with their points; means only approximately, as they depend on the order of addition. */
function summaryProblem(
  row: Row,
  start: number,
  rows: readonly Row[],
  places: readonly number[]
): string | undefined {
  const expected = places.flatMap(at => {
    const values = rows.map(each => each[at]).filter(isNumber)
    if (values.length === 0) return [null, null, null]
    return [Math.min(...values), Math.max(...values), values.reduce((a, b) => a + b, 0) / values.length]
  })
  const isSame = [start, rows.length, ...expected].every((value, at) => {
    const found = row[at]
    return value === null || !isNumber(found)
      ? found === value
      : Math.abs(found - value) <= 1e-9 * (1 + Math.abs(value))
  })
  return isSame
    ? undefined
    : `${JSON.stringify(row)}, not ${JSON.stringify([start, rows.length, ...expected])}`
}

function compare(t: Test, twins: Twins, what: string): void {
  const { random, series } = twins
  const range = random.chance(0.2) ? { from: 0, to: 1e6 } : twins.range(random.pick([20, 4000, 40_000]))
  const rows = twins.rows(range)
  if (JSON.stringify(read(twins, range)) !== JSON.stringify(rows)) t.same(read(twins, range), rows, what)
  const buckets = random.pick([1, 2, 7, 100, 600, 5000])
  const expected = parts(rows, range, buckets)
  const sample = sampled(twins, range, buckets)
  const extremes = [...expected.values()].flatMap(expectedSample)
  if (JSON.stringify(sample) !== JSON.stringify(extremes))
    t.same(sample, extremes, `${what}, sample of ${buckets}`)
  const places = numeric
    .map(name => (series.getColumns(1) ?? []).indexOf(name) + 1)
    .filter(place => place > 0)
  const summary = sampled(twins, range, buckets, places)
  if (summary.length !== expected.size) t.equal(summary.length, expected.size, `${what}, parts of ${buckets}`)
  for (const [index, [part, points]] of [...expected].entries()) {
    const start = range.from + (part / buckets) * (range.to - range.from)
    const problem = summaryProblem(summary[index]!, start, points, places)
    if (problem !== undefined) return void t.fail(`${what}, part ${part} of ${buckets}: ${problem}`)
  }
}

/** Checks the invariants between the tables. */
function checkTables(t: Test, { db, points }: Twins): void {
  const sql = `SELECT c.*, s.chunk, s.last AS summaryLast, s.count AS summaryCount
    FROM series_chunk c LEFT JOIN series_summary s ON s.chunk = c.number ORDER BY c.first`
  let [end, count] = [-1, 0]
  for (const chunk of db.prepare(sql).all() as Record<string, number>[]) {
    const isSound = chunk['first']! > end && chunk['last']! >= chunk['first']!
    const isSummary =
      chunk['chunk'] === null ||
      (chunk['summaryLast'] === chunk['last'] && chunk['summaryCount'] === chunk['count'])
    if (!isSound || !isSummary) t.fail(`the chunk at ${chunk['first']} is not sound`)
    end = chunk['last']!
    count += chunk['count']!
  }
  t.equal(count, points.size)
  const until = db.prepare('SELECT until FROM series').pluck().get() as number
  t.equal(until, points.size === 0 ? 0 : [...points.keys()].reduce((a, b) => Math.max(a, b)))
  t.equal(
    db
      .prepare('SELECT count(*) FROM series_summary WHERE chunk NOT IN (SELECT number FROM series_chunk)')
      .pluck()
      .get(),
    0
  )
  const used = db.prepare('SELECT documents FROM storage_used').pluck().get()
  const stored = db
    .prepare(
      'SELECT sum(octet_length(body)) + (SELECT ifnull(sum(octet_length(points)), 0) FROM series_chunk) FROM event'
    )
    .pluck()
    .get()
  t.equal(used, stored)
}

for (const seed of seeds)
  t.test(`a series equals a plain map, with seed ${seed}`, async t => {
    const random = new Random(seed)
    const twins = new Twins(random)
    t.teardown(() => twins.db.close())
    for (let step = 0; step < steps; step++) {
      twins.write()
      if (random.chance(0.15)) twins.remove()
      if (random.chance(0.05)) twins.loseSummaries()
      if (step % 4 === 0) compare(t, twins, `step ${step}`)
      while (random.chance(0.5) && twins.series.lacksSummaries) twins.series.summarize()
    }
    checkTables(t, twins)
    t.ok(twins.points.size > 1000, `${twins.points.size} points`)
  })

t.test('a sample', async t => {
  const written = (rows: readonly Row[]): Twins => {
    const twins = new Twins(new Random(1))
    t.teardown(() => twins.db.close())
    runSteps(twins.series.add(1, { columns: ['a'], rows }, { writer: 'w', written: 1 }))
    return twins
  }
  const all = { from: 0, to: 10_000 }

  t.test('averages numbers whose sum overflows', async t => {
    const twins = written(Array.from({ length: 3000 }, (_, i): Row => [i, i % 3 === 0 ? -1e308 : 1.5e308]))
    const [row] = sampled(twins, all, 1, [1])
    t.same(row!.slice(0, 4), [0, 3000, -1e308, 1.5e308])
    t.ok(Math.abs((row![4] as number) / 6.666666666666667e307 - 1) < 1e-9, String(row![4]))
  })

  t.test('has no mean outside of its values', async t => {
    const twins = written(Array.from({ length: 5000 }, (_, i): Row => [i, 70.1]))
    for (const [, , least, greatest, mean] of sampled(twins, all, 7, [1]))
      t.same([least, greatest, mean], [70.1, 70.1, 70.1])
  })

  t.test('reads chunks without summaries, and creates these', async t => {
    const twins = written(Array.from({ length: 20_000 }, (_, i): Row => [i, (i * 7919) % 1009]))
    const { db, series } = twins
    const range = { from: 0, to: 20_000 }
    const before = [sampled(twins, range, 6), sampled(twins, range, 6, [1])]
    const summaries = db.prepare('SELECT * FROM series_summary ORDER BY chunk').all()
    t.ok(summaries.length >= 10)
    db.exec('DELETE FROM series_summary')
    t.same([sampled(twins, range, 6), sampled(twins, range, 6, [1])], before)
    t.ok(series.lacksSummaries)
    while (series.lacksSummaries) series.summarize()
    t.same(db.prepare('SELECT * FROM series_summary ORDER BY chunk').all(), summaries)
    t.same([sampled(twins, range, 6), sampled(twins, range, 6, [1])], before)
    t.notOk(series.lacksSummaries)
  })

  t.test('uses the extremes that older files store next to their chunks', async t => {
    const twins = written(Array.from({ length: 2000 }, (_, i): Row => [i, (i * 7919) % 1009]))
    const range = { from: 0, to: 2000 }
    const before = sampled(twins, range, 1)
    twins.db.exec(
      `UPDATE series_chunk SET extremes = '${JSON.stringify(before)}'; DELETE FROM series_summary`
    )
    t.same(sampled(twins, range, 1), before)
    t.notOk(twins.series.lacksSummaries, 'and nothing is missing')
  })
})

t.test('samples of long texts are read in small slices', t => {
  const { series } = new Twins(new Random(1))
  const most = 2 * 1024 * 1024
  const long = 'x'.repeat(300_000)
  const write = (rows: Row[]): void =>
    runSteps(series.add(1, { columns: ['a', 'note'], rows }, { writer: 'w', written: 1 }))
  for (let at = 0; at < 40; at++) write([[at, null, long]])
  // Large chunks: outstanding values are stored separately.
  for (let at = 1; at <= 20; at++)
    write(Array.from({ length: 600 }, (_, index): Row => [at * 1000 + index, index, index === 0 ? long : '']))
  for (let at = 0; at < 20; at++) series.summarize()
  for (const buckets of [1, 30, 100_000]) {
    const range = { from: 0, to: 30_000 }
    const sampler = series.createSampler({ event: 1, width: 3, isFine: false, range, buckets })
    const lengths: number[] = []
    for (let page; !page?.done;) lengths.push((page = series.sample(sampler)).text.length)
    t.ok(Math.max(...lengths) < most, `${buckets}: ${Math.max(...lengths)}`)
    t.ok(lengths.length >= 15, `${buckets}: in ${lengths.length} pages`)
  }
  t.end()
})
