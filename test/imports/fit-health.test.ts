/** FIT files with health data: each message is read, or counted by name, and missing values are skipped. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'
import { fitFile, type FitField } from './fit-writer.js'

/** 2021-09-08T01:46:40Z, and the same in seconds since 1970. */
const [start, unix] = [1_000_000_000, 1_631_065_600]
const time: FitField = [253, 0x86]

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

function valuesBy(found: Collected, stream: string): unknown[] {
  return found.data.filter(datum => datum.stream === stream).map(({ content }) => content)
}

t.test('messages with single measurements become records of their types', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 51, [time, [0, 0x84], [1, 0x84], [6, 0x02], [8, 0x00]])
      fit.data(0, [start, 121, 79, 64, 0])
      fit.data(0, [start + 60, 130, 80, 0xff, 0xff])
      fit.data(0, [start + 120, 250, 20, 64, 1])
      fit.define(1, 269, [time, [0, 0x02], [1, 0x02], [2, 0x00]])
      fit.data(1, [start, 97, 10, 3])
      fit.data(1, [start + 1, 0, 0, 3])
      fit.define(2, 297, [time, [0, 0x83]])
      fit.data(2, [start, 1450])
      fit.data(2, [start + 60, -300])
      fit.define(3, 370, [time, [0, 0x84], [1, 0x84], [2, 0x84], [3, 0x84], [6, 0x00]])
      fit.data(3, [start, 50 * 128, 48 * 128, 80 * 128, 40 * 128, 4])
      fit.define(4, 211, [time, [0, 0x02], [1, 0x02]])
      fit.data(4, [start, 52, 50])
      fit.define(5, 275, [time, [0, 0x00]])
      for (const [at, level] of [1, 2, 3, 4, 0].entries()) fit.data(5, [start + at * 60, level])
      fit.define(6, 229, [
        [0, 0x86],
        [2, 0x84],
        [5, 0x00]
      ])
      fit.data(6, [start, 475, 1])
      fit.define(7, 371, [time, [0, 0x84]])
      fit.data(7, [start, 44 * 128])
    })
  )
  t.same(found.formats, ['fit'])
  t.same(valuesBy(found, 'Blood pressure'), [
    { systolic: 121, diastolic: 79, rate: 64 },
    { systolic: 130, diastolic: 80 }
  ])
  t.same(valuesBy(found, 'Oxygen saturation'), [97])
  t.same(valuesBy(found, 'Respiratory rate'), [14.5])
  t.same(valuesBy(found, 'Heart rate variability of nights'), [48])
  t.same(valuesBy(found, 'Heart rate variability of the week'), [50])
  t.same(valuesBy(found, 'Heart rate variability'), [44])
  t.same(valuesBy(found, 'Resting heart rate'), [50])
  t.same(valuesBy(found, 'Resting heart rate of the week'), [52])
  t.same(valuesBy(found, 'VO2 max'), [47.5])
  t.same(
    found.data
      .filter(({ stream }) => stream === 'Sleep stages')
      .map(({ clientData, content, time: at }) => [at - unix, content, clientData?.['fit:sleep']]),
    [
      [0, { analysis: 'awake' }, { stage: 'awake' }],
      [60, { analysis: 'asleep' }, { stage: 'light' }],
      [120, { analysis: 'asleep' }, { stage: 'deep' }],
      [180, { analysis: 'asleep' }, { stage: 'rem' }]
    ]
  )
  t.same(found.leftOut, {
    'not measured, as the file itself says': 3,
    'zero, which means that nothing was measured': 1,
    'of a kind without a type here': 2
  })
  t.equal(found.records['hrv_status_summary field 3'], 1)
  t.ok(addsUp(found))
})

