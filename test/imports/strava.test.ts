/** Strava's export: the table and its files are combined, without duplicates. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { total, zipOf } from '../support/importing.js'
import { collected } from './collecting.js'
import { fitFile } from './fit-writer.js'

const track = (hour: number): string =>
  `<gpx><trk><name>from the watch</name><trkseg><trkpt lat="46" lon="6"><time>2024-05-01T0${hour}:00:00Z</time></trkpt><trkpt lat="46" lon="6"><time>2024-05-01T0${hour}:10:00Z</time></trkpt></trkseg></trk></gpx>`
const session = fitFile(fit => {
  fit.define(0, 18, [
    [253, 0x86],
    [2, 0x86],
    [5, 0x00],
    [7, 0x86]
  ])
  fit.data(0, [1_000_000_600, 1_000_000_000, 1, 600_000])
})

const english = [
  'Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Commute,Filename',
  '1,"May 1, 2024, 7:00:00 AM",Morning Run,Run,"With Ana,\nslow",600,1.2,false,activities/1.gpx.gz',
  '2,"Sep 8, 2021, 1:46:40 AM",Intervals,Run,,600,2,false,activities/2.fit.gz',
  '3,"May 3, 2024, 12:30:05 PM",Yoga,Yoga,,1800,0,false,',
  '4,"May 4, 2024, 12:30:05 AM",Ride,Ride,,60,0,false,activities/4.gpx',
  '5,"May 5, 2024, 6:00:00 PM",Broken,Ride,,60,0,false,activities/5.tcx.gz'
].join('\n')

t.test('names, types and descriptions are added to their tracks', async t => {
  const found = await collected(
    await zipOf({
      'activities.csv': english,
      'activities/1.gpx.gz': gzipSync(track(7)),
      'activities/2.fit.gz': gzipSync(session),
      'activities/5.tcx.gz': gzipSync('nothing'),
      'activities/9.gpx': track(9)
    })
  )
  const activities = found.data.filter(({ type }) => type === 'activity/plain')
  t.same(
    activities
      .map(({ description, duration, time }) => [time, duration, description])
      .toSorted(([a], [b]) => Number(a) - Number(b)),
    [
      [Date.UTC(2021, 8, 8, 1, 46, 40) / 1000, 600, 'Intervals'],
      [Date.UTC(2024, 4, 1, 7) / 1000, 600, 'Morning Run: With Ana,\nslow'],
      [Date.UTC(2024, 4, 1, 9) / 1000, 600, 'from the watch'],
      [Date.UTC(2024, 4, 3, 12, 30, 5) / 1000, 1800, 'Yoga'],
      [Date.UTC(2024, 4, 4, 0, 30, 5) / 1000, 60, 'Ride'],
      [Date.UTC(2024, 4, 5, 18) / 1000, 60, 'Broken']
    ]
  )
  t.match(activities.find(({ description }) => description?.startsWith('Morning'))?.clientData, {
    'strava:activity': { id: '1', type: 'Run', name: 'Morning Run' }
  })
  t.same(found.leftOut, {
    'part of a measurement that is brought in as one': 2,
    'of no format that is known': 1
  })
  t.equal(total(found.records), found.data.length + total(found.leftOut))
})

t.test('a file that was imported separately is the same activity', async t => {
  const alone = await collected(track(7))
  const within = await collected(
    await zipOf({ 'export/activities/1.gpx.gz': gzipSync(track(7)), 'export/activities.csv': english })
  )
  const [one, other] = [alone, within].map(({ data }) => data.find(({ type }) => type === 'activity/plain'))
  t.equal(other?.description, 'Morning Run: With Ana,\nslow')
  for (const member of ['time', 'duration', 'identity', 'source', 'stream', 'type'] as const)
    t.equal(one?.[member], other?.[member])
})

t.test('tables in other languages are matched by their files', async t => {
  const german = english
    .replace('Activity ID,Activity Date', 'Aktivitäts-ID,Datum der Aktivität')
    .replace('"May 1, 2024, 7:00:00 AM"', '"01.05.2024, 07:00:00"')
  const found = await collected(
    await zipOf({ 'activities.csv': german, 'activities/1.gpx.gz': gzipSync(track(7)) })
  )
  t.equal(
    found.data.find(({ time, type }) => type === 'activity/plain' && time === 1_714_546_800)?.description,
    'Morning Run: With Ana,\nslow'
  )
})
