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

/** Returns a time of the tracks below. */
const at = (seconds: number): string => new Date((1.7e9 + seconds) * 1000).toISOString()
const places = [0, 5, 10]
const gpx = (name: string): string =>
  `<?xml version="1.0"?><gpx version="1.1"><trk>${name === '' ? '' : `<name>${name}</name>`}<trkseg>${places
    .map(each => `<trkpt lat="46.${each}" lon="6.1"><time>${at(each)}</time></trkpt>`)
    .join('')}</trkseg></trk></gpx>`
const tcx = `<TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>${at(0)}</Id><Lap StartTime="${at(0)}"><TotalTimeSeconds>10</TotalTimeSeconds><Track>${places
  .map(
    each =>
      `<Trackpoint><Time>${at(each)}</Time><Position><LatitudeDegrees>46.${each}</LatitudeDegrees><LongitudeDegrees>6.1</LongitudeDegrees></Position></Trackpoint>`
  )
  .join('')}</Track></Lap><Notes>Abendrunde</Notes></Activity></Activities></TrainingCenterDatabase>`
const fit = fitFile(file => {
  file.define(0, 0, [[0, 0x00]])
  file.data(0, [4])
  file.define(1, 20, [
    [253, 0x86],
    [0, 0x85],
    [1, 0x85]
  ])
  for (const each of places) file.data(1, [start + each, 500_000_000 + each, 70_000_000])
  file.define(2, 18, [
    [253, 0x86],
    [2, 0x86],
    [5, 0x00],
    [7, 0x86],
    [110, 0x07, 16]
  ])
  file.data(2, [start + 10, start, 1, 10_000, 'Abendrunde'])
})

t.test('tracks keep their names', async t => {
  const strava = await zipOf({
    'activities.csv': `Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Filename\n1,"Nov 14, 2023, 10:13:20 PM",Abendrunde,Run,,10,1,activities/1.gpx`,
    'activities/1.gpx': gpx('')
  })
  for (const [name, content, description] of [
    ['run.gpx', gpx('Abendrunde'), 'Abendrunde'],
    ['run.tcx', tcx, 'Running: Abendrunde'],
    ['run.fit', fit, 'Abendrunde'],
    ['strava.zip', strava, 'Abendrunde'],
    ['nameless.gpx', gpx(''), undefined]
  ] as const) {
    const { alice } = await coffer(t)
    const found = await broughtIn(alice, name, content)
    t.equal(found.state, 'written', found.message)
    const { events } = await alice.do('events.get', { fromTime: 0, toTime: 4e9 })
    const find = (type: string) => events.find((event: { type: string }) => event.type === type)
    t.equal(find('activity/plain').description, description, `the activity of ${name}`)
    t.equal(find('series:position/wgs84').description, description, `the track of ${name}`)
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
