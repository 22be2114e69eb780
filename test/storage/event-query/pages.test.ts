/** The cost of a page of a query: rows read, whether they are returned or not. */
import t from 'tap'
import type { StreamsCriteria } from '../../../storage/event-query/query.js'
import { listStatements } from '../../../storage/sqlite/statements.js'
import { eventFile } from '../../support/event-file.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(900_000)

const rarely = inRotation(t, 2)

/** Counts its lookups. */
class Counting extends Set<number> {
  asked = 0

  override has(value: number): boolean {
    this.asked++
    return super.has(value)
  }
}

void rarely('a page of a query with few matches', async t => {
  const file = eventFile(t)
  const streams = Array.from({ length: 30 }, (_, index) => file.stream(`s${index}`))
  const rows = 6000
  file.db.exec('BEGIN')
  for (let i = 0; i < 3 * rows; i++) file.insert({ time: i })
  for (let i = 0; i < rows; i++)
    file.insert({ streamIds: [`s${1 + (i % 29)}`, ...(i === 10 ? [] : ['s0'])], time: 3 * i })
  file.db.exec('COMMIT')

  await t.test('looks up few rows when merging several streams', async t => {
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
    // One or two streams per row; a few more rows until the query has chosen its driving index.
    t.ok(Math.max(...asked) <= 2500, asked.join())
    t.ok(asked.reduce((a, b) => a + b) >= rows)
  })
})

t.test('a page with everything in a stream is final: no further query follows', t => {
  const file = eventFile(t)
  const work = file.stream('work')
  for (let i = 0; i < 10; i++) file.insert({ streamIds: ['work'], time: i })
  const streams = [{ any: new Set([work]), all: [], not: new Set<number>() }]
  const isLookedFor = (): boolean => listStatements(file.db).some(sql => sql.includes('OFFSET'))
  t.equal(file.pages({ streams, limit: 20 })[0]!.length, 10)
  t.equal(isLookedFor(), false)
  t.equal(file.pages({ streams, limit: 20, skip: 5 })[0]!.length, 5)
  t.equal(isLookedFor(), true, 'as it is to skip some')
  t.end()
})

void rarely('a page of large events', async t => {
  const file = eventFile(t)
  const rows = 200
  file.db.exec('BEGIN')
  for (let i = 0; i < rows; i++) file.insert({ content: 'x'.repeat(i < 20 ? 300_000 : 40_000), time: i })
  file.db.exec('COMMIT')
  const all = file.ids({ order: 'ASC', limit: 10_000 })
  t.equal(all.length, rows)

  for (const query of [{}, { modifiedSince: 0 }, { streams: criteria() }, { skip: 5 }])
    await t.test(`ends at half a megabyte: ${Object.keys(query).join()}`, async t => {
      const asked = { order: 'ASC' as const, ...query }
      const pages = file.pages(asked)
      t.same(pages.flat(), all.slice(asked.skip ?? 0))
      t.ok(pages[0]!.length <= 2, String(pages[0]!.length))
      // At most two steps, each of which ends by then.
      t.ok(
        pages.every(({ length }) => length <= 28),
        pages.map(({ length }) => length).join()
      )
      // Rows that were found are not searched again.
      t.ok(pages.length < 30, String(pages.length))
    })

  function criteria(): StreamsCriteria[] {
    const diary = file.streams.find('diary')!.number
    return [{ any: new Set([diary]), all: [], not: new Set([-1000]) }]
  }
})

