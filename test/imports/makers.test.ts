/** Exports of watches, rings and scales: generated from their documentation, counted while they are written. */
import t from 'tap'
import { zipOf } from '../support/importing.js'
import { fitFile } from './fit-writer.js'
import { collected } from './collecting.js'

t.test('Withings: tables by header, empty cells that are not zeros, other units', async t => {
  const weight = await collected(
    [
      'Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments',
      '"2024-05-01 08:00:00",72.5,15.2,3.1,54.2,,after run',
      '"2024-05-02 08:00:00",72.4,,,,,',
      '"2024-05-03 08:00:00",,,,,,'
    ].join('\n'),
    'weight.csv',
    { zone: 'Europe/Zurich' }
  )
  t.same(weight.formats, ['withings'])
  t.same(
    weight.data.map(({ content, stream, type }) => [stream, type, content]),
    [
      ['Weight', 'mass/kg', 72.5],
      ['Fat mass', 'mass/kg', 15.2],
      ['Bone mass', 'mass/kg', 3.1],
      ['Muscle mass', 'mass/kg', 54.2],
      ['Weight', 'mass/kg', 72.4]
    ]
  )
  t.match(weight.data[0], { time: 1714543200, description: 'after run' })
  t.same(weight.leftOut, { 'without a number': 1 })
  const pounds = await collected(
    'Date,"Weight (lb)","Fat mass (lb)","Bone mass (lb)","Muscle mass (lb)","Hydration (lb)",Comments\n"2024-05-01 08:00:00",160,,,,,\n'
  )
  t.match(pounds.data, [{ type: 'mass/lb', content: 160 }])
  const pressure = await collected(
    'Date,"Heart rate",Systolic,Diastolic,Comments\n"2024-05-01 08:00:00",60,120,80,\n"2024-05-01 09:00:00",61,,,\n"2024-05-01 10:00:00",,118,79,\n'
  )
  t.same(
    pressure.data.map(({ content }) => content),
    [{ systolic: 120, diastolic: 80, rate: 60 }, 61, { systolic: 118, diastolic: 79 }]
  )
  const sleep = await collected(
    'from,to,"light (s)","deep (s)","rem (s)","awake (s)","wake up","Duration to sleep (s)"\n"2024-05-01T23:00:00+02:00","2024-05-02T07:00:00+02:00",14400,7200,5400,1800,3,600\n'
  )
  t.match(sleep.data[0], {
    type: 'sleep/analysis',
    time: 1714597200,
    duration: 28800,
    clientData: { 'withings:sleep': { 'light (s)': 14400, 'wake up': 3 } }
  })
  const activities = await collected(
    'from,to,"from (manual)","to (manual)",Timezone,"Activity type",Data,GPS,Modified\n2024-05-01T10:00:00+02:00,2024-05-01T10:30:00+02:00,,,Europe/Zurich,Walking,"{""calories"":100,""steps"":3000}",,\n'
  )
  t.match(activities.data[0], {
    type: 'activity/plain',
    description: 'Walking',
    duration: 1800,
    zone: 'Europe/Zurich',
    clientData: { 'withings:activity': { steps: 3000 } }
  })
})

t.test('Withings: lists of durations and values, each starting where the previous one ends', async t => {
  const rows = [
    '2024-05-01T10:00:00+02:00,"[60,60,30]","[71,0,73]"',
    '2024-05-01T11:00:00+02:00,[60],[74]',
    '2024-05-01T12:00:00+02:00,"[60,60]",[75]',
    'never,[60],[75]'
  ]
  const raw = `start,duration,value\n${rows.join('\n')}\n`
  const heart = await collected(await zipOf({ 'export/raw_tracker_hr.csv': raw }))
  t.same(
    heart.data.map(({ content, source, time }) => [time, content, source]),
    [
      [1714550400, 71, 'tracker'],
      [1714550520, 73, 'tracker'],
      [1714554000, 74, 'tracker']
    ]
  )
  t.same(heart.records, { hr: 6 })
  t.same(heart.leftOut, {
    'zero, which stands for none': 1,
    'without a number': 1,
    'of a time that cannot be read': 1
  })
  const steps = await collected(await zipOf({ 'raw_tracker_steps.csv': raw }))
  t.match(steps.data[1], { type: 'count/steps', content: 0, duration: 60, time: 1714550460 })
  const states = await collected(
    await zipOf({
      'raw_sleep-monitor_sleep-state.csv':
        'start,duration,value\n2024-05-01T23:00:00+02:00,"[600,900]","[0,2]"\n'
    })
  )
  t.match(states.data, [
    { content: { analysis: 'awake' }, duration: 600 },
    { content: { analysis: 'asleep' }, duration: 900, clientData: { 'withings:state': 'deep' } }
  ])
  const other = await collected(raw, 'renamed.csv')
  t.equal(other.data.length, 0)
  t.equal(other.leftOut['of a kind without a type here'], 4, 'a name is never guessed')
})

