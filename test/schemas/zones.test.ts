/** Days in time zones, including unusual clock changes, and the zone of an event. */
import t from 'tap'
import {
  formatDate,
  getDayStart,
  getLocalDay,
  getOffset,
  isZone,
  parseDate,
  parseTime,
  resolveZone
} from '../../schemas/zones.js'
import { Random } from '../support/random.js'

const at = (text: string): number => Date.parse(text) / 1000
const hour = 3600

t.test('parseDate and parseTime refuse what does not exist', async t => {
  for (const date of ['1969-12-31', '1970-01-01', '2024-02-29', '2026-03-29', '9999-12-31', '0001-01-01'])
    t.equal(formatDate(parseDate(date)!), date)
  for (const wrong of [
    '2026-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '',
    '2026'
  ])
    t.equal(parseDate(wrong), undefined, wrong)
  t.equal(parseTime('2026-03-29T12:30:00.5+02:00'), Date.UTC(2026, 2, 29, 10, 30) / 1000 + 0.5)
  t.equal(parseTime('1960-01-01t00:00z'), Date.UTC(1960, 0, 1) / 1000)
  for (const wrong of [
    '2026-02-30T00:00:00Z',
    '2026-02-28T24:00:00Z',
    '2026-02-28T23:59:60Z',
    '2026-02-28T12:00:00',
    '2026-02-28T12:00:00+99:99',
    '2026-02-28T12:00:00+02:60',
    '2026-02-28T12:00:00-16:00',
    '28 February 2026'
  ])
    t.equal(parseTime(wrong), undefined, wrong)
})

