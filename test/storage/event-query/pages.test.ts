/** What a page of a query may cost: rows looked at, whether they are answered or not. (issue 8.3) */
import t from 'tap'
import type { StreamsCriteria } from '../../../storage/event-query/query.js'
import { eventFile } from '../../support/event-file.js'

/** Tells how often it was asked. */
class Counting extends Set<number> {
  asked = 0

  override has(value: number): boolean {
    this.asked++
    return super.has(value)
  }
}

t.test('a page of a query that finds little', async t => {
  const file = eventFile(t)
  const streams = Array.from({ length: 30 }, (_, index) => file.stream(`s${index}`))
  const rows = 6000
  file.db.exec('BEGIN')
  for (let i = 0; i < 3 * rows; i++) file.insert({ time: i })
  for (let i = 0; i < rows; i++)
    file.insert({ streamIds: [`s${1 + (i % 29)}`, ...(i === 10 ? [] : ['s0'])], time: 3 * i })
  file.db.exec('COMMIT')

  await t.test('looks few rows up that come from several lanes', async t => {
    const not = new Counting([streams[0]!])
    const run = file.query({ streams: [{ any: new Set(streams.slice(1)), all: [], not }] })
    const asked: number[] = []
    let found = 0
    while (!run.isDone) {
      not.asked = 0
      found += file.events.next(run).count
      asked.push(not.asked)
    }
    t.equal(found, 1)
    // For each row one or two of its streams; some rows more while it is open what the query is best driven by.
    t.ok(Math.max(...asked) <= 2500, asked.join())
    t.ok(asked.reduce((a, b) => a + b) >= rows)
  })
})

t.test('a page of large events', async t => {
  const file = eventFile(t)
  const rows = 200
  file.db.exec('BEGIN')
  for (let i = 0; i < rows; i++) file.insert({ content: 'x'.repeat(i < 20 ? 300_000 : 40_000), time: i })
  file.db.exec('COMMIT')
  const all = file.ids({ order: 'ASC', limit: 10_000 })
  t.equal(all.length, rows)

  for (const query of [{}, { modifiedSince: 0 }, { streams: criteria() }, { skip: 5 }])
    await t.test(`ends with half a megabyte: ${Object.keys(query).join()}`, async t => {
      const asked = { order: 'ASC' as const, ...query }
      const pages = file.pages(asked)
      t.same(pages.flat(), all.slice(asked.skip ?? 0))
      t.ok(pages[0]!.length <= 2, String(pages[0]!.length))
      // Of two steps at most, each of which ends by then.
      t.ok(
        pages.every(({ length }) => length <= 28),
        pages.map(({ length }) => length).join()
      )
      // What has been found is not looked for again and again.
      t.ok(pages.length < 30, String(pages.length))
    })

  function criteria(): StreamsCriteria[] {
    const diary = file.streams.find('diary')!.number
    return [{ any: new Set([diary]), all: [], not: new Set([-1000]) }]
  }
})
