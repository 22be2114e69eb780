import t from 'tap'
import type { ImportedRecord } from '../../../../imports/record.js'
import { findMeasureByName } from '../../../../schemas/measures/import-names.js'
import { healthAutoExport } from '../../../../transports/receive/dialects/health-auto-export.js'
import { metricKinds } from '../../../../transports/receive/dialects/health-auto-export-kinds.js'
import { toQuantity } from '../../../../transports/receive/dialects/health-auto-export-quantities.js'
import { collected } from '../../../imports/collecting.js'
import { zipOf } from '../../../support/importing.js'
import { answer, brief, missed, read, refused } from './reading.js'

const date = '2024-05-01 08:00:00 +0200'
const time = 1_714_543_200
const source = 'Apple Watch'

const metric = (name: string, units: string, ...data: unknown[]): object => ({ name, units, data })
const body = (data: object): object => ({ data })
const metrics = (...list: object[]): object => body({ metrics: list })

/** Apple's export of records. */
async function exported(...elements: string[]): Promise<ImportedRecord[]> {
  const xml = `<?xml version="1.0"?>\n<HealthData locale="de_DE">\n${elements.join('\n')}\n</HealthData>`
  return (await collected(xml, 'export.xml')).data
}
const element = (type: string, attributes: string, start = date, end = start): string =>
  `<Record type="${type}" sourceName="${source}" startDate="${start}" endDate="${end}" ${attributes}/>`
const quantity = (kind: string, unit: string, value: number): string =>
  element(`HKQuantityTypeIdentifier${kind}`, `unit="${unit}" value="${value}"`)

/** What identifies a record, and what is stored of it. */
const compared = ({
  content,
  duration,
  identity,
  kind,
  source,
  stream,
  time,
  track,
  type
}: ImportedRecord): unknown => ({
  content,
  duration,
  identity,
  kind,
  source,
  stream,
  time,
  track,
  type
})

t.test('quantities are the records of the export, field by field', async t => {
  const pairs: [name: string, units: string, qty: number, kind: string, unit: string, value: number][] = [
    ['step_count', 'count', 412, 'StepCount', 'count', 412],
    ['heart_rate', 'count/min', 61, 'HeartRate', 'count/min', 61],
    ['resting_heart_rate', 'bpm', 52, 'RestingHeartRate', 'count/min', 52],
    ['walking_heart_rate', 'count/min', 99, 'WalkingHeartRateAverage', 'count/min', 99],
    ['heart_rate_variability', 'ms', 42.5, 'HeartRateVariabilitySDNN', 'ms', 42.5],
    ['respiratory_rate', 'count/min', 14, 'RespiratoryRate', 'count/min', 14],
    ['weight_body_mass', 'kg', 71.3, 'BodyMass', 'kg', 71.3],
    ['body_mass_index', 'count', 22.5, 'BodyMassIndex', 'count', 22.5],
    ['body_fat_percentage', '%', 18.2, 'BodyFatPercentage', '%', 0.182],
    ['blood_oxygen_saturation', '%', 97, 'OxygenSaturation', '%', 0.97],
    ['height', 'cm', 172, 'Height', 'cm', 172],
    ['walking_running_distance', 'km', 1.234, 'DistanceWalkingRunning', 'km', 1.234],
    ['swimming_distance', 'm', 50, 'DistanceSwimming', 'm', 50],
    ['active_energy', 'kcal', 12.5, 'ActiveEnergyBurned', 'kcal', 12.5],
    ['basal_energy_burned', 'kcal', 71.2, 'BasalEnergyBurned', 'kcal', 71.2],
    ['vo2_max', 'ml/(kg·min)', 41, 'VO2Max', 'mL/min·kg', 41],
    ['body_temperature', 'degC', 36.8, 'BodyTemperature', 'degC', 36.8],
    ['walking_speed', 'km/hr', 4.9, 'WalkingSpeed', 'km/hr', 4.9],
    ['blood_glucose', 'mg/dL', 97, 'BloodGlucose', 'mg/dL', 97],
    ['blood_glucose', 'mmol/L', 5.4, 'BloodGlucose', 'mmol&lt;180.1558800000541&gt;/L', 5.4],
    ['insulin_delivery', 'IU', 4, 'InsulinDelivery', 'IU', 4],
    ['caffeine', 'mg', 80, 'DietaryCaffeine', 'mg', 80],
    ['dietary_water', 'mL', 250, 'DietaryWater', 'mL', 250],
    ['vitamin_d', 'mcg', 5, 'DietaryVitaminD', 'mcg', 5],
    ['environmental_audio', 'dBASPL', 62, 'EnvironmentalAudioExposure', 'dBASPL', 62],
    ['flights_climbed', 'count', 3, 'FlightsClimbed', 'count', 3]
  ]
  for (const [name, units, qty, kind, unit, value] of pairs) {
    const expected = await exported(quantity(kind, unit, value))
    const { records } = read(healthAutoExport, metrics(metric(name, units, { date, qty, source })))
    t.same(records.map(compared), expected.map(compared), name)
    t.equal(records[0]!.clientData, undefined, `${name} has no original`)
  }
})

