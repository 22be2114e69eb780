/** Open mHealth and IEEE 1752: values need units of what they measure, and every member is imported or counted. */
import t from 'tap'
import { collected, missing, type Collected } from './collecting.js'

const frame = { effective_time_frame: { date_time: '2024-05-01T08:00:00Z' } }
const hours = (count: number): object => ({
  effective_time_frame: {
    time_interval: { start_date_time: '2024-05-01T22:00:00Z', duration: { value: count, unit: 'h' } }
  }
})
let id = 0
const point = (name: string, body: object): object => ({
  header: { id: String(id++), schema_id: { namespace: 'omh', name, version: '2.0' } },
  body
})
const read = (...points: object[]): Promise<Collected> => collected(JSON.stringify(points))
const found = ({ data }: Collected): unknown[] =>
  data.map(({ content, stream, type }) => [stream, type, content])

t.test('values have units of what they measure', async t => {
  const all = await read(
    point('heart-rate', { heart_rate: { value: 1, unit: 'beats/s' }, ...frame }),
    point('heart-rate', { heart_rate: { value: 60 }, ...frame }),
    point('heart-rate', { heart_rate: { value: 60, unit: 'beats/min' }, ...frame }),
    point('respiratory-rate', { respiratory_rate: { value: 14, unit: 'breaths/min' }, ...frame }),
    point('respiratory-rate', { respiratory_rate: { value: 14, unit: 'Hz' }, ...frame }),
    point('body-weight', { body_weight: { value: 170, unit: 'cm' }, ...frame }),
    point('body-temperature', { body_temperature: { value: 98, unit: 'F' }, ...frame }),
    point('step-count', { step_count: { value: 900, unit: 'steps' }, ...hours(1) }),
    point('step-count', { step_count: 900, ...hours(1) }),
    point('step-count', { step_count: { value: 0.9, unit: 'km' }, ...hours(1) }),
    point('blood-pressure', {
      systolic_blood_pressure: { value: 16, unit: 'kPa' },
      diastolic_blood_pressure: { value: 11, unit: 'kPa' },
      ...frame
    }),
    point('blood-pressure', { systolic_blood_pressure: { value: 120, unit: 'mmHg' }, ...frame }),
    point('blood-pressure', {
      systolic_blood_pressure: { value: 120, unit: 'mmHg' },
      diastolic_blood_pressure: { value: 80, unit: 'mmHg' },
      ...frame
    })
  )
  t.same(found(all), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Respiratory rate', 'frequency/brpm', 14],
    ['Body temperature', 'temperature/f', 98],
    ['Steps', 'count/steps', 900],
    ['Steps', 'count/steps', 900],
    ['Blood pressure', 'blood-pressure/mmhg-bpm', { systolic: 120, diastolic: 80 }]
  ])
  t.same(all.leftOut, {
    'of a unit that is not known': 1,
    'in a unit without a type here': 5,
    'half of a measurement whose other half is missing': 1
  })
  t.equal(missing(all), 0)
})

t.test('each member is a record, and a statistic is not a measurement', async t => {
  const all = await read(
    point('physical-activity', {
      activity_name: 'walking',
      distance: { value: 1.5, unit: 'mi' },
      kcal_burned: { value: 160, unit: 'kcal' },
      met_value: 3.5,
      ...hours(1)
    }),
    point('heart-rate', {
      heart_rate: { value: 150, unit: 'beats/min' },
      descriptive_statistic: 'maximum',
      user_notes: 'uphill',
      ...hours(1)
    }),
    point('blood-glucose', {
      blood_glucose: { value: 95, unit: 'mg/dL' },
      temporal_relationship_to_meal: 'fasting',
      ...frame
    }),
    point('body-weight', { body_weight: { unit: 'kg' }, ...frame }),
    point('nothing', { ...frame })
  )
  t.same(found(all), [
    ['Activities', 'activity/plain', undefined],
    ['Distance', 'length/mi', 1.5],
    ['Energy', 'energy/kcal', 160],
    ['Heart rate, maximum', 'frequency/bpm', 150],
    ['Blood glucose', 'density/mg-dl', 95]
  ])
  t.match(all.data[0], { description: 'walking', duration: 3600 })
  t.match(all.data[3], { description: 'uphill', isEvent: true })
  t.same(all.leftOut, { 'of a kind without a type here': 2, 'without a number': 1, empty: 1 })
  t.equal(all.records['physical-activity met_value'], 1)
  t.equal(missing(all), 0)
})

const lasting = (value: unknown, unit: string): object => ({
  effective_time_frame: {
    time_interval: { start_date_time: '2024-05-01T22:00:00Z', duration: { value, unit } }
  }
})

t.test('durations need units of fixed length, others are skipped by name', async t => {
  const steps = { step_count: { value: 900, unit: 'steps' } }
  const all = await read(
    ...['us', 'wk', 'Mo', 'yr', 'toString'].map(unit =>
      point('step-count', { ...steps, ...lasting(2, unit) })
    ),
    point('step-count', {
      ...steps,
      effective_time_frame: {
        time_interval: { start_date_time: '2024-05-01T22:00:00Z', end_date_time: '2024-05-01T21:00:00Z' }
      }
    }),
    point('step-count', { ...steps, ...frame })
  )
  t.same(
    all.data.map(({ duration }) => duration),
    [2e-6, 1_209_600, ...Array(5)]
  )
  t.same(all.leftOut, { 'of an end that cannot be read': 4 })
  t.equal(all.records['step-count, end'], 4)
  t.equal(missing(all), 0)
})

const weight = (value: number): object => ({
  ...point('body-weight', { body_weight: { value, unit: 'kg' }, ...frame }),
  header: { id: 'same', schema_id: { namespace: 'omh', name: 'body-weight', version: '2.0' } }
})

t.test('data points with the same id are distinguished by their content', async t => {
  const { data } = await read(weight(70), weight(71), weight(70))
  const identities = data.map(({ identity }) => identity)
  t.equal(identities[0], identities[2])
  t.not(identities[0], identities[1])
})

t.test('a night is sleep only if it has no wake time', async t => {
  const all = await read(
    point('sleep-duration', { sleep_duration: { value: 8, unit: 'h' }, ...hours(8) }),
    point('sleep-duration', { sleep_duration: { value: 420, unit: 'min' }, ...hours(8) }),
    point('sleep-duration', { sleep_duration: { value: 7, unit: 'steps' }, ...hours(8) }),
    point('sleep-episode', {
      total_sleep_time: { value: 7, unit: 'h' },
      number_of_awakenings: 2,
      ...hours(8)
    }),
    point('sleep-onset-latency', { sleep_onset_latency: { value: 10, unit: 'min' }, ...frame })
  )
  t.same(found(all), [
    ['Sleep', 'sleep/analysis', { analysis: 'asleep' }],
    ['Time asleep', 'time/min', 420],
    ['Sleep', 'sleep/analysis', { analysis: 'inBed' }],
    ['Time asleep', 'time/h', 7]
  ])
  t.match(all.data[2], { clientData: { 'omh:body': { number_of_awakenings: 2 } } })
  t.same(all.leftOut, { 'in a unit without a type here': 1, 'of a kind without a type here': 1 })
  t.equal(missing(all), 0)
})
