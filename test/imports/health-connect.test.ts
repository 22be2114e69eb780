/** The export of Health Connect: units, samples with their parent records, exercises and nights. */
import type Sqlite from 'better-sqlite3'
import t from 'tap'
import { exerciseNames, nutrientColumns } from '../../imports/formats/sqlite/health-connect-tables.js'
import { Unreadable } from '../../imports/record.js'
import { zipOf } from '../support/importing.js'
import { seeded } from '../support/random.js'
import { collected, type Collected } from './collecting.js'
import { damaged, databaseOf, insert } from './databases.js'

const time = 1_714_543_200
const millis = time * 1000
const all =
  'row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB UNIQUE NOT NULL, last_modified_time INTEGER, client_record_id TEXT, ' +
  'device_info_id INTEGER, app_info_id INTEGER, recording_method INTEGER'
const ofTime = `${all}, time INTEGER, zone_offset INTEGER, local_date INTEGER`
const ofSpan = `${all}, start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER`
const computed = 'local_date_time INTEGER GENERATED ALWAYS AS (time + 1000 * zone_offset)'

/** Returns a table with the common columns, its own, and trailing ones. */
const made = (name: string, common: string, own: string, last: string): string =>
  `CREATE TABLE ${name} (${[common, own, last].filter(part => part !== '').join(', ')}, FOREIGN KEY (app_info_id) REFERENCES application_info_table (row_id));`

/** Creates tables as Android does. */
function tables(database: Sqlite.Database): void {
  const spans: Readonly<Record<string, string>> = {
    steps_record_table: 'count INTEGER',
    active_calories_burned_record_table: 'energy REAL',
    nutrition_record_table: `${nutrientColumns.map(({ column }) => `${column} REAL`).join()}, meal_name TEXT`,
    heart_rate_record_table: '',
    SpeedRecordTable: '',
    exercise_session_record_table: 'notes TEXT, exercise_type INTEGER, title TEXT, has_route INTEGER',
    sleep_session_record_table: 'notes TEXT, title TEXT',
    mindfulness_session_record_table: 'title TEXT'
  }
  const times: Readonly<Record<string, string>> = {
    weight_record_table: 'weight REAL',
    height_record_table: 'height REAL',
    blood_glucose_record_table: 'specimen_source TEXT, level REAL',
    blood_pressure_record_table: 'systolic REAL, diastolic REAL',
    oxygen_saturation_record_table: 'percentage REAL',
    menstruation_flow_record_table: 'flow INTEGER',
    cervical_mucus_record_table: 'sensation INTEGER, appearance INTEGER'
  }
  database.exec(`
    CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT NOT NULL UNIQUE, app_name TEXT, app_icon BLOB);
    CREATE TABLE device_info_table (row_id INTEGER PRIMARY KEY, manufacturer TEXT, model TEXT, device_type INTEGER);
    CREATE TABLE activity_date_table (row_id INTEGER PRIMARY KEY, epoch_days INTEGER);
    ${Object.entries(spans)
      .map(([name, own]) => made(name, ofSpan, own, ''))
      .join('\n')}
    ${Object.entries(times)
      .map(([name, own]) => made(name, ofTime, own, computed))
      .join('\n')}
    CREATE TABLE heart_rate_record_series_table (parent_key INTEGER NOT NULL, beats_per_minute INTEGER, epoch_millis INTEGER);
    CREATE TABLE speed_record_table (parent_key INTEGER NOT NULL, speed REAL, epoch_millis INTEGER);
    CREATE TABLE exercise_route_table (parent_key INTEGER NOT NULL, timestamp_millis INTEGER, latitude REAL, longitude REAL,
      horizontal_accuracy REAL, vertical_accuracy REAL, altitude REAL);
    CREATE TABLE exercise_laps_table (parent_key INTEGER NOT NULL, lap_length REAL);
    CREATE TABLE sleep_stages_table (parent_key INTEGER NOT NULL, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER);
    INSERT INTO application_info_table VALUES (1, 'com.example.band', 'Band', zeroblob(20000)), (2, 'net.example.scale', NULL, NULL);
    INSERT INTO device_info_table VALUES (1, NULL, NULL, 0), (2, 'Maker', 'Watch 5', 1);
    INSERT INTO activity_date_table VALUES (1, 19844);`)
}

let uuid = 0
const own = (): object => ({ uuid: Buffer.from(`${++uuid}`), app_info_id: 1, device_info_id: 2 })
const at = (fields: object): Record<string, unknown> => ({
  ...own(),
  time: millis,
  zone_offset: 7200,
  ...fields
})
const during = (fields: object, seconds = 600): Record<string, unknown> => ({
  ...own(),
  start_time: millis,
  end_time: millis + seconds * 1000,
  ...fields
})

