/** Gadgetbridge's database: samples by table, in seconds or milliseconds, and placeholders that devices send. */
import type Sqlite from 'better-sqlite3'
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, takenOut, zipOf } from '../support/importing.js'
import { collected } from './collecting.js'
import { databaseOf, insert } from './databases.js'

const time = 1_714_543_200
const own = { DEVICE_ID: 1, USER_ID: 1 }

/** Creates tables as the app does, some of them without rowid. */
function tables(database: Sqlite.Database): void {
  database.exec(`
    CREATE TABLE android_metadata (locale TEXT);
    CREATE TABLE "DEVICE" ("_id" INTEGER PRIMARY KEY ,"NAME" TEXT NOT NULL ,"MANUFACTURER" TEXT NOT NULL ,
      "IDENTIFIER" TEXT NOT NULL UNIQUE ,"TYPE" INTEGER NOT NULL ,"MODEL" TEXT,"ALIAS" TEXT);
    CREATE TABLE "MI_BAND_ACTIVITY_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"RAW_INTENSITY" INTEGER NOT NULL ,"STEPS" INTEGER NOT NULL ,"RAW_KIND" INTEGER NOT NULL ,
      PRIMARY KEY ("TIMESTAMP" ,"DEVICE_ID" ) ON CONFLICT REPLACE) WITHOUT ROWID;
    CREATE TABLE "XIAOMI_ACTIVITY_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"STEPS" INTEGER NOT NULL ,"HEART_RATE" INTEGER NOT NULL ,"STRESS" INTEGER,"SPO2" INTEGER,
      PRIMARY KEY ("TIMESTAMP" ,"DEVICE_ID" ) ON CONFLICT REPLACE);
    CREATE TABLE "GARMIN_ACTIVITY_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"STEPS" INTEGER NOT NULL ,"HEART_RATE" INTEGER NOT NULL );
    CREATE TABLE "HUAWEI_ACTIVITY_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"HEART_RATE" INTEGER);
    CREATE TABLE "HUAMI_SPO2_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"TYPE_NUM" INTEGER NOT NULL ,"SPO2" INTEGER NOT NULL );
    CREATE TABLE "HUAMI_STRESS_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,"STRESS" INTEGER);
    CREATE TABLE "MI_SCALE_WEIGHT_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"WEIGHT_KG" REAL NOT NULL );
    CREATE TABLE "XIAOMI_SLEEP_TIME_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,
      "USER_ID" INTEGER NOT NULL ,"WAKEUP_TIME" INTEGER,"IS_AWAKE" INTEGER,"DEEP_SLEEP_DURATION" INTEGER);
    CREATE TABLE "XIAOMI_MANUAL_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL ,"DEVICE_ID" INTEGER NOT NULL ,"TYPE" INTEGER,"VALUE" INTEGER);
    CREATE TABLE "BASE_ACTIVITY_SUMMARY" ("_id" INTEGER PRIMARY KEY ,"NAME" TEXT,"START_TIME" INTEGER NOT NULL ,
      "END_TIME" INTEGER NOT NULL ,"ACTIVITY_KIND" INTEGER NOT NULL ,"GPX_TRACK" TEXT,"DEVICE_ID" INTEGER NOT NULL ,"SUMMARY_DATA" TEXT);
    CREATE TABLE "BATTERY_LEVEL" ("TIMESTAMP" INTEGER NOT NULL ,"LEVEL" INTEGER NOT NULL );
    CREATE TABLE "NEW_KIND_SAMPLE" ("TIMESTAMP" INTEGER, "X" INTEGER);
    CREATE TABLE "EMPTY_SAMPLE" ("TIMESTAMP" INTEGER);
    INSERT INTO android_metadata VALUES ('en_US');
    INSERT INTO DEVICE VALUES (1, 'Mi Smart Band 6', 'Huami', 'C0:FF:EE:00:00:01', 2, NULL, ' Wrist '), (2, 'Scale', 'Xiaomi', 'x', 3, NULL, NULL)`)
}

