/** Rings, watches and scales: interrupted nights, zeros, and members and columns that are skipped. */
import t from 'tap'
import { collected, missing, type Collected } from './collecting.js'

const found = ({ data }: Collected): unknown[] =>
  data.map(({ content, duration, stream }) => [stream, content, duration])
const begin = '2024-05-01T23:00:00+02:00'
const end = '2024-05-02T07:00:00+02:00'

t.test('Oura: time in bed is not sleep, and stages are', async t => {
  const night = { id: 'a', day: '2024-05-02', bedtime_start: begin, bedtime_end: end, contributors: null }
  const all = await collected(
    JSON.stringify({
      sleep: [
        {
          ...night,
          total_sleep_duration: 27_000,
          sleep_phase_5_min: '42213',
          movement_30_sec: '111',
          sleep_score_delta: 2
        },
        { ...night, total_sleep_duration: 28_800, hypnogram_5min: '9' },
        { ...night, heart_rate: { interval: 300, items: [0, null, 255, 60], timestamp: begin } }
      ]
    })
  )
  t.same(found(all), [
    ['Sleep', { analysis: 'inBed' }, 28_800],
    ['Sleep', { analysis: 'awake' }, 300],
    ['Sleep', { analysis: 'asleep' }, 600],
    ['Sleep', { analysis: 'asleep' }, 300],
    ['Sleep', { analysis: 'asleep' }, 300],
    ['Sleep', { analysis: 'asleep' }, 28_800],
    ['Sleep', { analysis: 'inBed' }, 28_800],
    ['Heart rate', 60, undefined]
  ])
  t.match(all.data[2], { time: Date.parse(begin) / 1000 + 300, clientData: { 'oura:stage': 'light' } })
  t.same(all.leftOut, {
    'of a kind without a type here': 2,
    'a score of its maker, which is no measurement': 1,
    'zero, which means that nothing was measured': 1,
    empty: 1,
    'not measured, as the file itself says': 1
  })
  t.equal(missing(all), 0)
})

t.test('Oura: a rest is not a night, and deleted records are skipped', async t => {
  const night = {
    bedtime_start: begin,
    bedtime_end: end,
    sleep_phase_5_min: '221',
    heart_rate: { interval: 300, items: [61, 62], timestamp: begin }
  }
  const all = await collected(
    JSON.stringify({
      sleep: ['rest', 'deleted', 'late_nap'].map((type, at) => ({ ...night, id: `${at}`, type }))
    })
  )
  t.same(found(all), [
    ['Heart rate', 61, undefined],
    ['Heart rate', 62, undefined],
    ['Sleep', { analysis: 'inBed' }, 28_800],
    ['Sleep', { analysis: 'asleep' }, 600],
    ['Sleep', { analysis: 'asleep' }, 300],
    ['Heart rate', 61, undefined],
    ['Heart rate', 62, undefined]
  ])
  t.same(all.leftOut, { 'of a kind without a type here': 3, 'marked as entered in error': 1 })
  t.equal(missing(all), 0)
})

/** Days of 23, 24 and 25 hours in Zurich. */
const days: readonly (readonly [day: string, length: number])[] = [
  ['2024-03-31', 82_800],
  ['2024-05-02', 86_400],
  ['2024-10-27', 90_000]
]

t.test('daily totals last as many hours as the day', async t => {
  for (const [day, length] of days) {
    const files = {
      oura: { daily_activity: [{ day, steps: 900, active_calories: 300, contributors: null }] },
      'oura with an offset': {
        daily_activity: [{ timestamp: `${day}T00:00:00+09:00`, steps: 900, contributors: null }]
      },
      garmin: [{ userProfilePK: 1, calendarDate: day, totalSteps: 900 }],
      polar: { exportVersion: '1.6', date: day, summary: { stepCount: 900 }, samples: {} }
    }
    for (const [what, file] of Object.entries(files)) {
      const own = what.endsWith('offset') ? 86_400 : length
      const { data } = await collected(JSON.stringify(file), 'activity-1.json', { zone: 'Europe/Zurich' })
      t.equal(data[0]?.duration, own, `${what}, ${day}`)
      const plain = await collected(JSON.stringify(file), 'activity-1.json')
      t.equal(plain.data[0]?.duration, 86_400, `${what}, ${day}, of no zone`)
    }
  }
})