/** Returns what is found in an export with these rows by table, without the tables of apps and devices. */
async function exported(
  rows: Readonly<Record<string, readonly Record<string, unknown>[]>>
): Promise<Collected> {
  const content = databaseOf(database => {
    tables(database)
    for (const [table, each] of Object.entries(rows)) insert(database, table, each)
  })
  const found = await collected(await zipOf({ 'health_connect_export.db': content }), 'Health Connect.zip')
  t.same(found.formats, ['health-connect'])
  t.same(found.warnings, [])
  for (const [table, count] of Object.entries({
    application_info_table: 2,
    device_info_table: 2,
    activity_date_table: 1
  })) {
    t.equal(found.records[table], count)
    delete found.records[table]
  }
  const about = 'about the file or the device, not a measurement'
  t.equal(found.leftOut[about], 5)
  delete found.leftOut[about]
  return found
}

t.test('values have their unit, app and device', async t => {
  const found = await exported({
    steps_record_table: [during({ count: 700 }), during({ count: -1 })],
    active_calories_burned_record_table: [during({ energy: 25_500.5 })],
    weight_record_table: [
      at({ weight: 70_512.3, app_info_id: 2, device_info_id: 1 }),
      at({ weight: Number.MIN_VALUE })
    ],
    height_record_table: [at({ height: 1.71, time: null }), at({ height: 171 })],
    blood_glucose_record_table: [
      at({ level: 5.4, specimen_source: '2' }),
      at({ level: 'high', specimen_source: '2' })
    ],
    blood_pressure_record_table: [
      at({ systolic: 121, diastolic: 79 }),
      at({ systolic: 121, diastolic: null })
    ],
    oxygen_saturation_record_table: [at({ percentage: 97.5 })],
    menstruation_flow_record_table: [at({ flow: 2 }), at({ flow: 9 })],
    cervical_mucus_record_table: [at({ appearance: 5, sensation: 1 })]
  })
  const [span, source] = [600, 'Band, Watch 5']
  t.strictSame(
    found.data.map(({ content, duration, source: from, stream, time: when, type }) => [
      from,
      type,
      stream,
      when,
      duration,
      content
    ]),
    [
      [source, 'count/steps', 'Steps', time, span, 700],
      [source, 'energy/kcal', 'Active energy', time, span, 25.5005],
      ['net.example.scale', 'mass/kg', 'Weight', time, undefined, 70.5123],
      [source, 'density/mmol-l', 'Blood glucose', time, undefined, 5.4],
      [
        source,
        'blood-pressure/mmhg-bpm',
        'Blood pressure',
        time,
        undefined,
        { systolic: 121, diastolic: 79 }
      ],
      [source, 'ratio/percent', 'Oxygen saturation', time, undefined, 97.5],
      [source, 'reproductive-health/menstrual-flow', 'Menstrual flow', time, undefined, 'medium'],
      [source, 'reproductive-health/mucus-quality', 'Cervical mucus', time, undefined, 'eggWhite']
    ]
  )
  t.same(found.leftOut, {
    'not measured, as the file itself says': 2,
    'without a time': 1,
    'of a value that is impossible for what it measures': 1,
    'of a value that is no number': 1,
    'half of a measurement whose other half is missing': 1,
    'of a kind without a type here': 1
  })
})

t.test('samples have the source of their parent record', async t => {
  const found = await exported({
    heart_rate_record_table: [
      during({ row_id: 5 }),
      during({ row_id: 9, app_info_id: 2, device_info_id: null })
    ],
    heart_rate_record_series_table: [
      { parent_key: 9, beats_per_minute: 61, epoch_millis: millis },
      { parent_key: 5, beats_per_minute: 62, epoch_millis: millis + 500 },
      { parent_key: 7, beats_per_minute: 63, epoch_millis: millis },
      { parent_key: 5, beats_per_minute: 0, epoch_millis: millis }
    ],
    SpeedRecordTable: [during({ row_id: 1 })],
    speed_record_table: [{ parent_key: 1, speed: 2.5, epoch_millis: millis }]
  })
  t.strictSame(
    found.data.map(({ content, source, time: when }) => [source, when, content]),
    [
      ['net.example.scale', time, 61],
      ['Band, Watch 5', time + 0.5, 62],
      ['', time, 63],
      ['Band, Watch 5', time, 2.5]
    ]
  )
  t.same(found.leftOut, {
    'a group of records that are in the file themselves': 3,
    'of a value that is impossible for what it measures': 1
  })
})

