/** Kinds of tables in which random tests have found wrong values. */
import t from 'tap'
import { collected, type Collected } from '../collecting.js'

const kinds = ({ data }: Collected): [stream: string, type: string, content: unknown][] =>
  data.map(({ content, stream, type }) => [stream, type, content])
const times = ({ data }: Collected): string[] =>
  data.map(({ time }) => new Date(time * 1000).toISOString().slice(0, 16))

/** Returns what a column of this name yields. */
async function taken(name: string, cells: readonly string[] = ['60', '61']): Promise<unknown[]> {
  const rows = cells.map((cell, at) => `2024-05-0${at + 1} 08:00;${cell}`)
  return kinds(await collected(`time;${name}\n${rows.join('\n')}\n`))
}

/** Returns the times of a table with these cells. */
async function read(cells: readonly string[], name = 'time', zone = 'Europe/Zurich'): Promise<string[]> {
  return times(
    await collected(`${name};pulse\n${cells.map(cell => `"${cell}";60\n`).join('')}`, 'x', { zone })
  )
}

t.test('words that look like units are not units', async t => {
  for (const name of [
    'Checked in',
    'Vitamin C',
    'Glucose meter',
    'Main St',
    'Sprint 100 m',
    'Left foot',
    'HR (std)',
    'Group (F)',
    'Taken once',
    'Fat (Min)'
  ])
    t.same(await taken(name), [], name)
  t.same(await taken('Result', ['105 H', '65 L']), [], 'marks of laboratories')
  t.same(await taken('Sleep', ['45m', '50m']), [], 'minutes or metres')
  t.same(await taken('Distance', ['45 m', '50 m']), [
    ['Distance', 'length/m', 45],
    ['Distance', 'length/m', 50]
  ])
})

t.test('unknown or ambiguous units are not ignored', async t => {
  for (const name of ['Energy (MJ)', 'Calories MJ', 'Energy (cal)', 'Energy', 'Steps (k)', 'Fat'])
    t.same(await taken(name), [], name)
  t.same(kinds(await collected('time,Calories\n,MJ\n2024-05-01 08:00,8.4\n2024-05-02 08:00,8.5\n')), [])
  for (const unit of ['(MJ)', '[MJ]', 'MJ'])
    for (const cell of ['HI', 'Low', 'n/a', '--']) {
      const more = `2024-05-02 08:00,${cell}\n2024-05-03 08:00,${cell}\n`
      const table = `time,Calories\n,${unit}\n2024-05-01 08:00,8.4\n${more}`
      t.same(kinds(await collected(table)), [], `${unit} above few numbers`)
    }
  t.same(await taken('Calories', ['250 cal']), [])
  t.same(await taken('Energy burned Cal'), [
    ['Energy', 'energy/kcal', 60],
    ['Energy', 'energy/kcal', 61]
  ])
  t.same(await taken('HR, beats/min'), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Heart rate', 'frequency/bpm', 61]
  ])
  t.same(await taken('Puls', ['60 1/min', '61 1/min']), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Heart rate', 'frequency/bpm', 61]
  ])
})