/** Returns a database with these rows by table. */
function exported(rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>): Buffer {
  return databaseOf(database => {
    tables(database)
    for (const [table, each] of Object.entries(rows)) insert(database, table, each)
  })
}

t.test('each value of a sample is a record of the device that measured it', async t => {
  const content = databaseOf(database => {
    tables(database)
    const sample = { TIMESTAMP: time, ...own, RAW_INTENSITY: 20, STEPS: 12, RAW_KIND: 1 }
    insert(database, 'MI_BAND_ACTIVITY_SAMPLE', [sample])
    // The column was added later: older rows have no heart rate.
    database.exec('ALTER TABLE MI_BAND_ACTIVITY_SAMPLE ADD COLUMN "HEART_RATE" INTEGER NOT NULL DEFAULT -1')
    insert(database, 'MI_BAND_ACTIVITY_SAMPLE', [
      { ...sample, TIMESTAMP: time + 60, STEPS: 0, HEART_RATE: 71 }
    ])
    insert(database, 'XIAOMI_ACTIVITY_SAMPLE', [
      { TIMESTAMP: time, ...own, DEVICE_ID: 2, STEPS: 3, HEART_RATE: 64, STRESS: 30, SPO2: 97 },
      { TIMESTAMP: time + 60, ...own, DEVICE_ID: 9, STEPS: 0, HEART_RATE: 0, STRESS: null, SPO2: null }
    ])
    insert(database, 'HUAMI_SPO2_SAMPLE', [{ TIMESTAMP: time * 1000 + 500, ...own, TYPE_NUM: 1, SPO2: 98 }])
    insert(database, 'MI_SCALE_WEIGHT_SAMPLE', [
      { TIMESTAMP: time * 1000, ...own, DEVICE_ID: 2, WEIGHT_KG: 70.5 }
    ])
  })
  const found = await collected(content, 'Gadgetbridge')
  t.same(found.formats, ['gadgetbridge'])
  const pulse = { type: 'frequency/bpm', stream: 'Heart rate' }
  const walk = { type: 'count/steps', stream: 'Steps', duration: 60 }
  t.strictSame(
    found.data.map(({ content: value, duration, source, stream, time: at, type }) => [
      source,
      type,
      stream,
      at,
      value,
      duration
    ]),
    [
      ['Wrist', walk.type, walk.stream, time, 12, 60],
      ['Wrist', pulse.type, pulse.stream, time + 60, 71, undefined],
      ['Scale', pulse.type, pulse.stream, time, 64, undefined],
      ['Scale', walk.type, walk.stream, time, 3, 60],
      ['Scale', 'ratio/percent', 'Oxygen saturation', time, 97, undefined],
      ['Wrist', 'ratio/percent', 'Oxygen saturation', time + 0.5, 98, undefined],
      ['Scale', 'mass/kg', 'Weight', time, 70.5, undefined]
    ]
  )
  t.same(found.records, {
    DEVICE: 2,
    android_metadata: 1,
    'MI_BAND_ACTIVITY_SAMPLE.HEART_RATE': 2,
    'MI_BAND_ACTIVITY_SAMPLE.STEPS': 2,
    'MI_BAND_ACTIVITY_SAMPLE.RAW_INTENSITY': 2,
    'MI_BAND_ACTIVITY_SAMPLE.RAW_KIND': 2,
    'XIAOMI_ACTIVITY_SAMPLE.HEART_RATE': 2,
    'XIAOMI_ACTIVITY_SAMPLE.STEPS': 2,
    'XIAOMI_ACTIVITY_SAMPLE.SPO2': 1,
    'XIAOMI_ACTIVITY_SAMPLE.STRESS': 1,
    'HUAMI_SPO2_SAMPLE.SPO2': 1,
    'MI_SCALE_WEIGHT_SAMPLE.WEIGHT_KG': 1
  })
  t.same(found.leftOut, {
    'about the file or the device, not a measurement': 3,
    'not measured, as the file itself says': 1,
    'zero, which stands for none': 2,
    'zero, which means that nothing was measured': 1,
    'of a kind without a type here': 5
  })
})

