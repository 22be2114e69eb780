/** iCalendar: times in zones of any name, recurrence, cancellations, and text as programs write it. */
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000
const component = (name: string, ...lines: readonly string[]): string =>
  [`BEGIN:${name}`, ...lines, `END:${name}`].join('\r\n')
const event = (...lines: readonly string[]): string => component('VEVENT', ...lines)
const calendar = (...parts: readonly string[]): string =>
  `${component('VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//', ...parts)}\r\n`
const read = async (parts: readonly string[], zone?: string): Promise<Collected> =>
  await collected(calendar(...parts), 'calendar.ics', zone === undefined ? {} : { zone })
const isComplete = ({ data, leftOut, records }: Collected): boolean =>
  total(records) === data.length + total(leftOut)

const noon = utc('2024-05-01T12:00:00')

/** A zone with European rules, and one of the United States with other rules before 2007. */
const zones = [
  component(
    'VTIMEZONE',
    'TZID:W. Europe Standard Time',
    component(
      'STANDARD',
      'DTSTART:16010101T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'
    ),
    component(
      'DAYLIGHT',
      'DTSTART:16010101T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'
    )
  ),
  component(
    'VTIMEZONE',
    'TZID:Custom 1',
    component(
      'STANDARD',
      'DTSTART:20001029T020000',
      'TZOFFSETFROM:-0400',
      'TZOFFSETTO:-0500',
      'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z'
    ),
    component(
      'STANDARD',
      'DTSTART:20071104T020000',
      'TZOFFSETFROM:-0400',
      'TZOFFSETTO:-0500',
      'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'
    ),
    component(
      'DAYLIGHT',
      'DTSTART:20000402T020000',
      'TZOFFSETFROM:-0500',
      'TZOFFSETTO:-0400',
      'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7;UNTIL=20060402T070000Z'
    ),
    component(
      'DAYLIGHT',
      'DTSTART:20070311T020000',
      'TZOFFSETFROM:-0500',
      'TZOFFSETTO:-0400',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'
    )
  ),
  component(
    'VTIMEZONE',
    'TZID:Half',
    component('STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0530', 'TZOFFSETTO:+0530')
  )
]

t.test('times are in the zone that they name', async t => {
  const times: [line: string, time: string, zone?: string][] = [
    ['DTSTART:20240501T120000Z', '2024-05-01T12:00:00'],
    ['DTSTART;TZID=Europe/Zurich:20240501T140000', '2024-05-01T12:00:00', 'Europe/Zurich'],
    [
      'DTSTART;TZID=/mozilla.org/20050126_1/America/Argentina/Salta:20240501T090000',
      '2024-05-01T12:00:00',
      'America/Argentina/Salta'
    ],
    ['DTSTART;TZID="W. Europe Standard Time":20240501T140000', '2024-05-01T12:00:00'],
    ['DTSTART;TZID=W. Europe Standard Time:20240101T130000', '2024-01-01T12:00:00'],
    ['DTSTART;TZID=W. Europe Standard Time:20241027T015900', '2024-10-26T23:59:00'],
    ['DTSTART;TZID=W. Europe Standard Time:20241027T030000', '2024-10-27T02:00:00'],
    ['DTSTART;TZID=Custom 1:20060405T080000', '2006-04-05T12:00:00'],
    ['DTSTART;TZID=Custom 1:20061101T070000', '2006-11-01T12:00:00'],
    ['DTSTART;TZID=Custom 1:20070320T080000', '2007-03-20T12:00:00'],
    ['DTSTART;TZID=Custom 1:20231107T070000', '2023-11-07T12:00:00'],
    ['DTSTART;TZID=Half:20240501T173000', '2024-05-01T12:00:00'],
    ['DTSTART:20240501T210000', '2024-05-01T12:00:00']
  ]
  const events = times.map(([line], at) => event(`UID:${at}`, line, 'SUMMARY:x'))
  for (const parts of [
    [...zones, ...events],
    [...events, ...zones]
  ]) {
    const found = await read(parts, 'Asia/Tokyo')
    t.ok(isComplete(found))
    const sorted = found.data.toSorted(
      (a, b) => Number(JSON.parse(a.identity!)[0]) - Number(JSON.parse(b.identity!)[0])
    )
    t.same(
      sorted.map(({ time, zone }) => [time, zone]),
      times.map(([, time, zone]) => [utc(time), zone])
    )
  }
  const none = await read([
    event('DTSTART;TZID=Nowhere:20240501T140000'),
    event('SUMMARY:x'),
    event('DTSTART:2024')
  ])
  t.same(none.data, [])
  t.same(none.leftOut, {
    'of a time zone that cannot be read': 1,
    'without a time': 1,
    'of a time that cannot be read': 1
  })
})

