/** Files of single formats that somebody made to hold the service up, or that are broken in ways that programs break them. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, missing } from './collecting.js'

t.setTimeout(600_000)

const calendar = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: readonly string[]): string => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')

const weight = (date: string): string =>
  JSON.stringify({
    header: { id: date, schema_id: { name: 'body-weight' } },
    body: { effective_time_frame: { date_time: date }, body_weight: { value: 70, unit: 'kg' } }
  })

t.test('a time that cannot be read is none in any zone', async t => {
  const broken = event('UID:a', 'DTSTART:yesterday', 'SUMMARY:a')
  const whole = event('UID:b', 'DTSTART:20240501T120000', 'SUMMARY:b')
  for (const zone of [undefined, '+02:00', 'Europe/Zurich']) {
    const found = await collected(calendar(broken, whole), 'a.ics', zone === undefined ? {} : { zone })
    t.same(
      found.data.map(({ description }) => description),
      ['b']
    )
    t.same(found.leftOut, { 'of a time that cannot be read': 1 })
  }
})

t.test(
  'a date in the first century, by which programs say that there is none, is not read as of the last',
  async t => {
    const dates = [
      '0001-01-01T00:00:00Z',
      '0001-01-01 00:00:00 +0000',
      '0099-12-31T00:00:00',
      '2024-02-31 08:00:00 +0100'
    ]
    for (const zone of [undefined, 'Europe/Zurich']) {
      const found = await collected(
        `[${dates.map(weight).join()}]`,
        'a.json',
        zone === undefined ? {} : { zone }
      )
      for (const { time } of found.data) t.notOk(time > -6e9, `${time}`)
      t.equal(missing(found), 0)
    }
    const [late, daily] = [
      event('DTSTART:00010101T000000Z', 'UID:a'),
      event('DTSTART:20240501T120000Z', 'UID:b')
    ]
    const found = await collected(calendar(late, daily), 'a.ics')
    t.same(
      found.data.map(({ time }) => time > 0),
      [false, true]
    )
    t.equal(total(found.records), 2)
  }
)

/** Seconds of CPU that reading takes. */
async function secondsOf(content: string, name: string): Promise<number> {
  const before = process.cpuUsage()
  await collected(content, name)
  return process.cpuUsage(before).user / 1e6
}

t.test('zones of many names, and one of many spellings, take no longer than others', async t => {
  const name = 'america/argentina/buenos_aires'
  const spelt = (at: number): string => {
    let bit = 0
    return name.replaceAll(/[a-z]/g, each => (((at >> bit++) & 1) === 1 ? each.toUpperCase() : each))
  }
  for (const nameOf of [spelt, (at: number) => `Europe/Town${at}`]) {
    const entries = Array.from({ length: 20_000 }, (_, at) =>
      event(`DTSTART;TZID=${nameOf(at)}:20240101T000000`)
    )
    const seconds = await secondsOf(calendar(...entries), 'a.ics')
    t.comment(`${seconds.toFixed(2)} s`)
    // It was one millisecond and 30 KB for each name.
    t.ok(seconds < 8, `${seconds} s`)
  }
})
