import t from 'tap'
import { openscale } from '../../../../transports/receive/dialects/openscale.js'
import { answer, brief, missed, noon, read, refused } from './reading.js'

const date = '2026-11-26T12:00:00.000Z'
const measurement = {
  id: 7,
  userId: 1,
  username: 'daisy',
  date,
  weight: 71.3,
  body_fat: 18.2,
  water: 0,
  muscle: 41
}

t.test('a measurement becomes its values; zero stands for none', t => {
  const reading = read(openscale, { event: 'insert', ...measurement })
  t.same(brief(reading), [
    ['Weight', 'mass/kg', noon, 71.3],
    ['Body fat', 'ratio/percent', noon, 18.2],
    ['Muscle', 'ratio/percent', noon, 41]
  ])
  t.match(reading.records[0], { source: 'phone 1', identity: '', isEvent: true })
  t.equal(reading.received, 1)
  t.same(missed(reading), {})
  t.end()
})

t.test('further values have their units, without those that are derived or sent twice', t => {
  const values = [
    { key: 'WEIGHT', name: 'Weight', unit: 'kg', isDerived: false, value: 71.3 },
    { key: 'BONE', name: 'Bone', unit: 'lb', isDerived: false, value: 6 },
    { key: 'BMI', name: 'BMI', unit: '', isDerived: true, value: 22 },
    { key: 'WAIST', name: 'Waist', unit: 'cm', isDerived: false, value: 81 },
    { key: 'COMMENT', name: 'Comment', unit: '', isDerived: false, text: 'after lunch' },
    { key: 'CUSTOM', name: 'Grip', unit: 'kg', isDerived: false, value: 40 },
    null
  ]
  const reading = read(openscale, { event: 'update', ...measurement, values })
  t.same(brief(reading).slice(3), [
    ['Bone mass', 'mass/kg', noon, 2.72155422],
    ['Waist', 'length/cm', noon, 81],
    ['Comment', 'note/txt', noon, 'after lunch'],
    ['Grip', 'mass/kg', noon, 40]
  ])
  t.match(reading.records[3], { clientData: { 'openscale:original': { value: 6, unit: 'lb' } } })
  t.end()
})

t.test('batches, two users, and bad measurements among good ones', t => {
  const reading = read(openscale, {
    event: 'insert',
    measurements: [
      measurement,
      { ...measurement, userId: 2 },
      { ...measurement, date: 'never' },
      null,
      { date }
    ]
  })
  t.equal(reading.received, 5)
  t.same([...new Set(reading.records.map(({ source }) => source))], ['phone 1', 'phone 2'])
  t.same(missed(reading), { measurement: 3 })
  t.end()
})

t.test('deleting names a time, clearing a user', t => {
  t.match(read(openscale, { event: 'delete', userId: 1, date }), {
    removals: [{ source: 'phone 1', time: noon }],
    received: 1
  })
  t.same(read(openscale, { event: 'clear', userId: 1 }).removals, [{ source: 'phone 1' }])
  const unclear = read(openscale, { event: 'delete', userId: 1, date: 'never' })
  t.same(unclear.removals, [])
  t.same(missed(unclear), { delete: 1 })
  t.end()
})

t.test('tests of the connection, other events, and malformed bodies', t => {
  t.match(answer(openscale, { event: 'test' }), { status: 200 })
  t.equal(read(openscale, { event: 'test' }).received, 0)
  t.same(missed(read(openscale, { event: 'levitate' })), { levitate: 1 })
  for (const malformed of ['', '[]', '{}', '{"event":1}', '{']) refused(t, openscale, malformed)
  t.end()
})
