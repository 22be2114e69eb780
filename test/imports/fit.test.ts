/** FIT: generated files, message by message, with every feature of the format and quirks of watches. */
import t from 'tap'
import { collected } from './collecting.js'
import { fitFile, type FitField } from './fit-writer.js'

/** 2021-09-08T01:46:40Z, and the same in seconds since 1970. */
const [start, unix] = [1_000_000_000, 1_631_065_600]
const semicircles = (degrees: number): number => Math.round((degrees * 2 ** 31) / 180)

const fileId: readonly FitField[] = [
  [0, 0x00],
  [1, 0x84],
  [2, 0x84],
  [3, 0x8c],
  [4, 0x86]
]
const record: readonly FitField[] = [
  [253, 0x86],
  [0, 0x85],
  [1, 0x85],
  [2, 0x84],
  [3, 0x02],
  [6, 0x84]
]
/** Returns a record at a second, with altitudes from -500 m in fifths, and speeds in mm/s. */
const recordOf = (at: number): number[] => [
  start + at,
  semicircles(46 + at / 1000),
  semicircles(-6),
  (400 + 500) * 5,
  120 + at,
  2500
]

const activity = (isBig: boolean, headerSize: 12 | 14 = 14, records = 10): Buffer =>
  fitFile(fit => {
    fit.define(0, 0, fileId, { isBig })
    fit.data(0, [4, 1, 3121, 42, start])
    fit.define(1, 20, record, { isBig, developer: [4, 2] })
    for (let at = 0; at < records; at++) fit.data(1, recordOf(at))
    // An unknown message: it is skipped by its size.
    fit.define(2, 0xff00, [
      [1, 0x07, 16],
      [2, 0x86]
    ])
    fit.data(2, ['unheard of', 7])
    fit.define(
      3,
      18,
      [
        [253, 0x86],
        [2, 0x86],
        [5, 0x00],
        [7, 0x86],
        [9, 0x86],
        [10, 0x86]
      ],
      { isBig }
    )
    fit.data(3, [start + records, start, 1, records * 1000, 25_000, 12])
  }, headerSize)

t.test(
  'reads both byte orders and header sizes, and skips developer fields and unknown messages',
  async t => {
    const little = await collected(activity(false))
    t.same(little.formats, ['fit'])
    t.same(little.warnings, [])
    t.same(little.records, {
      record: 10,
      'record heart rate': 10,
      'record field of a developer': 20,
      'message 65280': 1,
      session: 1
    })
    t.match(little.data[0], { type: 'position/wgs84', time: unix, source: 'Garmin 3121 42' })
    const { content } = little.data[2] as { content: Record<string, number> }
    t.ok(Math.abs(content['latitude']! - 46.001) < 1e-6)
    t.match(content, { longitude: -6, altitude: 400, speed: 2.5 })
    t.match(little.data.at(-1), {
      type: 'activity/plain',
      description: 'Running',
      duration: 10,
      clientData: { 'fit:session': { metres: 250, steps: 24 } }
    })
    t.same((await collected(activity(true))).data, little.data)
    t.same((await collected(activity(false, 12))).data, little.data)
  }
)

t.test('reads times from headers with five bits', async t => {
  const base = start - (start % 32)
  const file = fitFile(fit => {
    fit.define(0, 20, [
      [253, 0x86],
      [3, 0x02]
    ])
    fit.define(1, 20, [[3, 0x02]])
    fit.data(0, [base + 30, 100])
    for (const at of [31, 32, 40, 63, 64]) fit.compressed(1, at, [100])
  })
  const found = await collected(file)
  t.same(
    found.data.map(({ time }) => time - 631_065_600 - base),
    [30, 31, 32, 40, 63, 64]
  )
})

t.test('skips invalid values, and impossible positions', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 20, record)
      fit.data(0, [start, 0x7fff_ffff, 0x7fff_ffff, 0xffff, 130, 0xffff])
      fit.data(0, [start + 1, 0x7fff_ffff, 0x7fff_ffff, 0xffff, 0xff, 0xffff])
      fit.data(0, [start + 2, semicircles(120), semicircles(10), 0xffff, 0xff, 0xffff])
      fit.data(0, [0xffff_ffff, semicircles(46), semicircles(6), 4500, 120, 1000])
    })
  )
  t.match(found.data, [{ type: 'frequency/bpm', content: 130 }])
  t.same(found.records, { record: 4, 'record heart rate': 1 })
  t.same(found.leftOut, {
    'without a position': 1,
    'at coordinates beyond the earth': 1,
    'without a time': 2
  })
})

t.test('reads weights, daily data with partial times, and intervals between beats', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 30, [
        [253, 0x86],
        [0, 0x84],
        [1, 0x84]
      ])
      fit.data(0, [start, 7250, 2210])
      fit.data(0, [start + 60, 7240, 0xffff])
      fit.define(1, 55, [
        [253, 0x86],
        [27, 0x02]
      ])
      fit.data(1, [start, 60])
      fit.define(2, 55, [
        [26, 0x84],
        [27, 0x02]
      ])
      for (const at of [60, 120, 70_000]) fit.data(2, [(start + at) & 0xffff, 61])
      fit.define(3, 20, [
        [253, 0x86],
        [3, 0x02]
      ])
      fit.data(3, [start, 60])
      fit.define(4, 78, [[0, 0x84, 10]])
      fit.data(4, [[900, 950, 0xffff, 0xffff, 0xffff]])
    })
  )
  t.same(
    found.data.filter(({ type }) => /mass|ratio/.test(type)).map(({ content }) => content),
    [72.5, 22.1, 72.4]
  )
  t.same(
    found.data.filter(({ kind }) => kind === 'monitoring').map(({ time }) => time - unix),
    [0, 60, 120, 70_000 % 65_536]
  )
  t.same(
    found.data.filter(({ kind }) => kind === 'hrv').map(({ content }) => content),
    [900, 950]
  )
})

t.test('concatenated files, wrong checksums, truncation anywhere: intact parts are read', async t => {
  const one = activity(false)
  const both = await collected(Buffer.concat([one, activity(true)]))
  t.match(both.records, { record: 20, 'record heart rate': 20, session: 2 })
  t.same(both.warnings, [])
  const wrong = Buffer.from(one)
  wrong[wrong.length - 1]! ^= 0xff
  const damaged = await collected(wrong)
  t.equal(damaged.data.length, 21)
  t.match(damaged.warnings, [/does not match its checksum/])
  let last = 0
  for (let size = 14; size < one.length; size++) {
    const cut = await collected(one.subarray(0, size))
    t.match(cut.warnings, [/cut off/], `${size} bytes`)
    t.ok(cut.data.length >= last && cut.data.length <= 21)
    last = cut.data.length
  }
  t.equal(last, 21)
  const padded = await collected(Buffer.concat([one, Buffer.alloc(100)]))
  t.same(padded.warnings, [], 'zeros after the last file are padding')
})
