/** Random and hostile bodies: every dialect reads them or refuses them with 400, in linear time. */
import t from 'tap'
import { ApiError } from '../../../../core/errors.js'
import type { Dialect } from '../../../../transports/receive/dialect.js'
import { hcWebhook } from '../../../../transports/receive/dialects/hc-webhook.js'
import { healthAutoExport } from '../../../../transports/receive/dialects/health-auto-export.js'
import { influx } from '../../../../transports/receive/dialects/influx.js'
import { json } from '../../../../transports/receive/dialects/json.js'
import { listenbrainz } from '../../../../transports/receive/dialects/listenbrainz.js'
import { openscale } from '../../../../transports/receive/dialects/openscale.js'
import { sleepAsAndroid } from '../../../../transports/receive/dialects/sleep-as-android.js'
import { wakatime } from '../../../../transports/receive/dialects/wakatime.js'
import type { ReceivedRequest } from '../../../../transports/receive/dialect.js'
import { seeded, type Random } from '../../../support/random.js'
import { noon, request } from './reading.js'

const date = '2024-05-01 08:00:00 +0200'
const time = '2026-11-26T12:00:00Z'
const mapping = [
  { items: '/a/b', time: '/time', value: '/v', type: 'mass/kg', unit: '/unit' },
  { value: '/constructor', type: 'note/txt' }
]

/** Valid bodies of each dialect, from which hostile ones are made. */
const cases: readonly { dialect: Dialect; body: unknown; given?: Partial<ReceivedRequest> }[] = [
  {
    dialect: hcWebhook,
    given: { connection: { name: 'phone', sensitive: true } },
    body: {
      timestamp: time,
      steps: [{ count: 1, start_time: time, end_time: time }],
      sleep: [
        {
          session_end_time: time,
          duration_seconds: 60,
          stages: [{ stage: 4, start_time: time, end_time: time }]
        }
      ],
      exercise: [{ type: 'running', start_time: time, end_time: time, distance_meters: 3 }],
      nutrition: [{ start_time: time, end_time: time, calories: 3, name: 'Soup' }],
      blood_pressure: [{ systolic: 120, diastolic: 80, time }],
      menstruation_flow: [{ flow: 1, time }]
    }
  },
  {
    dialect: healthAutoExport,
    given: { connection: { name: 'phone', sensitive: true } },
    body: {
      data: {
        metrics: [
          { name: 'step_count', units: 'count', data: [{ date, qty: 1, source: 'a' }] },
          { name: 'heart_rate', units: 'bpm', data: [{ date, Min: 1, Avg: 2, Max: 3 }] },
          {
            name: 'sleep_analysis',
            units: 'hr',
            data: [{ date, asleep: 1, sleepStart: date, sleepEnd: date }]
          },
          { name: 'sexual_activity', units: 'times', data: [{ date, Unspecified: 2 }] }
        ],
        workouts: [
          {
            id: 'x',
            name: 'Run',
            start: date,
            end: date,
            route: [{ latitude: 1, longitude: 2, timestamp: date, speed: 1 }],
            heartRateData: [{ date, Avg: 1, units: 'bpm' }]
          }
        ],
        ecg: [{ start: date, samplingFrequency: 512, voltageMeasurements: [{ voltage: 1, units: 'mcV' }] }],
        stateOfMind: [{ id: 'x', start: date, valence: 0.5, labels: ['a'] }],
        symptoms: [{ start: date, name: 'Headache', severity: 'Mild' }]
      }
    }
  },
  {
    dialect: json,
    given: { connection: { name: 'phone', sensitive: false, mapping } },
    body: { a: { b: [{ time, v: 1, unit: 'lb' }] } }
  },
  { dialect: influx, given: { path: 'write' }, body: 'cpu,host=a v=1,s="x" 1' },
  {
    dialect: openscale,
    body: {
      event: 'insert',
      userId: 1,
      date: time,
      weight: 1,
      values: [{ key: 'BONE', name: 'Bone', unit: 'kg', value: 1 }]
    }
  },
  { dialect: sleepAsAndroid, body: { event: 'sleep_tracking_started', value1: `${noon}000` } },
  {
    dialect: listenbrainz,
    given: { path: '1/submit-listens' },
    body: {
      listen_type: 'single',
      payload: [
        { listened_at: 1, track_metadata: { artist_name: 'a', track_name: 'b', additional_info: {} } }
      ]
    }
  },
  {
    dialect: wakatime,
    given: { path: 'heartbeats.bulk' },
    body: [{ entity: 'a', time: 1, project: 'b', language: 'c' }]
  }
]

