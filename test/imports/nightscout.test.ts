/** Nightscout: glucose in mg/dL, placeholders of sensors, and values of treatments. */
import t from 'tap'
import { collected } from './collecting.js'

const time = 1_714_543_200

const entry = (fields: object): object => ({
  _id: '1',
  device: 'xDrip',
  date: time * 1000,
  dateString: '2024-05-01T06:00:00.000Z',
  type: 'sgv',
  ...fields
})

const treatment = (eventType: string, fields: object): object => ({
  eventType,
  created_at: '2024-05-01T08:00:00+02:00',
  enteredBy: 'Loop',
  ...fields
})

t.test('entries are glucose in mg/dL', async t => {
  const found = await collected(
    JSON.stringify([
      entry({ sgv: 120, direction: 'Flat' }),
      entry({ type: 'mbg', mbg: 98, date: undefined }),
      entry({ sgv: '131', type: undefined }),
      entry({ type: 'cal', slope: 700, sgv: undefined })
    ])
  )
  t.same(found.formats, ['nightscout'])
  const glucose = { type: 'density/mg-dl', stream: 'Blood glucose', source: 'xDrip', time }
  t.match(found.data, [
    { ...glucose, content: 120 },
    { ...glucose, content: 98 },
    { ...glucose, content: 131 }
  ])
  t.same(found.records, { sgv: 2, mbg: 1, cal: 1 })
})

t.test('placeholders of sensors are skipped by name', async t => {
  const values = [39, 401, 5, 12, 1000, 'LOW', null]
  const found = await collected(values.map(sgv => JSON.stringify(entry({ sgv }))).join('\n'))
  t.same(found.data, [])
  t.same(found.leftOut, {
    'beyond what the sensor can measure': 2,
    'of a value that is impossible for what it measures': 3,
    'without a number': 2
  })
})

t.test('each value of a treatment is a record; others are named by their event', async t => {
  const found = await collected(
    JSON.stringify([
      treatment('Meal Bolus', { insulin: 4.5, carbs: 45, protein: 0, notes: ' Pasta ' }),
      treatment('BG Check', { glucose: 5.4, units: 'mmol', glucoseType: 'Finger' }),
      treatment('BG Check', { glucose: 97, units: 'mg/dl' }),
      treatment('BG Check', { glucose: 5.4, units: 'mg/dl' }),
      treatment('Temp Basal', { duration: 30, absolute: 1.2 }),
      treatment('Note', { notes: 'gone', isValid: false }),
      treatment('Note', { notes: 'timeless', created_at: 'never' })
    ])
  )
  t.match(found.data, [
    { type: 'volume/iu', content: 4.5, time, clientData: { 'nightscout:eventType': 'Meal Bolus' } },
    { type: 'mass/g', stream: 'Carbohydrates', content: 45 },
    { type: 'note/txt', content: 'Pasta' },
    { type: 'density/mmol-l', content: 5.4 },
    { type: 'density/mg-dl', content: 97 }
  ])
  t.equal(found.data.length, 5)
  t.same(found.records, {
    insulin: 1,
    carbs: 1,
    protein: 1,
    notes: 1,
    glucose: 3,
    'Temp Basal': 1,
    Note: 2
  })
})