t.test('a name that says more than a measure keeps its own stream', async t => {
  for (const name of [
    'Walking heart rate (bpm)',
    'Zielgewicht (kg)',
    'Genomsnittlig puls per natt (bpm)',
    'Birth weight (kg)',
    'Heart rate recovery (bpm)'
  ]) {
    const [first] = (await taken(name)) as [string, string][]
    t.equal(first?.[0].toLowerCase(), name.replace(/ \(.*/, '').toLowerCase(), name)
  }
  t.same(await taken('Puls (Maximum)'), [
    ['Heart rate, maximum', 'frequency/bpm', 60],
    ['Heart rate, maximum', 'frequency/bpm', 61]
  ])
  t.same(await taken('Frecuencia cardíaca mínima'), [
    ['Heart rate, minimum', 'frequency/bpm', 60],
    ['Heart rate, minimum', 'frequency/bpm', 61]
  ])
})

t.test('values that no body can have are impossible', async t => {
  for (const name of ['SpO2 (%)', 'Body fat (%)', 'Pulse', 'HRV (ms)']) {
    const { data, leftOut } = await collected(`time,${name}\n2024-05-01 08:00,0\n2024-05-02 08:00,0\n`)
    t.same([data, leftOut], [[], { 'of a value that is impossible for what it measures': 2 }], name)
  }
  t.same(await taken('SpO2 (%)', ['0.97']), [], 'a fraction')
})

t.test('the user is asked about fractional steps', async t => {
  const table = 'time,Steps,Distance (km)\n2024-05-01 08:00,12.345,1.5\n2024-05-02 08:00,10.234,2.25\n'
  const found = await collected(table)
  t.same(kinds(found), [
    ['Distance', 'length/km', 1.5],
    ['Distance', 'length/km', 2.25]
  ])
  t.equal(found.tables[0]!.questions?.[0]?.asks, 'decimals')
})

t.test('times without separators', async t => {
  t.same(await read(['202405010715', '202405010815']), ['2024-05-01T05:15', '2024-05-01T06:15'])
  t.same(await read(['20240501071500123']), ['2024-05-01T05:15'])
  for (const cell of ['2024050107', '2405010715']) t.same(await read([cell, cell]), [], cell)
})

t.test('two-digit years', async t => {
  t.same(await read(['13.05.98', '14.05.98', '15.05.98', '16.05.98', '17.05.98']), [
    '1998-05-12T22:00',
    '1998-05-13T22:00',
    '1998-05-14T22:00',
    '1998-05-15T22:00',
    '1998-05-16T22:00'
  ])
  t.same(await read(['24.05.01', '24.05.02']), [], 'years may stand first')
  t.same(await read(['01.05.24', '02.05.24', '03.05.24', '04.05.24', '05.05.24']), [
    '2024-04-30T22:00',
    '2024-05-01T22:00',
    '2024-05-02T22:00',
    '2024-05-03T22:00',
    '2024-05-04T22:00'
  ])
  t.same(
    await read(['3/04/2024 7:30 AM', '5/04/2024 7:30 AM']),
    [],
    'AM is written where days come first as well'
  )
})

t.test('times of day next to dates with midnights', async t => {
  for (const midnight of ['2024-05-01 00:00:00', '2024-05-01T00:00:00', '13/05/2024 12:00:00 AM'])
    t.same(
      times(await collected(`Date,Time,Pulse\n${midnight},7:15 a. m.,60\n`)).map(time => time.slice(11)),
      ['07:15'],
      midnight
    )
  for (const name of ['Bedtime', 'Moving Time', 'Wake time', 'Time asleep'])
    t.same(times(await collected(`Date,${name},Pulse\n2024-05-01,07:15,60\n`)), ['2024-05-01T00:00'], name)
  t.same(times(await collected('Fecha,Hora,Pulso\n2024-05-01,07:15,60\n')), ['2024-05-01T07:15'])
})

t.test('the time column belongs to the records', async t => {
  for (const [name, cell] of [
    ['Start number', '45000'],
    ['Measured steps', '30000'],
    ['Birthdate', '1980-01-01'],
    ['Created', '1700000000'],
    ['Screen time (s)', '28800'],
    ['Last sync', '2024-06-01 07:15']
  ])
    t.equal(
      times(await collected(`${name},Date,Pulse\n${cell},2024-05-01 07:15,60\n`)).at(-1),
      '2024-05-01T07:15',
      name!
    )
  for (const [time, note] of [
    ['日時', 'メモ'],
    ['测量日期', '备注'],
    ['날짜', '메모'],
    ['Data e ora', 'Bemerkung'],
    ['Дата', 'Примечание']
  ]) {
    const table = `${time},Puls,${note}\n45361.25,60,2024-05-01\n45361.5,61,tired\n`
    const found = await collected(table, 'x', { zone: 'UTC' })
    t.same([...new Set(times(found))], ['2024-03-10T06:00', '2024-03-10T12:00'], `days since 1900: ${time}`)
    t.same(kinds(found).filter(([, type]) => type === 'note/txt').length, 2, note!)
  }
  t.same(await read(['Mar 5, 2024 8:00 AM'], 'time', 'UTC'), ['2024-03-05T08:00'])
  t.same(
    await read(
      ['5 mayo 2024 08:00', '5 dic 2024 08:00', '5 gennaio 2024 08:00', '5 mrt 2024 08:00'],
      'time',
      'UTC'
    ),
    ['2024-05-05T08:00', '2024-12-05T08:00', '2024-01-05T08:00', '2024-03-05T08:00']
  )
  t.same(await read(['2024-05-01 07:15'], 'Time (America/Los_Angeles)'), ['2024-05-01T14:15'])
  t.same(await read(['2024-05-01 07:15'], 'Datum/Uhrzeit (America/Sao_Paulo)'), ['2024-05-01T10:15'])
  const footer = await collected('start_time,UTC offset,Pulse\n2024-05-01 07:15,+1030,60\nCopyright,2024\n')
  t.same(times(footer), ['2024-04-30T20:45'])
})

function rows(...clocks: string[]): string {
  return `time;pulse\n${clocks.map(clock => `2024-10-27 ${clock};60\n`).join('')}`
}

t.test('clocks that go forward or back', async t => {
  t.same(
    await read(['2024-03-10', '2024-03-11'], 'date', 'America/Havana'),
    ['2024-03-10T05:00', '2024-03-11T04:00'],
    'a day that begins at one o’clock'
  )
  const twice = 'of an hour that came twice when clocks were put back'
  for (const [about, table] of [
    [
      'sorted by what clocks show',
      rows('00:30', '01:30', '02:05', '02:10', '02:10', '02:30', '03:30', '04:30')
    ],
    ['a row twice', rows('00:30', '01:45', '02:10', '02:10', '03:30', '04:30')],
    ['not after the row before', rows('01:30', '05:00', '02:40', '02:10', '06:00', '07:00')]
  ] as const) {
    const found = await collected(table, 'x', { zone: 'Europe/Zurich' })
    t.equal(found.data.length + found.leftOut[twice]!, table.split('\n').length - 2, about)
    t.notOk(
      times(found).some(
        time => /T0[01]:[01345]/.test(time) && time < '2024-10-27T02:00' && time >= '2024-10-27T00:00'
      ),
      about
    )
  }
})

t.test('a row above the header is not the header', async t => {
  const found = await collected(
    'Patient;Daisy\nMasse;Quand\n71 kg;2024-05-01 08:00\n72 kg;2024-05-02 08:00\n'
  )
  t.same(kinds(found), [
    ['Masse', 'mass/kg', 71],
    ['Masse', 'mass/kg', 72]
  ])
})

t.test('commas above a table are not its delimiter', async t => {
  const above = 'Created on,12.05.2024 10:30\nDevice,Scale 3000\n'
  const header = 'Datum\tPuls, beats/min\tSchritte\n'
  const records = '01.05.2024 08:15\t60\t5335\n02.05.2024, 08:45\t61\t1908\n03.05.2024, 09:15\t62\t9785\n'
  const found = await collected(above + header + records)
  t.same(kinds(found), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Steps', 'count/steps', 5335],
    ['Heart rate', 'frequency/bpm', 61],
    ['Steps', 'count/steps', 1908],
    ['Heart rate', 'frequency/bpm', 62],
    ['Steps', 'count/steps', 9785]
  ])
})