t.test('stages of sleep, mindful sessions, pressures and symptoms are those of the export', async t => {
  const end = '2024-05-01 09:00:00 +0200'
  const stage = (value: string): string =>
    element(
      'HKCategoryTypeIdentifierSleepAnalysis',
      `value="HKCategoryValueSleepAnalysis${value}"`,
      date,
      end
    )
  const expected = await exported(
    ...['InBed', 'AsleepUnspecified', 'AsleepCore', 'AsleepDeep', 'AsleepREM', 'Awake'].map(stage),
    element('HKCategoryTypeIdentifierMindfulSession', 'value="HKCategoryValueNotApplicable"', date, end),
    element('HKQuantityTypeIdentifierBloodPressureSystolic', 'unit="mmHg" value="120"'),
    element('HKQuantityTypeIdentifierBloodPressureDiastolic', 'unit="mmHg" value="80"'),
    `<Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="${source}" startDate="${date}" endDate="${date}">` +
      element('HKQuantityTypeIdentifierBloodPressureSystolic', 'unit="mmHg" value="120"') +
      element('HKQuantityTypeIdentifierBloodPressureDiastolic', 'unit="mmHg" value="80"') +
      '</Correlation>',
    element('HKCategoryTypeIdentifierAbdominalCramps', 'value="HKCategoryValueSeverityMild"'),
    element('HKCategoryTypeIdentifierMoodChanges', 'value="HKCategoryValuePresencePresent"')
  )
  const sleep = ['In Bed', 'Asleep', 'Core', 'Deep', 'REM', 'Awake'].map(value => ({
    startDate: date,
    endDate: end,
    qty: 1,
    value,
    source
  }))
  const { records } = read(
    healthAutoExport,
    body({
      metrics: [
        metric('sleep_analysis', 'hr', ...sleep),
        metric('mindful_minutes', 'min', { date, qty: 60, source }),
        metric('blood_pressure', 'mmHg', { date, systolic: 120, diastolic: 80, source })
      ],
      symptoms: [
        { start: date, end: date, name: 'Abdominal Cramps', severity: 'Mild', userEntered: true, source },
        { start: date, end: date, name: 'Mood Changes', severity: 'Present', source }
      ]
    })
  )
  t.same(records.map(compared), expected.map(compared))
})

t.test('an electrocardiogram has the voltages of the export, in volts', async t => {
  const csv = `Name,Daisy\nRecorded Date,2024-05-01 08:00:00 +0200\nClassification,Sinus Rhythm\nUnit,µV\nSample Rate,512 hertz\n\n-12.5\n3\n40.25\n`
  const zip = await zipOf({
    'apple_health_export/export.xml': '<HealthData></HealthData>',
    'apple_health_export/electrocardiograms/ecg_2024-05-01.csv': csv
  })
  const { data } = await collected(zip, 'export.zip')
  t.equal(data.length, 3)
  const measured = [-12.5, 3, 40.25].map(voltage => ({ date, voltage, units: 'mcV' }))
  const ecg = {
    start: date,
    end: '2024-05-01 08:00:30 +0200',
    classification: 'Sinus Rhythm',
    averageHeartRate: 61,
    numberOfVoltageMeasurements: 3,
    samplingFrequency: 512,
    source: 'ECG',
    voltageMeasurements: measured
  }
  const { received, records } = read(healthAutoExport, body({ ecg: [ecg] }))
  t.equal(received, 1)
  t.same(records.slice(0, 3).map(compared), data.map(compared))
  t.match(records[3], { type: 'note/txt', content: 'Sinus Rhythm', duration: 30 })
})

