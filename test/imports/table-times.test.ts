/** Times in tables, in all formats and the named zones; repeated hours when clocks go back. */
import t from 'tap'
import { collected, type Collected } from './collecting.js'

const times = ({ data }: Collected): string[] =>
  data.map(({ time }) => new Date(time * 1000).toISOString().slice(0, 16))
const twice = 'of an hour that came twice when clocks were put back'

/** Returns the times of a table with these cells, read in Zurich. */
async function read(cells: readonly string[], name = 'time', zone = 'Europe/Zurich'): Promise<string[]> {
  const rows = cells.map(cell => `"${cell}";60`)
  return times(await collected(`${name};pulse\n${rows.join('\n')}\n`, 'x', { zone }))
}

t.test('time formats', async t => {
  const summer = '2024-05-01T05:15'
  for (const cell of [
    '20240501T051500Z',
    '20240501T0715',
    '20240501071500',
    '2024-05-01T07:15:00.123456',
    '2024-05-01T07:15:00.123456789+02:00',
    '2024-05-01T07:15:00+02:00[Europe/Zurich]',
    '2024-05-01T07:15:00[Europe/Zurich]',
    '2024-05-01 07:15 CEST',
    '2024-05-01 07:15 MESZ',
    '2024-05-01 05:15 UTC',
    '2024-05-01 05:15 GMT',
    '2024-05-01 07:15 GMT+2',
    '2024-05-01 07:15 UTC+02:00',
    '2024-04-30 22:15 PDT',
    '01.05.2024 07.15',
    '1.5.2024, 07:15 Uhr',
    '01.05.2024 um 07:15',
    '01.05.2024 à 07:15',
    '01.05.2024 07h15',
    'Mi., 01.05.2024 07:15',
    'Mittwoch, 1. Mai 2024, 07:15',
    'mercredi 1 mai 2024 à 07:15',
    '1er mai 2024 07h15',
    'Wednesday, May 1, 2024 at 7:15 AM',
    'May 1st, 2024 7:15\u202fAM',
    '01-May-2024 07:15',
    'Wed, 01 May 2024 05:15:00 GMT',
    'Wed May 01 2024 07:15:00 GMT+0200 (Central European Summer Time)',
    'Wed May  1 05:15:00 UTC 2024',
    '1714540500',
    '1714540500000',
    '1714540500000000',
    '1714540500000000000'
  ])
    t.same(await read([cell]), [summer], cell)
  t.same(await read(['45413.30208', '45413,30208333333']), [summer, summer], 'days of a spreadsheet')
  t.same(await read(['20240501', '20240502']), ['2024-04-30T22:00', '2024-05-01T22:00'])
  t.same(await read(['2024-05-01 07:15 CST'], 'time', 'America/Chicago'), ['2024-05-01T12:15'])
  const months = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(
    ' '
  )
  const mois = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(
    ' '
  )
  const english =
    'January February March April May June July August September October November December'.split(' ')
  for (const names of [
    months,
    mois,
    english,
    months.map(each => each.slice(0, 3)),
    mois.map(each => `${each.slice(0, 4)}.`)
  ])
    for (const encoding of ['utf8', 'latin1'] as const) {
      const text = `Datum;Puls\n${names.map(month => `3. ${month} 2024 12:00;60`).join('\n')}\n`
      t.same(
        times(await collected(Buffer.from(text, encoding))),
        names.map((_, at) => `2024-${String(at + 1).padStart(2, '0')}-03T12:00`)
      )
    }
})

t.test('invalid times and unknown zones are skipped', async t => {
  for (const cell of [
    'never',
    '2024-02-30 07:15',
    '2024-05-01 13:15 PM',
    '2024-05-01 07:15 CST',
    '12 Gegužės 2024',
    '2024-05-01 07:15 XYZ'
  ])
    t.same(
      await read([cell, '2024-05-01T05:15Z', '2024-05-01T05:15Z']),
      ['2024-05-01T05:15', '2024-05-01T05:15'],
      cell
    )
})

function table(zone: string, name = 'Timezone'): string {
  return `Start time,${name},Pulse\n2024-05-01 07:15,${zone},60\n2024-05-01 07:15,${zone},60\n`
}

