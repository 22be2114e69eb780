/** Health Auto Export: values with their units, members in any order, and everything else by name. */
import t from 'tap'
import { ObjectScanner } from '../../imports/text/object-scanner.js'
import { collected, missing, type Collected } from './collecting.js'

const date = '2024-05-01 08:00:00 +0200'
const time = 1_714_543_200

const file = (data: object): Promise<Collected> => collected(JSON.stringify({ data }))
const metric = (name: string, units: string, ...data: object[]): object => ({ name, units, data })
const found = ({ data }: Collected): unknown[] =>
  data.map(({ content, stream, type }) => [stream, type, content])

t.test('values have the unit of their metric', async t => {
  const all = await file({
    metrics: [
      metric('step_count', 'count', { date, qty: 412, source: 'iPhone|Watch' }),
      metric('active_energy', 'kJ', { date, qty: 0.5 }),
      metric('basal_energy_burned', 'kcal', { date, qty: 71.2 }),
      metric('weight_body_mass', 'lb', { date, qty: 165.3 }),
      metric('blood_oxygen_saturation', '%', { date, qty: 97 }, { date, qty: 0.97 }),
      metric('walking_asymmetry_percentage', '%', { date, qty: 0.5 }),
      metric('respiratory_rate', 'count/min', { date, qty: 14 }),
      metric('vo2_max', 'ml/(kg·min)', { date, qty: 41 }),
      metric('flights_climbed', 'count', { date, qty: 3 }),
      metric('heart_rate', 'count/min', { date, Min: 58, Avg: 61.5, Max: 70 }, { date, qty: 0 }),
      metric('strange_rate', 'count/min', { date, qty: 5 }),
      metric('physical_effort', 'kcal/hr·kg', { date, qty: 2 }),
      metric('weight_body_mass', '', { date, qty: 75 }),
      metric('height', 'cm', { date: 'never', qty: 172 }, { date, qty: null }),
      metric('blood_glucose', 'mmol/L', { date, qty: 5.4, mealTime: 'Before Meal', odd: 1 }),
      metric('insulin_delivery', 'IU', { date, qty: 4, reason: 'Bolus' }),
      metric('blood_pressure', 'mmHg', { date, systolic: 120, diastolic: 80 }, { date, systolic: 120 }),
      metric('blood_pressure', 'kPa', { date, systolic: 16, diastolic: 11 }),
      metric('sexual_activity', 'times', { date, Unspecified: 0, 'Protection Used': 1 })
    ]
  })
  t.same(all.formats, ['health-auto-export'])
  t.same(found(all), [
    ['Step count', 'count/steps', 412],
    ['Active energy', 'energy/j', 500],
    ['Basal energy burned', 'energy/kcal', 71.2],
    ['Weight body mass', 'mass/lb', 165.3],
    ['Blood oxygen saturation', 'ratio/percent', 97],
    ['Walking asymmetry percentage', 'ratio/percent', 0.5],
    ['Respiratory rate', 'frequency/brpm', 14],
    ['VO2 max', 'gas-consumption/mlpkgmin', 41],
    ['Flights climbed', 'count/generic', 3],
    ['Heart rate', 'frequency/bpm', 61.5],
    ['Heart rate, lowest', 'frequency/bpm', 58],
    ['Heart rate, highest', 'frequency/bpm', 70],
    ['Blood glucose', 'density/mmol-l', 5.4],
    ['Insulin delivery', 'volume/iu', 4],
    ['Blood pressure', 'blood-pressure/mmhg-bpm', { systolic: 120, diastolic: 80 }],
    ['Sexual activity', 'reproductive-health/sexual-activity', 'protectionUsed']
  ])
  t.match(all.data[0], { time, source: 'iPhone|Watch' })
  t.match(all.data.at(-4), {
    isEvent: true,
    clientData: { 'health-auto-export:value': { mealTime: 'Before Meal' } }
  })
  t.same(all.leftOut, {
    'of a value that is impossible for what it measures': 1,
    'zero, which means that nothing was measured': 1,
    'in a unit without a type here': 3,
    'of a unit that is not known': 1,
    'without a time': 1,
    'without a number': 1,
    'of a kind without a type here': 1,
    'half of a measurement whose other half is missing': 1
  })
  t.equal(missing(all), 0)
})