t.test('entries have their stated duration; days last from midnight to midnight', async t => {
  const lengths: [lines: string[], seconds: number | undefined][] = [
    [['DTSTART:20240501T120000Z', 'DTEND:20240501T133000Z'], 5400],
    [['DTSTART:20240501T120000Z', 'DURATION:P1DT2H'], 93_600],
    [['DTSTART:20240501T120000Z', 'DURATION:P1W'], 604_800],
    [['DTSTART:20240501T120000Z'], undefined],
    [['DTSTART:20240501T120000Z', 'DTEND:20240501T110000Z'], undefined],
    [['DTSTART;VALUE=DATE:20240501'], 86_400],
    [['DTSTART;VALUE=DATE:20240501', 'DTEND;VALUE=DATE:20240503'], 172_800],
    // Clocks go forward on this day.
    [['DTSTART;VALUE=DATE:20240331'], 82_800]
  ]
  const found = await read(
    lengths.map(([lines], at) => event(`UID:${at}`, ...lines)),
    'Europe/Zurich'
  )
  t.same(
    found.data.map(({ duration }) => duration),
    lengths.map(([, seconds]) => seconds)
  )
  t.equal(found.data[5]!.time, utc('2024-04-30T22:00:00'))
  const broken = await read([
    event('DTSTART:20240501T120000Z', 'DTEND:soon'),
    event('DTSTART:20240501T120000Z', 'DURATION:PT')
  ])
  t.same(broken.leftOut, { 'of an end that cannot be read': 2 })
})

t.test('text is unfolded, unescaped and decoded', async t => {
  const found = await collected(
    Buffer.concat([
      Buffer.from(
        '\uFEFFBEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Fam\\, Zoë\r\nBEGIN:VEVENT\r\nUID:a\r\n'
      ),
      Buffer.from(
        'DTSTART:20240501T120000Z\r\nSUMMARY;LANGUAGE=de;X-A="b:c;d":Gr\xc3\r\n \xbc\xc3\x9fe\\; Ende\r\n',
        'latin1'
      ),
      Buffer.from(
        'DESCRIPTION:one\\ntwo \\\\n\r\n  three\r\n\tfour\r\nCATEGORIES:A\\,B,C\r\nCATEGORIES:D\r\n'
      ),
      Buffer.from(
        'LOCATION:Bern\r\nGEO:46.9;7.4\r\nATTENDEE:mailto:a@example.com\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
      )
    ])
  )
  t.match(found.data, [
    {
      type: 'activity/plain',
      source: 'Fam, Zoë',
      time: noon,
      description: 'Grüße; Ende\n\none\ntwo \\n threefour',
      clientData: {
        'ical:entry': { uid: 'a', location: 'Bern', geo: '46.9;7.4', categories: ['A,B', 'C', 'D'] }
      }
    }
  ])
  t.same(found.records, { VEVENT: 1, 'VEVENT ATTENDEE': 1 })
  const plain = calendar(event('DTSTART:20240501T120000Z', 'SUMMARY:Zoë'))
  for (const text of [
    plain.replaceAll('\r\n', '\n'),
    plain.replaceAll('\r\n', '\r'),
    Buffer.from(plain, 'latin1'),
    Buffer.from(`\uFEFF${plain}`, 'utf16le')
  ])
    t.match((await collected(text)).data, [{ description: 'Zoë' }])
})