t.test('exercises, with their routes', async t => {
  const unset = Number.MIN_VALUE
  const place = { parent_key: 3, timestamp_millis: millis, latitude: 46.2, longitude: 6.1, altitude: 370 }
  const found = await exported({
    exercise_session_record_table: [
      during({ row_id: 3, exercise_type: 33, title: 'Lake', notes: 'windy', has_route: 1 }),
      during({ row_id: 4, exercise_type: 61, title: null, notes: null, has_route: 0 }),
      during({ row_id: 5, exercise_type: 999, title: null, notes: null, has_route: 0 })
    ],
    exercise_route_table: [
      { ...place, horizontal_accuracy: 4, vertical_accuracy: unset },
      { ...place, horizontal_accuracy: unset, vertical_accuracy: unset, latitude: 91 }
    ],
    exercise_laps_table: [{ parent_key: 3, lap_length: 400 }]
  })
  t.equal(exerciseNames.split(', ')[33], 'running')
  t.match(found.data, [
    {
      type: 'activity/plain',
      time,
      duration: 600,
      description: 'Lake\nwindy',
      clientData: { 'health-connect:exercise': { number: 33, type: 'running' } }
    },
    { description: 'rowing machine' },
    { clientData: { 'health-connect:exercise': { number: 999 } } },
    { type: 'position/wgs84', source: 'Band, Watch 5', track: `exercise ${time}` }
  ])
  t.equal(found.data.length, 4)
  t.strictSame(found.data[3]!.content, {
    latitude: 46.2,
    longitude: 6.1,
    altitude: 370,
    horizontalAccuracy: 4
  })
  t.same(found.records, { exercise_session_record_table: 3, exercise_route_table: 2, exercise_laps_table: 1 })
})

t.test('a night consists of its stages, or of itself if it has none', async t => {
  const stage = { parent_key: 1, stage_start_time: millis, stage_end_time: millis + 60_000 }
  const found = await exported({
    sleep_session_record_table: [
      during({ row_id: 1, title: null, notes: null }),
      during({ row_id: 2, title: 'Nap', notes: null }),
      during({ row_id: 3, title: null, notes: 'bad dreams' })
    ],
    sleep_stages_table: [
      ...[1, 4, 5, 6, 3, 0].map(stage_type => ({ ...stage, stage_type })),
      { ...stage, parent_key: 3, stage_type: 2 },
      { ...stage, stage_type: 2, stage_end_time: null }
    ]
  })
  t.strictSame(
    found.data.map(({ clientData, content, description, duration, type }) => [
      type,
      content,
      duration,
      description,
      clientData
    ]),
    [
      ...(['awake', 'light', 'deep', 'rem', 'sleeping'] as const).map(name => [
        'sleep/analysis',
        { analysis: name === 'awake' ? 'awake' : 'asleep' },
        60,
        undefined,
        { 'health-connect:sleep': { stage: name } }
      ]),
      ['sleep/analysis', { analysis: 'inBed' }, 600, 'Nap', undefined],
      ['note/txt', 'bad dreams', 600, undefined, undefined]
    ]
  )
  t.same(found.leftOut, {
    'of a kind without a type here': 2,
    'of an end that cannot be read': 1,
    'a group of records that are in the file themselves': 1
  })
})

t.test('meals consist of their nutrients; other tables are named, with their number of rows', async t => {
  const unset = Object.fromEntries(nutrientColumns.map(({ column }) => [column, Number.MIN_VALUE]))
  const found = await exported({
    nutrition_record_table: [
      during({ ...unset, energy: 350_000, protein: 12.5, vitamin_b12: 0.0000024, meal_name: 'Lunch' }),
      during({ ...unset, meal_name: 'Nothing' })
    ],
    mindfulness_session_record_table: [during({ title: 'Breath' }), during({ title: null })]
  })
  t.strictSame(
    found.data.map(({ content, kind, stream, type }) => [kind, type, stream, content]),
    [
      ['nutrition_record_table.energy', 'energy/kcal', 'Energy of food', 350],
      ['nutrition_record_table.protein', 'mass/g', 'Protein', 12.5],
      ['nutrition_record_table.vitamin_b12', 'mass/g', 'Vitamin B12', 0.0000024]
    ]
  )
  t.equal(found.records['mindfulness_session_record_table'], 2)
  t.same(found.leftOut, { empty: 1, 'of a kind without a type here': 2 })
})

t.test('damaged exports are read up to the damage', async t => {
  const random = seeded(t)
  const content = databaseOf(database => {
    tables(database)
    for (let row = 1; row <= 300; row++) {
      insert(database, 'heart_rate_record_table', [during({ row_id: row })])
      insert(database, 'sleep_session_record_table', [during({ row_id: row, title: 'Night' })])
      insert(database, 'nutrition_record_table', [during({ energy: 1000, protein: row })])
    }
    insert(
      database,
      'heart_rate_record_series_table',
      Array.from({ length: 3000 }, (_, row) => ({
        parent_key: 1 + (row % 300),
        beats_per_minute: 60,
        epoch_millis: millis + row * 1000
      }))
    )
  })
  let found = 0
  for (let round = 0; round < 200; round++)
    try {
      found += (await collected(damaged(content, random))).data.length
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
    }
  t.comment(`${found} records`)
  t.ok(found > 0)
})