t.test('getLocalDay', async t => {
  const cases: [string, string, string, string, string, number][] = [
    ['a summer day', 'Europe/Zurich', '2026-07-01T22:30:00Z', '2026-07-02', '2026-07-01T22:00:00Z', 24],
    ['clocks put on', 'Europe/Zurich', '2026-03-29T12:00:00Z', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['clocks put back', 'Europe/Zurich', '2026-10-25T12:00:00Z', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['its last second', 'Europe/Zurich', '2026-10-25T22:59:59.999Z', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['half an hour less', 'Australia/Lord_Howe', '2026-10-04T00:00:00Z', '2026-10-04', '2026-10-03T13:30:00Z', 23.5],
    ['half an hour more', 'Australia/Lord_Howe', '2026-04-05T00:00:00Z', '2026-04-05', '2026-04-04T13:00:00Z', 24.5],
    ['quarters of hours', 'Asia/Kathmandu', '2026-01-01T18:14:59Z', '2026-01-01', '2025-12-31T18:15:00Z', 24],
    ['a zone that moved on', 'Asia/Kathmandu', '1986-01-01T00:00:00Z', '1986-01-01', '1985-12-31T18:30:00Z', 23.75],
    ['before a day left out', 'Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29', '2011-12-29T10:00:00Z', 24],
    ['after it', 'Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31', '2011-12-30T10:00:00Z', 24],
    ['a day that begins at one', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04', '2018-11-04T03:00:00Z', 23],
    ['an evening lived twice', 'America/Sao_Paulo', '2018-02-18T02:30:00Z', '2018-02-17', '2018-02-17T02:00:00Z', 25],
    ['a day begun before its eve is over', 'America/St_Johns', '2006-10-29T03:00:00Z', '2006-10-29', '2006-10-29T02:30:00Z', 25],
    ['times before zones', 'Europe/Zurich', '1800-01-01T12:00:00Z', '1800-01-01', '1799-12-31T23:25:52Z', 24],
    ['no zone at all', 'UTC', '1969-12-31T23:59:59.5Z', '1969-12-31', '1969-12-31T00:00:00Z', 24]
  ] // oxfmt-ignore
  for (const [name, zone, time, date, from, hours] of cases)
    t.test(`handles ${name}`, async t => {
      const day = getLocalDay(zone, at(time))
      t.equal(formatDate(day.number), date)
      t.equal(new Date(day.from * 1000).toISOString(), new Date(from).toISOString())
      t.equal((day.to - day.from) / hour, hours)
    })

  t.test('gives a skipped day no duration', async t => {
    const left = Date.UTC(2011, 11, 30) / 86_400_000
    t.equal(getDayStart('Pacific/Apia', left), getDayStart('Pacific/Apia', left + 1))
    t.equal(formatDate(left), '2011-12-30')
  })

  t.test('accepts any time of an event', async t => {
    for (const time of [-8.64e12, 8.64e12, 1e15, -1e15]) {
      const { from, to } = getLocalDay('Europe/Zurich', time)
      t.ok(from <= time && time < to, String(time))
    }
  })

  t.test('assigns every time to one day of every zone', async t => {
    const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e9)
    t.comment(`COFFER_TEST_SEED=${seed}`)
    const random = new Random(seed)
    const zones = Intl.supportedValuesOf('timeZone')
    for (let count = 0; count < 3000; count++) {
      const zone = random.pick(zones)
      const time = random.pick([at('1900-01-01'), 0, at('2000-01-01')]) + random.next() * 30 * 365 * 86_400
      const { from, number, to } = getLocalDay(zone, time)
      const before = getLocalDay(zone, from - 0.001)
      const shown = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
      const shows = (second: number): string => shown.format(second * 1000)
      const isRight =
        from <= time &&
        time < to &&
        before.to <= from &&
        before.number < number &&
        shows(from) >= formatDate(number) &&
        shows(from - 1) < formatDate(number) &&
        shows(time) <= formatDate(number)
      if (isRight) continue
      t.fail(JSON.stringify({ zone, time, from, to, number, before }))
      break
    }
  })
})

t.test('getOffset handles unusual offsets', async t => {
  t.equal(getOffset('Asia/Kathmandu', 1e9), 5.75 * hour)
  t.equal(getOffset('Africa/Monrovia', 0), -(44 * 60 + 30))
  t.equal(getOffset('America/St_Johns', at('2026-01-01')), -3.5 * hour)
  t.equal(getOffset('UTC', 0), 0)
  t.throws(() => getOffset('Mars/Olympus', 0), RangeError)
})

t.test('isZone', async t => {
  for (const zone of [
    'Europe/Zurich',
    'America/Argentina/Buenos_Aires',
    'UTC',
    'Etc/GMT+5',
    'Asia/Kathmandu'
  ])
    t.equal(isZone(zone), true, zone)
  const others = ['', 'Mars/Olympus', '+01:00', 'Europe/', ' UTC', 'UTC ', 'a'.repeat(65), 'Europe/Zürich', 5, null, {}, '../UTC'] // oxfmt-ignore
  for (const other of others) t.equal(isZone(other), false, JSON.stringify(other))
})

t.test('resolveZone', async t => {
  const periods = [
    { from: 100, zone: 'Europe/Zurich' },
    { from: 200, zone: 'Asia/Tokyo' }
  ]
  const own = { 'coffer:zone': 'Pacific/Apia' }
  t.equal(resolveZone({ time: 150, clientData: own }, periods), 'Pacific/Apia', 'that of the event itself')
  t.equal(resolveZone({ time: 150 }, periods), 'Europe/Zurich', 'that of the period')
  t.equal(resolveZone({ time: 200 }, periods), 'Asia/Tokyo', 'from its beginning on')
  t.equal(resolveZone({ time: 1e10 }, periods), 'Asia/Tokyo', 'until the next one')
  t.equal(resolveZone({ time: 1 }, periods), 'Europe/Zurich', 'the first one before all')
  t.equal(resolveZone({ time: 1 }), 'UTC', 'UTC without any')
  t.equal(
    resolveZone({ time: 1, clientData: { 'coffer:zone': 'no/zone' } }, periods),
    'Europe/Zurich',
    'as if it were not there'
  )
})

t.test('times beyond whole numbers lie in one day', t => {
  for (const time of [1e21, 1.7e308])
    for (const sign of [1, -1])
      t.equal(
        getLocalDay('UTC', sign * time).number,
        getLocalDay('UTC', sign * 1e16).number,
        `${sign * time}`
      )
  t.end()
})