t.test('a recurring event becomes its first occurrence with the rule, unless that was replaced', async t => {
  const first = (uid: string, ...lines: readonly string[]): string =>
    event(`UID:${uid}`, 'DTSTART:20240501T120000Z', 'RRULE:FREQ=DAILY', ...lines)
  const found = await read([
    first('a', 'SUMMARY:weekly', 'RDATE:20240601T120000Z,20240701T120000Z', 'EXDATE:20240502T120000Z'),
    event('UID:a', 'RECURRENCE-ID:20240503T120000Z', 'DTSTART:20240503T130000Z', 'SUMMARY:moved'),
    first('b', 'EXDATE:20240501T110000Z,20240501T120000Z'),
    first('c', 'SUMMARY:before'),
    event('UID:c', 'RECURRENCE-ID:20240501T120000Z', 'DTSTART:20240501T150000Z', 'SUMMARY:instead'),
    event('UID:d', 'RECURRENCE-ID:20240501T120000Z', 'DTSTART:20240501T120000Z', 'STATUS:CANCELLED'),
    first('d')
  ])
  t.ok(isComplete(found))
  t.same(found.data.map(({ description }) => description).toSorted(), ['instead', 'moved', 'weekly'])
  t.match(found.data.find(({ description }) => description === 'weekly')!.clientData, {
    'ical:entry': { rules: ['FREQ=DAILY'], exceptions: ['20240502T120000Z'] }
  })
  t.same(found.leftOut, {
    'further occurrences of an event that repeats': 6,
    'cancelled, not carried out or ruled out': 2,
    'an earlier version of a record that is in the file': 2
  })
  t.equal(new Set(found.data.map(({ identity }) => identity)).size, 3)
})

t.test('journals become notes, completed tasks are imported, and the rest is counted by name', async t => {
  const found = await read([
    component('VJOURNAL', 'UID:j', 'DTSTART;VALUE=DATE:20240501', 'SUMMARY:Title', 'DESCRIPTION:Text'),
    component('VJOURNAL', 'UID:k', 'CREATED:20240501T120000Z', 'SUMMARY:Only'),
    component('VJOURNAL', 'UID:l', 'DTSTART:20240501T120000Z'),
    component('VTODO', 'UID:t', 'SUMMARY:Done', 'STATUS:COMPLETED', 'COMPLETED:20240501T120000Z'),
    component('VTODO', 'UID:u', 'SUMMARY:Open', 'DUE:20240601T120000Z'),
    event(
      'UID:e',
      'DTSTART:20240501T120000Z',
      'SUMMARY:x',
      component('VALARM', 'TRIGGER:-PT5M', 'DESCRIPTION:no')
    ),
    event('UID:f', 'DTSTART:20240501T120000Z', 'STATUS:CANCELLED'),
    component('VFREEBUSY', 'DTSTART:20240501T120000Z')
  ])
  t.ok(isComplete(found))
  t.match(found.data, [
    { type: 'note/txt', stream: 'Journal', content: 'Text', description: 'Title' },
    { type: 'note/txt', content: 'Only', time: noon },
    { type: 'activity/plain', stream: 'Tasks', time: noon, description: 'Done' },
    { type: 'activity/plain', stream: 'Events', description: 'x' }
  ])
  t.same(found.records, { VJOURNAL: 3, VTODO: 2, VEVENT: 2, VALARM: 1, VFREEBUSY: 1 })
  t.same(found.leftOut, {
    empty: 1,
    'a plan or a goal, not something that took place': 1,
    'of a kind without a type here': 2,
    'cancelled, not carried out or ruled out': 1
  })
  const cancelled = await read(['METHOD:CANCEL', event('DTSTART:20240501T120000Z')])
  t.same(cancelled.data, [])
})

