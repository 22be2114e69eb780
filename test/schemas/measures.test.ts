/** The catalogue of measures: its rows are well formed and unambiguous, and cover what imports write. */
import t from 'tap'
import { formatWords, stripPrefix } from '../../imports/formats/apple/types.js'
import { manualMeasures } from '../../imports/formats/sqlite/gadgetbridge-tables.js'
import {
  nutrientColumns,
  sampleTables,
  singleValueTables,
  wordTables
} from '../../imports/formats/sqlite/health-connect-tables.js'
import { columnRules } from '../../imports/tables/column-rules.js'
import { knownMakers } from '../../imports/tables/known-makers.js'
import { standardTypes } from '../../schemas/event-types/directory.js'
import {
  findMeasure,
  findMeasureByType,
  listDefaultTypes,
  measures
} from '../../schemas/measures/catalogue.js'
import { findMeasureByName } from '../../schemas/measures/import-names.js'
import type { Names } from '../../schemas/measures/measure.js'
import { convertUnit } from '../../schemas/units.js'
import { readSources } from '../support/sources.js'

const languages = ['en', 'de', 'fr'] as const
/** Measures whose values are numbers. */
const withRange = new Set(['level', 'sum', 'pair'])
const isMoney = (type: string): boolean => type.startsWith('money/')

function listDuplicates(values: readonly string[]): string[] {
  return values.filter((each, index) => values.indexOf(each) !== index)
}

