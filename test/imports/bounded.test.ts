/** Limits on what a hostile file can make the newer formats store: streams, columns, nested archives. */
import { deflateRawSync } from 'node:zlib'
import t from 'tap'
import { DraftBuilder } from '../../imports/pipeline/draft-builder.js'
import { getLaneKey } from '../../imports/pipeline/lane-key.js'
import { LanePaths } from '../../imports/pipeline/lane-paths.js'
import { Lanes } from '../../imports/pipeline/lanes.js'
import { RecordIds } from '../../imports/pipeline/record-ids.js'
import { PointRows } from '../../imports/pipeline/point-rows.js'
import { coffer } from '../support/coffer.js'
import { sent, zipOf } from '../support/importing.js'
import { inRotation } from '../support/rotation.js'
import { collected } from './collecting.js'

t.setTimeout(900_000)

/** Returns a handwritten export of an account. */
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

const test = inRotation(t, 2)
test('the buffer of points has a memory limit', t => {
  const content = Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`n${at}`, at]))
  const numbers = 241
  let waiting = 0
  let most = 0
  let sent = 0
  const ids = new RecordIds('00', '')
  const drafter = new DraftBuilder(
    new Lanes(),
    {},
    ids,
    new LanePaths(ids, {}, () => 'Format'),
    ({ points }) => {
      for (const { cells } of points) {
        waiting -= cells.length / numbers
        sent += cells.length / numbers
      }
    },
    () => Promise.resolve()
  )
  const before = process.memoryUsage().arrayBuffers
  let peak = 0
  // Each on a separate track.
  for (let at = 0; at < 10_000; at++) {
    drafter.addRecord({
      kind: 'point',
      source: '',
      type: 'x/y',
      stream: 'Points',
      time: 1.7e9 + at,
      content,
      track: `${at}`
    })
    most = Math.max(most, ++waiting)
    if (at % 500 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
  }
  drafter.finish()
  t.equal(sent, 10_000)
  t.comment(`${most} points waited, ${Math.round(peak / 2 ** 20)} MB`)
  // Each needs at least a kilobyte.
  t.ok(most * numbers * 8 <= 16 * 2 ** 20, `${most} points waited`)
  t.end()
})

test('a handwritten account creates no more streams and columns than other files', async t => {
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

test('points with ever new names never become a wide table', async t => {
  const rows = new PointRows()
  rows.add(0, point(0), undefined)
  t.ok(rows.fits(point(1)))
  rows.add(1, point(1), undefined)
  t.notOk(rows.fits(point(2)), 'another table begins')
  t.ok(rows.fits(point(1)))
  t.ok(rows.fits(5))
})

test('a nested archive obeys the limit of the outer one', async t => {
  const inner = `PK\u0003\u0004${Array.from({ length: 500_000 }, (_, at) => at % 1000).join(',')}`
  const found = await collected(await zipOf({ 'a.csv': 'time,weight (kg)\n2024-01-01,70\n', 'b.zip': inner }))
  t.same(found.leftOut, { 'packed suspiciously tightly': 1 })
  t.equal(found.data.length, 1)
  // Nested archives share the limit of the outer one.
  const within = await zipOf({ 'a.csv': 'time,weight (kg)\n2024-01-01,70\n' })
  const both = await collected(await zipOf({ 'a.zip': within, 'b.zip': within }))
  t.equal(both.data.length, 2)
})

/** Returns an archive whose directory lists each file with its compressed bytes, wherever these start. */
function listed(
  body: Buffer,
  files: readonly { name: string; start: number; packed: number; size: number; crc?: number }[]
): Buffer {
  const list = files.map(({ crc = 0, name, packed, size, start }) => {
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x0201_4b50)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(crc, 16)
    entry.writeUInt32LE(packed, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(start, 42)
    return Buffer.concat([entry, Buffer.from(name)])
  })
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(Buffer.concat(list).length, 12)
  end.writeUInt32LE(body.length, 16)
  return Buffer.concat([body, ...list, end])
}

/** Returns the local header of a file. */
function headOf(name: string): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x0403_4b50)
  head.writeUInt16LE(8, 8)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, Buffer.from(name)])
}