t.test('Oura: zeros are distinguished from missing values, and other members are named', async t => {
  const day = { day: '2024-05-02' }
  const all = await collected(
    JSON.stringify({
      daily_activity: [
        {
          ...day,
          steps: 0,
          active_calories: 300,
          cal_active: 310,
          total_calories: 2000,
          score: 80,
          class_5_min: ''
        },
        { ...day, steps: 'many', cal_active: 310 }
      ],
      daily_spo2: [
        { ...day, spo2_percentage: { average: 0 }, breathing_disturbance_index: 5 },
        { ...day, spo2_percentage: null }
      ],
      heart_rate: [{ bpm: 61, source: 'rest', timestamp: begin }],
      session: [
        {
          start_datetime: begin,
          end_datetime: end,
          type: 'rest',
          heart_rate: { interval: 5, items: [60], timestamp: begin },
          motion_count: { interval: 5, items: [1], timestamp: begin }
        }
      ]
    })
  )
  t.same(found(all), [
    ['Steps', 0, 86_400],
    ['Active energy', 300, 86_400],
    ['Active energy', 310, 86_400],
    ['Heart rate', 61, undefined],
    ['Activities', undefined, 28_800],
    ['Heart rate', 60, undefined]
  ])
  t.same(all.leftOut, {
    'of a kind without a type here': 5,
    'a score of its maker, which is no measurement': 1,
    'without a number': 2,
    'zero, which means that nothing was measured': 1
  })
  t.equal(all.records['daily_activity cal_active'], 1)
  t.equal(missing(all), 0)
})

t.test('Withings: zeros, units, partial measurements and other columns', async t => {
  const weight = await collected(
    'Date,"Weight (kg)","Fat mass (kg)","Bone mass (stones)","Muscle mass (kg)","Hydration (kg)",Comments,Extra\n"2024-05-01 08:00:00",72.5,0,3,none,,,x\n"2024-05-02 08:00:00",,,,,,lost,\n'
  )
  t.same(found(weight), [
    ['Weight', 72.5, undefined],
    ['Bone mass', 3, undefined]
  ])
  t.same(weight.leftOut, {
    'zero, which stands for none': 1,
    'without a number': 2,
    'in a column that is not mapped': 2
  })
  t.equal(missing(weight), 0)
  const odd = await collected(
    'Date,"Weight (slugs)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)"\n"2024-05-01 08:00:00",5,,,,\n'
  )
  t.same(odd.leftOut, { 'of a unit that is not known': 1 })
  const pressure = await collected(
    'Date,"Heart rate",Systolic,Diastolic,Comments,Device\n"2024-05-01 08:00:00",60,120,,,\n"2024-05-01 09:00:00",0,120,80,,BPM\n"2024-05-01 10:00:00",,0,0,,\n'
  )
  t.same(
    pressure.data.map(({ content }) => content),
    [60, { systolic: 120, diastolic: 80 }]
  )
  t.same(pressure.leftOut, {
    'half of a measurement whose other half is missing': 1,
    'zero, which means that nothing was measured': 2,
    'in a column that is not mapped': 1
  })
  t.equal(missing(pressure), 0)
  const kpa = await collected(
    'Date,"Heart rate","Systolic (kPa)","Diastolic (kPa)",Comments\n"2024-05-01 08:00:00",,16,11,\n'
  )
  t.same(kpa.leftOut, { 'in a unit without a type here': 1 })
})

