/** Polar Flow's CSV: samples from the start of their session, in the units of their columns. */
import t from 'tap'
import { collected, missing, type Collected } from './collecting.js'

const session =
  'Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm),Calories,Notes,Height (cm),Weight (kg),HR max,'
const header =
  'Sample rate,Time,HR (bpm),Speed (km/h),Pace (min/km),Cadence,Altitude (m),Stride length (m),Distances (m),Temperatures (C),Power (W),'

function csv(
  date: string,
  rows: readonly string[],
  columns: readonly [string, string] = [session, header]
): string {
  const about = `Daisy,TRAIL_RUNNING,${date},08:00:00,00:20:00,3.5,140,250,"nice, ""run""",172.0,70.5,190,`
  return [columns[0], about, columns[1], ...rows, ''].join('\r\n')
}

const rows = [
  '1,00:00:00,100,9.0,06:40,80,400.5,1.1,0.0,20.5,,',
  ',00:00:01,0,9.5,,81,400.6,,2.6,20.5,200,',
  ',00:00:02,,,,,,,,,,',
  ',soon,101,,,,,,,,,'
]
const start = Date.parse('2024-05-01T06:00:00Z') / 1000
const found = ({ data }: Collected): unknown[] =>
  data.map(({ content, stream, time }) => [time - start, stream, content])

t.test('a session with its samples', async t => {
  const all = await collected(csv('01-05-2024', rows), 'Daisy_2024-05-01_08-00-00.CSV', {
    zone: 'Europe/Zurich'
  })
  t.same(all.formats, ['polar'])
  t.same(found(all), [
    [0, 'Activities', undefined],
    [0, 'Notes', 'nice, "run"'],
    [0, 'Heart rate', 100],
    [0, 'Speed', 2.5],
    [0, 'Cadence', 80],
    [0, 'Altitude', 400.5],
    [0, 'Distance so far', 0],
    [0, 'Temperature', 20.5],
    [1, 'Speed', 2.63888888889],
    [1, 'Cadence', 81],
    [1, 'Altitude', 400.6],
    [1, 'Distance so far', 2.6],
    [1, 'Temperature', 20.5],
    [1, 'Power', 200]
  ])
  t.match(all.data[0], {
    duration: 1200,
    description: 'trail running',
    clientData: { 'polar:exercise': { 'Total distance (km)': 3.5, Calories: 250 } }
  })
  t.same(all.leftOut, {
    'a description of the person': 4,
    'of a kind without a type here': 2,
    'zero, which means that nothing was measured': 1,
    'of a time that cannot be read': 1
  })
  t.equal(missing(all), 0)
})

/** Returns the day of the first record. */
async function first(text: string, name = 'file.csv'): Promise<string> {
  const { data } = await collected(text, name)
  return new Date(data[0]!.time * 1000).toISOString().slice(0, 10)
}

t.test('dates with the day first, with the year first, and ambiguous ones', async t => {
  t.equal(await first(csv('01-05-2024', [])), '2024-05-01')
  t.equal(await first(csv('01-05-2024', rows)), '2024-05-01')
  t.equal(await first(csv('2024-05-01', rows)), '2024-05-01')
  t.equal(await first(csv('05-31-2024', rows)), '2024-05-31')
  t.equal(await first(csv('05-01-2024', rows), 'PolarFlow_20240501_080000.CSV'), '2024-05-01')
  const miles: [string, string] = [session.replaceAll('km', 'mi'), header.replace('km/h', 'mph')]
  t.equal(await first(csv('05-05-2024', rows, miles)), '2024-05-05')
  const open = await collected(csv('05-01-2024', rows, miles))
  t.equal(open.data.length, 0)
  t.equal(open.leftOut['of a date that may be of more than one order'], 2 + 16)
  t.equal(missing(open), 0)
})

t.test('miles, feet and degrees Fahrenheit', async t => {
  const columns: [string, string] = [
    session.replaceAll('km', 'mi'),
    'Sample rate,Time,HR (bpm),Speed (mph),Altitude (ft),Temperatures (F),Power (hp),'
  ]
  const all = await collected(csv('2024-05-01', ['1,00:00:00,100,10,1000,68,1,'], columns))
  t.same(
    all.data.slice(2).map(({ content, type }) => [type, content]),
    [
      ['frequency/bpm', 100],
      ['speed/m-s', 4.4704],
      ['length/m', 304.8],
      ['temperature/c', 20]
    ]
  )
  t.equal(all.leftOut['in a unit without a type here'], 1)
  t.equal(missing(all), 0)
})
