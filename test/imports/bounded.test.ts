/** What somebody who makes a file can make the new formats hold: streams, columns, archives within archives. */
import t from 'tap'
import { Rows } from '../../imports/pipeline/rows.js'
import { coffer } from '../support/coffer.js'
import { sent, zipOf } from '../support/importing.js'
import { collected } from './collecting.js'

t.setTimeout(240_000)

/** An account of this service that somebody wrote by hand. */
function archiveOf(tables: Readonly<Record<string, readonly unknown[]>>): Promise<Buffer> {
  const files = Object.entries(tables).map(([name, rows]) => [
    `tables/${name}.jsonl`,
    rows.map(row => JSON.stringify(row)).join('\n')
  ])
  return zipOf({ 'account.json': '{"format":"coffer-account"}', ...Object.fromEntries(files) })
}

const streamOf = (id: string, name: string, parentId: string | null): unknown => ({
  id,
  body: { name, parentId }
})

const event = (number: number, body: object): unknown => ({
  number,
  trashed: 0,
  body: { id: `e${number}`, type: 'note/txt', time: 1.7e9 + number, content: 'x', ...body }
})
const names = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `c${from + at}`)
const point = (at: number): object =>
  Object.fromEntries(Array.from({ length: 60 }, (_, name) => [`${at}-${name}`, 1]))

t.test('an account written by hand makes no more streams and columns than others', async t => {
  const { alice } = await coffer(t)
  const streams = Array.from({ length: 5100 }, (_, at) =>
    streamOf(`s${at}`, `${at}${'n'.repeat(1000)}`, null)
  )
  const deep = Array.from({ length: 150 }, (_, at) => streamOf(`d${at}`, `${at}`, at ? `d${at - 1}` : null))
  const series = [300, 90].map((count, at) => ({ event: 11 + at, columns: names(at * 300, count) }))
  const chunks = series.map(({ columns, event: number }) => ({
    event: number,
    count: 2,
    points: [0, 1].map(time => `[${[time, ...columns.map(() => 5)].join(',')}]`).join(',')
  }))
  const archive = await archiveOf({
    stream: [...deep, ...streams],
    event: [
      event(1, { streamIds: ['s0', 's1'] }),
      event(2, { streamIds: ['d149'] }),
      event(3, { streamIds: streams.slice(0, 4000).map((_, at) => `s${at}`), content: 'y'.repeat(150_000) }),
      ...[11, 12].map(number => event(number, { streamIds: ['s0'], type: 'series:mass/kg' }))
    ],
    series,
    series_chunk: chunks
  })
  const look = await sent(alice, 'a.zip', archive)
  t.equal(look.state, 'looked', look.message)
  t.equal(look.look.format, 'coffer')
  t.equal(look.tally.leftOut['beyond the streams that are brought in'], 250)
  t.equal(look.tally.leftOut['larger than a record can be'], 4, 'too deep, in too many, points too wide')
  t.equal(look.look.records.point, 4)
  t.equal(look.tally.broughtIn['note/txt'], 1)
  t.ok(JSON.stringify(look).length < 20_000)
})

t.test('points with ever more names never become a wide table', async t => {
  const rows = new Rows()
  rows.add(0, point(0), undefined)
  t.ok(rows.takes(point(1)))
  rows.add(1, point(1), undefined)
  t.notOk(rows.takes(point(2)), 'another table begins')
  t.ok(rows.takes(point(1)))
  t.ok(rows.takes(5))
})

t.test('an archive within an archive is no larger than what it came in', async t => {
  const inner = `PK\u0003\u0004${Array.from({ length: 500_000 }, (_, at) => at % 1000).join(',')}`
  const found = await collected(await zipOf({ 'a.csv': 'time,weight (kg)\n2024-01-01,70\n', 'b.zip': inner }))
  t.same(found.leftOut, { 'packed suspiciously tightly': 1 })
  t.equal(found.data.length, 1)
  // The inner ones share what the outer one may hold.
  const within = await zipOf({ 'a.csv': 'time,weight (kg)\n2024-01-01,70\n' })
  const both = await collected(await zipOf({ 'a.zip': within, 'b.zip': within }))
  t.equal(both.data.length, 2)
})
