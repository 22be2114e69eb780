import t from 'tap'
import { influx } from '../../../../transports/receive/dialects/influx.js'
import { parseLines } from '../../../../transports/receive/dialects/line-protocol.js'
import { answer, brief, missed, noon, read, refused } from './reading.js'

const write = { path: 'api/v2/write', query: { bucket: 'home' } }
const ns = `${noon}000000000`

t.test('Home Assistant: the measurement is the unit, tags name the entity', t => {
  const lines = [
    `°C,domain=sensor,entity_id=living_room value=21.5,battery_level_str="full" ${ns}`,
    `%,domain=sensor,entity_id=humidity value=48i ${ns}`,
    `kWh,domain=sensor,entity_id=solar value=12.3 ${ns}`,
    `hPa,domain=sensor,entity_id=air value=1013.2 ${ns}`,
    `state,domain=light,entity_id=kitchen on=true,state="on" ${ns}`,
    '# a comment',
    ''
  ]
  const reading = read(influx, lines.join('\n'), write)
  t.same(brief(reading), [
    ['sensor.living_room', 'temperature/c', noon, 21.5],
    ['sensor.humidity', 'ratio/percent', noon, 48],
    ['sensor.solar', 'energy/kwh', noon, 12.3],
    ['sensor.air', 'pressure/pa', noon, 101_320],
    ['light.kitchen on', 'count/generic', noon, 1]
  ])
  t.match(reading.records[0], { path: ['home', '°C'], source: 'phone', identity: '', isFrequent: true })
  t.equal(reading.received, 5)
  t.same(missed(reading), { '°C battery_level_str': 1, 'state state': 1 })
  t.end()
})

t.test('names are escaped, texts may contain anything, and numbers have many forms', t => {
  const text =
    String.raw`my\ place,tag\ one=a\,b,t\=2=x\ y fi\=eld="a \"quoted\" \\ text, with = and` +
    `\nnewline",n=-1.5e3,i=42i,u=7u,yes=T,no=FALSE -5`
  t.same(
    [...parseLines(`${text}\r\ncpu v=.5`)],
    [
      {
        measurement: 'my place',
        tags: [
          ['tag one', 'a,b'],
          ['t=2', 'x y']
        ],
        fields: [
          ['fi=eld', 'a "quoted" \\ text, with = and\nnewline'],
          ['n', -1500],
          ['i', 42],
          ['u', 7],
          ['yes', true],
          ['no', false]
        ],
        timestamp: '-5'
      },
      { measurement: 'cpu', tags: [], fields: [['v', 0.5]], timestamp: undefined }
    ]
  )
  t.end()
})

t.test('timestamps have the precision of the request', t => {
  const precisions = { ns: 1e9, n: 1e9, us: 1e6, u: 1e6, µ: 1e6, ms: 1e3, s: 1, m: 1 / 60, h: 1 / 3600 }
  for (const [precision, perSecond] of Object.entries(precisions)) {
    const stamp = String(BigInt(Math.round(noon * perSecond)))
    const { records } = read(influx, `cpu v=1 ${stamp}`, { path: 'write', query: { db: 'x', precision } })
    t.equal(records[0]!.time, noon, precision)
  }
  t.equal(read(influx, `cpu v=1 ${noon}123456789`, write).records[0]!.time, noon + 0.123456)
  t.equal(read(influx, 'cpu v=1', { path: 'write', now: 77 }).records[0]!.time, 77)
  refused(t, influx, 'cpu v=1', { path: 'write', query: { precision: 'fortnights' } })
  t.end()
})

t.test('one bad line refuses all, and is named', t => {
  const bad = [
    'cpu',
    'cpu v',
    'cpu v=',
    'cpu v=1 x',
    'cpu v=1 1 1',
    'cpu v=abc',
    'cpu v="open',
    ',a=b v=1',
    'cpu,a v=1',
    'cpu,a= v=1',
    'cpu v=1i2',
    'cpu v=1e999',
    'cpu v=NaN',
    'cpu v=1 99999999999999999999'
  ]
  for (const line of bad) {
    refused(t, influx, `ok v=1 ${ns}\n${line}\nok v=2`, write)
    t.throws(
      () => read(influx, `ok v=1 ${ns}\n${line}`, write),
      { message: /^Line \d/, details: { beside: { code: 'invalid', message: /^Line \d/ } } },
      line
    )
  }
  t.end()
})

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `m,id=${index} v=1 ${ns}`).join('\n')

t.test('one write has a limited number of series', t => {
  t.equal(read(influx, lines(2000), write).records.length, 2000)
  refused(t, influx, lines(20_001), write)
  t.end()
})

const query = (q: string, body = ''): object =>
  answer(influx, body, { path: 'query', query: q === '' ? {} : { q } }).body as object

t.test('the requests with which clients begin are answered', t => {
  t.match(answer(influx, '', write), { status: 204, body: '' })
  t.match(answer(influx, '', { method: 'GET', path: 'ping' }), {
    status: 204,
    headers: { 'X-Influxdb-Version': '1.8.10' }
  })
  t.match(answer(influx, '', { method: 'GET', path: 'health' }), {
    status: 200,
    body: { name: 'influxdb', status: 'pass' }
  })
  t.same(query('SHOW DATABASES'), {
    results: [{ statement_id: 0, series: [{ name: 'databases', columns: ['name'], values: [['coffer']] }] }]
  })
  t.same(query('', 'q=CREATE+DATABASE+%22home%22'), { results: [{ statement_id: 0 }] })
  t.match(query('SELECT * FROM cpu'), { results: [{ error: /not supported/ }] })
  t.match(answer(influx, '', { path: 'api/v2/buckets' }), { status: 404 })
  t.end()
})

const measure = (body: string): number => {
  const start = process.cpuUsage()
  try {
    for (const line of parseLines(body)) void line
  } catch {
    // Malformed ones end with an error.
  }
  return process.cpuUsage(start).user / 1e6
}

t.test('long bodies are parsed in linear time', t => {
  const length = 2_000_000
  const bodies = [
    'm '.padEnd(length, ' '),
    `m ${'a\\'.repeat(length / 2)}`,
    `m v="${'\\"'.repeat(length / 2)}`,
    'm,'.padEnd(length, 'a=b,'),
    `m ${'v=1,'.repeat(length / 4)}v=1`,
    '#'.repeat(length),
    '\n'.repeat(length),
    `m v=${'1'.repeat(length)}`
  ]
  for (const body of bodies) t.ok(measure(body) < 5, body.slice(0, 10))
  t.end()
})