t.test('a scale that is still calculating has no weight, and its other values are kept', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 30, [time, [0, 0x84], [1, 0x84], [2, 0x84], [4, 0x84], [5, 0x84], [8, 0x02], [12, 0x84]])
      fit.data(0, [start, 65_534, 2210, 5500, 320, 5100, 5, 1])
      fit.data(0, [start + 60, 7250, 0xffff, 0xffff, 0xffff, 0xffff, 0xff, 1])
    })
  )
  t.same(valuesBy(found, 'Weight'), [72.5])
  t.same(valuesBy(found, 'Body fat'), [22.1])
  t.same(valuesBy(found, 'Body water'), [55])
  t.same(valuesBy(found, 'Bone mass'), [3.2])
  t.same(valuesBy(found, 'Muscle mass'), [51])
  t.same(found.leftOut, {
    'not measured, as the file itself says': 1,
    'of a kind without a type here': 1
  })
  t.ok(addsUp(found))
})

t.test('settings and other messages are counted by name', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 0, [
        [0, 0x00],
        [1, 0x84]
      ])
      fit.data(0, [2, 1])
      fit.define(1, 2, [[0, 0x02]])
      fit.data(1, [1])
      fit.define(2, 3, [[1, 0x00]])
      fit.data(2, [1])
      fit.define(3, 227, [
        [0, 0x83],
        [1, 0x86]
      ])
      for (let at = 0; at < 5; at++) fit.data(3, [30 + at, start + at])
      fit.define(4, 0xff00, [[1, 0x84]])
      fit.data(4, [7])
      fit.define(5, 19, [time])
      fit.data(5, [start])
    })
  )
  t.same(found.formats, ['fit'])
  t.same(found.records, {
    device_settings: 1,
    user_profile: 1,
    stress_level: 5,
    'message 65280': 1,
    lap: 1
  })
  t.same(found.leftOut, {
    'about the file or the device, not a measurement': 2,
    'of a kind without a type here': 7
  })
})

t.test('times of a clock that was not set are skipped', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 20, [time, [0, 0x85], [1, 0x85], [3, 0x02]])
      for (let at = 0; at < 3; at++) fit.data(0, [at, 500_000_000, 70_000_000, 120])
      fit.define(1, 18, [time, [2, 0x86], [7, 0x86]])
      fit.data(1, [3, 0, 3000])
      fit.define(2, 55, [time, [27, 0x02]])
      fit.data(2, [5, 60])
      fit.define(3, 30, [time, [0, 0x84]])
      fit.data(3, [9, 7000])
      fit.define(4, 51, [time, [0, 0x84], [1, 0x84]])
      fit.data(4, [9, 120, 80])
    })
  )
  t.same(found.data, [])
  t.same(found.leftOut, { 'without a time': 10 })
})

t.test('each beat has its own time, however many messages a second contains', async t => {
  const beats = Array.from({ length: 1500 }, (_, at) => 600 + ((at * 7) % 5))
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 20, [time, [3, 0x02]])
      fit.define(1, 78, [[0, 0x84, 10]])
      let at = 0
      for (let second = 0; at < beats.length; second++) {
        fit.data(0, [start + second, 100])
        // Two messages in every third second.
        for (let message = 0; message < (second % 3 === 0 ? 2 : 0); message++) {
          fit.data(1, [[...beats.slice(at, at + 3), 0xffff, 0xffff]])
          at += 3
        }
      }
    })
  )
  const found2 = found.data.filter(({ kind }) => kind === 'hrv')
  t.same(
    found2.map(({ content }) => content),
    beats
  )
  const times = found2.map(({ time: at }) => at)
  t.ok(times.every((at, index) => index === 0 || at > times[index - 1]!))
  t.ok(times.at(-1)! - times[0]! < beats.length)
})

t.test('heart rates stored by a strap follow its clock', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 132, [time, [0, 0x84], [6, 0x02], [9, 0x86]])
      fit.data(0, [start, 16_384, 70, 2048])
      fit.define(1, 132, [
        [6, 0x02, 4],
        [10, 0x0d, 6]
      ])
      // 3000, 4095, then beyond 12 bits: 4196 (100) and 5000 (904).
      const packed = [3000, 4095, 100, 904]
      const bytes: number[] = []
      for (let at = 0; at < 4; at += 2) {
        const [one, two] = packed.slice(at) as [number, number]
        bytes.push(one & 255, (one >> 8) | ((two & 15) << 4), two >> 4)
      }
      fit.data(1, [[71, 72, 73, 74], bytes])
      fit.define(2, 132, [[6, 0x02]])
      fit.data(2, [75])
    })
  )
  const expected = [2048, 3000, 4095, 4196, 5000].map(ticks =>
    Number((unix + 0.5 + (ticks - 2048) / 1024).toFixed(3))
  )
  t.same(
    found.data.map(({ content, time: at }) => [content, at]),
    expected.map((at, index) => [70 + index, at])
  )
  t.same(found.leftOut, { 'without a time': 1 })
})

