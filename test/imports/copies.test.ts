/** Importing track files: existing records are recognised, also in a compressed or truncated copy. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, total, zipOf } from '../support/importing.js'
import { fitFile } from './fit-writer.js'

const start = 1_000_000_000
const hour = 3600
const activity = fitFile(fit => {
  fit.define(0, 0, [
    [1, 0x84],
    [3, 0x8c]
  ])
  fit.data(0, [1, 42])
  fit.define(1, 20, [
    [253, 0x86],
    [0, 0x85],
    [1, 0x85],
    [3, 0x02],
    [7, 0x84]
  ])
  fit.define(2, 78, [[0, 0x84, 4]])
  for (let at = 0; at < 600; at++) {
    fit.data(1, [start + at, 500_000_000 + at, 70_000_000, 120 + (at % 20), 200])
    // Two messages a second, always with the same beat.
    for (let message = 0; message < 2; message++) fit.data(2, [[500, 500]])
  }
  fit.define(3, 18, [
    [253, 0x86],
    [2, 0x86],
    [5, 0x00],
    [7, 0x86]
  ])
  fit.data(3, [start + hour, start, 1, hour * 1000])
})

t.test('a file, its compressed and truncated copies, and an archive of it are imported once', async t => {
  const { alice } = await coffer(t)
  const whole = await broughtIn(alice, 'run.fit', activity)
  t.equal(whole.state, 'written', whole.message)
  t.same(whole.tally, {
    broughtIn: {
      'position/wgs84': 600,
      'frequency/bpm': 600,
      'power/w': 600,
      'time/ms': 2400,
      'activity/plain': 1
    },
    known: {},
    leftOut: {}
  })
  for (const [name, content] of [
    ['run.fit.gz', gzipSync(activity)],
    ['cut.fit', activity.subarray(0, activity.length / 2)],
    ['all.zip', await zipOf({ 'activities/run.fit.gz': gzipSync(activity) })]
  ] as const) {
    const again = await broughtIn(alice, name, content)
    t.equal(again.state, 'written', again.message)
    t.same(again.tally.broughtIn, {}, name)
    t.equal(total(again.tally.known), total(again.look.records), name)
  }
})

t.test('a settings file is recognised by its format, with each message counted', async t => {
  const { alice } = await coffer(t)
  const settings = fitFile(fit => {
    fit.define(0, 0, [[0, 0x00]])
    fit.data(0, [2])
    fit.define(1, 2, [[0, 0x02]])
    fit.data(1, [1])
  })
  const found = await sent(alice, 'settings.fit', settings)
  t.equal(found.look.formatName, 'FIT')
  t.same(found.look.records, { device_settings: 1 })
  t.same(found.tally.leftOut, { 'about the file or the device, not a measurement': 1 })
})