t.test('placeholders that devices send are skipped by name', async t => {
  const rates = [-1, 255, 254, 0, 5, 251, 'none', Buffer.from('x'), 2n ** 60n, 60]
  const found = await collected(
    exported({
      XIAOMI_ACTIVITY_SAMPLE: rates.map((HEART_RATE, at) => ({
        TIMESTAMP: time + at,
        ...own,
        STEPS: -1,
        HEART_RATE
      })),
      HUAMI_SPO2_SAMPLE: [{ TIMESTAMP: 0, ...own, TYPE_NUM: 0, SPO2: 97 }]
    })
  )
  t.match(found.data, [{ content: 60 }])
  t.equal(found.data.length, 1)
  t.match(found.leftOut, {
    'not measured, as the file itself says': 3 + rates.length,
    'zero, which means that nothing was measured': 1,
    'of a value that is impossible for what it measures': 2,
    'of a value that is no number': 2,
    'of a number that is too large': 1,
    'without a time': 1
  })
})

t.test('nights, activities and manual measurements', async t => {
  const end = time + 3600
  const found = await collected(
    exported({
      XIAOMI_SLEEP_TIME_SAMPLE: [
        { TIMESTAMP: time * 1000, ...own, WAKEUP_TIME: end * 1000, IS_AWAKE: 1, DEEP_SLEEP_DURATION: 20 },
        { TIMESTAMP: end * 1000, ...own, WAKEUP_TIME: null, IS_AWAKE: 0, DEEP_SLEEP_DURATION: null }
      ],
      XIAOMI_MANUAL_SAMPLE: [
        { TIMESTAMP: time * 1000, DEVICE_ID: 1, TYPE: 17, VALUE: 66 },
        { TIMESTAMP: time * 1000, DEVICE_ID: 1, TYPE: 18, VALUE: 96 },
        { TIMESTAMP: time * 1000, DEVICE_ID: 1, TYPE: 19, VALUE: 30 }
      ],
      BASE_ACTIVITY_SUMMARY: [
        {
          _id: 7,
          NAME: null,
          START_TIME: time * 1000,
          END_TIME: end * 1000,
          ACTIVITY_KIND: 16,
          GPX_TRACK: '/storage/emulated/0/run.gpx',
          DEVICE_ID: 1,
          SUMMARY_DATA: '{"steps":{"value":5000,"unit":"steps_unit"}}'
        },
        {
          _id: 8,
          NAME: 'Lake',
          START_TIME: time * 1000,
          END_TIME: end * 1000,
          ACTIVITY_KIND: 67108866,
          GPX_TRACK: null,
          DEVICE_ID: 1,
          SUMMARY_DATA: '{broken'
        }
      ]
    })
  )
  t.match(found.data, [
    {
      kind: 'XIAOMI_SLEEP_TIME_SAMPLE',
      type: 'sleep/analysis',
      time,
      duration: 3600,
      content: { analysis: 'inBed' },
      clientData: { 'gadgetbridge:sleep': { DEEP_SLEEP_DURATION: 20 } }
    },
    { kind: 'XIAOMI_MANUAL_SAMPLE.17', type: 'frequency/bpm', content: 66 },
    { kind: 'XIAOMI_MANUAL_SAMPLE.18', type: 'ratio/percent', content: 96 },
    {
      type: 'activity/plain',
      source: 'Wrist',
      time,
      duration: 3600,
      description: 'running',
      clientData: {
        'gadgetbridge:activity': {
          kind: 16,
          type: 'running',
          file: 'run.gpx',
          summary: { steps: { value: 5000 } }
        }
      }
    },
    { description: 'Lake', clientData: { 'gadgetbridge:activity': { kind: 67108866 } } }
  ])
  t.equal(found.data.length, 5)
  t.match(found.leftOut, { 'of an end that cannot be read': 1, 'of a kind without a type here': 1 })
})