t.test('several tables in one file, each below its header', async t => {
  const file = [
    'Body\nDate,Weight (kg),Body fat\n2024-05-12,71.4,18.5\n2024-05-13,71.2,18.4\n',
    'Activities\nDate,Calories Burned,Steps\n2024-05-12,"2,512","10,234"\n2024-05-13,"2,345","9,876"\n',
    'Sleep\nStart Time,End Time,Minutes Asleep\n2024-05-12 11:10PM,2024-05-13 6:58AM,421\n2024-05-13 11:10PM,2024-05-14 6:58AM,430\n',
    'Food Log 20240512\n"","Calories","2,134"\n"","Fat","71 g"\n'
  ].join('\n')
  const found = await collected(file)
  t.same(kinds(found), [
    ['Weight', 'mass/kg', 71.4],
    ['Body fat', 'ratio/percent', 18.5],
    ['Weight', 'mass/kg', 71.2],
    ['Body fat', 'ratio/percent', 18.4],
    ['Energy', 'energy/kcal', 2512],
    ['Steps', 'count/steps', 10_234],
    ['Energy', 'energy/kcal', 2345],
    ['Steps', 'count/steps', 9876],
    ['Minutes Asleep', 'time/min', 421],
    ['Minutes Asleep', 'time/min', 430]
  ])
  t.same(found.leftOutRows['of a time that cannot be read'], [5, 9, 13, 14, 15])
  t.equal(found.tables.length, 3)
  const again = await collected('time,pulse\n2024-05-01 08:00,60\ntime,pulse\n2024-05-02 08:00,61\n')
  t.same([kinds(again).length, again.tables.length], [2, 1], 'the same header twice is one table')
  const torn = await collected(`${file}\n"2024-05-15`)
  t.equal(torn.leftOut['torn by a quote that does not close'], 1)
})

