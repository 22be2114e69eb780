/** Tracks and workouts as JSON: GeoJSON, OwnTracks, Polar, Suunto. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

const unix = 1_714_550_400
const second = (at: number): string => new Date((unix + at) * 1000).toISOString()

function valuesBy(found: Collected, type: string): unknown[] {
  return found.data.filter(datum => datum.type === type).map(({ content }) => content)
}

const feature = (type: string, coordinates: unknown, properties: object): object => ({
  type: 'Feature',
  geometry: { type, coordinates },
  properties
})

t.test('GeoJSON: points and lines with and without times', async t => {
  const features = [
    feature('Point', [6.1, 46.1, 400], {
      timestamp: second(0),
      horizontal_accuracy: 5,
      speed: 2,
      device_id: 'phone'
    }),
    feature('Point', [6.1, 46.2], { timestamp: unix + 10, speed: 20 }),
    feature('Point', [6.1, 46.3], { time: (unix + 20) * 1000, name: 'Hut' }),
    feature('Point', [6.1, 146], { time: second(0) }),
    feature('Point', [6.1, 46], {}),
    feature(
      'LineString',
      [
        [6, 46],
        [6, 46.1],
        [6, 46.2]
      ],
      { name: 'Way', coordTimes: [second(0), second(5), second(9)], heartRates: [80, null, 90] }
    ),
    feature(
      'LineString',
      [
        [6, 46],
        [6, 47]
      ],
      { name: 'Border' }
    ),
    feature('MultiLineString', [[[6, 46]], [[7, 47]]], {
      coordinateProperties: { times: [[second(50)], [second(60)]] }
    }),
    feature(
      'Polygon',
      [
        [
          [6, 46],
          [7, 46],
          [7, 47],
          [6, 46]
        ]
      ],
      {}
    ),
    { type: 'Feature', geometry: null, properties: {} }
  ]
  const found = await collected(JSON.stringify({ type: 'FeatureCollection', features }))
  t.same(found.formats, ['geojson'])
  t.match(found.data.slice(0, 3), [
    { source: 'phone', time: unix, content: { altitude: 400, horizontalAccuracy: 5, speed: 2 } },
    { time: unix + 10, content: { latitude: 46.2 } },
    { time: unix + 20, description: 'Hut', stream: 'Places' }
  ])
  t.same(valuesBy(found, 'frequency/bpm'), [80, 90])
  t.match(
    found.data.find(({ description }) => description === 'Way'),
    { type: 'activity/plain', duration: 9 }
  )
  t.same(found.leftOut, {
    'of a unit that is not known': 1,
    'at coordinates beyond the earth': 1,
    'without a time': 3,
    'of a kind without a type here': 1,
    'without a position': 1
  })
  t.ok(addsUp(found))
  const alone = await collected(JSON.stringify(features[0]))
  t.equal(alone.data.length, 1)
  const overland = await collected(JSON.stringify({ locations: features.slice(0, 2) }))
  t.same(overland.formats, ['geojson'])
  t.equal(overland.data.length, 2)
})

t.test('OwnTracks: the lines of a recorder', async t => {
  const lines = [
    {
      _type: 'location',
      lat: 46.1,
      lon: 6.1,
      tst: unix,
      acc: 9,
      alt: 400,
      vel: 36,
      cog: 90,
      p: 96.4,
      tid: 'me'
    },
    { _type: 'location', lat: 96.1, lon: 6.1, tst: unix },
    { _type: 'location', lat: 46.1, lon: 6.1 },
    { _type: 'transition', lat: 46.1, lon: 6.1, tst: unix },
    { _type: 'lwt', tst: unix }
  ].map(
    (message, at) => `${second(at).replace('.000', '')}\t*                 \t${JSON.stringify(message)}\n`
  )
  const found = await collected(lines.join(''), '2024-05.rec')
  t.same(found.formats, ['owntracks'])
  t.match(found.data, [
    {
      source: 'me',
      time: unix,
      content: { latitude: 46.1, altitude: 400, horizontalAccuracy: 9, speed: 10, bearing: 90 }
    },
    { type: 'pressure/kpa', content: 96.4 }
  ])
  t.same(found.leftOut, {
    'at coordinates beyond the earth': 1,
    'without a time': 1,
    'of a kind without a type here': 2
  })
  t.ok(addsUp(found))
})

/** Returns the same time on a clock two hours east of UTC. */
const local = (at: number): string => second(at + 7200).replace('Z', '')

