/** Cached offsets of zones are correct for each half hour. */
import t from 'tap'
import { parseCellTime } from '../../imports/text/cell-times.js'
import { localToUtc, findRepeatedTime, getOffset, parseIsoTime } from '../../imports/text/times.js'
import { Random } from '../support/random.js'

const zones = [
  'Europe/Zurich',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Europe/Dublin',
  'Antarctica/Troll'
]

/** Returns the platform's offsets. */
function told(zone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23'
  })
  return time => Date.parse(`${format.format(time * 1000).replace(', ', ' ')} UTC`) / 1000 - time
}

t.test('times and offsets that do not exist are no times', async t => {
  const times = [
    '2024-02-30 12:00:00 +0100',
    '2024-02-30T12:00:00Z',
    '2024-10-27 12:00:00 +9999',
    '2024-10-27 12:00:00 +0260',
    '2024-10-27 12:00:00 -1600',
    '2024-10-27 12:00:00 00200',
    '2024-10-27T12:00:00+99:99',
    '2024-10-27T12:00:00+02:75',
    '2024-10-27T24:30:00Z',
    '20241027T243000Z',
    '20241027 120000+9999',
    '27.10.2024 12:00:00 +99:99',
    '27.10.2024 24:15'
  ]
  for (const text of times) {
    t.ok(Number.isNaN(parseIsoTime(text)), text)
    t.ok(Number.isNaN(parseCellTime(text, undefined, 'dmy', undefined)), text)
  }
  for (const text of ['2024-10-28 00:00:00 +0000', '2024-10-27T24:00:00Z', '2024-10-28T14:00:00+14:00'])
    t.equal(parseIsoTime(text), Date.UTC(2024, 9, 28) / 1000, text)
})

t.test('random times, and all half hours of days on which clocks change', t => {
  const seed = Number(process.env['COFFER_TEST_SEED'] ?? 1904)
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  let changes = 0
  for (const zone of zones) {
    const expected = told(zone)
    const wrong: number[] = []
    const check = (time: number): void => {
      if (getOffset(time, zone) !== expected(time)) wrong.push(time)
    }
    for (let round = 0; round < 200; round++) {
      const time = 1800 * random.below(1_100_000)
      check(time)
      check(time + random.below(1800))
    }
    for (let day = Date.UTC(2010, 0, 1) / 1000; day < Date.UTC(2013, 0, 1) / 1000; day += 86_400) {
      if (expected(day) === expected(day + 86_400)) continue
      changes++
      for (let time = day - 86_400; time < day + 2 * 86_400; time += 1800) check(time)
    }
    t.same(wrong, [], zone)
  }
  t.ok(changes > 20)
  t.end()
})

t.test('invalid times, times far away, and more zones than the cache holds', t => {
  t.ok(Number.isNaN(getOffset(NaN, 'Europe/Zurich')))
  t.ok(Number.isNaN(getOffset(1e15, 'Europe/Zurich')))
  const all = Intl.supportedValuesOf('timeZone').slice(0, 120)
  const first = all.map(zone => getOffset(1.7e9, zone))
  t.same(
    all.map(zone => getOffset(1.7e9, zone)),
    first
  )
  const back = Date.UTC(2024, 9, 27, 2, 30) / 1000
  t.equal(localToUtc(back, 'Europe/Zurich'), back - 7200)
  t.equal(findRepeatedTime(back - 7200, 'Europe/Zurich'), back - 3600)
  t.end()
})