t.test('rows longer than their header are skipped', async t => {
  const found = await collected(
    'Time,Weight (lb),BMI,Body fat (%),Remarks\n05/13/2024, 07:15:32,157.4,23.3,18.5,\n"05/14/2024, 07:20:11",157.0,23.2,18.4,\n'
  )
  t.same(kinds(found), [
    ['Weight', 'mass/lb', 157],
    ['Body fat', 'ratio/percent', 18.4]
  ])
  t.same(found.leftOutRows, { 'of more cells than the header has names': [2] })
})

t.test('a footer without the trailing delimiter of other rows', async t => {
  const found = await collected('Time|Pulse|Set|\n2024-05-01 08:00|60|7|\nCopyright|2024|\n')
  t.same(kinds(found), [['Heart rate', 'frequency/bpm', 60]])
  t.equal(found.records['column Set'], 1)
  const dates = await collected('Messung|Notes|Pulse\n1700000000|2024-05-01|60\n1700000060||61\n')
  t.same(dates.data, [], 'a comment that is a date is no time')
})

t.test('dates above rows with times of day', async t => {
  const found = await collected(
    'Time,Weight,Body Fat,\n" May 13, 2024",\n7:15 AM,71.4 kg,18.5 %,\n7:45 PM,71.9 kg,18.6 %,\n" May 12, 2024",\n7:20 AM,71.2 kg,18.4 %,\n'
  )
  t.same(
    times(found).filter((_, at) => at % 2 === 0),
    ['2024-05-13T07:15', '2024-05-13T19:45', '2024-05-12T07:20']
  )
  t.equal(found.data.length, 6)
})

t.test('lifted weights are not body weights', async t => {
  const found = await collected(
    'Date,Exercise Name,Set Order,Weight (kg),Reps\n2024-05-13 18:02:11,Bench Press,1,60,8\n'
  )
  t.same(kinds(found), [['Weight lifted', 'mass/kg', 60]])
})

t.test('Zepp Life', async t => {
  const sleep = await collected(
    'date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps\n2024-05-13,88,241,12,2024-05-12 21:10:00+0000,2024-05-13 04:58:00+0000,92,\n'
  )
  t.match(sleep.data, [
    { type: 'sleep/analysis', duration: 28_080 },
    { type: 'time/min', content: 88 },
    { content: 241 },
    { content: 92 },
    { content: 12 }
  ])
  const body = await collected(
    'time,weight,height,bmi,fatRate,bodyWaterRate,boneMass\n2024-05-13 05:15:32+0000,71.4,172.0,23.3,18.5,55.2,0.0\n'
  )
  t.same(kinds(body), [
    ['Weight', 'mass/kg', 71.4],
    ['Height', 'length/cm', 172],
    ['Body fat', 'ratio/percent', 18.5],
    ['Body water', 'ratio/percent', 55.2]
  ])
  const days = await collected('date,steps,distance,runDistance,calories\n2024-05-13,10234,7512,1203,412\n')
  t.same(kinds(days), [
    ['Steps', 'count/steps', 10_234],
    ['Distance', 'length/m', 7512],
    ['Distance run', 'length/m', 1203],
    ['Energy', 'energy/kcal', 412]
  ])
})