t.test('units may follow values, and a truncated metric has none', async t => {
  const text = `{"data":{"metrics":[{"data":[{"qty":70,"date":"${date}"}],"units":"kg","name":"weight_body_mass"},
    {"data":[{"qty":1.7,"date":"${date}"},{"qty":1.8,"date":"${date}"}],"units":"m","name":"height"}]}}`
  const all = await collected(text)
  t.same(found(all), [
    ['Weight body mass', 'mass/kg', 70],
    ['Height', 'length/m', 1.7],
    ['Height', 'length/m', 1.8]
  ])
  const torn = await collected(text.slice(0, text.indexOf('"units":"m"')))
  t.same(found(torn), [['Weight body mass', 'mass/kg', 70]])
  t.same(torn.leftOut, { 'cut off before its end': 2 })
  t.equal(torn.warnings.length, 1)
})

t.test('a metric may exceed the size limit of a record', async t => {
  const count = 60_000
  const data = Array.from({ length: count }, (_, at) => ({
    source: 'A watch with a long name, so that there are many characters',
    date: new Date((time + at) * 1000).toISOString(),
    Avg: 60
  }))
  const all = await file({ metrics: [metric('heart_rate', 'count/min', ...data)] })
  t.equal(all.data.length, count)
  t.same(all.leftOut, {})
})

t.test('12-hour times', async t => {
  const all = await file({
    metrics: [
      metric(
        'height',
        'cm',
        ...[
          '2024-05-01 8:00:00\u202fAM +0200',
          '2024-05-01 12:00:00 am +0200',
          '2024-05-01 1:00:00 pm +0200'
        ].map(date => ({ date, qty: 172 }))
      )
    ]
  })
  t.same(
    all.data.map(each => each.time - time),
    [0, -8 * 3600, 5 * 3600]
  )
})

t.test('sleep by stages, and nights as totals', async t => {
  const span = { startDate: date, endDate: '2024-05-01 08:30:00 +0200', qty: 0.5, source: 'Watch' }
  const all = await file({
    metrics: [
      metric(
        'sleep_analysis',
        'hr',
        { ...span, value: 'REM' },
        { ...span, value: 'Awake' },
        { ...span, value: 'In Bed' },
        { ...span, value: 'constructor' }
      ),
      metric('sleep_analysis', 'hr', {
        date: '2024-05-02',
        totalSleep: 6.5,
        deep: 1.5,
        awake: 0,
        sleepStart: '2024-05-02 00:00:00 +0200',
        sleepEnd: '2024-05-02 07:00:00 +0200',
        inBedStart: '2024-05-01 23:30:00 +0200',
        inBedEnd: '2024-05-02 07:30:00 +0200',
        source: 'Watch'
      }),
      metric('sleep_analysis', 'hr', {
        date: '2024-05-03',
        asleep: 7,
        inBed: 0,
        sleepStart: '2024-05-03 00:00:00 +0200',
        sleepEnd: '2024-05-03 07:00:00 +0200'
      })
    ]
  })
  t.same(
    all.data.map(({ content, duration, stream }) => [stream, content, duration]),
    [
      ['Sleep', { analysis: 'asleep' }, 1800],
      ['Sleep', { analysis: 'awake' }, 1800],
      ['Sleep', { analysis: 'inBed' }, 1800],
      ['Time asleep', 6.5, 7 * 3600],
      ['Deep sleep', 1.5, 7 * 3600],
      ['Sleep', { analysis: 'inBed' }, 8 * 3600],
      ['Time asleep', 7, 7 * 3600],
      ['Sleep', { analysis: 'asleep' }, 7 * 3600]
    ]
  )
  t.same(all.leftOut, { 'of a kind without a type here': 1, 'zero, which stands for none': 2 })
  t.equal(missing(all), 0)
})