t.test('other units are converted, and the original stays', t => {
  const converted: [name: string, units: string, qty: number, type: string, content: number][] = [
    ['weight_body_mass', 'lb', 165.3, 'mass/kg', 74.97881876100001],
    ['walking_running_distance', 'mi', 1, 'length/km', 1.609344],
    ['active_energy', 'kJ', 4.184, 'energy/kcal', 1],
    ['body_temperature', 'degF', 98.6, 'temperature/c', 37],
    ['dietary_water', 'fl_oz_us', 8, 'volume/ml', 236.5882365],
    ['walking_speed', 'mi/hr', 3, 'speed/km-h', 4.828032],
    ['height', 'ft', 6, 'length/cm', 182.88]
  ]
  for (const [name, units, qty, type, content] of converted) {
    const { records } = read(healthAutoExport, metrics(metric(name, units, { date, qty })))
    t.match(
      records,
      [{ type, clientData: { 'health-auto-export:original': { value: qty, unit: units } } }],
      name
    )
    t.ok(Math.abs(Number(records[0]!.content) - content) < 1e-9, name)
  }
  t.end()
})

t.test('every metric has a type, and belongs to a measure', t => {
  const without = new Set<string>()
  for (const metric of metricKinds.values()) {
    const unit = metric.unit === 'count/min' ? 'count/min' : metric.unit
    const value = metric.kind === 'BloodAlcoholContent' ? 0.05 : 20
    const found = toQuantity(metric, unit, value)
    t.ok(found, metric.kind)
    if (found && !findMeasureByName(found.stream, found.type)) without.add(metric.kind)
  }
  t.same([...without], [])
  t.end()
})

t.test('times of 12-hour clocks are read', t => {
  const written = [
    '2024-05-01 08:00:00 +0200',
    '2024-05-01 8:00:00 AM +0200',
    '2024-05-01 8:00:00\u202fAM +0200',
    '2024-05-01 8:00:00 am +0200',
    '2024-05-01 06:00:00 +0000'
  ]
  for (const each of written) {
    const { records } = read(healthAutoExport, metrics(metric('step_count', 'count', { date: each, qty: 1 })))
    t.match(records, [{ time }], each)
  }
  const { records } = read(
    healthAutoExport,
    metrics(metric('step_count', 'count', { date: '2024-05-01 12:30:00\u202fPM +0200', qty: 1 }))
  )
  t.match(records, [{ time: time + 4.5 * 3600 }])
  t.end()
})

t.test('a heart rate whose lowest, average and highest are equal is one point', t => {
  const one = { date, Min: 61, Avg: 61, Max: 61, source }
  t.same(brief(read(healthAutoExport, metrics(metric('heart_rate', 'bpm', one)))), [
    ['Heart rate', 'frequency/bpm', time, 61]
  ])
  const range = { date, Min: 58, Avg: 61.5, Max: 70, source }
  t.same(brief(read(healthAutoExport, metrics(metric('heart_rate', 'count/min', range)))), [
    ['Heart rate', 'frequency/bpm', time, 61.5],
    ['Heart rate, lowest', 'frequency/bpm', time, 58],
    ['Heart rate, highest', 'frequency/bpm', time, 70]
  ])
  t.end()
})

t.test('a night in totals is one entry, and its values have an identity', t => {
  const night = {
    date: '2024-05-01',
    totalSleep: 7,
    core: 4,
    deep: 1,
    rem: 2,
    awake: 0.5,
    inBed: 8,
    sleepStart: '2024-04-30 23:00:00 +0200',
    sleepEnd: '2024-05-01 06:30:00 +0200',
    inBedStart: '2024-04-30 22:45:00 +0200',
    inBedEnd: '2024-05-01 06:45:00 +0200',
    source
  }
  const reading = read(healthAutoExport, metrics(metric('sleep_analysis', 'hr', night)))
  t.equal(reading.received, 1)
  t.same(missed(reading), {})
  t.ok(reading.records.every(({ identity }) => identity === ''))
  t.match(reading.records.at(-1), { type: 'sleep/analysis', stream: 'Sleep', duration: 8 * 3600 })
  t.end()
})

t.test('workouts of both versions keep their routes in metres per second', t => {
  const point = {
    altitude: 400,
    course: 90,
    horizontalAccuracy: 5,
    verticalAccuracy: 3,
    timestamp: date,
    speed: 2.5
  }
  const common = {
    name: 'Outdoor Run',
    start: date,
    end: '2024-05-01 08:30:00 +0200',
    distance: { qty: 5, units: 'km' },
    heartRateData: [{ date, Min: 120, Avg: 130, Max: 140, units: 'bpm', source }]
  }
  const v2 = { ...common, id: 'A1', duration: 1800, route: [{ ...point, latitude: 46.5, longitude: 6.6 }] }
  const v1 = { ...common, route: [{ ...point, lat: 46.5, lon: 6.6 }] }
  for (const workout of [v2, v1]) {
    const reading = read(healthAutoExport, body({ workouts: [workout] }))
    t.equal(reading.received, 1)
    t.match(
      reading.records.find(({ type }) => type === 'position/wgs84'),
      { stream: 'Positions', time, content: { latitude: 46.5, longitude: 6.6, speed: 2.5, bearing: 90 } }
    )
    t.match(reading.records.at(-1), {
      type: 'activity/plain',
      stream: 'Workouts',
      duration: 1800,
      // As in Apple's export.
      identity: 'Running',
      source,
      description: 'Outdoor Run',
      clientData: { 'health-auto-export:workout': { distance: { qty: 5, units: 'km' } } }
    })
    t.notMatch(JSON.stringify(reading.records.at(-1)), /heartRateData|route/)
  }
  t.end()
})

