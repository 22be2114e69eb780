import t from 'tap'
import { findMeasureByName } from '../../../../schemas/measures/import-names.js'
import { hcWebhook } from '../../../../transports/receive/dialects/hc-webhook.js'
import { numberKinds } from '../../../../transports/receive/dialects/hc-webhook-kinds.js'
import { answer, brief, missed, noon, read, refused } from './reading.js'

const at = (seconds: number): string => new Date((noon + seconds) * 1000).toISOString()
const start_time = at(-600)
const end_time = at(0)
const time = at(0)
/** What the app writes around its lists. */
const body = (lists: object): object => ({ timestamp: at(5), app_version: '1.9.0', ...lists })

t.test('every list becomes records of the types of Health Connect', t => {
  const reading = read(
    hcWebhook,
    body({
      steps: [{ count: 412, start_time, end_time }],
      heart_rate: [
        { bpm: 61, time },
        { bpm: 64, time: at(1) }
      ],
      heart_rate_variability: [{ rmssd_millis: 42.5, time }],
      distance: [{ meters: 310.2, start_time, end_time }],
      active_calories: [{ calories: 18.2, start_time, end_time }],
      total_calories: [{ calories: 30, start_time, end_time }],
      basal_metabolic_rate: [{ watts: 75, time }],
      weight: [{ kilograms: 71.3, time }],
      body_fat: [{ percentage: 18.2, time }],
      blood_pressure: [{ systolic: 121, diastolic: 79, time }],
      blood_glucose: [{ mmol_per_liter: 5.4, time }],
      skin_temperature: [{ delta_celsius: -0.3, baseline_celsius: 33.1, measurement_location: 2, time }],
      hydration: [{ liters: 0.25, start_time, end_time }]
    })
  )
  t.same(brief(reading), [
    ['Steps', 'count/steps', noon - 600, 412],
    ['Heart rate', 'frequency/bpm', noon, 61],
    ['Heart rate', 'frequency/bpm', noon + 1, 64],
    ['Heart rate variability', 'time/ms', noon, 42.5],
    ['Distance', 'length/m', noon - 600, 310.2],
    ['Active energy', 'energy/kcal', noon - 600, 18.2],
    ['Energy', 'energy/kcal', noon - 600, 30],
    ['Basal metabolic rate', 'power/w', noon, 75],
    ['Weight', 'mass/kg', noon, 71.3],
    ['Body fat', 'ratio/percent', noon, 18.2],
    ['Blood pressure', 'blood-pressure/mmhg-bpm', noon, { systolic: 121, diastolic: 79 }],
    ['Blood glucose', 'density/mmol-l', noon, 5.4],
    ['Skin temperature difference', 'temperature/c', noon, -0.3],
    ['Drinks', 'volume/l', noon - 600, 0.25]
  ])
  t.equal(reading.received, 14)
  t.same(missed(reading), {})
  t.match(reading.records[0], { kind: 'steps', source: 'phone', duration: 600, identity: '' })
  t.equal(reading.records.find(({ type }) => type === 'mass/kg')!.duration, undefined)
  t.end()
})

t.test('numbers belong to a measure, except for differences of temperatures', t => {
  const unknown = [...numberKinds.values()].filter(({ stream, type }) => !findMeasureByName(stream, type))
  t.same(
    unknown.map(({ stream }) => stream),
    ['Skin temperature difference']
  )
  t.end()
})

t.test('a night is one entry: from its end less its duration, with its stages', t => {
  const stage = (name: unknown, from: number, to: number): object => ({
    stage: name,
    start_time: at(from),
    end_time: at(to),
    duration_seconds: to - from
  })
  const reading = read(
    hcWebhook,
    body({
      sleep: [
        {
          session_end_time: at(0),
          duration_seconds: 7200,
          stages: [
            stage('4', -7200, -5400),
            stage('deep', -5400, -3600),
            stage('STAGE_TYPE_REM', -3600, -1800),
            stage(1, -1800, 0),
            stage('nonsense', -10, 0)
          ]
        },
        { session_end_time: at(-86_400), duration_seconds: 3600 }
      ]
    })
  )
  t.equal(reading.received, 2)
  t.same(
    reading.records.map(({ content, duration, time }) => [time - noon, duration, content]),
    [
      [-7200, 7200, { analysis: 'inBed' }],
      [-7200, 1800, { analysis: 'asleep' }],
      [-5400, 1800, { analysis: 'asleep' }],
      [-3600, 1800, { analysis: 'asleep' }],
      [-1800, 1800, { analysis: 'awake' }],
      [-90_000, 3600, { analysis: 'inBed' }]
    ]
  )
  t.same(missed(reading), { 'sleep stage': 1 })
  t.end()
})