t.test('truncated, broken or large calendars are read up to the damage', async t => {
  const one = event('UID:a', 'DTSTART:20240501T120000Z')
  const cut = await collected(calendar(one, event('UID:b', 'DTSTART:20240501T130000Z')).slice(0, -40))
  t.equal(cut.data.length, 1)
  t.same(cut.leftOut, { 'cut off before its end': 1 })
  t.equal(cut.warnings.length, 1)
  const torn = await read([one.replace('END:VEVENT', 'X-A:b'), one])
  t.equal(torn.data.length, 1)
  t.same(torn.leftOut, { 'torn: its end is missing': 1 })
  const large = await read([event('DTSTART:20240501T120000Z', `DESCRIPTION:${'x'.repeat(300_000)}`), one])
  t.equal(large.data.length, 1)
  t.same(large.leftOut, { 'larger than a record can be': 1 })
  await t.rejects(collected(calendar(one).replace('VERSION:2.0', 'VERSION:1.0')), { message: /version 1\.0/ })
  await t.rejects(collected(`BEGIN:VCALENDAR\n${'BEGIN:X\n'.repeat(1000)}`), { message: /nested deeper/ })
})

/** An entry that begins at an hour of the day. */
const version = (hour: string, ...lines: readonly string[]): string =>
  event('UID:a', `DTSTART:20240501T${hour}0000Z`, 'SUMMARY:Check-up', ...lines)

t.test('of several versions of an entry, the newest is imported', async t => {
  const cases: [string, string[], number[], number][] = [
    ['by sequence', [version('12', 'SEQUENCE:2'), version('10'), version('11', 'SEQUENCE:1')], [0], 2],
    [
      'by time of change, if the sequence is the same',
      [version('11', 'LAST-MODIFIED:20240401T080000Z'), version('12', 'LAST-MODIFIED:20240402T080000Z')],
      [0],
      1
    ],
    ['all, if no order is known', [version('12', 'SEQUENCE:3'), version('14', 'SEQUENCE:3')], [0, 7200], 0],
    ['of each occurrence', [version('12'), version('13', 'RECURRENCE-ID:20240502T120000Z')], [0, 3600], 0]
  ]
  for (const [name, parts, times, older] of cases)
    for (const order of [parts, parts.toReversed()]) {
      const found = await read(order)
      t.ok(isComplete(found), name)
      t.same(
        found.data.map(({ time }) => time - noon).toSorted((a, b) => a - b),
        times,
        name
      )
      t.equal(found.leftOut['an earlier version of a record that is in the file'] ?? 0, older, name)
    }
  const cancelled = await read([version('12'), version('12', 'SEQUENCE:1', 'STATUS:CANCELLED')])
  t.same(cancelled.data, [])
  t.same(cancelled.leftOut, {
    'an earlier version of a record that is in the file': 1,
    'cancelled, not carried out or ruled out': 1
  })
})

t.test('a changed entry in another file is skipped by name, not imported a second time', async t => {
  const { alice } = await coffer(t)
  const { look, tally } = await broughtIn(alice, 'a.ics', calendar(version('12')))
  t.same(tally.broughtIn, { 'activity/plain': 1 })
  t.match(look.lanes, [{ example: 'Check-up' }], 'the description tells what an entry is')
  for (const changed of [
    calendar(version('14', 'SEQUENCE:1')),
    calendar(version('12', 'SEQUENCE:2', 'LOCATION:Room 2'))
  ])
    t.same((await broughtIn(alice, 'b.ics', changed)).tally, {
      broughtIn: {},
      known: {},
      leftOut: { 'another version of a record that was brought in before': 1 }
    })
  const stamped = calendar(version('12', 'SEQUENCE:3', 'DTSTAMP:20240502T080000Z'))
  t.same((await broughtIn(alice, 'c.ics', stamped)).tally.known, { 'activity/plain': 1 })
  t.match((await alice.do('events.get', {})).events, [{ time: noon }])
})
