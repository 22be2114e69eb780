/** Apple's export: units are case-sensitive, character references are decoded, and unknown elements are counted. */
import t from 'tap'
import { decodeEntities } from '../../imports/text/xml.js'
import { collected, missing } from './collecting.js'

const impossible = 'of a value that is impossible for what it measures'

const time = 'startDate="2024-08-01 10:00:00 +0200" endDate="2024-08-01 10:00:00 +0200"'
const record = (type: string, unit: string, value: number, source = 'Watch'): string =>
  `<Record type="HKQuantityTypeIdentifier${type}" sourceName="${source}" unit="${unit}" ${time} value="${value}"/>`

const units: readonly (readonly [
  kind: string,
  unit: string,
  value: number,
  type?: string,
  content?: number
])[] = [
  ['ActiveEnergyBurned', 'Cal', 118.5, 'energy/kcal', 118.5],
  ['ActiveEnergyBurned', 'kcal', 118.5, 'energy/kcal', 118.5],
  ['ActiveEnergyBurned', 'cal', 118_500, 'energy/cal', 118_500],
  ['DietaryEnergyConsumed', 'kJ', 8.4, 'energy/j', 8400],
  ['HeartRate', 'count/min', 61, 'frequency/bpm', 61],
  ['HeartRate', 'count', 61, 'count/generic', 61],
  ['HeartRate', 'count/s', 1],
  ['CyclingCadence', 'count/min', 90, 'frequency/rpm', 90],
  ['StepCount', 'count', 12, 'count/steps', 12],
  ['BodyMassIndex', 'count', 22.5, 'pressure/kg-m2', 22.5],
  ['OxygenSaturation', '%', 0.97, 'ratio/percent', 97],
  ['BodyTemperature', 'degF', 98.6, 'temperature/f', 98.6],
  ['BodyTemperature', 'degC', 37, 'temperature/c', 37],
  ['BodyTemperature', 'K', 310],
  ['Height', 'ft', 6, 'length/ft', 6],
  ['Height', 'in', 70, 'length/in', 70],
  ['BodyMass', 'lb', 165, 'mass/lb', 165],
  ['BodyMass', 'st', 11.5, 'mass/st', 11.5],
  ['DistanceSwimming', 'yd', 100, 'length/yd', 100],
  ['DistanceCycling', 'mi', 10, 'length/mi', 10],
  ['DietaryWater', 'mL', 250, 'volume/ml', 250],
  ['DietaryWater', 'fl_oz_us', 8, 'volume/floz', 8],
  ['DietaryWater', 'fl_oz_imp', 8],
  ['DietaryWater', 'cup_us', 1, 'volume/c', 1],
  ['BloodGlucose', 'mg/dL', 97, 'density/mg-dl', 97],
  ['BloodGlucose', 'mmol&lt;180.1558800000541&gt;/L', 5.4, 'density/mmol-l', 5.4],
  ['BloodGlucose', 'mmol&lt;180.15588000005408&gt;/L', 5.4, 'density/mmol-l', 5.4],
  ['BloodGlucose', 'mmol&lt;92.09&gt;/L', 5.4],
  ['EnvironmentalAudioExposure', 'dBASPL', 66, 'pressure/db', 66],
  ['InsulinDelivery', 'IU', 4, 'volume/iu', 4],
  ['ElectrodermalActivity', 'mcS', 3, 'electrical-conductivity/us', 3],
  ['ElectrodermalActivity', 'S', 3],
  ['ElectrodermalActivity', 'mS', 3],
  ['VO2Max', 'mL/min·kg', 41.5, 'gas-consumption/mlpkgmin', 41.5],
  ['DietaryFolate', 'mcg', 400, 'mass/mg', 0.4],
  ['RunningSpeed', 'ft/s', 9, 'speed/ft-s', 9]
]

t.test('each unit has its own type, or is skipped', async t => {
  for (const [kind, unit, value, type, content] of units) {
    const found = await collected(`<HealthData>${record(kind, unit, value)}</HealthData>`)
    if (type === undefined) t.same(found.leftOut, { 'in a unit without a type here': 1 }, unit)
    else t.match(found.data, [{ type, content }], `${kind} in ${unit}`)
  }
})