test('overlapping files of an archive are not unpacked', async t => {
  const text = `time,weight (kg)\n${Array.from({ length: 5000 }, (_, at) => `${1.7e9 + at},70\n`).join('')}`
  const packed = deflateRawSync(text)
  const [first, second] = [headOf('a.csv'), headOf('b.csv')]
  const one = { name: 'a.csv', start: 0, packed: packed.length, size: text.length }
  const same = await collected(
    listed(Buffer.concat([first, packed]), [
      one,
      ...Array.from({ length: 500 }, (_, at) => ({ ...one, name: `${at}.csv` }))
    ])
  )
  t.equal(same.data.length, 5000)
  t.same(same.leftOut, { 'made of the bytes of another one': 500 })
  // As in larger bombs: the header of the second file is quoted in the compressed bytes of the first.
  const third = headOf('c.csv')
  const quoted = Buffer.concat([
    first,
    Buffer.from([0, 35, 0, ~35 & 255, 255]),
    second,
    packed,
    third,
    packed
  ])
  const start = first.length + 5
  const both = [
    { name: 'a.csv', start: 0, packed: 5 + second.length + packed.length, size: second.length + text.length },
    { ...one, name: 'b.csv', start }
  ]
  const beside = { ...one, name: 'c.csv', start: start + second.length + packed.length }
  for (const files of [both, both.toReversed()]) {
    const found = await collected(listed(quoted, [beside, ...files]))
    t.equal(found.leftOut['made of the bytes of another one'], 1, 'whichever comes first')
  }
  const apart = Buffer.concat([first, packed, second, packed])
  const next = { ...one, name: 'b.csv', start: first.length + packed.length }
  for (const files of [
    [one, next],
    [next, one]
  ])
    t.equal((await collected(listed(apart, files))).data.length, 10_000, 'in whatever order they are listed')
})

test('the total size of an archive is limited by its compressed size', async t => {
  const small = { name: 'a.csv', content: 'time,weight (kg)\n2024-01-01,70\n' }
  // Each has the maximum compression of a single file.
  const nothing = Buffer.alloc(200 * 1024 * 1024)
  for (let at = 0; at < nothing.length; at += 10_000) nothing[at] = (at / 10_000) % 251
  const zeros = deflateRawSync(nothing)
  let body = Buffer.alloc(0)
  const files = []
  for (const name of ['1.bin', '2.bin', '3.bin']) {
    files.push({ name, start: body.length, packed: zeros.length, size: nothing.length })
    body = Buffer.concat([body, headOf(name), zeros])
  }
  const packed = deflateRawSync(small.content)
  files.push({ name: small.name, start: body.length, packed: packed.length, size: small.content.length })
  const found = await collected(listed(Buffer.concat([body, headOf(small.name), packed]), files))
  t.same(found.leftOut, { 'of no format that is known': 1, 'packed suspiciously tightly': 2 })
  t.equal(found.data.length, 1, 'what is small is read all the same')
})

t.test('names that contain the separator remain separate lanes', async t => {
  const datum = { kind: 'x', type: 'mass/kg', time: 1.7e9, content: 1, source: '', stream: 'c' }
  const keys = [
    { path: ['a', 'b'] },
    { path: ['a/b'] },
    { path: ['"a', 'b'] },
    { path: ['"a/b"'] },
    { path: ['a'], stream: 'b/c' },
    { path: [], stream: 'a/b/c' },
    { stream: 'c\nd', source: 'e' },
    { stream: 'c', source: 'd\ne' },
    { stream: '"c\\nd"', source: 'e' },
    { isEvent: true },
    { track: 'events' },
    { track: '"events"' }
  ].map(each => getLaneKey('x', { ...datum, ...each }))
  t.equal(new Set(keys).size, keys.length)
  t.equal(
    getLaneKey('coffer', { ...datum, path: ['a', 'b'] }),
    'coffer\na/b/c\n\nmass/kg',
    'as it always was'
  )
})