t.test('power, cadence and temperature are kept; fields without a type are counted', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 20, [time, [4, 0x02], [7, 0x84], [13, 0x01], [5, 0x86], [39, 0x84], [108, 0x84]], {
        developer: [4]
      })
      for (let at = 0; at < 4; at++) fit.data(0, [start + at, 80 + at, 200, 21, at * 500, 90, 3000])
      fit.data(0, [start + 4, 0xff, 0xffff, 0x7f, 0xffff_ffff, 0xffff, 0xffff])
    })
  )
  t.same(valuesBy(found, 'Cadence'), [80, 81, 82, 83])
  t.same(valuesBy(found, 'Power'), [200, 200, 200, 200])
  t.same(valuesBy(found, 'Temperature'), [21, 21, 21, 21])
  t.same(valuesBy(found, 'Distance so far'), [0, 5, 10, 15])
  t.same(valuesBy(found, 'Respiratory rate'), [30, 30, 30, 30])
  t.equal(found.records['record field 39'], 4)
  t.equal(found.records['record field of a developer'], 5)
  t.equal(found.leftOut['without a position'], 1)
  t.ok(addsUp(found))
})

t.test('a course is a planned route', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 0, [[0, 0x00]])
      fit.data(0, [6])
      fit.define(1, 20, [time, [0, 0x85], [1, 0x85]])
      fit.data(1, [start, 500_000_000, 70_000_000])
    })
  )
  t.same(found.data, [])
  t.same(found.leftOut, { 'a place on a route that was planned': 1 })
})

t.test('daily totals of a watch: walking and running are separate', async t => {
  const found = await collected(
    fitFile(fit => {
      fit.define(0, 55, [time, [2, 0x86], [3, 0x86], [4, 0x86], [5, 0x00], [19, 0x84]])
      fit.data(0, [start, 50_000, 700, 600_000, 6, 40])
      fit.data(0, [start + 60, 90_000, 900, 300_000, 1, 80])
      fit.data(0, [start + 120, 500_000, 80, 100_000, 2, 90])
      fit.define(1, 55, [time, [24, 0x0d], [27, 0x02]])
      fit.data(1, [start + 180, 0x66, 0])
    })
  )
  t.same(valuesBy(found, 'Steps of the day so far, walking'), [700])
  t.same(valuesBy(found, 'Steps of the day so far, running'), [900])
  t.same(valuesBy(found, 'Distance of the day so far, cycling'), [5000])
  t.same(valuesBy(found, 'Active time of the day so far, walking'), [600])
  t.same(found.leftOut, {
    'of a kind without a type here': 1,
    'zero, which means that nothing was measured': 1
  })
  t.ok(addsUp(found))
})

t.test('Garmin Connect: missing measurements are counted', async t => {
  const night = {
    sleepStartTimestampGMT: '2024-05-01T22:00:00.0',
    sleepEndTimestampGMT: '2024-05-02T06:00:00.0',
    averageRespiration: 0,
    spo2SleepSummary: { averageSPO2: -1 }
  }
  const day = { calendarDate: '2024-05-01', totalSteps: 900, restingHeartRate: 0, minHeartRate: -1 }
  for (const [object, records] of [
    [night, { sleep: 1, 'sleep respiration': 1, 'sleep oxygen': 1 }],
    [
      { ...day, wellnessStartTimeGmt: '2024-05-01T00:00:00.0' },
      { day: 1, 'day, restingHeartRate': 1, 'day, minHeartRate': 1 }
    ]
  ] as const) {
    const found = await collected(JSON.stringify([object]))
    t.same(found.records, records)
    t.equal(found.data.length, 1)
  }
})
