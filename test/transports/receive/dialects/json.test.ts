import t from 'tap'
import { json } from '../../../../transports/receive/dialects/json.js'
import { answer, brief, missed, noon, read, refused } from './reading.js'

const mapped = (mapping: unknown): object => ({ connection: { name: 'phone', sensitive: false, mapping } })

t.test('fields become events as the mapping says', t => {
  const pebble = {
    device_id: 'pebble',
    readings: [
      { timestamp: noon, count: '412' },
      { timestamp: noon * 1000 + 60_000, count: 7 }
    ]
  }
  const reading = read(
    json,
    pebble,
    mapped({ items: '/readings', time: '/timestamp', value: '/count', type: 'count/steps', stream: 'Steps' })
  )
  t.same(brief(reading), [
    ['Steps', 'count/steps', noon, 412],
    ['Steps', 'count/steps', noon + 60, 7]
  ])
  t.match(reading.records[0], { source: 'phone', kind: 'count', identity: '' })
  t.equal(reading.received, 2)
  t.end()
})

t.test('the root is the list, or the only item; units are converted', t => {
  const mapping = { items: '', time: '/at', value: '/mass', type: 'mass/kg', unit: 'lb' }
  const reading = read(json, [{ at: '2026-11-26T12:00:00Z', mass: 165.3 }], mapped(mapping))
  t.match(reading.records, [
    { type: 'mass/kg', time: noon, clientData: { 'json:original': { value: 165.3, unit: 'lb' } } }
  ])
  t.ok(Math.abs(Number(reading.records[0]!.content) - 74.978818761) < 1e-9)
  t.match(read(json, { at: noon, mass: 1 }, mapped({ ...mapping, unit: 'kg' })).records, [{ content: 1 }])
  t.match(read(json, { at: noon, mass: 1, u: 'g' }, mapped({ ...mapping, unit: '/u' })).records, [
    { content: 0.001 }
  ])
  t.match(read(json, '71.5', mapped({ value: '', type: 'mass/kg', stream: 'Weight' })).records, [
    { content: 71.5, time: noon, isUndated: true, isEvent: true }
  ])
  t.end()
})

t.test('several fields become one value', t => {
  const position = {
    value: '',
    fields: { latitude: '/lat', longitude: '/place/lon' },
    time: '/at',
    type: 'position/wgs84',
    stream: 'Position'
  }
  const reading = read(
    json,
    [
      { at: noon, lat: '46.52', place: { lon: 6.63 } },
      { at: noon + 1, lat: 46.52 },
      { at: noon + 2, lat: 91, place: { lon: 6.63 } },
      { at: noon + 3, lat: 'north', place: { lon: 6.63 } }
    ],
    mapped(position)
  )
  t.same(brief(reading), [['Position', 'position/wgs84', noon, { latitude: 46.52, longitude: 6.63 }]])
  t.equal(reading.records[0]!.isFrequent, true)
  t.same(missed(reading), { value: 3 })
  const pressure = {
    value: '/cuff',
    fields: { systolic: '/sys', diastolic: '/dia' },
    time: '/at',
    type: 'blood-pressure/mmhg-bpm',
    stream: 'Blood pressure'
  }
  t.same(brief(read(json, { at: noon, cuff: { sys: 121, dia: 79 } }, mapped(pressure))), [
    ['Blood pressure', 'blood-pressure/mmhg-bpm', noon, { systolic: 121, diastolic: 79 }]
  ])
  const wrong = read(
    json,
    { at: noon, cuff: { sys: 121, dia: 79 } },
    mapped({ ...pressure, type: 'mass/kg' })
  )
  t.same(missed(wrong), { cuff: 1 }, 'a type of single numbers has no fields')
  t.end()
})

t.test('several values of one item, other types, ends, sources and zones', t => {
  const reading = read(
    json,
    { when: '2026-11-26 13:00', until: '2026-11-26 13:10', a: 5, note: 'Hello', who: 'Watch', 'x/y~z': true },
    mapped([
      {
        time: '/when',
        end: '/until',
        zone: 'Europe/Zurich',
        value: '/a',
        type: 'count/generic',
        source: '/who'
      },
      { time: '/when', zone: 'Europe/Zurich', value: '/note', type: 'note/txt' },
      { time: '/when', zone: 'Europe/Zurich', value: '/x~1y~0z', type: 'boolean/bool' }
    ])
  )
  t.match(reading.records, [
    { stream: 'a', source: 'Watch', time: noon, duration: 600, zone: 'Europe/Zurich', content: 5 },
    { stream: 'note', source: 'phone', time: noon, content: 'Hello' },
    { stream: 'x/y~z', time: noon, content: true }
  ])
  t.equal(reading.received, 1)
  t.end()
})

t.test('forms and queries are read, whatever their content type says', t => {
  const mapping = mapped({ time: '/t', value: '/v', type: 'mass/kg', stream: 'Weight' })
  const expected = [['Weight', 'mass/kg', noon, 71.5]]
  t.same(brief(read(json, `t=${noon}&v=71.5`, mapping)), expected)
  t.same(
    brief(read(json, '', { ...mapping, method: 'GET', query: { t: String(noon), v: '71.5' } })),
    expected
  )
  t.same(brief(read(json, `\uFEFF{"t":${noon},"v":71.5}`, mapping)), expected)
  t.end()
})

t.test('without a mapping bodies wait', t => {
  const reading = read(json, { a: 1 })
  t.same(reading.unmapped, [{ a: 1 }])
  t.same(reading.records, [])
  t.same(answer(json, { a: 1 }), { status: 200, body: { status: 'ok', received: 1 } })
  t.end()
})

t.test('what the mapping does not fit is counted', t => {
  const mapping = mapped({ items: '/list', time: '/t', value: '/v', type: 'mass/kg' })
  const list = [
    { t: noon, v: 1 },
    { t: noon, v: 'heavy' },
    { t: 'then', v: 1 },
    { v: 1 },
    null,
    3,
    [],
    { t: noon, v: null }
  ]
  const reading = read(json, { list }, mapping)
  t.equal(reading.records.length, 1)
  t.same(missed(reading), { v: 7 })
  t.same(missed(read(json, {}, mapping)), { v: 1 })
  const inherited = mapped({ value: '/constructor/name', type: 'note/txt' })
  t.same(read(json, {}, inherited).records, [])
  for (const malformed of ['', '{', 'hello', '{"a":1}x']) refused(t, json, malformed, mapping)
  t.end()
})
