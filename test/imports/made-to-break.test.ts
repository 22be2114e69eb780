/** Files of single formats that are designed to be slow, or broken in typical ways. */
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, total } from '../support/importing.js'
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

t.test('an unreadable time is unreadable in every zone', async t => {
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
  'a date in the first century, a placeholder of some programs, is not moved to this century',
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

/** Returns the CPU seconds that reading needs. */
async function secondsOf(content: string, name: string): Promise<number> {
  const before = process.cpuUsage()
  await collected(content, name)
  return process.cpuUsage(before).user / 1e6
}

t.test('zones with many names, or with many spellings of one, are as fast as others', async t => {
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
    // Each name used to need one millisecond and 30 KB.
    t.ok(seconds < 8, `${seconds} s`)
  }
})

t.test('names of prototype members are not columns', async t => {
  const names = [
    'date',
    'weight (kg)',
    'fat mass (kg)',
    'bone mass (kg)',
    'muscle mass (kg)',
    'hydration (kg)'
  ]
  const odd = ['constructor', '__proto__', 'toString']
  const found = await collected(`${[...names, ...odd].join()}\n2024-01-01 08:00:00,70,9,3,50,40,1,2,3\n`)
  t.equal(found.data.length, 5)
  t.same(found.leftOut, { 'in a column that is not mapped': 3 })
})

/** Returns a zone with this number of rules and dates. */
function described(rules: number, dates: number): string {
  const rule = [
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    `RDATE:${'20000101T000000,'.repeat(dates)}`,
    'END:STANDARD'
  ]
  const all = Array.from({ length: rules }, () => rule).flat()
  return ['BEGIN:VTIMEZONE', 'TZID:x', ...all, 'END:VTIMEZONE'].join('\r\n')
}

const exported = (section: string): string =>
  `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><component><structuredBody><component>` +
  `<section><entry>${section}</entry></section></component></structuredBody></component></ClinicalDocument>`

/** Files in which each of many records could be combined with each of many names or rules. */
const products: readonly (readonly [what: string, make: () => string])[] = [
  ['rows of one cell', () => `Id,Tz,From,To,Sched,Hours,${'Event,'.repeat(40_000)}\n${'1\n'.repeat(10_000)}`],
  [
    'samples of one cell',
    () =>
      `Name,Sport,Date,Start time,Duration,Total\na,RUNNING,01-02-2024,08:00:00,00:10:00,1\n` +
      `Sample rate,Time,${'HR,'.repeat(80_000)}\n${'1,00:00:01,60\n'.repeat(3000)}`
  ],
  [
    'rows of one weight',
    () =>
      `date,weight,fat mass,bone mass,muscle mass,hydration,${'a,'.repeat(4000)}\n${'1\n'.repeat(100_000)}`
  ],
  [
    'entries in a zone of many rules',
    () =>
      calendar(
        described(500, 500),
        ...Array.from({ length: 300 }, () => event('DTSTART;TZID=x:20240101T000000'))
      )
  ],
  [
    'exceptions in a zone of many rules',
    () =>
      calendar(
        described(500, 0),
        event(
          'DTSTART;TZID=x:20240101T000000',
          'RRULE:FREQ=DAILY',
          `EXDATE;TZID=x:${'20240202T000000,'.repeat(400)}`
        )
      )
  ],
  [
    'statements in an organizer of many parts',
    () =>
      exported(
        `<organizer>${'<effectiveTime/>'.repeat(100_000)}` +
          `${'<component><observation><code code="1"/></observation></component>'.repeat(500)}</organizer>`
      )
  ]
]

for (const [what, make] of products)
  t.test(`${what} are as fast as others of their size`, async t => {
    const seconds = await secondsOf(make(), 'a')
    t.comment(`${seconds.toFixed(2)} s`)
    t.ok(seconds < 5, `${seconds} s`)
  })

t.test('values after long parameters are read', async t => {
  const html = `data:text/html,${'%3Cp%3Eword'.repeat(500)}`
  const found = await collected(
    calendar(event('UID:a', 'DTSTART:20240501T120000Z', `DESCRIPTION;ALTREP="${html}":In words`)),
    'a.ics'
  )
  t.equal(found.data[0]!.description, 'In words')
  const cut = calendar(
    event('UID:a', 'DTSTART:20240501T120000Z', `DESCRIPTION;ALTREP="${html.repeat(20)}":In words`)
  )
  t.same((await collected(cut, 'a.ics')).leftOut, { 'larger than a record can be': 1 })
})

t.test('parameters count towards the size of an entry', async t => {
  const line = `DUE;X=${'x'.repeat(50_000)}:20240501T120000Z`
  const found = await collected(calendar(event('DTSTART:20240501T120000Z', line, line, line)), 'a.ics')
  t.same(found.leftOut, { 'larger than a record can be': 1 })
})

t.test('times below an unreadable date are not assigned to the previous day', async t => {
  const rows = [
    'time,pulse',
    '2024-05-01,',
    '08:00,60',
    '09:00,61',
    'Day 2 of May,',
    '08:00,62',
    '2024-05-03,',
    '08:00,63'
  ]
  const { data } = await collected(`${rows.join('\n')}\n`, 'a.csv')
  t.same(
    data.map(({ content, time }) => [content, new Date(time * 1000).toISOString().slice(0, 10)]),
    [
      [60, '2024-05-01'],
      [61, '2024-05-01'],
      [63, '2024-05-03']
    ]
  )
})

t.test('infinite durations are skipped', async t => {
  const { alice } = await coffer(t)
  const endless = event('UID:a', 'DTSTART:20240501T120000Z', `DURATION:P${'9'.repeat(400)}D`)
  const whole = event('UID:b', 'DTSTART:20240501T120000Z', 'DURATION:P1D')
  const found = await broughtIn(alice, 'a.ics', calendar(endless, whole))
  t.equal(found.state, 'written', found.message)
  t.same(found.tally, {
    broughtIn: { 'activity/plain': 1 },
    known: {},
    leftOut: { 'of an end that cannot be read': 1 }
  })
})

t.test('ids beyond the precision of numbers do not collide', async t => {
  const night = '"startTime":"2024-05-01T23:00:00.000","endTime":"2024-05-02T07:00:00.000","levels":{}'
  const ids = ['9007199254740992', '9007199254740993', '9007199254740994', '17']
  const nights = ids.map(
    id => `{"logId":${id},"dateOfSleep":"2024-05-02",${night},"note":"\\"9007199254740993"}`
  )
  const { data } = await collected(`[${nights.join()}]`, 'sleep-2024-05-01.json', { zone: 'UTC' })
  t.same(
    data.map(({ identity }) => identity),
    ids
  )
  const kept =
    '{"resourceType":"Condition","id":"a","onsetDateTime":"2011","x":[12345678901234567891,1e20,100000000000000000000,1700000000000000001.5]}'
  const [record] = (await collected(kept)).data
  t.match(record!.clientData, {
    'fhir:resource': { x: ['12345678901234567891', 1e20, 1e20, 1.7e18] }
  })
})
