/** What Apple Health writes in ways of its own: units, characters, and elements that have no place here. */
import t from 'tap'
import { collected } from './collecting.js'

/** An export with these elements. */
const exported = (...elements: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n${elements.join('\n')}\n</HealthData>`

const quantity = (kind: string, unit: string, value: string, more = ''): string =>
  `<Record type="HKQuantityTypeIdentifier${kind}" unit="${unit}" value="${value}" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:00:00 +0200" ${more}/>`

t.test('units are those of HealthKit, in which Cal is a thousand cal', async t => {
  const units: [kind: string, unit: string, value: string, type: string, content: number][] = [
    ['ActiveEnergyBurned', 'Cal', '118.5', 'energy/kcal', 118.5],
    ['ActiveEnergyBurned', 'kcal', '118.5', 'energy/kcal', 118.5],
    ['ActiveEnergyBurned', 'cal', '118.5', 'energy/cal', 118.5],
    ['ActiveEnergyBurned', 'kJ', '100', 'energy/j', 100_000],
    ['BloodGlucose', 'mmol&lt;180.1558800000541&gt;/L', '5.4', 'density/mmol-l', 5.4],
    ['BodyTemperature', 'degF', '98.6', 'temperature/f', 98.6],
    ['BodyMass', 'lb', '150', 'mass/lb', 150]
  ]
  const found = await collected(exported(...units.map(([kind, unit, value]) => quantity(kind, unit, value))))
  t.same(
    found.data.map(({ content, type }) => [type, content]),
    units.map(([, , , type, content]) => [type, content])
  )
})

t.test('a column of Cal holds kilocalories, too', async t => {
  const found = await collected('time,food\n2024-05-01 10:00,118.5 Cal\n2024-05-01 11:00,90 Cal\n', 'a.csv')
  t.match(found.data, [
    { type: 'energy/kcal', content: 118.5 },
    { type: 'energy/kcal', content: 90 }
  ])
})

/** Two halves of a blood pressure. */
const pair = (unit: string, ...values: [string, string]): string[] =>
  ['Systolic', 'Diastolic'].map((side, at) => quantity(`BloodPressure${side}`, unit, values[at]!))

t.test('a blood pressure is of the unit that it names', async t => {
  const correlation = (unit: string, ...values: [string, string]): string =>
    `<Correlation type="HKCorrelationTypeIdentifierBloodPressure" startDate="2024-05-01 10:00:00 +0200">${pair(unit, ...values).join('')}</Correlation>`
  for (const form of [pair, correlation]) {
    const kpa = await collected(exported(...[form('kPa', '16', '10.7')].flat()))
    t.match(kpa.data, [{ type: 'blood-pressure/mmhg-bpm', content: { systolic: 120, diastolic: 80 } }])
    const odd = await collected(exported(...[form('inHg', '4.7', '3.1')].flat()))
    t.same(odd.data, [])
    t.ok(Object.keys(odd.leftOut).length > 0, 'but named')
  }
})

t.test('names may have any character, written out or as a reference', async t => {
  const names = ['Zoë&#8217;s watch', 'Zoë&#x2019;s watch', 'Zoë’s watch', 'Zo&#235;’s watch']
  const found = await collected(
    exported(...names.map(name => quantity('HeartRate', 'count/min', '60', `sourceName="${name}"`)))
  )
  t.same(
    found.data.map(({ source }) => source),
    names.map(() => 'Zoë’s watch')
  )
})

t.test('each element that has no place here is counted by its name', async t => {
  const found = await collected(
    exported(
      '<ExportDate value="2024-05-02 10:00:00 +0200"/>',
      '<Me HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"/>',
      `<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" unit="ms" value="40" startDate="2024-05-01 10:00:00 +0200">
        <MetadataEntry key="HKWasUserEntered" value="1"/>
        <HeartRateVariabilityMetadataList>
          <InstantaneousBeatsPerMinute bpm="61" time="10:00:00.00"/>
          <InstantaneousBeatsPerMinute bpm="62" time="10:00:01.00"/>
        </HeartRateVariabilityMetadataList>
      </Record>`,
      `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-05-01 11:00:00 +0200" endDate="2024-05-01 11:30:00 +0200">
        <WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-01 11:10:00 +0200"/>
        <WorkoutRoute><FileReference path="/workout-routes/route.gpx"/></WorkoutRoute>
      </Workout>`,
      '<Audiogram startDate="2024-05-01 10:00:00 +0200"><SensitivityPoint frequencyValue="250"/></Audiogram>',
      '<StateOfMind startDate="2024-05-01 10:00:00 +0200"><Label name="calm"/></StateOfMind>'
    )
  )
  t.same(found.records, {
    Me: 1,
    MetadataEntry: 1,
    InstantaneousBeatsPerMinute: 2,
    HeartRateVariabilitySDNN: 1,
    WorkoutEvent: 1,
    WorkoutRoute: 1,
    Workout: 1,
    Audiogram: 1,
    SensitivityPoint: 1,
    StateOfMind: 1,
    Label: 1
  })
  t.equal(found.data.length, 2)
})