const strangers: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  'NaN',
  '1e999',
  '1'.repeat(400),
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2024-13-45 99:99:99 +9999',
  '__proto__',
  'constructor',
  '\u0000\ud800',
  [],
  [[]],
  [null, 1, 'x', [], {}],
  {},
  { __proto__: null, constructor: 1, toString: {} },
  { length: 1e9 }
]

/** Replaces, adds or removes some of the values within a value. */
function mutate(value: unknown, random: Random): unknown {
  if (random.chance(0.08)) return random.pick(strangers)
  if (Array.isArray(value)) {
    const list = value.map(each => mutate(each, random))
    return random.chance(0.1) ? [...list, random.pick(strangers), ...list] : list
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([name, each]) =>
    random.chance(0.05) ? [] : [[random.chance(0.03) ? '__proto__' : name, mutate(each, random)] as const]
  )
  return Object.fromEntries(members)
}

/** Returns the body if reading it has another outcome than a reading or an error with status 400. */
function findFault(each: (typeof cases)[number], body: unknown): string[] {
  try {
    check(each, body)
    return []
  } catch (error) {
    return [`${each.dialect.id}: ${String(error)}: ${JSON.stringify(String(body))}`.slice(0, 2000)]
  }
}

/** Reads a body. Checks what the frame relies on. */
function check({ dialect, given }: (typeof cases)[number], body: unknown): void {
  const received = request(body, given)
  try {
    const reading = dialect.read(received)
    for (const { kind, source, stream, time: at, type } of reading.records) {
      if (typeof at !== 'number' || [kind, source, stream, type].some(each => typeof each !== 'string'))
        throw new Error('a record is malformed')
    }
    if (!Number.isSafeInteger(reading.received)) throw new Error('the number of entries is malformed')
    dialect.answer(received, reading)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
  }
}

t.test('mutated bodies', t => {
  const random = seeded(t)
  for (const each of cases) {
    const bodies = Array.from({ length: 600 }, () => JSON.stringify(mutate(each.body, random) ?? null))
    t.same(
      bodies.flatMap(body => findFault(each, body)),
      []
    )
  }
  t.end()
})

t.test('damaged texts', t => {
  const random = seeded(t)
  for (const each of cases) {
    const text = typeof each.body === 'string' ? each.body : JSON.stringify(each.body)
    const bodies = Array.from({ length: 500 }, () => {
      const bytes = Buffer.from(text)
      for (let change = 0; change < 3; change++) bytes[random.below(bytes.length)] = random.below(256)
      return random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length)) : bytes
    })
    t.same(
      bodies.flatMap(body => findFault(each, body)),
      []
    )
  }
  t.end()
})

t.test('deep nesting and long texts are read in linear time', t => {
  const deep = '[{"a":'.repeat(100_000)
  const long = 'x'.repeat(1_000_000)
  for (const each of cases) {
    const bodies = [
      deep,
      deep + '}]'.repeat(100_000),
      '['.repeat(500_000) + ']'.repeat(500_000),
      `{"data":${'{"metrics":['.repeat(100_000)}${']}'.repeat(100_000)}}`,
      JSON.stringify({ data: { metrics: [{ name: long, units: long, data: [{ date: long, qty: long }] }] } }),
      JSON.stringify({ event: long, steps: [{ time: long, count: long }], payload: [], a: { b: long } }),
      JSON.stringify(Array.from({ length: 100_000 }, () => 1))
    ]
    for (const body of bodies) {
      const start = process.cpuUsage()
      t.same(findFault(each, body), [])
      t.ok(process.cpuUsage(start).user < 5e6, `${each.dialect.id}: ${body.slice(0, 20)}`)
    }
  }
  t.end()
})
