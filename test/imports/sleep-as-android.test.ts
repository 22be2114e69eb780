/** Sleep as Android: each record has its own header and time zone. */
import t from 'tap'
import { collected, missing } from './collecting.js'

const columns =
  'Id,Tz,From,To,Sched,Hours,Rating,Comment,Framerate,Snore,Noise,Cycles,DeepSleep,LenAdjust,Geo'
const at = (text: string): number => Date.parse(text) / 1000

/** Returns a record as the app writes it, with further columns by name. */
function record(
  fields: Readonly<Record<string, string>>,
  further: readonly (readonly [string, string])[] = []
): string {
  const cells = columns.split(',').map(name => `"${fields[name] ?? ''}"`)
  const names = [columns, ...further.map(([name]) => `"${name}"`)].join(',')
  return `${names}\n${[...cells, ...further.map(([, cell]) => `"${cell}"`)].join(',')}\n`
}

const night = {
  Id: '1714511025123',
  Tz: 'Europe/Zurich',
  From: '30. 04. 2024 23:03',
  To: '01. 05. 2024 7:03',
  Sched: '01. 05. 2024 7:00',
  Hours: '7.500',
  Rating: '4.0',
  Comment: 'Slept ""well"" #home',
  Snore: '-1',
  Noise: '-1.0',
  Cycles: '5',
  DeepSleep: '0.4'
}

t.test('a night with its movements and events', async t => {
  const begin = at('2024-04-30T21:03:45.123Z')
  const stamp = (minutes: number): string => String((begin + minutes * 60) * 1000)
  const text =
    record(night, [
      ['23:03', '10.5'],
      ['23:13', '8.2'],
      ['Event', `LIGHT_START-${stamp(0)}`],
      ['Event', `LIGHT_END-${stamp(60)}`],
      ['Event', `AWAKE_START-${stamp(60)}`],
      ['Event', `AWAKE_END-${stamp(70)}`],
      ['Event', `REM_END-${stamp(75)}`],
      ['Event', `DEEP_START-${stamp(470)}`],
      ['Event', `HR-${stamp(10)}-61.5`],
      ['Event', `HR-${stamp(20)}-0.0`],
      ['Event', `SPO2-${stamp(20)}-97.0`],
      ['Event', `SPO2-${stamp(30)}-0.97`],
      ['Event', `RR-${stamp(20)}-13.0`],
      ['Event', `SDNN-${stamp(20)}-45.0`],
      ['Event', `DHA-${stamp(20)}-1.4E-45`],
      ['Event', `SNORING-${stamp(20)}`],
      ['Event', 'odd']
    ]) + `${','.repeat(15)}"0.1","0.2"\n`
  const found = await collected(text, 'sleep-export.csv')
  t.same(found.formats, ['sleep-as-android'])
  t.same(
    found.data.map(({ content, duration, stream, time, type }) => [
      Math.round((time - begin) / 6) / 10,
      duration && Math.round(duration / 60),
      stream,
      type,
      content
    ]),
    [
      [0, 479, 'Sleep', 'sleep/analysis', { analysis: 'inBed' }],
      [0, 479, 'Time asleep', 'time/h', 7.5],
      [0, 60, 'Sleep', 'sleep/analysis', { analysis: 'asleep' }],
      [60, 10, 'Sleep', 'sleep/analysis', { analysis: 'awake' }],
      [10, undefined, 'Heart rate', 'frequency/bpm', 61.5],
      [20, undefined, 'Oxygen saturation', 'ratio/percent', 97],
      [20, undefined, 'Respiratory rate', 'frequency/brpm', 13],
      [20, undefined, 'Heart rate variability', 'time/ms', 45],
      [470, 9, 'Sleep', 'sleep/analysis', { analysis: 'asleep' }]
    ]
  )
  t.match(found.data[0], {
    time: begin,
    zone: 'Europe/Zurich',
    description: 'Slept "well" #home',
    clientData: { 'sleep-as-android:record': { Rating: 4, Cycles: 5, DeepSleep: 0.4 } }
  })
  t.notHas(found.data[0], { clientData: { 'sleep-as-android:record': { Snore: -1 } } })
  t.same(found.leftOut, {
    'of a kind without a type here': 5,
    'zero, which means that nothing was measured': 1,
    'of a value that is impossible for what it measures': 1,
    'about the file or the device, not a measurement': 1,
    'half of a measurement whose other half is missing': 1,
    'of a time that cannot be read': 1
  })
  t.match(found.records, { record: 1, movement: 2, noise: 2, 'event HR': 2 })
  t.equal(missing(found), 0)
})

t.test('manually entered records are sleep, with times in their zone', async t => {
  const typed = { ...night, Id: '1', Comment: '', Hours: '8,000', From: '30. 04. 2024 23:03' }
  const found = await collected(
    record(typed) +
      record({ ...typed, Tz: 'America/New_York' }) +
      record({ ...typed, Tz: 'Nowhere/Else' }) +
      record({ ...typed, From: 'yesterday' }) +
      record({ ...typed, To: '30. 04. 2024 22:00' }) +
      record({ ...typed, Hours: '0.000' }),
    'sleep-export.csv',
    { zone: 'Asia/Tokyo' }
  )
  t.same(
    found.data.filter(({ type }) => type === 'sleep/analysis').map(({ content, time }) => [time, content]),
    [
      [at('2024-04-30T21:03:00Z'), { analysis: 'asleep' }],
      [at('2024-05-01T03:03:00Z'), { analysis: 'asleep' }],
      [at('2024-04-30T21:03:00Z'), { analysis: 'inBed' }]
    ]
  )
  t.same(found.leftOut, {
    'of a time zone that cannot be read': 1,
    'of a time that cannot be read': 1,
    'of an end that cannot be read': 1,
    'zero, which stands for none': 1
  })
  t.equal(missing(found), 0)
})

async function spans(From: string, To: string, Hours: string): Promise<unknown[]> {
  const { data } = await collected(record({ ...night, Id: '1', From, To, Hours }))
  return [data[0]!.time, data[0]!.duration]
}

t.test('a repeated hour is resolved by the length of the night', async t => {
  const start = at('2024-10-26T21:00:00Z')
  t.same(await spans('26. 10. 2024 23:00', '27. 10. 2024 2:30', '3.5'), [start, 3.5 * 3600])
  t.same(await spans('26. 10. 2024 23:00', '27. 10. 2024 2:30', '4.5'), [start, 4.5 * 3600])
  t.same(await spans('27. 10. 2024 2:40', '27. 10. 2024 2:20', '0.6'), [at('2024-10-27T00:40:00Z'), 2400])
})