/** Returns JSON as a cell of a table. */
const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`

const night = {
  bedtime_start: '2024-05-01T23:00:00+02:00',
  bedtime_end: '2024-05-02T07:00:00+02:00'
}

t.test('Oura: the old and new JSON, and tables with JSON in cells', async t => {
  const older = await collected(
    JSON.stringify({
      sleep: [
        { ...night, summary_date: '2024-05-01', total: 27000, hr_5min: [60, 0, 62], rmssd_5min: [40, 41] }
      ],
      activity: [
        {
          summary_date: '2024-05-01',
          day_start: '2024-05-01T04:00:00+02:00',
          day_end: '2024-05-02T03:59:59+02:00',
          steps: 9000,
          cal_active: 400
        }
      ],
      readiness: [{ summary_date: '2024-05-01', score: 80 }]
    })
  )
  t.same(older.formats, ['oura'])
  t.match(older.data[0], {
    type: 'sleep/analysis',
    time: 1714597200,
    duration: 28800,
    clientData: { 'oura:sleep': { total: 27000 } }
  })
  t.same(
    older.data.filter(({ stream }) => stream === 'Heart rate').map(({ content, time }) => [time, content]),
    [
      [1714597200, 60],
      [1714597800, 62]
    ]
  )
  t.match(
    older.data.find(({ type }) => type === 'count/steps'),
    { content: 9000, duration: 86_399 }
  )
  t.same(older.records, {
    sleep: 1,
    'sleep heart rate': 3,
    'sleep hrv': 2,
    activity: 1,
    'activity, active energy': 1,
    readiness: 1
  })
  t.same(older.leftOut, {
    'zero, which means that nothing was measured': 1,
    'a score of its maker, which is no measurement': 1
  })
  const sleep = {
    ...night,
    id: 'a',
    day: '2024-05-02',
    total_sleep_duration: 27000,
    type: 'long_sleep',
    heart_rate: { interval: 300, items: [60, null, 62], timestamp: night.bedtime_start },
    hrv: { interval: 300, items: [40], timestamp: night.bedtime_start }
  }
  const newer = await collected(
    JSON.stringify({
      daily_readiness: [{ day: '2024-05-02', score: 80, contributors: {} }],
      sleep: [sleep],
      heart_rate: [{ bpm: 61, source: 'awake', timestamp: '2024-05-02T10:00:00+00:00' }],
      daily_spo2: [{ day: '2024-05-02', spo2_percentage: { average: 97.5 } }],
      workout: [
        {
          activity: 'walking',
          start_datetime: '2024-05-02T10:00:00+02:00',
          end_datetime: '2024-05-02T10:30:00+02:00',
          calories: 100
        }
      ]
    })
  )
  t.same(
    newer.data.map(({ content, stream }) => [stream, content]),
    [
      ['Sleep', { analysis: 'inBed' }],
      ['Heart rate', 60],
      ['Heart rate', 62],
      ['Heart rate variability', 40],
      ['Heart rate', 61],
      ['Oxygen saturation', 97.5],
      ['Activities', undefined]
    ]
  )
  const tables = await collected(
    await zipOf({
      'App Data/sleepmodel.csv': `id;bedtime_start;bedtime_end;day;total_sleep_duration;type;heart_rate;hrv\na;${night.bedtime_start};${night.bedtime_end};2024-05-02;27000;long_sleep;${cell(sleep.heart_rate)};${cell(sleep.hrv)}\n`,
      'App Data/heartrate.csv': 'timestamp;bpm;source\n2024-05-02T10:00:00Z;61;awake\n',
      'App Data/dailyspo2.csv': `id;day;spo2_percentage\na;2024-05-02;${cell({ average: 97.5 })}\n`,
      'App Data/temperature.csv': 'timestamp;skin_temp\n2024-05-02T10:00:00Z;34.25\n'
    })
  )
  const shared = (found: typeof newer): unknown =>
    found.data
      .filter(({ stream }) => stream !== 'Activities' && stream !== 'Skin temperature')
      .map(({ content, duration, stream, time }) => ({ content, duration, stream, time }))
      .toSorted((a, b) => a.time - b.time || a.stream.localeCompare(b.stream))
  t.same(shared(tables), shared(newer), 'tables and JSON say the same')
  t.match(tables.data.at(-1), { type: 'temperature/c', content: 34.25 })
})

t.test('Garmin Connect: units of each member, nested archives', async t => {
  const activity = {
    activityId: 111,
    name: 'Morning Run',
    activityType: 'running',
    beginTimestamp: 1700000000000,
    duration: 1800000,
    distance: 502000,
    elevationGain: 6300,
    avgSpeed: 0.279,
    avgHr: 140
  }
  const files = {
    'DI_CONNECT/DI-Connect-Fitness/a_0_summarizedActivities.json': JSON.stringify([
      { summarizedActivitiesExport: [activity, { ...activity, activityId: 112 }] }
    ]),
    'DI_CONNECT/DI-Connect-Wellness/2024_sleepData.json': JSON.stringify([
      {
        sleepStartTimestampGMT: '2024-05-01T21:00:00.0',
        sleepEndTimestampGMT: '2024-05-02T05:00:00.0',
        calendarDate: '2024-05-02',
        deepSleepSeconds: 7200,
        averageRespiration: 14
      },
      { sleepStartTimestampGMT: null, calendarDate: '2024-05-03' }
    ]),
    'DI_CONNECT/DI-Connect-Aggregator/UDSFile_2024-05-01_2024-08-09.json': JSON.stringify([
      {
        userProfilePK: 1,
        calendarDate: '2024-05-01',
        totalSteps: 9000,
        totalDistanceMeters: 7000,
        restingHeartRate: 50,
        wellnessStartTimeGmt: '2024-04-30T22:00:00.0',
        wellnessEndTimeGmt: '2024-05-01T22:00:00.0'
      }
    ]),
    'DI_CONNECT/DI-Connect-User/x_userBioMetrics.json': JSON.stringify([
      {
        metaData: { userProfilePK: 1, calendarDate: '2024-05-01T00:00:00.0' },
        weight: { weight: 72500.0, bodyFat: 0, muscleMass: 33000, timestampGMT: 1714550400000 }
      }
    ]),
    'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip': await zipOf({
      '1.fit': fitFile(fit => {
        fit.define(0, 20, [
          [253, 0x86],
          [3, 0x02]
        ])
        for (let at = 0; at < 5; at++) fit.data(0, [1_000_000_000 + at, 100 + at])
      })
    }),
    'customer_data/customer.json': '{"emailAddress": "ana@example.com"}'
  }
  const found = await collected(await zipOf(files))
  const by = (stream: string) => found.data.find(datum => datum.stream === stream)
  t.match(by('Activities'), {
    time: 1.7e9,
    duration: 1800,
    description: 'Morning Run',
    clientData: {
      'garmin:activity': {
        type: 'running',
        metres: 5020,
        metresUp: 63,
        averageMetresPerSecond: 2.79,
        averageHeartRate: 140
      }
    }
  })
  t.match(by('Sleep'), { time: 1714597200, duration: 28800 })
  t.match(by('Steps of days'), { content: 9000, time: 1714514400, duration: 86_400 })
  t.match(by('Weight'), { content: 72.5, time: 1714550400 })
  t.match(by('Muscle mass'), { content: 33 })
  t.equal(by('Body fat'), undefined, 'zero stands for none')
  t.equal(found.data.filter(({ kind }) => kind === 'record').length, 5)
  t.same(found.leftOut, { 'without a time': 1, 'of no format that is known': 1 })
  t.equal(found.records['activity'], 2)
})