t.test('other tables are named, with their number of rows', async t => {
  const found = await collected(
    await zipOf({
      'database/Gadgetbridge': exported({
        GARMIN_ACTIVITY_SAMPLE: [{ TIMESTAMP: time, ...own, STEPS: 4000, HEART_RATE: 70 }],
        HUAWEI_ACTIVITY_SAMPLE: [{ TIMESTAMP: time, HEART_RATE: 70 }],
        HUAMI_STRESS_SAMPLE: [{ TIMESTAMP: time * 1000, DEVICE_ID: 1, STRESS: 20 }],
        BATTERY_LEVEL: [
          { TIMESTAMP: time, LEVEL: 80 },
          { TIMESTAMP: time + 1, LEVEL: 79 }
        ],
        NEW_KIND_SAMPLE: [
          { TIMESTAMP: time, X: 1 },
          { TIMESTAMP: time, X: 2 },
          { TIMESTAMP: time, X: 3 }
        ]
      })
    }),
    'gadgetbridge.zip'
  )
  t.match(found.data, [{ type: 'frequency/bpm', content: 70, kind: 'GARMIN_ACTIVITY_SAMPLE.HEART_RATE' }])
  t.equal(found.data.length, 1, 'steps of Garmin are sums so far')
  t.match(found.records, {
    'GARMIN_ACTIVITY_SAMPLE.STEPS': 1,
    HUAWEI_ACTIVITY_SAMPLE: 1,
    HUAMI_STRESS_SAMPLE: 1,
    BATTERY_LEVEL: 2,
    NEW_KIND_SAMPLE: 3
  })
  t.notOk('EMPTY_SAMPLE' in found.records)
})

t.test('damaged parts are counted', async t => {
  const rows = Array.from({ length: 4000 }, (_, at) => ({
    TIMESTAMP: time + at * 60,
    ...own,
    STEPS: -1,
    HEART_RATE: 60 + (at % 50)
  }))
  const content = exported({ XIAOMI_ACTIVITY_SAMPLE: rows })
  const pages = [...Array(content.length / 4096).keys()].filter(page => content[page * 4096] === 13)
  const page = pages.at(-2)! * 4096
  content.writeUInt16BE(4090, page + 8)
  content.fill(0, pages.at(-4)! * 4096, pages.at(-3)! * 4096)
  const found = await collected(content)
  t.ok(found.data.length > 3000 && found.data.length < 4000)
  t.equal(found.leftOut['damaged'], 1)
  t.match(
    found.warnings.join(),
    /"XIAOMI_ACTIVITY_SAMPLE" is damaged: the rows of 1 of its pages are missing/
  )
})

t.test('importing a database, importing it again, and undoing the import', async t => {
  const { alice } = await coffer(t)
  const samples = Array.from({ length: 3000 }, (_, at) => ({
    TIMESTAMP: time + at * 60,
    ...own,
    STEPS: at % 2,
    HEART_RATE: 60 + (at % 50)
  }))
  const archive = await zipOf({ 'database/Gadgetbridge': exported({ XIAOMI_ACTIVITY_SAMPLE: samples }) })
  const found = await broughtIn(alice, 'gadgetbridge.zip', archive)
  t.equal(found.state, 'written', found.message)
  t.match(found.look, { format: 'gadgetbridge', records: { 'XIAOMI_ACTIVITY_SAMPLE.HEART_RATE': 3000 } })
  t.same(found.tally, {
    broughtIn: { 'frequency/bpm': 3000, 'count/steps': 1500 },
    known: {},
    leftOut: { 'zero, which stands for none': 1500, 'about the file or the device, not a measurement': 3 }
  })
  const again = await broughtIn(alice, 'Gadgetbridge', exported({ XIAOMI_ACTIVITY_SAMPLE: samples }))
  t.same(again.tally.known, { 'frequency/bpm': 3000, 'count/steps': 1500 })
  await takenOut(alice, again.id)
  await takenOut(alice, found.id)
  const { events } = await alice.do('events.get', { fromTime: 0, toTime: 4e9 })
  t.same(events, [])
  const failed = await sent(
    alice,
    'a.db',
    databaseOf(database => database.exec('create table x (a)'))
  )
  t.match(failed, { state: 'unreadable', message: /no app that is known, with the tables "x"/ })
})
