/** Each format: generated files, with the quirks of real ones, counted while they are written. */
import t from 'tap'
import { zipOf } from '../support/importing.js'
import { collected } from './collecting.js'

/** Returns one of Apple's records. */
const record = (type: string, unit: string, value: string, start: string, more = ''): string =>
  `<Record type="HKQuantityTypeIdentifier${type}" sourceName="Ana&apos;s &gt;Watch" unit="${unit}" creationDate="${start}" startDate="${start}" endDate="${start}" value="${value}"${more}/>`

/** Returns a second of one day in Apple's format. */
const at = (second: number): string => `2024-08-01 10:00:${String(second).padStart(2, '0')} +0200`

t.test('Apple Health: records, correlations, workouts, with a broken DTD and control characters', async t => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
<!ELEMENT VisionPrescription ((RightEye)?
<!ATTLIST Record type CDATA #REQUIRED>
]>
<HealthData locale="de_CH">
 <ExportDate value="${at(0)}"/>
 <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
 ${record('HeartRate', 'count/min', '61', at(1))}
 ${record('BodyFatPercentage', '%', '0.22', at(2))}
 ${record('BodyMass', 'lb', '165.3', at(3))}
 ${record('BloodGlucose', 'mmol&lt;180.1558800000541&gt;/L', '5.4', at(4))}
 ${record('Unheard', 'parsec', '5.4', at(5))}
 ${record('BloodPressureSystolic', 'mmHg', '120', at(6))}
 ${record('BloodPressureDiastolic', 'mmHg', '80', at(6))}
 ${record('BloodPressureSystolic', 'mmHg', '125', at(7))}
 ${record('BloodPressureDiastolic', 'mmHg', '85', at(7))}
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone\x0b" unit="count" startDate="${at(0)}" endDate="${at(10)}" value="12">
  <MetadataEntry key="HKWasUserEntered" value="1 > 0"/>
 </Record>
 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" startDate="2024-08-01 00:00:00 +0200" endDate="2024-08-01 01:00:00 +0200" value="HKCategoryValueSleepAnalysisAsleepDeep">
  <MetadataEntry key="HKTimeZone" value="Europe/Zurich"/>
 </Record>
 <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Ana's >Watch" startDate="${at(6)}" endDate="${at(6)}">
  ${record('BloodPressureSystolic', 'mmHg', '120', at(6))}
  ${record('BloodPressureDiastolic', 'mmHg', '80', at(6))}
 </Correlation>
 <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="Watch" startDate="${at(0)}" endDate="2024-08-01 10:30:00 +0200">
  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="150" unit="count/min"/>
 </Workout>
 <ActivitySummary dateComponents="2024-08-01"/>
</HealthData>`
  const found = await collected(text)
  t.same(found.formats, ['apple-health'])
  t.same(found.records, {
    Me: 1,
    HeartRate: 1,
    BodyFatPercentage: 1,
    BodyMass: 1,
    BloodGlucose: 1,
    Unheard: 1,
    BloodPressureSystolic: 2,
    BloodPressureDiastolic: 2,
    StepCount: 1,
    SleepAnalysis: 1,
    BloodPressure: 1,
    Workout: 1,
    ActivitySummary: 1,
    'MetadataEntry HKWasUserEntered': 1
  })
  const by = (kind: string) => found.data.find(datum => datum.kind === kind)
  t.match(by('HeartRate'), { type: 'frequency/bpm', content: 61, source: "Ana's >Watch", time: 1722499201 })
  t.match(by('BodyFatPercentage'), { type: 'ratio/percent', content: 22 })
  t.match(by('BodyMass'), { type: 'mass/lb', content: 165.3 })
  t.match(by('BloodGlucose'), { type: 'density/mmol-l', content: 5.4 })
  t.match(by('StepCount'), { type: 'count/steps', content: 12, duration: 10 })
  t.match(by('SleepAnalysis'), { content: { analysis: 'asleep' }, duration: 3600, zone: 'Europe/Zurich' })
  t.match(by('BloodPressure'), { content: { systolic: 120, diastolic: 80 } })
  t.match(by('BloodPressureSystolic'), { content: { systolic: 125, diastolic: 85 } }, 'without a correlation')
  t.match(by('Workout'), { type: 'activity/plain', duration: 1800, description: 'Running' })
  t.equal(found.leftOut['part of a measurement that is brought in as one'], 3)
  t.same(found.warnings, [])
  const cut = await collected(text.slice(0, text.indexOf('<Correlation')))
  t.match(cut.warnings, [/cut off/])
  t.equal(cut.data.filter(({ type }) => type === 'blood-pressure/mmhg-bpm').length, 2)
})

t.test('an export.zip: its XML, routes and electrocardiograms, without files added by macOS', async t => {
  const ecg = [
    'Name,Ana',
    'Recorded Date,2024-08-01 10:00:00 +0200',
    'Sample Rate,512 hertz',
    'Unit,µV',
    '',
    '1,5',
    '-3,25',
    '7'
  ].join('\n')
  const zip = await zipOf({
    'apple_health_export/export.xml':
      '<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="2024-08-01 10:00:00 +0200" value="60"/></HealthData>',
    '__MACOSX/apple_health_export/._export.xml': 'Mac OS X',
    'apple_health_export/electrocardiograms/ecg_1.csv': ecg,
    'apple_health_export/workout-routes/route.gpx': track(3),
    'apple_health_export/readme.bin': Buffer.from([0, 1, 2])
  })
  const found = await collected(zip)
  t.same(found.formats.toSorted(), ['apple-health', 'apple-health', 'gpx'])
  t.match(found.records, { HeartRate: 1, Electrocardiogram: 3, trkpt: 3, file: 1 })
  const volts = found.data.filter(({ kind }) => kind === 'Electrocardiogram')
  t.same(
    volts.map(({ content }) => content),
    [1.5e-6, -3.25e-6, 7e-6]
  )
  t.equal(volts[1]!.time - volts[0]!.time, 1 / 512)
})

function track(
  count: number,
  point = (at: number) =>
    `<ele>${400 + at}</ele><time>2024-05-01T08:00:${String(at % 60).padStart(2, '0')}Z</time>`
): string {
  const points = Array.from(
    { length: count },
    (_, at) => `<trkpt lat="46.${at}" lon="6.1">${point(at)}</trkpt>`
  )
  return `\uFEFF<?xml version="1.0"?>\n<gpx version="1.1"><trk><name>A &amp; B</name><trkseg>${points.join('')}</trkseg></trk></gpx>`
}

t.test('GPX: points with altitudes and heart rates, waypoints, and some errors', async t => {
  const found = await collected(track(5))
  t.match(found.data[0], {
    type: 'position/wgs84',
    content: { latitude: 46, longitude: 6.1, altitude: 400 },
    time: 1714550400
  })
  t.equal(new Set(found.data.slice(0, 5).map(datum => datum.track)).size, 1)
  t.match(found.data[5], { type: 'activity/plain', description: 'A & B', duration: 4 })
  const odd =
    await collected(`<gpx><wpt lat="46" lon="7"><time>2024-05-01T08:00:00Z</time><name>Hut</name></wpt>
    <wpt lat="46" lon="7"/><trk><trkseg>
    <trkpt lat="undefined" lon="7"><time>2024-05-01T08:00:00Z</time></trkpt>
    <trkpt lat="91" lon="7"><time>2024-05-01T08:00:01Z</time></trkpt>
    <trkpt lat="46" lon="7"></trkpt>
    <trkpt lat="46" lon="7"><speed>1.5</speed><time>2024-05-01T08:00:02.500Z</time><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>120</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>
    </trkseg></trk>`)
  t.same(odd.leftOut, { 'without a time': 2, 'at coordinates beyond the earth': 2 })
  t.match(odd.data[0], { stream: 'Waypoints', description: 'Hut' })
  t.match(odd.data[1], { time: 1714550402.5, content: { speed: 1.5 } })
  t.match(odd.data[2], { type: 'frequency/bpm', content: 120 })
  t.match(odd.warnings, [/cut off/])
})

t.test('TCX and KML', async t => {
  const tcx =
    await collected(`<TrainingCenterDatabase><Activities><Activity Sport="Running"><Lap StartTime="2024-05-01T08:00:00Z">
    <TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>200</DistanceMeters><Track>
    <Trackpoint><Time>2024-05-01T08:00:00Z</Time><Position><LatitudeDegrees>46.1</LatitudeDegrees><LongitudeDegrees>6.2</LongitudeDegrees></Position>
      <AltitudeMeters>380</AltitudeMeters><HeartRateBpm><Value>130</Value></HeartRateBpm></Trackpoint>
    <Trackpoint><Time>2024-05-01T08:00:30Z</Time><HeartRateBpm><Value>140</Value></HeartRateBpm></Trackpoint>
    </Track></Lap></Activity></Activities></TrainingCenterDatabase>`)
  t.match(tcx.data[0], { content: { latitude: 46.1, longitude: 6.2, altitude: 380 } })
  t.same(
    tcx.data.filter(({ type }) => type === 'frequency/bpm').map(({ content }) => content),
    [130, 140]
  )
  t.match(tcx.data.at(-1), { type: 'activity/plain', description: 'Running', duration: 60 })
  const kml = await collected(`<kml xmlns:gx="x"><Document><Placemark><name>Walk</name><gx:Track>
    <when>2024-05-01T08:00:00Z</when><when>2024-05-01T08:00:10Z</when><when>2024-05-01T08:00:20Z</when>
    <gx:coord>6.1 46.1 400</gx:coord><gx:coord>6.2 46.2 410</gx:coord></gx:Track></Placemark>
    <Placemark><name>Café</name><TimeSpan><begin>2024-05-01T09:00:00Z</begin><end>2024-05-01T10:00:00Z</end></TimeSpan><Point><coordinates>6.3,46.3,0</coordinates></Point></Placemark>
    </Document></kml>`)
  t.match(kml.data[0], { content: { latitude: 46.1, longitude: 6.1, altitude: 400 } })
  t.match(kml.records, { coord: 3, Placemark: 1 })
  t.match(kml.data.at(-1), { description: 'Café', duration: 3600 })
})

t.test('CSV: recognised headers, all date formats, decimal commas, quoted text', async t => {
  const german = await collected(
    'Datum;Gewicht (kg);Puls;Kommentar\n13.04.2024 08:00;72,5;60;"müde; sehr\nmüde"\n03.05.2024 08:00;72;;\n',
    'x',
    { zone: 'Europe/Zurich' }
  )
  t.match(german.data[0], { type: 'mass/kg', content: 72.5, time: 1712988000 })
  t.match(
    german.data.find(({ type }) => type === 'note/txt'),
    { content: 'müde; sehr\nmüde' }
  )
  t.match(german.data.at(-1), { content: 72, time: 1714716000 })
  const american = await collected(
    'Date,Time,Systolic,Diastolic,Pulse\n03/04/2024,8:00 PM,120,80,60\n03/14/2024,8:00 AM,121,81,\n'
  )
  t.match(american.data[0], {
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 120, diastolic: 80, rate: 60 },
    time: 1709582400
  })
  t.same(american.data[1]!.content, { systolic: 121, diastolic: 81 })
  const latin = await collected(
    Buffer.from('time,weight (kg),notes\n2024-01-01 08:00,70,caf\u00e9\n', 'latin1')
  )
  t.match(latin.data[1], { content: 'café' })
  const utf16 = await collected(
    Buffer.from('\uFEFFtime\tweight (lb)\n2024-01-01 08:00\t150\n2024-01-02 08:00\t151\n', 'utf16le')
  )
  t.match(utf16.data[0], { type: 'mass/lb', content: 150 })
  const unclear = await collected('Date,Pulse\n03/04/2024,60\n05/06/2024,61\n')
  t.match(unclear.warnings, [/either order/])
  const unmapped = await collected('a,b\n1,2\n3,4\n')
  t.same(unmapped.leftOut, { 'in a table whose columns have not been mapped yet': 2 })
  const [table] = unmapped.tables
  const mapping = { time: 0, values: [{ column: 1, type: 'mass/kg', stream: 'Mass', factor: 2 }] }
  const mapped = await collected('a,b\n1700000000,2\n1700000001,\n', 'x', { mappings: { 'a|b': mapping } })
  t.equal(table!.columns.length, 2)
  t.match(mapped.data, [{ content: 4, time: 1.7e9 }])
  t.same(mapped.leftOut, { 'without a number': 1 }, 'empty is not zero')
})

t.test('CSV: a repeated and a missing hour when clocks change', async t => {
  const rows = ['2024-10-27 01:30', '2024-10-27 02:30', '2024-10-27 03:30', '2024-03-31 02:30']
  const found = await collected(`time,pulse\n${rows.map(row => `${row},60`).join('\n')}\n`, 'x', {
    zone: 'Europe/Zurich'
  })
  t.same(
    found.data.map(({ time }) => new Date(time * 1000).toISOString().slice(5, 16)),
    ['10-26T23:30', '10-27T02:30', '03-31T01:30']
  )
  t.same(found.leftOut, { 'of an hour that came twice when clocks were put back': 1 })
})

t.test('Google: five formats, coordinates that overflow, degree signs in another encoding', async t => {
  const records = await collected(
    JSON.stringify({
      locations: [
        {
          latitudeE7: 461234567,
          longitudeE7: 61234567,
          timestampMs: '1700000000000',
          accuracy: 20,
          deviceTag: 7
        },
        {
          latitudeE7: 461234567,
          longitudeE7: 4294967296 - 1_000_000_000,
          timestamp: '2024-05-01T08:00:00.500Z'
        },
        { latitudeE7: 461234567, timestamp: '2024-05-01T08:00:00Z' }
      ]
    })
  )
  t.match(records.data[0], {
    content: { latitude: 46.1234567, longitude: 6.1234567, horizontalAccuracy: 20 },
    time: 1.7e9
  })
  t.match(records.data[1], { content: { longitude: -100 } })
  t.same(records.leftOut, { 'without a position': 1 })
  const android = await collected(
    JSON.stringify({
      semanticSegments: [
        {
          startTime: '2024-05-01T08:00:00.000+02:00',
          endTime: '2024-05-01T10:00:00.000+02:00',
          timelinePath: [
            { point: '46.2\u00c2\u00b0, 6.1\u00c2\u00b0', time: '2024-05-01T08:30:00.000+02:00' }
          ]
        },
        {
          startTime: '2024-05-01T10:00:00.000+02:00',
          endTime: '2024-05-01T11:00:00.000+02:00',
          visit: { topCandidate: { semanticType: 'HOME', placeLocation: { latLng: '46.2°, 6.1°' } } }
        }
      ],
      rawSignals: [{ position: { LatLng: '46.2°, 6.1°' } }]
    })
  )
  t.match(android.data[0], { content: { latitude: 46.2, longitude: 6.1 }, time: 1714545000 })
  t.match(android.data[1], { duration: 3600, description: 'HOME' })
  const ios = await collected(
    JSON.stringify([
      {
        startTime: '2024-05-01T08:00:00Z',
        endTime: '2024-05-01T10:00:00Z',
        timelinePath: [{ point: 'geo:46.2,6.1', durationMinutesOffsetFromStartTime: '30' }]
      },
      {
        startTime: '2024-05-01T10:00:00Z',
        endTime: '2024-05-01T10:10:00Z',
        activity: { topCandidate: { type: 'walking' } }
      }
    ])
  )
  t.match(ios.data[0], { time: 1714552200 })
  t.match(ios.data[1], { type: 'activity/plain', duration: 600 })
  const months = await collected(
    JSON.stringify({
      timelineObjects: [
        {
          placeVisit: {
            location: { latitudeE7: 462000000, longitudeE7: 61000000, name: 'Café' },
            duration: { startTimestamp: '2024-05-01T08:00:00Z', endTimestamp: '2024-05-01T09:00:00Z' }
          }
        }
      ]
    })
  )
  t.match(months.data[0], { description: 'Café', content: { latitude: 46.2 } })
  const edits = await collected(JSON.stringify({ timelineEdits: [{ deviceId: '1' }] }))
  t.match(edits.warnings, [/on the phone/])
})

t.test('Fitbit: times in UTC, weights in pounds, zeros without a measurement', async t => {
  const rate = await collected(
    JSON.stringify([
      { dateTime: '10/27/24 00:00:05', value: { bpm: 61, confidence: 2 } },
      { dateTime: '10/27/24 00:00:10', value: { bpm: 0 } }
    ])
  )
  t.match(rate.data, [{ type: 'frequency/bpm', content: 61, time: 1729987205 }])
  t.same(rate.leftOut, { 'zero, which means that nothing was measured': 1 })
  const weight = await collected(
    JSON.stringify([{ logId: 1729987205000, weight: 219.5, bmi: 30, date: '10/27/24', time: '00:00:05' }])
  )
  t.match(weight.data, [{ type: 'mass/lb', content: 219.5, time: 1729987205 }])
})

/** Returns a component of an observation. */
const part = (code: string, value: number) => ({
  code: { coding: [{ system: 'http://loinc.org', code }] },
  valueQuantity: { value, unit: 'mm[Hg]', code: 'mm[Hg]' }
})

t.test('FHIR: Bundles and lines, panels of any code, entries marked as errors or repeated', async t => {
  const weight = {
    resourceType: 'Observation',
    id: 'w',
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
    effectiveDateTime: '2024-05-01T08:00:00+02:00',
    valueQuantity: { value: 72, unit: 'kg', code: 'kg' }
  }
  const pressure = {
    ...weight,
    id: 'p',
    code: { coding: [{ system: 'http://loinc.org', code: '55284-4' }] },
    valueQuantity: undefined,
    component: [part('8480-6', 120), part('8462-4', 80)]
  }
  const odd = { ...weight, id: 'o', valueQuantity: { value: 72 } }
  const condition = { resourceType: 'Condition', id: 'c', code: { text: 'Asthma' }, onsetDateTime: '2011' }
  const all = [
    weight,
    pressure,
    odd,
    condition,
    { ...weight, id: 'e', status: 'entered-in-error' },
    weight,
    { resourceType: 'Patient', id: 'x' }
  ]
  const bundle = await collected(
    JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry: all.map(resource => ({ resource })) })
  )
  const lines = await collected(all.map(resource => JSON.stringify(resource)).join('\n'))
  t.same(bundle.data, lines.data)
  t.match(bundle.data[0], { type: 'mass/kg', content: 72, time: 1714543200 })
  t.match(bundle.data[1], { content: { systolic: 120, diastolic: 80 } })
  t.match(bundle.data[2], { type: 'clinical/fhir' }, 'a unit is never guessed')
  t.match(bundle.data[3], { content: { displayName: 'Asthma' }, time: 1293840000 })
  t.same(bundle.records, { Observation: 5, Condition: 1, Patient: 1 })
})

/** Returns a data point with a schema. */
const point = (name: string, body: object) => ({
  header: {
    id: name,
    schema_id: { namespace: 'omh', name, version: '2.0' },
    acquisition_provenance: { source_name: 'Scale' }
  },
  body
})

t.test('Open mHealth: by schema and unit', async t => {
  const frame = { effective_time_frame: { date_time: '2024-05-01T08:00:00Z' } }
  const interval = {
    effective_time_frame: {
      time_interval: { start_date_time: '2024-05-01T08:00:00Z', duration: { value: 10, unit: 'min' } }
    }
  }
  const found = await collected(
    JSON.stringify([
      point('body-weight', { body_weight: { value: 160, unit: 'lb' }, ...frame }),
      point('step-count', { step_count: { value: 900, unit: 'steps' }, ...interval }),
      point('heart-rate', { heart_rate: { value: 60, unit: 'beats/min' }, ...frame }),
      point('something-else', { other: 1, ...frame })
    ])
  )
  t.match(found.data, [
    { type: 'mass/lb', content: 160, source: 'Scale' },
    { type: 'count/steps', content: 900, duration: 600 },
    { type: 'frequency/bpm', content: 60 }
  ])
  t.equal(found.data.length, 3)
})

t.test('archives: paths outside the archive, bombs, and wrong checksums', async t => {
  const zip = await zipOf({
    'aa/weights.csv': 'time,weight (kg)\n2024-01-01 08:00,70\n2024-01-02 08:00,71\n',
    'bomb.csv': Buffer.alloc(30_000_000)
  })
  const out = Buffer.from(zip.toString('latin1').replaceAll('aa/weights.csv', '../weights.csv'), 'latin1')
  await t.rejects(collected(out), { message: /no file of a format/ })
  const found = await collected(zip)
  t.equal(found.data.length, 2)
  t.match(found.leftOut, { 'packed suspiciously tightly': 1 })
  await t.rejects(collected(zip.subarray(0, zip.length - 30)), { message: /damaged or cut off/ })
})
