/** Archives of all kinds: files are read under their own names and within the limits; unreadable ones are named. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { tarOf, total, zipOf } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'
import { fitFile } from './fit-writer.js'

const weights = 'time,weight (kg)\n2024-01-01 08:00,70\n2024-01-02 08:00,71\n'
const track =
  '<gpx><trk><trkseg><trkpt lat="46" lon="6"><time>2024-05-01T08:00:00Z</time></trkpt></trkseg></trk></gpx>'
const weighed = fitFile(fit => {
  fit.define(0, 30, [
    [253, 0x86],
    [0, 0x84]
  ])
  fit.data(0, [1_000_000_000, 7250])
})

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

t.test('compressed files are read like their contents, by themselves and in archives', async t => {
  for (const [name, content, format, count] of [
    ['weights.csv.gz', gzipSync(weights), 'csv', 2],
    ['run.gpx.gz', gzipSync(track), 'gpx', 2],
    ['scale.fit.gz', gzipSync(weighed), 'fit', 1],
    ['both.csv.gz', Buffer.concat([gzipSync(weights), gzipSync('2024-01-03 08:00,72\n')]), 'csv', 3],
    ['all.zip.gz', gzipSync(await zipOf({ 'weights.csv': weights })), 'csv', 2],
    ['weights.tar', tarOf({ 'folder/': '', 'folder/weights.csv': weights }), 'csv', 2],
    ['weights.tgz', gzipSync(tarOf({ [`${'long/'.repeat(30)}weights.csv`]: weights })), 'csv', 2],
    ['weights.tar.gz', gzipSync(tarOf({ 'weights.csv.gz': gzipSync(weights) })), 'csv', 2],
    ['zip in tar', tarOf({ 'weights.zip': await zipOf({ 'weights.csv': weights }) }), 'csv', 2],
    ['gzip in ZIP', await zipOf({ 'weights.csv.gz': gzipSync(weights) }), 'csv', 2],
    ['tar in ZIP', await zipOf({ 'weights.tgz': gzipSync(tarOf({ 'weights.csv': weights })) }), 'csv', 2]
  ] as const) {
    const found = await collected(content, name)
    t.same(found.formats, [format], name)
    t.equal(found.data.length, count, name)
    t.same(found.warnings, [], name)
    t.ok(addsUp(found), name)
  }
})

t.test('compressed files have the names of their contents', async t => {
  const steps = JSON.stringify([{ dateTime: '10/27/24 00:00:05', value: '12' }])
  const found = await collected(await zipOf({ 'steps-2024-10-27.json.gz': gzipSync(steps) }))
  t.match(found.data, [{ type: 'count/steps', content: 12 }])
})

t.test('truncated or damaged compressed files are read up to the damage', async t => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `${1.7e9 + at * 60},${60 + ((at * 7919) % 40)}`)
  const packed = gzipSync(`time,pulse\n${rows.join('\n')}\n`)
  const cut = await collected(packed.subarray(0, packed.length / 2), 'pulse.csv.gz')
  t.ok(cut.data.length > 5000 && cut.data.length < 20_000, `${cut.data.length}`)
  t.match(cut.warnings[0], /"pulse\.csv\.gz" is damaged after \d+ bytes, or cut off/)
  const tar = tarOf({ 'a.csv': weights, 'b.csv': weights })
  const cutTar = await collected(tar.subarray(0, 512 + 512 + 512 + 30), 'a.tar')
  t.ok(cutTar.data.length >= 2)
  t.match(cutTar.warnings.join(), /"b\.csv" is incomplete: the archive ends after 30 bytes of it/)
  const broken = Buffer.from(tar)
  broken[1024 + 5]! ^= 0xff
  const half = await collected(broken, 'a.tar')
  t.equal(half.data.length, 2)
  t.match(half.warnings, [/tar archive is damaged/])
  await t.rejects(collected(packed.subarray(0, 12)), { message: /gzip/ })
})

t.test('compressed files obey the limits of archives', async t => {
  const bomb = gzipSync(Buffer.alloc(30_000_000))
  const inner = await collected(await zipOf({ 'bomb.csv.gz': bomb, 'weights.csv': weights }))
  t.equal(inner.data.length, 2)
  t.same(inner.leftOut, { 'packed suspiciously tightly': 1 })
  await t.rejects(collected(bomb, 'bomb.csv.gz'), { message: /suspiciously tightly/ })
  // Each is well below a thousand times its compressed size; together they exceed the limit of small archives.
  const large = Buffer.alloc(70 * 1024 * 1024)
  for (let at = 0; at < large.length; at += 2048) large.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at)
  const packed = gzipSync(large, { level: 1 })
  const files = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`${at}.gz`, packed]))
  const sum = await collected(await zipOf({ ...files, 'weights.csv': weights }))
  t.same(sum.leftOut, { 'of no format that is known': 3, 'packed suspiciously tightly': 1 })
  t.equal(sum.data.length, 2)
})

t.test('tar archives: paths outside the archive, links, and deeply nested archives', async t => {
  const found = await collected(
    tarOf({
      '../out.csv': weights,
      '/root.csv': weights,
      '._weights.csv': 'x',
      'weights.csv': weights,
      'inner.tar': tarOf({ 'weights.csv': weights })
    })
  )
  t.equal(found.data.length, 2)
  t.same(found.leftOut, { 'at a path that leads out of the archive': 2, 'of no format that is known': 1 })
  t.match(found.warnings.join(), /"inner\.tar" is a tar archive within too many others/)
  t.ok(addsUp(found))
})

t.test('errors say what an unreadable file is', async t => {
  const workbook = await zipOf({
    '[Content_Types].xml':
      '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    'xl/worksheets/sheet1.xml': '<worksheet/>'
  })
  const locked = await zipOf({ 'weights.csv': weights })
  locked.writeUInt16LE(locked.readUInt16LE(6) | 1, 6)
  const central = locked.lastIndexOf('weights.csv') - 46
  locked.writeUInt16LE(locked.readUInt16LE(central + 8) | 1, central + 8)
  const foreign: readonly (readonly [string, Buffer, RegExp])[] = [
    ['book.xlsx', workbook, /workbook is damaged/],
    ['locked.zip', locked, /encrypted/],
    ['a.db', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(100)]), /SQLite database/],
    ['a.7z', Buffer.from('377abcaf271c0004', 'hex'), /7z archive/],
    ['a.rar', Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1'), /RAR archive/],
    ['a.bz2', Buffer.from('BZh91AY&SY', 'latin1'), /bzip2/],
    ['a.xz', Buffer.from('fd377a585a000004', 'hex'), /xz/],
    ['a.xls', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), /older office/]
  ]
  for (const [name, content, words] of foreign)
    await t.rejects(collected(content, name), { message: words }, name)
  for (const [name, content, words] of foreign.slice(2)) {
    const archive = await zipOf({ [name]: content, 'weights.csv': weights })
    const found = await collected(archive)
    t.equal(found.data.length, 2, name)
    t.match(found.warnings.join(), words, name)
    await t.rejects(collected(await zipOf({ [name]: content })), { message: words }, `${name} alone`)
  }
  const inner = await collected(await zipOf({ 'book.xlsx': workbook, 'weights.csv': weights }))
  t.equal(inner.data.length, 2)
  t.match(inner.warnings, [/"book\.xlsx": The workbook is damaged/])
  t.same(inner.leftOut, { damaged: 1 })
})