t.test('a state of mind is a mood from 0 to 1', t => {
  const mood = {
    id: 'M1',
    start: date,
    end: date,
    kind: 'daily_mood',
    labels: ['Calm'],
    associations: [],
    valence: -0.5
  }
  const reading = read(healthAutoExport, body({ stateOfMind: [mood, { ...mood, valence: 2 }] }))
  t.match(reading.records, [{ type: 'mood/rating', content: 0.25, identity: 'M1', description: 'Calm' }])
  t.same(missed(reading), { stateOfMind: 1 })
  t.end()
})

t.test(
  'doses taken are notes with their codes; the cycle and intimacy are off until the user asks for them',
  t => {
    const data = body({
      medications: [
        {
          displayText: 'Ibuprofen',
          start: date,
          status: 'Taken',
          codings: [{ code: '5640', system: 'RxNorm' }]
        },
        { displayText: 'Ibuprofen', start: date, status: 'Skipped' }
      ],
      cycleTracking: [{ name: 'Menstrual Flow', value: 'Medium', start: date, end: date, source }],
      metrics: [metric('sexual_activity', 'times', { date, 'Protection Used': 1, source })]
    })
    const reading = read(healthAutoExport, data)
    t.same(brief(reading), [['Medications', 'note/txt', time, 'Ibuprofen']])
    t.equal(reading.received, 4)
    t.same(missed(reading), { medications: 1 })
    const asked = read(healthAutoExport, data, { connection: { name: 'phone', sensitive: true } })
    t.same(brief(asked).slice(1), [
      ['Menstrual flow', 'reproductive-health/menstrual-flow', time, 'medium'],
      ['Sexual activity', 'reproductive-health/sexual-activity', time, 'protectionUsed']
    ])
    t.end()
  }
)

const steps = (...data: object[]): object => metrics(metric('step_count', 'count', ...data))

t.test('values replace earlier ones of their time, unless a request has several', t => {
  t.match(read(healthAutoExport, steps({ date, qty: 5 })).records, [{ replaces: true, identity: undefined }])
  t.same(
    read(healthAutoExport, steps({ date, qty: 5 }, { date, qty: 7 }, { date, qty: 5, source })).records.map(
      ({ replaces }) => replaces
    ),
    [undefined, undefined, true]
  )
  t.end()
})

t.test('what is not understood is counted by the metric, and the good is stored', t => {
  const reading = read(
    healthAutoExport,
    body({
      metrics: [
        metric(
          'step_count',
          'count',
          { date, qty: 1 },
          { date: 'never', qty: 1 },
          { date, qty: NaN },
          null,
          7
        ),
        metric('weight_body_mass', 'zentner', { date, qty: 1 }),
        metric('physical_effort', 'kcal/hr·kg', { date, qty: 2 }),
        metric('heart_rate', 'bpm', { date, qty: 0 }),
        metric('blood_oxygen_saturation', '%', { date, qty: 0.97 }),
        { name: 'toString', units: 'count', data: { date, qty: 1 } },
        { name: 'height' },
        'nothing'
      ],
      heartRateNotifications: [{ start: date, end: date, threshold: 120 }],
      __proto__: 1
    })
  )
  t.same(brief(reading), [['Step count', 'count/steps', time, 1]])
  t.same(missed(reading), {
    step_count: 4,
    weight_body_mass: 1,
    physical_effort: 1,
    heart_rate: 1,
    blood_oxygen_saturation: 1,
    toString: 1,
    height: 1,
    metrics: 1,
    heartRateNotifications: 1
  })
  t.end()
})

t.test('tables are refused kindly, and malformed bodies as a whole', t => {
  refused(t, healthAutoExport, 'a,b', { headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  for (const malformed of ['', '{}', '{"data":[]}', '{"data":null}', '{"data":{', '[]'])
    refused(t, healthAutoExport, malformed)
  t.match(answer(healthAutoExport, metrics()), { status: 200, body: { success: true } })
  t.end()
})