void rarely('a page of events just below the size of large ones', async t => {
  const file = eventFile(t)
  const work = file.stream('work')
  const diary = file.streams.find('diary')!.number
  file.db.exec('BEGIN')
  // Small ones come first: the size of the following ones must not be estimated from them.
  for (let i = 0; i < 1500; i++) file.insert({ time: i, modified: i })
  for (let i = 1500; i < 2100; i++) {
    const streamIds = i % 3 === 0 ? ['work'] : ['diary']
    const content = (i % 2 === 0 ? 'x' : 'é').repeat(i % 2 === 0 ? 30_000 : 15_000)
    file.insert({ content, streamIds, time: i, modified: i })
  }
  file.db.exec('COMMIT')
  const inBoth = { any: new Set([diary, work]), all: [], not: new Set<number>() }
  for (const [name, query] of Object.entries({
    'copied as they are': {},
    'copied backwards': { order: 'DESC' as const },
    'after others': { skip: 1600 },
    'found one by one': { streams: [{ any: new Set([diary]), all: [], not: new Set([work]) }] },
    'of several lanes': { streams: [inBoth] },
    'sorted in memory': { modifiedSince: 1400, from: 1400 },
    'from a time on': { from: 1600 }
  }))
    await t.test(`ends by its size: ${name}`, async t => {
      const asked = { order: 'ASC' as const, ...query }
      const run = file.query(asked)
      const sizes: number[] = []
      let count = 0
      for (let isDone = false; !isDone;) {
        const page = file.events.next(run)
        if (page.count > 0) t.equal((JSON.parse(`[${page.text}]`) as unknown[]).length, page.count)
        if (page.excess !== undefined) t.equal(Buffer.byteLength(page.text), page.text.length + page.excess)
        sizes.push(Buffer.byteLength(page.text))
        count += page.count
        isDone = page.done
      }
      t.ok(Math.max(...sizes) <= 1024 * 1024 + 40_000, `${Math.max(...sizes)} bytes`)
      t.equal(count, file.ids(asked).length)
      t.ok(count > 300)
    })
})

void rarely('an event of several megabytes is a page by itself', async t => {
  const file = eventFile(t)
  for (const [time, size] of [10, 100_000, 9_000_000, 50, 60, 9_000_000, 9_000_000, 10].entries())
    file.insert({ time, content: 'x'.repeat(size) })
  for (const query of [{}, { modifiedSince: 0 }]) {
    const run = file.query({ order: 'ASC', ...query })
    const pages: [count: number, isLarge: boolean][] = []
    for (let isDone = false; !isDone;) {
      const { count, done, text } = file.events.next(run)
      pages.push([count, text.length > 1_000_000])
      isDone = done
    }
    t.same(
      pages.filter(([, isLarge]) => isLarge),
      [
        [1, true],
        [1, true],
        [1, true]
      ]
    )
    t.equal(
      pages.reduce((sum, [count]) => sum + count, 0),
      8
    )
  }
})

void rarely('a page of events in thousands of streams', async t => {
  const file = eventFile(t)
  const streams = Array.from({ length: 2000 }, (_, index) => file.stream(`s${index}`))
  const [first, second] = [streams[0]!, streams[1]!]
  const all = streams.map((_, index) => `s${index}`)
  const rows = 120
  file.db.exec('BEGIN')
  for (let i = 0; i < rows; i++) {
    const streamIds = i % 3 === 0 ? all.slice(1) : all
    file.insert({ streamIds, time: i % 50, modified: i, content: i % 2 === 0 ? 'walk' : 'rest' })
  }
  for (let i = 0; i < rows; i++) file.insert({ streamIds: ['diary'], time: i, modified: i, content: 'walk' })
  file.db.exec('COMMIT')
  const none = new Set<number>()
  const isIn = [{ any: new Set([second]), all: [], not: none }]
  const isOut = [{ any: new Set(streams), all: [], not: new Set([first]) }]
  const several = streams
    .slice(0, 300)
    .map((stream, index) => ({ any: new Set([stream]), all: [], not: new Set([streams[index + 1]!]) }))
  const query = { types: new Set([1]), trashed: [0, 1] as const }
  const walk = { words: ['walk'], mayUseIndex: false }
  for (const [name, { count, ...asked }] of Object.entries({
    'one by one': { streams: isIn, ...query, trashed: [0] as const, count: rows },
    'in and out of the trash': { streams: isIn, ...query, count: rows },
    'out of one': { streams: isOut, ...query, count: rows / 3 },
    'out of one each': { streams: several, ...query, count: 0 },
    'backwards, some skipped': {
      streams: isOut,
      ...query,
      order: 'ASC' as const,
      skip: 7,
      count: rows / 3 - 7
    },
    modified: { streams: isOut, ...query, modifiedSince: -1, count: rows / 3 },
    'by their texts': { streams: isOut, ...query, text: walk, count: rows / 6 }
  }))
    await t.test(`ends early: ${name}`, async t => {
      const pages = file.pages(asked)
      t.equal(pages.flat().length, count)
      t.equal(new Set(pages.flat()).size, count)
      // A million characters of lists; a page takes half of that, plus one step. A page of a text search ends by time.
      if (name !== 'by their texts') t.ok(pages.length >= 2, `${pages.length} pages`)
    })
})