t.test('workouts with their values and routes', async t => {
  const all = await file({
    workouts: [
      {
        heartRateData: [{ date, Min: 100, Avg: 108, Max: 110, units: 'bpm', source: 'Watch' }],
        stepCount: [{ date, qty: 20, units: 'steps' }],
        route: [
          { latitude: 47, longitude: 8, altitude: 400, speed: -1, timestamp: date },
          { lat: 47.1, lon: 8, timestamp: date },
          { timestamp: date }
        ],
        id: 'a1',
        name: 'Walking',
        start: date,
        end: '2024-05-01 08:20:00 +0200',
        activeEnergyBurned: { qty: 226, units: 'kJ' }
      },
      { name: 'Yoga', start: date, end: date, metadata: {} },
      { name: 'Lost' }
    ]
  })
  t.same(found(all), [
    ['Heart rate of workouts', 'frequency/bpm', 108],
    ['Heart rate of workouts, lowest', 'frequency/bpm', 100],
    ['Heart rate of workouts, highest', 'frequency/bpm', 110],
    ['Step count of workouts', 'count/steps', 20],
    ['Positions', 'position/wgs84', { latitude: 47, longitude: 8, altitude: 400 }],
    ['Positions', 'position/wgs84', { latitude: 47.1, longitude: 8 }],
    ['Workouts', 'activity/plain', undefined],
    ['Workouts', 'activity/plain', undefined]
  ])
  t.match(all.data[6], {
    duration: 1200,
    identity: 'a1',
    description: 'Walking',
    clientData: { 'health-auto-export:workout': { activeEnergyBurned: { qty: 226, units: 'kJ' } } }
  })
  t.same(all.leftOut, { 'without a position': 1, 'without a time': 1 })
  t.equal(missing(all), 0)
})

t.test('symptoms, moods, doses, electrocardiograms, and what is skipped', async t => {
  const span = { start: date, end: date }
  const all = await file({
    symptoms: [
      { ...span, name: 'Headache', severity: 'Not Present' },
      { ...span, name: 'Appetite Changes', severity: 'Decreased' },
      { ...span, name: 'Headache', severity: 'Odd' }
    ],
    stateOfMind: [
      { ...span, id: 'm', valence: -0.5, labels: ['Sad'], kind: 'daily_mood' },
      { ...span, valence: 3 }
    ],
    medications: [
      { ...span, displayText: 'Ibuprofen', status: 'Taken', dosage: 2 },
      { ...span, displayText: 'Ibuprofen', status: 'Skipped' }
    ],
    ecg: [
      {
        voltageMeasurements: [
          { date, voltage: 20, units: 'mcV' },
          { date, voltage: 30, units: 'mcV' },
          { date, voltage: 30, units: '?' }
        ],
        ...span,
        classification: 'Sinus Rhythm',
        samplingFrequency: 512,
        averageHeartRate: 61
      }
    ],
    cycleTracking: [{ ...span, name: 'Menstrual Flow' }],
    heartRateNotifications: [{ ...span, heartRate: [{ hr: 120 }] }],
    somethingNew: [{ a: 1 }, { a: 2 }]
  })
  t.same(found(all), [
    ['Headache', 'symptoms/severity', 'notPresent'],
    ['Appetite changes', 'symptoms/appetite-changes', 'decreased'],
    ['State of mind', 'mood/rating', 0.25],
    ['Medications', 'note/txt', 'Ibuprofen'],
    ['Electrocardiograms', 'electromotive-force/v', 0.00002],
    ['Electrocardiograms', 'electromotive-force/v', 0.00003],
    ['Electrocardiogram results', 'note/txt', 'Sinus Rhythm']
  ])
  t.equal(all.data[5]!.time, time + 1 / 512)
  t.match(all.data.at(-1), { clientData: { 'health-auto-export:ecg': { averageHeartRate: 61 } } })
  t.match(all.records, { cycleTracking: 1, heartRateNotifications: 1, somethingNew: 2, symptoms: 3 })
  t.equal(missing(all), 0)
})

t.test(
  'an object is returned without the items of its streamed lists, however the text is chunked',
  async t => {
    const text = '{"a":[{"x":"}]{[","l":[{"v":1},[{"v":2}]],"y":{"l":[3]},"m":[4]},{"x":2},5]}'
    const read = (size: number): unknown[] => {
      const objects: unknown[] = []
      const scanner = new ObjectScanner(
        path => path.join('.') === 'a.l',
        (object, path, frames) => objects.push([JSON.parse(object), path.join('.'), frames]),
        path => path.join('.') === 'a'
      )
      for (let at = 0; at < text.length; at += size) scanner.write(text.slice(at, at + size))
      scanner.finish()
      t.notOk(scanner.isCutOff)
      return objects
    }
    const whole = [
      [{ v: 1 }, 'a.l', 1],
      [{ v: 2 }, 'a.l', 1],
      [{ x: '}]{[', l: [], y: { l: [3] }, m: [4] }, 'a', 1],
      [{ x: 2 }, 'a', 2]
    ]
    for (let size = 1; size <= text.length; size++) t.same(read(size), whole)
  }
)