t.test(
  'percentages are fractions where Apple writes fractions, and other numbers are not guessed',
  async t => {
    const values: readonly (readonly [kind: string, value: number, content: number | string])[] = [
      ['OxygenSaturation', 1, 100],
      ['OxygenSaturation', 97, 97],
      ['OxygenSaturation', 1.05, impossible],
      ['OxygenSaturation', 0, impossible],
      ['BodyFatPercentage', 22, 22],
      ['WalkingAsymmetryPercentage', 0, 0],
      ['WalkingAsymmetryPercentage', 0.014, 1.4],
      ['WalkingAsymmetryPercentage', 1.4, 1.4],
      ['WalkingAsymmetryPercentage', 140, impossible],
      ['AtrialFibrillationBurden', 0.02, 2],
      ['BloodAlcoholContent', 0.0008, 0.08],
      ['BloodAlcoholContent', 0.08, impossible],
      ['PeripheralPerfusionIndex', 0.8, impossible],
      ['SomethingNew', 0.5, 'in a unit without a type here'],
      ['SomethingNew', 50, 'in a unit without a type here']
    ]
    for (const [kind, value, content] of values) {
      const found = await collected(`<HealthData>${record(kind, '%', value)}</HealthData>`)
      const name = `${kind} ${value}`
      if (typeof content === 'string') t.same(found.leftOut, { [content]: 1 }, name)
      else t.match(found.data, [{ type: 'ratio/percent', content }], name)
    }
  }
)

t.test('metadata of a record is counted by its key, and that of a workout kept with it', async t => {
  const found = await collected(
    `<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" ${time} value="61"><MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/></Record><Record type="HKCategoryTypeIdentifierSleepAnalysis" ${time} value="HKCategoryValueSleepAnalysisAsleepREM"><MetadataEntry key="HKTimeZone" value="Europe/Zurich"/></Record><Workout workoutActivityType="HKWorkoutActivityTypeRunning" ${time}><MetadataEntry key="HKIndoorWorkout" value="0"/><MetadataEntry key="HKWeatherTemperature" value="59 degF"/></Workout><Correlation type="HKCorrelationTypeIdentifierFood" ${time}><MetadataEntry key="HKFoodType" value="Soup"/></Correlation></HealthData>`
  )
  t.match(found.records, {
    HeartRate: 1,
    'MetadataEntry HKMetadataKeyHeartRateMotionContext': 1,
    'MetadataEntry HKFoodType': 1
  })
  t.notHas(found.records, { 'MetadataEntry HKTimeZone': 1 })
  t.match(found.data.at(-1), {
    clientData: {
      'apple:workout': { metadata: { HKIndoorWorkout: '0', HKWeatherTemperature: '59 degF' } }
    }
  })
  t.equal(missing(found), 0)
})

t.test('blood pressure in another unit is not read as mmHg', async t => {
  const halves = record('BloodPressureSystolic', 'kPa', 16) + record('BloodPressureDiastolic', 'kPa', 10.7)
  const found = await collected(
    `<HealthData>${halves}<Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Watch" ${time}>${halves}</Correlation></HealthData>`
  )
  t.same(found.data, [])
  t.same(found.leftOut, {
    'in a unit without a type here': 2,
    'a group of records that are in the file themselves': 1
  })
})

t.test('numeric and named character references are decoded', async t => {
  const sources = ['Ana&#8217;s Watch', 'Ana&#x2019;s Watch', 'Ana&rsquo;s Watch', 'Ana’s Watch']
  const text = sources.map((source, at) => record('HeartRate', 'count/min', 60 + at, source)).join('')
  const found = await collected(`<HealthData>${text}</HealthData>`)
  t.same(
    found.data.map(datum => datum.source),
    sources.map(() => 'Ana’s Watch')
  )
  t.equal(
    decodeEntities('Z&uuml;rich &Eacute;t&#xe9; &#128694; &amp;lt; &nothing;'),
    'Zürich Été 🚶 &lt; &nothing;'
  )
  const gpx = await collected(
    '<gpx><wpt lat="46" lon="7"><time>2024-05-01T08:00:00Z</time><name>Ch&acirc;teau d&#x2019;&#338;x</name></wpt></gpx>'
  )
  t.match(gpx.data, [{ description: 'Château d’Œx' }])
})

t.test('unknown elements are counted by name', async t => {
  const found = await collected(
    `<HealthData><StateOfMind ${time}/><Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" unit="ms" ${time} value="40"><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="60" time="10:00:00,01"/><InstantaneousBeatsPerMinute bpm="61" time="10:00:01,02"/></HeartRateVariabilityMetadataList></Record><Workout workoutActivityType="HKWorkoutActivityTypeRunning" ${time}><WorkoutEvent type="HKWorkoutEventTypePause"/></Workout><Audiogram ${time}><SensitivityPoint/></Audiogram></HealthData>`
  )
  t.same(found.records, {
    StateOfMind: 1,
    InstantaneousBeatsPerMinute: 2,
    HeartRateVariabilitySDNN: 1,
    WorkoutEvent: 1,
    Workout: 1,
    Audiogram: 1
  })
  t.same(found.leftOut, { 'of a kind without a type here': 5 })
})