t.test('zones in headers and columns', async t => {
  const local = ['2024-05-01 07:15']
  for (const name of [
    'UTC Date/Time',
    'Time (GMT)',
    'timestamp_utc',
    'Timestamp [UTC]',
    'dateTimeUTC',
    'Zeit (UTC)',
    'time UTC'
  ])
    t.same(await read(local, name), ['2024-05-01T07:15'], name)
  for (const name of [
    'Time (GMT+2)',
    'Zeit (MESZ)',
    'time (Europe/Zurich)',
    'Time (UTC+02:00)',
    'start time +02:00'
  ])
    t.same(await read(local, name, 'Asia/Tokyo'), ['2024-05-01T05:15'], name)
  t.same(await read(['2024-05-01T07:15+02:00'], 'Time (UTC)'), ['2024-05-01T05:15'], 'a cell weighs more')
  for (const zone of ['UTC+02:00', '+0200', '+02:00', 'Europe/Zurich', 'CEST', 'GMT+2', 'UTC+0200'])
    for (const name of ['Timezone', 'time_zone', 'tz', 'Zeitzone', 'UTC offset'])
      t.same(
        times(await collected(table(zone, name), 'x', { zone: 'Asia/Tokyo' })),
        ['2024-05-01T05:15', '2024-05-01T05:15'],
        `${name} ${zone}`
      )
  const unknown = await collected(table('Central'))
  t.same([unknown.data, unknown.leftOut], [[], { 'of a time zone that cannot be read': 2 }])
  const apart = await collected('Date,Time (UTC),Pulse\n2024-05-01,07.15,60\n', 'x', {
    zone: 'Europe/Zurich'
  })
  t.same(times(apart), ['2024-05-01T07:15'])
})

/** Minutes from UTC of a zone, before and after clocks go back, which happens at a time (UTC). */
const zones: readonly [zone: string, at: string, before: number, after: number][] = [
  ['Europe/Zurich', '2024-10-27T01:00Z', 120, 60],
  ['Europe/London', '2024-10-27T01:00Z', 60, 0],
  ['Atlantic/Azores', '2024-10-27T01:00Z', 0, -60],
  ['America/New_York', '2024-11-03T06:00Z', -240, -300],
  ['America/St_Johns', '2024-11-03T04:30Z', -150, -210],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z', 660, 630],
  ['America/Havana', '2024-11-03T05:00Z', -240, -300]
]
/** Date formats, including one with the month first. */
const forms = [
  (iso: string) => iso.replace('T', ' '),
  (iso: string) => iso.replace(/(\d+)-(\d+)-(\d+)T/, '$3.$2.$1 '),
  (iso: string) => iso.replace(/(\d+)-(\d+)-(\d+)T/, '$2/$3/$1 ')
]

t.test('sorted rows determine which of two hours is meant', async t => {
  for (const [zone, at, before, after] of zones)
    for (const write of forms)
      for (const minutes of [7, 10, 30]) {
        const change = Date.parse(at)
        // Includes a date that makes the order of day and month unambiguous.
        const moments = [-13, -12]
          .map(days => change + days * 86_400_000)
          .concat(
            Array.from({ length: 600 / minutes }, (_, index) => change + (index * minutes - 300) * 60_000)
          )
        const local = moments.map(moment =>
          write(new Date(moment + (moment < change ? before : after) * 60_000).toISOString().slice(0, 16))
        )
        for (const isNewestFirst of [false, true]) {
          const order = <T>(list: readonly T[]): T[] => (isNewestFirst ? list.toReversed() : [...list])
          const found = await collected(`time;pulse\n${order(local).join(';60\n')};60\n`, 'x', { zone })
          t.same(
            found.data.map(({ time }) => time * 1000),
            order(moments),
            `${zone} ${local[0]} ${minutes} ${isNewestFirst}`
          )
        }
      }
})

function pulses(cells: readonly string[]): Promise<Collected> {
  return collected(`time;pulse\n${cells.join(';60\n')};60\n`, 'x', { zone: 'Europe/Zurich' })
}

t.test('ambiguous hours are skipped', async t => {
  const alone = await pulses(['2024-10-27 01:30', '2024-10-27 02:30', '2024-10-27 03:30', '2024-10-28 02:30'])
  t.same(times(alone), ['2024-10-26T23:30', '2024-10-27T02:30', '2024-10-28T01:30'])
  t.same([alone.leftOut, alone.leftOutRows], [{ [twice]: 1 }, { [twice]: [3] }])
  const hourly = await pulses([
    '2024-10-27 01:00',
    '2024-10-27 02:00',
    '2024-10-27 02:00',
    '2024-10-27 03:00'
  ])
  t.same(times(hourly), ['2024-10-26T23:00', '2024-10-27T00:00', '2024-10-27T01:00', '2024-10-27T02:00'])
  const mixed = await pulses([
    '2024-10-28 01:30',
    '2024-10-27 02:30',
    '2024-10-27 02:10',
    '2024-10-27 01:00',
    '2024-10-29 01:00'
  ])
  t.same(mixed.leftOut, { [twice]: 2 })
  const named = await pulses(['2024-10-27 02:30 CEST', '2024-10-27T02:30+01:00'])
  t.same(times(named), ['2024-10-27T00:30', '2024-10-27T01:30'])
  const days = await collected('date,steps\n2024-11-03,5\n2024-11-04,6\n', 'x', { zone: 'America/Havana' })
  t.same(times(days), ['2024-11-03T04:00', '2024-11-04T05:00'], 'a day begins once')
})