t.test('details of an exercise stay inside its event', t => {
  const exercise = {
    type: 'running',
    start_time,
    end_time,
    duration_seconds: 600,
    distance_meters: 2000,
    steps: 1800
  }
  const reading = read(hcWebhook, body({ exercise: [exercise, { type: 56, start_time, end_time }] }))
  t.equal(reading.records.length, 2)
  t.match(reading.records[0], {
    type: 'activity/plain',
    stream: 'Activities',
    duration: 600,
    description: 'running',
    clientData: { 'hc-webhook:exercise': { distance_meters: 2000, steps: 1800 } }
  })
  t.equal(reading.records[1]!.identity, '56')
  t.end()
})

t.test('a meal becomes its nutrients, and counts once', t => {
  const meal = { start_time, end_time, calories: 540, protein_grams: 20, sodium_grams: 1.2, name: 'Soup' }
  const reading = read(hcWebhook, body({ nutrition: [meal] }))
  t.same(brief(reading), [
    ['Energy of food', 'energy/kcal', noon - 600, 540],
    ['Protein', 'mass/g', noon - 600, 20],
    ['Sodium', 'mass/g', noon - 600, 1.2]
  ])
  t.equal(reading.received, 1)
  t.match(reading.records[0], { identity: 'Soup', description: 'Soup' })
  t.end()
})

t.test('what is about sexual and reproductive health is stored only if the user has asked for it', t => {
  const lists = body({
    menstruation_flow: [{ flow: 2, time }],
    menstruation_period: [{ start_time, end_time }],
    intermenstrual_bleeding: [{ time }],
    ovulation_test: [{ result: 1, time }],
    cervical_mucus: [{ appearance: 5, time }],
    sexual_activity: [{ protection_used: 1, time }]
  })
  const without = read(hcWebhook, lists)
  t.match(without, { records: [], received: 6 })
  t.same(missed(without), {})
  const asked = read(hcWebhook, lists, { connection: { name: 'phone', sensitive: true } })
  t.same(brief(asked), [
    ['Menstrual flow', 'reproductive-health/menstrual-flow', noon, 'medium'],
    ['Menstruation period', 'activity/plain', noon - 600, undefined],
    ['Spotting', 'boolean/bool', noon, true],
    ['Ovulation tests', 'reproductive-health/ovulation', noon, 'luteinizingHormoneSurge'],
    ['Cervical mucus', 'reproductive-health/mucus-quality', noon, 'eggWhite'],
    ['Sexual activity', 'reproductive-health/sexual-activity', noon, 'protectionUsed']
  ])
  t.end()
})

t.test('bad entries are counted, and the good ones beside them stored', t => {
  const reading = read(
    hcWebhook,
    body({
      steps: [{ count: '412', start_time, end_time }, { count: 'many', start_time }, null, 7, [], {}],
      heart_rate: [
        { bpm: 61, time: 'yesterday' },
        { bpm: 0, time },
        { bpm: 61, time }
      ],
      weight: { kilograms: 70, time },
      distance: [{ meters: 5, start_time: end_time, end_time: start_time }],
      telepathy: [{ thoughts: 3, time }],
      constructor: [{ time }],
      __proto__: [{ time }]
    })
  )
  t.same(brief(reading), [
    ['Steps', 'count/steps', noon - 600, 412],
    ['Heart rate', 'frequency/bpm', noon, 61],
    ['Weight', 'mass/kg', noon, 70]
  ])
  t.same(missed(reading), { steps: 5, heart_rate: 2, distance: 1, telepathy: 1, constructor: 1 })
  t.end()
})

t.test('the app is answered as its own servers answer', t => {
  t.same(answer(hcWebhook, body({})), { status: 200, body: { status: 'ok' } })
  for (const malformed of ['', '[]', '{"steps":', 'null', '"x"']) refused(t, hcWebhook, malformed)
  t.end()
})
