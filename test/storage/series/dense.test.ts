/** Samples whose parts have so many chunks that these are summed up together. */
import t, { type Test } from 'tap'
import type { Database } from 'better-sqlite3'
import { AggregatedPoints } from '../../../storage/measures/point-sinks.js'
import { ValueCells } from '../../../storage/measures/value-cells.js'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { SeriesRepository } from '../../../storage/repositories/series.js'
import { ChunkWalk } from '../../../storage/series/chunk-walk.js'
import type { Range } from '../../../storage/series/page.js'
import type { Row } from '../../../storage/series/rows.js'
import { openInMemory } from '../../../storage/sqlite/open.js'
import { runSteps } from '../../../storage/steps.js'

const by = { writer: 'w', written: 1 }
const holderTime = 1_600_000_000.25
const whole = { from: 0, to: 90_000 }
const ranges: readonly Range[] = [whole, { from: 12_345.5, to: 77_777 }, { from: 30_100, to: 30_200 }]

/** Part, number of points, number of numbers, least, greatest, sum. */
type Figures = readonly [number, number, number, number, number, number]

class Series {
  readonly db: Database
  readonly series: SeriesRepository
  readonly rows: Row[] = []

  constructor(t: Test) {
    this.db = openInMemory(userMigrations)
    t.teardown(() => this.db.close())
    this.db.exec(`INSERT INTO event_type (number, name) VALUES (1, 'series:x/y');
      INSERT INTO event (number, id, time, type, trashed, modified, stream, body) VALUES (1, 'e', 0, 1, 0, 0, 1, '{}')`)
    this.series = new SeriesRepository(this.db)
  }

  add(columns: readonly string[], rows: readonly Row[]): void {
    for (let at = 0; at < rows.length; at += 1000)
      runSteps(this.series.add(1, { columns: [...columns], rows: rows.slice(at, at + 1000) }, by))
    this.rows.push(...rows)
  }

  /** Returns the figures of the parts that have points, as measures aggregate them. */
  aggregate(range: Range, parts: number, cell: number): Figures[] {
    const cells = new ValueCells(this.#grid(range, parts))
    const target = cells.target(value => value, false)
    const sink = new AggregatedPoints({ time: holderTime, number: 1 }, { values: [cell], duration: -1 }, [
      target
    ])
    const walk = new ChunkWalk({ event: 1, range, part: 'measures' })
    while (!walk.isDone) this.series.walk(walk, sink)
    return [...cells.cells].map(([part, { all, count, max, min, sum }]) => [part, all, count, min, max, sum])
  }

  /** Returns the figures as they follow from the rows. */
  expect(range: Range, parts: number, cell: number): Figures[] {
    const { starts } = this.#grid(range, parts)
    const found = new Map<number, [number, number, number, number, number, number]>()
    for (const row of this.rows) {
      if (row[0] < range.from || row[0] >= range.to) continue
      const part = starts.findLastIndex(start => start <= holderTime + row[0])
      const value = row[cell]
      const known = found.get(part) ?? [part, 0, 0, Infinity, -Infinity, 0]
      found.set(part, known)
      known[1]++
      if (typeof value !== 'number') continue
      known[2]++
      known[3] = Math.min(known[3], value)
      known[4] = Math.max(known[4], value)
      known[5] += value
    }
    return [...found.values()]
  }

  #grid({ from, to }: Range, parts: number): { starts: number[]; end: number } {
    const step = (to - from) / parts
    const starts = Array.from({ length: parts }, (_, part) => holderTime + from + part * step)
    return { starts, end: holderTime + to }
  }
}

function value(i: number): number {
  return ((i * 7919) % 1009) / 10 - 20
}

/** Sums depend on the order of addition. */
function isSame(found: readonly Figures[], expected: readonly Figures[]): boolean {
  return (
    found.length === expected.length &&
    expected.every((figures, at) =>
      figures.every((number, index) =>
        index < 5 ? found[at]![index] === number : Math.abs(found[at]![index]! - number) <= 1e-6
      )
    )
  )
}

function compare(t: Test, series: Series, what: string): void {
  for (const range of ranges)
    for (const parts of [1, 2, 3, 5, 40])
      for (const cell of [1, 2]) {
        const [found, expected] = [series.aggregate(range, parts, cell), series.expect(range, parts, cell)]
        if (!isSame(found, expected)) t.same(found, expected, `${what}: cell ${cell}, ${parts} parts`)
      }
}

t.test('the parts of a long series', t => {
  const series = new Series(t)
  series.add(
    ['a'],
    Array.from({ length: 40_000 }, (_, i): Row => [i, value(i)])
  )
  // Chunks before have no figures of the second column; some of these have none of the first.
  series.add(
    ['a', 'b'],
    Array.from({ length: 50_000 }, (_, i): Row => {
      const at = 40_000 + i
      return [at, at < 60_000 || at % 3 === 0 ? null : value(at), at % 5 === 0 ? 'text' : value(at + 1)]
    })
  )
  const statements: string[] = []
  const { prepare } = series.db
  series.db.prepare = ((sql: string) => {
    statements.push(sql)
    return prepare.call(series.db, sql)
  }) as typeof prepare
  compare(t, series, 'all summaries')
  t.ok(
    statements.some(sql => sql.includes('group_concat(measures)')),
    'chunks are summed up together'
  )
  t.equal(series.aggregate(whole, 1, 1)[0]![1], 90_000)

  series.db.exec('DELETE FROM series_summary WHERE chunk % 13 = 5')
  compare(t, series, 'some summaries are missing')
  t.end()
})