/** Returns what is wrong with a text in three languages. */
function findNameProblems(names: Names): string[] {
  return languages.flatMap(language => {
    const name = names[language]
    const isSentenceCase = /^[\p{Lu}\d]/u.test(name)
    const isTypographic = !/['"]|\s{2}|^\s|\s$/.test(name) && !(language === 'fr' && / [:;?!]/.test(name))
    return isSentenceCase && isTypographic ? [] : [`${language}: ${name}`]
  })
}

t.test('ids, names and looks are well formed and unambiguous', async t => {
  for (const { choices = [], hue, icon, id, names } of measures) {
    t.match(id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    t.match(icon, /^[a-z0-9]+(?:-[a-z0-9]+)*$/, `icon of ${id}`)
    t.ok(Number.isInteger(hue) && hue >= 0 && hue < 360, `hue of ${id}`)
    for (const each of [names, ...choices.map(choice => choice.names)]) t.same(findNameProblems(each), [], id)
    t.same(listDuplicates(choices.map(({ value }) => String(value))), [], `choices of ${id}`)
  }
  t.same(listDuplicates(measures.map(({ id }) => id)), [])
  for (const language of languages)
    t.same(listDuplicates(measures.map(({ names }) => names[language].toLowerCase())), [], language)
  t.same(listDuplicates(measures.map(({ category, hue, icon }) => `${category} ${icon} ${hue}`)), [])
  const unlike = ['weight', 'blood-pressure', 'body-temperature', 'glucose'].map(id => findMeasure(id)!)
  t.same(listDuplicates(unlike.map(({ icon }) => icon)), [], 'icons of the most common ones')
  t.same(listDuplicates(unlike.map(({ hue }) => String(hue))), [], 'hues of the most common ones')
})

t.test('types exist, and numbers of all of them can be given in the unit of the first', async t => {
  for (const { id, molarMass, types, unit, ...measure } of measures) {
    for (const type of types) t.ok(standardTypes.types[type], `${type} of ${id}`)
    t.same(listDuplicates(types), [], `types of ${id}`)
    const offered = unit?.offered ?? []
    const numeric = withRange.has(measure.kind) ? types : []
    for (const type of [...offered, ...numeric].filter(each => !isMoney(each)))
      t.type(convertUnit(1, type, types[0]!, molarMass), 'number', `${type} of ${id}`)
    if (!unit) continue
    for (const type of [unit.shown, ...Object.values(unit.byRegion ?? {})])
      t.ok(offered.includes(type), `${type} of ${id} is offered`)
    for (const type of offered) t.ok(types.includes(type), `${type} of ${id} can be stored`)
  }
})

t.test('a type belongs to at most one measure by itself', async t => {
  for (const measure of measures)
    for (const type of listDefaultTypes(measure)) {
      t.ok(measure.types.includes(type), `${type} of ${measure.id}`)
      t.equal(findMeasureByType(type), measure, type)
      t.equal(findMeasureByType(`series:${type}`), measure, `series of ${type}`)
    }
  t.equal(findMeasureByType('ratio/percent'), undefined, 'which may be anything')
  t.equal(findMeasureByType('constructor'), undefined)
  t.equal(findMeasure('constructor'), undefined)
})

t.test('normal ranges are within the plausible ones', async t => {
  const known = measures.filter(({ normal }) => normal !== undefined)
  t.ok(known.length > 0)
  t.same(
    measures.filter(({ normalSource }) => normalSource !== undefined).map(({ id }) => id),
    known.map(({ id }) => id),
    'each says where it is from'
  )
  for (const { id, kind, normal, plausible } of known) {
    const ranges = [normal!].flat(2).length === 2 ? [normal!] : normal!
    t.equal(ranges.length, kind === 'pair' ? 2 : 1, id)
    for (const range of ranges) {
      const [min, max] = range as readonly [number, number]
      t.ok(plausible![0] <= min && min < max && max <= plausible![1], id)
    }
  }
})

t.test('plausible ranges are within the possible ones, and all numbers have them', async t => {
  for (const { category, choices = [], id, kind, plausible, possible } of measures) {
    t.equal(plausible !== undefined, possible !== undefined, id)
    if (withRange.has(kind) && category !== 'money') t.ok(plausible, `range of ${id}`)
    if (!plausible || !possible) continue
    t.ok(possible[0] <= plausible[0] && plausible[0] < plausible[1] && plausible[1] <= possible[1], id)
    for (const { value } of choices) t.ok(Number(value) >= possible[0] && Number(value) <= possible[1], id)
  }
})

/** Lists the words that the contents of a type choose from. */
function listWords(type: string): unknown[] {
  const { enum: words, properties } = standardTypes.types[type] as {
    enum?: unknown[]
    properties?: Record<string, { enum?: unknown[] }>
  }
  return words ?? Object.values(properties ?? {}).flatMap(each => each.enum ?? [])
}

t.test('words to choose from are those that the types allow', async t => {
  for (const { choices, id, kind, types } of measures) {
    if (kind !== 'category' && kind !== 'span') continue
    const allowed = types.flatMap(listWords)
    t.same(
      choices
        ? choices.map(({ value }) => value).filter(each => allowed.length > 0 && !allowed.includes(each))
        : [],
      [],
      id
    )
    if (allowed.length > 0) t.equal(choices?.length, allowed.length, `${id} has all of them`)
  }
})

t.test('codes are well formed and of one measure each', async t => {
  const patterns = {
    loinc: /^\d{1,5}-\d$/,
    snomed: /^\d{6,18}$/,
    healthKit:
      /^HK(?:Quantity|Category|Correlation|Characteristic|Data|Workout)Type(?:Identifier[A-Z]\w+|Identifier)$/,
    healthConnect: /^[A-Z][A-Za-z0-9]+Record(?:\.[a-z][A-Za-z0-9]+)?$/,
    hds: /^[a-z0-9]+(?:-[a-z0-9]+)+$/
  }
  for (const [system, pattern] of Object.entries(patterns)) {
    const codes = measures.flatMap(measure => measure.codes?.[system as keyof typeof patterns] ?? [])
    for (const code of codes) t.match(code, pattern)
    t.same(listDuplicates(codes), [], system)
  }
  const withCheckDigit = measures.flatMap(({ codes }) => codes?.loinc ?? [])
  for (const code of withCheckDigit)
    t.equal(computeCheckDigit(code.split('-')[0]!), Number(code.at(-1)), code)
  for (const code of measures.flatMap(({ codes }) => codes?.snomed ?? []))
    t.equal(computeVerhoeff(code), 0, `check digit of ${code}`)
})

/** Computes the check digit of a LOINC code (Mod 10, as for cards). */
function computeCheckDigit(digits: string): number {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return (10 - (sum % 10)) % 10
}

/** Computes Verhoeff's checksum, which is 0 for identifiers of SNOMED CT. */
function computeVerhoeff(digits: string): number {
  return digits
    .split('')
    .toReversed()
    .reduce((sum, digit, index) => multiply(sum, permute(Number(digit), index)), 0)
}

/** Multiplies in the dihedral group of order 10. */
function multiply(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5
  return b < 5 ? ((a - b) % 5) + 5 : (a - b + 5) % 5
}

function permute(digit: number, times: number): number {
  let value = digit
  for (let time = 0; time < times % 8; time++) value = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4][value]!
  return value
}

/** Names of streams that imports write and that belong to no measure, with the reason. */
const withoutMeasure: Readonly<Record<string, string>> = {
  'Steps of the day so far': 'a running total',
  'Distance of the day so far': 'a running total',
  'Energy of the day so far': 'a running total',
  'Active energy of the day so far': 'a running total',
  'Active time of the day so far': 'a running total',
  'Distance so far': 'a running total',
  'Resting heart rate of the week': 'a mean of values that are in other streams',
  'Heart rate variability of the week': 'a mean of values that are in other streams',
  'Highest heart rate variability of nights': 'the highest of five minutes, not comparable with others',
  'Turns of the wheel': 'of a bicycle, not of a person',
  Temperature: 'of the body, a device or a room'
}

t.test('streams that imports write find their measure', async t => {
  const pairs: (readonly [stream: string, type: string])[] = [
    ...singleValueTables.values(),
    ...sampleTables.values(),
    ...nutrientColumns,
    ...manualMeasures.values(),
    ...wordTables.values(),
    ...columnRules.flatMap(({ stream, type, unitTypes = [] }) =>
      stream === undefined ? [] : [{ stream, type: type ?? unitTypes[0]! }]
    ),
    ...knownMakers.flatMap(({ values }) =>
      Object.values(values).map(({ stream, type }) => ({ stream, type: type }))
    )
  ].map(({ stream, type }) => [stream, type] as const)
  t.ok(pairs.length > 150, `${pairs.length} pairs`)
  for (const [stream, type] of pairs)
    if (!Object.hasOwn(withoutMeasure, stream)) t.ok(findMeasureByName(stream, type), `${stream}, ${type}`)
  const written = readSources('imports').flatMap(({ text }) =>
    Array.from(text.matchAll(/\bstream: '([^']+)'/g), ([, name]) => name!)
  )
  t.ok(written.length > 100, `${written.length} names`)
  const types = Object.keys(standardTypes.types)
  for (const name of new Set(written))
    t.equal(
      types.some(type => findMeasureByName(name, type)),
      !Object.hasOwn(withoutMeasure, name),
      `${name} has a measure, or a reason why not`
    )
})

t.test('the reasons why streams have no measure are about names that imports write', async t => {
  const sources = readSources('imports')
    .map(({ text }) => text)
    .join('\n')
  for (const name of Object.keys(withoutMeasure)) t.ok(sources.includes(`'${name}'`), name)
})

/** Kinds of quantities in HealthKit whose units have event types. */
const healthKitKinds = `
  ActiveEnergyBurned AppleExerciseTime AppleMoveTime AppleSleepingBreathingDisturbances AppleSleepingWristTemperature
  AppleStandTime AppleWalkingSteadiness AtrialFibrillationBurden BasalBodyTemperature BasalEnergyBurned
  BloodAlcoholContent BloodGlucose BloodPressureDiastolic BloodPressureSystolic BodyFatPercentage BodyMass
  BodyMassIndex BodyTemperature CrossCountrySkiingSpeed CyclingCadence CyclingFunctionalThresholdPower CyclingPower
  CyclingSpeed DietaryBiotin DietaryCaffeine DietaryCalcium DietaryCarbohydrates DietaryChloride DietaryCholesterol
  DietaryChromium DietaryCopper DietaryEnergyConsumed DietaryFatMonounsaturated DietaryFatPolyunsaturated
  DietaryFatSaturated DietaryFatTotal DietaryFiber DietaryFolate DietaryIodine DietaryIron DietaryMagnesium
  DietaryManganese DietaryMolybdenum DietaryNiacin DietaryPantothenicAcid DietaryPhosphorus DietaryPotassium
  DietaryProtein DietaryRiboflavin DietarySelenium DietarySodium DietarySugar DietaryThiamin DietaryVitaminA
  DietaryVitaminB12 DietaryVitaminB6 DietaryVitaminC DietaryVitaminD DietaryVitaminE DietaryVitaminK DietaryWater
  DietaryZinc DistanceCrossCountrySkiing DistanceCycling DistanceDownhillSnowSports DistancePaddleSports
  DistanceRowing DistanceSkatingSports DistanceSwimming DistanceWalkingRunning DistanceWheelchair
  ElectrodermalActivity EnvironmentalAudioExposure EnvironmentalSoundReduction FlightsClimbed
  ForcedExpiratoryVolume1 ForcedVitalCapacity HeadphoneAudioExposure HeartRate HeartRateRecoveryOneMinute
  HeartRateVariabilitySDNN Height InhalerUsage InsulinDelivery LeanBodyMass NumberOfAlcoholicBeverages
  NumberOfTimesFallen OxygenSaturation PaddleSportsSpeed PeakExpiratoryFlowRate PeripheralPerfusionIndex PushCount
  RespiratoryRate RestingHeartRate RowingSpeed RunningGroundContactTime RunningPower RunningSpeed
  RunningStrideLength RunningVerticalOscillation SixMinuteWalkTestDistance StairAscentSpeed StairDescentSpeed
  StepCount SwimmingStrokeCount TimeInDaylight UVExposure UnderwaterDepth VO2Max WaistCircumference
  WalkingAsymmetryPercentage WalkingDoubleSupportPercentage WalkingHeartRateAverage WalkingSpeed WalkingStepLength
  WaterTemperature
`
  .trim()
  .split(/\s+/)

t.test('kinds of HealthKit have a measure', async t => {
  const codes = new Set(measures.flatMap(measure => measure.codes?.healthKit ?? []))
  for (const kind of healthKitKinds) t.ok(codes.has(`HKQuantityTypeIdentifier${kind}`), kind)
  for (const code of codes)
    if (code.startsWith('HKQuantityTypeIdentifier'))
      t.ok(healthKitKinds.includes(code.slice('HKQuantityTypeIdentifier'.length)), code)
})

t.test('kinds of HealthKit find the measure that has their code', async t => {
  for (const { codes, id, types } of measures)
    for (const code of codes?.healthKit ?? []) {
      if (!/^HK(?:Quantity|Category)Type/.test(code) || /BloodPressure/.test(code)) continue
      t.equal(findMeasureByName(formatWords(stripPrefix(code)), types[0]!)?.id, id, code)
    }
})

t.test('names that two measures share are told apart by their types', async t => {
  t.equal(findMeasureByName('Body water', 'mass/kg')?.id, 'body-water')
  t.equal(findMeasureByName('Body water', 'ratio/percent')?.id, 'body-water-share')
  t.equal(findMeasureByName('Cholesterol', 'density/mg-dl')?.id, 'total-cholesterol')
  t.equal(findMeasureByName('Cholesterol', 'mass/mg')?.id, 'dietary-cholesterol')
  t.equal(findMeasureByName('Energy', 'energy/kcal')?.id, 'total-energy')
  t.equal(findMeasureByName('Energy of food', 'energy/kcal')?.id, 'food-energy')
  t.equal(findMeasureByName('heart rate', 'series:frequency/bpm')?.id, 'heart-rate', 'a series')
  t.equal(findMeasureByName('Weight', 'length/cm'), undefined)
  t.equal(findMeasureByName('constructor', 'mass/kg'), undefined)
})
