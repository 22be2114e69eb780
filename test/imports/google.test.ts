/** Google's files: places with times become positions, at any depth; points of Fit are read by type. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

const second = (at: number): string => new Date(1_714_550_400_000 + at * 1000).toISOString()
const e7 = (degrees: number): object => ({ latitudeE7: degrees * 1e7, longitudeE7: 60_000_000 })

function positions(found: Collected, kind: string): unknown[] {
  return found.data
    .filter(datum => datum.kind === kind)
    .map(({ content, time }) => [time - 1_714_550_400, (content as { latitude: number }).latitude])
}

t.test('months: raw paths, ends of activities, and nested visits', async t => {
  const found = await collected(
    JSON.stringify({
      timelineObjects: [
        {
          placeVisit: {
            location: { ...e7(46), name: 'Station' },
            duration: { startTimestamp: second(0), endTimestamp: second(600) },
            simplifiedRawPath: {
              points: [{ latE7: 461_000_000, lngE7: 60_000_000, timestamp: second(30), accuracyMeters: 9 }]
            },
            childVisits: [
              {
                location: { ...e7(47), name: 'Kiosk' },
                duration: { startTimestamp: second(60), endTimestamp: second(120) }
              }
            ]
          }
        },
        {
          activitySegment: {
            startLocation: e7(46),
            endLocation: e7(48),
            duration: { startTimestampMs: '1714551000000', endTimestampMs: '1714551600000' },
            activityType: 'IN_TRAIN',
            distance: 12_000,
            waypointPath: {
              waypoints: [
                { latE7: 1, lngE7: 1 },
                { latE7: 2, lngE7: 2 }
              ]
            },
            simplifiedRawPath: {
              points: [{ latE7: 470_000_000, lngE7: 60_000_000, timestampMs: '1714551300000' }]
            }
          }
        },
        { unheardOf: {} }
      ]
    })
  )
  t.same(positions(found, 'simplifiedRawPath'), [
    [30, 46.1],
    [900, 47]
  ])
  t.same(positions(found, 'startLocation'), [[600, 46]])
  t.same(positions(found, 'endLocation'), [[1200, 48]])
  t.same(positions(found, 'childVisit'), [[60, 47]])
  t.match(
    found.data.find(({ kind }) => kind === 'activitySegment'),
    { description: 'in train', duration: 600, clientData: { 'google:activity': { metres: 12_000 } } }
  )
  t.same(found.leftOut, { 'without a time': 2, 'of a kind without a type here': 1 })
  t.ok(addsUp(found))
})

t.test('phones: raw signals where no path exists, and ends of activities', async t => {
  const found = await collected(
    JSON.stringify({
      semanticSegments: [
        {
          startTime: second(3600),
          endTime: second(7200),
          timelinePath: [{ point: '46.2°, 6.1°', time: second(3700) }]
        },
        {
          startTime: second(0),
          endTime: second(60),
          timelinePath: [{ point: '46.1°, 6.1°', time: second(30) }]
        },
        {
          startTime: second(7200),
          endTime: second(7500),
          activity: {
            start: { latLng: '46.2°, 6.1°' },
            end: { latLng: '46.3°, 6.1°' },
            distanceMeters: 900,
            topCandidate: { type: 'WALKING' }
          }
        },
        { startTime: second(7200), endTime: second(7500), timelineMemory: {} }
      ],
      rawSignals: [
        { position: { LatLng: '46.2°, 6.1°', timestamp: second(40), accuracyMeters: 5 } },
        {
          position: { LatLng: '46.25°, 6.1°', timestamp: second(120), accuracyMeters: 5, altitudeMeters: 400 }
        },
        { position: { LatLng: '46.4°, 6.1°', timestamp: second(4000) } },
        { position: { LatLng: '46.5°, 6.1°' } },
        { wifiScan: {} }
      ]
    })
  )
  t.same(positions(found, 'rawSignal'), [[120, 46.25]])
  t.same(positions(found, 'activity start'), [[7200, 46.2]])
  t.same(positions(found, 'activity end'), [[7500, 46.3]])
  t.same(found.leftOut, {
    'within the time of a path that is brought in': 2,
    'without a time': 1,
    'of a kind without a type here': 2
  })
  t.ok(addsUp(found))
})

t.test("records: the phone's guesses are counted", async t => {
  const found = await collected(
    JSON.stringify({
      locations: [{ ...e7(46), timestamp: second(0), verticalAccuracy: 3, activity: [{}, {}] }]
    })
  )
  t.match(found.data, [{ content: { verticalAccuracy: 3 } }])
  t.same(found.leftOut, { 'of a kind without a type here': 2 })
})

const nanos = (at: number): string => `${1_714_550_400 + at}000000000`
const source = 'derived:com.google.heart_rate.bpm:com.google.android.gms:merge_heart_rate_bpm'

t.test('Fit: points of Takeout, of a dataset and of buckets yield the same', async t => {
  const points = [
    ['heart_rate.bpm', [61]],
    ['step_count.delta', [12]],
    ['weight', [72.5]],
    ['blood_pressure', [121, 79]],
    ['location.sample', [46.1, 6.1, 20]],
    ['location.bounding_box', [46, 6, 47, 7]],
    ['sleep.segment', [5]],
    ['heart_minutes', [3]]
  ] as const
  const api = points.map(([name, values], at) => ({
    startTimeNanos: nanos(at * 100),
    endTimeNanos: nanos(at * 100 + 60),
    dataTypeName: `com.google.${name}`,
    value: values.map(value =>
      Number.isInteger(value) && !/bpm|box/.test(name) ? { intVal: value } : { fpVal: value }
    )
  }))
  const takeout = api.map(({ value, ...others }) => ({
    fitValue: value.map(each => ({ value: each })),
    originDataSourceId: '',
    ...others
  }))
  const files = [
    { 'Data Source': source, 'Data Points': takeout },
    { dataSourceId: source, minStartTimeNs: nanos(0), maxEndTimeNs: nanos(1), point: api },
    { bucket: [{ startTimeMillis: '1714550400000', dataset: [{ dataSourceId: source, point: api }] }] }
  ]
  for (const file of files) {
    const found = await collected(JSON.stringify(file))
    t.same(found.formats, ['google-fit'])
    t.match(found.data, [
      { type: 'frequency/bpm', content: 61, time: 1_714_550_400, duration: undefined },
      { type: 'count/steps', content: 12, duration: 60 },
      { type: 'mass/kg', content: 72.5 },
      { type: 'blood-pressure/mmhg-bpm', content: { systolic: 121, diastolic: 79 } },
      { type: 'position/wgs84', content: { latitude: 46.1, horizontalAccuracy: 20 } },
      { type: 'sleep/analysis', content: { analysis: 'asleep' }, duration: 60 }
    ])
    t.equal(found.data.length, 6)
    t.same(found.leftOut, { 'of a kind without a type here': 2 })
    t.ok(addsUp(found))
  }
})

t.test('Fit: sessions', async t => {
  const found = await collected(
    JSON.stringify({
      fitnessActivity: 'running',
      startTime: second(0),
      endTime: second(600),
      duration: '600s',
      segment: [{ fitnessActivity: 'running' }],
      aggregate: [{ metricName: 'com.google.step_count.delta', intValue: 900 }]
    })
  )
  t.match(found.data, [{ type: 'activity/plain', description: 'running', duration: 600 }])
  t.same(found.leftOut, { 'of a kind without a type here': 1 })
})