t.test(
  'Withings: time in bed is not sleep, and details of nights and activities are kept or named',
  async t => {
    const sleep = await collected(
      `from,to,"light (s)","deep (s)","rem (s)","awake (s)","wake up",Note\n${begin},${end},14400,7200,5400,1800,3,odd\n${begin},${end},14400,7200,7200,0,0,\n`
    )
    t.same(found(sleep), [
      ['Sleep', { analysis: 'inBed' }, 28_800],
      ['Sleep', { analysis: 'asleep' }, 28_800]
    ])
    t.same(sleep.leftOut, { 'in a column that is not mapped': 1 })
    t.equal(missing(sleep), 0)
    const activities = await collected(
      `from,to,"from (manual)",Timezone,"Activity type",Data,GPS\n${begin},${end},${begin},Europe/Zurich,Walking,broken,"[1]"\n`
    )
    t.equal(activities.data.length, 1)
    t.same(activities.leftOut, { 'no valid JSON': 1, 'in a column that is not mapped': 2 })
    t.equal(missing(activities), 0)
  }
)

const fitbit = (minutesAsleep: number): object => ({
  logId: minutesAsleep,
  dateOfSleep: '2024-05-02',
  startTime: '2024-05-01T23:00:00.000',
  endTime: '2024-05-02T07:00:00.000',
  duration: 28_800_000,
  minutesAsleep,
  levels: { summary: {} }
})
const garmin = (awakeSleepSeconds: number): object => ({
  sleepStartTimestampGMT: '2024-05-01T21:00:00.0',
  sleepEndTimestampGMT: '2024-05-02T05:00:00.0',
  calendarDate: '2024-05-02',
  deepSleepSeconds: 7200,
  lightSleepSeconds: 21_600 - awakeSleepSeconds,
  awakeSleepSeconds
})

const stage = (dateTime: string, level: string, seconds: number): object => ({ dateTime, level, seconds })

t.test('Fitbit and Garmin: stages are imported, and other members are named', async t => {
  const nights = await collected(
    JSON.stringify([
      {
        ...fitbit(430),
        infoCode: 0,
        levels: {
          // Clocks go back at three.
          data: [
            stage('2024-10-27T02:30:00.000', 'light', 3600),
            stage('2024-10-27T02:30:00.000', 'rem', 60),
            stage('2024-10-27T02:31:00.000', 'wake', 60),
            stage('2024-10-27T02:32:00.000', 'unknown', 60)
          ],
          shortData: [stage('2024-10-27T02:40:00.000', 'wake', 30)],
          summary: {}
        }
      }
    ]),
    'sleep-2024.json',
    { zone: 'Europe/Zurich' }
  )
  const start = Date.parse('2024-10-27T02:30:00+02:00') / 1000
  t.same(
    nights.data.slice(1).map(({ content, duration, time }) => [time - start, duration, content]),
    [
      [0, 3600, { analysis: 'asleep' }],
      [3600, 60, { analysis: 'asleep' }],
      [3660, 60, { analysis: 'awake' }]
    ]
  )
  t.same(nights.records, { sleep: 1, 'sleep stage': 4, 'sleep shortData': 1, 'sleep infoCode': 1 })
  t.equal(missing(nights), 0)
  const night = { ...garmin(1800), sleepScores: {}, spo2SleepSummary: { lowestSPO2: 80 }, avgSleepStress: 9 }
  const day = { calendarDate: '2024-05-01', totalSteps: 900, allDayStress: {}, bodyBattery: null }
  const weight = { metaData: {}, weight: { weight: 70_000, timestampGMT: 1.7e12, boneMass: 0, bmi: 22 } }
  const members = await collected(JSON.stringify([night, day, { ...weight, activityClass: 70 }]))
  t.same(members.records, {
    sleep: 1,
    'sleep sleepScores': 1,
    'sleep oxygen lowestSPO2': 1,
    'sleep avgSleepStress': 1,
    day: 1,
    'day, allDayStress': 1,
    biometrics: 1,
    'biometrics, bmi': 1,
    'biometrics, activityClass': 1
  })
  t.equal(missing(members), 0)
})

t.test('nights of Fitbit and Garmin are sleep only if they have no wake time', async t => {
  for (const nights of [
    [fitbit(430), fitbit(480)],
    [garmin(1800), garmin(0)]
  ])
    t.same(found(await collected(JSON.stringify(nights))), [
      ['Sleep', { analysis: 'inBed' }, 28_800],
      ['Sleep', { analysis: 'asleep' }, 28_800]
    ])
})