t.test('Polar: sessions with samples, daily heart rates, steps', async t => {
  const session = {
    exportVersion: '1.6',
    name: 'x',
    exercises: [
      {
        startTime: local(0),
        stopTime: local(600),
        timezoneOffset: 120,
        sport: 'TRAIL_RUNNING',
        distance: 1500,
        samples: {
          recordedRoute: [{ dateTime: local(1), latitude: 46.1, longitude: 6.1, altitude: 400 }],
          heartRate: [{ dateTime: local(1), value: 120 }, { dateTime: local(2) }],
          speed: [{ dateTime: local(1), value: 9 }],
          strideLength: [{ dateTime: local(1), value: 90 }]
        }
      }
    ]
  }
  const found = await collected(JSON.stringify(session))
  t.same(found.formats, ['polar'])
  t.match(found.data, [
    { type: 'position/wgs84', time: unix + 1, content: { altitude: 400 } },
    { type: 'frequency/bpm', time: unix + 1, content: 120 },
    { type: 'speed/m-s', content: 2.5 },
    { type: 'activity/plain', time: unix, duration: 600, description: 'trail running' }
  ])
  t.same(found.leftOut, { 'without a number': 1, 'of a kind without a type here': 1 })
  t.ok(addsUp(found))
  const long = structuredClone(session)
  long.exercises[0]!.samples.heartRate = Array.from({ length: 80_000 }, (_, at) => ({
    dateTime: local(at),
    value: 100 + (at % 50)
  }))
  const hours = await collected(JSON.stringify(long))
  t.equal(valuesBy(hours, 'frequency/bpm').length, 80_000, 'hours of samples')
  t.match(hours.data.at(-1), {
    type: 'activity/plain',
    time: unix,
    duration: 600,
    description: 'trail running'
  })
  const told = await collected(JSON.stringify(session), 'x', { zone: 'UTC' })
  t.equal(told.data[0]!.time, unix + 1 + 7200, 'what the person says counts more')
  const days = await collected(
    JSON.stringify({
      deviceDays: [
        {
          date: '2024-05-01',
          samples: [
            { heartRate: 55, secondsFromDayStart: 60 },
            { heartRate: 0, secondsFromDayStart: 61 }
          ]
        }
      ]
    }),
    'x',
    { zone: 'Europe/Zurich' }
  )
  t.match(days.data, [{ content: 55, time: 1_714_514_400 + 60 }])
  const steps = await collected(
    JSON.stringify({
      exportVersion: '1.0',
      date: '2024-05-01',
      summary: { stepCount: 9000, calories: 2100 },
      samples: { mets: [{}, {}] }
    })
  )
  t.match(steps.data, [
    { type: 'count/steps', content: 9000 },
    { type: 'energy/kcal', content: 2100 }
  ])
  t.ok(addsUp(steps))
})

const radians = (degrees: number): number => (degrees * Math.PI) / 180

t.test('Suunto: samples in its units, from watches and from the app', async t => {
  const samples = [
    {
      TimeISO8601: second(0),
      Latitude: radians(46.1),
      Longitude: radians(6.1),
      GPSAltitude: 400,
      Speed: 3,
      HR: 2,
      Temperature: 293.15,
      EVPE: 3
    },
    { TimeISO8601: second(1), HR: 2.05, Cadence: 1.5 },
    { TimeISO8601: second(2), 'R-R': { Data: [500, 600] } },
    { HR: 2 }
  ]
  const watch = {
    DeviceLog: { Header: { ActivityType: 3, DateTime: second(0), Duration: 60 }, Samples: samples }
  }
  const app = {
    Samples: samples.map(({ TimeISO8601, ...sample }) => ({
      Attributes: { 'suunto/sml': 'R-R' in sample ? sample : { Sample: sample } },
      Source: 'suunto-1',
      ...(TimeISO8601 && { TimeISO8601 })
    }))
  }
  for (const file of [watch, app]) {
    const found = await collected(JSON.stringify(file))
    t.same(found.formats, ['suunto'])
    t.match(found.data[0], { content: { latitude: 46.1, longitude: 6.1, altitude: 400, speed: 3 } })
    t.same(valuesBy(found, 'frequency/bpm'), [120, 123])
    t.same(valuesBy(found, 'frequency/rpm'), [90])
    t.same(valuesBy(found, 'temperature/c'), [20])
    t.same(
      found.data
        .filter(({ kind }) => kind === 'R-R')
        .map(({ content, time }) => [content, Number((time - unix).toFixed(3))]),
      [
        [500, 1.4],
        [600, 2]
      ]
    )
    t.equal(found.data.filter(({ type }) => type === 'activity/plain').length, 1)
    t.same(found.leftOut, { 'of a kind without a type here': 1, 'without a time': 1 })
    t.ok(addsUp(found))
  }
})
